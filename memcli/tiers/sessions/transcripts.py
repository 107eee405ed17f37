"""Transcripts of sessions: JSON Lines of role, content and time, exported and imported.

Beside these a line of memcli's has `id` and, if not empty, `tags` and `data`, and `trusted` if it is not;
the summary is a line with the role `summary`. Other formats are read as well: the messages of an LLM's API
as JSON Lines or as one array.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from memcli import ids, times
from memcli.errors import BadInput, Refused
from memcli.memories import Memories
from memcli.memory_data import FOLDED, FOLDS, folded_ids, is_folded, is_summary, summary_id, without_fold
from memcli.model import SUMMARY, Memory
from memcli.named_tuple import NamedTuple
from memcli.scope import Scope
from memcli.storage.batches import in_batches
from memcli.text.checks import check_name
from memcli.text.extraction.outputs import condense
from memcli.tiers.sessions.episodes import (
    put_turns,
    read_session,
    read_turns,
    require_session,
    turn_role,
)
from memcli.tiers.sessions.folding import fold_turns_if_due
from memcli.tiers.sessions.tool_calls import (
    NO_OUTPUT,
    calls_data,
    calls_in_message,
    calls_text,
    split_results,
)
from memcli.write_policy.direct import vet_memory
from memcli.write_policy.drafts import Draft, new_memory

# Other programs' names for the roles.
_ROLES = {
    "human": "user", "ai": "assistant", "model": "assistant", "bot": "assistant",
    "developer": "system", "function": "tool",
}  # fmt: skip
_CONTENT = ("content", "text")
_TIME = ("time", "timestamp", "created_at", "at", "create_time")
# How many turns are written at once: about a second of embedding.
_BATCH = 64
# The keys of `data` that refer to other turns of the session.
_REFERENCES = ("resolves", "resolved_by")


class TranscriptImport(NamedTuple):
    """The result of an import: turns added, lines known already, lines refused, the new summary.

    `bad` of the refused could not be read; the write policy refused the others.
    """

    session: str
    added: int
    known: int
    refused: list[str]
    gap: str | None = None
    summary: Memory | None = None
    bad: int = 0


def export_transcript(scope: Scope, session: str, *, live: bool = True) -> Iterator[dict[str, Any]]:
    """Yield the lines of a session's transcript in time order, the summary after what it folds.

    Raises NotFound for a session that has no episodes.
    """
    record = require_session(scope, session, live=live)
    for turn in sorted(record.whole, key=lambda each: (each.happened_at, each.id)):
        data = {name: value for name, value in turn.data.items() if name not in ("role", FOLDED)}
        # Whichever summary folded a turn, the current one covers it.
        if is_folded(turn) and (summary := record.summary_like(turn)):
            data[FOLDED] = summary.id
        line: dict[str, Any] = {
            "role": turn_role(turn), "content": turn.text, "time": times.to_iso(turn.happened_at),
            "id": turn.id,
        }  # fmt: skip
        if not turn.trusted:
            line["trusted"] = False
        yield line | ({"tags": list(turn.tags)} if turn.tags else {}) | ({"data": data} if data else {})


def import_transcript(
    memories: Memories,
    session: str,
    records: Iterable[tuple[str, dict[str, Any] | str]],
    origin: str,
    progress: Callable[[int], None] = lambda done: None,
) -> TranscriptImport:
    """Import a transcript into a session; bad lines are named in the report and left out.

    Lines that are known already, by their id or with the same role, time and words, stay as they are.
    Imported turns do not expire. Lines without a time come after the line before them. It may be
    interrupted and run again.
    """
    intake = _Intake(memories, session, origin)
    refused: list[str] = []
    bad = 0
    for place, line in records:
        try:
            for each in split_results(line) if isinstance(line, dict) else [line]:
                intake.add(each)
        except (BadInput, Refused) as error:
            refused.append(f"{place}: {error}")
            bad += isinstance(error, BadInput)
    turns = [_renamed(turn, intake.ids) for turn in intake.turns]
    gaps: list[str | None] = []
    change = memories.change("import", door=origin)
    for number, batch in enumerate(in_batches(turns, _BATCH)):
        progress(number * _BATCH)
        vectors, _, gap = read_turns(memories, batch)
        put_turns(memories, batch, change, vectors)
        gaps.append(gap)
    summary = fold_turns_if_due(memories, session) if turns else None
    gap = next(filter(None, gaps), None)
    return TranscriptImport(session, len(turns), intake.known, refused, gap, summary, bad)


class _Intake:
    """Collects the turns of a transcript that are new to a session; lines are added in order."""

    def __init__(self, memories: Memories, session: str, origin: str) -> None:
        record = read_session(memories, session, live=False)
        self.turns: list[Memory] = []
        # How many lines were known already.
        self.known = 0
        # The local ids of turns, by the ids that they came with.
        self.ids = {str(turn.data.get("imported_id", turn.id)): turn.id for turn in record.whole}
        self.ids |= {turn.id: turn.id for turn in record.whole}
        self._memories, self._session, self._origin = memories, session, origin
        self._contents = {_content(turn) for turn in record.whole}
        self._summarised = record.summary is not None
        self._last = memories.now()

    def add(self, line: dict[str, Any] | str) -> None:
        """Make a turn of a line, unless it is known already. Raises BadInput, Refused."""
        turn = _turn(self._memories, self._session, line, self._last, self._origin)
        theirs = turn.data.get("imported_id", "")
        if turn_role(turn) == SUMMARY and self._summarised and theirs not in self.ids:
            raise BadInput(f"{self._session} has a summary; the turns are taken in without theirs")
        self._last = turn.happened_at
        dated = isinstance(line, dict) and any(line.get(name) is not None for name in _TIME)
        if theirs in self.ids or (dated and _content(turn) in self._contents):
            self.known += 1
            return
        if theirs:
            turn = _with_its_id(self._memories, turn, theirs)
            self.ids[theirs] = turn.id
        self.turns.append(turn)


def _turn(
    memories: Memories, session: str, line: dict[str, Any] | str, last: datetime, origin: str
) -> Memory:
    if isinstance(line, str):
        raise BadInput(line)
    role = line.get("role")
    if not isinstance(role, str):
        raise BadInput("no 'role'")
    role = _ROLES.get(role.lower(), role)
    calls = calls_in_message(line)
    # A tool without output has answered all the same.
    unsaid = "" if calls else NO_OUTPUT if role == "tool" else None
    said = next((line[name] for name in _CONTENT if line.get(name)), unsaid)
    text = "\n".join(filter(None, (_text(said), calls_text(calls))))
    data = line.get("data")
    kept: dict[str, Any] = dict(data) if isinstance(data, dict) else {}
    kept.pop("imported_id", None)
    kept |= calls_data(calls)
    kept |= {name: line[name] for name in ("name", "tool_call_id") if isinstance(line.get(name), str)}
    if isinstance(line.get("id"), str) and ids.is_id(line["id"]):
        kept["imported_id"] = line["id"]
    limit = memories.config["output_limit"]
    if role == "tool" and len(text) > limit:
        kept.setdefault("length", len(text))
        text = condense(text, limit)
    tags = line.get("tags")
    draft = Draft(
        text=text, kind="episode", session=session, source="imported", origin=origin,
        tags=tuple(tags) if isinstance(tags, list) and all(isinstance(t, str) for t in tags) else (),
        happened_at=_time(line, memories.now()) or last, trusted=line.get("trusted") is not False,
        data={**kept, "role": check_name("role", role)},
    )  # fmt: skip
    return vet_memory(memories, new_memory(memories, draft))


def _text(content: object) -> str:
    """Return the text of a message, whose content may be in parts; tool calls are handled separately."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(part for each in content if (part := _part(each)))
    raise BadInput("no 'content'")


