"""Memories as documents for people and spreadsheets. Not lossless: that is `exchange`."""

from __future__ import annotations

import csv as csv_format
import io
import json
from collections.abc import Iterable, Iterator
from itertools import groupby

from memcli.model import FIELD_NAMES, KINDS, Memory
from memcli.prompt.context import marked_text, told_day
from memcli.text.printable import one_line, printable

_HEADINGS = {
    "fact": "Facts", "preference": "Preferences", "outcome": "Outcomes", "constraint": "Constraints",
    "episode": "Episodes", "procedure": "Procedures", "policy": "Policies",
}  # fmt: skip


def markdown_lines(memories: Iterable[Memory]) -> Iterator[str]:
    """A readable document: a heading for each space and kind, an item for each memory."""
    by_section = sorted(memories, key=lambda m: (m.space, KINDS.index(m.kind), m.happened_at, m.id))
    yield "# Memories"
    for (space, kind), section in groupby(by_section, key=lambda m: (m.space, m.kind)):
        yield ""
        yield f"## {_HEADINGS[kind]}" + ("" if space == "default" else f" ({one_line(space)})")
        yield ""
        for memory in section:
            about = [
                told_day(memory),
                *(f"#{one_line(tag)}" for tag in memory.tags),
            ]
            if memory.session:
                about.insert(1, one_line(memory.session))
            if memory.confidence < 1:
                about.append(f"confidence {memory.confidence:g}")
            if memory.ended_at:
                about.append("ended")
            said = marked_text(printable(memory.text).strip(), trusted=memory.trusted)
            text = said.replace("\n", "\n  ")
            yield f"- {text} <!-- {memory.id} --> _({', '.join(about)})_"


def csv_lines(memories: Iterable[Memory]) -> Iterator[str]:
    """A table with a header row, one column a field, tags separated by spaces."""
    yield ",".join(FIELD_NAMES)
    for memory in memories:
        record = memory.to_record()
        row = [_cell(record[name]) for name in FIELD_NAMES]
        line = io.StringIO()
        csv_format.writer(line, lineterminator="\n").writerow(row)
        yield line.getvalue().removesuffix("\n")


def json_document(lines: Iterable[str]) -> Iterator[str]:
    """The lines of an export as one JSON document."""
    yield '{"records":['
    held = None
    for line in lines:
        if held is not None:
            yield held + ","
        held = line
    if held is not None:
        yield held
    yield "]}"


def _cell(value: object) -> str:
    if value is None or isinstance(value, int | float):
        return "" if value is None else str(value)
    if isinstance(value, list):
        value = " ".join(value)
    text = printable(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
    # A spreadsheet would run what begins like this.
    return f"'{text}" if text.startswith(("=", "+", "-", "@")) else text
