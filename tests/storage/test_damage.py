"""What a flipped bit may change is noticed, and mended where that can be proven."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sqlcipher3.dbapi2 as sqlite

from memcli import ids
from memcli.errors import DamagedRow, FlaggedStore, MemcliError, StoreBusy, StoreDamaged, StoreUnusable
from memcli.model import EVERYWHERE, Change, Filter, Link, Memory, ModelIdentity, State
from memcli.storage import Store, digests
from memcli.storage.encryption import FileKey, convert_store
from memcli.storage.reports import Erasure, Finding
from memcli.storage.sqlite.file import conversion_lock
from memcli.storage.sqlite.file.damage import is_flagged
from memcli.storage.sqlite.file.opening import PAGE_SIZE, learn_key, open_database
from memcli.storage.sqlite.repair import salvage
from memcli.storage.sqlite.repair.page_codes import seal_pages
from memcli.storage.stores import open_store, repair_store, restore_store
from tests.conftest import Run
from tests.storage import older

NOW = datetime(2026, 5, 3, 14, 7, tzinfo=UTC)
MODEL = ModelIdentity(name="m", weights="w", dimensions=8)
ALL = Filter(spaces=None, live=False)
ADD, EDIT = Change("add"), Change("edit", reason="it was said otherwise")
COUNT = 120
new_id = ids.id_source()


def vector(*seed: int) -> bytes:
    return np.random.default_rng(seed).normal(size=8).astype("<f4").tobytes()


def fill(store: Store) -> None:
    """Memories of several kinds, changed, ended and used; links, blocks, tasks, vectors, history."""
    store.use_model(MODEL)
    text = "Zoë keeps the boat number {} in harbour {}, painted {} "
    memories = [
        Memory(
            id=new_id(NOW), kind=("fact", "episode", "procedure")[n % 3],
            tags=(f"tag{n % 5}",) if n % 2 else (),
            text=text.format(n, n % 7, ("red", "ochre")[n % 2]) * (1 + n % 4),
            session="s1" if n % 3 == 1 else None, confidence=0.7 if n % 4 else 1.0, happened_at=NOW,
            created_at=NOW, updated_at=NOW, data={"role": "user"} if n % 3 == 1 else {},
        )
        for n in range(COUNT)
    ]  # fmt: skip
    store.put(memories, ADD, NOW, {each.id: [vector(n)] for n, each in enumerate(memories)})
    later = NOW + timedelta(hours=1)
    store.put([replace(each, importance=0.9, updated_at=later) for each in memories[:30]], EDIT, later)
    store.put([replace(each, ended_at=later, ended_as="forgotten") for each in memories[30:40]], EDIT, later)
    store.touch([each.id for each in memories[:9]], later)
    for n in range(12):
        link = Link(
            new_id(NOW),
            "default",
            f"Ann{n}",
            "knows",
            f"Bob{n}",
            memories[n].id,
            1.0,
            None,
            None,
            NOW,
            None,
            {},
        )
        store.put_links([link])
        for area in ("block", "task", "checkpoint"):
            value = {"text": f"a value of {n}", "notes": [n]}
            store.put_state(State("default", area, f"{area}-{n}", value, 1, NOW, NOW))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("whole") / "memory.db"
    with closing(open_store(path)) as store:
        fill(store)
    return path.read_bytes()


@pytest.fixture(autouse=True)
def small_gaps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of numbers that nothing tells of so many are tried as a store of a hundred memories needs."""
    monkeypatch.setattr(salvage, "_GAP", 5 * COUNT)


@pytest.fixture
def path(tmp_path: Path, whole: bytes) -> Path:
    path = tmp_path / "memory.db"
    path.touch(0o600)
    path.write_bytes(whole)
    return path


def shown(path: Path) -> list[Any]:
    """All that any command could show of a store."""
    with closing(open_store(path, create=False)) as store:
        memories = list(store.select(ALL, order="oldest"))
        return [
            memories, list(store.links()), list(store.states()), list(store.history()), store.count(ALL),
            [memory.id for memory in store.select(Filter(tags=("tag3",)))],
            [memory.id for memory in store.select(Filter(sessions=("s1",)))],
            [link.id for link in store.links(touching=["ann3", "BOB4"])],
            [store.top_by_words({((word,),): 1.0}, ALL, COUNT) for word in ("boat", "ochr", "harbour")],
            store.nearest(vector(3), ALL, 5), list(store.each_vector(ALL)), store.model(),
        ]  # fmt: skip


