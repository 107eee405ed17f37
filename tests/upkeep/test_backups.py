"""Backups: anywhere but over what is somebody else's, looked over, restored whole or not at all."""

from __future__ import annotations

import json
import os
import random
import shutil
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, cast

import pytest
import sqlcipher3.dbapi2 as sqlite

from memcli.changes.forgetting.hard import erase
from memcli.changes.forgetting.soft import forget_memories
from memcli.changes.forgetting.targets import find_targets
from memcli.consolidation.steps.tend import STEP, backups_to_keep
from memcli.errors import (
    BadInput,
    FlaggedStore,
    NewerStore,
    NotFound,
    ReadOnlyStore,
    Refused,
    StoreBusy,
    StoreDamaged,
    StoreFull,
    StoreUnusable,
    WrongKey,
)
from memcli.graph import link_changes
from memcli.memories import Memories
from memcli.model import Filter
from memcli.storage.known_copies import CopyKind
from memcli.storage.reports import RestoredStore
from memcli.storage.sqlite import own_copies
from memcli.storage.sqlite.file.copies import copy_path, making_copy, part_of
from memcli.storage.sqlite.file.damage import is_flagged
from memcli.storage.sqlite.replacement import restoring
from memcli.storage.sqlite.store import SqliteStore
from memcli.storage.stores import open_copy, open_store
from memcli.tiers.context import blocks
from memcli.upkeep.copies.backups import backups, find_backup, make_backup, restore_backup, verify_copy
from memcli.upkeep.copies.snapshots import create_snapshot
from tests.conftest import MEM, Run, TickingClock, make_memories
from tests.erasure import erase_memories
from tests.storage import older

TEXT = "Quentomar hides the vermeilion ledger in the attic"


def texts(memories: Memories) -> set[str]:
    return {each.text for each in memories.store.select(Filter(spaces=None, live=False))}


def restore(memories: Memories, path: Path, **options: bool) -> RestoredStore:
    return restore_backup(memories.config, Path(memories.store.location), path, memories.now(), **options)


def test_a_backup_is_a_private_sound_copy_beside_the_store_or_elsewhere(
    memories: Memories, tmp_path: Path
) -> None:
    memories.remember(TEXT)
    before = os.umask(0)
    made = [make_backup(memories), make_backup(memories, tmp_path), make_backup(memories, tmp_path / "x.db")]
    os.umask(before)
    assert len(set(made)) == 3 and made[0].parent == Path(memories.store.location).parent
    for path in made:
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert verify_copy(path, 1).counts["memories"] == 1 and verify_copy(path, 1).ok
    assert {each.path for each in backups(memories)} == set(made)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([made[1].name, "x.db"])


def test_nothing_is_overwritten_but_an_earlier_backup_of_the_same_store(
    memories: Memories, tmp_path: Path, clock: TickingClock
) -> None:
    memories.remember(TEXT)
    store = Path(memories.store.location)
    foreign, link, hard = tmp_path / "letter.txt", tmp_path / "link.db", tmp_path / "hard.db"
    foreign.write_text("dear Ann")
    link.symlink_to(store)
    hard.hardlink_to(store)
    other = tmp_path / "other.db"
    with make_memories(other, clock) as another:
        another.remember("somebody else's")
    before = store.read_bytes()
    targets = [foreign, link, hard, store, other, Path(f"{store}-wal"), Path(os.devnull)]
    for target in [*targets, tmp_path / "no" / "folder" / "x.db"]:
        with pytest.raises(BadInput):
            make_backup(memories, target)
    assert foreign.read_text() == "dear Ann" and store.read_bytes() == before and link.is_symlink()
    with make_memories(other, clock) as another:
        assert texts(another) == {"somebody else's"}
    mine = make_backup(memories, tmp_path / "mine.db")
    memories.remember("another line")
    assert make_backup(memories, mine) == mine and verify_copy(mine, 1).counts["memories"] == 2
    # That there is one somewhere makes what stands elsewhere no copy.
    for target in (foreign, other):
        with pytest.raises(BadInput, match="not a copy of this store"):
            make_backup(memories, target)
    assert foreign.read_text() == "dear Ann"
    # A copy that could not be made is not on record, and leaves nothing.
    assert [each.path for each in backups(memories)] == [mine]


