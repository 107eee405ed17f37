"""What the server's planner knows of the tables: kept near the truth while many rows come at once.

The server looks by itself, up to a minute later, and until then takes a table that was just filled for an
empty one: of 10,000 memories it went through all vectors once for each row, 19 s for what takes 20 ms.
"""

from __future__ import annotations

from memcli.storage.postgres.session import PostgresSession

# After so many rows it is looked whether a table has grown.
OFTEN = 500
# Tables (their parts, where they are cut into some) of twice the pages that the planner knows of; what has
# eight pages (64 kB) is small.
_GROWN = (
    "SELECT format('%I.%I', n.nspname, c.relname) FROM unnest(ARRAY["
    "'memcli.memories', 'memcli.vectors', 'memcli.history', 'memcli.word_counts']::regclass[]) AS asked "
    "LEFT JOIN LATERAL pg_partition_tree(asked) AS part ON part.isleaf "
    "JOIN pg_class c ON c.oid = coalesce(part.relid, asked) JOIN pg_namespace n ON n.oid = c.relnamespace "
    "WHERE pg_relation_size(c.oid) > 2 * greatest(c.relpages, 8) * current_setting('block_size')::bigint"
)


class PostgresPlanning(PostgresSession):
    """The part of a session that has the server look at tables which have grown."""

    _unlooked = 0

    def _note_rows(self, number: int) -> None:
        """Count rows as written; now and then have the server analyse the tables that have doubled since.

        Nothing is waited for, and what a role may not do is left to the server. Within a transaction.
        """
        self._unlooked += number
        if self._unlooked < OFTEN or not self._may_copy:
            return
        self._unlooked = 0
        if grown := [name for (name,) in self._rows(_GROWN)]:
            self._run(f"ANALYZE (SKIP_LOCKED) {', '.join(grown)}")