def damage(path: Path) -> list[Finding]:
    with closing(open_store(path, create=False)) as store:
        return [finding for finding in store.check() if finding.damage]


def change(path: Path, sql: str, *values: Any) -> None:
    """What another program does: rows without digests, and without what is derived."""
    with closing(open_database(path)) as db:
        db.execute(sql, values)


def a_memory(path: Path, number: int) -> Memory:
    with closing(open_store(path)) as store:
        return list(store.select(ALL, order="oldest"))[number]


def flip(path: Path, found: bytes, *, after: int = 0, mask: int = 4) -> None:
    content = bytearray(path.read_bytes())
    content[content.index(found) + after] ^= mask
    path.write_bytes(content)


# Noticed


def flips(whole: bytes, number: int) -> Iterator[tuple[int, int]]:
    """Places and masks, where something stands."""
    draw = random.Random(14)
    while number:
        place = draw.randrange(100) if draw.random() < 0.1 else draw.randrange(len(whole))
        if place < 100 or whole[max(0, place - 16) : place + 16].count(0) < 28:
            number -= 1
            yield place, draw.choice([1, 2, 4, 8, 16, 32, 64, 128, draw.randrange(1, 256)])


def test_no_flipped_byte_changes_anything_unnoticed(path: Path, whole: bytes) -> None:
    sound, unnoticed = shown(path), []
    assert not damage(path)
    for place, mask in flips(whole, 50):
        content = bytearray(whole)
        content[place] ^= mask
        for tail in ("-wal", "-shm"):
            path.with_name(path.name + tail).unlink(missing_ok=True)
        path.write_bytes(content)
        try:
            same = shown(path) == sound
        except MemcliError:
            same = False
        try:
            told = bool(damage(path))
        except MemcliError:
            told = True
        if not (same or told):
            unnoticed.append((place, mask))
    assert not unnoticed


@pytest.mark.parametrize(
    ("name", "sql"),
    [
        ("rows", "UPDATE memories SET text = 'another' WHERE seq = 3"),
        ("rows", "UPDATE memories SET access_count = 7 WHERE seq = 3"),
        ("rows", "UPDATE links SET object = 'Eve' WHERE subject = 'Ann3'"),
        ("rows", "UPDATE states SET value = '{}' WHERE key = 'task-3'"),
        ("rows", "UPDATE history SET after = '{}' WHERE number = 3"),
        ("rows", "UPDATE vectors SET vector = zeroblob(32) WHERE memory = 3"),
        ("rows", "UPDATE models SET name = 'other'"),
        ("rows", "UPDATE memories SET digest = NULL WHERE seq = 3"),
        ("words", "UPDATE memory_words SET words = 'others' WHERE memory = 3"),
        ("words", "DELETE FROM memory_words WHERE memory = 3"),
        ("tags", "UPDATE memory_tags SET tag = 'tag9' WHERE memory = 2"),
        ("links", "UPDATE link_names SET name = 'eve' WHERE name = 'ann3'"),
        ("schema", "DROP INDEX memories_by_session"),
        ("schema", "DROP TRIGGER memories_added"),
        ("schema", "UPDATE sqlite_sequence SET seq = 9223372036854775807"),
        ("schema", "PRAGMA application_id = 7"),
    ],
)
def test_what_does_not_fit_is_found_and_mended(path: Path, name: str, sql: str) -> None:
    change(path, sql)
    assert name in [finding.name for finding in damage(path)]
    repair_store(path, NOW, accept=True)
    assert not damage(path)


@pytest.mark.parametrize(
    ("kind", "name", "other"),
    [
        ("INDEX", "memories_by_session", "ON memories (kind)"),
        ("TRIGGER", "memories_added", "AFTER INSERT ON memories BEGIN SELECT 1; END"),
    ],
)
def test_what_has_its_name_and_says_something_else_is_found_and_mended(
    path: Path, kind: str, name: str, other: str
) -> None:
    for sql in (f"DROP {kind} {name}", f"CREATE {kind} {name} {other}"):
        change(path, sql)
    [found] = [each for each in damage(path) if each.name == "schema"]
    assert f"{kind.lower()} {name}" in found.detail
    repair_store(path, NOW)
    assert not damage(path)


