"""Records of hits and memories: as JSON types, as lines of text, as tab-separated columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from memcli import ids, times
from memcli.model import Memory, is_past, speaker_of
from memcli.prompt import formats
from memcli.prompt.context import further, marked_text, outcomes, states_told, told_day
from memcli.text.printable import one_line, printable

if TYPE_CHECKING:
    from memcli.recall.results import Hit, Recall


def hit_record(hit: Hit, answer: Recall, around: Sequence[Memory] = ()) -> dict[str, Any]:
    """Return a hit as JSON types: the memory's fields, its score, and what found it."""
    record = hit.memory.to_record()
    head = {name: record.pop(name) for name in ("id", "kind", "text")}
    found: dict[str, Any] = {"score": round(hit.score, 4), "weak": answer.weak, "found_by": hit.found_by}
    found |= {"perhaps_updated_by": hit.updated_by, "found_as": hit.found_as}
    if hit.over:
        found["over_since"] = times.local_day(hit.over)
    rest = degraded_fields(answer.degraded)
    if answer.attribution:
        rest["attribution"] = answer.attribution._asdict()
    if around:
        rest["around"] = [
            {"id": m.id, "role": speaker_of(m) or None, "text": m.text, "trusted": m.trusted} for m in around
        ]
    return {**head, **found, **record, **rest}


def degraded_fields(reason: str | None) -> dict[str, Any]:
    """Return the JSON fields on degradation: `reason` says why meaning was not searched, None if it was."""
    return {"degraded": True, "degraded_reason": reason} if reason else {"degraded": reason is not None}


def hit_line(
    hit: Hit,
    text: str | None = None,
    around: Sequence[Memory] = (),
    *,
    past: bool = False,
    weak: bool = False,
    of_space: bool = False,
) -> str:
    """Return a hit as a line, with the turns around it indented below; `text` is a shortened text, if any.

    `of_space` names its space.
    """
    memory = hit.memory
    turns = (
        formats.BESIDE.format(text=marked_text(one_line(turn.text), trusted=turn.trusted))
        for turn in around
        if turn.id != memory.id
    )
    said = _marked_line(memory, memory.text if text is None else text, past=past)
    if hit.updated_by:
        said += formats.UPDATED_MARK.format(stranger=ids.short_id(hit.updated_by))
    said += formats.OVER_SINCE_MARK.format(day=times.local_day(hit.over)) if hit.over else ""
    said += formats.WEAK_MARK if weak else ""
    said += formats.SPACE_MARK.format(space=one_line(memory.space)) if of_space else ""
    below = (formats.INDENTED.format(text=line) for line in procedure_lines(memory))
    return "\n".join([formats.FOUND.format(score=hit.score, text=said, **_about(memory)), *below, *turns])


def procedure_lines(memory: Memory) -> list[str]:
    """Return the lines of a procedure below its text: steps, checks, tools, outcomes; else none."""
    if memory.kind != "procedure":
        return []
    return printable(further(memory) + outcomes(memory)).strip().splitlines()


def memory_lines(memories: Iterable[Memory], now: datetime | None = None) -> Iterable[str]:
    """Return one line per memory: end of id, kind, day, text; with marks for past and ended ones.

    With `now`, a memory that is past by then is marked so, and else one that has ended.
    """
    for memory in memories:
        past = now is not None and is_past(memory, now)
        said = _marked_line(memory, memory.text, past=past)
        # The same mark as in a table.
        said += formats.ENDED_MARK if now is not None and memory.ended_at and not past else ""
        yield formats.LISTED.format(text=said, **_about(memory))


def tabbed_line(memory: Memory) -> str:
    """Return a memory in tab-separated columns for other programs: id, kind, day, text on one line."""
    return formats.TABBED.format(
        whole=memory.id, kind=memory.kind, day=told_day(memory), text=one_line(memory.text)
    )


def _marked_line(memory: Memory, text: str, *, past: bool) -> str:
    mark = formats.PAST_MARK if past else ""
    mark += "".join(formats.OVER_MARK.format(state=state) for state in states_told(memory))
    return one_line(text) + mark + ("" if memory.trusted else formats.UNTRUSTED_MARK)


def _about(memory: Memory) -> dict[str, str]:
    return {"id": ids.short_id(memory.id), "kind": memory.kind, "day": told_day(memory)}
