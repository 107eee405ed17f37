"""How often a server is asked: over a network each journey is waited for."""

from __future__ import annotations

from typing import Any

import pytest

from memcli.config.config import Config
from memcli.config.location import read_location
from memcli.importers.carrier import Carrier
from memcli.importers.records import Record, Relation, Statement
from memcli.importers.source import Source
from memcli.memories import Memories
from memcli.storage.postgres.session import PostgresSession
from memcli.storage.stores import open_store
from tests.conftest import TickingClock
from tests.standin import StandIn

SOURCE = Source("club", "", lambda path: False, lambda file: iter(()))
STATEMENTS = [Statement("f", str(each), f"Locker {each} of hall {each % 7} is shut") for each in range(100)]
LINKS = [Relation("f", f"Ann {each}", "knows", "Bo") for each in range(100)]


@pytest.mark.parametrize(("records", "most"), [(STATEMENTS, 3), (LINKS, 6)], ids=["statements", "links"])
def test_an_import_asks_a_few_times_for_each_row(
    database: str, clock: TickingClock, monkeypatch: pytest.MonkeyPatch, records: list[Record], most: int
) -> None:
    asked: list[str] = []
    for name in ("_execute", "_run_each", "_copy"):
        method = getattr(PostgresSession, name)

        def counting(self: PostgresSession, sql: str, *rest: Any, _method: Any = method, **named: Any) -> Any:
            asked.append(sql)
            return _method(self, sql, *rest, **named)

        monkeypatch.setattr(PostgresSession, name, counting)
    with Memories(open_store(read_location(database)), Config(), StandIn, clock=clock) as memories:
        asked.clear()
        report = Carrier(memories, SOURCE).take(records)
    assert report.statements_added + report.links_added == len(records)
    assert len(asked) <= most * len(records), len(asked)
