"""Many writers on one server: what was acknowledged is there, once, and in the order in which it is seen."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
from collections import Counter
from contextlib import closing
from datetime import UTC, datetime

import pytest

from memcli.config.config import Config
from memcli.config.location import read_location
from memcli.memories import Memories
from memcli.model import EVERYWHERE, Filter, State
from memcli.storage.postgres.schema import migrations
from memcli.storage.stores import open_store
from memcli.upkeep.spaces import rename_space
from memcli.write_policy.drafts import Draft
from tests.conftest import Run
from tests.postgres_server import Server
from tests.standin import StandIn

_WRITER = """
import sys, threading
from datetime import UTC, datetime
from memcli import ids
from memcli.config.location import read_location
from memcli.model import EVERYWHERE, Change, Memory, State
from memcli.storage.states import read_state, write_state
from memcli.storage.stores import open_store

def write(address, name, number):
    store = open_store(read_location(address), busy_timeout=120)
    new_id = ids.id_source()
    for n in range(number):
        now = datetime.now(UTC)
        one = Memory(id=new_id(now), kind="fact", text=f"writer {name} says {n}", happened_at=now,
                     created_at=now, updated_at=now)
        store.put([one], Change(action="add", id=new_id(now)), now)
        sys.stdout.write(f"{one.id}\\n")
        # One counter for all, read and written inside a transaction.
        with store.writing():
            before = read_state(store, EVERYWHERE, "a", "count")
            write_state(store, EVERYWHERE, "a", "count", (before.value if before else 0) + 1, now)
        # Another by compare-and-set.
        while True:
            seen = read_state(store, EVERYWHERE, "a", "set")
            state = State(EVERYWHERE, "a", "set", (seen.value if seen else 0) + 1,
                          (seen.version if seen else 0) + 1, now, now)
            if store.put_state(state, expected_version=seen.version if seen else 0):
                break
    store.close()

address, name, number, threads = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
writers = [threading.Thread(target=write, args=(address, f"{name}-{n}", number)) for n in range(threads)]
for each in writers:
    each.start()
for each in writers:
    each.join()
"""
# Thirty-two, each with a connection of its own; to start as many processes is most of the time.
PROCESSES, THREADS, EACH = 8, 4, 4
WRITERS = PROCESSES * THREADS
NOW = datetime(2026, 5, 3, 12, 0, tzinfo=UTC)


def test_of_thirty_two_writers_each_acknowledged_write_is_there_and_none_doubled(database: str) -> None:
    address = read_location(database)
    with closing(open_store(address)) as store:
        processes = [
            subprocess.Popen(
                [sys.executable, "-c", _WRITER, database, str(number), str(EACH), str(THREADS)],
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            )
            for number in range(PROCESSES)
        ]  # fmt: skip
        told: list[str] = []
        # Read meanwhile by the number of the last line, as a sync does: none is passed over.
        seen: list[int] = []
        while any(process.poll() is None for process in processes):
            seen += [event.number for event in store.history(after=seen[-1] if seen else 0)]
        for process in processes:
            out, errors = process.communicate()
            assert process.returncode == 0, errors
            told += out.split()
        seen += [event.number for event in store.history(after=seen[-1] if seen else 0)]
        assert len(told) == WRITERS * EACH == len(set(told))
        assert sorted(m.id for m in store.select(Filter(spaces=None))) == sorted(told)
        assert Counter(event.memory for event in store.history()) == Counter(told)
        assert seen == [event.number for event in store.history()]
        values = {state.key: state.value for state in store.states((EVERYWHERE,), "a")}
        assert values == {"count": WRITERS * EACH, "set": WRITERS * EACH}
        assert all(finding.ok for finding in store.check() if finding.name == "words")


def _make(address: str) -> None:
    open_store(read_location(address)).close()


def test_a_store_is_made_once_however_many_make_it(postgres: Server, database: str) -> None:
    context = multiprocessing.get_context("spawn")
    makers = [context.Process(target=_make, args=(database,)) for _ in range(6)]
    for maker in makers:
        maker.start()
    for maker in makers:
        maker.join()
        assert maker.exitcode == 0
    steps = [(each.number,) for each in migrations()]
    assert postgres.run("SELECT number FROM memcli.migrations ORDER BY number", database) == steps


def test_a_partitioned_store_is_one_store(
    postgres: Server, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memcli.storage.postgres.near.EXACT", 10)
    place = read_location(f"{database}{'&' if '?' in database else '?'}memcli_partitions=4")
    with Memories(open_store(place), Config(), StandIn) as memories:
        store = memories.store
        assert store.put_state(State(EVERYWHERE, "a", "k", 1, 1, NOW, NOW))
        for space in ("work", "home", "farm"):
            drafts = [Draft(text=f"In {space} box {each} is on shelf {each % 5}") for each in range(12)]
            memories.in_space(space).remember_all(drafts)
        # Indexes are built on the parts, and those of the tables stay.
        while store.tend():
            pass
        found = postgres.run(
            "SELECT count(*) FROM pg_indexes WHERE indexname ~ '^near_[0-9a-f]{16}$'", database
        )
        assert found == [(3,)]
        # From one part to another.
        rename_space(memories, "farm", "ranch")
        assert len(memories.in_space("ranch").recall("which shelf is box 3 on").hits) > 1
        assert store.total(("farm",)) == 0
        while store.tend():
            pass
        named = postgres.run("SELECT space FROM memcli.near_indexes ORDER BY 1", database)
        assert named == [("home",), ("ranch",), ("work",)]
        assert all(each.ok for each in store.check() if each.name != "durability")
    [(partitions,)] = postgres.run(
        "SELECT count(*) FROM pg_inherits WHERE inhparent = 'memcli.memories'::regclass", database
    )
    assert partitions == 4
    [(indexes,)] = postgres.run(
        "SELECT count(*) FROM pg_class WHERE 'gin_pending_list_limit=256' = ANY (reloptions)", database
    )
    assert indexes == 4


def test_commands_of_two_machines_write_to_one_store(
    mem: Run, database: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    machines = {name: {**os.environ, "HOME": str(tmp_path_factory.mktemp(name))} for name in ("one", "two")}
    for name, environment in machines.items():
        done = mem("remember", f"machine {name} saw a heron", "--db", database, env=environment)
        assert done.returncode == 0, done.stderr
    for environment in machines.values():
        found = mem("recall", "which machine saw a heron", "--db", database, "--json", env=environment).stdout
        assert "machine one" in found and "machine two" in found