def _part(part: object) -> str:
    if isinstance(part, str):
        return part
    if not isinstance(part, Mapping):
        return ""
    if part.get("type") in ("tool_use", "function"):
        return ""
    for name in ("text", "content"):
        if isinstance(part.get(name), str):
            return str(part[name])
    return f"[{part.get('type', 'part')}]"


def _time(line: Mapping[str, Any], now: datetime) -> datetime | None:
    value = next((line[name] for name in _TIME if line.get(name) is not None), None)
    if value is None:
        return None
    if isinstance(value, str):
        return times.parse_instant(value, now)
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            # Seconds or milliseconds since 1970, which differ in order of magnitude for centuries.
            since = timedelta(seconds=value / 1000 if value > 1e11 else value)
            return times.to_milliseconds(datetime(1970, 1, 1, tzinfo=UTC) + since)
        except (OverflowError, ValueError) as error:
            raise BadInput(f"not a time: {value!r:.40}") from error
    raise BadInput(f"not a time: {value!r:.40}")


def _content(turn: Memory) -> tuple[str, str, datetime]:
    return (turn_role(turn), turn.text, turn.happened_at)


def _with_its_id(scope: Scope, turn: Memory, theirs: str) -> Memory:
    """Return the turn under the id that it brought, unless that is taken here (by another session, say)."""
    if scope.store.get([theirs]):
        return turn
    data = {name: value for name, value in turn.data.items() if name != "imported_id"}
    return replace(turn, id=theirs, data=data)


def _renamed(turn: Memory, renamed: Mapping[str, str]) -> Memory:
    """Return the turn with references replaced by local ids; folded only if its summary is here too."""
    data = without_fold(turn)
    if (summary := summary_id(turn)) and summary in renamed:
        data[FOLDED] = renamed[summary]
    for name in _REFERENCES:
        if isinstance(other := data.get(name), str) and other in renamed:
            data[name] = renamed[other]
    if turn_role(turn) == SUMMARY and is_summary(turn):
        data[FOLDS] = [renamed.get(each, each) for each in folded_ids(turn)]
    return replace(turn, data=data)
