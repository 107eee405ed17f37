"""One function opens every file of a store, and applies its key."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path

import pytest
import sqlcipher3.dbapi2 as sqlite

from memcli.errors import StoreDamaged, WrongKey
from memcli.storage.sqlite.file import opening
from memcli.system.files import write_private

PACKAGE = Path(opening.__file__).parents[3]


def test_nobody_else_calls_connect() -> None:
    calling = [path.name for path in PACKAGE.rglob("*.py") if "sqlite.connect(" in path.read_text("utf-8")]
    assert calling == ["opening.py"]


@pytest.fixture
def encrypted(tmp_path: Path) -> Path:
    path, salt, key = tmp_path / "e.db", os.urandom(16), os.urandom(32)
    opening.learn_key(salt, key)
    new = opening.create_database(path, key, salt)
    new.execute("CREATE TABLE t (x)")
    new.execute("INSERT INTO t VALUES ('needle')")
    new.close()
    return path


def test_an_encrypted_file_opens_by_a_known_key_and_says_nothing_in_the_clear(encrypted: Path) -> None:
    assert b"SQLite" not in encrypted.read_bytes()
    assert b"needle" not in encrypted.read_bytes()
    assert opening.salt_of(encrypted) == encrypted.read_bytes()[:16]
    assert opening.open_database(encrypted).execute("SELECT x FROM t").fetchone() == ("needle",)


def test_copies_bear_the_salt_of_their_store(encrypted: Path, tmp_path: Path) -> None:
    copy, other = tmp_path / "copy.db", tmp_path / "other.db"
    opening.open_database(encrypted).execute("VACUUM INTO ?", (str(copy),))
    like = opening.open_database(other, like=encrypted)
    like.execute("CREATE TABLE t (x)")
    like.close()
    assert opening.salt_of(copy) == opening.salt_of(other) == opening.salt_of(encrypted)
    assert opening.open_database(copy).execute("SELECT x FROM t").fetchone() == ("needle",)


def test_a_plain_file_has_no_salt(tmp_path: Path) -> None:
    plain = tmp_path / "p.db"
    assert opening.salt_of(plain) is None
    opening.open_database(plain).execute("CREATE TABLE t (x)")
    assert opening.salt_of(plain) is None


def test_what_is_no_database_is_not_taken_for_a_busy_one(tmp_path: Path) -> None:
    held = tmp_path / "p.db"
    first = opening.open_database(held)
    first.execute("CREATE TABLE t (x)")
    first.execute("BEGIN EXCLUSIVE")
    with pytest.raises(sqlite.OperationalError, match="locked"):
        opening.open_database(held, timeout=0)


def test_an_encrypted_file_is_read_into_memory_plain(encrypted: Path) -> None:
    copy = opening.open_in_memory(encrypted)
    assert copy.execute("SELECT x FROM t").fetchone() == ("needle",)
    assert copy.execute("PRAGMA page_size").fetchone() == (opening.PAGE_SIZE,)
    # Of the file it holds nothing any more.
    assert [row[1] for row in copy.execute("PRAGMA database_list")] == ["main"]
    assert [path.name for path in encrypted.parent.iterdir()] == [encrypted.name]


@pytest.mark.parametrize(
    ("beside", "told"),
    [
        ("same", StoreDamaged), ("none", WrongKey), ("plain", WrongKey), ("folder", WrongKey),
        ("other key", WrongKey), ("other salt", WrongKey), ("cut", WrongKey),
    ],
)  # fmt: skip
def test_a_first_page_is_damaged_where_the_key_opens_a_copy_and_else_the_key_is_wrong(
    encrypted: Path, beside: str, told: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    salt = encrypted.read_bytes()[:16]
    key = opening.known_key(salt)
    assert key
    copy = encrypted.with_name("e.db.backup-20261122T031500Z")
    if beside == "folder":
        copy.mkdir()
    elif beside == "plain":
        with closing(opening.open_database(copy)) as db:
            db.execute("CREATE TABLE t (x)")
    elif beside.startswith("other"):
        keys = (key, os.urandom(16)) if beside == "other salt" else (os.urandom(32), salt)
        with closing(opening.create_database(copy, *keys)) as db:
            db.execute("CREATE TABLE t (x)")
    elif beside != "none":
        copy.write_bytes(encrypted.read_bytes()[: 500 if beside == "cut" else None])
    with encrypted.open("r+b") as file:
        file.seek(200)
        file.write(bytes(100))
    monkeypatch.setattr(opening, "_known", {})
    monkeypatch.setenv("MEMCLI_KEY_FILE", str(encrypted.with_name("key")))
    encrypted.with_name("key").write_text(key.hex())
    encrypted.with_name("key").chmod(0o600)
    before = {each.name for each in encrypted.parent.iterdir()}
    with pytest.raises(told) as caught:
        opening.open_database(encrypted)
    assert (f"opens {copy.name} beside it" in str(caught.value)) is (told is StoreDamaged)
    assert {each.name for each in encrypted.parent.iterdir()} == before


def test_no_output_goes_over_a_copy_of_an_encrypted_store(tmp_path: Path) -> None:
    opening.create_database(tmp_path / "a.db", bytes(32), b"0123456789abcdef").close()
    copy = tmp_path / "elsewhere"
    copy.write_bytes(b"0123456789abcdef" + bytes(100))
    with pytest.raises(PermissionError, match="a store"):
        write_private(copy, b"x")
