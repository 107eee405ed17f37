"""What older records say otherwise: how a memory ended and what an undo undid, and where questions stood.

Up to schema 4, and in exports of format 1, `ended_why` said "superseded by ID", and `mem forget
--reason` lets anybody write that. So words are a hint and no more: a memory counts as replaced
where the other memory says so too, or the line of history that ended it is consolidation's own.

Up to schema 6 a question to the owner was a value of the area of consolidation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from memcli import ids
from memcli.model import Ending, Event
from memcli.named_tuple import NamedTuple
from memcli.storage import areas

# How each ending began to be told, before the id of what took the memory's place.
_BY_ANOTHER: dict[str, Ending] = {
    "superseded by ": "superseded",
    "merged into ": "merged",
    "folded into ": "folded",
    "updated by ": "updated",
}
# What consolidation said; by whoever else it means no more than that somebody wanted it so.
_BY_A_STEP: dict[str, Ending] = {
    "expired on ": "expired",
    "valid until ": "expired",
    "faded: strength ": "decayed",
    "not used or confirmed since ": "decayed",
    "importance ": "pruned",
    "less sure than ": "outweighed",
    "its evidence was erased": "unsupported",
}
_CONSOLIDATION = ("consolidation", "folding")
_IMPORT, _UNDO = "import", "undo"
_UNDO_OF = "undo of "


# How the keys of questions began in the area of consolidation.
QUESTION_HEAD = "question:"


class RecordedEnd(NamedTuple):
    """How a memory ended, and what took its place."""

    how: Ending
    replaced_by: str | None = None


class OldRecords:
    """Tells how memories of one store ended, by all of its memories (as records) and its history."""

    def __init__(self, memories: Iterable[Mapping[str, Any]], history: Iterable[Event]) -> None:
        self._ended_at: dict[str, str | None] = {}
        # Who says of itself that it replaced a memory, in which field, by that memory's id.
        self._claims: dict[str, list[tuple[str, str]]] = {}
        for memory in memories:
            self._ended_at[memory["id"]] = memory["ended_at"]
            merged = memory["data"].get("merged_from")
            for field, named in (
                ("supersedes", [memory["supersedes"]]),
                ("merged_from", merged if isinstance(merged, list) else ()),
            ):
                for each in named:
                    if isinstance(each, str):
                        self._claims.setdefault(each, []).append((memory["id"], field))
        # The change that made a memory; the line that ended it, by when that was.
        self._made: dict[str, str | None] = {}
        self._lines: dict[str, dict[str, Event]] = {}
        for event in history:
            if event.before is None:
                self._made.setdefault(event.memory, event.change)
            # That it came in as ended says nothing of how.
            if event.action == _IMPORT:
                continue
            if ended_at := ended_at_of(event.after):
                # A later line of the same instant brought that end back.
                self._lines.setdefault(event.memory, {}).setdefault(ended_at, event)

    def end_of(self, memory: Mapping[str, Any], fields: Mapping[str, Any]) -> RecordedEnd | None:
        """How a memory ended by such an `ended_at` and `ended_why`, be it in force again since.

        None where they are of one in force.
        """
        ended_at, why = ended_at_of(fields), fields.get("ended_why")
        if ended_at is None:
            return None
        line = self._lines.get(memory["id"], {}).get(ended_at)
        why = why if isinstance(why, str) else ""
        if line and line.action == _UNDO:
            return RecordedEnd("undone")
        return self._replaced(memory["id"], line, ended_at, why) or RecordedEnd(_told(memory, line, why))

    def _replaced(self, memory_id: str, line: Event | None, ended_at: str, why: str) -> RecordedEnd | None:
        phrase = next((phrase for phrase in _BY_ANOTHER if why.startswith(phrase)), None)
        if phrase is None:
            return None
        how, named = _BY_ANOTHER[phrase], why[len(phrase) :][: ids.ID_LENGTH]
        if how == "updated":
            sure = line is not None and line.actor in _CONSOLIDATION and named in self._ended_at
            return RecordedEnd(how, named) if sure else None
        field = "merged_from" if how == "merged" else "supersedes"
        claiming = [each for each, by in self._claims.get(memory_id, ()) if by == field]
        # A version is named by its number; a summary may have been made anew since, without what was erased.
        for other in [named] if named in self._ended_at else claiming:
            if other in claiming and self._took_over(memory_id, line, ended_at, other):
                return RecordedEnd(how, other)
        return None

    def _took_over(self, memory_id: str, line: Event | None, ended_at: str, other: str) -> bool:
        """Whether a memory that replaced this one once did so at this end, and not at an earlier one."""
        over = self._ended_at[other]
        if over is not None and over < ended_at:
            return False
        if line and line.change and line.change == self._made.get(other):
            return True
        return len(self._lines.get(memory_id, ())) < 2


def _told(memory: Mapping[str, Any], line: Event | None, why: str) -> Ending:
    """How a memory ended that no other replaced."""
    data = memory["data"]
    if data.get("deprecated") and why.startswith("deprecated"):
        return "deprecated"
    if line and line.actor not in _CONSOLIDATION:
        return "forgotten"
    if "folded" in data and why == f"session {memory['session']} folded":
        return "folded"
    return next((how for phrase, how in _BY_A_STEP.items() if why.startswith(phrase)), "forgotten")


def with_own_area(record: dict[str, Any]) -> dict[str, Any]:
    """The record of a keyed value in the area where it stands by now."""
    key = record.get("key")
    if record.get("area") == areas.CONSOLIDATION.name and str(key).startswith(QUESTION_HEAD):
        return {**record, "area": areas.QUESTION.name, "key": str(key).removeprefix(QUESTION_HEAD)}
    return record


def ended_at_of(fields: Mapping[str, Any] | None) -> str | None:
    """When a memory ended by fields of it, as far as they say it as a store does."""
    at = (fields or {}).get("ended_at")
    return at if isinstance(at, str) else None


def undone_by(event: Event, lines: Callable[[str], Iterable[Event]]) -> str | None:
    """The change that a line of history takes back; `lines` gives those of a change by its key.

    None where the change that it names in words is not there, or did not do what is taken back.
    """
    key = (event.reason or "").removeprefix(_UNDO_OF)
    if event.action != _UNDO or key == event.reason:
        return None
    return key if any(_takes_back(event, line) for line in lines(key)) else None


def _takes_back(event: Event, line: Event) -> bool:
    after = event.after or {}
    if line.memory != event.memory or line.at > event.at or not after:
        return False
    if line.before is None:
        return bool(after.get("ended_at"))
    return all(name in line.before and line.before[name] == value for name, value in after.items())
