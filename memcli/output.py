"""How things look: a table for people, lines for programs, a block for prompts.

Data goes to stdout, everything else to stderr. Text from the store is data: no
control sequence of it ever reaches a terminal.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from memcli import ids, times
from memcli.budget import Item, clipped
from memcli.model import Memory

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from memcli.recalled import Hit, Recall

# Whole escape sequences first (CSI, OSC and friends), then lone control
# characters (C0, DEL, C1) and the marks that reorder what a terminal shows.
_CONTROLS = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"
    r"|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?"
    r"|\x1b[ -/]*[0-~]?"
    r"|[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]"
)
# json.dumps escapes C0 only.
_UNESCAPED = re.compile(r"[\x7f-\x9f\u2028\u2029]")


def plain(text: str) -> str:
    """`text` without control sequences; tabs and line ends stay."""
    return _CONTROLS.sub("", text.replace("\r\n", "\n"))


def one_line(text: str) -> str:
    """`text` without control sequences, on one line."""
    return " ".join(plain(text).split())


def to_stdout(line: str) -> None:
    """Write one line of data."""
    sys.stdout.write(line + "\n")


def to_stderr(line: str) -> None:
    """Say something to the person at the terminal, or to the log."""
    sys.stderr.write(f"mem: {one_line(line)}\n")


def for_people() -> bool:
    """Whether stdout is a terminal."""
    return sys.stdout.isatty()


def by_hand() -> bool:
    """Whether a person types: nothing is piped in, and what is said is seen."""
    return sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()


def json_line(record: dict[str, Any]) -> str:
    """One line of JSON Lines, in any script, without raw control characters."""
    text = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
    return _UNESCAPED.sub(lambda sign: f"\\u{ord(sign[0]):04x}", text)


def safe_json(text: str) -> str:
    """A JSON document as it was written, but for control characters in its strings, which are escaped."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    for pattern in (_CONTROLS, _UNESCAPED):
        text = pattern.sub(lambda found: "".join(f"\\u{ord(sign):04x}" for sign in found[0]), text)
    return text


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


# For terminals only: rich takes a tenth of a second to import.

Justify = Literal["left", "right"]
# Columns of a terminal: on fewer there is room for ids and texts alone.
_NARROW = 60


def console() -> Console:
    """A terminal's console; honours NO_COLOR."""
    from rich.console import Console

    return Console(highlight=False, markup=False, emoji=False, soft_wrap=False)


def hits_table(answer: Recall, around: Mapping[str, Sequence[Memory]]) -> None:
    """Show an answer to a person."""
    shown = console()
    columns: tuple[tuple[str, Justify], ...] = (
        ("score", "right"), ("id", "left"), ("kind", "left"), ("when", "left"), ("by", "left"),
    )  # fmt: skip
    columns = columns[: 2 if shown.width < _NARROW else None]
    table = _table(*columns)
    for hit in answer.hits:
        memory = hit.memory
        by = "+".join(hit.found_by)
        row = (f"{hit.score:.2f}", ids.tail(memory.id), memory.kind, times.day(memory.happened_at), by)
        table.add_row(*row[: len(columns)], _shown(memory))
        for turn in around.get(memory.id, ()):
            if turn.id != memory.id:
                table.add_row(*[""] * len(columns), f"  {one_line(turn.text)[:200]}", style="dim")
    shown.print(table)


def memories_table(memories: Iterable[Memory]) -> None:
    """Show memories to a person, through a pager where they fill more than a screen."""
    shown = console()
    columns: tuple[tuple[str, Justify], ...] = (("id", "left"), ("kind", "left"), ("when", "left"))
    columns = columns[: 1 if shown.width < _NARROW else None]
    table = _table(*columns)
    for memory in memories:
        row = (ids.tail(memory.id), memory.kind, times.day(memory.happened_at))
        table.add_row(*row[: len(columns)], _shown(memory))
    # What git gives its pager: stay out of the way of a short page, keep colours.
    os.environ.setdefault("LESS", "-FRX")
    if table.row_count < shown.height - 4:
        shown.print(table)
    else:
        with shown.pager(styles=True):
            shown.print(table)


def _table(*columns: tuple[str, Justify]) -> Table:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold", show_edge=False)
    for name, justify in columns:
        style = "cyan" if name == "id" else ""
        table.add_column(name, justify=justify, style=style, no_wrap=True)
    table.add_column("text", overflow="fold")
    return table


def _shown(memory: Memory) -> Text:
    from rich.text import Text

    text = plain(memory.text).strip()
    shown = Text(clipped(text, 600))
    if memory.tags:
        shown.append("  " + " ".join(f"#{one_line(tag)}" for tag in memory.tags), style="dim")
    if memory.ended_at:
        shown.append("  (ended)", style="dim")
    if not memory.trusted:
        shown.append("  (untrusted)", style="dim")
    return shown