def test_every_way_of_writing_keeps_digests_right(path: Path) -> None:
    with closing(open_store(path)) as store:
        one, two, *_ = store.select(ALL, order="oldest")
        store.put([replace(two, supersedes=one.id, text="another text", updated_at=NOW)], EDIT, NOW)
        store.touch([one.id, two.id, two.id], NOW)
        store.put_links([next(store.links())._replace(ended_at=NOW)])
        store.put_state(next(store.states())._replace(version=2))
        store.rewrite_history([next(store.history())._replace(reason=None)])
        with store.as_of(NOW):
            assert not list(store.damaged())
        store.erase([one.id], Change("erase"), NOW)
        store.use_model(MODEL._replace(weights="w2"))
        store.put_vectors(MODEL._replace(weights="w2"), {two.id: [vector(1)]})
        store.rebuild()
    assert not damage(path)


def test_older_stores_get_digests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "old.db"
    older.at(path, 6, monkeypatch)
    change(
        path,
        "INSERT INTO memories (id, space, kind, happened_at, source, confidence, importance, trusted, "
        "created_at, updated_at, origin, tags, text, data) VALUES (?, 'default', 'fact', ?, 'explicit', 1, "
        "0.5, 1, ?, ?, 'cli', '[]', 'old', '{}')",
        new_id(NOW), *["2026-05-03T14:07:00.000Z"] * 3,
    )  # fmt: skip
    with closing(open_store(path)) as store:
        assert not list(store.damaged())
        assert [each.text for each in store.select(ALL)] == ["old"]


def test_a_damaged_row_stays_known_as_damaged_whatever_is_written_over_it(path: Path) -> None:
    memory = a_memory(path, 5)
    change(path, "UPDATE memories SET text = 'another' WHERE id = ?", memory.id)
    with closing(open_store(path)) as store:
        [here] = store.get([memory.id])
        store.put([replace(here, importance=0.1)], EDIT, NOW)
        store.touch([memory.id], NOW)
        assert list(store.damaged()) == [f"memory {memory.id}"]


# Read all the same


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE memories SET {} = CAST(x'61ff62' AS TEXT) WHERE id = ?",
        "UPDATE memories SET {} = x'6162' WHERE id = ?",
        "UPDATE memories SET {} = 'zz' WHERE id = ?",
        "UPDATE memories SET {} = 9e99 WHERE id = ?",
        "UPDATE memories SET {} = -9223372036854775808 WHERE id = ?",
    ],
)
@pytest.mark.parametrize(
    "column", ["text", "kind", "tags", "data", "created_at", "happened_at", "access_count", "trusted"]
)
def test_no_value_in_a_row_ends_an_answer(path: Path, sql: str, column: str) -> None:
    memory = a_memory(path, 5)
    change(path, sql.format(column), memory.id)
    with closing(open_store(path)) as store:
        others = [each for each in store.select(ALL) if each.id != memory.id]
        store.touch([memory.id, others[0].id], NOW)
        refs = store.refs_by_id([memory.id])
        assert set(store.memories_by_ref(list(refs.values()))) <= set(refs.values())
        assert len(others) == COUNT - 1
        assert set(store.left_out) <= {f"memory {memory.id}"}
        assert f"memory {memory.id}" in list(store.damaged())


@pytest.mark.parametrize(
    ("table", "column", "read"),
    [
        ("memories", "text", lambda store: store.select(ALL)),
        ("memories", "session", lambda store: store.select(ALL)),
        ("memories", "confirm_count", lambda store: store.select(ALL)),
        ("links", "subject", lambda store: store.links()),
        ("links", "evidence", lambda store: store.links()),
        ("states", "version", lambda store: store.states()),
        ("history", "actor", lambda store: store.history()),
        ("history", "reason", lambda store: store.history()),
    ],
)
def test_a_value_of_another_type_comes_out_of_no_row(
    path: Path, table: str, column: str, read: Callable[[Store], Iterator[Any]]
) -> None:
    key = {"memories": "seq", "links": "id", "states": "key", "history": "number"}[table]
    with closing(open_store(path)) as store:
        whole = len(list(read(store)))
    change(path, f"UPDATE {table} SET {column} = x'6162' WHERE {key} = (SELECT min({key}) FROM {table})")
    with closing(open_store(path)) as store:
        assert len(list(read(store))) == whole - 1 and len(store.left_out) == 1


