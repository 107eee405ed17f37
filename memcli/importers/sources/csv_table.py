"""CSV importer: a table of statements with a header row, memcli's own export or any other.

Cells are separated by commas, semicolons or tabs. Of memcli's own export, ended memories are not imported,
and the others keep all that the columns hold except how they came to be known.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path, PurePath
from typing import Any, cast, get_args

from memcli.errors import BadInput
from memcli.importers import fields
from memcli.importers.files import File, head_of
from memcli.importers.json_stream import read_value
from memcli.importers.markdown import text_id
from memcli.importers.records import Problem, Record, Statement
from memcli.importers.source import Source
from memcli.model import FIELD_NAMES, Kind

_TEXT = ("text", "memory", "content", "statement", "fact", "note", "observation")
_AT = ("happened_at", "at", "created_at", "created", "date", "time", "timestamp")
# The line by which a spreadsheet declares its cell separator.
_SEPARATOR = re.compile(r'"?sep=([,;\t|])"?\r?\n', re.IGNORECASE)
_FEWEST_CHARS = 1 << 24


def _wanted(name: str) -> bool:
    return name.lower().endswith((".csv", ".tsv"))


def guess(path: Path) -> bool:
    """True if the file name ends with .csv or .tsv."""
    return path.is_file() and _wanted(path.name)


def has_text(path: Path) -> bool:
    """True if the first line of a table names a text column."""
    head = head_of(path).decode("utf-8-sig", "replace")
    names = re.split(r"[,;\t]", _SEPARATOR.sub("", head, count=1).split("\n", 1)[0])
    return any(name.strip().strip('"').lower() in _TEXT for name in names)


def is_own_table(head: str) -> bool:
    """True if a text begins like memcli's own CSV export: with its column names."""
    return head.removeprefix("\ufeff").split("\n", 1)[0].strip() == ",".join(FIELD_NAMES)


def read_table(file: File) -> Iterator[Record]:
    """Yield a statement for each row of one table."""
    try:
        yield from _rows(file)
    except csv.Error as error:
        raise BadInput(str(error)) from error


def _rows(file: File) -> Iterator[Record]:
    text = file.whole()
    told = _SEPARATOR.match(text)
    head = text.split("\n", 1)[0]
    delimiter = told[1] if told else max(",;\t", key=head.count)
    csv.field_size_limit(_FEWEST_CHARS)
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    if told:
        next(rows)
    names = [name.strip().lower() for name in next(rows, [])]
    column = next((name for name in _TEXT if name in names), None)
    if column is None:
        raise BadInput(
            f"no column holds the text; one must be called one of {', '.join(_TEXT)} in the first line"
        )
    if text.count('"') % 2:
        yield Problem(file.place, "a quote is opened and not closed: what follows it is taken for one cell")
    for row in rows:
        if not any(cell.strip() for cell in row):
            continue
        place = f"{file.place}: line {rows.line_num}"
        if len(row) != len(names):
            yield Problem(place, f"{len(row)} columns, and the first line names {len(names)}")
            continue
        cells = dict(zip(names, row, strict=True))
        if not cells.get("ended_at"):
            yield _record(cells, column, file, place)


def _record(cells: Mapping[str, str], column: str, file: File, place: str) -> Record:
    own = "ended_at" in cells
    text = _unescaped(cells[column]).strip() if own else cells[column].strip()
    if not text:
        return Problem(place, f"no {column!r}")
    kind = cells.get("kind", "").strip().lower()
    at = fields.when(cells, *_AT)
    # A row of memcli's own export says whether it is trusted.
    trusted = cells.get("trusted", "").strip().lower() not in ("false", "0", "no")
    tags = _own_tags(_unescaped(cells.get("tags", ""))) if own else cells.get("tags")
    number = cells.get("id", "").strip()
    if number and not own:
        # Ids of other programs may be mere row numbers, so they get the file's name (without its folder).
        number = f"{PurePath(file.place).name}:{number}"
    found = Statement(
        place, number or text_id(text), text,
        cast(Kind, kind) if kind in get_args(Kind) else None, fields.tags(tags), at, trusted,
        changed=file.date(),
    )  # fmt: skip
    if not own:
        read = (column, "kind", "tags" if found.tags else "category", "id", "trusted", *_AT)
        others = {name: cell for name, cell in cells.items() if name and name not in read and cell.strip()}
        return found._replace(tags=found.tags or fields.tags(cells.get("category")), data=others)
    return found._replace(
        confidence=_fraction(cells, "confidence"), importance=_fraction(cells, "importance"),
        valid_from=fields.when(cells, "valid_from"),
        valid_until=fields.when(cells, "valid_until"),
        session=_unescaped(cells.get("session", "")).strip() or None, data=_data(cells),
        expires_at=fields.when(cells, "expires_at"),
        space=_unescaped(cells.get("space", "")).strip() or None,
    )  # fmt: skip


def _own_tags(cell: str) -> list[Any]:
    """Return tags as memcli writes them: separated by spaces, or a JSON list."""
    if cell.startswith("["):
        with suppress(BadInput):
            if isinstance(found := read_value(cell), list):
                return found
    return cell.split()


def _fraction(cells: Mapping[str, str], name: str) -> float | None:
    """Return a number from 0 to 1; None if the cell holds none, so that the default applies."""
    try:
        number = float(cells.get(name, ""))
    except ValueError:
        return None
    return number if 0 <= number <= 1 else None


def _data(cells: Mapping[str, str]) -> dict[str, Any]:
    """Return the kind-specific data: who spoke, or a procedure's steps."""
    try:
        data = read_value(cells.get("data") or "{}")
    except BadInput:
        return {}
    return data if isinstance(data, dict) else {}


def _unescaped(cell: str) -> str:
    """Return a cell without the apostrophe that memcli's export puts before what a spreadsheet would run."""
    return cell[1:] if cell.startswith("'") and cell[1:2] in ("=", "+", "-", "@") else cell


SOURCE = Source(
    "csv", "A CSV table with a column `text`; memcli's own, too.", guess, read_table, ".csv", _wanted
)
