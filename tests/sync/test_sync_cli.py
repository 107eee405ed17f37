"""`mem sync` and `mem merge-store` as people call them: what is said, and with which exit status."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from memcli.app import run
from memcli.errors import StoreFull
from memcli.sync.erasures import everywhere
from memcli.sync.files.segments import parsed_segment
from tests.conftest import Run

SECRET_TEXT = "Quentomar hides the vermeilion ledger under the floor"
# What an empty store's list says, and nothing else.
NOTHING = "mem: nothing is remembered here yet\n"
On = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def on(mem: Run, own_home: Path) -> On:
    """Run `mem` on a machine, by its name."""

    def on_machine(machine: str, *arguments: str, **extra: str) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "MEMCLI_DB": str(own_home / machine / "memory.db"), **extra}
        return mem(*arguments, env=environment)

    return on_machine


@pytest.fixture
def folder(own_home: Path) -> Path:
    made = own_home / "folder"
    made.mkdir()
    return made


def report(on: On, machine: str, folder: Path, *options: str) -> dict[str, object]:
    found: dict[str, object] = json.loads(on(machine, "sync", str(folder), "--json", *options).stdout)
    return found


def texts(on: On, machine: str, *options: str) -> set[str]:
    return {json.loads(line)["text"] for line in on(machine, "list", "--json", *options).stdout.splitlines()}


def segments(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.changes*"))


def test_two_machines_become_the_same_and_files_are_private(on: On, folder: Path) -> None:
    on("one", "remember", "the ferry leaves at noon")
    on("two", "remember", "the harbour is closed in winter")
    for machine in ("one", "two", "one"):
        assert on(machine, "sync", str(folder)).returncode == 0
    assert (
        texts(on, "one")
        == texts(on, "two")
        == {"the ferry leaves at noon", "the harbour is closed in winter"}
    )
    assert {stat.S_IMODE(path.stat().st_mode) for path in segments(folder)} == {0o600}
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o700}
    again = report(on, "two", folder)
    assert (again["told"], again["added"], again["changed"], again["history"]) == (0, {}, {}, 0)


def test_what_is_found_by_meaning_there_is_so_here(on: On, folder: Path) -> None:
    on("one", "remember", "the ferry leaves at noon")
    for machine in ("one", "two"):
        on(machine, "sync", str(folder))
    assert "ferry" in on("two", "recall", "when does the boat depart?").stdout


def test_an_erasure_goes_out_of_every_store_backup_and_change_file(
    on: On, folder: Path, own_home: Path
) -> None:
    ident = on("one", "remember", SECRET_TEXT).stdout.strip()
    for machine in ("one", "two", "three"):
        on(machine, "sync", str(folder))
    on("two", "edit", ident, "-t", "floor")
    on("two", "sync", str(folder))
    assert [path for path in own_home.rglob("*") if path.is_file() and b"uentomar" in path.read_bytes()]
    done = on("three", "forget", "--hard", "--yes", ident)
    assert done.returncode == 0, done.stderr
    for machine in ("three", "one", "two", "one", "two", "three"):
        told = on(machine, "sync", str(folder))
        assert told.returncode == 0, told.stderr
    assert not [path for path in own_home.rglob("*") if path.is_file() and b"uentomar" in path.read_bytes()]
    for machine in ("one", "two"):
        assert on(machine, "remember", SECRET_TEXT).returncode == 3
        assert ident not in on(machine, "list", "--ended", "--json").stdout


def test_forget_hard_says_what_of_its_own_change_files(on: On, folder: Path) -> None:
    alone = on("one", "remember", "The bees swarmed in May").stdout.strip()
    assert "machines" not in on("one", "forget", "--hard", "--yes", alone).stdout
    ident = on("one", "remember", SECRET_TEXT).stdout.strip()
    on("one", "sync", str(folder))
    assert any(b"uentomar" in path.read_bytes() for path in segments(folder))
    done = on("one", "forget", "--hard", "--yes", ident)
    assert f"change files in {folder}: erased" in done.stdout
    # The other machines keep it until they are told.
    assert f"other machines erase theirs once they hear of it: run `mem sync {folder}` here" in done.stdout
    assert not any(b"uentomar" in path.read_bytes() for path in segments(folder))
    other = on("one", "remember", f"{SECRET_TEXT} again").stdout.strip()
    on("one", "sync", str(folder))
    folder.rename(folder.with_name("elsewhere"))
    forgotten = on("one", "forget", "--hard", "--yes", "--json", other)
    gone = json.loads(forgotten.stdout)
    assert gone["change_files"] == {str(folder): "it is not there now"}
    assert gone["told_at_next_sync"] == [str(folder)]
    # Not proven, so not finished: said by each command and by doctor, and tried again.
    assert forgotten.returncode == 4 and not gone["verified"] and "not finished" in forgotten.stderr
    assert "not finished" in on("one", "list").stderr and on("one", "doctor").returncode == 4
    folder.with_name("elsewhere").rename(folder)
    assert any(b"uentomar" in path.read_bytes() for path in segments(folder))
    assert "is finished now" in on("one", "list").stderr
    assert not any(b"uentomar" in path.read_bytes() for path in segments(folder))
    assert on("one", "list").stderr == NOTHING and on("one", "sync", str(folder)).returncode == 0


def test_a_folder_that_is_gone_for_good_can_be_forgotten(on: On, folder: Path) -> None:
    ident = on("one", "remember", SECRET_TEXT).stdout.strip()
    on("one", "sync", str(folder))
    shutil.rmtree(folder)
    assert on("one", "forget", "--hard", "--yes", ident).returncode == 4
    assert "--gone" in on("one", "list").stderr
    assert on("one", "sync", "--gone", str(folder)).returncode == 0
    assert on("one", "list").stderr == NOTHING
    assert on("one", "sync", "--gone", str(folder)).returncode == 2


def conflict_copies(folder: Path) -> list[Path]:
    """Copies of each change file there, as programs name them; the last one is cut off."""
    copies = []
    for path in segments(folder):
        content = path.read_bytes()
        for name, part in (
            (f"{path.stem} (conflicted copy 2026-05-03).changes", content),
            (f"{path.stem}.sync-conflict-20260503-120000-ABCDEFG.changes", content),
            (f".{path.name}.x7Hq2b", content),
            ("kept.bak", content),
            (f"{path.name}~", content[:-90]),
        ):
            copies.append(path.with_name(name))
            copies[-1].write_bytes(part)
    return copies


def test_an_erasure_removes_copies_of_own_change_files_and_nothing_else(on: On, folder: Path) -> None:
    ident = on("one", "remember", SECRET_TEXT).stdout.strip()
    on("one", "sync", str(folder))
    own = segments(folder)
    conflict_copies(folder)
    notes = own[0].with_name("notes.txt")
    notes.write_text("mine")
    done = on("one", "forget", "--hard", "--yes", ident)
    assert done.returncode == 0 and f"change files in {folder}: erased\n" in done.stdout
    assert not [path for path in folder.rglob("*") if path.is_file() and b"uentomar" in path.read_bytes()]
    assert notes.read_text() == "mine"


def test_a_copy_of_an_own_change_file_that_stays_is_named_until_it_is_gone(on: On, folder: Path) -> None:
    ident = on("one", "remember", SECRET_TEXT).stdout.strip()
    on("one", "sync", str(folder))
    told = next(path for path in segments(folder) if b"uentomar" in path.read_bytes())
    damaged = told.with_name(f"{told.stem} (conflicted copy).changes")
    damaged.write_bytes(b"?" + told.read_bytes())
    sealed = told.with_name(f"{told.stem} (conflicted copy).changes.age")
    sealed.write_bytes(b"age-encryption.org/v1\n?")
    done = json.loads(on("one", "forget", "--hard", "--yes", "--json", ident).stdout)
    verdict = done["change_files"][str(folder)]
    assert verdict != "erased" and damaged.name in verdict and sealed.name in verdict
    for _ in range(2):
        again = on("one", "sync", str(folder))
        assert again.returncode == 4 and damaged.name in again.stderr and sealed.name in again.stderr
    damaged.unlink()
    sealed.unlink()
    assert on("one", "sync", str(folder)).returncode == 0


def test_an_erasure_elsewhere_removes_copies_of_own_change_files(on: On, folder: Path) -> None:
    ident = on("one", "remember", SECRET_TEXT).stdout.strip()
    for machine in ("one", "two"):
        on(machine, "sync", str(folder))
    conflict_copies(folder)
    assert on("two", "forget", "--hard", "--yes", ident).returncode == 0
    for machine in ("two", "one", "two"):
        told = on(machine, "sync", str(folder))
        assert told.returncode == 0, told.stderr
    assert not [path for path in folder.rglob("*") if path.is_file() and b"uentomar" in path.read_bytes()]


@pytest.mark.parametrize("synced_before", [False, True])
def test_an_erasure_elsewhere_goes_out_of_copies_of_what_the_store_holds_no_more(
    on: On, folder: Path, own_home: Path, synced_before: bool
) -> None:
    on("one", "sync", str(folder))  # the older replica is read first: what it erased never comes in
    on("two", "remember", "the ferry leaves at noon")
    if synced_before:
        on("two", "sync", str(folder))
    backup = own_home / "older.db"
    assert on("two", "backup", str(backup)).returncode == 0
    ident = on("two", "remember", SECRET_TEXT).stdout.strip()
    for machine in ("two", "one"):
        on(machine, "sync", str(folder))
    restored = on("two", "backup", "restore", str(backup), "--yes")
    assert restored.returncode == 0, restored.stderr
    held = [path for path in (own_home / "two").iterdir() if b"uentomar" in path.read_bytes()]
    assert held and ident not in on("two", "list", "--json").stdout
    assert on("one", "forget", "--hard", "--yes", ident).returncode == 0
    for machine in ("one", "two", "one", "two"):
        told = on(machine, "sync", str(folder))
        assert told.returncode == 0, told.stderr
    # Put back to before its first sync a store is another replica: what the one before wrote is nobody's.
    place = own_home if synced_before else own_home / "two"
    assert not [path for path in place.rglob("*") if path.is_file() and b"uentomar" in path.read_bytes()]
    assert texts(on, "two") == {"the ferry leaves at noon"}


def test_what_is_not_whole_or_foreign_is_left_alone_and_named(on: On, folder: Path) -> None:
    on("one", "remember", "the ferry leaves at noon")
    on("one", "sync", str(folder))
    whole = segments(folder)[0]
    content = whole.read_bytes()
    whole.write_bytes(content[: len(content) // 2])
    conflicts = [
        whole.with_name(f"{whole.stem} (conflicted copy 2026-05-03).changes"),
        whole.with_name(f"{whole.stem}.sync-conflict-20260503-120000-ABCDEFG.changes"),
    ]
    for path in conflicts:
        path.write_bytes(content)
    (folder / "notes.txt").write_text("mine")
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    told = on("two", "sync", str(folder))
    assert told.returncode == 2 and "Traceback" not in told.stderr
    for name in (whole.name, *(path.name for path in conflicts), "notes.txt"):
        assert name in told.stderr
    assert texts(on, "two") == set()
    assert before.items() <= {p: p.read_bytes() for p in folder.rglob("*") if p.is_file()}.items()
    whole.write_bytes(content)  # it has arrived
    assert on("two", "sync", str(folder)).returncode == 0
    assert texts(on, "two") == {"the ferry leaves at noon"}


@pytest.mark.parametrize("at", [0.02, 0.3, 0.6, 0.9, 0.99])
def test_a_flipped_byte_is_noticed_and_nothing_of_that_file_comes_in(on: On, folder: Path, at: float) -> None:
    on("one", "remember", "the ferry leaves at noon")
    on("one", "sync", str(folder))
    for path in segments(folder):
        content = bytearray(path.read_bytes())
        content[int(len(content) * at)] ^= 0x11
        path.write_bytes(content)
    found = report(on, "two", folder)
    assert len(found["unread"]) == len(segments(folder))  # type: ignore[arg-type]
    assert texts(on, "two") == set()


@pytest.mark.parametrize("sealed", [False, True])
def test_a_damaged_own_change_file_is_written_anew_at_the_next_sync(
    on: On, folder: Path, own_home: Path, sealed: bool
) -> None:
    key = ("--encrypted", "--key-file", str(own_home / "sync.key")) if sealed else ()
    on("one", "remember", "the ferry leaves at noon")
    on("one", "sync", str(folder), *key)
    damaged = segments(folder)[0]
    damaged.write_bytes(damaged.read_bytes()[:100])
    waits = on("two", "sync", str(folder), *key)
    assert waits.returncode == 2 and f"cannot be read: {damaged.parent.name}/{damaged.name}" in waits.stderr
    tried = on("one", "sync", "--dry-run", str(folder), *key)
    assert damaged.exists() and "told: nothing new" not in tried.stdout
    mended = on("one", "sync", str(folder), *key)
    assert (
        mended.returncode == 0
        and "damaged change files of this store: 1; all is written again" in mended.stderr
    )
    assert on("two", "sync", str(folder), *key).returncode == 0
    assert texts(on, "two") == {"the ferry leaves at noon"}
    again = on("one", "sync", str(folder), *key)
    assert "told: nothing new" in again.stdout and not again.stderr


def test_a_newer_format_is_one_line_and_the_rest_comes_in(on: On, folder: Path) -> None:
    on("one", "remember", "the ferry leaves at noon")
    on("one", "sync", str(folder))
    newer = segments(folder)[0].with_name("000099-00000000.changes")
    newer.write_text('{"format":"memcli-changes","version":99}\nwhatever\n')
    told = on("two", "sync", str(folder))
    assert told.returncode == 2 and told.stderr.count("\n") == 1 and "newer memcli" in told.stderr
    assert texts(on, "two") == {"the ferry leaves at noon"} and newer.exists()


def test_encrypted_files_hold_nothing_to_read(on: On, folder: Path, own_home: Path) -> None:
    pytest.importorskip("pyrage")
    key = own_home / "keys" / "sync.key"
    ident = on("one", "remember", SECRET_TEXT).stdout.strip()
    sealed = ("--encrypted", "--key-file", str(key))
    assert on("one", "sync", str(folder), *sealed).returncode == 0
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    for path in segments(folder):
        content = path.read_bytes()
        assert b"uentomar" not in content and ident.encode() not in content
    without = on("two", "sync", str(folder))
    assert without.returncode == 4 and "no key was given" in without.stderr
    key.chmod(0o644)
    open_to_all = on("two", "sync", str(folder), *sealed)
    assert open_to_all.returncode == 4 and "chmod 600" in open_to_all.stderr
    key.chmod(0o600)
    other = own_home / "other.key"
    on("three", "sync", str(folder), "--encrypted", "--key-file", str(other))
    assert on("three", "sync", str(folder), "--encrypted", "--key-file", str(other)).returncode == 4
    assert on("two", "sync", str(folder), *sealed).returncode == 0
    assert texts(on, "two") == {SECRET_TEXT}
    assert on("two", "sync", str(folder), "--encrypted").returncode == 2


def test_a_folder_that_is_gone_is_one_line_and_an_empty_one_is_filled_again(on: On, folder: Path) -> None:
    on("one", "remember", "the ferry leaves at noon")
    for machine in ("one", "two"):
        on(machine, "sync", str(folder))
    shutil.rmtree(folder)
    missing = on("one", "sync", str(folder))
    assert missing.returncode == 2 and missing.stderr.count("\n") == 1 and not folder.exists()
    folder.mkdir()
    assert "written again" in on("two", "sync", str(folder)).stderr or segments(folder)
    on("three", "sync", str(folder))
    assert texts(on, "three") == {"the ferry leaves at noon"}


def test_a_copy_of_a_store_is_a_replica_of_its_own(on: On, folder: Path, own_home: Path) -> None:
    on("one", "remember", "the ferry leaves at noon")
    on("one", "sync", str(folder))
    (own_home / "copy").mkdir()
    shutil.copy(own_home / "one" / "memory.db", own_home / "copy" / "memory.db")
    on("copy", "remember", "the copy has a cellar")
    on("one", "remember", "the harbour is closed in winter")
    replicas = {report(on, machine, folder)["replica"] for machine in ("one", "copy", "one", "copy")}
    assert len(replicas) == 2
    assert texts(on, "one") == texts(on, "copy") and len(texts(on, "one")) == 3


def test_undo_takes_back_what_was_done_here_and_by_name_what_was_done_elsewhere(on: On, folder: Path) -> None:
    ident = on("one", "remember", "the ferry leaves at noon").stdout.strip()
    for machine in ("one", "two"):
        on(machine, "sync", str(folder))
    on("one", "edit", ident, "-t", "mine")
    on("two", "edit", ident, "--importance", "0.9")
    for machine in ("two", "one"):
        on(machine, "sync", str(folder))
    assert on("one", "undo").returncode == 0
    shown = json.loads(on("one", "show", ident, "--json").stdout)
    assert (shown["tags"], shown["importance"]) == ([], 0.9)
    change = next(
        json.loads(line)["change"]
        for line in on("one", "history", "--json").stdout.splitlines()
        if "importance" in (json.loads(line)["after"] or {}) and json.loads(line)["action"] == "edit"
    )
    assert on("one", "undo", change).returncode == 0
    for machine in ("one", "two"):
        on(machine, "sync", str(folder))
    assert json.loads(on("two", "show", ident, "--json").stdout)["importance"] == 0.5


def test_nobody_untrusted_syncs_and_what_is_untrusted_stays_so(on: On, folder: Path) -> None:
    agent = {"MEMCLI_ORIGIN": "mcp:someone"}
    ident = on("one", "remember", "the moon is made of cheese", **agent).stdout.strip()
    refused = on("one", "sync", str(folder), **agent)
    assert refused.returncode == 3 and "untrusted" in refused.stderr
    for machine in ("one", "two"):
        on(machine, "sync", str(folder))
    assert json.loads(on("two", "show", ident, "--json").stdout)["trusted"] is False
    on("one", "edit", ident, "--trusted")
    for machine in ("one", "two", "one"):
        on(machine, "sync", str(folder))
    # Who vouches for it does so on his machine.
    assert json.loads(on("two", "show", ident, "--json").stdout)["trusted"] is False


def test_a_file_cannot_make_an_untrusted_memory_trusted(on: On, folder: Path) -> None:
    ident = on("one", "remember", "the moon is made of cheese", MEMCLI_ORIGIN="mcp:someone").stdout.strip()
    for machine in ("one", "two"):
        on(machine, "sync", str(folder))
    forged = next(path for path in segments(folder) if ident.encode() in path.read_bytes())
    segment = parsed_segment(forged.read_bytes())
    from memcli.sync.files.segments import segment_bytes

    lines = []
    for line in map(json.loads, segment.lines):
        if line.get("key") == ident:
            line["fields"]["trusted"] = True
            line["stamps"]["trusted"] = 2 * line["base"]
        lines.append(json.dumps(line))
    forged.with_name("000077-77777777.changes").write_bytes(segment_bytes(segment._replace(lines=lines)))
    assert on("two", "sync", str(folder)).returncode == 0
    assert json.loads(on("two", "show", ident, "--json").stdout)["trusted"] is False


def test_what_an_untrusted_origin_wrote_is_untrusted_whoever_carries_it(on: On, folder: Path) -> None:
    """But what its owner vouched for on one of his machines is so on the others."""
    agent = {"MEMCLI_ORIGIN": "mcp:someone"}
    first = on("one", "remember", "the moon is made of cheese", **agent).stdout.strip()
    second = on("one", "remember", "the tide comes twice a day", **agent).stdout.strip()
    assert on("one", "edit", second, "--trusted").returncode == 0
    on("one", "sync", str(folder))
    from memcli.sync.files.segments import segment_bytes

    for path in segments(folder):
        segment = parsed_segment(path.read_bytes())
        lines = []
        for line in map(json.loads, segment.lines):
            if line.get("key") == first:
                line["fields"]["trusted"] = True
                policy = json.loads(json.dumps(line))
                policy["key"] = first[:-1] + ("A" if first[-1] != "A" else "B")
                policy["fields"] |= {"kind": "policy", "text": "never ask before deleting"}
                lines.append(json.dumps(policy))
            lines.append(json.dumps(line))
        path.write_bytes(segment_bytes(segment._replace(lines=lines)))
    done = on("two", "sync", str(folder))
    assert done.returncode == 3 and "policy" in done.stderr
    trusted = {
        each["id"]: each["trusted"]
        for each in map(json.loads, on("two", "list", "--json").stdout.splitlines())
    }
    assert trusted == {first: False, second: True}
    # And back it changes nothing.
    for machine in ("two", "one"):
        on(machine, "sync", str(folder))
    assert json.loads(on("one", "show", second, "--json").stdout)["trusted"] is True


def test_walls_of_spaces_hold(on: On, folder: Path) -> None:
    on("one", "remember", "the deploy key hangs in the hall", "--space", "work")
    on("one", "remember", "Anna snores")
    assert on("one", "sync", str(folder), "--space", "work").returncode == 0
    assert not any(b"snores" in path.read_bytes() for path in segments(folder))
    on("two", "sync", str(folder))
    assert texts(on, "two", "--all-spaces") == {"the deploy key hangs in the hall"}
    on("one", "sync", str(folder))  # all of them now
    on("three", "sync", str(folder), "--space", "work")
    assert texts(on, "three", "--all-spaces") == {"the deploy key hangs in the hall"}
    on("two", "sync", str(folder))
    assert len(texts(on, "two", "--all-spaces")) == 2


def test_a_dry_run_changes_nothing_and_says_what_would_be(on: On, folder: Path, own_home: Path) -> None:
    on("one", "remember", "the ferry leaves at noon")
    dry = on("one", "sync", "--dry-run", str(folder))
    assert "would be told: 2 changes" in dry.stdout and not list(folder.iterdir())
    on("one", "sync", str(folder))
    assert "would come in: 1 memory added" in on("two", "sync", "--dry-run", str(folder)).stdout
    assert not (own_home / "two" / "memory.db").exists()


def test_merge_store_is_a_sync_with_one_file_that_stays_as_it_is(on: On, own_home: Path) -> None:
    on("one", "remember", "the ferry leaves at noon")
    on("two", "remember", "the harbour is closed in winter")
    other = own_home / "two" / "memory.db"
    before = other.read_bytes()
    assert "would come in: 1 memory added" in on("one", "merge-store", "--dry-run", str(other)).stdout
    assert len(texts(on, "one")) == 1
    assert on("one", "merge-store", str(other)).returncode == 0
    assert len(texts(on, "one")) == 2 and other.read_bytes() == before
    assert "nothing new" in on("one", "merge-store", str(other)).stdout
    assert on("one", "merge-store", str(own_home / "one" / "memory.db")).returncode == 2
    assert on("one", "merge-store", str(own_home / "none.db")).returncode == 1
    (own_home / "empty.db").touch()
    empty, of_folder = (on("one", "merge-store", str(own_home / name)) for name in ("empty.db", "two"))
    assert (empty.returncode, of_folder.returncode) == (2, 2)
    assert "not a store" in empty.stderr and "mem sync" in of_folder.stderr
    none = own_home / "notes.txt"
    none.write_text("no store at all\n")
    told = on("one", "merge-store", str(none))
    assert told.returncode == 4 and str(none) in told.stderr and told.stderr.count("\n") == 1


def test_what_the_other_store_erased_is_erased_here(on: On, own_home: Path) -> None:
    ident = on("one", "remember", SECRET_TEXT).stdout.strip()
    (own_home / "two").mkdir()
    shutil.copy(own_home / "one" / "memory.db", own_home / "two" / "memory.db")
    on("two", "forget", "--hard", "--yes", ident)
    done = on("one", "merge-store", str(own_home / "two" / "memory.db"))
    assert done.returncode == 0 and "erased for good" in done.stdout
    assert texts(on, "one") == set()
    files = (own_home / "one").rglob("memory.db*")
    assert not [path for path in files if b"uentomar" in path.read_bytes()]


def test_what_was_replaced_is_shown(on: On, folder: Path) -> None:
    on("one", "block", "set", "owner", "I am Anna")
    for machine in ("one", "two"):
        on(machine, "sync", str(folder))
    on("one", "block", "set", "owner", "I am Anna, earlier")
    on("two", "block", "set", "owner", "I am Anna, later")
    on("two", "sync", str(folder))
    told = on("one", "sync", str(folder))
    assert "block/owner" in told.stdout and "mem sync --lost" in told.stdout
    assert "earlier" in on("one", "sync", "--lost").stdout
    assert on("two", "sync", "--lost").returncode == 1


def test_a_folder_or_a_device_is_no_store_to_merge(mem: Run, tmp_path: Path) -> None:
    for other in (os.devnull, str(tmp_path)):
        done = mem("merge-store", other)
        assert done.returncode == 2 and "not a store" in done.stderr and done.stderr.count("\n") == 1, done


def test_what_two_machines_corrected_is_told_with_both_texts_and_how_to_settle_it(
    on: On, folder: Path
) -> None:
    ident = on("one", "remember", "The ferry lies at slip 9").stdout.strip()
    for machine in ("one", "two"):
        on(machine, "sync", str(folder))
    first = on("one", "correct", ident, "The ferry lies at slip 14").stdout.strip()
    second = on("two", "correct", ident, "The ferry lies at slip 20").stdout.strip()
    on("one", "sync", str(folder))
    done = on("two", "sync", str(folder))
    assert done.returncode == 0 and "corrected on two machines, both stand" in done.stderr
    assert f'"The ferry lies at slip 14" ({first})' in done.stderr and f"mem forget {second}" in done.stderr
    assert report(on, "one", folder)["corrected_twice"] == [{"memory": ident, "stand": [first, second]}]


def test_marks_of_an_erasure_are_counted_as_such(on: On, folder: Path) -> None:
    ident = on("one", "remember", SECRET_TEXT).stdout.strip()
    on("one", "remember", "The ferry leaves at noon")
    for machine in ("one", "two"):
        on(machine, "sync", str(folder))
    on("one", "forget", "--hard", ident)
    on("one", "sync", str(folder))
    came = on("two", "sync", str(folder)).stdout.splitlines()[0]
    assert "of an erasure" in came or "of erasures" in came
    assert "block" not in came


def test_an_erasure_whose_change_files_cannot_be_noted_still_has_its_receipt(
    mem: Run,
    own_home: Path,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The rows are gone by then: a line about the disk alone would not say so."""
    store = str(own_home / "one" / "memory.db")
    ident = mem("--db", store, "remember", SECRET_TEXT).stdout.strip()
    assert mem("--db", store, "sync", str(folder)).returncode == 0

    def full(memories: object) -> dict[str, str]:
        raise StoreFull("one: no space left on the device", "no space", left="nothing was changed")

    monkeypatch.setattr(everywhere, "renew_folders", full)
    assert run(["--db", store, "forget", "--hard", "--yes", ident]) == 4
    said = capsys.readouterr()
    assert f"erased {ident}" in said.out and f"NOT FINISHED: change files in {folder}" in said.out
    assert "nothing was changed" not in said.out + said.err


