"""`mem encrypt`, `mem rekey`, `mem decrypt`: where a key may be, and what is said where there is none."""

from __future__ import annotations

import io
import json
import os
import shutil
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from memcli import app
from memcli.config.config import Config
from memcli.errors import NoKey, StoreBusy, StoreUnusable
from memcli.keys import key_command
from memcli.keys.choice import KeyOptions
from memcli.keys.new_source import NewSource, drop_stale_note
from memcli.storage.encryption import store_salt
from memcli.storage.sqlite.file.copies import making_copy
from memcli.storage.sqlite.replacement import conversion
from memcli.storage.stores import open_store
from memcli.upkeep import encryption
from memcli.upkeep.encryption import encrypt
from tests.conftest import MEM, Run

posix = pytest.mark.skipif(sys.platform == "win32", reason="modes and terminals are POSIX")


@pytest.fixture
def store(mem: Run) -> Path:
    assert mem("remember", "The cat is called Zorbanella").returncode == 0
    return Path(os.environ["MEMCLI_DB"])


@pytest.fixture
def keyring(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A keyring of its own, in a file."""
    root = str(Path(__file__).parents[2])
    before = os.environ.get("PYTHONPATH", "")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, [before, root])))
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "tests.file_keyring.FileKeyring")
    return own_home / "keyring.json"


def found(mem: Run, *arguments: str) -> bool:
    done = mem(*arguments, "list")
    assert done.returncode in (0, 4)
    if done.returncode:
        assert len(done.stderr.splitlines()) == 1, done.stderr
    return "Zorbanella" in done.stdout


def refused(mem: Run, store: Path) -> str:
    before = store.read_bytes()
    done = mem("recall", "cat")
    assert (done.returncode, done.stdout) == (4, "")
    assert len(done.stderr.splitlines()) == 1
    assert store.read_bytes() == before
    return done.stderr


def test_a_key_file_is_made_and_found_by_the_next_command(mem: Run, store: Path, own_home: Path) -> None:
    key = own_home / "keys" / "key"
    done = mem("encrypt", "--key-file", str(key))
    assert done.returncode == 0, done.stderr
    assert store_salt(store)
    assert key.stat().st_mode & 0o777 == 0o600
    assert found(mem)
    again = mem("encrypt")
    assert "already" in again.stdout
    assert again.returncode == 0
    assert mem("encrypt", "--key-file", str(own_home / "other")).returncode == 2


@posix
@posix
@pytest.mark.parametrize("command", ["encrypt", "rekey"])
def test_killed_before_the_config_file_names_the_key_it_is_found(
    mem: Run, store: Path, own_home: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    first, second = own_home / "first", own_home / "second"
    config = Path(os.environ["MEMCLI_CONFIG"])
    if command == "rekey":
        assert mem("encrypt", "--key-file", str(first)).returncode == 0
    child = os.fork()
    if child == 0:
        monkeypatch.setattr(NewSource, "settle", lambda _: os._exit(9))
        app.run([command, "--key-file", str(second)])
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
    assert store_salt(store) and str(second) not in (config.read_text() if config.exists() else "")
    assert found(mem)
    assert str(second) in config.read_text()
    assert left_behind(store) == []


def left_behind(store: Path) -> list[str]:
    """The files beside a store and beside its config file that are no store, config, key or log."""
    folders = {store.parent, Path(os.environ["MEMCLI_CONFIG"]).parent}
    tails = (
        ".copying",
        ".conversion",
        ".converted",
        ".unconverted",
        ".syncing",
        ".new-key",
        ".lock",
        ".part",
    )
    return sorted(each.name for folder in folders for each in folder.iterdir() if each.name.endswith(tails))


def killed_while_converting(store: Path, key: Path) -> None:
    """An `encrypt` that is killed when all is noted and locked, and the store is as it was."""
    child = os.fork()
    if child == 0:
        conversion.convert = lambda *_: os._exit(9)
        app.run(["encrypt", "--key-file", str(key)])
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
    assert not store_salt(store)


@posix
@pytest.mark.parametrize("command", ["list", "remember the moon is full", "doctor", "decrypt"])
def test_what_a_killed_encrypt_left_the_next_command_clears(
    mem: Run, store: Path, own_home: Path, command: str
) -> None:
    killed_while_converting(store, own_home / "key")
    store.with_name(f"{store.name}.backup-20261122T031500Z.part").write_bytes(b"half")
    assert {".copying", ".new-key"} <= {Path(each).suffix for each in left_behind(store)}
    mem(*command.split(" ", 1))
    assert left_behind(store) == [] and found(mem)


@posix
def test_what_somebody_is_at_is_no_leftover(mem: Run, store: Path, own_home: Path) -> None:
    note = Config().new_key_note
    with making_copy(store, patience=0), NewSource("key_file", "k", anew=False).noted(store, b"s"):
        part = store.with_name(f"{store.name}.backup-20261122T031500Z.part")
        part.write_bytes(b"half")
        assert found(mem) and mem("doctor").returncode == 0
        assert part.exists() and note.exists() and store.with_name(f"{store.name}.copying").exists()
        with pytest.raises(StoreBusy), NewSource("key_file", "k", anew=False).noted(store, b"s"):
            pass
    part.unlink()
    assert found(mem) and not left_behind(store)


@posix
def test_a_note_of_a_new_key_stays_while_it_may_be_wanted(mem: Run, store: Path, own_home: Path) -> None:
    other, note = own_home / "other.db", Config().new_key_note
    with NewSource("key_file", "k", anew=False).noted(other, b"s"):
        pass
    assert found(mem) and note.exists()
    drop_stale_note(Config(), other, lambda salt: salt == b"s")
    assert note.exists()
    drop_stale_note(Config(), other, lambda _: False)
    assert not left_behind(store)


@posix
def test_who_finds_another_store_getting_its_key_leaves_the_note_of_that(
    mem: Run, store: Path, own_home: Path
) -> None:
    with NewSource("key_file", "k", anew=False).noted(own_home / "other.db", b"s"):
        noted = Config().new_key_note.read_bytes()
        done = mem("encrypt", "--key-file", str(own_home / "key"))
        assert done.returncode != 0 and "another store gets its key" in done.stderr
        assert Config().new_key_note.read_bytes() == noted
        NewSource("key_file", "another", anew=False).settle()
        assert Config().new_key_note.read_bytes() == noted
    assert not store_salt(store) and not (own_home / "key").exists()


def killed_between_copies(
    mem: Run, store: Path, key: Path, left: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A `rekey` that is killed with so many copies unconverted; the store, which comes last, is as it was."""
    before, copies = store_salt(store), [*store.parent.glob("*.backup-*")]
    kept_beside, done = conversion._kept_beside, iter(range(len(copies) - left))
    child = os.fork()
    if child == 0:
        monkeypatch.setattr(
            conversion,
            "_kept_beside",
            lambda *each: os._exit(9) if next(done, None) is None else kept_beside(*each),
        )
        app.run(["rekey", "--key-file", str(key)])
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
    assert store_salt(store) == before and sum(store_salt(each) == before for each in copies) == left


@posix
@pytest.mark.parametrize("left", [0, 1])
def test_after_a_killed_rekey_no_command_on_a_copy_locks_the_store(
    mem: Run, store: Path, own_home: Path, monkeypatch: pytest.MonkeyPatch, left: int
) -> None:
    first, second, third = (own_home / each for each in ("first", "second", "third"))
    config = Path(os.environ["MEMCLI_CONFIG"])
    assert mem("encrypt", "--key-file", str(first)).returncode == 0
    for _ in range(3):
        assert mem("backup").returncode == 0
    killed_between_copies(mem, store, second, left, monkeypatch)
    [other] = mem("remember", "The moon is full").stdout.split()
    assert str(first) in config.read_text() and Config().new_key_note.exists()
    copies = [each for each in store.parent.glob("*.backup-*") if store_salt(each) != store_salt(store)]
    kept = shutil.copytree(own_home, own_home.with_name(f"{own_home.name}-kept"), symlinks=True)
    for command in (
        ["backup", "verify"], ["list", "--db", str(copies[0])], ["forget", "--hard", other], ["encrypt"],
        ["backup", "restore", str(copies[0]), "--yes"], ["decrypt"], ["rekey", "--key-file", str(second)],
        ["rekey", "--key-file", str(third)],
    ):  # fmt: skip
        shutil.rmtree(own_home)
        shutil.copytree(kept, own_home, symlinks=True)
        done = mem(*command)
        assert done.returncode == 0, (command, done)
        assert found(mem) and mem("backup", "verify").returncode == 0, command
        if command[0] in ("decrypt", "rekey"):
            assert left_behind(store) == [], command
        if command[0] == "decrypt":
            assert "key_file" not in config.read_text()


@posix
def test_a_key_that_cannot_be_had_does_not_hide_the_other(mem: Run, store: Path, own_home: Path) -> None:
    first, second = own_home / "first", own_home / "second"
    assert mem("encrypt", "--key-file", str(first)).returncode == 0
    kept, config = first.read_bytes(), Path(os.environ["MEMCLI_CONFIG"])
    said = config.read_text()
    assert mem("rekey", "--key-file", str(second)).returncode == 0
    salt = store_salt(store)
    assert salt
    with NewSource("key_file", str(second), anew=True).noted(store, salt):
        pass
    config.write_text(said)
    first.unlink()
    new = second.read_bytes()
    second.unlink()
    told = refused(mem, store)
    assert str(first) in told and str(second) in told
    first.write_bytes(kept)
    first.chmod(0o600)
    told = refused(mem, store)
    assert str(first) in told and str(second) in told
    second.write_bytes(kept)
    second.chmod(0o600)
    told = refused(mem, store)
    assert str(first) in told and str(second) in told
    first.unlink()
    second.write_bytes(new)
    assert found(mem) and str(second) in config.read_text() and left_behind(store) == []


def test_one_that_fails_leaves_no_key(mem: Run, store: Path, own_home: Path) -> None:
    store.with_name("second-name").hardlink_to(store)
    done = mem("encrypt", "--key-file", str(own_home / "key"))
    assert done.returncode == 4 and not store_salt(store)
    assert not (own_home / "key").exists()
    assert not list(Path(os.environ["MEMCLI_CONFIG"]).parent.glob("*new-key"))


def test_a_key_that_a_copy_wants_is_kept_though_it_failed(
    mem: Run, store: Path, own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert mem("backup").returncode == 0
    kept_beside = conversion._kept_beside

    def fails_last(path: Path, old: Path) -> Any:
        if path == store:
            raise OSError(5, "broken")
        return kept_beside(path, old)

    monkeypatch.setattr(conversion, "_kept_beside", fails_last)
    key = own_home / "key"
    with pytest.raises(StoreUnusable):
        encrypt(store, KeyOptions(file=key), Config())
    [backup] = store.parent.glob("*.backup-*")
    assert key.exists() and store_salt(backup) and not store_salt(store)


def test_a_damaged_first_page_is_told_from_a_wrong_key_where_a_copy_shows_it(
    mem: Run, store: Path, own_home: Path
) -> None:
    assert mem("encrypt", "--key-file", str(own_home / "key")).returncode == 0
    assert mem("backup").returncode == 0
    whole = store.read_bytes()
    store.write_bytes(whole[:500] + bytes([whole[500] ^ 1]) + whole[501:])
    assert "first page of the file is damaged" in refused(mem, store)
    assert mem("backup", "restore", "latest", "--yes").returncode == 0
    assert found(mem)
    [backup] = [each for each in store.parent.glob("*.backup-*") if "restore" not in each.name]
    backup.unlink()
    for each in store.parent.glob("*.damaged-*"):
        each.unlink()
    whole = store.read_bytes()
    store.write_bytes(whole[:500] + bytes([whole[500] ^ 1]) + whole[501:])
    said = refused(mem, store)
    assert "another key, or its first page is damaged" in said


def test_no_key_is_made_where_the_store_has_files_of_its_own(mem: Run, store: Path) -> None:
    """SQLite removes its side files, and with the only key all memories would be gone."""
    before = store.read_bytes()
    for tail in ("-wal", "-shm", "-journal", ".conversion"):
        done = mem("encrypt", "--key-file", f"{store}{tail}")
        assert done.returncode == 2 and len(done.stderr.splitlines()) == 1
        assert store.read_bytes() == before and not store.with_name(f"{store.name}{tail}").exists()
    key = store.with_name("key")
    assert mem("encrypt", "--key-file", str(key)).returncode == 0
    sealed = store.read_bytes()
    assert mem("rekey", "--key-file", f"{store}-wal").returncode == 2
    assert store.read_bytes() == sealed


def test_a_key_file_that_others_can_read_is_refused(mem: Run, store: Path, own_home: Path) -> None:
    key = own_home / "key"
    mem("encrypt", "--key-file", str(key))
    for mode in (0o604, 0o640, 0o644):
        key.chmod(mode)
        assert "others can read" in refused(mem, store)
    key.chmod(0o600)
    assert found(mem)


def test_without_a_key_or_with_a_wrong_one_nothing_is_touched(
    mem: Run, store: Path, own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMCLI_KEY_FILE", str(own_home / "key"))
    assert mem("encrypt").returncode == 0
    monkeypatch.delenv("MEMCLI_KEY_FILE")
    assert "no key" in refused(mem, store)
    (wrong := own_home / "wrong").write_text("ab" * 32)
    wrong.chmod(0o600)
    monkeypatch.setenv("MEMCLI_KEY_FILE", str(wrong))
    assert "not opened by" in refused(mem, store)
    monkeypatch.setenv("MEMCLI_KEY_FILE", str(own_home / "missing"))
    assert "missing" in refused(mem, store)
    done = mem("list", "--json")
    assert json.loads(done.stderr)["exit_status"] == 4


def test_a_command_gives_the_key_and_its_words_are_not_repeated(
    mem: Run, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMCLI_KEY_COMMAND", "printf 'correct horse battery\\nsecond line'")
    done = mem("encrypt", "--json")
    assert json.loads(done.stdout)["key"] == "the key_command"
    assert found(mem)
    for command in ("sh -c 'echo sEcReT >&2; exit 3'", "no-such-program-here", "true", "echo sEcReT"):
        monkeypatch.setenv("MEMCLI_KEY_COMMAND", command)
        assert "sEcReT" not in refused(mem, store)


@posix
def test_a_command_that_makes_a_new_key_each_time_keeps_none(mem: Run, store: Path, own_home: Path) -> None:
    counting = own_home / "count"
    counting.write_text("x\n")
    anew = f"sh -c 'echo x >> {counting}; wc -l < {counting}'"
    before = store.read_bytes()
    done = mem("encrypt", "--key-command", anew)
    assert (done.returncode, done.stdout) == (4, "")
    assert "another key when it was asked again; nothing was touched" in done.stderr
    assert store.read_bytes() == before and found(mem)
    assert mem("encrypt", "--key-file", str(own_home / "key")).returncode == 0
    encrypted = store.read_bytes()
    assert mem("rekey", "--key-command", anew).returncode == 4
    assert store.read_bytes() == encrypted and found(mem)


def test_the_keyring_keeps_a_key_and_forgets_one_that_is_of_no_use(
    mem: Run, store: Path, keyring: Path, own_home: Path
) -> None:
    done = mem("encrypt")
    assert "keyring" in done.stdout, done.stderr
    assert found(mem)
    first = json.loads(keyring.read_text())
    assert list(first) == [f"memcli/{store.read_bytes()[:16].hex()}"]
    assert mem("rekey").returncode == 0
    assert found(mem)
    second = json.loads(keyring.read_text())
    assert len(second) == 1
    assert second != first
    # It is found by what stands in the file, wherever that lies.
    moved = store.rename(own_home / "moved.db")
    assert found(mem, "--db", str(moved))
    assert mem("decrypt", "--db", str(moved)).returncode == 0
    assert json.loads(keyring.read_text()) == {}


def test_a_key_in_use_is_no_new_one(mem: Run, store: Path, own_home: Path) -> None:
    key = str(own_home / "key")
    assert mem("rekey", "--key-file", key).returncode == 2
    mem("encrypt", "--key-file", key)
    assert mem("rekey", "--key-file", key).returncode == 2
    assert mem("rekey").returncode == 2
    assert mem("rekey", "--key-file", f"{key}2").returncode == 0
    assert found(mem)
    Path(key).unlink()
    assert found(mem)


def test_without_a_place_for_the_key_nothing_is_encrypted(
    mem: Run, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
    done = mem("encrypt")
    assert done.returncode == 4
    assert len(done.stderr.splitlines()) == 1
    assert store_salt(store) is None


def test_a_new_store_begins_encrypted(mem: Run, own_home: Path) -> None:
    assert mem("encrypt", "--key-file", str(own_home / "key")).returncode == 0
    assert store_salt(Path(os.environ["MEMCLI_DB"]))
    assert mem("remember", "from the start").returncode == 0


def test_doctor_tells_of_a_page_that_was_changed_and_of_a_plain_copy(
    mem: Run, store: Path, own_home: Path
) -> None:
    mem("encrypt", "--key-file", str(own_home / "key"))
    assert "encryption" in mem("doctor").stdout
    plain = store.with_name("memory.db.backup-mine")
    assert mem("--db", str(plain), "remember", "I am plain").returncode == 0
    done = mem("doctor")
    assert done.returncode
    assert "memory.db.backup-mine" in done.stdout
    assert mem("encrypt").returncode == 0
    assert mem("doctor").returncode == 0
    content = bytearray(store.read_bytes())
    content[5 * 16384 + 99] ^= 4
    store.write_bytes(content)
    assert "HMAC" in mem("doctor").stdout


@posix
def test_a_passphrase_is_asked_for_at_a_terminal_and_kept_only_if_asked(
    mem: Run, store: Path, keyring: Path
) -> None:
    def at_terminal(answers: list[str], *arguments: str) -> tuple[int, str]:
        import pty

        child, terminal = pty.fork()
        if child == 0:
            os.execv(MEM, [str(MEM), *arguments])
        said = b""
        try:
            while True:
                said += os.read(terminal, 4096)
                # What is typed before the question is thrown away.
                if said.endswith(b": ") and answers:
                    time.sleep(0.1)
                    os.write(terminal, answers.pop(0).encode() + b"\n")
        except OSError:
            pass
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        return status, said.decode()

    assert at_terminal(["one", "two"], "encrypt", "--passphrase")[0] == 4
    assert store_salt(store) is None
    assert at_terminal(["grüße an alle"] * 2, "encrypt", "--passphrase")[0] == 0
    assert not keyring.exists()
    assert not found(mem)
    status, said = at_terminal(["grüße an alle"], "list")
    assert status == 0
    assert "Zorbanella" in said
    assert "grüße" not in said
    assert at_terminal(["another"], "list")[0] == 4
    assert at_terminal(["grüße an alle", "new", "new"], "rekey", "--passphrase", "--keyring")[0] == 0
    assert keyring.exists()
    assert "new" not in keyring.read_text()
    assert found(mem)


def test_an_encrypted_export_comes_back_by_key_and_by_identity(mem: Run, store: Path, own_home: Path) -> None:
    import pyrage

    identity = pyrage.x25519.Identity.generate()
    (file := own_home / "identity").write_text(f"# made by a test\n{identity}\n")
    file.chmod(0o600)
    sealed, by_key = str(own_home / "a.age"), str(own_home / "b.age")
    assert mem("export", "--recipient", str(identity.to_public()), "-o", sealed).returncode == 0
    none = mem("export", "--encrypted", "-o", by_key)
    assert none.returncode == 4
    assert not Path(by_key).exists()
    mem("encrypt", "--key-file", str(own_home / "key"))
    assert mem("export", "--encrypted", "-o", by_key).returncode == 0
    for each in (sealed, by_key):
        assert b"Zorbanella" not in Path(each).read_bytes()
    other = ["--db", str(own_home / "other.db")]
    assert mem(*other, "import", sealed).returncode == 4
    assert mem(*other, "import", sealed, "--identity", str(file)).returncode == 0
    assert found(mem, *other)
    assert mem("--db", str(own_home / "third.db"), "import", by_key).returncode == 0
    whole = Path(sealed).read_bytes()
    for broken in (whole[:-9], whole[:150], whole[:-40] + b"x" + whole[-39:]):
        Path(sealed).write_bytes(broken)
        done = mem(*other, "import", sealed, "--identity", str(file))
        assert done.returncode == 4
        assert "a.age: encrypted, and damaged" in done.stderr and "key" not in done.stderr
        assert len(done.stderr.splitlines()) == 1
    cut = Path(by_key).read_bytes()[:-9]
    Path(by_key).write_bytes(cut)
    done = mem("import", by_key)
    assert done.returncode == 4 and "b.age: encrypted, and damaged" in done.stderr


@pytest.mark.parametrize("form", ["md", "csv", "json", "jsonl"])
def test_an_encrypted_export_of_any_form_is_known_by_what_is_inside(
    mem: Run, store: Path, own_home: Path, form: str
) -> None:
    mem("encrypt", "--key-file", str(own_home / "key"))
    sealed = own_home / "copy.age"
    assert mem("export", "--encrypted", "--format", form, "-o", str(sealed)).returncode == 0
    other = ["--db", str(own_home / "other.db")]
    assert mem(*other, "import", str(sealed)).returncode == 0
    assert found(mem, *other)
    named = {"md": "markdown"}.get(form, form)
    again = mem(*other, "import", "--from", named if form in ("md", "csv") else "chatgpt", str(sealed))
    assert again.returncode == (0 if form in ("md", "csv") else 2), again.stderr
    if form in ("md", "csv"):
        with sealed.open("rb") as stream:
            assert "0 added, 0 updated" in mem(*other, "import", "-", stdin=stream).stdout


def test_sizes_are_numbers_and_recalls_of_the_past_answer(mem: Run, store: Path, own_home: Path) -> None:
    mem("encrypt", "--key-file", str(own_home / "key"))
    figures = json.loads(mem("stats", "--json").stdout)["bytes"]
    assert all(isinstance(number, int) for number in figures.values()), figures
    assert "Zorbanella" in mem("list", "--as-of", "2100-01-01").stdout
    done = mem("forget", "--hard", "--yes", json.loads(mem("list", "--json").stdout)["id"])
    assert done.returncode == 0, done.stderr
    assert "none of it is left" in done.stdout


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@posix
def test_a_key_command_that_hangs_is_given_up_and_told_of_on_a_terminal(
    mem: Run, store: Path, own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert mem("encrypt", "--key-file", str(own_home / "key")).returncode == 0
    monkeypatch.setenv("MEMCLI_KEY_COMMAND", "sleep 1000")
    monkeypatch.setattr(key_command, "_SILENCE", 0.0)
    monkeypatch.setattr(key_command, "_PATIENCE", 0.1)
    monkeypatch.setattr(sys, "stderr", told := Terminal())
    assert app.run(["list"]) == 4
    waiting, given_up = told.getvalue().splitlines()
    assert waiting == "mem: waiting for the key_command, 0.1 s at most"
    assert "the key_command gave no key within 0.1 s" in given_up and "sleep" not in given_up


@posix
def test_a_key_command_is_heard_no_longer_than_a_key_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither one that prints for ever nor one that leaves a child behind takes our memory or our time."""
    monkeypatch.setattr(key_command, "_PATIENCE", 600.0)
    with pytest.raises(NoKey, match="failed"):
        key_command.run_key_command("yes")
    assert key_command.run_key_command("sh -c 'echo secret; sleep 600 &'").text == "secret"
    assert key_command.run_key_command("sh -c 'echo secret; head -c 100000 /dev/zero'").text == "secret"


@posix
def test_a_key_command_that_answers_is_not_talked_about(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(key_command, "_SILENCE", 1000.0)
    monkeypatch.setattr(sys, "stderr", told := Terminal())
    key_command.run_key_command("echo secret")
    assert not told.getvalue()
    monkeypatch.setattr(key_command, "_SILENCE", 0.0)
    monkeypatch.setattr(sys, "stderr", piped := io.StringIO())
    key_command.run_key_command("echo secret")
    assert not piped.getvalue()


def test_a_copy_that_stays_plain_is_told_by_the_exit_status(mem: Run, store: Path, own_home: Path) -> None:
    bad = store.with_name(f"{store.name}.backup-mine")
    bad.write_bytes(b"SQLite format 3\0" + bytes(5000))
    done = mem("encrypt", "--key-file", str(own_home / "key"))
    assert done.returncode == 4 and f"{bad}: not encrypted, it stays as it was" in done.stderr
    assert "nothing was" not in done.stderr
    assert mem("encrypt").returncode == 4
    bad.unlink()
    assert mem("encrypt").returncode == 0


def test_what_a_sync_left_is_asked_before_anything_is_encrypted(
    own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Afterwards it could fail, and that "nothing was changed" would not be so."""
    store = own_home / "memory.db"
    open_store(store).close()

    def fail(*arguments: object) -> None:
        raise StoreUnusable(f"{store}: disk I/O error", left="nothing was changed")

    with monkeypatch.context() as patch, pytest.raises(StoreUnusable):
        patch.setattr(encryption, "read_state", fail)
        encrypt(store, KeyOptions(file=own_home / "key"), Config())
    assert store_salt(store) is None


def test_where_what_it_was_cannot_be_overwritten_the_status_says_so(
    store: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(_: Path) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(conversion, "shred", broken)
    assert app.run(["encrypt", "--key-file", str(store.with_name("key"))]) == 4
    shown = capsys.readouterr()
    assert "encrypted" in shown.out and "what it was before may still be found" in shown.err
    assert store_salt(store)
