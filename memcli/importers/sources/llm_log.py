"""llm log importer: logs.db of `llm`, with threads and turns since 0.32, conversations and responses before.

An upgraded log has both; a row that was written twice has the same id.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

from memcli.errors import BadInput
from memcli.importers import fields
from memcli.importers.files import files_of
from memcli.importers.records import Cleared, Only, Problem, Record, Turn
from memcli.importers.source import Source
from memcli.importers.sqlite_file import opened_database, tables_of

_NEWER = """
    SELECT t.id, coalesce(t.thread_id, t.id), h.name, t.model, t.datetime_utc, s.prompt, s.response
    FROM turns t LEFT JOIN turn_search s ON s.turn_id = t.id LEFT JOIN threads h ON h.id = t.thread_id
    ORDER BY 2, t.datetime_utc, t.id
"""
_OLDER = """
    SELECT r.id, coalesce(r.conversation_id, r.id), c.name, r.model, r.datetime_utc, r.prompt, r.response
    FROM responses r LEFT JOIN conversations c ON c.id = r.conversation_id
    {others} ORDER BY 2, r.datetime_utc, r.id
"""
_NOT_BOTH = "WHERE r.id NOT IN (SELECT id FROM turns)"


def _wanted(name: str) -> bool:
    return name.rsplit("/", 1)[-1] == "logs.db"


def guess(path: Path) -> bool:
    """True if it is a database with such tables."""
    tables = tables_of(path)
    return {"turns", "threads"} <= tables or {"responses", "conversations"} <= tables


def read(path: Path, only: Only, _: Cleared) -> Iterator[Record]:
    """Yield the prompt and the answer of each response."""
    some = False
    for file in files_of(path, _wanted, only):
        some = True
        yield from [file] if isinstance(file, Problem) else _log(Path(file.place))
    if not some:
        raise BadInput("holds not a log of llm; `llm logs path` says where that is", about=path)


def _log(path: Path) -> Iterator[Record]:
    tables = tables_of(path)
    if not guess(path):
        raise BadInput("not a log of llm; `llm logs path` says where that is", about=path)
    with opened_database(path) as database:
        newer = {"turns", "threads", "turn_search"} <= tables
        if {"responses", "conversations"} <= tables:
            yield from _turns(path, database, _OLDER.format(others=_NOT_BOTH if newer else ""))
        if newer:
            yield from _turns(path, database, _NEWER)


def _turns(path: Path, database: sqlite3.Connection, query: str) -> Iterator[Record]:
    for row in database.execute(query):
        turn_id, thread, name, model, at, prompt, response = (
            each if isinstance(each, str) else "" for each in row
        )
        place, data = f"{path}: {turn_id:.60}", {"model": model} if model else {}
        when = fields.told_time("datetime_utc", at)
        for what, role, text in (("prompt", "user", prompt), ("response", "assistant", response)):
            if text.strip():
                told = data if role == "assistant" else {}
                yield Turn(place, thread, name, f"{turn_id}/{what}", role, text.strip(), when, told)


SOURCE = Source(
    "llm",
    "The log of `llm` (logs.db), before and after 0.32.",
    guess,
    suffix=".db",
    wants=_wanted,
    read_path=read,
)
