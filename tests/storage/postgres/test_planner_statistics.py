"""What the planner knows of tables that have just been filled: a plan for empty ones takes seconds."""

from __future__ import annotations

import pytest

from memcli.config.config import Config
from memcli.config.location import read_location
from memcli.memories import Memories
from memcli.model import Change
from memcli.storage.postgres import planner_statistics
from memcli.storage.stores import open_store
from memcli.write_policy.drafts import Draft, new_memory
from tests.postgres_server import Server
from tests.standin import StandIn

# The server looks at tables by itself, once a minute.
_LEFT_ALONE = """DO $$ DECLARE each regclass; BEGIN
    FOR each IN SELECT oid FROM pg_class WHERE relkind = 'r' AND relname ~ '^memories(_\\d+)?$'
    LOOP EXECUTE format('ALTER TABLE %s SET (autovacuum_enabled = off)', each); END LOOP;
END $$"""
_KNOWN = (
    "SELECT coalesce(sum(reltuples) FILTER (WHERE reltuples > 0), 0)::int FROM pg_class "
    "WHERE relkind = 'r' AND relname ~ '^memories(_\\d+)?$'"
)


@pytest.mark.parametrize("parts", ["", "memcli_partitions=2"])
def test_the_planner_knows_of_what_has_doubled(
    postgres: Server, database: str, parts: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(planner_statistics, "OFTEN", 100)
    place = read_location(f"{database}{'&' if '?' in database else '?'}{parts}" if parts else database)
    with Memories(open_store(place), Config(), StandIn) as memories:

        def put(first: int, many: int) -> int:
            texts = [f"Box {each} is on shelf {each % 7}. {'It is heavy. ' * 20}" for each in range(many)]
            some = [new_memory(memories, Draft(text=f"{first} {each}")) for each in texts]
            memories.store.put(some, Change(action="add"), memories.now())
            [(known,)] = postgres.run(_KNOWN, database)
            return int(known)

        postgres.run(_LEFT_ALONE, database)
        assert put(1, 90) == 0
        assert put(2, 600) == 690
        assert put(3, 110) == 690, "not twice of what is known"
        assert put(4, 900) == 1700
