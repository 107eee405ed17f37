"""Derived data compared with its source: words, tags, names of links, the schema itself.

The signs of vectors are compared where they are made, in `tables.signs`.

Each comparison is of content, not of numbers, so that a flipped bit in a word is found. All of it is
rebuilt by `Store.rebuild`, the indexes by SQLite's REINDEX.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import sqlcipher3.dbapi2 as sqlite

from memcli.named_tuple import NamedTuple
from memcli.storage.digests import printed
from memcli.storage.sqlite.file.opening import open_database
from memcli.storage.sqlite.tables.digests import undecoded
from memcli.storage.sqlite.tables.migrations import migrations
from memcli.storage.sqlite.tables.schema import SCHEMA_VERSION
from memcli.text import words
from memcli.text.naming import names

# An autoincrement beyond this comes from a flipped bit; SQLite would soon refuse another row.
_MANY = 2**53


def wrong_words(db: sqlite.Connection) -> Iterator[object]:
    """Yield the ids of memories whose words are not those of their text; numbers if there is no memory."""
    sql = (
        "SELECT m.id, m.text, m.tags, w.words FROM memories m LEFT JOIN memory_words w ON w.memory = m.seq "
        "UNION ALL SELECT w.memory, NULL, NULL, w.words FROM memory_words w "
        "WHERE w.memory NOT IN (SELECT seq FROM memories)"
    )
    with undecoded(db):
        for name, text, tags, held in db.execute(sql):
            try:
                wanted = words.index_text(text, tuple(json.loads(tags)))
            except (ValueError, TypeError, AttributeError):
                wanted = None  # the text or the tags are damaged, which the row's digest reports
            if held is None or (held != wanted and (wanted is not None or text is None)):
                yield name


def wrong_tags(db: sqlite.Connection) -> Iterator[object]:
    """Yield the ids of memories whose indexed tags are wrong; numbers if there is no memory."""
    sql = "SELECT m.seq, m.id, m.tags FROM memories m WHERE m.tags <> '[]'"
    with undecoded(db):
        found: dict[int, set[Any]] = {}
        for memory, tag in db.execute("SELECT memory, tag FROM memory_tags"):
            found.setdefault(memory, set()).add(tag)
        for seq, name, tags in db.execute(sql):
            try:
                wanted = set(json.loads(tags))
            except (ValueError, TypeError):
                wanted = found.get(seq, set())
            if found.pop(seq, set()) != wanted:
                yield name
    yield from found


def wrong_names(db: sqlite.Connection) -> Iterator[object]:
    """Yield the ids of links whose indexed names are not those of their ends."""
    with undecoded(db):
        found: dict[Any, set[Any]] = {}
        for link, space, name in db.execute("SELECT link, space, name FROM link_names"):
            found.setdefault(link, set()).add((space, name))
        for link, space, *ends in db.execute("SELECT id, space, subject, object FROM links"):
            here = found.pop(link, set())
            legible = all(isinstance(end, str) for end in ends)
            if legible and here != {(space, names.spelling_key(end)) for end in ends}:
                yield link
    yield from found


def wrong_schema(db: sqlite.Connection) -> Iterator[str]:
    """Yield parts of the schema that are missing or changed, by kind and name; and foreign triggers.

    A trigger on a table of memcli's writes whenever memcli does. Other additions are reported by
    `added_objects`. Comments and spaces are not compared.
    """
    with undecoded(db):
        there = {row[:2]: row[2:] for row in db.execute(_OBJECTS)}
        steps = set(db.execute(_STEPS))
        sequence = db.execute("SELECT seq FROM sqlite_sequence WHERE name = 'history'").fetchall()
        [(last,)] = db.execute("SELECT coalesce(max(number), 0) FROM history")
    wanted = reference()
    for (kind, name), (table, sql) in wanted.objects.items():
        held = there.get((kind, name))
        if held is None or held[0] != table or _essence(held[1]) != _essence(sql):
            yield f"{kind} {name}"
    yield from (f"migration {name}" for group, name in wanted.steps if (group, name) not in steps)
    yield from (f"{FOREIGN} {printed(name)} on {printed(table)}" for name, table in foreign_triggers(db))
    for (number,) in sequence:
        if not (isinstance(number, int) and last <= number < _MANY):
            yield "the last number of history"


# The kind name for a trigger on memcli's tables that is not memcli's.
FOREIGN = "foreign trigger"


def foreign_triggers(db: sqlite.Connection) -> list[tuple[str, str]]:
    """Return the names of triggers on memcli's tables that are not memcli's, with the table."""
    wanted = reference().objects
    tables = {name.casefold() for kind, name in wanted if kind == "table"}
    with undecoded(db):
        there = db.execute("SELECT name, tbl_name FROM sqlite_master WHERE type = 'trigger'").fetchall()
    return [
        (str(name), str(table))
        for name, table in there
        if ("trigger", name) not in wanted and str(table).casefold() in tables
    ]


def added_objects(db: sqlite.Connection) -> list[str]:
    """Return what others have added to the file that does not affect memcli: by kind and name."""
    wanted = reference().objects
    on_ours = {("trigger", name) for name, _ in foreign_triggers(db)}
    with undecoded(db):
        there = [row[:2] for row in db.execute(_OBJECTS)]
    added = [each for each in there if each not in wanted and each not in on_ours]
    return [f"{printed(kind)} {printed(name)}" for kind, name in added]


_OBJECTS = "SELECT type, name, tbl_name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'"
_STEPS = "SELECT migration_set, name FROM _sqlite_migrations"


class Reference(NamedTuple):
    """The schema of a new store: each object with its table and SQL, and each migration."""

    objects: dict[tuple[str, str], tuple[str, str]]
    steps: list[tuple[str, str]]


def reference() -> Reference:
    """Return the schema that all stores of this version have."""
    from sqlite_utils import Database

    with closing(open_database(Path(":memory:"))) as db:
        migrations().apply(Database(db, execute_plugins=False))
        return Reference({row[:2]: row[2:] for row in db.execute(_OBJECTS)}, db.execute(_STEPS).fetchall())


def is_newer(db: sqlite.Connection) -> bool:
    """True if a newer memcli wrote the file: by its migrations, or by its number and an unknown schema.

    A number alone may be a flipped bit: that is repaired if all else is as it is made here. Missing objects
    prove nothing; unknown ones would be lost.
    """
    wanted = reference()
    [(version,)] = db.execute("PRAGMA user_version")
    with undecoded(db):
        there = {row[:2]: row[2:] for row in db.execute(_OBJECTS)}
        if version > SCHEMA_VERSION and any(
            _essence(held[1]) != _essence(wanted.objects.get(name, ("", None))[1])
            for name, held in there.items()
        ):
            return True
        here = set(db.execute(_STEPS))
    known = set(wanted.steps)
    return known <= here and any(group == "memcli" for group, _ in here - known)


def _essence(sql: Any) -> str:
    """Return SQL without comments and spaces; "" for what is no text."""
    if not isinstance(sql, str):
        return ""
    return "".join(re.sub(r"--[^\n]*|/\*.*?\*/", " ", sql, flags=re.DOTALL).split())
