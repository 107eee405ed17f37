"""A new file takes a store's place only once all that it says is in it, and on disk."""

from __future__ import annotations

import errno
import os
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
import sqlcipher3.dbapi2 as sqlite

from memcli.errors import StoreUnusable
from memcli.model import Filter
from memcli.storage.sqlite.file.conversion_lock import sync_whole
from memcli.storage.sqlite.file.errors import explained_errors, explained_os_errors
from memcli.storage.sqlite.file.opening import open_database
from memcli.storage.sqlite.repair.new_file import salvage_into_new_file
from memcli.storage.sqlite.store import SqliteStore
from memcli.storage.stores import open_store

_AT = datetime(2026, 5, 3, tzinfo=UTC)


def _look_into(path: Path) -> sqlite.Connection:
    """A reader, because of whom SQLite leaves the log of a file as it is: so it does where its disk fails."""
    reader = open_database(path)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM memories").fetchone()
    return reader


def _texts(path: Path) -> list[str]:
    with closing(open_store(path)) as store:
        return [each.text for each in store.select(Filter())]


def test_a_file_with_a_log_beside_it_is_not_whole(kept: Path) -> None:
    sync_whole(kept)
    with closing(_look_into(kept)):
        with closing(open_database(kept)) as writer:
            writer.execute("UPDATE memories SET importance = importance / 2")
        with pytest.raises(OSError, match=os.strerror(errno.EIO)):
            sync_whole(kept)
    sync_whole(kept)


def test_what_is_salvaged_takes_no_place_before_all_of_it_is_in_its_file(
    kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    readers: list[sqlite.Connection] = []
    rebuild = SqliteStore.rebuild

    def rebuild_beside_a_reader(store: SqliteStore) -> None:
        readers.append(_look_into(Path(store.file)))
        rebuild(store)

    before = kept.read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr(SqliteStore, "rebuild", rebuild_beside_a_reader)
        with pytest.raises(StoreUnusable, match="check the disk"):
            salvage_into_new_file(kept, _AT, accept=False, busy_timeout=1)
    readers[0].close()
    assert kept.read_bytes() == before and not list(kept.parent.glob("*.damaged-*"))
    assert salvage_into_new_file(kept, _AT, accept=False, busy_timeout=1).salvaged
    assert _texts(kept) == ["the mill grinds rye"]


@pytest.mark.parametrize(
    ("number", "advice"),
    [(errno.EIO, "check the disk"), (errno.ENOSPC, "make room"), (errno.EACCES, "check the permissions")],
)
def test_the_way_out_is_that_of_the_cause(number: int, advice: str, tmp_path: Path) -> None:
    with pytest.raises(StoreUnusable) as told, explained_os_errors(tmp_path):
        raise OSError(number, os.strerror(number))
    assert told.value.told.get("advice") == advice


def test_what_the_driver_takes_for_want_of_memory_is_a_line_that_names_the_file(tmp_path: Path) -> None:
    with pytest.raises(StoreUnusable, match="no memory") as told, explained_errors(tmp_path / "memory.db"):
        raise MemoryError
    assert "memory.db" in str(told.value) and "nothing was changed" in str(told.value)