def test_a_damaged_state_is_left_out_and_not_written_over(path: Path) -> None:
    change(path, """UPDATE states SET value = '{"texu": 1}' WHERE key = 'task-3'""")
    state = State("default", "task", "task-3", {}, 2, NOW, NOW)
    with closing(open_store(path)) as store:
        assert [each.key for each in store.states(("default",), "task", "task-3")] == []
        assert list(store.left_out) == ["state task/task-3"]
        with pytest.raises(DamagedRow):
            store.put_state(state)
    with closing(open_store(path, force=True)) as store:
        assert store.put_state(state)
        assert not list(store.damaged())


def test_vectors_that_are_none_are_not_measured(path: Path) -> None:
    change(path, "UPDATE vectors SET vector = x'00' WHERE memory = 3")
    change(path, "UPDATE vectors SET vector = '[1,2]' WHERE memory = 4")
    change(path, "UPDATE vectors SET vector = ? WHERE memory = 5", b"\xff" * 32)
    with closing(open_store(path)) as store:
        assert len(store.nearest(vector(3), ALL, COUNT)) == COUNT - 3
        assert {3, 4} & set(store.vectors([3, 4, 6])) == set()


def test_a_broken_word_index_finds_nothing_and_ends_nothing(path: Path) -> None:
    change(path, "UPDATE word_index_data SET block = x'00ff00ff00ff' WHERE id > 10")
    with closing(open_store(path)) as store:
        boat = (("boat",),)
        assert store.top_by_words({boat: 1.0}, ALL, 5) == [] and store.frequencies([boat], None) == [0]
        assert store.holding([boat], [1, 2]) == [frozenset()]
        assert store.left_out == {"word index": None}


# Flagged


def test_what_is_flagged_is_read_and_not_written(path: Path) -> None:
    with closing(open_store(path)) as store:
        store.flag(["rows: memory x"])
    for name in (path, path.with_name("link.db")):
        if name != path:
            name.symlink_to(path)
        with closing(open_store(name)) as store:
            assert len(list(store.select(ALL))) == COUNT
            with pytest.raises(FlaggedStore, match="--force"):
                store.drop_state(EVERYWHERE, "task", "x")
    with closing(open_store(path, force=True)) as store:
        store.drop_state(EVERYWHERE, "task", "x")
        store.clear_flag()
    assert not is_flagged(path)


@pytest.mark.parametrize("size", [0, 1, 99])
@pytest.mark.parametrize("beside", ["-wal", ".backup-20260101T000000Z", ".before-schema-7.1", ".snapshot-x"])
def test_a_store_that_was_cut_is_no_new_one(path: Path, size: int, beside: str) -> None:
    path.with_name(path.name + beside).write_bytes(path.read_bytes())
    path.write_bytes(path.read_bytes()[:size])
    with pytest.raises(StoreDamaged, match=r"cut to \d+ bytes?"):
        open_store(path)
    assert path.stat().st_size == size and path.with_name(path.name + beside).stat().st_size > 100


def test_a_store_that_is_gone_beside_its_backups_is_named_before_a_new_one_begins(mem: Run) -> None:
    store = Path(os.environ["MEMCLI_DB"])
    assert mem("remember", "the ferry leaves at noon").returncode == 0
    assert mem("backup").returncode == 0
    for each in store.parent.glob("memory.db*"):
        if ".backup-" not in each.name:
            each.unlink()
    for command in (("remember", "the cat is black"), ("list",), ("session", "start", "x")):
        done = mem(*command)
        assert done.returncode == 4 and not store.exists()
        assert "backup restore" in done.stderr and "--force" in done.stderr and ".backup-" in done.stderr
    assert mem("backup", "list").returncode == 0
    assert mem("--force", "remember", "the cat is black").returncode == 0
    assert mem("list").stdout.count("\n") == 1  # and that was it
    assert mem("backup", "restore", "latest", "--yes").returncode == 0
    assert "ferry" in mem("list").stdout
    # What is forgotten on purpose leaves a store.
    assert mem("forget", "--all", "--hard", "--yes").returncode == 0
    assert mem("remember", "the cat is white").returncode == 0