def test_what_is_the_stores_own_takes_no_backup_and_what_is_only_named_alike_does(
    memories: Memories, tmp_path: Path
) -> None:
    memories.remember(TEXT)
    store, hard = Path(memories.store.location), tmp_path / "hard.db"
    hard.hardlink_to(store)
    own = [Path(f"{store}{tail}") for tail in ("-wal", "-shm", "-journal", ".erasing", ".copying", ".lock")]
    there = set(store.parent.iterdir())
    for target in (store, hard, *own):
        with pytest.raises(BadInput, match="this is the store itself"):
            make_backup(memories, target)
    assert set(store.parent.iterdir()) == there
    for target in (tmp_path / f"{store.name}-journal", store.with_name("june.db")):
        assert make_backup(memories, target) == target and verify_copy(target, 1).ok


def test_a_link_to_where_nothing_is_yet_is_written_through(memories: Memories, tmp_path: Path) -> None:
    link = tmp_path / "link.db"
    link.symlink_to(tmp_path / "real.db")
    make_backup(memories, link)
    assert link.is_symlink() and verify_copy(tmp_path / "real.db", 1).ok


def test_the_nightly_run_leaves_what_was_asked_for(memories: Memories, clock: TickingClock) -> None:
    asked = make_backup(memories)
    for _ in range(30):
        clock.advance(days=1)
        memories.store.back_up(clock.instant)
        kept = backups_to_keep(memories.store.backups().values())
        for path, at in memories.store.backups().items():
            if at not in kept:
                memories.store.drop_copy(path)
    assert asked.exists() and asked not in memories.store.backups() and STEP.name == "tend"


def test_an_erasure_reaches_a_backup_wherever_it_was_made(memories: Memories, tmp_path: Path) -> None:
    kept = memories.remember(TEXT)
    elsewhere = make_backup(memories, tmp_path / "x.db")
    receipt = erase_memories(memories, [kept])
    assert receipt.backups[str(elsewhere)] == "erased" and b"vermeilion" not in elsewhere.read_bytes()


def test_a_store_that_may_only_be_read_is_backed_up(mem: Run, own_home: Path, tmp_path: Path) -> None:
    assert mem("remember", TEXT).returncode == 0
    data = own_home / "data"
    (data / "memory.db").chmod(0o400)
    data.chmod(0o500)
    if os.access(data, os.W_OK):
        data.chmod(0o700)
        pytest.skip("this user may write anywhere")
    done = mem("backup", str(tmp_path))
    data.chmod(0o700)
    assert done.returncode == 0 and "not on record" in done.stderr
    assert verify_copy(Path(done.stdout.strip()), 1).ok


def test_a_backup_is_named_by_latest_a_path_or_part_of_its_name(
    memories: Memories, clock: TickingClock
) -> None:
    with pytest.raises(NotFound):
        find_backup(backups(memories), "latest")
    first = make_backup(memories)
    clock.advance(hours=1)
    second = make_backup(memories)
    known = backups(memories)
    assert find_backup(known, "latest") == second and find_backup(known, first.name[-28:]) == first
    assert find_backup(known, str(first)) == first
    with pytest.raises(BadInput, match="2 backups"):
        find_backup(known, "on-demand")
    # What a restore kept is a way back, and not what "latest" means.
    restore(memories, first)
    assert find_backup(backups(memories), "latest") == second


