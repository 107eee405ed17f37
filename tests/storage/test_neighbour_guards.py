"""What others do to a store while it is converted, restored or mended, and what of it is left out."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlcipher3.dbapi2 as sqlite

from memcli.config.location import read_location
from memcli.errors import FlaggedStore
from memcli.memories import Memories
from memcli.model import Filter
from memcli.storage import errands, stores
from memcli.storage.encryption import FileKey
from memcli.storage.reports import Erasure
from memcli.storage.sqlite.checks.derived import wrong_words
from memcli.storage.sqlite.erasing import erasure
from memcli.storage.sqlite.file import opening
from memcli.storage.sqlite.file.opening import open_database
from memcli.storage.sqlite.repair.row_mender import RowMender
from memcli.storage.sqlite.replacement import conversion, restoring
from memcli.storage.sqlite.store import SqliteStore
from memcli.storage.stores import open_store
from tests.storage.conftest import refused


@pytest.fixture
def reader(kept: Path) -> Iterator[sqlite.Connection]:
    """Somebody who is reading the store, which has no log, and lets go of it when asked to commit."""
    with closing(open_database(kept)) as db:
        db.execute("PRAGMA journal_mode = DELETE")
    with closing(open_database(kept)) as db:
        db.execute("BEGIN")
        db.execute("SELECT count(*) FROM memories").fetchone()
        yield db


def test_a_conversion_waits_for_who_only_reads(kept: Path, reader: sqlite.Connection) -> None:
    done = threading.Event()

    def convert() -> None:
        with closing(open_database(kept)) as converting:
            conversion._lock_exclusively(converting, kept, 20, was_wal=False)
            done.set()

    thread = threading.Thread(target=convert)
    thread.start()
    assert not done.wait(0.3)
    reader.execute("COMMIT")
    thread.join(20)
    assert done.is_set()


def test_a_conversion_waits_no_longer_than_it_may(kept: Path, reader: sqlite.Connection) -> None:
    with closing(open_database(kept)) as db, pytest.raises(sqlite.OperationalError, match="locked"):
        conversion._lock_exclusively(db, kept, 0.05, was_wal=False)


def test_a_copy_that_cannot_be_read_is_told_and_the_rest_is_converted(
    kept: Path, memories: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(open_store(kept)) as store:
        copy = store.back_up(memories.now())
    look = opening.salt_of

    def failing(path: Path) -> bytes | None:
        if path == copy:
            raise refused(10, "disk I/O error")
        return look(path)

    monkeypatch.setattr(conversion, "salt_of", failing)
    done = conversion.convert_store(kept, FileKey(bytes(32), bytes(range(16))), 5)
    assert [each for each, _ in done.left] == [copy] and look(kept) == bytes(range(16))
    assert not look(copy)


def test_what_a_neighbour_writes_during_a_restore_is_kept(
    memories: Memories, kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(open_store(kept)) as store:
        copy = store.back_up(memories.now())
    make_copy = SqliteStore.make_copy
    copies: list[Path] = []
    written: list[int] = []

    def written_meanwhile(self: SqliteStore, *arguments: Any, **options: Any) -> Path:
        if not written:
            with closing(open_store(kept)) as neighbour:
                [memory] = neighbour.select(Filter(spaces=None))
                later = replace(memory, id=memories.new_id(memories.now()), text="the mill burnt down")
                written.append(neighbour.put([later], memories.change("add"), memories.now()))
        made = make_copy(self, *arguments, **options)
        copies.append(made)
        return made

    monkeypatch.setattr(SqliteStore, "make_copy", written_meanwhile)
    at = memories.now() + timedelta(minutes=1)
    done = restoring.restore(kept, copy, at, lambda *_: Erasure(), busy_timeout=5, force=False)
    # It was prepared once more, and the backup of what was replaced holds the neighbour's words.
    assert len(copies) == 2 and done.kept == copies[-1]
    with closing(open_store(copies[-1])) as before:
        texts = {each.text for each in before.select(Filter(spaces=None))}
    assert texts == {"the mill grinds rye", "the mill burnt down"}
    with closing(open_store(kept)) as now:
        assert {each.text for each in now.select(Filter(spaces=None))} == {"the mill grinds rye"}


def test_a_row_that_cannot_be_found_again_hinders_no_other_from_being_mended(kept: Path) -> None:
    with closing(open_database(kept)) as db:
        values = "'{}', 1, '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z', x'00'"
        for key in ("CAST(x'80' AS TEXT)", "'élégible'"):
            db.execute(
                "INSERT INTO states (space, area, key, value, version, created_at, updated_at, digest) "
                f"VALUES ('default', 'block', {key}, {values})"
            )
        with RowMender(db, kept, accept=False) as mender:
            mender.mend_all()
        assert any("élégible" in name for name in mender.report().doubtful)


def test_words_without_a_memory_are_told_and_of_a_damaged_row_its_words_are_not(kept: Path) -> None:
    with closing(open_database(kept)) as db:
        assert [*wrong_words(db)] == []
        db.execute("INSERT INTO memory_words (memory, words) VALUES (4711, 'zebra')")
        assert [*wrong_words(db)] == [4711]
        db.execute("DELETE FROM memory_words WHERE memory = 4711")
        db.execute("UPDATE memories SET tags = 'no JSON'")
        assert [*wrong_words(db)] == []


def test_an_errand_that_somebody_does_is_not_done_beside_it(kept: Path) -> None:
    with closing(open_store(kept)) as one, closing(open_store(kept)) as other:
        with errands.only_one(one, errands.SYNCING, wait=False) as first:
            assert first
            with errands.only_one(other, errands.SYNCING, wait=False) as second:
                assert not second
            with errands.only_one(other, errands.ERASING, wait=False) as third:
                assert third
        with errands.only_one(other, errands.SYNCING, wait=False) as again:
            assert again


def test_what_is_to_be_copied_is_not_made(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[dict[str, Any]] = []
    monkeypatch.setattr(stores, "open_store", lambda place, **how: asked.append(how))
    stores.open_to_copy(read_location("postgresql://ann@nowhere/kept"), 1.5)
    assert asked == [{"create": False, "busy_timeout": 1.5}]


def test_what_expires_at_an_instant_is_gone_at_it_in_the_past_too(memories: Memories) -> None:
    memory = memories.remember("the mill grinds rye")
    until = memories.now() + timedelta(days=1)
    memories.store.put([replace(memory, expires_at=until)], memories.change("edit"), memories.now())
    for at, found in ((until - timedelta(seconds=1), 1), (until, 0)):
        for past_only in (True, False):
            where = Filter(spaces=None, at=at, past=(memory.happened_at, at), past_only=past_only)
            assert len([*memories.store.select(where)]) == found


def test_a_store_that_was_found_damaged_is_not_converted(kept: Path) -> None:
    stores.flag_store(kept, ["rows: memory 1"])
    before = kept.read_bytes()
    with pytest.raises(FlaggedStore):
        conversion.convert_store(kept, FileKey(bytes(32), bytes(range(16))), 5)
    assert kept.read_bytes() == before


@pytest.mark.parametrize("is_encrypted", [False, True])
def test_what_is_erased_from_an_encrypted_file_leaves_no_page_in_it(kept: Path, is_encrypted: bool) -> None:
    """A plain file is searched for what no row holds before it is written anew; this one cannot be."""
    if is_encrypted:
        conversion.convert_store(kept, FileKey(bytes(32), bytes(range(16))), 5)
    with closing(SqliteStore(kept)) as store:
        db = store.connection
        db.execute("CREATE TABLE large AS SELECT zeroblob(1000000) AS x")
        db.execute("DROP TABLE large")
        store.scrub()
        [(free,)] = db.execute("PRAGMA freelist_count")
        assert (free == 0) is is_encrypted


@pytest.mark.parametrize(
    ("chunks", "found"),
    [
        ([b"a needle."], [0]), ([b"a nee", b"dle."], [0]), ([b"n", b"e", b"e", b"d", b"l", b"e"], [0]),
        ([b"a nee", b".", b"dle"], []), ([b"hay", b"a needle"], [0, 1]), ([b"said"], []), ([], []),
    ],
)  # fmt: skip
def test_a_text_is_found_across_the_portions_in_which_a_file_is_read(
    chunks: list[bytes], found: list[int]
) -> None:
    needles = [b"needle", b"hay", b"said"]
    assert sorted(erasure.found_in(chunks, needles, lambda needle: needle == b"said")) == found
    assert list(erasure.found_in([b"ab"], [b"b"], lambda needle: False)) == [0]