def test_an_empty_file_alone_is_a_new_store(tmp_path: Path) -> None:
    (tmp_path / "memory.db").touch()
    with closing(open_store(tmp_path / "memory.db")) as store:
        assert list(store.select(ALL)) == []


# Mended


@pytest.mark.parametrize(
    "place",
    [
        lambda path: flip(path, b"boat number 77 in", after=5),
        lambda path: flip(path, b"block-3", after=2),
        lambda path: flip(path, b"Ann7knows", after=1),
        lambda path: flip(path, b"it was said otherwise", mask=128),
        # One bit of it: one more is another in two bytes where it ends in 255.
        lambda path: change(path, "UPDATE memories SET digest = digest + 1 - 2 * (digest & 1) WHERE seq = 3"),
        lambda path: change(path, "UPDATE memories SET text = 'all of it is another' WHERE seq = 3"),
        lambda path: change(path, "UPDATE memories SET confidence = 0.25, kind = 'zzz' WHERE seq = 3"),
        lambda path: change(path, "UPDATE memories SET text = x'00' WHERE seq = 3"),
    ],
)
def test_what_the_digest_proves_is_as_it_was(path: Path, place: Callable[[Path], None]) -> None:
    sound = shown(path)
    place(path)
    found = damage(path)
    assert found
    done = repair_store(path, NOW)
    assert not (done.doubtful or done.lost) and not damage(path)
    assert shown(path)[:9] == sound[:9]


def test_what_nothing_proves_is_left_until_its_owner_insists(path: Path) -> None:
    memory = a_memory(path, 5)
    change(path, "UPDATE memories SET text = 'written by hand' WHERE id = ?", memory.id)
    change(path, "DELETE FROM history WHERE memory = ?", memory.id)
    done = repair_store(path, NOW)
    assert done.doubtful == (f"memory {memory.id}",)
    assert done.set_aside and done.set_aside.stat().st_mode & 0o777 == 0o600
    assert [finding.name for finding in damage(path)] == ["rows"]
    assert repair_store(path, NOW, accept=True).accepted == done.doubtful
    assert not damage(path) and a_memory(path, 5).text == "written by hand"
    with closing(open_store(path)) as store:
        assert [store.memories_by_ref([ref])[ref].id for ref in store.wanting(ALL)] == [memory.id]


def test_several_damaged_fields_come_back_and_the_times_that_are_on_no_record_stay(path: Path) -> None:
    """Of what was imported the row alone says when it was made; and a use moves no line of history."""
    old = NOW - timedelta(days=900)
    with closing(open_store(path)) as store:
        known = Memory(id=new_id(NOW), kind="fact", text="the mill grinds rye", tags=("mill",),
                       happened_at=old, created_at=old, updated_at=old)  # fmt: skip
        store.put([known], ADD, NOW)
    change(path, "UPDATE memories SET text = 'x', tags = '[]', importance = 0.1 WHERE id = ?", known.id)
    assert repair_store(path, NOW).mended == (f"memory {known.id}",)
    with closing(open_store(path)) as store:
        assert store.get([known.id]) == [known]


@pytest.mark.parametrize("accept", [False, True])
def test_what_cannot_be_read_is_named_as_lost_and_stands_in_the_file_set_aside(
    path: Path, accept: bool
) -> None:
    memory = a_memory(path, 5)
    change(path, "UPDATE memories SET created_at = 'never' WHERE id = ?", memory.id)
    change(path, "DELETE FROM history WHERE memory = ?", memory.id)
    done = repair_store(path, NOW, accept=accept)
    assert done.lost == (f"memory {memory.id}",) and done.set_aside and not damage(path)
    for file, left in ((path, 0), (done.set_aside, 1)):
        with closing(open_database(file)) as db:
            found = db.execute("SELECT count(*) FROM memories WHERE id = ?", (memory.id,))
            assert found.fetchone() == (left,)


