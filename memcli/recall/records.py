"""A hit as a record, as a line of JSON and as a line of text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from memcli import ids, times
from memcli.model import Memory
from memcli.prompt.budget import Item

if TYPE_CHECKING:
    from memcli.recall.results import Hit, Recall
from memcli.text.printable import json_line, one_line


def hit_record(hit: Hit, answer: Recall, around: Sequence[Memory] = ()) -> dict[str, Any]:
    """A hit as JSON types: the memory's fields, its score, and what found it."""
    record = hit.memory.to_record()
    head = {name: record.pop(name) for name in ("id", "kind", "text")}
    found: dict[str, Any] = {"score": round(hit.score, 4), "found_by": hit.found_by}
    rest: dict[str, Any] = {"degraded": answer.degraded is not None}
    if answer.degraded:
        rest["degraded_reason"] = answer.degraded
    if around:
        rest["around"] = [{"id": m.id, "role": m.data.get("role"), "text": m.text} for m in around]
    return {**head, **found, **record, **rest}


def hit_item(hit: Hit, answer: Recall, around: Sequence[Memory]) -> Item:
    """A hit as a line of JSON; shortened, it says so and has no more than it takes to name it."""
    record = hit_record(hit, answer, around)

    def shortened(text: str) -> str:
        named = {name: record[name] for name in ("id", "kind", "score", "degraded")}
        return json_line({**named, "text": text, "shortened": True})

    return Item(json_line(record), body=hit.memory.text, shown=shortened)


def text_item(hit: Hit, around: Sequence[Memory]) -> Item:
    """A hit as a line of text, the turns around it indented below; shortened, without them."""
    memory = hit.memory
    head = f"{hit.score:.2f}  {_head(memory)}"
    turns = [f"    | {one_line(turn.text)}" for turn in around if turn.id != memory.id]
    return Item(
        "\n".join([head + one_line(memory.text) + ("" if memory.trusted else "  (untrusted)"), *turns]),
        body=one_line(memory.text),
        shown=lambda text: head + text,
    )


def text_lines(memories: Iterable[Memory]) -> Iterable[str]:
    """One line a memory: id's tail, kind, day, text."""
    for memory in memories:
        yield _head(memory) + one_line(memory.text)


def _head(memory: Memory) -> str:
    return f"{ids.tail(memory.id)}  {memory.kind:<10}  {times.day(memory.happened_at)}  "
