"""Old records: infer how memories ended, what undos undid, and where questions were kept.

Up to schema 4, and in exports of format 1, `ended_why` said "superseded by ID", and `mem forget --reason`
lets anybody write that. So words are only a hint: a memory counts as replaced if the other memory says so
too, or if the history line that ended it is consolidation's own.

Up to schema 6 a question to the owner was a value of the area of consolidation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from memcli import ids
from memcli.model import Ending, Event
from memcli.named_tuple import NamedTuple
from memcli.storage import areas

# The phrase for each ending, followed by the id of the replacing memory.
_BY_ANOTHER: dict[str, Ending] = {
    "superseded by ": "superseded",
    "merged into ": "merged",
    "folded into ": "folded",
    "updated by ": "updated",
}
# Phrases that count only if consolidation wrote them; from anybody else they are a mere reason.
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


# The prefix of the keys of questions in the area of consolidation.
QUESTION_HEAD = "question:"


class RecordedEnd(NamedTuple):
    """The way in which a memory ended, and the id of the one that replaced it."""

    how: Ending
    replaced_by: str | None = None


class OldRecords:
    """Infers how memories of one store ended, from all of its memories (as records) and its history."""

    def __init__(self, memories: Iterable[Mapping[str, Any]], history: Iterable[Event]) -> None:
        self._ended_at: dict[str, str | None] = {}
        # Memories that claim to have replaced another, with the field, by the replaced memory's id.
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
        # The change that made each memory; and the lines that ended it, by the time of the end.
        self._made: dict[str, str | None] = {}
        self._lines: dict[str, dict[str, Event]] = {}
        for event in history:
            if event.before is None:
                self._made.setdefault(event.memory, event.change)
            # An import of an ended memory does not say how it ended.
            if event.action == _IMPORT:
                continue
            if ended_at := ended_at_of(event.after):
                # A later line with the same instant only restored that end.
                self._lines.setdefault(event.memory, {}).setdefault(ended_at, event)

    def end_of(self, memory: Mapping[str, Any], fields: Mapping[str, Any]) -> RecordedEnd | None:
        """Return how a memory ended with these `ended_at` and `ended_why`, even if it is in force again.

        None if the fields are of one in force.
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
        # A version is named by its number; a summary may have been rebuilt since, without what was erased.
        for other in [named] if named in self._ended_at else claiming:
            if other in claiming and self._took_over(memory_id, line, ended_at, other):
                return RecordedEnd(how, other)
        return None

    def _took_over(self, memory_id: str, line: Event | None, ended_at: str, other: str) -> bool:
        """True if a memory that replaced this one did so at this end, and not at an earlier one."""
        over = self._ended_at[other]
        if over is not None and over < ended_at:
            return False
        if line and line.change and line.change == self._made.get(other):
            return True
        return len(self._lines.get(memory_id, ())) < 2


def _told(memory: Mapping[str, Any], line: Event | None, why: str) -> Ending:
    """Return how a memory ended that no other replaced."""
    data = memory["data"]
    if data.get("deprecated") and why.startswith("deprecated"):
        return "deprecated"
    if line and line.actor not in _CONSOLIDATION:
        return "forgotten"
    if "folded" in data and why == f"session {memory['session']} folded":
        return "folded"
    return next((how for phrase, how in _BY_A_STEP.items() if why.startswith(phrase)), "forgotten")


def with_own_area(record: dict[str, Any]) -> dict[str, Any]:
    """Return the record of a keyed value with its current area and key."""
    key = record.get("key")
    if record.get("area") == areas.CONSOLIDATION.name and str(key).startswith(QUESTION_HEAD):
        return {**record, "area": areas.QUESTION.name, "key": str(key).removeprefix(QUESTION_HEAD)}
    return record


def ended_at_of(fields: Mapping[str, Any] | None) -> str | None:
    """Return when a memory ended by its fields, if they hold an end."""
    at = (fields or {}).get("ended_at")
    return at if isinstance(at, str) else None


def undone_by(event: Event, lines: Callable[[str], Iterable[Event]]) -> str | None:
    """Return the change that a history line undoes; `lines` returns the lines of a change by its key.

    None if the change that it names in words does not exist, or did not do what is undone.
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