@pytest.mark.parametrize("is_doubtful", [False, True])
def test_a_salvaged_store_is_flagged_as_long_as_a_row_of_it_is_doubtful(
    path: Path, is_doubtful: bool
) -> None:
    if is_doubtful:
        memory = a_memory(path, 5)
        change(path, "UPDATE memories SET text = 'written by hand' WHERE id = ?", memory.id)
        change(path, "DELETE FROM history WHERE memory = ?", memory.id)
    with closing(open_store(path)) as store:
        store.flag(["tables: as doctor found"])
    flip(path, b"CREATE TABLE links", after=16)
    done = repair_store(path, NOW)
    assert done.salvaged and bool(done.doubtful) is is_flagged(path) is is_doubtful


def test_a_copy_of_the_store_proves_what_a_row_said(path: Path) -> None:
    with closing(open_store(path)) as store:
        store.back_up(NOW)
    change(path, "UPDATE states SET value = '{}' WHERE key = 'block-3'")
    assert repair_store(path, NOW).mended == ("state block/block-3",)
    assert not damage(path)


@pytest.mark.parametrize("place", [3, 17, 22, 28, 47, 59, 60])
def test_a_damaged_head_is_mended(path: Path, place: int) -> None:
    sound, content = shown(path), bytearray(path.read_bytes())
    content[place] ^= 0x15
    path.write_bytes(content)
    repair_store(path, NOW)
    assert not damage(path) and shown(path)[:9] == sound[:9]


@pytest.mark.parametrize("filler", [bytes, os.urandom])
@pytest.mark.parametrize("size", [512, 4096, 16 * 1024, 32 * 1024])
def test_without_its_first_page_a_plain_file_is_salvaged_whole(
    path: Path, size: int, filler: Callable[[int], bytes]
) -> None:
    sound, content = shown(path), bytearray(path.read_bytes())
    content[:size] = filler(size)
    path.write_bytes(content)
    done = repair_store(path, NOW)
    assert done.salvaged and done.set_aside and not done.lost and not damage(path)
    assert shown(path)[:9] == sound[:9]


def test_of_an_empty_table_nothing_is_lost_with_the_first_page(path: Path) -> None:
    with closing(open_store(path)) as store, store.writing():
        assert store.drop_links([each.id for each in store.links()])
    content = bytearray(path.read_bytes())
    content[: 16 * 1024] = bytes(16 * 1024)
    path.write_bytes(content)
    assert not repair_store(path, NOW).lost and not damage(path)


@pytest.mark.parametrize("name", [b"CREATE TABLE links", b"CREATE INDEX history_by_change"])
def test_a_damaged_schema_is_mended_in_a_new_file(path: Path, name: bytes) -> None:
    sound = shown(path)
    flip(path, name, after=len(name) - 2)
    done = repair_store(path, NOW)
    assert done.salvaged and done.set_aside and not damage(path) and shown(path)[:9] == sound[:9]


def test_what_can_be_read_of_a_broken_file_is_salvaged_and_what_is_lost_is_named(
    path: Path, whole: bytes
) -> None:
    content, size = bytearray(whole), 16 * 1024
    place = whole.index(b"boat number 50 in") // size * size
    content[place : place + size] = bytes(size)
    before = {memory.id for memory in _memories(whole, path)}
    path.write_bytes(content)
    done = repair_store(path, NOW)
    assert done.salvaged and done.set_aside and done.set_aside.read_bytes() == bytes(content)
    with closing(open_store(path)) as store:
        after = {memory.id for memory in store.select(ALL)}
    gone = {name.removeprefix("memory ") for name in done.lost if name.startswith("memory ")}
    assert after and before - after <= gone and not damage(path)


def vectors_of(path: Path) -> dict[str, list[bytes]]:
    with closing(open_store(path)) as store:
        refs = store.refs_by_id([each.id for each in store.select(ALL)])
        found = store.vectors(list(refs.values()))
        return {each: [*found[ref]] for each, ref in refs.items() if ref in found}


