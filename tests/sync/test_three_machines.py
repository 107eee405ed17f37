"""Random histories of three machines, synced in any order, repeated, killed in between, become the same."""

from __future__ import annotations

import shutil
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
import sqlcipher3.dbapi2 as sqlite
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memcli.changes.forgetting.hard import erase
from memcli.changes.forgetting.receipt import ERASED
from memcli.changes.forgetting.targets import Targets, find_targets
from memcli.changes.forgetting.unfinished import stale_change_files
from memcli.changes.revision import correct_memory, edit_memory
from memcli.commands.terminal.store import _finish_erasure
from memcli.graph.link_changes import link_entities
from memcli.model import Event, Memory, State
from memcli.storage import areas
from memcli.storage.sqlite.file import place
from memcli.storage.states import is_erasure_cut_off, write_state
from memcli.sync.erasures.after_erasure import folders_to_tell, renew_folders
from memcli.sync.erasures.pending import read_pending
from memcli.sync.files.folder import Folder
from memcli.sync.records import registers
from memcli.sync.replica import FOLDERS, noted_value, settle_restored
from memcli.sync.run import drop_folder, sync_folder
from memcli.tiers.context import blocks
from memcli.upkeep import health
from memcli.upkeep.copies.backups import make_backup, restore_backup
from memcli.write_policy.drafts import Draft
from memcli.write_policy.settings import WriteOptions
from tests.conftest import make_memories
from tests.sync.machines import ALL, Machine, all_told, closing, knowledge
from tests.sync.random_histories import Killed, block, killed_at, live_through


# Thousands more are tried by `benchmarks.histories`.
@settings(max_examples=10, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 2**32), st.booleans())
def test_all_become_the_same(seed: int, kills: bool) -> None:
    live_through(seed, kills=kills)


@pytest.mark.parametrize("at", range(1, 26))
def test_killed_at_any_write_the_next_run_completes_it(tmp_path: Path, at: int) -> None:
    one, two = Machine(tmp_path, "one"), Machine(tmp_path, "two", timedelta(days=1))
    gone = one.memories.remember(Draft(text="Quentomar hides the vermeilion ledger", kind="fact"))
    kept = one.memories.remember(Draft(text="the ferry leaves at noon", kind="fact"))
    all_told([one, two])
    two.memories.remember(Draft(text="the harbour is closed in winter", kind="fact"))
    erase(two.memories, Targets([gone]))
    edit_memory(one.memories, kept, tags=["ferry"])
    for each in (two, one):
        with killed_at(at):
            try:
                each.sync()
            except Killed:
                each.reopen()
    all_told([one, two])
    assert knowledge(one.memories) == knowledge(two.memories)
    assert len(list(one.memories.store.select(ALL))) == 2
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and b"uentomar" in path.read_bytes()]
    closing([one, two])


def test_a_value_that_was_written_again_after_its_erasure_stays(tmp_path: Path) -> None:
    one, two = Machine(tmp_path, "one", timedelta(days=1)), Machine(tmp_path, "two")
    label = ("default", areas.BLOCK.name, "owner")
    write_state(one.memories.store, *label, block("first"), one.now())
    all_told([one, two])
    erase(one.memories, Targets(values=frozenset({label})))
    all_told([one, two])
    assert not list(two.memories.store.states(*_asked(label)))
    # By a clock that is a day behind the one of the erasure.
    write_state(two.memories.store, *label, block("second"), two.now())
    all_told([two, one])
    assert [each.value for each in one.memories.store.states(*_asked(label))] == [block("second")]
    erase(two.memories, Targets(values=frozenset({label})))
    all_told([two, one])
    assert not list(one.memories.store.states(*_asked(label)))
    closing([one, two])


def _asked(label: tuple[str, str, str]) -> tuple[tuple[str], str, str]:
    space, area, key = label
    return (space,), area, key


