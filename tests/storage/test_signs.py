"""The signs of vectors: derived data of the store in SQLite, by which a large one is searched."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from memcli import ids
from memcli.model import Change, Memory, ModelIdentity
from memcli.storage.sqlite.store import SqliteStore
from memcli.storage.sqlite.tables.signs import likely_near, sign_bits, wrong_signs
from memcli.storage.stores import open_store
from tests.storage import older

NOW = datetime(2026, 5, 3, 12, 0, tzinfo=UTC)
ADD = Change(action="add")
MODEL = ModelIdentity(name="m", weights="w", dimensions=72)
OTHER = MODEL._replace(weights="v", dimensions=8)
new_id = ids.id_source()
chance = np.random.default_rng(5)


def memory(text: str = "a text") -> Memory:
    return Memory(id=new_id(NOW), kind="fact", text=text, happened_at=NOW, created_at=NOW, updated_at=NOW)


def vector(model: ModelIdentity = MODEL) -> bytes:
    return chance.normal(size=model.dimensions).astype("<f4").tobytes()


def wrong(store: SqliteStore) -> list[object]:
    return list(wrong_signs(store.connection))


def test_a_bit_says_whether_a_number_is_positive() -> None:
    assert sign_bits(np.array([1, -1, 0.5, -0.5, 0, -2, -3, 4], dtype="<f4").tobytes()) == bytes([0b10101001])
    assert sign_bits(np.array([1, -1, 1], dtype="<f4").tobytes()) == bytes([0b10100000])
    # All bits unset means that there is no vector.
    assert sign_bits(np.full(16, -1, dtype="<f4").tobytes()) == bytes([0, 1])


def test_whatever_is_written_the_signs_are_those_of_the_vectors(tmp_path: Path) -> None:
    with closing(SqliteStore(tmp_path / "store.db")) as store:
        store.use_model(MODEL)
        several = [memory(f"text {number}") for number in range(600)]
        store.put(several, ADD, NOW, {each.id: [vector()] * (1 + n % 3) for n, each in enumerate(several)})
        assert wrong(store) == []
        store.put([replace(each, text="another") for each in several[100:120]], ADD, NOW)
        store.erase([each.id for each in several[300:330]], Change(action="erase"), NOW)
        store.put_vectors(MODEL, {each.id: [vector()] for each in several[:10]})
        assert wrong(store) == []
        again = [several[40], memory("one more"), replace(several[40], text="not"), memory("and one")]
        store.put(again, ADD, NOW, {each.id: [vector(), vector()] for each in again})
        store.put([memory("short")], ADD, NOW, {several[40].id: [vector(OTHER), vector()]})
        assert wrong(store) == []
        store.put_vectors(OTHER, {each.id: [vector(OTHER)] for each in several[:300]})
        assert wrong(store) == []
        store.use_model(OTHER)
        assert wrong(store) == []
        assert store.connection.execute("SELECT DISTINCT model FROM vector_signs").fetchall() == [(2,)]
        store.rebuild()
        assert wrong(store) == []


def test_the_likely_ones_are_told_by_number_and_only_among_those_meant() -> None:
    rows = chance.normal(size=(700, 72)).astype("<f4")
    signs = b"".join(sign_bits(row.tobytes()) for row in rows) + bytes(9 * (768 - 700))
    blocks = [(number, signs[number * 256 * 9 :][: 256 * 9]) for number in range(3)]
    # One of another width, as damage leaves it, is left out.
    blocks.append((7, b"\xff" * 100))
    found = likely_near(blocks, rows[555].tobytes(), 20)
    assert len(found) == 20 and found[0] == 555
    assert set(likely_near(blocks, rows[555].tobytes(), 900)) == set(range(700))
    assert likely_near(blocks, rows[555].tobytes(), 2, [3, 5, 699, 9000]) != []
    assert set(likely_near(blocks, rows[555].tobytes(), 9, [3, 5, 699, 9000])) == {3, 5, 699}
    assert likely_near([], rows[0].tobytes(), 5) == []


def test_the_likelier_one_is_the_one_whose_signs_fit_more_of_what_was_asked() -> None:
    """By how much of the question lies where a vector is positive: not by how many numbers do."""
    asked = np.zeros(64, dtype="<f4")
    asked[:3], asked[3:9] = 1.0, 0.2
    heavy, many, none = (np.full(64, -1, dtype="<f4") for _ in range(3))
    heavy[:3], many[3:9], none[20:60] = 1, 1, 1
    signs = b"".join(sign_bits(each.tobytes()) for each in (none, many, heavy)) + bytes(8 * 253)
    assert likely_near([(0, signs)], asked.tobytes(), 3) == [2, 1, 0]
    # Of a question that says the same everywhere no one is likelier, and none is lost.
    assert set(likely_near([(0, signs)], np.full(64, 0.5, dtype="<f4").tobytes(), 3)) == {0, 1, 2}


def test_of_what_is_erased_no_sign_stays_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    with closing(SqliteStore(path)) as store:
        store.use_model(MODEL)
        several = [memory(f"text {number}") for number in range(20)]
        vectors = {each.id: [vector()] for each in several}
        store.put(several, ADD, NOW, vectors)
        gone, stays = (sign_bits(vectors[several[place].id][0]) for place in (7, 8))
        copy = store.back_up(NOW)
        store.scrub()
        assert gone in path.read_bytes() and gone in copy.read_bytes()
        from memcli.storage.reports import Erasure

        store.erase([several[7].id], Change(action="erase"), NOW)
        store.scrub()
        [cleaned] = store.erase_from_copies(Erasure(ids=[several[7].id]))
        assert cleaned.error is None
        for file in (path, copy, path.with_name("store.db-wal")):
            assert not file.exists() or gone not in file.read_bytes()
        assert stays in path.read_bytes()


def test_doctor_tells_of_signs_that_are_not_the_vectors_and_reindex_mends_them(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    with closing(SqliteStore(path)) as store:
        store.use_model(MODEL)
        kept = memory()
        store.put([kept], ADD, NOW, {kept.id: [vector()]})
    with closing(sqlite3.connect(path)) as db:
        db.execute("UPDATE vector_signs SET signs = zeroblob(length(signs))")
        db.commit()
    with closing(SqliteStore(path)) as store:
        [told] = [finding for finding in store.check() if finding.name == "signs"]
        assert not told.ok and "block 0" in told.detail
        store.rebuild()
        assert wrong(store) == [] and all(finding.ok for finding in store.check())


def test_a_store_of_schema_8_gets_its_signs_and_a_backup(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "store.db"
    older.at(path, 8, monkeypatch)
    with closing(sqlite3.connect(path)) as db:
        db.execute("INSERT INTO models VALUES (1, 'm', 'w', 72, 1, 0)")
        for number in range(1, 400):
            db.execute(
                "INSERT INTO memories (seq, id, space, kind, happened_at, source, confidence, importance, "
                "trusted, created_at, updated_at, origin, tags, text, data) VALUES "
                "(?, ?, 'default', 'fact', '', 'explicit', 1, 1, 1, '', '', 'cli', '[]', '', '{}')",
                (number, new_id(NOW)),
            )
            db.execute(
                "INSERT INTO vectors (memory, model, part, vector) VALUES (?, 1, 0, ?)", (number, vector())
            )
        db.commit()
    open_store(path).close()
    with closing(SqliteStore(path)) as store:
        assert wrong(store) == []
        [(size,)] = store.connection.execute("SELECT sum(length(signs)) FROM vector_signs").fetchall()
        assert size == 2 * 256 * 9
    assert list(tmp_path.glob("*before-schema-9*"))
