"""Check of a store in a database: server, extension, schema, derived data against memories, indexes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from memcli.storage.postgres import near
from memcli.storage.postgres.connection import Connection
from memcli.storage.postgres.schema import (
    LEAST_SERVER,
    LEAST_VECTOR,
    SCHEMA_VERSION,
    SPACED,
    vector_version,
)
from memcli.storage.reports import UNREAD, Finding
from memcli.text.counting import counted

_REINDEX = "run `mem reindex`"
# The share of dead rows beyond which autovacuum does not keep up, and the number below which they are
# ignored: it runs once a minute (autovacuum_naptime), and a batch just written, or undone, leaves a few
# thousand.
_BLOAT, _FEW = 0.3, 10_000


def check_store(db: Connection) -> Iterator[Finding]:
    """Yield every finding about the database, good ones too, except on damaged rows. Changes nothing."""
    [(number, version)] = _rows(
        db, "SELECT current_setting('server_version_num')::int, current_setting('server_version')"
    )
    yield Finding("server", number >= LEAST_SERVER, f"PostgreSQL {version}", "upgrade the server")
    [(vector,)] = _rows(db, "SELECT extversion FROM pg_extension WHERE extname = 'vector'")
    sound = vector_version(vector) >= LEAST_VECTOR
    yield Finding("extension", sound, f"pgvector {vector}", "ALTER EXTENSION vector UPDATE")
    [(schema,)] = _rows(db, "SELECT max(number) FROM memcli.migrations")
    yield Finding("schema", schema == SCHEMA_VERSION, f"version {schema}", "upgrade memcli")
    [(isolation,)] = _rows(db, "SHOW transaction_isolation")
    yield Finding("isolation", ok=True, detail=f"{isolation}; one writer at a time")
    yield _durability(db)
    yield from _indexes(db)
    yield from _derived(db)
    yield _walls(db)
    yield _bloat(db)


def _rows(db: Connection, sql: str, values: Any = None) -> list[Any]:
    return db.execute(sql.encode(), values).fetchall()


def _durability(db: Connection) -> Finding:
    [(fsync, commit)] = _rows(db, "SELECT current_setting('fsync'), current_setting('synchronous_commit')")
    sound = fsync == "on" and commit != "off"
    detail = f"fsync {fsync}, synchronous_commit {commit}"
    return Finding("durability", sound, detail, "a power cut may lose acknowledged writes: turn both on")


def _indexes(db: Connection) -> Iterator[Finding]:
    broken = _rows(
        db,
        "SELECT c.relname FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid "
        "WHERE c.relnamespace = 'memcli'::regnamespace AND NOT i.indisvalid",
    )
    names = ", ".join(row[0] for row in broken)
    yield Finding("indexes", not broken, names or "valid", _REINDEX)
    large = _rows(
        db,
        "SELECT v.space, v.number, n.name IS NOT NULL FROM (SELECT space, model, count(*) AS number "
        "FROM memcli.vectors WHERE model IN (SELECT number FROM memcli.models WHERE in_use) "
        "GROUP BY space, model HAVING count(*) > %s) v "
        "LEFT JOIN memcli.near_indexes n ON (n.space, n.model) = (v.space, v.model)",
        (near.EXACT,),
    )
    without = [space for space, _, has_index in large if not has_index]
    detail = f"large spaces without one: {', '.join(without)}" if without else f"{len(large)} large spaces"
    yield Finding("nearness index", not without, detail, "run `mem consolidate`, which builds it")


def _derived(db: Connection) -> Iterator[Finding]:
    for name, one, many, sql in (
        (
            UNREAD, "memory without vectors", "memories without vectors",
            "SELECT count(*) FROM memcli.memories m WHERE NOT EXISTS (SELECT 1 FROM memcli.vectors v "
            "JOIN memcli.models o ON o.number = v.model AND o.in_use "
            "WHERE (v.space, v.memory) = (m.space, m.seq))",
        ),
        (
            "vectors", "memory without vectors that is not listed as that",
            "memories without vectors that are not listed as that",
            "SELECT count(*) FROM memcli.memories m WHERE NOT EXISTS (SELECT 1 FROM memcli.vectors v "
            "JOIN memcli.models o ON o.number = v.model AND o.in_use "
            "WHERE (v.space, v.memory) = (m.space, m.seq)) AND NOT EXISTS "
            "(SELECT 1 FROM memcli.wanting w WHERE (w.space, w.memory) = (m.space, m.seq))",
        ),
        (
            "words", "word that is counted wrongly", "words that are counted wrongly",
            "SELECT count(*) FROM (SELECT space, word, count(*) AS number FROM memcli.memories m, "
            "unnest(tsvector_to_array(m.words)) word WHERE left(word, 1) <> '=' GROUP BY space, word "
            "UNION ALL SELECT space, '', count(*) FROM memcli.memories GROUP BY space) held "
            "FULL JOIN (SELECT * FROM memcli.word_counts WHERE number <> 0) told USING (space, word) "
            "WHERE held.number IS DISTINCT FROM told.number",
        ),
    ):  # fmt: skip
        [(number,)] = _rows(db, sql)
        yield Finding(name, not number, counted(number, one, many) if number else f"no {many}", _REINDEX)


def _walls(db: Connection) -> Finding:
    """Return the finding on whether the server enforces the walls of spaces: see `mem space grant`."""
    open_ones = _rows(
        db,
        "SELECT relname FROM pg_class WHERE relnamespace = 'memcli'::regnamespace AND relname = ANY(%s) "
        "AND NOT (relrowsecurity AND relforcerowsecurity)",
        (list(SPACED),),
    )
    if len(open_ones) == len(SPACED):
        return Finding(
            "walls", ok=True, detail="no role has been granted a space: whoever connects sees all of them"
        )
    names = ", ".join(row[0] for row in open_ones)
    return Finding("walls", not open_ones, names or "forced on every table", "run `mem space grant` again")


def _bloat(db: Connection) -> Finding:
    found = _rows(
        db,
        "SELECT relname, n_dead_tup FROM pg_stat_user_tables WHERE schemaname = 'memcli' "
        "AND n_dead_tup > %s AND n_dead_tup > %s * (n_live_tup + n_dead_tup)",
        (_FEW, _BLOAT),
    )
    detail = ", ".join(f"{name}: {dead} dead rows" for name, dead in found)
    return Finding("bloat", not found, detail or "few dead rows", "VACUUM these tables; look at autovacuum")