def test_what_both_changed_is_kept_aside_where_it_was_replaced(tmp_path: Path) -> None:
    from memcli.sync.lost import lost_values

    one, two = Machine(tmp_path, "one"), Machine(tmp_path, "two")
    label = ("default", areas.BLOCK.name, "owner")
    write_state(one.memories.store, *label, block("begun"), one.now())
    all_told([one, two])
    write_state(one.memories.store, *label, block("earlier"), one.now())
    write_state(two.memories.store, *label, block("later"), two.now())
    two.sync()
    one.sync()
    two.sync()
    values = [each.value for m in (one, two) for each in m.memories.store.states(*_asked(label))]
    assert values == [block("later"), block("later")]
    assert [each.value for each in lost_values(one.memories, None)] == [block("earlier")]
    assert not list(lost_values(two.memories, None))
    closing([one, two])


def test_tags_of_both_are_united_and_what_one_took_away_is_gone(tmp_path: Path) -> None:
    one, two = Machine(tmp_path, "one"), Machine(tmp_path, "two")
    kept = one.memories.remember(Draft(text="The ferry leaves at noon", tags=("old", "ferry"))).id
    all_told([one, two])
    edit_memory(one.memories, one.memories.find(kept), tags=["north"], without_tags=["old"])
    edit_memory(two.memories, two.memories.find(kept), tags=["south"])
    all_told([one, two])
    assert [m.memories.find(kept).tags for m in (one, two)] == [("ferry", "north", "south")] * 2
    edit_memory(two.memories, two.memories.find(kept), tags=["old"])
    all_told([one, two])
    assert one.memories.find(kept).tags == ("ferry", "north", "old", "south")
    closing([one, two])


def test_files_and_clocks_in_which_tags_were_one_register_are_read(tmp_path: Path) -> None:
    one, two = Machine(tmp_path, "one"), Machine(tmp_path, "two")
    kept = one.memories.remember(Draft(text="The ferry leaves at noon", tags=("ferry",))).id
    with patch.object(registers, "tag_registers", lambda tags: {"tags": list(tags)}):
        one.sync()
        [clock] = one.memories.store.clocks("memory", [kept]).values()
    assert "tags" in clock.value["sums"]
    two.sync()
    assert two.memories.find(kept).tags == ("ferry",)
    edit_memory(one.memories, one.memories.find(kept), tags=["north"])
    edit_memory(two.memories, two.memories.find(kept), tags=["south"])
    all_told([one, two])
    assert [m.memories.find(kept).tags for m in (one, two)] == [("ferry", "north", "south")] * 2
    closing([one, two])


def test_what_two_corrected_each_in_its_way_is_told_on_both_once(tmp_path: Path) -> None:
    one, two = Machine(tmp_path, "one"), Machine(tmp_path, "two")
    kept = one.memories.remember(Draft(text="The ferry lies at slip 9"))
    all_told([one, two])
    slips = [
        correct_memory(
            machine.memories, machine.memories.find(kept.id), f"The ferry lies at slip {slip}", WriteOptions()
        )
        for machine, slip in ((one, 14), (two, 20))
    ]
    one.sync()
    told = [two.sync().taken.corrected, one.sync().taken.corrected]
    for [each] in told:
        assert each.memory == kept.id and {m.id for m in each.stand} == {d.memory.id for d in slips}
    assert not any(machine.sync().taken.corrected for machine in (one, two, one))
    closing([one, two])


def test_what_both_corrected_alike_is_nobody_to_settle(tmp_path: Path) -> None:
    one, two = Machine(tmp_path, "one"), Machine(tmp_path, "two")
    kept = one.memories.remember(Draft(text="The ferry lies at slip 9"))
    all_told([one, two])
    for machine in (one, two):
        correct_memory(
            machine.memories, machine.memories.find(kept.id), "The ferry lies at slip 14", WriteOptions()
        )
    assert not any(machine.sync().taken.corrected for machine in (one, two, one))
    closing([one, two])


