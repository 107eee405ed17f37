"""Check of a SQLite store: integrity, derived data against memories, sizes."""

from __future__ import annotations

import stat
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import sqlcipher3.dbapi2 as sqlite

from memcli.storage.digests import printed
from memcli.storage.reports import NOT_OF_A_COPY, UNREAD, Finding
from memcli.storage.sqlite.checks.derived import (
    added_objects,
    wrong_names,
    wrong_schema,
    wrong_tags,
    wrong_words,
)
from memcli.storage.sqlite.file.database_file import load_vector_functions, schema_version
from memcli.storage.sqlite.file.opening import salt_of
from memcli.storage.sqlite.tables.digests import damaged_rows, undecoded
from memcli.storage.sqlite.tables.schema import APPLICATION_ID, SCHEMA_VERSION
from memcli.storage.sqlite.tables.signs import wrong_signs
from memcli.text.counting import counted

_REINDEX = "run `mem reindex`"
_REPAIR = "run `mem doctor --repair`"
_NO_DAMAGE = (sqlite.SQLITE_BUSY, sqlite.SQLITE_LOCKED, sqlite.SQLITE_FULL, sqlite.SQLITE_NOMEM)
# How long (seconds) a checkpoint takes to write a page at most.
_CHECKPOINT = 0.3
# How many names one line lists; --json has all.
_NAMED = 8


def check_store(db: sqlite.Connection, path: Path) -> Iterator[Finding]:
    """Yield every finding about the open store, good ones too. Changes nothing.

    Raises SQLite's error if another process is in the way: that is no damage.
    """
    options = {row[0] for row in db.execute("PRAGMA compile_options")}
    yield Finding(
        "driver", "ENABLE_FTS5" in options,
        f"sqlcipher3 {sqlite.version}, SQLite {sqlite.sqlite_version}",
        "reinstall: pip install --force-reinstall sqlcipher3",
    )  # fmt: skip
    yield _extension(db)
    mode = _one(db, "PRAGMA journal_mode")
    # A scratch copy of a read-only store has no write-ahead log.
    yield Finding(
        "journal",
        mode in ("wal", "memory"),
        str(mode),
        "the next command that writes has the log back, or `mem doctor --repair`",
    )
    yield from _permissions(path)
    yield from _encryption(db, path)
    yield from check_content(db)


def faults_of_copy(db: sqlite.Connection, path: Path) -> Iterator[Finding]:
    """Yield the faults of an open copy of a store: one with any is not restored."""
    return (each for each in check_store(db, path) if not each.ok and each.name not in NOT_OF_A_COPY)


def check_content(db: sqlite.Connection) -> Iterator[Finding]:
    """Yield findings on whether an open store (or a copy) holds what memcli wrote, as of one instant."""
    # Before the read transaction begins, since it takes a write lock for an instant.
    agree = _words_agree(db)
    inside = db.in_transaction
    if not inside:
        db.execute("BEGIN")
    try:
        yield _schema(db)
        yield from _added(db)
        yield from _integrity(db)
        yield _rows(db)
        yield agree
        yield from _derived(db)
    finally:
        if not inside and db.in_transaction:
            db.execute("ROLLBACK")


def _extension(db: sqlite.Connection) -> Finding:
    remedy = "reinstall: pip install --force-reinstall sqlite-vec"
    try:
        load_vector_functions(db)
        return Finding("sqlite-vec", ok=True, detail=str(_one(db, "SELECT vec_version()")))
    except (ImportError, AttributeError, sqlite.Error) as error:
        return Finding("sqlite-vec", ok=False, detail=f"cannot be loaded: {error}", remedy=remedy)


def _permissions(path: Path) -> Iterator[Finding]:
    if sys.platform == "win32":
        return  # the folder's access list decides there, and it is the owner's profile
    for each in (path, path.with_name(path.name + "-wal")):
        if each.exists():
            mode = stat.S_IMODE(each.stat().st_mode)
            yield Finding("permissions", not mode & 0o077, f"{each.name} {mode:04o}", f"chmod 600 {each}")


