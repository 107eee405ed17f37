"""Rows and heads that are gone: what is left says what they were, and that it is told."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memcli.errors import StoreDamaged
from memcli.memories import Memories
from memcli.model import Filter
from memcli.storage.stores import open_store, repair_store
from memcli.upkeep.copies.backups import verify_copy

AT = datetime(2026, 5, 4, tzinfo=UTC)
TEXTS = ("the ferry leaves at noon", "the pier has two lamps", "the harbour is closed in winter")


@pytest.fixture
def path(memories: Memories) -> Path:
    for text in TEXTS:
        memories.remember(text)
    memories.close()
    return Path(memories.store.location)


def texts(path: Path) -> list[str]:
    with closing(open_store(path)) as store:
        return [each.text for each in store.select(Filter(spaces=None), order="oldest")]


def change(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path)) as db, db:
        for each in statements:
            db.execute(each)


def test_a_memory_whose_row_is_gone_comes_back_by_its_history_and_is_named(path: Path) -> None:
    change(path, "DELETE FROM memories WHERE seq = 2")
    done = repair_store(path, AT)
    assert len(done.recovered) == 1 and not (done.lost or done.salvaged)
    assert done.set_aside and done.set_aside.exists()
    assert sorted(texts(path)) == sorted(TEXTS) and verify_copy(path, 1.0).ok


def test_two_that_said_the_same_both_come_back(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db, db:
        [(told,)] = db.execute("SELECT words FROM memory_words WHERE memory = 1")
    assert told
    change(path, "DELETE FROM memories WHERE seq IN (1, 3)")
    done = repair_store(path, AT)
    assert len(done.recovered) == 2 and not done.lost and len(texts(path)) == 3


def test_of_what_no_history_tells_it_is_said_that_it_is_lost(path: Path) -> None:
    change(
        path,
        "DELETE FROM history WHERE memory = (SELECT id FROM memories WHERE seq = 2)",
        "DELETE FROM memories WHERE seq = 2",
    )
    done = repair_store(path, AT)
    assert done.lost == ("memory in row 2, of which only words are left",) and not done.recovered
    assert done.set_aside and len(texts(path)) == 2


def test_what_a_history_tells_of_and_never_was_here_does_not_come_in(path: Path) -> None:
    """A line of history comes with a sync, too, for a memory that the policy left out."""
    change(
        path,
        "DELETE FROM memories WHERE seq = 2",
        "DELETE FROM memory_words WHERE memory = 2",
        "DELETE FROM memories WHERE seq = 3",
    )
    done = repair_store(path, AT)
    assert len(done.recovered) == 1 and TEXTS[1] not in texts(path)


def test_a_plain_store_without_its_head_is_known_as_that_and_mended(path: Path) -> None:
    with path.open("r+b") as file:
        file.write(bytes(100))
    with pytest.raises(StoreDamaged, match="the head of the file is damaged"):
        open_store(path)
    assert repair_store(path, AT).salvaged and texts(path) == list(TEXTS)


@pytest.mark.parametrize("size", [512, 2**14])
def test_where_the_first_page_is_lost_no_key_is_asked_for_and_all_is_salvaged(path: Path, size: int) -> None:
    with path.open("r+b") as file:
        file.write(bytes(size))
    with pytest.raises(StoreDamaged, match="the head of the file is damaged"):
        open_store(path)
    assert repair_store(path, AT).salvaged and texts(path) == list(TEXTS)
