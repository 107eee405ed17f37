"""Looking a SQLite store over: integrity, derived data against memories, sizes."""

from __future__ import annotations

import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import sqlcipher3.dbapi2 as sqlite

from memcli.storage import Finding
from memcli.storage.sqlite.file import load_vector_functions, schema_version
from memcli.storage.sqlite.schema import SCHEMA_VERSION

_REINDEX = "run `mem reindex`"
_RESTORE = "go back to a backup, or `mem export` what can still be read"


def check_store(db: sqlite.Connection, path: Path) -> Iterator[Finding]:
    """Every finding about the open store, the good ones too. Changes nothing."""
    options = {row[0] for row in db.execute("PRAGMA compile_options")}
    yield Finding(
        "driver", "ENABLE_FTS5" in options,
        f"sqlcipher3 {sqlite.version}, SQLite {sqlite.sqlite_version}",
        "reinstall: pip install --force-reinstall sqlcipher3",
    )  # fmt: skip
    yield _extension(db)
    version = schema_version(db)
    yield Finding("schema", version == SCHEMA_VERSION, f"version {version}", "upgrade memcli")
    mode = _one(db, "PRAGMA journal_mode")
    # A copy of what may only be read keeps no log.
    yield Finding(
        "journal", mode in ("wal", "memory"), str(mode), "close every program that has the file open"
    )
    yield from _permissions(path)
    yield from _integrity(db)


def _extension(db: sqlite.Connection) -> Finding:
    remedy = "reinstall: pip install --force-reinstall sqlite-vec"
    try:
        load_vector_functions(db)
        return Finding("sqlite-vec", True, str(_one(db, "SELECT vec_version()")))
    except (ImportError, AttributeError, sqlite.Error) as error:
        return Finding("sqlite-vec", False, f"cannot be loaded: {error}", remedy)


def _permissions(path: Path) -> Iterator[Finding]:
    if sys.platform == "win32":
        return  # the folder's access list decides there, and it is the owner's profile
    for each in (path, path.with_name(path.name + "-wal")):
        if each.exists():
            mode = stat.S_IMODE(each.stat().st_mode)
            yield Finding("permissions", not mode & 0o077, f"{each.name} {mode:04o}", f"chmod 600 {each}")


def _integrity(db: sqlite.Connection) -> Iterator[Finding]:
    def sound(name: str, sql: str, remedy: str) -> Finding:
        try:
            said = [str(row[0]) for row in db.execute(sql)]
        except sqlite.Error as error:
            return Finding(name, False, str(error), remedy)
        well = said in ([], ["ok"])
        return Finding(name, well, "sound" if well else "; ".join(said[:3]), remedy)

    def none(name: str, what: str, sql: str, remedy: str = _REINDEX) -> Finding:
        try:
            number = _one(db, sql)
        except sqlite.Error as error:
            return Finding(name, False, str(error), remedy)
        return Finding(name, not number, f"{number} {what}" if number else f"no {what}", remedy)

    yield sound("tables", "PRAGMA integrity_check", _RESTORE)
    yield sound("references", "PRAGMA foreign_key_check", _REINDEX)
    yield _words_agree(db)
    yield none(
        "words", "memories without words",
        "SELECT count(*) FROM memories WHERE seq NOT IN (SELECT memory FROM memory_words)",
    )  # fmt: skip
    yield none(
        "tags", "memories whose tags are not indexed",
        "SELECT count(*) FROM memories m WHERE (SELECT count(*) FROM json_each(m.tags)) <> "
        "(SELECT count(*) FROM memory_tags t WHERE t.memory = m.seq)",
    )  # fmt: skip
    yield none(
        "links", "links that are not found by name",
        "SELECT count(*) FROM links WHERE id NOT IN (SELECT link FROM link_names)",
    )  # fmt: skip
    yield none(
        "vectors", "memories without vectors",
        "SELECT count(*) FROM memories WHERE seq NOT IN (SELECT memory FROM vectors v "
        "JOIN models o ON o.number = v.model AND o.in_use)",
    )  # fmt: skip
    # No fault: they are read to their end as time allows.
    begun = _one(db, "SELECT count(*) FROM wanting WHERE memory IN (SELECT memory FROM vectors)")
    if begun:
        yield Finding("vectors", True, f"{begun} long memories with those of their beginning so far")
    yield none(
        "vectors", "vectors of a wrong width",
        "SELECT count(*) FROM vectors v JOIN models o ON o.number = v.model "
        "WHERE length(v.vector) <> 4 * o.dimensions",
    )  # fmt: skip


def _words_agree(db: sqlite.Connection) -> Finding:
    try:
        # FTS5's own check of the index against memory_words; takes a write lock for an instant.
        db.execute("INSERT INTO word_index (word_index, rank) VALUES ('integrity-check', 1)")
        return Finding("word index", True, "agrees with the memories")
    except sqlite.Error as error:
        return Finding("word index", False, str(error), _REINDEX)


def sizes(db: sqlite.Connection, path: Path) -> dict[str, int]:
    """Bytes on disk: the file, its write-ahead log, and its greater parts."""
    file = path.stat().st_size
    wal = path.with_name(path.name + "-wal")
    log = wal.stat().st_size if wal.exists() else 0
    free = _one(db, "PRAGMA freelist_count") * _one(db, "PRAGMA page_size")
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
