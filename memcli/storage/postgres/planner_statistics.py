"""Planner statistics of tables, refreshed while many rows are being written.

The server analyses tables by itself, up to a minute later, and until then takes a table that was just
filled for an empty one: with 10,000 memories it went through all vectors once for each row, 19 s for what
takes 20 ms.
"""

from __future__ import annotations

from memcli.storage.postgres.session import PostgresSession

# After how many written rows the tables are checked for growth.
OFTEN = 500
# Selects tables (or partitions) with twice the pages that the planner knows of, and more than eight (64 kB).
_GROWN = (
    "SELECT format('%I.%I', n.nspname, c.relname) FROM unnest(ARRAY["
    "'memcli.memories', 'memcli.vectors', 'memcli.history', 'memcli.word_counts']::regclass[]) AS asked "
    "LEFT JOIN LATERAL pg_partition_tree(asked) AS part ON part.isleaf "
    "JOIN pg_class c ON c.oid = coalesce(part.relid, asked) JOIN pg_namespace n ON n.oid = c.relnamespace "
    "WHERE pg_relation_size(c.oid) > 2 * greatest(c.relpages, 8) * current_setting('block_size')::bigint"
)


class PostgresPlanning(PostgresSession):
    """The part of a session that has the server analyse tables which have grown."""

    _unlooked = 0

    def _note_rows(self, number: int) -> None:
        """Count written rows; now and then analyse the tables that have doubled since.

        It waits for no lock, and what the role may not do is left to the server. Within a transaction.
        """
        self._unlooked += number
        if self._unlooked < OFTEN or not self._may_copy:
            return
        self._unlooked = 0
        if grown := [name for (name,) in self._rows(_GROWN)]:
            self._run(f"ANALYZE (SKIP_LOCKED) {', '.join(grown)}")