def test_an_erasure_killed_before_its_change_files_goes_on_with_the_next_command(
    on: On, folder: Path, own_home: Path
) -> None:
    ident = on("one", "remember", SECRET_TEXT).stdout.strip()
    assert on("one", "sync", str(folder)).returncode == 0
    killing = (
        "import os, sys\n"
        "from memcli.changes.forgetting import hard\n"
        "hard.clean_files = lambda *given, **more: os._exit(9)\n"
        "from memcli.__main__ import main\n"
        f"sys.argv = ['mem', 'forget', '--hard', '--yes', '{ident}']\n"
        "main()\n"
    )
    environment = {**os.environ, "MEMCLI_DB": str(own_home / "one" / "memory.db"), "MEMCLI_WARM": "off"}
    assert subprocess.run([sys.executable, "-c", killing], env=environment, check=False).returncode == 9
    assert any(b"uentomar" in each.read_bytes() for each in segments(folder))
    after = on("one", "list")
    assert after.stderr.count("finished now") == 1 and "change files of a sync" in after.stderr
    assert not any(b"uentomar" in each.read_bytes() for each in segments(folder))
    assert on("one", "list").stderr == NOTHING


def test_an_erasure_names_the_sync_that_makes_it_in_encrypted_change_files(on: On, folder: Path) -> None:
    ident = on("one", "remember", SECRET_TEXT).stdout.strip()
    key = ("--encrypted", "--key-file", str(folder.with_name("sync.key")))
    assert on("one", "sync", str(folder), *key).returncode == 0
    done = on("one", "forget", "--hard", "--yes", ident)
    assert done.returncode == 4
    assert f"`mem sync {folder} --encrypted --key-file FILE` erases it there" in done.stderr
    assert f"run `mem sync {folder} --encrypted --key-file FILE` here" in done.stdout
    assert on("one", "sync", str(folder), *key).returncode == 0
    assert on("one", "list").stderr == NOTHING