def _encryption(db: sqlite.Connection, path: Path) -> Iterator[Finding]:
    """Yield a finding on an encrypted store's pages: each must match its authentication code."""
    if salt_of(path) is None:
        return
    wrong = _wrong_pages(db)
    if wrong:
        # During a checkpoint of another process a page may be half written, so look twice.
        time.sleep(_CHECKPOINT)
        wrong &= _wrong_pages(db)
    detail = (
        "; ".join(sorted(wrong)[:3]) or f"SQLCipher {_one(db, 'PRAGMA cipher_version')}, every page is sound"
    )
    yield Finding("encryption", not wrong, detail, _REPAIR, bool(wrong))


def _wrong_pages(db: sqlite.Connection) -> set[str]:
    return {str(row[0]) for row in db.execute("PRAGMA cipher_integrity_check")}


def _schema(db: sqlite.Connection) -> Finding:
    version, application = schema_version(db), _one(db, "PRAGMA application_id")
    if version != SCHEMA_VERSION:
        return Finding("schema", ok=False, detail=f"version {version}", remedy="upgrade memcli")
    if application != APPLICATION_ID:
        return Finding(
            "schema",
            ok=False,
            detail="the file does not say that it is a memcli store",
            remedy=_REPAIR,
            damage=True,
        )
    return _each_sound("schema", f"version {version}", "is not as memcli makes it", lambda: wrong_schema(db))


def _added(db: sqlite.Connection) -> Iterator[Finding]:
    """Yield a finding on objects that somebody added to the file, which is allowed, but should be known."""
    try:
        added = added_objects(db)
    except sqlite.Error as error:
        _words_of(error)
        return  # an unreadable schema is reported already
    if added:
        named = ", ".join(added[:_NAMED]) + (", …" if len(added) > _NAMED else "")
        yield Finding("schema", ok=True, detail=f"not memcli's, and left alone: {named}", rows=tuple(added))


def _integrity(db: sqlite.Connection) -> Iterator[Finding]:
    for name, sql in (("tables", "PRAGMA integrity_check"), ("references", "PRAGMA foreign_key_check")):
        try:
            with undecoded(db):
                said = [" ".join(str(row[0]).split()) for row in db.execute(sql)]
        except sqlite.Error as error:
            said = [_words_of(error)]
        well = said in ([], ["ok"])
        detail = "sound" if well else "; ".join(dict.fromkeys(said[:3]))
        yield Finding(name, well, detail, _REPAIR, not well)


def _rows(db: sqlite.Connection) -> Finding:
    damaged = (f"{row.kind} {row.name}" for row in damaged_rows(db))
    return _each_sound("rows", "as they were written", "not as memcli wrote it", lambda: damaged)


def _words_agree(db: sqlite.Connection) -> Finding:
    try:
        # FTS5's own check of the index against memory_words takes a write lock for an instant.
        db.execute("INSERT INTO word_index (word_index, rank) VALUES ('integrity-check', 1)")
        return Finding("word index", ok=True, detail="agrees with the memories")
    except sqlite.Error as error:
        return Finding("word index", ok=False, detail=_words_of(error), remedy=_REPAIR, damage=True)


