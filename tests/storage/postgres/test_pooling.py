"""Behind a pooler in transaction mode: no transaction finds anything of what one before it set.

Each begins on a backend that has forgotten all: settings, prepared statements, locks of the session, who
listens, temporary tables (https://www.postgresql.org/docs/current/sql-discard.html). The whole contract
suite has run through PgBouncer 1.18, too; see docs/postgresql.md.
"""

from __future__ import annotations

from contextlib import closing
from typing import Any

import psycopg
import pytest
from psycopg.pq import TransactionStatus

from memcli.changes.feed import Watch, last_number
from memcli.changes.undo import undo_change
from memcli.config.config import Config
from memcli.config.location import read_location
from memcli.consolidation.run import consolidate
from memcli.errors import StoreBusy
from memcli.memories import Memories
from memcli.storage.errands import CONSOLIDATING
from memcli.storage.stores import open_store
from memcli.write_policy.drafts import Draft
from tests.standin import StandIn


class _Pooled(psycopg.Connection[Any]):
    """A connection that is another one for each transaction."""

    forgotten = 0

    def cursor(self, *arguments: Any, **named: Any) -> Any:
        if self.info.transaction_status is TransactionStatus.IDLE:
            self.pgconn.exec_(b"DISCARD ALL")
            _Pooled.forgotten += 1
        return super().cursor(*arguments, **named)


def test_all_of_a_day_works_through_a_pooler(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(psycopg, "connect", _Pooled.connect)
    monkeypatch.setattr("memcli.storage.postgres.near.EXACT", 20)
    place = read_location(database)
    with (
        Memories(open_store(place), Config(), StandIn) as memories,
        closing(open_store(place)) as other,
    ):
        kept = memories.remember_all(
            [Draft(text=f"Box {each} is on shelf {each % 31}") for each in range(25)]
        )
        while memories.store.tend():
            pass
        assert memories.recall("which shelf does box 3 stand on").hits
        assert consolidate(memories).space == "default"
        with (
            memories.store.alone(CONSOLIDATING, busy="held"),
            pytest.raises(StoreBusy, match="held"),
            other.alone(CONSOLIDATING, busy="held", patience=0),
        ):
            pass
        with memories.store.writing():
            memories.end([kept[0].id], "gone")
            assert other.get([kept[0].id])[0].ended_at is None
        undo_change(memories)
        assert memories.store.get([kept[0].id])[0].ended_at is None
        memories.store.erase([kept[1].id], memories.change("erase"), memories.now())
        memories.store.scrub()
        later = list[str]()

        def wait(seconds: float, descriptor: int | None = None) -> bool:
            if not later:
                later.append(memories.remember("Box 99 is painted green").id)
            return True

        # Nothing is heard; it is looked for all the same.
        assert next(Watch(memories, last_number(memories)).follow(wait))["id"] == later[0]
        assert all(each.ok for each in other.check() if each.name != "durability")
    assert _Pooled.forgotten > 50
