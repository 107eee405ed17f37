"""A copy that was out of reach when its store got a key: named, and converted once it is back."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memcli.storage.encryption import store_salt
from tests.conftest import Run


def copies(mem: Run) -> str:
    [line] = [each for each in mem("doctor").stdout.splitlines() if each[5:].startswith("copies")]
    return line


@pytest.mark.parametrize("is_rekeyed", [False, True])
def test_a_copy_that_was_away_is_converted_when_it_is_back(
    mem: Run, own_home: Path, is_rekeyed: bool
) -> None:
    stick, away = own_home / "stick", own_home / "away"
    stick.mkdir()
    one, two = (str(own_home / name) for name in ("one", "two"))
    mem("remember", "The cat is called Zorbanella")
    store, copy = Path(os.environ["MEMCLI_DB"]), stick / "b.db"
    if is_rekeyed:
        assert mem("encrypt", "--key-file", one).returncode == 0
    assert mem("backup", str(copy)).returncode == 0
    stick.rename(away)
    done = mem("rekey", "--key-file", two) if is_rekeyed else mem("encrypt", "--key-file", one)
    assert done.returncode == 4 and "out of reach" in done.stderr and "`mem encrypt`" in done.stderr
    assert copies(mem).startswith("ok") and f"out of reach, so nobody knows of: {copy}" in copies(mem)
    away.rename(stick)
    assert copies(mem).startswith("BAD") and str(copy) in copies(mem)
    if is_rekeyed:
        told = mem("encrypt")
        assert told.returncode == 4 and "--key-file OLD" in told.stderr and "not is" not in told.stderr
        # An erasure that this one missed does not end by its removal alone.
        [first] = [line.split()[0] for line in mem("list").stdout.splitlines()]
        erased = mem("forget", "--hard", "--yes", first)
        assert erased.returncode == 4 and "--key-file OLD" in erased.stderr and "rm removes" in erased.stderr
        assert "Zorbanella" not in mem("list").stdout
    # A key that is neither the store's nor that of a copy is a new one, and none is made for that.
    refused = mem("encrypt", "--key-file", str(own_home / "three"))
    assert refused.returncode == 2 and not (own_home / "three").exists()
    done = mem("encrypt", "--key-file", one)
    assert done.returncode == 0 and "already; converted: 1 copy of it" in done.stdout
    assert store_salt(copy) == store_salt(store) and copies(mem).startswith("ok")
    # And what was erased meanwhile is gone from it, too.
    verified = mem("backup", "verify")
    assert verified.returncode == 0 and ("memories 0" in verified.stdout) is is_rekeyed