def test_listed_is_what_is_there_or_may_come_back_newest_first_with_its_age(
    memories: Memories, clock: TickingClock, tmp_path: Path
) -> None:
    start, store = clock.instant, Path(memories.store.location)
    by_hand = store.with_name(f"{store.name}.backup-before-the-move")
    shutil.copyfile(make_backup(memories), by_hand)
    os.utime(by_hand, (0, 0))
    clock.advance(hours=1)
    elsewhere = make_backup(memories, tmp_path / "x.db")
    clock.advance(hours=1)
    # A folder that is not there, or cannot be asked for, may be a stick's.
    away, unasked = tmp_path / "stick" / "may.db", tmp_path / ("z" * 300) / "z.db"
    memories.store.note_copy(away, CopyKind.BACKUP, memories.now())
    clock.advance(hours=1)
    memories.store.note_copy(unasked, CopyKind.BACKUP, memories.now())
    # What is no backup, not whole, or was removed.
    create_snapshot(memories, "june")
    Path(f"{store}.backup-20270101T000000Z.part").write_bytes(b"half of it")
    make_backup(memories, tmp_path / "gone.db").unlink()
    known = backups(memories)
    [made] = [each.path for each in known if each.path.name.endswith("-on-demand")]
    hours = [(each.path, each.at and round((each.at - start) / timedelta(hours=1))) for each in known[:-1]]
    assert hours == [(unasked, 3), (away, 2), (elsewhere, 1), (made, 0)]
    assert (known[-1].path, known[-1].at) == (by_hand, datetime(1970, 1, 1, tzinfo=UTC))
    assert [each.to_record()["there"] for each in known] == [False, False, True, True, True]
    assert [each.elsewhere for each in known] == [True, True, True, False, False]
    # Only what is there can be had back.
    assert find_backup(known, "latest") == elsewhere
    with pytest.raises(NotFound, match="no backup 'may"):
        find_backup(known, "may.db")
    for nothing in ("", "  "):
        with pytest.raises(BadInput, match="names no backup"):
            find_backup(known, nothing)


def test_a_copy_is_looked_over_with_what_was_forgotten_and_wherever_it_lies(
    memories: Memories, tmp_path: Path
) -> None:
    forget_memories(memories, [memories.remember(TEXT)], "wrong")
    memories.remember("the hall is made of oak")
    copy = make_backup(memories, tmp_path / "x.db")
    # As on a stick, where all is everybody's.
    copy.chmod(0o644)
    verdict = verify_copy(copy, 1)
    assert verdict.ok and not verdict.problems and verdict.counts["memories"] == 2


# Restoring


def test_a_restored_backup_is_the_store_and_what_it_replaced_is_kept(memories: Memories) -> None:
    memories.remember(TEXT)
    backup = make_backup(memories)
    content = backup.read_bytes()
    memories.remember("learned since")
    neighbour = open_store(Path(memories.store.location))
    done = restore(memories, backup)
    # Whoever has it open sees it change, and writes on.
    assert texts(memories) == {TEXT} == {m.text for m in neighbour.select(Filter(live=False))}
    memories.remember("and on")
    assert {m.text for m in neighbour.select(Filter(live=False))} == {TEXT, "and on"}
    neighbour.close()
    assert done.kept and not done.was_damaged and backup.read_bytes() == content
    kept = open_copy(done.kept)
    assert {m.text for m in kept.select(Filter(live=False))} == {TEXT, "learned since"}
    kept.close()
    assert all(each.ok for each in memories.store.check())
    assert memories.recall("where is the ledger?").hits[0].memory.text == TEXT


@pytest.mark.parametrize("left", ["sound", "cut", "gone"])
def test_what_was_flagged_as_damaged_is_written_to_again_once_a_backup_took_its_place(
    memories: Memories, left: str
) -> None:
    memories.remember(TEXT)
    backup, path = make_backup(memories), Path(memories.store.location)
    memories.store.flag(["rows: memory 1"])
    memories.close()
    if left == "cut":
        path.write_bytes(path.read_bytes()[:50])
    elif left == "gone":
        path.unlink()
    assert is_flagged(path)
    restore_backup(memories.config, path, backup, datetime(2026, 5, 4, tzinfo=UTC))
    with closing(open_store(path)) as store:
        assert store.hindrance is None and not is_flagged(path)
        store.drop_state("default", "task", "none")