def test_a_state_of_a_newer_memcli_travels(tmp_path: Path) -> None:
    one, two = Machine(tmp_path, "one"), Machine(tmp_path, "two")
    now = one.now()
    one.memories.store.put_state(State("default", "from-a-newer-memcli", "k", [1], 1, now, now))
    all_told([one, two])
    assert [each.value for each in two.memories.store.states(None, "from-a-newer-memcli")] == [[1]]
    closing([one, two])


def test_through_two_folders_all_goes_all_the_way(tmp_path: Path) -> None:
    """One and two share a folder, two and three another."""
    one, two, three = (Machine(tmp_path, name) for name in ("one", "two", "three"))
    second = tmp_path / "second"
    second.mkdir()
    three.folder = Folder(second)

    def around() -> None:
        for _ in range(5):
            one.sync()
            two.sync()
            sync_folder(two.memories, Folder(second))
            three.sync()

    gone = one.memories.remember(Draft(text="Quentomar hides the vermeilion ledger", kind="fact"))
    kept = one.memories.remember(Draft(text="the ferry leaves at noon", kind="fact"))
    around()
    edit_memory(three.memories, kept, tags=["ferry"])
    erase(one.memories, Targets([gone]))
    around()
    assert knowledge(one.memories) == knowledge(two.memories) == knowledge(three.memories)
    assert [each.tags for each in one.memories.store.select(ALL)] == [("ferry",)]
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and b"uentomar" in path.read_bytes()]
    closing([one, two, three])


def test_what_was_purged_there_is_purged_here_and_out_of_all_files(tmp_path: Path) -> None:
    one, two = Machine(tmp_path, "one"), Machine(tmp_path, "two")
    old = one.memories.remember(Draft(text="Quentomar hides the vermeilion ledger", kind="fact"))
    all_told([one, two])
    change = one.memories.change("purge", "past its grace")
    one.memories.store.erase([old.id], change, one.now())
    all_told([one, two])
    assert not two.ids() and knowledge(one.memories) == knowledge(two.memories)
    files = [path.read_bytes() for path in one.folder.path.rglob("*.changes")]
    assert not [each for each in files if b"uentomar" in each]
    # Nobody erased it: it may be said again.
    assert two.memories.remember(Draft(text="Quentomar hides the vermeilion ledger", kind="fact"))
    closing([one, two])


def test_a_secret_does_not_come_in_unless_it_was_forced_there_or_is_here(tmp_path: Path) -> None:
    one, two = Machine(tmp_path, "one"), Machine(tmp_path, "two")
    now = one.now()
    fine = Memory(
        id=one.memories.new_id(now), kind="fact", text="the ferry leaves at noon",
        happened_at=now, created_at=now, updated_at=now,
    )  # fmt: skip
    secret = replace(fine, id=one.memories.new_id(now), text="The Wi-Fi password is hunter2hunter2")
    one.memories.store.put([fine, secret], one.memories.change("add"), now)
    one.sync()
    report = two.sync()
    assert two.ids() == [fine.id] and len(report.taken.refused) == 1
    assert "hunter2" not in str(report.taken.refused)
    assert not list(two.memories.store.history(secret.id))
    assert not two.sync().taken.refused  # told once
    assert len(two.sync(force=True).taken.added) == 1 and len(two.ids()) == 2
    closing([one, two])


def test_a_damaged_row_is_told_to_nobody(tmp_path: Path) -> None:
    one, two = Machine(tmp_path, "one"), Machine(tmp_path, "two")
    one.memories.remember(Draft(text="the ferry leaves at noon", kind="fact"))
    one.memories.remember(Draft(text="the harbour is closed in winter", kind="fact"))
    one.memories.close()
    database = sqlite.connect(str(one.path))
    database.execute("UPDATE memories SET text = 'the ferry leaves at nine' WHERE text LIKE '%ferry%'")
    database.commit()
    database.close()
    one.memories = make_memories(one.path, one.now)
    assert any("damaged" in note for note in one.sync().notes)
    two.sync()
    assert [each.text for each in two.memories.store.select(ALL)] == ["the harbour is closed in winter"]
    closing([one, two])


