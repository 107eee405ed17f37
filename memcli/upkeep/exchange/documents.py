"""Documents of memories for people and spreadsheets: Markdown and CSV. Not lossless, unlike `export`.

The importers read them back; of a policy, or of a procedure with a name, Markdown has only the text, which
the writer is told.
"""

from __future__ import annotations

import csv as csv_format
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from itertools import groupby

from memcli import times
from memcli.model import DEFAULT_IMPORTANCE, FIELD_NAMES, KINDS, Memory
from memcli.prompt.context import marked_text, told_day
from memcli.text.printable import one_line, printable

_HEADINGS = {
    "fact": "Facts", "preference": "Preferences", "outcome": "Outcomes", "constraint": "Constraints",
    "episode": "Episodes", "procedure": "Procedures", "policy": "Policies",
}  # fmt: skip
# The mark of memories of which Markdown has only the text: what they do is in their data.
IN_PART = "in part"
# Fields that an item's brackets may contain beside its day and tags. Anything else is the name of its
# session, which follows the word "session" if it could be mistaken for one of these.
MARK = re.compile(
    r"(?P<name>confidence|importance|from|until|expires|session) (?P<value>.+)|(?P<flag>ended|in part)|#.*",
    re.DOTALL,
)
# A comma separates them; in a name it is written so, which Markdown renders as a comma.
COMMA = "&#44;"


def markdown_lines(
    memories: Iterable[Memory], tell_only_texts: Callable[[int], None] = lambda number: None
) -> Iterator[str]:
    """Yield a readable document: a heading for each space and kind, an item for each memory.

    At the end `tell_only_texts` is called with the number of policies and named procedures, written as
    texts only.
    """
    only_texts = 0
    by_section = sorted(memories, key=lambda m: (m.space, KINDS.index(m.kind), m.happened_at, m.id))
    yield "# Memories"
    for (space, kind), section in groupby(by_section, key=lambda m: (m.space, m.kind)):
        yield ""
        yield f"## {_HEADINGS[kind]}" + ("" if space == "default" else f" ({one_line(space)})")
        yield ""
        for memory in section:
            only_texts += _has_more_than_text(memory)
            about = ", ".join([told_day(memory), *_marks(memory)])
            said = marked_text(printable(memory.text).strip(), trusted=memory.trusted)
            text = said.replace("\n", "\n  ")
            yield f"- {text} <!-- {memory.id} --> _({about})_"
    if only_texts:
        tell_only_texts(only_texts)


def _marks(memory: Memory) -> Iterator[str]:
    """Yield what an item says of a memory beside its text and day."""
    if memory.session:
        name = one_line(memory.session).replace(",", COMMA)
        yield f"session {name}" if MARK.fullmatch(name) else name
    yield from (f"#{one_line(tag).replace(',', COMMA)}" for tag in memory.tags)
    if memory.confidence < 1:
        yield f"confidence {memory.confidence:g}"
    if memory.importance != DEFAULT_IMPORTANCE:
        yield f"importance {memory.importance:g}"
    if memory.valid_from:
        yield f"from {_day_or_instant(memory.valid_from)}"
    if memory.valid_until:
        yield f"until {_day_or_instant(memory.valid_until, end=True)}"
    if memory.expires_at:
        yield f"expires {_day_or_instant(memory.expires_at)}"
    if memory.ended_at:
        yield "ended"
    if _has_more_than_text(memory):
        yield IN_PART


def _has_more_than_text(memory: Memory) -> bool:
    """True for a policy, or a procedure with a name: what it does is in its data."""
    return memory.kind == "policy" or (memory.kind == "procedure" and "name" in memory.data)


def _day_or_instant(instant: datetime, *, end: bool = False) -> str:
    """Return a local day if the instant is its beginning, or with `end` its end; else the instant, in UTC."""
    day = times.local_day(instant)
    return day if times.parse_instant(day, instant, end=end) == instant else times.to_iso(instant)


def csv_lines(memories: Iterable[Memory]) -> Iterator[str]:
    """Yield a table with a header row, one column a field.

    Tags are separated by spaces; if one contains a space, a comma or the like, they are a JSON list.
    """
    yield ",".join(FIELD_NAMES)
    for memory in memories:
        record = memory.to_record()
        row = [_cell(record[name]) for name in FIELD_NAMES]
        line = io.StringIO()
        csv_format.writer(line, lineterminator="\n").writerow(row)
        yield line.getvalue().removesuffix("\n")


def json_document(lines: Iterable[str]) -> Iterator[str]:
    """Yield the lines of an export as one JSON document."""
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
        plain = all(re.fullmatch(r"[^\s,;\[\"]+", each) for each in value)
        value = " ".join(value) if plain else json.dumps(value, ensure_ascii=False)
    text = printable(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
    # A spreadsheet would take text with these beginnings for a formula.
    return f"'{text}" if text.startswith(("=", "+", "-", "@")) else text
