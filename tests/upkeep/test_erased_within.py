"""What was erased comes back with no copy, however what quotes it there is written."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from memcli.changes.forgetting.erased_things import ErasedThings
from memcli.changes.forgetting.hard import erase_memories
from memcli.memories import Memories
from memcli.model import State
from memcli.upkeep.copies.rollback import roll_back
from memcli.upkeep.copies.snapshots import create_snapshot, find_snapshot, opened_snapshot
from tests.conftest import Run

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
