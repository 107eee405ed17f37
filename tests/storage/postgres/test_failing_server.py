"""A server that is a standby, that has no room, that is killed: what is told, and that nothing is lost."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import NamedTuple

import pytest

from memcli.changes.feed import Watch, last_number
from memcli.changes.time_travel import store_as_of
from memcli.config.config import Config
from memcli.config.location import read_location
from memcli.consolidation.run import consolidate
from memcli.errors import ReadOnlyStore, StoreFull, StoreUnreachable
from memcli.memories import Memories
from memcli.model import Filter, State
from memcli.storage import areas
from memcli.storage.stores import open_store
from memcli.upkeep.moving.verification import digests
from memcli.upkeep.moving.whole_store import copy_store
from tests.conftest import TickingClock, make_memories
from tests.postgres_server import Server, Twin, with_database
from tests.standin import StandIn
from tests.storage.test_full_disk import fill, mounted
from tests.upkeep.test_copy_store import furnished


class Failing(NamedTuple):
    """A server that may be killed, and the database of a store that is on it."""

    twin: Twin
    address: str
    primary: str


@pytest.fixture(scope="module")
def failing(postgres: Server) -> Iterator[Failing]:
    if not postgres.programs or sys.platform != "linux":
        pytest.skip("a server of others")
    address = postgres.new_database()
    with opened(address) as memories:
        for each in range(30):
            memories.remember(f"Box {each} stands on shelf {each * 7 % 31}")
    with tempfile.TemporaryDirectory(prefix="mempg-twin-") as folder:
        twin = Twin(postgres, Path(folder))
        yield Failing(twin, twin.address_of(address), address)
        with suppress(subprocess.CalledProcessError):
            twin.kill()
    postgres.drop_database(address)


def opened(address: str) -> Memories:
    return Memories(open_store(read_location(address)), Config(), StandIn)


def texts(address: str) -> list[str]:
    with closing(open_store(read_location(address))) as store:
        return sorted(each.text for each in store.select(Filter()))


@pytest.fixture
def own(failing: Failing) -> Failing:
    """The same once the standby is a server of its own; what wants a standby stands before."""
    failing.twin.promote()
    return failing


def test_a_standby_answers_who_asks_and_refuses_who_writes(failing: Failing) -> None:
    with opened(failing.address) as memories:
        assert memories.recall("which shelf does box 3 stand on").hits
        now = memories.now()
        with store_as_of(memories, now) as (past, _):
            assert len(list(past.store.select(Filter()))) == 30
        for write in (lambda: memories.remember("Box 99 is new"), lambda: consolidate(memories)):
            with pytest.raises(ReadOnlyStore, match="is a standby; name the primary; nothing was changed"):
                write()
        assert not [each for each in memories.store.check() if not each.ok and each.name != "durability"]


def test_changes_are_heard_from_a_standby_too(failing: Failing) -> None:
    with opened(failing.address) as memories, opened(failing.primary) as primary:
        kept = list[str]()

        def wait(seconds: float, descriptor: int | None = None) -> bool:
            if not kept:
                kept.append(primary.remember("Box 77 was painted green").id)
            time.sleep(0.05)
            return time.monotonic() < until

        until = time.monotonic() + 60
        heard = next(Watch(memories, last_number(memories)).follow(wait), None)
        assert heard and heard["id"] == kept[0], failing.twin.log()


def test_a_watch_outlives_its_server_and_tells_each_change_once(own: Failing) -> None:
    with opened(own.address) as memories:
        told, kept, heard = list[str](), list[str](), list[str]()

        def say(text: str) -> None:
            with opened(own.address) as other:
                kept.append(other.remember(text).id)

        deeds: list[Callable[[], None]] = [
            lambda: say("Box 78 was painted red"),
            own.twin.kill,
            lambda: None,
            own.twin.start,
            lambda: say("Box 79 was painted blue"),
        ]

        def wait(seconds: float, descriptor: int | None = None) -> bool:
            time.sleep(0.05)
            if deeds:
                deeds.pop(0)()
            return len(told) < 2

        for change in Watch(memories, last_number(memories)).follow(wait, heard.append):
            told.append(change["id"])
        assert told == kept and len(told) == 2
        assert len(heard) == 1 and "waiting until it is back" in heard[0]


def test_a_server_that_is_killed_in_the_middle_of_a_write_undid_it(own: Failing) -> None:
    before = texts(own.address)
    with opened(own.address) as memories:
        with pytest.raises(StoreUnreachable, match="nothing was changed"), memories.store.writing():
            memories.remember("Half of this")
            own.twin.kill()
            memories.remember("and half of that")
        with pytest.raises(StoreUnreachable) as caught:
            memories.remember("Nobody hears this")
        assert "\n" not in str(caught.value)
        own.twin.start()
        assert texts(own.address) == before
        memories.remember("The server is back again")
        assert len(texts(own.address)) == len(before) + 1


def test_a_run_of_consolidation_that_lost_its_server_is_gone_on_with(own: Failing) -> None:
    with opened(own.address) as memories:

        def progress(step: str, done: int) -> None:
            if step == "merge":
                own.twin.kill()

        before = texts(own.address)
        with pytest.raises(StoreUnreachable):
            consolidate(memories, progress=progress)
        own.twin.start()
        consolidate(memories)
        assert set(texts(own.address)) <= set(before)
        assert consolidate(memories).idle
        assert all(each.ok for each in memories.store.check() if each.name in ("words", "rows"))


def test_a_copy_that_lost_its_server_is_gone_on_with(
    own: Failing, own_home: Path, clock: TickingClock
) -> None:
    with make_memories(own_home / "from.db", clock) as memories:
        furnished(memories)
        for area in (areas.INCOMING, areas.ERASURE):
            memories.store.drop_state("elsewhere", area.name, "k é\n")
    target = read_location(Server(own.address).new_database())

    def progress(rows: int) -> None:
        if rows > 250:
            own.twin.kill()

    with pytest.raises(StoreUnreachable):
        copy_store(own_home / "from.db", target, Config(), progress=progress)
    own.twin.start()
    assert copy_store(own_home / "from.db", target, Config()).resumed
    with closing(open_store(own_home / "from.db")) as old, closing(open_store(target)) as new:
        assert digests(old, halves=True) == digests(new, halves=True)


@pytest.fixture
def narrow(postgres: Server, own: Failing) -> Iterator[tuple[str, Path]]:
    """A database on a file system of 24 MiB; of the run's server a standby would want the same folder."""
    folder = Path(tempfile.mkdtemp(prefix="mempg-narrow-"))
    if not postgres.user or not mounted(folder, "24m"):
        folder.rmdir()
        pytest.skip("no file system of its own to be had")
    shutil.chown(folder, postgres.user)
    name = folder.name.replace("-", "_").lower()
    server = Server(own.address)
    try:
        server.run(f"CREATE TABLESPACE \"{name}\" LOCATION '{folder}'")
        server.run(f'CREATE DATABASE "{name}" TABLESPACE "{name}"')
        yield with_database(server.address, name), folder
    finally:
        server.drop_database(with_database(server.address, name))
        server.run(f'DROP TABLESPACE IF EXISTS "{name}"')
        subprocess.run(["umount", folder], check=True)
        folder.rmdir()


def test_a_full_disk_of_the_server_is_told_as_that_and_what_asks_is_answered(
    narrow: tuple[str, Path],
) -> None:
    address, folder = narrow
    with opened(address) as memories:
        memories.remember("The cat is called Tom")
        filler = fill(folder)
        with pytest.raises(StoreFull, match="no space left on the server .* before that stays") as caught:
            for each in range(400):
                now = memories.now()
                memories.store.put_state(State("s", "a", f"{each}", os.urandom(20_000).hex(), 1, now, now))
        assert "\n" not in str(caught.value)
        assert memories.recall("what is the cat called").hits
        filler.unlink()
        assert memories.remember("The dog is called Rex").id
        said = texts(address)
        assert {"The cat is called Tom", "The dog is called Rex"} <= set(said)
        assert len(said) == len(set(said))
