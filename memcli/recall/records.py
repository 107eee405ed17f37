"""A hit as a record and as a line of text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from memcli import ids, times
from memcli.model import Memory
from memcli.text.printable import one_line

if TYPE_CHECKING:
    from memcli.recall.results import Hit, Recall


def hit_record(hit: Hit, answer: Recall, around: Sequence[Memory] = ()) -> dict[str, Any]:
    """A hit as JSON types: the memory's fields, its score, and what found it."""
    record = hit.memory.to_record()
    head = {name: record.pop(name) for name in ("id", "kind", "text")}
    found: dict[str, Any] = {"score": round(hit.score, 4), "found_by": hit.found_by}
    rest = degraded_fields(answer.degraded)
    if around:
        rest["around"] = [{"id": m.id, "role": m.data.get("role"), "text": m.text} for m in around]
    return {**head, **found, **record, **rest}


def degraded_fields(reason: str | None) -> dict[str, Any]:
    """What a record says of how was searched: `reason` is why meaning was not, None where it was."""
    return {"degraded": True, "degraded_reason": reason} if reason else {"degraded": reason is not None}


def hit_line(hit: Hit, text: str | None = None, around: Sequence[Memory] = ()) -> str:
    """A hit as a line, the turns around it indented below; with another `text` where it was shortened."""
    memory = hit.memory
    whole = one_line(memory.text) + ("" if memory.trusted else "  (untrusted)")
    turns = (f"    | {one_line(turn.text)}" for turn in around if turn.id != memory.id)
    said = whole if text is None else one_line(text)
    return "\n".join([f"{hit.score:.2f}  {_head(memory)}{said}", *turns])


def text_lines(memories: Iterable[Memory]) -> Iterable[str]:
    """One line a memory: id's tail, kind, day, text."""
    for memory in memories:
        yield _head(memory) + one_line(memory.text)


def _head(memory: Memory) -> str:
    return f"{ids.tail(memory.id)}  {memory.kind:<10}  {times.day(memory.happened_at)}  "