def test_a_value_that_two_others_changed_is_named_once_and_with_its_space(tmp_path: Path) -> None:
    one, two, three = (Machine(tmp_path, name) for name in ("one", "two", "three"))
    for name in ("default", "work"):
        blocks.put_block(one.memories.in_space(name), "me", "first")
    all_told([one, two, three])
    for each in (one, two, three):
        for name in ("default", "work"):
            blocks.put_block(each.memories.in_space(name), "me", f"as {each.path.parent.name} has it")
    for each in (two, three):
        each.sync()
    assert sorted(one.sync().taken.lost) == ["block/me", "block/me in work"]
    closing([one, two, three])


def test_a_store_that_lost_its_clocks_tells_all_again(tmp_path: Path) -> None:
    one, two = Machine(tmp_path, "one"), Machine(tmp_path, "two")
    kept = one.memories.remember(Draft(text="the ferry leaves at noon", kind="fact"))
    all_told([one, two])
    one.memories.close()
    database = sqlite.connect(str(one.path))
    database.execute("DELETE FROM clocks")
    database.commit()
    database.close()
    one.memories = make_memories(one.path, one.now)
    edit_memory(one.memories, kept, tags=["ferry"])
    all_told([one, two])
    assert knowledge(one.memories) == knowledge(two.memories)
    assert [each.tags for each in two.memories.store.select(ALL)] == [("ferry",)]
    closing([one, two])


def test_an_erasure_where_own_files_are_gone_does_not_hide_that(tmp_path: Path) -> None:
    one, two = Machine(tmp_path, "one"), Machine(tmp_path, "two")
    kept = one.memories.remember(Draft(text="the ferry leaves at noon", kind="fact"))
    gone = one.memories.remember(Draft(text="the gate's code is amber", kind="fact"))
    one.sync()
    shutil.rmtree(one.folder.path)
    one.folder.path.mkdir()
    two.sync()
    two.memories.remember(Draft(text="the harbour is closed in winter", kind="fact"))
    two.sync()
    erase(one.memories, Targets([gone]))
    assert set(renew_folders(one.memories).values()) == {ERASED}
    all_told([one, two])
    assert kept.id in two.ids()
    assert knowledge(one.memories) == knowledge(two.memories)
    closing([one, two])


@pytest.mark.parametrize("who", ["the one that is ahead", "the other"])
def test_a_value_written_again_after_it_was_dropped_stands_whatever_the_clocks_say(
    tmp_path: Path, who: str
) -> None:
    ahead, other = Machine(tmp_path, "ahead", timedelta(days=1)), Machine(tmp_path, "other")
    label = ("default", areas.BLOCK.name, "owner")
    write_state(ahead.memories.store, *label, block("amber"), ahead.now())
    all_told([ahead, other])
    dropper = ahead if who == "the one that is ahead" else other
    dropper.memories.store.drop_state(*label)
    all_told([dropper, other if dropper is ahead else ahead])
    write_state(other.memories.store, *label, block("birch"), other.now())
    all_told([other, ahead])
    assert [each.value for each in ahead.memories.store.states(("default",), areas.BLOCK.name)] == [
        block("birch")
    ]
    assert knowledge(ahead.memories) == knowledge(other.memories)
    closing([ahead, other])


SECRET = "Quentomar hides the vermeilion ledger"


def holding(home: Path) -> list[str]:
    return [each.name for each in home.rglob("*") if each.is_file() and b"uentomar" in each.read_bytes()]


