"""Migrations from older files to the current schema.

Each migration is one transaction, is never edited once released, and is followed by an increment of `PRAGMA
user_version`, by which a command knows in microseconds that nothing is to be done. `db.execute()` per
statement, never `executescript()`: the latter would survive the rollback.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcli.storage.sqlite.tables.schema import (
    CLOCKS,
    CORE,
    DERIVED,
    DIGESTS,
    ENDINGS,
    LINK_NAMES,
    SIGNS,
    VIEWS,
    WANTING,
)
from memcli.text.naming import names

if TYPE_CHECKING:
    from sqlite_utils.db import Database
    from sqlite_utils.migrations import Migrations


def _m001_memories_links_states_history(db: Database) -> None:
    for statement in (*CORE, *DERIVED):
        db.execute(statement)


def _m002_changes_have_ids(db: Database) -> None:
    # All changes of one command share an id (ULID) and are undone together. NULL: from before this migration.
    db.execute("ALTER TABLE history ADD COLUMN change TEXT")
    db.execute("CREATE INDEX history_by_change ON history (change) WHERE change IS NOT NULL")


def _m003_liveness_is_in_the_index(db: Database) -> None:
    # The index covers every column that says whether a memory is live: every recall asks that, and need not
    # read the rows, with their long texts.
    db.execute("DROP INDEX memories_by_space")
    db.execute("CREATE INDEX memories_by_space ON memories (space, ended_at, kind, expires_at, valid_until)")


def _m004_links_are_found_by_name_whatever_its_case(db: Database) -> None:
    for statement in LINK_NAMES:
        db.execute(statement)
    for link, space, *ends in db.execute("SELECT id, space, subject, object FROM links").fetchall():
        for name in {names.spelling_key(end) for end in ends}:
            db.execute("INSERT INTO link_names (space, name, link) VALUES (?, ?, ?)", (space, name, link))


def _m005_how_a_memory_ended_and_what_an_undo_undid(db: Database) -> None:
    from memcli.storage.sqlite.tables.old_records import fill_in

    for statement in ENDINGS:
        db.execute(statement)
    fill_in(db)
    for view, statement in VIEWS.items():
        db.execute(f"DROP VIEW IF EXISTS {view}")
        db.execute(statement)


def _m006_what_has_no_vectors_yet_is_listed(db: Database) -> None:
    for statement in WANTING:
        db.execute(statement)


def _m007_each_row_has_a_digest(db: Database) -> None:
    from memcli.storage.digests import ALL
    from memcli.storage.sqlite.tables.digests import write_digests
    from memcli.storage.sqlite.tables.old_records import derive_anew, move_questions

    for statement in DIGESTS:
        db.execute(statement)
    move_questions(db)
    derive_anew(db)
    for digest in ALL:
        write_digests(db.conn, digest)


def _m008_clocks_of_records(db: Database) -> None:
    for statement in CLOCKS:
        db.execute(statement)


def _m009_signs_of_vectors(db: Database) -> None:
    from memcli.storage.sqlite.tables.signs import write_signs

    for statement in SIGNS:
        db.execute(statement)
    write_signs(db.conn)


_MIGRATIONS = (
    _m001_memories_links_states_history,
    _m002_changes_have_ids,
    _m003_liveness_is_in_the_index,
    _m004_links_are_found_by_name_whatever_its_case,
    _m005_how_a_memory_ended_and_what_an_undo_undid,
    _m006_what_has_no_vectors_yet_is_listed,
    _m007_each_row_has_a_digest,
    _m008_clocks_of_records,
    _m009_signs_of_vectors,
)


def migrations() -> Migrations:
    """Return the ordered set of migrations; imports sqlite-utils, so call it only if one is due."""
    from sqlite_utils.migrations import Migrations

    steps = Migrations("memcli")
    for migration in _MIGRATIONS:
        steps(name=migration.__name__.removeprefix("_"))(migration)
    return steps
