"""`mem copy-store`: all of a store in another place, or nothing; cut off, it goes on."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from memcli.config.config import Config
from memcli.errors import BadInput, StoreUnusable
from memcli.memories import Memories
from memcli.model import Filter, Link, State
from memcli.storage import Store, areas
from memcli.storage.stores import open_store
from memcli.sync.local import note_changes
from memcli.upkeep.moving.parts import PARTS
from memcli.upkeep.moving.verification import digests
from memcli.upkeep.moving.whole_store import copy_store
from memcli.write_policy.direct import put_embedded
from memcli.write_policy.drafts import Draft, new_memory
from tests.conftest import MEM, Run, TickingClock, make_memories


def furnished(memories: Memories, number: int = 600) -> None:
    """Some of everything that a store can hold, in more than one batch, and a gap in the record."""
    some = [
        new_memory(memories, Draft(text=f"Note {each} about {each * 37 % 101} apples", tags=("fruit",)))
        for each in range(number)
    ]
    put_embedded(memories, memories.model, some, memories.change("add"))
    now = memories.now()
    memories.end([some[1].id], "no longer so")
    memories.store.touch([some[2].id], now)
    memories.store.erase([some[3].id], memories.change("erase"), now)
    memories.in_space("work").remember("The build runs at night")
    memories.store.put_links(
        Link(f"L{each}", "default", "Ann", "knows", f"Bob {each}", some[5].id, 0.9, now, None, now, None, {})
        for each in range(3)
    )
    for area in areas.ALL:
        memories.store.put_state(
            State("elsewhere", area.name, "k é\n", {"v": [1, "x", None]}, 7, now, now, now)
        )


def here(store: Store) -> dict[str, Any]:
    return dict(digests(store, halves=False))


def contents(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.fixture
def filled(own_home: Path, clock: TickingClock) -> Path:
    with make_memories(own_home / "from.db", clock) as memories:
        furnished(memories)
        memories.store.drop_state("elsewhere", areas.INCOMING.name, "k é\n")
        memories.store.drop_state("elsewhere", areas.ERASURE.name, "k é\n")
    return own_home / "from.db"


@pytest.mark.parametrize("there", ["x.db", "x.db-wal", "x.db/", "gone/x.db"])
def test_nothing_is_copied_to_where_something_is_or_nothing_can_be(
    memories: Memories, own_home: Path, there: str
) -> None:
    target = own_home / ("gone/x.db" if there == "gone/x.db" else "x.db")
    if there.endswith("/"):
        target.mkdir()
    elif "gone" not in there:
        (own_home / there).write_bytes(b"dear Ann")
    before = sorted(own_home.rglob("*"))
    with pytest.raises(BadInput):
        copy_store(Path(memories.store.location), target, Config())
    assert sorted(own_home.rglob("*")) == before


def test_everything_goes_along_and_the_source_stays_as_it_is(filled: Path, own_home: Path) -> None:
    before, target = contents(filled), own_home / "to.db"
    done = copy_store(filled, target, Config())
    assert contents(filled) == before
    assert sorted(path.name for path in own_home.glob("*.db*")) == ["from.db", "to.db"]
    with closing(open_store(filled)) as old, closing(open_store(target)) as new:
        assert here(old) == here(new) == done.parts
        assert min(each.rows for name, each in done.parts.items() if name != "clocks") >= 3
        assert [each.number for each in old.history()] == [each.number for each in new.history()]
        assert old.model() == new.model()
        assert {state.area for state in new.states()} == {each.name for each in areas.ALL if each.moves} - {
            "incoming"
        }
        assert not [finding for finding in new.check() if not finding.ok]
        everything = Filter(spaces=None, live=False)
        assert old.wanting(everything) == [] == new.wanting(everything)
    assert target.stat().st_mode & 0o777 == 0o600


def test_what_was_noted_for_a_sync_is_noted_and_what_changed_since_is_still_news(
    own_home: Path, clock: TickingClock
) -> None:
    with make_memories(own_home / "from.db", clock) as memories:
        one, two = memories.remember("I drink green tea"), memories.remember("My cat is called Tom")
        note_changes(memories)
        memories.end([two.id], "gone")
        changed = memories.store.unclocked("memory")
        copy_store(own_home / "from.db", own_home / "to.db", Config())
        with closing(open_store(own_home / "to.db")) as new:
            assert new.unclocked("memory") == changed == ([two.id], [])
            assert new.clock_revision() == memories.store.clock_revision()
            assert new.is_clocked("memory", [one.id, two.id]) == {one.id}


@pytest.mark.parametrize("stop", [1, 3, len(PARTS) + 2])
def test_it_goes_on_where_it_was_cut_off(
    filled: Path, own_home: Path, monkeypatch: pytest.MonkeyPatch, stop: int
) -> None:
    target, written = own_home / "to.db", []
    monkeypatch.setattr("memcli.upkeep.moving.whole_store.BATCH", 256)

    def cut(rows: int) -> None:
        written.append(rows)
        if len(written) == stop:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        copy_store(filled, target, Config(), progress=cut)
    assert not target.exists()
    with make_memories(filled, TickingClock()) as memories:
        memories.remember("A late fact: the train leaves at seven")
        memories.store.touch(
            [next(memories.store.select(Filter(live=False), order="oldest")).id], memories.now()
        )
    again: list[int] = []
    done = copy_store(filled, target, Config(), progress=again.append)
    assert done.resumed
    assert again[0] > written[-2] if stop > 1 else again
    with closing(open_store(filled)) as old, closing(open_store(target)) as new:
        assert here(old) == here(new)


def test_what_was_erased_meanwhile_is_not_in_what_comes_out(
    filled: Path, own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cut(rows: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        copy_store(
            filled, own_home / "to.db", Config(), progress=lambda rows: cut(rows) if rows > 300 else None
        )
    with make_memories(filled, TickingClock()) as memories:
        gone = next(memories.store.select(Filter(live=False), order="oldest"))
        memories.store.erase([gone.id], memories.change("erase"), memories.now())
    with pytest.raises(StoreUnusable, match="changed meanwhile.*memories"):
        copy_store(filled, own_home / "to.db", Config())
    assert not (own_home / "to.db").exists()
    copy_store(filled, own_home / "to.db", Config())
    with closing(open_store(own_home / "to.db")) as new:
        assert new.get([gone.id]) == []


def test_a_killed_copy_leaves_no_store_and_the_next_one_ends_it(
    mem: Run, own_home: Path, clock: TickingClock
) -> None:
    source, target = own_home / "from.db", own_home / "to.db"
    with make_memories(source, clock) as memories:
        furnished(memories, 1500)
        memories.store.drop_state("elsewhere", areas.INCOMING.name, "k é\n")
        memories.store.drop_state("elsewhere", areas.ERASURE.name, "k é\n")
    before = contents(source)
    part = own_home / ".to.db.incoming"
    with subprocess.Popen([MEM, "copy-store", source, target], stdout=subprocess.DEVNULL) as process:
        while not (part.exists() and part.with_name(f"{part.name}-wal").exists()):
            assert process.poll() is None
            time.sleep(0.001)
        time.sleep(0.3)
        busy = mem("copy-store", str(source), str(target))
        assert busy.returncode == 4 or target.exists()
        process.kill()
    if not target.exists():  # it was faster than we are
        assert mem("list", "--db", str(target)).returncode == 1
        done = mem("copy-store", str(source), str(target), "--json")
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["resumed"]
    assert contents(source) == before
    with closing(open_store(source)) as old, closing(open_store(target)) as new:
        assert here(old) == here(new)


def test_a_place_that_is_taken_is_refused_in_one_line(mem: Run, filled: Path, own_home: Path) -> None:
    (own_home / "other.db").write_text("mine")
    for target in ("other.db", "from.db", "nowhere/to.db", "."):
        done = mem("copy-store", str(filled), str(own_home / target))
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), target
    assert (own_home / "other.db").read_text() == "mine"
    assert mem("copy-store", str(own_home / "none.db"), str(own_home / "to.db")).returncode == 1
    refused = mem(
        "copy-store", str(filled), str(own_home / "to.db"), env={**os.environ, "MEMCLI_ORIGIN": "mcp:x"}
    )
    assert refused.returncode == 3
    assert not (own_home / "to.db").exists() and not list(own_home.glob(".*incoming*"))


def test_another_stores_unfinished_copy_is_not_gone_on_with(filled: Path, own_home: Path) -> None:
    def cut(rows: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        copy_store(filled, own_home / "to.db", Config(), progress=cut)
    with make_memories(own_home / "second.db", TickingClock()) as memories:
        memories.remember("I drink green tea")
    with pytest.raises(BadInput, match="unfinished copy of .*from.db"):
        copy_store(own_home / "second.db", own_home / "to.db", Config())


def test_an_encrypted_store_is_not_written_out_in_plain_unasked(
    mem: Run, own_home: Path, filled: Path
) -> None:
    key = str(own_home / "key")
    assert mem("encrypt", "--db", str(filled), "--key-file", key).returncode == 0
    done = mem("copy-store", str(filled), str(own_home / "to.db"))
    assert done.returncode == 2 and "--plain" in done.stderr
    assert not list(own_home.glob(".*incoming*"))
    assert mem("copy-store", str(filled), str(own_home / "to.db"), "--plain").returncode == 0
    assert (own_home / "to.db").read_bytes().startswith(b"SQLite format 3")


def test_a_damaged_row_is_not_made_a_sound_one_elsewhere(filled: Path, own_home: Path) -> None:
    import sqlite3

    with closing(sqlite3.connect(filled)) as db, db:
        db.execute("UPDATE memories SET importance = 0.123 WHERE seq = 7")
    with pytest.raises(StoreUnusable, match="doctor --repair"):
        copy_store(filled, own_home / "to.db", Config())
    assert not (own_home / "to.db").exists()
