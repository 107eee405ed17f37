"""Tables for people at a terminal; rich is imported only here, and late."""

from __future__ import annotations

import os
from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from memcli import ids, times
from memcli.model import Memory, is_past
from memcli.prompt import formats
from memcli.prompt.context import marked_text, told_day
from memcli.text.printable import clip

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from memcli.tiers.context.answer import Answer
from memcli.text.printable import one_line, printable

Justify = Literal["left", "right"]


# A terminal with fewer columns has room for ids and texts only.
_NARROW = 60


def console() -> Console:
    """Return a terminal's console; honours NO_COLOR."""
    from rich.console import Console

    return Console(highlight=False, markup=False, emoji=False, soft_wrap=False)


def answer_table(answer: Answer, below: Iterable[str] = ()) -> None:
    """Print an answer as a table of its hits, with other lines dimmed below it, each cut to one line."""
    from memcli.recall.records import procedure_lines

    shown = console()
    columns = formats.FOUND_COLUMNS[: formats.FOUND_NARROW if shown.width < _NARROW else -1]
    table = _table(*columns, formats.FOUND_COLUMNS[-1])
    for piece in answer.found:
        if piece.hit is None:
            continue
        hit, memory = piece.hit, piece.hit.memory
        by = "+".join(hit.found_by)
        row = (
            f"{hit.score:.2f}",
            ids.short_id(memory.id),
            memory.kind,
            told_day(memory),
            by,
        )
        weak = answer.recall is not None and answer.recall.weak
        text = _shown(memory, past=piece.past, weak=weak, updated_by=hit.updated_by, over=hit.over)
        if answer.of_all_spaces:
            text.append(formats.SPACE_MARK.format(space=one_line(memory.space)), style="dim")
        table.add_row(*row[: len(columns)], text)
        for line in procedure_lines(memory):
            table.add_row(*[""] * len(columns), f"  {line}", style="dim")
        for turn in piece.around:
            if turn.id != memory.id:
                table.add_row(
                    *[""] * len(columns),
                    f"  {marked_text(one_line(turn.text, 200), trusted=turn.trusted)}",
                    style="dim",
                )
    if table.row_count:
        shown.print(table)
    for line in below:
        indent = line[: len(line) - len(line.lstrip(" "))]
        shown.print(indent + one_line(line), style="dim", no_wrap=True, overflow="ellipsis")


def memories_table(memories: Iterable[Memory], now: datetime | None = None) -> None:
    """Print memories as a table, through a pager if they fill more than a screen; see `memory_lines`."""
    shown = console()
    columns = formats.LISTED_COLUMNS[: formats.LISTED_NARROW if shown.width < _NARROW else -1]
    table = _table(*columns, formats.LISTED_COLUMNS[-1])
    for memory in memories:
        row = (ids.short_id(memory.id), memory.kind, told_day(memory))
        table.add_row(*row[: len(columns)], _shown(memory, past=now is not None and is_past(memory, now)))
    # As git does for its pager: quit if it fits one screen, keep colours.
    os.environ.setdefault("LESS", "-FRX")
    if table.row_count < shown.height - 4:
        shown.print(table)
    else:
        with shown.pager(styles=True):
            shown.print(table)


def _table(*columns: str) -> Table:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold", show_edge=False)
    *narrow, text = columns
    for name in narrow:
        justify: Justify = "right" if name == "score" else "left"
        table.add_column(name, justify=justify, style="cyan" if name == "id" else "", no_wrap=True)
    table.add_column(text, overflow="fold")
    return table


def _shown(
    memory: Memory,
    *,
    past: bool = False,
    weak: bool = False,
    updated_by: str | None = None,
    over: datetime | None = None,
) -> Text:
    from rich.text import Text

    text = printable(memory.text).strip()
    shown = Text(clip(text, 600))
    if memory.tags:
        tags = (formats.TAG.format(tag=one_line(tag)) for tag in memory.tags)
        shown.append("  " + " ".join(tags), style="dim")
    if past:
        shown.append(formats.PAST_MARK, style="dim")
    elif memory.ended_at:
        shown.append(formats.ENDED_MARK, style="dim")
    if not memory.trusted:
        shown.append(formats.UNTRUSTED_MARK, style="dim")
    if updated_by:
        shown.append(formats.UPDATED_MARK.format(stranger=ids.short_id(updated_by)), style="dim")
    if over:
        shown.append(formats.OVER_SINCE_MARK.format(day=times.local_day(over)), style="dim")
    if weak:
        shown.append(formats.WEAK_MARK, style="dim")
    return shown
