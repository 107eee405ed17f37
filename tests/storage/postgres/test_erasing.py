"""Forgetting for good on a server: rows, indexes and pages are clean, and what is beyond them is said."""

from __future__ import annotations

import json
import os
from contextlib import closing
from datetime import UTC, datetime

import psycopg
import pytest

from memcli.config.location import read_location
from memcli.errors import StoreBusy
from memcli.model import Change, Memory
from memcli.storage.stores import open_store
from tests.conftest import Run
from tests.postgres_server import Server

NOW = datetime(2026, 5, 3, 12, 0, tzinfo=UTC)


def test_what_is_forgotten_for_good_is_in_no_table_and_the_receipt_says_what_was_not_looked_through(
    mem: Run, postgres: Server, database: str
) -> None:
    environment = {**os.environ, "MEMCLI_DB": database}
    told = mem("remember", "The vault code is zwiebelfisch", env=environment)
    mem("remember", "The garden has onions", env=environment)
    done = mem("forget", told.stdout.strip(), "--hard", "--yes", "--json", env=environment)
    assert done.returncode == 0, done.stderr
    receipt = json.loads(done.stdout)
    assert receipt["verified"] and "write-ahead log" in receipt["unreached"]
    tables = postgres.run(
        "SELECT relname FROM pg_class WHERE relnamespace = 'memcli'::regnamespace AND relkind = 'r'", database
    )
    for (table,) in tables:
        found = postgres.run(f"SELECT count(*) FROM memcli.{table} t WHERE t::text ~* 'zwiebel'", database)
        assert found == [(0,)], table
    assert "onions" in mem("recall", "garden", env=environment).stdout


def test_who_reads_an_older_state_is_waited_for(database: str) -> None:
    one = Memory(
        id="01KQQ2J0000000000000000000", kind="fact", text="gone", happened_at=NOW,
        created_at=NOW, updated_at=NOW,
    )  # fmt: skip
    with closing(open_store(read_location(database))) as store:
        store.put([one], Change(action="add"), NOW)
        with psycopg.connect(database) as reader:
            reader.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            reader.execute("SELECT count(*) FROM memcli.memories")
            store.erase([one.id], Change(action="erase"), NOW)
            with pytest.raises(StoreBusy, match="older state"):
                store.scrub(patience=0.2)
        store.scrub(patience=5)
        assert store.traces([], ["gone"]) == []
