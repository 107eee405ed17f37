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
from datetime import datetime
from typing import TYPE_CHECKING, Any

from memcli import ids, times
from memcli.model import Memory

if TYPE_CHECKING:
    from rich.console import Console

    from memcli.recall import Hit, Recall

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


def json_line(record: dict[str, Any]) -> str:
    """One line of JSON Lines, in any script, without raw control characters."""
    text = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
    return _UNESCAPED.sub(lambda sign: f"\\u{ord(sign[0]):04x}", text)


def hit_record(
    hit: Hit, answer: Recall, *, explain: bool = False, around: Sequence[Memory] = ()
) -> dict[str, Any]:
    """A hit as JSON types: the memory's fields, its score, and what found it."""
    record = hit.memory.to_record()
    head = {name: record.pop(name) for name in ("id", "kind", "text")}
    found: dict[str, Any] = {"score": round(hit.score, 4), "found_by": hit.found_by}
    rest: dict[str, Any] = {"degraded": answer.degraded is not None}
    if answer.degraded:
        rest["degraded_reason"] = answer.degraded
    if around:
        rest["around"] = [{"id": m.id, "role": m.data.get("role"), "text": m.text} for m in around]
    if explain:
        rest["explain"] = {
            "words": hit.words, "meaning": hit.meaning, "parts": hit.parts, "total": hit.total,
        }  # fmt: skip
    return {**head, **found, **record, **rest}


def explanation(answer: Recall) -> Iterable[str]:
    """Why each result came, why the nearest others did not, and what the floor was."""
    for hit in answer.hits:
        yield f"{hit.score:.2f}  {ids.tail(hit.memory.id)}  {one_line(hit.memory.text)[:90]}"
        parts = [f"{name} {value:+.3f}" for name, value in hit.parts.items() if abs(value) >= 0.0005]
        words = "-" if hit.words is None else f"{hit.words:.2f}"
        meaning = "-" if hit.meaning is None else f"{hit.meaning:.2f}"
        yield f"      {'  '.join(parts)}  = {hit.total:.3f}"
        yield f"      words score {words}, meaning score {meaning}"
    for miss in answer.misses:
        hit = miss.hit
        text = one_line(hit.memory.text)[:70]
        yield f"miss  {ids.tail(hit.memory.id)}  {text}"
        yield f"      {miss.reason}: score {hit.score:.2f}, total {hit.total:.3f}"
    if answer.evidence:
        e = answer.evidence
        nearest = "not searched" if e.meaning is None else f"{e.meaning:.2f}"
        yield (
            f"floor: nearest meaning {nearest}, most words in one memory {e.words:.2f}, names known "
            f"{e.known}, unknown {e.strangers}, about the owner: {'yes' if e.about_owner else 'no'}"
        )


def text_lines(memories: Iterable[Memory], scores: Sequence[float] = ()) -> Iterable[str]:
    """One line a memory: score (if any), id's tail, kind, day, text."""
    for number, memory in enumerate(memories):
        score = f"{scores[number]:.2f}  " if scores else ""
        day = times.local(memory.happened_at)[:10]
        yield f"{score}{ids.tail(memory.id)}  {memory.kind:<10}  {day}  {one_line(memory.text)}"


# For terminals only: rich takes a tenth of a second to import.


def console() -> Console:
    """A terminal's console; honours NO_COLOR."""
    from rich.console import Console

    return Console(highlight=False, markup=False, emoji=False, soft_wrap=False)


def hits_table(answer: Recall, around: Mapping[str, Sequence[Memory]]) -> None:
    """Show an answer to a person."""
    table = _table(("score", "right"), ("id", "left"), ("kind", "left"), ("when", "left"), ("by", "left"))
    for hit in answer.hits:
        memory = hit.memory
        by = "+".join(hit.found_by)
        row = (f"{hit.score:.2f}", ids.tail(memory.id), memory.kind, _day(memory.happened_at), by)
        table.add_row(*row, _shown(memory))
        for turn in around.get(memory.id, ()):
            if turn.id != memory.id:
                table.add_row("", "", "", "", "", f"  {one_line(turn.text)[:200]}", style="dim")
    console().print(table)


def memories_table(memories: Iterable[Memory]) -> None:
    """Show memories to a person, through a pager where they fill more than a screen."""
    table = _table(("id", "left"), ("kind", "left"), ("when", "left"))
    for memory in memories:
        table.add_row(ids.tail(memory.id), memory.kind, _day(memory.happened_at), _shown(memory))
    # What git gives its pager: stay out of the way of a short page, keep colours.
    os.environ.setdefault("LESS", "-FRX")
    shown = console()
    if table.row_count < shown.height - 4:
        shown.print(table)
    else:
        with shown.pager(styles=True):
            shown.print(table)


def _table(*columns: tuple[str, str]) -> Any:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold", show_edge=False)
    for name, justify in columns:
        style = "cyan" if name == "id" else ""
        table.add_column(name, justify=justify, style=style, no_wrap=True)  # type: ignore[arg-type]
    table.add_column("text", overflow="fold")
    return table


def _day(instant: datetime) -> str:
    return times.local(instant)[:10]


def _shown(memory: Memory) -> Any:
    from rich.text import Text

    text = plain(memory.text).strip()
    shown = Text(text if len(text) <= 600 else text[:599] + "…")
    if memory.tags:
        shown.append("  " + " ".join(f"#{one_line(tag)}" for tag in memory.tags), style="dim")
    if memory.ended_at:
        shown.append("  (ended)", style="dim")
    return shown