def test_links_and_values_erased_elsewhere_go_out_of_backups_that_alone_hold_them(tmp_path: Path) -> None:
    one, two = (Machine(tmp_path, name) for name in ("one", "two"))
    link = link_entities(one.memories, "Quentomar", "hides", "ledger").link
    blocks.put_block(one.memories, "house", SECRET)
    all_told([one, two])
    backup = two.memories.store.back_up(two.now())
    # There they are no more, and nobody said that they should be in no copy.
    two.memories.store.drop_links([link.id])
    two.memories.store.drop_state("default", "block", "house")
    blocks.put_block(two.memories, "shed", "the saw hangs by the door")
    erase(one.memories, find_targets(one.memories, [f"link/{link.id}", "block/house"]))
    renew_folders(one.memories)
    locked = backup.read_bytes()
    backup.write_bytes(b"no store at all")
    one.sync()
    report = two.sync()
    assert not report.verified and any(backup.name in each for each in report.erased.receipts[-1].unfinished)
    backup.write_bytes(locked)
    assert b"uentomar" in locked and two.sync().verified
    two.memories.store.scrub(thoroughly=True)
    assert holding(tmp_path / "two") == [] and holding(tmp_path / "folder") == []
    assert read_pending(two.memories)["things"] == []
    closing([one, two])