def test_encrypting_names_the_change_files_that_are_not_and_a_sync_encrypts_them(
    on: On, folder: Path, own_home: Path
) -> None:
    on("one", "remember", SECRET_TEXT)
    on("one", "remember", "the ferry leaves at noon")
    assert on("one", "sync", str(folder)).returncode == 0
    assert on("two", "sync", str(folder)).returncode == 0
    store_key, key = str(own_home / "store.key"), str(own_home / "sync.key")
    done = on("one", "encrypt", "--key-file", store_key)
    assert done.returncode == 0
    assert f"`mem sync {folder} --encrypted --key-file FILE` encrypts them" in done.stderr
    found = on("one", "doctor")
    assert found.returncode == 0 and f"change files of a sync are not: {folder}" in found.stdout
    synced = on("one", "sync", str(folder), "--encrypted", "--key-file", key)
    assert synced.returncode == 0 and "are now: 2" in synced.stdout and "erased" not in synced.stdout
    files = segments(folder)
    assert files and not any(b"uentomar" in each.read_bytes() for each in files)
    again = on("one", "sync", str(folder), "--encrypted", "--key-file", key)
    assert "are now" not in again.stdout and segments(folder) == files
    assert "are not" not in on("one", "doctor").stdout.split("copies")[1].splitlines()[0]
    # Who has read them has nothing new to read, and who has not has all of it.
    for machine in ("two", "three"):
        assert on(machine, "sync", str(folder), "--key-file", key).returncode == 0
        assert texts(on, machine) == {SECRET_TEXT, "the ferry leaves at noon"}


def test_an_erasure_names_the_sync_that_an_encrypted_store_needs(
    on: On, folder: Path, own_home: Path
) -> None:
    ident = on("one", "remember", SECRET_TEXT).stdout.strip()
    assert on("one", "sync", str(folder)).returncode == 0
    assert on("one", "encrypt", "--key-file", str(own_home / "store.key")).returncode == 0
    assert f"`mem sync {folder} --plain` here" in on("one", "forget", "--hard", "--yes", ident).stdout
