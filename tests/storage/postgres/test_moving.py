"""A store on a server: copied there and back, seen by nobody until it is whole, and watched."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from contextlib import closing
from pathlib import Path

import pytest

from memcli.config.config import Config
from memcli.config.location import Address, read_location
from memcli.errors import BadInput, StoreUnusable
from memcli.memories import Memories
from memcli.model import Filter
from memcli.storage import areas
from memcli.storage.stores import open_store
from memcli.upkeep.moving.verification import digests
from memcli.upkeep.moving.whole_store import copy_store
from tests.changes.test_watching import line, watching
from tests.conftest import MEM, Run, TickingClock, make_memories
from tests.upkeep.test_copy_store import contents, furnished

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals")


@pytest.fixture
def filled(own_home: Path, clock: TickingClock) -> Path:
    with make_memories(own_home / "from.db", clock) as memories:
        furnished(memories)
        for area in (areas.INCOMING, areas.ERASURE):
            memories.store.drop_state("elsewhere", area.name, "k é\n")
    return own_home / "from.db"


@pytest.fixture
def server(database: str) -> Address:
    place = read_location(database)
    assert isinstance(place, Address)
    return place


def test_there_and_back_all_is_the_same(filled: Path, own_home: Path, server: Address) -> None:
    before = contents(filled)
    there = copy_store(filled, server, Config())
    back = copy_store(server, own_home / "to.db", Config())
    assert there.parts == back.parts
    assert contents(filled) == before
    with closing(open_store(filled)) as old, closing(open_store(own_home / "to.db")) as new:
        # Of vectors so much as 16 bits say.
        assert digests(old, halves=True) == digests(new, halves=True) == there.parts
        assert [each.number for each in old.history()] == [each.number for each in new.history()]
        assert not [finding for finding in new.check() if not finding.ok]
    with closing(open_store(server)) as store:
        assert [each.name for each in store.check() if not each.ok] in ([], ["durability"])
        assert store.wanting(Filter(spaces=None, live=False)) == []
        last = max(each.number for each in store.history())
        memories = Memories(store, Config(), lambda name: pytest.fail("no model is needed"))
        memories.end([next(store.select(Filter())).id], "new lines are numbered after those that came")
        assert max(each.number for each in store.history()) == last + 1


def test_a_copy_that_is_not_whole_is_no_store_and_is_gone_on_with(
    mem: Run, filled: Path, database: str, server: Address
) -> None:
    with pytest.raises(KeyboardInterrupt):
        copy_store(filled, server, Config(), progress=_cut)
    for arguments in (["list"], ["remember", "too early"], ["recall", "apples"], ["doctor"]):
        done = mem(*arguments, "--db", database)
        assert (done.returncode, done.stdout) == (4, ""), arguments
        assert "copy-store" in done.stderr
    with pytest.raises(BadInput, match=r"unfinished copy of .*from\.db"):
        other = filled.with_name("other.db")
        with make_memories(other, TickingClock()) as memories:
            memories.remember("I drink green tea")
        copy_store(other, server, Config())
    assert copy_store(filled, server, Config()).resumed
    assert mem("list", "--db", database, "-n", "1").returncode == 0
    with pytest.raises(BadInput, match="holds a store already"):
        copy_store(filled, server, Config())


def test_a_killed_copy_is_ended_by_the_next(mem: Run, filled: Path, database: str, server: Address) -> None:
    with subprocess.Popen([MEM, "copy-store", filled, database], stdout=subprocess.DEVNULL) as process:
        deadline = time.monotonic() + 60
        while process.poll() is None and time.monotonic() < deadline:
            try:
                open_store(server, create=False).close()
            except StoreUnusable as error:
                if "being copied" in str(error):
                    break
            except Exception:
                pass
        process.send_signal(signal.SIGKILL)
    done = mem("copy-store", str(filled), database)
    assert done.returncode == 0 or "holds a store already" in done.stderr, done.stderr
    with closing(open_store(filled)) as old, closing(open_store(server)) as new:
        assert digests(old, halves=True) == digests(new, halves=True)


def test_what_changed_too_much_meanwhile_is_dropped_and_begun_anew(filled: Path, server: Address) -> None:
    with pytest.raises(KeyboardInterrupt):
        copy_store(filled, server, Config(), progress=lambda rows: _cut(rows) if rows > 300 else None)
    with make_memories(filled, TickingClock()) as memories:
        gone = next(memories.store.select(Filter(live=False), order="oldest"))
        memories.store.erase([gone.id], memories.change("erase"), memories.now())
    with pytest.raises(StoreUnusable, match="changed meanwhile"):
        copy_store(filled, server, Config())
    assert not copy_store(filled, server, Config()).resumed


def test_changes_are_heard_as_they_are_committed(mem: Run, database: str) -> None:
    first = mem("remember", "I drink green tea", "--db", database).stdout.strip()
    with watching("--since", "today", "--db", database) as process:
        assert line(process)["id"] == first
        second = mem("remember", "My cat is called Tom", "--db", database).stdout.strip()
        told = line(process)
        assert (told["id"], told["action"], told["version"]) == (second, "add", 1)
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0


def _cut(rows: int) -> None:
    raise KeyboardInterrupt
