"""What was erased comes back with no copy, however what quotes it there is written."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from memcli.changes.forgetting.erased_things import ErasedThings
from memcli.memories import Memories
from memcli.model import State
from memcli.upkeep.copies.rollback import roll_back
from memcli.upkeep.copies.snapshots import create_snapshot, find_snapshot, opened_snapshot
from tests.conftest import Run
from tests.erasure import erase_memories

TEXT = 'Bob Ferrant hides the "spare" key\nunder the blauen Kübel'
PLAIN = "Bob Ferrant hides the spare key under the blue pot"

QUOTING = [
    f'{{"m":"{PLAIN}"}}', f'{{"m":"{PLAIN}","n":"x"}}', f"note={PLAIN};n=1", f"<b>{PLAIN}</b>",
    f"m:{PLAIN}/x", json.dumps({"m": TEXT}), json.dumps([json.dumps({"m": [TEXT]})]), json.dumps({TEXT: 1}),
    f"a line\n{json.dumps({'m': TEXT})}\n", json.dumps({"pin": "4711"}),
]  # fmt: skip


@pytest.mark.parametrize("value", QUOTING)
def test_what_is_written_right_before_it_or_in_a_document_hides_no_quotation(
    memories: Memories, value: str
) -> None:
    now = memories.now()
    state = State("default", "checkpoint-save", "X/1", value, 1, now, now)
    other = state._replace(key="Y/1", value='{"m":"the spare key is blue, says Bob"}')
    assert not ErasedThings(memories.store).value(state)
    erase_memories(memories, [memories.remember(each) for each in (TEXT, PLAIN, "4711")])
    assert ErasedThings(memories.store).value(state) and not ErasedThings(memories.store).value(other)


@pytest.mark.parametrize("value", QUOTING)
def test_a_rollback_brings_no_value_that_quotes_what_was_erased(memories: Memories, value: str) -> None:
    kept, now = [memories.remember(each) for each in (TEXT, PLAIN, "4711")], memories.now()
    memories.store.put_state(State("default", "checkpoint-save", "X/1", value, 1, now, now))
    snapshot = create_snapshot(memories, "one")
    hidden = snapshot.path.with_name("hidden")
    snapshot.path.rename(hidden)
    memories.store.drop_state("default", "checkpoint-save", "X/1")
    erase_memories(memories, kept)
    hidden.rename(snapshot.path)
    with opened_snapshot(memories, find_snapshot(memories, "one")) as then:
        roll_back(memories, then, "one", None)
    assert not list(memories.store.states(("default",), "checkpoint-save"))


def test_a_restored_copy_that_no_erasure_reached_brings_no_checkpoint_of_it(
    mem: Run, own_home: Path, tmp_path: Path
) -> None:
    ident = mem("remember", PLAIN).stdout.strip()
    mem("checkpoint", "save", "crawl", input=QUOTING[0])
    assert mem("backup", str(tmp_path / "b.db")).returncode == 0
    shutil.copy(tmp_path / "b.db", tmp_path / "c.db")
    mem("checkpoint", "clear", "crawl", "--yes")
    assert mem("forget", "--hard", ident).returncode == 0
    assert mem("backup", "restore", str(tmp_path / "c.db"), "--yes").returncode == 0
    assert "Ferrant" not in mem("checkpoint", "restore", "crawl").stdout
    assert not [file for file in own_home.rglob("memory.db*") if b"Ferrant" in file.read_bytes()]


def test_what_a_rollback_leaves_out_is_named_and_nothing_leads_there(mem: Run, own_home: Path) -> None:
    ident = mem("remember", PLAIN).stdout.strip()
    mem("task", "start", f"paint: {PLAIN}", "--name", "paint")
    mem("checkpoint", "save", "crawl", input=QUOTING[0])
    mem("remember", "the cat is called Moritz")
    mem("snapshot", "create", "one")
    [snapshot] = own_home.rglob("memory.db.snapshot-*")
    kept = snapshot.rename(snapshot.with_name("away"))
    dropped = mem("task", "drop", "paint").returncode, mem("checkpoint", "clear", "crawl", "--yes").returncode
    assert dropped == (0, 0) and mem("forget", "--hard", ident).returncode == 0
    kept.rename(snapshot)
    tried = mem("snapshot", "rollback", "one", "--dry-run")
    done = mem("snapshot", "rollback", "one", "--yes", "--json")
    named = {ident, "task/paint", "session/current", "checkpoint/crawl"}
    left_out = {each for each in json.loads(done.stdout)["left_out"] if "checkpoint-save" not in each}
    assert done.returncode == 0 and left_out == named
    assert "left out" in tried.stderr and "left out" in done.stderr and "task: " not in done.stdout
    assert all(each in tried.stderr for each in named)
    assert mem("task", "list").returncode == 1 and mem("checkpoint", "list").returncode == 1


def test_a_restore_says_what_the_store_has_then_and_what_stays_out(mem: Run, tmp_path: Path) -> None:
    ident = mem("remember", PLAIN).stdout.strip()
    mem("remember", "the cat is called Moritz")
    mem("block", "set", "house", f"the house: {PLAIN}")
    mem("backup", str(tmp_path / "b.db"))
    shutil.copy(tmp_path / "b.db", tmp_path / "c.db")
    assert mem("forget", "--hard", ident, "block/house").returncode == 0
    done = mem("backup", "restore", str(tmp_path / "c.db"), "--yes")
    assert "memories 1," in done.stdout and "left out" in done.stderr
    assert ident in done.stderr and "block/house" in done.stderr
    again = mem("backup", "restore", str(tmp_path / "c.db"), "--yes", "--json")
    told = json.loads(again.stdout)
    assert told["memories"] == 1 and {*told["left_out"]} == {ident, "block/house"}
    mem("backup", str(tmp_path / "d.db"))
    assert "left out" not in mem("backup", "restore", str(tmp_path / "d.db"), "--yes").stderr