def _derived(db: sqlite.Connection) -> Iterator[Finding]:
    for name, well, ill, wrong in (
        ("words", "those of the texts", "words that are not those of its text", wrong_words),
        ("tags", "found as they are written", "tags that are not found as they are written", wrong_tags),
        ("links", "found by their names", "not found by its names", wrong_names),
        ("signs", "those of the vectors", "of 256 vectors whose signs are not theirs", wrong_signs),
    ):
        yield _each_sound(name, well, ill, partial(_printed, wrong, db))
    for name, one, many, sql, damage in (
        (
            UNREAD,
            "memory without vectors",
            "memories without vectors",
            "SELECT count(*) FROM memories WHERE seq NOT IN (SELECT memory FROM vectors v "
            "JOIN models o ON o.number = v.model AND o.in_use)",
            False,
        ),
        (
            "vectors",
            "vector of a wrong width",
            "vectors of a wrong width",
            "SELECT count(*) FROM vectors v JOIN models o ON o.number = v.model "
            "WHERE typeof(v.vector) <> 'blob' OR length(v.vector) <> 4 * o.dimensions",
            True,
        ),
        (
            "vectors",
            "memory without vectors that is not listed as that",
            "memories without vectors that are not listed as that",
            "SELECT count(*) FROM memories WHERE seq NOT IN (SELECT memory FROM vectors v "
            "JOIN models o ON o.number = v.model AND o.in_use) AND seq NOT IN (SELECT memory FROM wanting)",
            True,
        ),
    ):
        try:
            number = _one(db, sql)
        except sqlite.Error as error:
            yield Finding(name, ok=False, detail=_words_of(error), remedy=_REPAIR, damage=True)
            continue
        detail = counted(number, one, many) if number else f"no {many}"
        yield Finding(name, not number, detail, _REPAIR if damage else _REINDEX, damage and number > 0)
    # No fault: consolidation embeds the rest in time.
    try:
        begun = _one(db, "SELECT count(*) FROM wanting WHERE memory IN (SELECT memory FROM vectors)")
    except sqlite.Error as error:
        _words_of(error)
        return  # the error is reported already
    if begun:
        yield Finding(
            "vectors",
            ok=True,
            detail=f"{counted(begun, 'long memory', 'long memories')} with those of their beginning so far",
        )


def _printed(wrong: Callable[[sqlite.Connection], Iterable[object]], db: sqlite.Connection) -> Iterator[str]:
    return map(printed, wrong(db))


def _each_sound(name: str, well: str, ill: str, wrong: Callable[[], Iterable[str]]) -> Finding:
    """Return a finding about many things, of which `wrong` yields the faulty ones."""
    found: dict[str, None] = {}
    try:
        for each in wrong():
            found[each] = None
    except sqlite.Error as error:
        return Finding(
            name, ok=False, detail=_words_of(error), remedy=_REPAIR, damage=True, rows=tuple(found)
        )
    if not found:
        return Finding(name, ok=True, detail=well)
    named = ", ".join(list(found)[:_NAMED]) + (", …" if len(found) > _NAMED else "")
    return Finding(
        name, ok=False, detail=f"{len(found)} {ill}: {named}", remedy=_REPAIR, damage=True, rows=tuple(found)
    )


def _words_of(error: sqlite.Error) -> str:
    """Return SQLite's message; raise it again if another process, or the disk, is in the way."""
    if getattr(error, "sqlite_errorcode", 0) & 0xFF in _NO_DAMAGE:
        raise error
    return str(error)


def sizes(db: sqlite.Connection, path: Path) -> dict[str, int]:
    """Return bytes on disk: the file, its write-ahead log, and its larger parts."""
    file = path.stat().st_size
    wal = path.with_name(path.name + "-wal")
    log = wal.stat().st_size if wal.exists() else 0
    free = _one(db, "PRAGMA freelist_count") * int(_one(db, "PRAGMA page_size"))
    return {
        "total": file + log,
        "file": file,
        "write_ahead_log": log,
        "free": free,
        "texts": _one(db, "SELECT coalesce(sum(octet_length(text)), 0) FROM memories"),
        "words": _one(db, "SELECT coalesce(sum(octet_length(block)), 0) FROM word_index_data"),
        "vectors": _one(db, "SELECT coalesce(sum(octet_length(vector)), 0) FROM vectors"),
    }


def _one(db: sqlite.Connection, sql: str) -> Any:
    return db.execute(sql).fetchone()[0]