def test_one_of_which_nothing_tells_keeps_no_other_from_coming_back(path: Path, whole: bytes) -> None:
    size = 16 * 1024
    pages = {place: whole[place : place + size] for place in range(0, len(whole), size)}
    # Of memories themselves: in a page of their history it says "text".
    [(place, page), *_] = [
        each for each in pages.items() if b"boat number 50 in" in each[1] and b'"text"' not in each[1]
    ]
    first, *others = sorted(each.id for each in _memories(whole, path) if each.text.encode() in page)
    change(path, "DELETE FROM history WHERE memory = ?", first)
    vectors = vectors_of(path)
    content = bytearray(path.read_bytes())
    content[place : place + size] = bytes(size)
    path.write_bytes(content)
    done = repair_store(path, NOW)
    assert others and done.salvaged and f"memory {first}" in done.lost
    with closing(open_store(path)) as store:
        assert {each.id for each in store.get(others)} == set(others)
    # What was in no broken page has its vectors, too, and nothing is left of the one that is lost.
    now = vectors_of(path)
    whole_ones = vectors.keys() - {first, *others}
    assert whole_ones and {each: now.get(each) for each in whole_ones} == {
        each: vectors[each] for each in whole_ones
    }
    with closing(open_database(path)) as db:
        assert not db.execute("PRAGMA foreign_key_check").fetchall()


@pytest.mark.parametrize(
    ("where", "code", "is_damage"),
    [
        # Not told, SHORT_READ; WRITE, FSYNC; no room.
        ("SELECT number", sqlite.SQLITE_IOERR, True), ("SELECT number", 522, True),
        ("SELECT number", 778, False), ("SELECT number", 1034, False),
        ("SELECT number", sqlite.SQLITE_FULL, False),
        ("SELECT memory FROM wanting", 778, False),
    ],
)  # fmt: skip
def test_a_disk_that_fails_while_a_store_is_salvaged_is_no_damage_of_it(
    path: Path, whole: bytes, monkeypatch: pytest.MonkeyPatch, where: str, code: int, is_damage: bool
) -> None:
    """Else what could not be read for want of a disk would be left out of the new file."""
    place = whole.index(b"boat number 50 in") // PAGE_SIZE * PAGE_SIZE
    path.write_bytes(whole[:place] + bytes(PAGE_SIZE) + whole[place + PAGE_SIZE :])
    before, opened, told = path.read_bytes(), salvage.open_damaged, []

    class Failing:
        """A connection whose disk fails at one of its statements."""

        def __init__(self, file: Path) -> None:
            self._db = opened(file)

        def __getattr__(self, name: str) -> Any:
            return getattr(self._db, name)

        def execute(self, sql: str, *values: Any) -> Any:
            if where in sql:
                told.append(sql)
                error = sqlite.OperationalError("disk I/O error")
                vars(error)["sqlite_errorcode"] = code
                raise error
            return self._db.execute(sql, *values)

    monkeypatch.setattr(salvage, "open_damaged", Failing)
    if is_damage:
        assert repair_store(path, NOW).salvaged
    else:
        with pytest.raises(StoreUnusable):
            repair_store(path, NOW)
        assert path.read_bytes() == before and not list(path.parent.glob(f"{path.name}.damaged*"))
    assert told


def _memories(whole: bytes, path: Path) -> list[Memory]:
    path.write_bytes(whole)
    with closing(open_store(path)) as store:
        return list(store.select(ALL))


def test_who_has_a_broken_file_open_is_waited_for_before_another_takes_its_place(
    path: Path, whole: bytes
) -> None:
    place = whole.index(b"boat number 50 in") // PAGE_SIZE * PAGE_SIZE
    path.write_bytes(whole[:place] + bytes(PAGE_SIZE) + whole[place + PAGE_SIZE :])
    work = (
        "import sys; from pathlib import Path; from memcli.storage.stores import open_store; "
        "store = open_store(Path(sys.argv[1])); print(flush=True); sys.stdin.read()"
    )
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", work, str(path)], stdin=pipe, stdout=pipe) as neighbour:
        assert neighbour.stdin and neighbour.stdout
        neighbour.stdout.readline()
        with pytest.raises(StoreBusy, match="has the store open"):
            repair_store(path, NOW, busy_timeout=0.2)
        neighbour.stdin.close()
    assert repair_store(path, NOW).salvaged