def test_nothing_erased_since_comes_back_with_a_backup_that_nobody_knew(
    memories: Memories, tmp_path: Path
) -> None:
    kept, other = memories.remember(TEXT), memories.remember("the hall is made of oak")
    memories.remember(f"Ann says: {TEXT}")
    link_changes.link_entities(memories, "Quentomar", "hides", "ledger", evidence=kept)
    blocks.put_block(memories, "house", f"Mind: {TEXT}.")
    unknown = tmp_path / "carried-away.db"
    shutil.copyfile(make_backup(memories), unknown)
    receipt = erase_memories(memories, [kept])
    erase(memories, find_targets(memories, receipt.shared))
    assert b"vermeilion" in unknown.read_bytes()
    assert restore(memories, unknown).knows_erased
    assert texts(memories) == {other.text}
    memories.store.scrub()
    folder = Path(memories.store.location).parent
    found = [path for path in folder.iterdir() if path.is_file() and b"vermeilion" in path.read_bytes()]
    assert found == []
    # And it is still known as forgotten.
    with pytest.raises(Exception, match="forgotten"):
        memories.remember(TEXT)


def test_records_of_copies_outlive_a_restore(memories: Memories, tmp_path: Path) -> None:
    kept = memories.remember(TEXT)
    first = make_backup(memories)
    elsewhere = make_backup(memories, tmp_path / "x.db")
    restore(memories, first)
    assert elsewhere in {each.path for each in backups(memories)}
    assert erase_memories(memories, [kept]).backups[str(elsewhere)] == "erased"


def test_a_store_is_not_restored_from_itself(memories: Memories, own_home: Path) -> None:
    memories.remember(TEXT)
    link = own_home / "another-name.db"
    link.symlink_to(memories.store.location)
    for path in (Path(memories.store.location), link):
        with pytest.raises(StoreUnusable, match="the store itself"):
            restore(memories, path)
    assert texts(memories) == {TEXT} and not list(memories.store.backups())


