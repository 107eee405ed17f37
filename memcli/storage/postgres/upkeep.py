"""Upkeep of a store in a database: erasing rows, checks, sizes.

Copies are the operator's: base backups, write-ahead logs, dumps. memcli makes none, knows of none, and says
so.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from memcli.errors import StoreBusy, StoreUnusable
from memcli.messages import Command, message
from memcli.model import Memory
from memcli.storage.digests import HISTORY, LINK, MEMORY, STATE, USE, Digest, digest_of_values, printed
from memcli.storage.postgres.ledger import PostgresLedger
from memcli.storage.postgres.search import PostgresSearch
from memcli.storage.postgres.word_index import WordCounts, count_of, indexed_words
from memcli.storage.reports import CopyErasure, ErasedRows, Erasure, Finding, Trace

if TYPE_CHECKING:
    from memcli.storage.known_copies import CopyKind, StoreCopy
    from memcli.storage.postgres.walls import PostgresWalls
    from memcli.storage.upkeep import Progress

# For each digest, the key by which its rows are read in portions, and the name of a row.
_DAMAGEABLE: tuple[tuple[Digest, tuple[str, ...], str, tuple[str, ...]], ...] = (
    (MEMORY, ("seq",), "memory", ("id",)),
    (USE, ("seq",), "memory", ("id",)),
    (LINK, ("id",), "link", ("id",)),
    (STATE, ("space", "area", "key"), "state", ("area", "key")),
    (HISTORY, ("number",), "history", ("memory",)),
)
_CLEANED = (
    "memories", "vectors", "wanting", "word_counts", "links", "states", "history", "clocks",
)  # fmt: skip


# Seconds between two checks whether readers of an older state have ended.
_LOOK = 0.1


class PostgresUpkeep(PostgresSearch, PostgresLedger):
    """The part of `memcli.storage.Store` about the store as a whole."""

    unreached = (
        "the server's write-ahead log, its replicas, base backups and dumps, which are its operator's: "
        "only rows, indexes and vacuumed pages were looked through"
    )

    # Forgetting for good

    def _delete_rows(self, memories: Sequence[Memory]) -> list[ErasedRows]:
        """Delete every row that belongs to these memories; within the caller's transaction."""
        ids = [each.id for each in memories]
        parts = ("vectors", "memory_words", "memory_tags", "history", "memories", "links")
        if not ids:
            return [ErasedRows(part, 0) for part in parts]
        seqs = list(self.refs_by_id(ids).values())
        counts: WordCounts = {}
        for each in memories:
            count_of(counts, indexed_words(each).each, each.space, -1)
        rows = {
            "links": self._run(
                "DELETE FROM memcli.links WHERE id = ANY(%(ids)s) OR evidence = ANY(%(ids)s) "
                "OR subject = ANY(%(ids)s) OR object = ANY(%(ids)s)",
                {"ids": ids},
            ),
            "vectors": self._run("DELETE FROM memcli.vectors WHERE memory = ANY(%s)", (seqs,)),
            "history": self._run("DELETE FROM memcli.history WHERE memory = ANY(%s)", (ids,)),
            "memories": self._run("DELETE FROM memcli.memories WHERE seq = ANY(%s)", (seqs,)),
            "memory_words": len(memories),
            "memory_tags": sum(len(each.tags) for each in memories),
        }
        self._run("DELETE FROM memcli.clocks WHERE kind = 'memory' AND key = ANY(%s)", (ids,))
        self._count_words(counts)
        for column in ("supersedes", "replaced_by"):
            self._amend_memories({column: None}, f"{column} = ANY(%s)", [ids])
        return [ErasedRows(part, rows[part]) for part in parts]

    def _amend_memories(self, changes: Mapping[str, Any], where: str, values: Sequence[Any]) -> None:
        """Change columns of the memories that match a condition; damaged rows stay recognisable."""
        setting = ", ".join(f"{name} = %s" for name in changes)
        sql = f"SELECT space, seq, digest, {', '.join(MEMORY.covers)} FROM memcli.memories WHERE {where}"
        for space, seq, digest, *row in self._rows(sql, values):
            held = dict(zip(MEMORY.covers, row, strict=True))
            told = digest
            if digest == digest_of_values(MEMORY, row):
                told = digest_of_values(MEMORY, [{**held, **changes}[name] for name in MEMORY.covers])
            self._run(
                f"UPDATE memcli.memories SET {setting}, digest = %s WHERE (space, seq) = (%s, %s)",
                (*changes.values(), told, space, seq),
            )

    def scrub(self, *, thoroughly: bool = False, patience: float | None = None) -> None:
        sql = (
            "SELECT bool_and(pg_has_role(relowner, 'USAGE')) FROM pg_class "
            "WHERE relnamespace = 'memcli'::regnamespace AND relname = ANY(%s)"
        )
        [(is_owner,)] = self._rows(sql, (list(_CLEANED),))
        if not is_owner:
            raise StoreUnusable(
                f"{self.location}: rows are erased, and only the owner of the tables may have their pages "
                "cleaned: any `mem` command as that role does it"
            )
        self._wait_for_readers(self._busy_timeout if patience is None else patience)
        how = "FULL" if thoroughly else "INDEX_CLEANUP ON"
        self._run(f"VACUUM ({how}) {', '.join(f'memcli.{name}' for name in _CLEANED)}")

    def _wait_for_readers(self, patience: float) -> None:
        """Wait for transactions that may still see what was erased, since their rows cannot be vacuumed."""
        deadline = time.monotonic() + patience
        [(since,)] = self._rows("SELECT now()")
        sql = (
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
            "AND backend_type = 'client backend' AND pid <> pg_backend_pid() "
            "AND backend_xmin IS NOT NULL AND xact_start < %s"
        )
        while self._rows(sql, (since,))[0][0]:
            if time.monotonic() > deadline:
                raise StoreBusy(
                    f"{self.location}: another process is reading an older state, so pages still hold "
                    "what was erased",
                    advice="close it",
                )
            time.sleep(_LOOK)

    def traces(self, needles: Sequence[bytes], terms: Sequence[str]) -> list[Trace]:
        # Remaining rows are legitimate, and a server shows nothing but rows and indexes.
        from memcli.storage.postgres.stemming import stemmed

        stems = {stemmed(term): term for term in terms}
        sql = (
            "SELECT DISTINCT word FROM memcli.word_counts w WHERE word = ANY(%s) AND NOT EXISTS "
            "(SELECT 1 FROM memcli.memories m WHERE m.words @@ (quote_literal(w.word))::tsquery)"
        )
        return [Trace("word index", stems[row[0]]) for row in self._rows(sql, (list(stems),))]

    def erase_from_copies(
        self,
        erasure: Erasure,
        *,
        proven: Mapping[str, str] | None = None,
        patience: float | None = None,
        quoting: Callable[[Path], Erasure] | None = None,
    ) -> list[CopyErasure]:
        return []

    # Looking it over

    def check(self) -> Iterator[Finding]:
        from memcli.storage.postgres.check import check_store

        with self._explained():
            yield from check_store(self._db)
        damaged = list(dict.fromkeys(self.damaged()))
        named = ", ".join(damaged[:8]) + (", …" if len(damaged) > 8 else "")
        detail = f"{len(damaged)} not as memcli wrote it: {named}" if damaged else "as they were written"
        yield Finding(
            "rows", not damaged, detail, "restore them from a backup", bool(damaged), tuple(damaged)
        )

    def damaged(
        self, spaces: Sequence[str] | None = None, *, history: bool = True, vectors: bool = True
    ) -> Iterator[str]:
        for digest, key, kind, named in _DAMAGEABLE:
            if digest is HISTORY and not history:
                continue
            columns = (*key, *named, "space", digest.column, *digest.covers)
            sql = f"SELECT {', '.join(columns)} FROM memcli.{digest.table} WHERE TRUE"
            size = len(key) + len(named) + 2
            for row in self._portions(sql, [], key, range(len(key))):
                if row[size - 1] != digest_of_values(digest, row[size:]) and (
                    spaces is None or row[size - 2] in spaces
                ):
                    name = "/".join(printed(each) for each in row[len(key) : len(key) + len(named)])
                    yield f"{kind} {name}{f' line {row[0]}' if digest is HISTORY else ''}"

    def sizes(self) -> dict[str, int]:
        sql = (
            "SELECT c.relname, coalesce(sum(pg_table_size(t.oid)), 0)::bigint, "
            "coalesce(sum(pg_indexes_size(t.oid)), 0)::bigint FROM pg_class c JOIN LATERAL "
            "(SELECT c.oid WHERE c.relkind = 'r' UNION "
            "SELECT inhrelid FROM pg_inherits WHERE inhparent = c.oid) t "
            "ON true WHERE c.relnamespace = 'memcli'::regnamespace AND c.relkind IN ('r', 'p') "
            "AND NOT c.relispartition GROUP BY c.relname"
        )
        parts = {name: (table, index) for name, table, index in self._rows(sql)}
        [(words,)] = self._rows(
            "SELECT coalesce(sum(pg_relation_size(indexrelid)), 0)::bigint FROM pg_index i "
            "JOIN pg_class c ON c.oid = i.indexrelid WHERE c.relnamespace = 'memcli'::regnamespace "
            "AND pg_get_indexdef(indexrelid) LIKE '%USING gin (words)%' AND c.relkind = 'i'"
        )
        tables, indexes = (sum(each[place] for each in parts.values()) for place in (0, 1))
        return {
            "total": tables + indexes, "tables": tables, "indexes": indexes,
            "texts": parts["memories"][0], "words": words + sum(parts["word_counts"]),
            "vectors": sum(parts["vectors"]),
        }  # fmt: skip

    def tend(self) -> bool:
        return self._index_large_spaces()

    def build_indexes(self) -> None:
        """Build the index of every space that has grown large; called after loading many memories."""
        while self._index_large_spaces():
            pass

    def walls(self) -> PostgresWalls:
        from memcli.storage.postgres.walls import PostgresWalls

        return PostgresWalls(self._db, self.location)

    # Copies

    def _no_copies(self) -> NoReturn:
        raise StoreUnusable(
            f"{self.location}: a server keeps it",
            by_hand=message(
                "back it up there (pg_dump, base backups); ",
                Command("export"),
                " writes its memories to a file",
            ),
        )

    def back_up(self, at: datetime) -> Path:
        self._no_copies()

    def backups(self) -> dict[Path, datetime]:
        return {}

    def make_copy(self, kind: CopyKind, label: str, at: datetime, progress: Progress | None = None) -> Path:
        self._no_copies()

    def copy_to(
        self,
        path: Path,
        at: datetime,
        progress: Progress | None = None,
        *,
        kind: CopyKind | None = None,
    ) -> None:
        self._no_copies()

    def drop_copy(self, path: Path) -> None:
        self._no_copies()

    def copies(self) -> list[StoreCopy]:
        return []

    def note_copy(self, path: Path, kind: CopyKind, at: datetime) -> None:
        self._no_copies()

    def forget_copy(self, path: Path) -> bool:
        return False
