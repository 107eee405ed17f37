"""A store that a newer memcli wrote is not mended, nor gone back over: what it holds is not known here."""

from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
import sqlcipher3.dbapi2 as sqlite

from memcli.config.config import Config
from memcli.errors import NewerStore
from memcli.model import Filter
from memcli.storage.sqlite.file.opening import open_database
from memcli.storage.sqlite.repair import repair, salvage
from memcli.storage.sqlite.tables.schema import SCHEMA_VERSION
from memcli.storage.stores import open_copy, open_store, repair_store
from memcli.upkeep.copies.backups import restore_backup


def _made_newer(path: Path, sql: str) -> None:
    """As the next memcli may leave a store: its number, and something that is not known here."""
    with closing(open_database(path)) as db:
        if sql:
            db.execute(sql)
        db.execute("UPDATE memories SET data = data")
        db.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")


@pytest.mark.parametrize(
    "sql",
    [
        "CREATE TABLE wishes (id TEXT PRIMARY KEY, wish TEXT)",
        "ALTER TABLE memories ADD COLUMN mood TEXT",
        "CREATE INDEX memories_by_mood ON memories (kind, text)",
        "INSERT INTO _sqlite_migrations (migration_set, name, applied_at) VALUES ('memcli', 'm10', '2030')",
    ],
)
def test_what_a_newer_memcli_wrote_is_never_mended_to_what_this_one_knows(kept: Path, sql: str) -> None:
    at = datetime(2026, 5, 3, tzinfo=UTC)
    _made_newer(kept, sql)
    before, beside = kept.read_bytes(), {each.name for each in kept.parent.iterdir()}
    told = f"written by a newer memcli (schema {SCHEMA_VERSION + 1}, this one knows {SCHEMA_VERSION}); "
    with pytest.raises(NewerStore) as refused:
        repair_store(kept, at)
    assert str(refused.value).startswith(f"{kept}: {told}nothing was touched")
    assert kept.read_bytes() == before and {each.name for each in kept.parent.iterdir()} <= beside
    # Nor one that is damaged besides, of which nothing can be asked before it is salvaged.
    with kept.open("r+b") as file:
        file.write(b"SQLite formaT")
    before = kept.read_bytes()
    with pytest.raises(NewerStore) as refused:
        repair_store(kept, at)
    assert str(refused.value).startswith(f"{kept}: {told}")
    assert kept.read_bytes() == before and not [*kept.parent.glob("*.damaged-*")]


def test_a_newer_store_is_neither_copied_nor_locked_before_it_is_refused(
    kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _made_newer(kept, "ALTER TABLE memories ADD COLUMN mood TEXT")
    monkeypatch.setattr(repair, "_salvaged", lambda *given: pytest.fail("it was copied"))
    with pytest.raises(NewerStore):
        repair_store(kept, datetime(2026, 5, 3, tzinfo=UTC))


def test_what_shows_itself_as_newer_once_its_schema_can_be_read_is_not_salvaged(
    kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[bool] = []

    def is_newer(db: sqlite.Connection) -> bool:
        asked.append(len(asked) > 0)
        if not asked[-1]:
            raise sqlite.DatabaseError("malformed database schema")
        return True

    monkeypatch.setattr(salvage, "is_newer", is_newer)
    with pytest.raises(NewerStore):
        salvage.open_damaged(kept)
    assert asked == [False, True]


def test_a_number_alone_that_is_newer_is_a_flipped_bit_and_mended(kept: Path) -> None:
    _made_newer(kept, "")
    assert repair_store(kept, datetime(2026, 5, 3, tzinfo=UTC)).salvaged
    with closing(open_store(kept)) as store:
        assert [each.text for each in store.select(Filter())] == ["the mill grinds rye"]


def test_no_way_back_leads_over_or_to_a_newer_store(kept: Path, tmp_path: Path) -> None:
    newer = tmp_path / "newer.db"
    newer.write_bytes(kept.read_bytes())
    _made_newer(newer, "ALTER TABLE memories ADD COLUMN mood TEXT")
    store, other = kept.read_bytes(), newer.read_bytes()
    for location, copy in ((kept, newer), (newer, kept)):
        with pytest.raises(NewerStore, match="nothing was touched"):
            restore_backup(Config(), location, copy, datetime(2026, 5, 3, tzinfo=UTC), force=True)
    with pytest.raises(NewerStore, match="nothing was touched"):
        open_copy(newer)
    assert (kept.read_bytes(), newer.read_bytes()) == (store, other)