@pytest.mark.parametrize("way", ["repair", "restore"])
def test_killed_while_another_file_takes_the_place_the_next_command_ends_it(
    path: Path, whole: bytes, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    """Without its log the damaged file alone would be read, or mended once more, without what that held."""
    with closing(open_store(path)) as store:
        backup = store.back_up(NOW)
    place = whole.index(b"boat number 50 in") // PAGE_SIZE * PAGE_SIZE
    path.write_bytes(whole[:place] + bytes(PAGE_SIZE) + whole[place + PAGE_SIZE :])
    child = os.fork()
    if child == 0:
        monkeypatch.setattr(conversion_lock, "sync_folder", lambda _: os._exit(9))
        try:
            if way == "repair":
                repair_store(path, NOW)
            else:
                restore_store(path, backup, NOW, lambda *_: Erasure())
        finally:
            os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
    with closing(open_store(path)) as store:
        assert len(list(store.select(ALL))) > (0 if way == "repair" else 50)
    assert not damage(path) and not list(path.parent.glob("*.conversion"))


@pytest.mark.parametrize("part", [0.5, 0.9])
def test_a_store_that_was_cut_in_the_middle_is_salvaged(path: Path, whole: bytes, part: float) -> None:
    path.write_bytes(whole[: int(len(whole) * part)])
    with pytest.raises(StoreUnusable):
        shown(path)
    done = repair_store(path, NOW)
    assert done.salvaged and done.lost and not damage(path)
    assert done.set_aside and done.set_aside.read_bytes() == whole[: int(len(whole) * part)]


def test_nothing_is_touched_where_nothing_can_be_salvaged(path: Path) -> None:
    path.write_bytes(bytes(50_000))
    with pytest.raises(StoreUnusable):
        repair_store(path, NOW)
    assert path.read_bytes() == bytes(50_000)


def test_a_digest_is_what_the_docs_say() -> None:
    row = {**dict.fromkeys(digests.STATE.covers), "area": "a", "key": "ł", "version": 1, "value": "{}"}
    written = json.dumps({k: v for k, v in sorted(row.items()) if v is not None}, separators=(",", ":"))
    expected = int.from_bytes(blake2b(written.encode(), digest_size=8).digest(), "big", signed=True)
    assert digests.digest_of(digests.STATE, row) == expected


# Encrypted: SQLCipher gives out no page with a wrong code, and none behind it.


@pytest.fixture
def key(path: Path) -> FileKey:
    key = FileKey(bytes(range(32)), bytes(range(100, 116)))
    learn_key(key.salt, key.key)
    convert_store(path, key, 1.0)
    return key


def test_the_codes_are_those_of_sqlcipher(path: Path, key: FileKey) -> None:
    before = path.read_bytes()
    assert seal_pages(path, key.key) == [] and path.read_bytes() == before
    place = 3 * PAGE_SIZE - 10  # in the code of the third page, of which nothing else is damaged
    flip(path, before[place : place + 10])
    assert seal_pages(path, key.key) == [3] and path.read_bytes() == before


def test_a_bit_in_a_page_of_an_encrypted_store_takes_no_more_than_what_it_hit(
    path: Path, key: FileKey, tmp_path: Path
) -> None:
    with closing(open_store(path)) as store:
        texts = {memory.id: memory.text for memory in store.select(ALL)}
    whole = path.read_bytes()
    # The others are tried by `benchmarks.faults`.
    for number in range(1, len(whole) // PAGE_SIZE, 5):
        for name in tmp_path.iterdir():
            name.unlink()
        content = bytearray(whole)
        content[number * PAGE_SIZE + PAGE_SIZE * 3 // 4] ^= 4
        path.write_bytes(content)
        repair_store(path, NOW)
        with closing(open_store(path, create=False)) as store:
            after = {memory.id: memory.text for memory in store.select(ALL)}
            assert not [each for each in store.check() if each.damage], number
        assert len(after.items() & texts.items()) >= COUNT - 3, number
        assert set(after) <= set(texts)


def test_where_nothing_is_left_to_salvage_nothing_takes_the_place_of_the_store(path: Path) -> None:
    with path.open("r+b") as file:
        file.truncate(4096)
    before = path.read_bytes()
    with pytest.raises(StoreUnusable, match="backup"):
        repair_store(path, NOW)
    assert path.read_bytes() == before