def test_an_erasure_that_a_closed_copy_keeps_open_is_told_by_each_command_until_it_is_over(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one, two = (Machine(tmp_path, name) for name in ("one", "two"))
    link = link_entities(one.memories, "Quentomar", "hides", "ledger").link
    all_told([one, two])
    backup = two.memories.store.back_up(two.now())
    whole = backup.read_bytes()
    two.memories.store.drop_links([link.id])
    # What a killed writer leaves, and what is empty, hold nothing: neither keeps it open.
    part = backup.with_name(f"{backup.name}-0a1b2c-on-demand.part")
    for nothing in (part, empty := backup.with_name(f"{two.path.name}.backup-mine")):
        nothing.touch()
    erase(one.memories, find_targets(one.memories, [f"link/{link.id}"]))
    one.sync()
    backup.write_bytes(b"no store at all")
    assert not two.sync().verified and not part.exists() and empty.exists()

    def told() -> tuple[str, list[str]]:
        _finish_erasure(two.memories)
        found = [each.detail for each in health._erasure(two.memories) if not each.ok]
        return capsys.readouterr().err, found

    for _ in range(2):
        line, [found] = told()
        assert line.startswith("mem: an erasure is not finished: ") and line.count("\n") == 1
        assert backup.name in line and backup.name in found
    backup.write_bytes(whole)
    line, left = told()
    assert line.startswith("mem: an erasure that was cut off is finished now") and not left
    assert told() == ("", []) and not stale_change_files(two.memories)
    assert not is_erasure_cut_off(two.memories.store) and b"uentomar" not in backup.read_bytes()
    assert two.sync().verified
    closing([one, two])


def test_of_two_folders_known_at_one_place_neither_is_called_clean_for_the_other(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As where the folder was emptied, or another disk is mounted there."""
    one = Machine(tmp_path, "one")
    gone = one.memories.remember(SECRET)
    one.sync()
    for each in one.folder.path.iterdir():
        shutil.move(each, tmp_path / each.name)
    one.memories.remember("the ferry leaves at noon")
    one.sync()
    assert len(noted_value(one.memories, FOLDERS)) == 2
    erase(one.memories, Targets([gone]))
    for _ in range(2):
        _finish_erasure(one.memories)
        [line] = capsys.readouterr().err.splitlines()
        assert line.startswith("mem: an erasure is not finished: change files in ") and "another disk" in line
        assert "not read here yet" not in line and stale_change_files(one.memories)
        one.sync()
    # The folder that is gone is forgotten, and not the one that is there.
    assert drop_folder(one.memories, one.folder.path)
    assert len(noted_value(one.memories, FOLDERS)) == 1 and not stale_change_files(one.memories)
    _finish_erasure(one.memories)
    assert not capsys.readouterr().err and not holding(one.folder.path)
    closing([one])


def test_a_store_put_back_knows_its_folder_again_whatever_of_it_was_written_anew(tmp_path: Path) -> None:
    one = Machine(tmp_path, "one")
    gone = one.memories.remember(SECRET)
    one.sync()
    backup = make_backup(one.memories)
    erase(one.memories, Targets([gone]))
    one.memories.remember("the ferry leaves at noon")
    one.sync()
    restore_backup(one.memories.config, one.path, backup, one.now())
    one.reopen()
    for _ in range(2):
        one.sync()
        assert len(noted_value(one.memories, FOLDERS)) == 1
    erase(one.memories, Targets(list(one.memories.store.select(ALL))))
    assert set(renew_folders(one.memories).values()) == {ERASED}
    assert not is_erasure_cut_off(one.memories.store)
    closing([one])


def test_a_store_put_back_to_before_its_first_sync_keeps_its_name_and_its_files(tmp_path: Path) -> None:
    one, two = (Machine(tmp_path, name) for name in ("one", "two"))
    one.memories.remember("the ferry leaves at noon")
    backup = make_backup(one.memories)
    kept = one.memories.remember(SECRET)
    all_told([one, two])
    name = one.sync().replica
    restore_backup(one.memories.config, one.path, backup, one.now())
    one.reopen()
    # Before it knows its files again, what is forgotten is not proven gone from them.
    erase(two.memories, find_targets(two.memories, [kept.id]))
    assert ERASED not in renew_folders(one.memories).values()
    for _ in range(3):
        assert one.sync().replica == name
        two.sync()
    assert holding(tmp_path) == []
    assert knowledge(one.memories) == knowledge(two.memories)
    assert {each.name for each in (tmp_path / "folder").iterdir()} == {name, two.sync().replica}
    closing([one, two])


def test_what_a_store_that_was_put_back_had_told_comes_back_to_it(tmp_path: Path) -> None:
    one, two = (Machine(tmp_path, name) for name in ("one", "two"))
    backup = make_backup(one.memories)
    one.memories.remember("the ferry leaves at noon")
    all_told([one, two])
    for _ in range(2):
        restore_backup(one.memories.config, one.path, backup, one.now())
        one.reopen()
    all_told([one, two])
    assert len(one.ids()) == 1 and knowledge(one.memories) == knowledge(two.memories)
    assert [each.name for each in (tmp_path / "folder").iterdir()] == [one.sync().replica]
    closing([one, two])


def test_a_copy_of_another_store_brings_no_folder_that_the_other_had_not_settled(tmp_path: Path) -> None:
    """Whose place it takes has never synced, and is told of no folder by what the other was told of."""
    one, other = (Machine(tmp_path, name) for name in ("one", "other"))
    before = make_backup(other.memories)
    other.memories.remember("the ferry leaves at noon")
    other.sync()
    restore_backup(other.memories.config, other.path, before, other.now())
    other.reopen()
    assert renew_folders(other.memories) and folders_to_tell(other.memories)
    restore_backup(other.memories.config, other.path, before, other.now())
    other.reopen()
    unsettled = make_backup(other.memories)
    restore_backup(one.memories.config, one.path, unsettled, one.now())
    one.reopen()
    assert not renew_folders(one.memories) and not folders_to_tell(one.memories)
    assert one.sync().replica != other.sync().replica
    closing([one, other])


def test_a_store_that_was_put_back_reads_on_from_where_its_copy_had_read(tmp_path: Path) -> None:
    one, two = (Machine(tmp_path, name) for name in ("one", "two"))
    one.memories.remember("the ferry leaves at noon")
    all_told([one, two])
    restore_backup(two.memories.config, two.path, make_backup(two.memories), two.now())
    two.reopen()
    settle_restored(two.memories)
    [folder] = noted_value(two.memories, FOLDERS).values()
    assert any(each["read"] for each in folder["views"].values())
    closing([one, two])


def test_a_copy_on_a_machine_of_the_same_name_is_a_replica_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = Machine(tmp_path, "one")
    monkeypatch.setattr(place, "_machine", lambda: "a")
    one.memories.remember("the ferry leaves at noon")
    name = one.sync().replica
    content = one.path.with_name("copy.db")
    one.memories.store.copy_to(content, one.now())
    one.memories.close()
    # The same path on the other machine, another file.
    one.path.rename(one.path.with_name("there.db"))
    content.rename(one.path)
    monkeypatch.setattr(place, "_machine", lambda: "b")
    one.memories = make_memories(one.path, one.now)
    first = one.sync()
    assert first.replica != name and not first.told
    one.memories.remember("the copy has a cellar")
    files = {each: each.read_bytes() for each in (tmp_path / "folder" / name).iterdir()}
    kept = one.memories.remember(SECRET)
    one.sync()
    erase(one.memories, find_targets(one.memories, [kept.id]))
    assert set(renew_folders(one.memories).values()) == {ERASED}
    assert one.sync().verified and holding(tmp_path / "folder") == []
    # What the other one wrote is its own to change.
    assert {each: each.read_bytes() for each in (tmp_path / "folder" / name).iterdir()} == files
    one.memories.close()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("task", {"name": "other"}),
        ("block", {"versions": []}),
        ("alias", 7),
        ("session", {"started_at": "x"}),
    ],
)
def test_a_value_that_its_readers_could_not_read_stays_out(tmp_path: Path, name: str, value: Any) -> None:
    one, two = (Machine(tmp_path, each) for each in ("one", "two"))
    now = one.now()
    area = {"session": areas.SESSION.name}.get(name, name)
    one.memories.store.put_state(State("default", area, "k", value, 1, now, now))
    one.memories.remember("the ferry leaves at noon")
    one.sync()
    report = two.sync()
    assert len(two.ids()) == 1 and report.taken.bad == 1 and not list(two.memories.store.states(None, area))
    closing([one, two])


def test_a_line_of_history_that_could_not_be_undone_stays_out(tmp_path: Path) -> None:
    one, two = (Machine(tmp_path, each) for each in ("one", "two"))
    memory = one.memories.remember("the ferry leaves at noon")
    event = Event(
        0, one.now(), memory.id, "edit", "cli", None, {"importance": "high"}, {"importance": 1}, "X1", None
    )  # fmt: skip
    one.memories.store.put_history([event])
    one.sync()
    assert two.sync().taken.bad == 1
    closing([one, two])


def test_what_was_let_in_once_is_not_refused_again(tmp_path: Path) -> None:
    one, two = (Machine(tmp_path, each) for each in ("one", "two"))
    gone = two.memories.remember(SECRET)
    erase(two.memories, Targets([gone]))
    kept = one.memories.remember(SECRET)
    one.sync()
    assert two.sync().taken.refused and not two.ids()
    assert two.sync(force=True).taken.added["memory"] == 1
    assert not two.sync().taken.refused
    edit_memory(one.memories, one.memories.find(kept.id), importance=0.9)
    one.sync()
    report = two.sync()
    assert not report.taken.refused and two.memories.find(kept.id).importance == 0.9
    # Told anew, as after the folder was emptied: that is no news.
    shutil.rmtree(tmp_path / "folder")
    (tmp_path / "folder").mkdir()
    one.sync()
    assert not two.sync().taken.refused
    closing([one, two])


@pytest.mark.parametrize("order", ["bcabc", "abacab", "cbacba"])
def test_a_correction_of_what_another_erased_is_named_on_every_machine(tmp_path: Path, order: str) -> None:
    machines = {name: Machine(tmp_path, name) for name in "abc"}
    one, two = machines["a"], machines["b"]
    old = one.memories.remember("Quincunx the parrot died of psittacosis")
    all_told(list(machines.values()))
    known = two.memories.find(old.id)
    new = correct_memory(two.memories, known, "Quincunx the parrot died of old age", WriteOptions()).memory
    assert new
    erase(one.memories, Targets([old]))
    told: dict[str, list[str]] = {name: [] for name in machines}
    for name in order + "abcabc":
        told[name] += [each.command for each in machines[name].sync().outlived]
    for name, each in machines.items():
        assert each.ids() == [new.id]
        assert told[name] == [f"mem forget --hard --db {each.path} {new.id}"]
    closing(list(machines.values()))
