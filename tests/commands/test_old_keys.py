"""No setting goes on naming a key that opens the store no more."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memcli import app
from memcli.config.config import Config
from memcli.keys import choice as choosing
from memcli.keys.secret import Secret
from memcli.storage.encryption import store_salt
from memcli.storage.stores import open_store

Say = pytest.CaptureFixture[str]


@pytest.fixture
def store(own_home: Path) -> Path:
    path = Path(os.environ["MEMCLI_DB"])
    open_store(path).close()
    return path


def done(capsys: Say, *arguments: str) -> list[str]:
    """The lines that a command that succeeds says on stderr."""
    capsys.readouterr()
    assert app.run(list(arguments)) == 0, capsys.readouterr().err
    return capsys.readouterr().err.splitlines()


def settings() -> dict[str, object]:
    return {name: Config()[name] for name in ("key_file", "key_command") if Config()[name]}


def test_what_encrypt_wrote_decrypt_takes_out(store: Path, own_home: Path, capsys: Say) -> None:
    key, config = own_home / "key", own_home / "config.toml"
    config.write_text("# mine\nlimit = 7\n")
    done(capsys, "encrypt", "--key-file", str(key))
    assert settings() == {"key_file": key}
    [line] = done(capsys, "decrypt")
    assert line == f"mem: {config}: key_file is taken out, it was {key}; the file stays where it is"
    assert not store_salt(store) and not settings() and key.exists()
    assert config.read_text() == "# mine\nlimit = 7\n"
    assert done(capsys, "stats") == [] and done(capsys, "decrypt") == []
    # Of a command likewise.
    done(capsys, "encrypt", "--key-command", f"cat {key}")
    done(capsys, "decrypt")
    assert not settings()


def test_another_key_leaves_no_setting_of_the_one_before(store: Path, own_home: Path, capsys: Say) -> None:
    first, second = own_home / "first", own_home / "second"
    done(capsys, "encrypt", "--key-file", str(first))
    assert len(done(capsys, "rekey", "--key-file", str(second))) == 1
    assert settings() == {"key_file": second}
    third = own_home / "third"
    third.write_text("0" * 64)
    third.chmod(0o600)
    lines = done(capsys, "rekey", "--key-command", f"cat {third}")
    assert [line.split(": ")[-1].split()[:3] for line in lines] == [
        ["key_command", "is", "cat"], ["key_file", "is", "taken"],
    ]  # fmt: skip
    assert settings() == {"key_command": f"cat {third}"}
    # A command is asked before a file: it would be tried with each call.
    done(capsys, "rekey", "--key-file", str(own_home / "fourth"))
    assert settings() == {"key_file": own_home / "fourth"} and done(capsys, "stats") == []


def test_a_passphrase_is_asked_for_afterwards(
    store: Path, own_home: Path, capsys: Say, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(choosing, "can_ask", lambda: True)
    monkeypatch.setattr(
        choosing, "ask_passphrase", lambda *_, **__: Secret("words to know", "the passphrase")
    )
    done(capsys, "encrypt", "--key-file", str(own_home / "key"))
    done(capsys, "rekey", "--passphrase")
    assert not settings()
    other = own_home / "other.db"
    open_store(other).close()
    done(capsys, "config", "set", "key_file", str(own_home / "key"))
    [line] = done(capsys, "encrypt", "--db", str(other), "--passphrase")
    assert "nobody is asked for the passphrase" in line


def test_what_another_store_needs_stays(
    store: Path, own_home: Path, capsys: Say, monkeypatch: pytest.MonkeyPatch
) -> None:
    key, other = str(own_home / "key"), own_home / "other.db"
    done(capsys, "encrypt", "--key-file", key)
    open_store(other).close()
    done(capsys, "encrypt", "--db", str(other))
    [line] = done(capsys, "decrypt", "--db", str(other))
    assert line.endswith(f"key_file stays {key}: {store} is encrypted, too")
    assert store_salt(store) and not store_salt(other) and settings()
    # What stands in a variable is not ours to take out, and a file of another key is not meant.
    monkeypatch.setenv("MEMCLI_KEY_FILE", key)
    [line] = done(capsys, "decrypt")
    assert line.startswith("mem: MEMCLI_KEY_FILE is set to") and line.endswith("unset it")
