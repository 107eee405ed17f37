"""An erasure ends when it is proven: until then it is told, and tried again, whatever held it up."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from memcli.changes.forgetting.unfinished import finish_erasure, is_unfinished, what_is_left
from memcli.errors import ErasureUnfinished, ReadOnlyStore
from memcli.memories import Memories
from memcli.model import State
from memcli.storage.known_copies import CopyKind
from memcli.storage.sqlite.file.copies import copy_path, making_copy, part_of
from tests.conftest import Run
from tests.erasure import erase_memories

TEXT = "Quentomar hides the vermeilion ledger under the floor"
PIECES = (b"uentomar", b"ermeilion", b"hides the vermeil")


def says(*files: Path) -> list[Path]:
    return [file for file in files if any(piece in file.read_bytes() for piece in PIECES)]


@contextmanager
def held(copy: Path, mode: str = "EXCLUSIVE") -> Iterator[None]:
    """Somebody else has a copy open."""
    reads = (
        "import sqlite3, sys; db = sqlite3.connect(sys.argv[1], isolation_level=None);"
        "db.execute(f'BEGIN {sys.argv[2]}'); db.execute('SELECT count(*) FROM memories').fetchone();"
        "print('held', flush=True); sys.stdin.read()"
    )
    # Locks on files are a process's: our own would not be in our way.
    command = [sys.executable, "-c", reads, str(copy), mode]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdin and holder.stdout and holder.stdout.readline()
        yield
        holder.stdin.close()


@pytest.mark.parametrize("mode", ["EXCLUSIVE", "DEFERRED"])
def test_a_busy_copy_keeps_it_unfinished_and_every_command_says_so(
    mem: Run, own_home: Path, monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    monkeypatch.setenv("MEMCLI_BUSY_TIMEOUT", "0.1")
    ident = mem("remember", TEXT).stdout.strip()
    mem("remember", "the cat is black")
    assert mem("consolidate").returncode == 0
    [backup] = own_home.rglob("memory.db.backup-*")
    with held(backup, mode):
        done = mem("forget", "--hard", ident, "--json")
        receipt = json.loads(done.stdout)
        assert done.returncode == 4 and not receipt["verified"] and receipt["erased"] == [ident]
        told = json.loads(done.stderr)
        assert told["error"] == "erasure_unfinished" and str(backup) in told["message"]
        for line in (("list",), ("recall", "cat"), ("stats",), ("export",), ("remember", "the dog is white")):
            after = mem(*line)
            assert after.returncode == 0 and after.stderr.count(str(backup)) == 1, (line, after)
        found = [json.loads(line) for line in mem("doctor", "--json").stdout.splitlines()]
        [finding] = [each for each in found if each["name"] == "erasure"]
        assert not finding["ok"] and str(backup) in finding["detail"]
        assert says(backup) == [backup]
    after = mem("list")
    assert "nothing of it is left" in after.stderr and not says(*own_home.rglob("memory.db*"))
    assert mem("list").stderr == "" and "none is unfinished" in mem("doctor").stdout


def test_what_is_proven_is_not_done_again(memories: Memories, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = memories.remember(TEXT)
    sound = memories.store.back_up(memories.now())
    busy = memories.store.back_up(memories.now())
    memories.store._busy_timeout = 0.1  # type: ignore[attr-defined]
    with held(busy):
        receipt = erase_memories(memories, [kept])
        assert receipt.backups[str(sound)] == "erased" and len(receipt.unfinished) == 1
        before = sound.stat()
        with pytest.raises(ErasureUnfinished, match=busy.name):
            finish_erasure(memories)
        assert sound.stat() == before
    assert finish_erasure(memories) and not is_unfinished(memories) and not says(sound, busy)


def test_a_copy_that_is_just_being_made_is_waited_for(memories: Memories, own_home: Path) -> None:
    """It may have been begun before, and would come with what was erased."""
    kept = memories.remember(TEXT)
    memories.store._busy_timeout = 0.1  # type: ignore[attr-defined]
    path = Path(memories.store.location)
    target = copy_path(path, CopyKind.SNAPSHOT, "before")
    with making_copy(path, patience=0):
        with sqlite3.connect(path) as begun:
            begun.execute("VACUUM INTO ?", (str(part_of(target)),))
        begun.close()
        assert "copy" in erase_memories(memories, [kept]).unfinished[0]
        part_of(target).rename(target)
    assert finish_erasure(memories) and not says(target)


def test_what_a_killed_writer_of_copies_left_is_removed(memories: Memories) -> None:
    kept = memories.remember(TEXT)
    left = part_of(copy_path(Path(memories.store.location), CopyKind.BACKUP, "20261122T031500Z"))
    shutil.copy(memories.store.back_up(memories.now()), left)
    receipt = erase_memories(memories, [kept])
    assert receipt.verified and not left.exists()


@pytest.mark.parametrize("content", [b"no database at all" * 100, b"SQLite format 3\0" + bytes(5000)])
def test_what_cannot_be_read_is_unfinished_until_it_is_gone(
    memories: Memories, own_home: Path, content: bytes
) -> None:
    kept = memories.remember(TEXT)
    broken = own_home / "memory.db.before-schema-2.78"
    broken.write_bytes(content)
    (own_home / "memory.db.before-schema-2.79").touch()  # in an empty one stands nothing
    assert [broken.name in why for why in erase_memories(memories, [kept]).unfinished] == [True]
    with pytest.raises(ErasureUnfinished, match="rm"):
        finish_erasure(memories)
    broken.unlink()
    assert finish_erasure(memories)


def test_words_that_only_a_copy_still_says_are_told_until_it_is_gone(memories: Memories) -> None:
    kept = memories.remember(TEXT)
    now = memories.now()
    memories.store.put_state(State("default", "block", "house", {"text": "ask Quentomar"}, 1, now, now))
    copy = memories.store.back_up(now)
    memories.store.drop_state("default", "block", "house")
    receipt = erase_memories(memories, [kept])
    assert receipt.traces == [str(copy)] and receipt.backups == {str(copy): "erased"} and receipt.unfinished
    with pytest.raises(ErasureUnfinished, match=copy.name):
        finish_erasure(memories)
    copy.unlink()
    assert finish_erasure(memories)


def test_a_word_of_what_was_purged_since_is_no_trace_in_a_copy(memories: Memories) -> None:
    other, kept = memories.remember("the vermeilion paint is dry"), memories.remember(TEXT)
    memories.store.back_up(memories.now())
    memories.store.erase([other.id], memories.change("purge"), memories.now())
    memories.store.scrub(thoroughly=True)
    receipt = erase_memories(memories, [kept])
    assert receipt.verified, receipt


def test_a_copy_out_of_reach_keeps_it_unfinished_and_one_that_is_gone_does_not(
    memories: Memories, own_home: Path
) -> None:
    kept = memories.remember(TEXT)
    stick = own_home / "stick"
    stick.mkdir()
    copy = stick / "mine.db"
    memories.store.note_copy(copy, CopyKind.BACKUP, memories.now())
    shutil.copy(memories.store.back_up(memories.now()), copy)
    stick.rename(away := own_home / "away")
    assert str(copy) in erase_memories(memories, [kept]).unfinished[0]
    with pytest.raises(ErasureUnfinished, match=r"mine\.db"):
        finish_erasure(memories)
    away.rename(stick)
    assert finish_erasure(memories) and not says(copy)
    copy.unlink()
    assert erase_memories(memories, [memories.remember("the hall is made of oak")]).verified
    assert not [each for each in memories.store.copies() if each.elsewhere]


def test_a_store_that_may_only_be_read_says_what_is_not_finished(
    memories: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = memories.remember(TEXT)
    memories.store._busy_timeout = 0.1  # type: ignore[attr-defined]
    with held(memories.store.back_up(memories.now())):
        left = erase_memories(memories, [kept]).unfinished
    monkeypatch.setattr(memories.store, "hindrance", ReadOnlyStore("may only be read"))
    assert what_is_left(memories) == left
    with pytest.raises(ErasureUnfinished, match="backup"):
        finish_erasure(memories)


@pytest.mark.parametrize("by", ["symlink", "relative", "hard link", "folder"])
def test_copies_made_by_another_name_of_the_store_are_cleaned(
    mem: Run, own_home: Path, monkeypatch: pytest.MonkeyPatch, by: str
) -> None:
    ident = mem("remember", TEXT).stdout.strip()
    [real] = own_home.rglob("memory.db")
    other = own_home / "elsewhere" / "other.db"
    other.parent.mkdir()
    if by == "symlink":
        other.symlink_to(real)
    elif by == "hard link":
        other.hardlink_to(real)
    elif by == "folder":
        other.parent.rmdir()
        other.parent.symlink_to(real.parent)
        other = other.parent / real.name
    else:
        monkeypatch.chdir(real.parent)
        other = Path(real.name)
    assert mem("consolidate", "--db", str(other)).returncode == 0
    copies = [each for each in own_home.rglob("*.db.backup-*") if not each.is_symlink()]
    assert says(*copies)
    done = mem("forget", "--hard", ident)
    assert done.returncode == 0 and "none of it is left" in done.stdout, done
    assert not says(*copies) and not says(*(each for each in own_home.rglob("*.db*") if each.is_file()))


@pytest.mark.parametrize("settling", ["accept", "reject", "undo", ""])
def test_a_proposal_that_a_copy_still_holds_goes_with_what_it_cites(
    mem: Run, own_home: Path, settling: str
) -> None:
    ident = mem("remember", "My flatmate Quentomar works night shifts at the clinic").stdout.strip()
    run = json.loads(mem("consolidate", "--json").stdout)["run"]
    [proposal] = [json.loads(line) for line in mem("review", "list", "--json").stdout.splitlines()]
    [backup] = own_home.rglob("memory.db.backup-*")
    assert b"flatmate_of" in backup.read_bytes()
    if settling == "undo":
        assert mem("undo", run).returncode == 0
    elif settling:
        assert mem("review", settling, proposal["id"]).returncode == 0
    done = mem("forget", "--hard", ident, "--yes")
    assert done.returncode == 0, done.stdout
    assert not says(*own_home.rglob("memory.db*")) and b"flatmate_of" not in backup.read_bytes()
    assert mem("doctor").returncode == 0


@pytest.mark.skipif(sys.platform == "win32", reason="no FIFO")
def test_a_pipe_in_the_place_of_a_copy_is_not_waited_for_and_proves_nothing(
    memories: Memories, tmp_path: Path
) -> None:
    kept = memories.remember(TEXT)
    copy = tmp_path / "b.db"
    memories.store.copy_to(copy, memories.now())
    copy.rename(tmp_path / "away.db")
    os.mkfifo(copy)
    [line] = erase_memories(memories, [kept]).unfinished
    assert str(copy) in line and "no regular file" in line
    with pytest.raises(ErasureUnfinished, match="no regular file"):
        finish_erasure(memories)
    copy.unlink()
    (tmp_path / "away.db").rename(copy)
    assert finish_erasure(memories) and not says(copy)
