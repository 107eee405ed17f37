"""What is not memcli's in the file of a store: named, and a trigger on its tables taken out."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memcli.memories import Memories
from memcli.model import Filter
from memcli.storage.reports import Finding
from memcli.storage.stores import repair_store
from memcli.upkeep.copies.backups import verify_copy

AT = datetime(2026, 5, 4, tzinfo=UTC)


def change(memories: Memories, sql: str) -> Path:
    path = Path(memories.store.location)
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(sql)
    return path


def schema(memories: Memories) -> list[Finding]:
    return [each for each in memories.store.check() if each.name == "schema"]


@pytest.mark.parametrize("name", ["tr", 'od"d\nname'])
@pytest.mark.parametrize("table", ["memories", "MEMORIES", "history", "word_index_data"])
def test_a_trigger_on_a_table_of_ours_is_damage_and_is_taken_out(
    memories: Memories, name: str, table: str
) -> None:
    for text in ("the ferry leaves at noon", "the pier has two lamps"):
        memories.remember(text)
    quoted = name.replace('"', '""')
    what = f"AFTER INSERT ON {table} BEGIN DELETE FROM history; END"
    path = change(memories, f'CREATE TRIGGER "{quoted}" {what}')
    [found] = schema(memories)
    assert found.damage and not found.ok and "foreign trigger" in found.detail and "\n" not in found.detail
    assert not verify_copy(path, 1.0).ok
    memories.close()
    done = repair_store(path, AT)
    assert len(done.removed) == 1 and not (done.salvaged or done.lost)
    # Who made it on purpose finds it there.
    assert done.set_aside and done.set_aside.exists()
    assert verify_copy(path, 1.0).ok


@pytest.mark.parametrize(
    ("sql", "told"),
    [
        ("CREATE VIEW mine AS SELECT id FROM memories", "view mine"),
        ("CREATE TABLE notes (note)", "table notes"),
        ("CREATE INDEX by_kind ON memories (kind)", "index by_kind"),
        ("CREATE TRIGGER mine INSTEAD OF INSERT ON facts BEGIN SELECT 1; END", "trigger mine"),
    ],
)
def test_what_an_owner_added_is_named_and_stays(memories: Memories, sql: str, told: str) -> None:
    memories.remember("the ferry leaves at noon")
    path = change(memories, sql)
    assert [each.detail for each in schema(memories) if each.ok][1:] == [
        f"not memcli's, and left alone: {told}"
    ]
    assert verify_copy(path, 1.0).ok and not any(each.damage for each in memories.store.check())
    memories.remember("the pier has two lamps")
    assert len(list(memories.store.select(Filter(spaces=None)))) == 2