@pytest.mark.parametrize("spoil", ["flipped", "cut", "foreign", "text", "empty", "newer", "folder"])
def test_what_is_no_sound_copy_is_refused_and_nothing_changes(
    memories: Memories, tmp_path: Path, spoil: str
) -> None:
    for number in range(200):
        memories.remember(f"{TEXT} {number}")
    bad = make_backup(memories, tmp_path / "x.db")
    content = bytearray(bad.read_bytes())
    draw = random.Random(7)
    if spoil == "flipped":
        for place in range(len(content) // 3, len(content) - 100, 16384):
            content[place : place + 40] = draw.randbytes(40)
        bad.write_bytes(content)
    elif spoil == "cut":
        bad.write_bytes(content[: len(content) // 2])
    elif spoil in ("text", "empty"):
        bad.write_bytes(b"dear Ann, this is no database at all " * 99 if spoil == "text" else b"")
    elif spoil == "folder":
        bad = tmp_path
    else:
        bad.unlink() if spoil == "foreign" else None
        with sqlite3.connect(bad) as db:
            db.execute("PRAGMA user_version = 999" if spoil == "newer" else "CREATE TABLE t (x)")
        db.close()
    before = texts(memories)
    assert not verify_copy(bad, 1).ok
    with pytest.raises((StoreUnusable, NotFound)) as caught:
        restore(memories, bad)
    assert "\n" not in str(caught.value) and str(bad) in str(caught.value)
    assert isinstance(caught.value, NewerStore) or spoil != "newer"
    assert texts(memories) == before
    assert not list(Path(memories.store.location).parent.glob("*restor*"))


@pytest.mark.parametrize(
    ("sql", "problem"),
    [("UPDATE memories SET confidence = 0.123", "not as memcli wrote it"), ("DELETE FROM vectors", "")],
)
def test_a_copy_is_sound_whose_rows_are_whether_or_not_they_were_read(
    memories: Memories, tmp_path: Path, sql: str, problem: str
) -> None:
    memories.remember("the mill grinds")
    copy = make_backup(memories, tmp_path / "copy.db")
    with closing(sqlite.connect(copy)) as db, db:
        db.execute(sql)
    verdict = verify_copy(copy, 1)
    assert verdict.ok is not bool(problem) and problem in "".join(verdict.problems)


@pytest.mark.parametrize("spoil", ["pages", "cut", "empty", "gone"])
def test_a_store_that_cannot_be_read_is_set_aside(memories: Memories, spoil: str) -> None:
    for number in range(100):
        memories.remember(f"{TEXT} {number}")
    backup, store = make_backup(memories), Path(memories.store.location)
    memories.close()
    content = bytearray(store.read_bytes())
    if spoil == "pages":
        for place in range(16384 * 2, len(content), 16384):
            content[place : place + 9000] = os.urandom(9000)
        store.write_bytes(content)
    elif spoil == "gone":
        store.unlink()
    else:
        store.write_bytes(content[: 16384 * 3] if spoil == "cut" else b"")
    spoilt = store.read_bytes() if store.exists() else None
    done = restore_backup(memories.config, store, backup, memories.now())
    assert (done.kept.read_bytes() if done.kept else None) == spoilt
    again = open_store(store, create=False)
    assert sum(number for _, _, number in again.count(Filter(live=False))) == 100
    assert all(each.ok for each in again.check())
    again.close()


def test_a_store_that_no_key_opens_is_replaced_by_force_only(memories: Memories) -> None:
    memories.remember(TEXT)
    backup, store = make_backup(memories), Path(memories.store.location)
    memories.close()
    store.write_bytes(os.urandom(16384 * 4))
    spoilt = store.read_bytes()
    with pytest.raises(WrongKey):
        restore_backup(memories.config, store, backup, memories.now())
    assert store.read_bytes() == spoilt
    done = restore_backup(memories.config, store, backup, memories.now(), force=True)
    assert done.kept and done.kept.read_bytes() == spoilt and not done.knows_erased


def test_a_restore_that_is_cut_off_leaves_the_store_as_it_was(
    memories: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    memories.remember(TEXT)
    backup = make_backup(memories)
    memories.remember("learned since")

    def fail(*arguments: object) -> None:
        raise OSError(28, "no space left on device")

    for step in ("back_up", "sync_whole", "open_database", "_replace_content"):
        with monkeypatch.context() as patch, pytest.raises((StoreUnusable, OSError)):
            patch.setattr(restoring, step, fail)
            restore(memories, backup)
        assert texts(memories) == {TEXT, "learned since"}
        assert not list(Path(memories.store.location).parent.glob("*restoring*"))


def test_what_a_restore_that_was_killed_left_is_not_in_the_next(memories: Memories) -> None:
    memories.remember(TEXT)
    backup = make_backup(memories)
    path = Path(memories.store.location)
    left = part_of(copy_path(path, CopyKind.BACKUP, "restoring"))
    left.write_bytes(b"half of another store" * 1000)
    restore(memories, backup)
    assert texts(memories) == {TEXT} and not left.exists()


@pytest.mark.parametrize("is_written", [False, True])
def test_a_restore_for_which_there_is_no_room_leaves_no_backup_behind_but_of_what_it_overwrote(
    memories: Memories, monkeypatch: pytest.MonkeyPatch, is_written: bool
) -> None:
    memories.remember(TEXT)
    backup = make_backup(memories)
    memories.remember("learned since")

    def fail(store: SqliteStore, *given: object, patience: float) -> bool:
        if is_written:
            memories.remember("half of it")
        error = sqlite.OperationalError("database or disk is full")
        vars(error)["sqlite_errorcode"] = sqlite.SQLITE_FULL
        raise error

    monkeypatch.setattr(restoring, "_overwritten", fail)
    with pytest.raises(
        StoreFull, match="is kept as .*-before-restore" if is_written else "nothing was changed"
    ):
        restore(memories, backup)
    left = {each.path for each in backups(memories)} - {backup}
    assert bool(left) == is_written


def test_what_a_neighbour_writes_in_the_last_instant_is_kept(
    memories: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    memories.remember(TEXT)
    backup = make_backup(memories)
    late = ["The ferry leaves at nine"]

    @contextmanager
    def after_a_write(path: Path, *, patience: float) -> Iterator[None]:
        while late:
            memories.remember(late.pop())
        with making_copy(path, patience=patience):
            yield

    monkeypatch.setattr(restoring, "making_copy", after_a_write)
    done = restore(memories, backup)
    assert done.kept and texts(memories) == {TEXT}
    with closing(open_copy(done.kept)) as kept:
        assert "The ferry leaves at nine" in {each.text for each in kept.select(Filter(spaces=None))}


@pytest.mark.parametrize("damaged", [False, True])
def test_what_a_neighbour_forgets_for_good_meanwhile_does_not_come_back(
    memories: Memories, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damaged: bool
) -> None:
    kept, other = memories.remember(TEXT), memories.remember("the hall is made of oak")
    unknown, settled = tmp_path / "carried-away.db", restoring._settled
    shutil.copyfile(make_backup(memories), unknown)
    place, late = Path(memories.store.location), [kept]

    def before_an_erasure(*given: Any) -> Any:
        done = settled(*given)
        while late:
            with make_memories(place, TickingClock()) as neighbour:
                erase_memories(neighbour, [late.pop()])
        return done

    monkeypatch.setattr(restoring, "_settled", before_an_erasure)
    if damaged:
        store = open_store(place)
        monkeypatch.setattr(
            restoring, "_present", lambda *_: restoring._Present(cast(Any, store), StoreDamaged(f"{place}"))
        )
        with pytest.raises(StoreBusy):
            restore(memories, unknown)
    else:
        restore(memories, unknown)
    assert texts(memories) == {other.text}
    with pytest.raises(Refused, match="forgotten"):
        memories.remember(TEXT)


def test_a_store_that_is_made_meanwhile_is_not_replaced(
    memories: Memories, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memories.remember(TEXT)
    backup, place, put = make_backup(memories), tmp_path / "new.db", restoring._put_where_nothing_is
    other = tmp_path / "other.db"
    open_store(other).close()

    def after_another(fresh: Path, file: Path) -> None:
        # As whoever asks for no lock: a copy by hand, another program.
        shutil.copyfile(other, place)
        put(fresh, file)

    monkeypatch.setattr(restoring, "_put_where_nothing_is", after_another)
    with pytest.raises(BadInput, match="is there by now"):
        restore_backup(memories.config, place, backup, memories.now())
    with closing(open_store(place)) as store:
        assert not list(store.select(Filter(spaces=None)))


def test_a_store_that_others_write_to_all_the_time_is_not_replaced(
    memories: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    memories.remember(TEXT)
    backup = make_backup(memories)
    memories.remember("learned since")
    tried: list[object] = []
    monkeypatch.setattr(restoring, "_overwritten", lambda *_, **__: tried.append(None))
    with pytest.raises(StoreBusy, match="keep writing to it"):
        restore(memories, backup)
    assert len(tried) == 5 and texts(memories) == {TEXT, "learned since"}
    assert [each.path for each in backups(memories)] == [backup]


def test_where_no_backup_can_be_made_it_is_said_why(memories: Memories, tmp_path: Path) -> None:
    memories.remember(TEXT)
    memories.store.hindrance = ReadOnlyStore("x", "may only be read: it is mounted so")
    with pytest.raises(ReadOnlyStore, match="mounted so; nothing was changed. Name another place"):
        make_backup(memories)
    memories.store.hindrance = FlaggedStore("it is damaged")
    with pytest.raises(FlaggedStore, match="it is damaged"):
        make_backup(memories)
    memories.store.hindrance = None
    with pytest.raises(BadInput, match="cannot be used"):
        make_backup(memories, tmp_path / ("x" * 300) / "y")
    assert not backups(memories)
    with pytest.raises(NotFound, match="no backup 'june'"):
        find_backup(backups(memories), "june")


def test_a_copy_is_heard_of_as_it_grows(memories: Memories, monkeypatch: pytest.MonkeyPatch) -> None:
    memories.remember(TEXT)
    monkeypatch.setattr(own_copies, "_INSTRUCTIONS", 10)
    heard: list[tuple[int, int]] = []
    size = make_backup(memories, progress=lambda done, total: heard.append((done, total))).stat().st_size
    assert heard and all(done <= total for done, total in heard)
    assert abs(heard[-1][1] - size) < size
    # Only this copy: whoever asks the store later is not counted.
    told = len(heard)
    memories.remember("learned since")
    assert len(heard) == told


def test_a_copy_that_its_owner_gave_up_is_not_on_record_again_after_a_restore(
    memories: Memories, tmp_path: Path
) -> None:
    memories.remember(TEXT)
    memories.store.note_copy(tmp_path / "stick" / "x.db", CopyKind.BACKUP, memories.now())
    backup = make_backup(memories)
    assert memories.store.forget_copy(tmp_path / "stick" / "x.db")
    restore(memories, backup)
    assert "x.db" not in {each.path.name for each in memories.store.copies()}


def test_a_device_takes_no_backup(memories: Memories) -> None:
    memories.remember(TEXT)
    for place in ("/dev/null", "/dev/zero"):
        with pytest.raises(BadInput, match="a device"):
            make_backup(memories, Path(place))
    assert not backups(memories)


# As commands


def test_the_commands_say_what_they_did(mem: Run, own_home: Path, tmp_path: Path) -> None:
    assert mem("backup").returncode == 1  # no store yet
    assert mem("remember", TEXT).returncode == 0
    assert mem("backup", "list").returncode == 1 and mem("backup", "verify").returncode == 1
    path = mem("backup", "--json")
    assert json.loads(path.stdout)["bytes"] > 0
    assert mem("backup", str(tmp_path / "x.db")).stdout.strip() == str(tmp_path / "x.db")
    listed = [json.loads(line) for line in mem("backup", "list", "--json").stdout.splitlines()]
    assert [each["elsewhere"] for each in listed].count(True) == 1 and all(each["there"] for each in listed)
    assert mem("backup", "verify").stdout.count("ok  ") == 2
    (tmp_path / "x.db").write_bytes(b"\0" * 5000)
    bad = mem("backup", "verify", "--json")
    assert bad.returncode == 4
    assert [json.loads(line)["ok"] for line in bad.stdout.splitlines()].count(False) == 1
    refused = mem("backup", "restore", json.loads(path.stdout)["path"])
    assert refused.returncode == 2 and "--yes" in refused.stderr
    assert mem("forget", "--all", "--yes").returncode == 0
    path_of = json.loads(path.stdout)["path"]
    dry = mem("backup", "restore", path_of, "--dry-run", "--json")
    assert json.loads(dry.stdout)["memories"] == 1 and TEXT not in mem("list").stdout
    done = mem("backup", "restore", path_of, "--yes", "--json")
    assert done.returncode == 0 and Path(json.loads(done.stdout)["kept"]).exists()
    assert TEXT in mem("list").stdout
    unknown = mem("backup", "restore", "nosuch", "--yes")
    assert (unknown.returncode, unknown.stderr.count("\n")) == (1, 1)


def test_the_copies_of_a_store_that_was_cut_are_listed_and_restored(mem: Run, own_home: Path) -> None:
    assert mem("remember", TEXT).returncode == 0
    assert mem("backup").returncode == 0 and mem("snapshot", "create").returncode == 0
    store = own_home / "data" / "memory.db"
    for content in (b"", None):
        store.write_bytes(content) if content is not None else store.unlink()
        listed = mem("backup", "list", "--json")
        kinds = {json.loads(line)["kind"] for line in listed.stdout.splitlines()}
        assert listed.returncode == 0 and kinds >= {"backup", "snapshot"}
        assert mem("backup", "verify").returncode == 0
        done = mem("backup", "restore", "latest", "--yes")
        assert done.returncode == 0 and "nothing was" not in done.stderr
        assert TEXT in mem("list").stdout


def test_a_backup_is_whole_while_others_write(mem: Run, tmp_path: Path) -> None:
    assert mem("remember", "the first line").returncode == 0
    lines = "\n".join(f"line {n} of the log says {n * 7919 % 1009}" for n in range(400))
    writing = subprocess.Popen([MEM, "remember", "--batch", "-"], stdin=subprocess.PIPE, text=True)
    try:
        assert writing.stdin
        writing.stdin.write(lines)
        writing.stdin.close()
        for number in range(3):
            assert mem("backup", str(tmp_path / f"{number}.db")).returncode == 0
            assert verify_copy(tmp_path / f"{number}.db", 5).ok
    finally:
        writing.wait(60)


def test_an_older_backup_is_brought_up_to_date_and_stays_as_it_is(
    memories: Memories, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = tmp_path / "old.db"
    older.at(old, 4, monkeypatch)
    with sqlite3.connect(old) as db:
        db.execute("PRAGMA journal_mode = DELETE")
        [(schema,)] = db.execute("PRAGMA user_version")
    db.close()
    content = old.read_bytes()
    assert schema == 4 and verify_copy(old, 1).ok
    memories.remember(TEXT)
    restore(memories, old)
    assert not texts(memories) and old.read_bytes() == content
    assert [path.name for path in tmp_path.iterdir()] == ["old.db"]
    memories.remember("the new one works")


def test_a_plain_backup_takes_no_encrypted_stores_place(mem: Run, own_home: Path, tmp_path: Path) -> None:
    assert mem("remember", TEXT).returncode == 0
    plain = tmp_path / "plain.db"
    shutil.copyfile(own_home / "data" / "memory.db", plain)
    key = tmp_path / "key"
    assert mem("encrypt", "--key-file", str(key)).returncode == 0
    refused = mem("backup", "restore", str(plain), "--yes")
    assert refused.returncode == 4 and "encrypt" in refused.stderr and refused.stderr.count("\n") == 1
    assert TEXT in mem("list").stdout
    assert mem("backup", str(tmp_path / "mine.db")).returncode == 0
    assert mem("snapshot", "create", "one").returncode == 0
    assert mem("backup", "restore", str(tmp_path / "mine.db"), "--yes").returncode == 0
    files = [*(own_home / "data").iterdir(), tmp_path / "mine.db"]
    assert not [path for path in files if path.is_file() and b"vermeilion" in path.read_bytes()]


def test_a_restore_without_the_key_is_one_line(mem: Run, own_home: Path) -> None:
    mem("remember", TEXT)
    mem("backup")
    key = own_home / "key"
    assert mem("encrypt", "--key-file", str(key)).returncode == 0
    key.write_text("ab" * 32)
    refused = mem("backup", "restore", "latest", "--yes")
    assert refused.returncode == 4 and refused.stderr.count("\n") == 1 and "not opened by" in refused.stderr


def test_what_a_killed_restore_held_is_gone_with_the_next_command(mem: Run, own_home: Path) -> None:
    """It is all of the copy, with what was forgotten for good since."""
    store = Path(os.environ["MEMCLI_DB"])
    ident = mem("remember", "Quentomar hides the vermeilion ledger").stdout.strip()
    copy = own_home / "copy.db"
    assert mem("backup", str(own_home / "stick.db")).returncode == 0
    shutil.copyfile(own_home / "stick.db", copy)
    assert mem("forget", "--hard", "--yes", ident).returncode == 0
    killing = (
        "import os, sys\n"
        "from memcli.storage.sqlite.replacement import restoring\n"
        "restoring._settled = lambda *given: os._exit(9)\n"
        "from memcli.__main__ import main\n"
        f"sys.argv = ['mem', 'backup', 'restore', {str(copy)!r}, '--yes']\n"
        "main()\n"
    )
    environment = {**os.environ, "MEMCLI_WARM": "off"}
    assert subprocess.run([sys.executable, "-c", killing], env=environment, check=False).returncode == 9
    assert any(b"uentomar" in each.read_bytes() for each in store.parent.glob(f"{store.name}*"))
    assert mem("list").returncode == 1
    left = [each.name for each in store.parent.glob(f"{store.name}*")]
    assert not [each for each in left if "restoring" in each], left
    assert mem("backup", "restore", str(copy), "--yes").returncode == 0
    assert "vermeilion" not in mem("list").stdout


def test_a_restored_store_that_cannot_be_read_at_once_is_not_called_unchanged(memories: Memories) -> None:
    memories.remember("the pool opens in May")
    made = make_backup(memories)
    code = f"""
import sys
from memcli.app import run
from memcli.errors import StoreUnusable
from memcli.upkeep.copies import backups
def unreadable(*_):
    raise StoreUnusable("the disk fails", left="nothing was changed")
backups.holdings = unreadable
sys.exit(run(["backup", "restore", {str(made)!r}, "--yes", "--db", {str(memories.store.location)!r}]))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 4 and "was restored, and what was there before is kept: " in done.stderr
    assert "-before-restore" in done.stderr and "nothing was changed" not in done.stderr
