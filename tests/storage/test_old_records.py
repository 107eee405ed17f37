"""What an older store says in words becomes fields where something else confirms it; nothing else does."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from memcli.changes import revision
from memcli.changes.open_questions import open_questions
from memcli.changes.past_changes import UNDO
from memcli.changes.time_travel import store_as_of
from memcli.changes.undo import undo_change
from memcli.errors import BadInput
from memcli.graph.walk import was_retracted
from memcli.memories import Memories
from memcli.model import Event, Filter, Memory
from memcli.storage import areas
from memcli.storage.old_records import undone_by
from memcli.storage.stores import open_store
from memcli.times import from_iso
from memcli.upkeep.exchange.importer import Importer
from memcli.upkeep.exchange.record_reader import read_records
from tests.conftest import TickingClock, make_memories
from tests.storage import older
from tests.storage.older import ENDED, SCHEMA_4, endings, named

ALL = Filter(spaces=None, live=False)


@pytest.fixture
def migrated(tmp_path: Path, clock: TickingClock, monkeypatch: pytest.MonkeyPatch) -> Memories:
    path = tmp_path / "m.db"
    older.at(path, 4, monkeypatch)
    older.fill(path)
    clock.advance(days=400)
    memories = make_memories(path, clock)
    memories.store.rebuild()
    return memories


def one(memories: Memories, text: str) -> Memory:
    [found] = [each for each in memories.store.select(ALL) if named(each) == text]
    return found


def test_how_each_memory_ended_is_found_out_and_forged_words_are_not_believed(migrated: Memories) -> None:
    assert endings(migrated) == ENDED
    live = [each for each in migrated.store.select(ALL) if each.ended_at is None]
    assert {(each.ended_as, each.replaced_by) for each in live} == {(None, None)}


def test_the_words_stay_and_the_store_of_before_is_kept(migrated: Memories, tmp_path: Path) -> None:
    [backup] = tmp_path.glob("m.db.before-schema-5.*")
    before = sqlite3.connect(backup)
    assert before.execute("PRAGMA user_version").fetchone() == (4,)
    said = dict(before.execute("SELECT id, ended_why FROM memories").fetchall())
    before.close()
    assert said == {each.id: each.ended_why for each in migrated.store.select(ALL)}
    columns = sqlite3.connect(tmp_path / "m.db").execute("SELECT ended_as, replaced_by FROM facts").fetchall()
    assert ("merged", one(migrated, "Olu is the lifeguard").id) in columns


def test_questions_of_an_older_store_or_export_get_the_area_of_their_own(
    migrated: Memories, tmp_path: Path, clock: TickingClock
) -> None:
    with make_memories(tmp_path / "imported.db", clock) as imported, SCHEMA_4.open(encoding="utf-8") as file:
        Importer(imported, "import:x").take(read_records(enumerate(file, start=1)))
        for each in (migrated, imported):
            keys = {state.key for state in each.store.states(area=areas.QUESTION.name)}
            assert len(keys) == 2 and keys == {"+".join(sorted(key.split("+"))) for key in keys}
            noted = {state.key for state in each.store.states(area=areas.CONSOLIDATION.name)}
            assert noted and not any(key.startswith("question") for key in noted)
            assert not list(each.store.damaged())
        asked = list(open_questions(migrated))
        assert asked == list(open_questions(imported))


def test_chains_are_followed_as_before_and_no_further(migrated: Memories) -> None:
    for first, last in (
        ("the pool opens in May", "the pool opens in July"),
        ("Olu is the lifeguard at the lake", "Olu is the lifeguard"),
        ("Ann lives in Berlin", "Ann now lives in Paris"),
        ("the shop shuts at noon", "the shop shuts at one"),
        ("summary of 2 in s", "summary of 4 in s"),
    ):
        doubted = revision.doubt_memory(migrated, one(migrated, first))
        assert named(doubted) == last and doubted.confidence < 1
    for phrase in ("merged into", "superseded by", "folded into", "updated by"):
        with pytest.raises(BadInput, match="was ended .*mem restore"):
            revision.doubt_memory(migrated, one(migrated, f"{phrase}: the forged one"))
        assert one(migrated, f"{phrase}: what it names").confidence == 1
    # A turn that was folded and ended for it was not taken back.
    assert not was_retracted(one(migrated, "night 1: the oar 1 is split"))


def test_the_past_of_an_older_store_has_its_fields_too(migrated: Memories) -> None:
    shop = one(migrated, "the shop shuts at noon")
    ended, restored, undone = (
        event for event in migrated.store.history(shop.id) if event.before and "ended_at" in event.before
    )
    seen = []
    for event in (ended, restored, undone):
        with store_as_of(migrated, event.at) as (then, _):
            was = then.store.get([shop.id])[0]
            seen.append((was.ended_as, named(then.current_version(was))))
    replaced = ("superseded", "the shop shuts at one")
    assert seen == [replaced, (None, "the shop shuts at noon"), replaced]


def test_of_one_that_ended_twice_each_end_of_the_past_is_told_as_it_was(migrated: Memories) -> None:
    """Replaced at first, restored, and forgotten with the words of then."""
    gate = one(migrated, "the gate is green")
    ends = [event for event in migrated.store.history(gate.id) if "ended_at" in (event.after or {})]
    told = [(event.after or {}).get("ended_as") for event in ends]
    assert told == ["superseded", None, "forgotten"]
    assert [(event.before or {}).get("ended_as") for event in ends] == [None, "superseded", None]
    with store_as_of(migrated, ends[0].at) as (then, _):
        was = then.store.get([gate.id])[0]
        assert was.ended_as == "superseded" and then.current_version(was).id != gate.id


def test_undoes_of_an_older_store_know_what_they_undid(migrated: Memories) -> None:
    undone = [event for event in migrated.store.history() if event.action == UNDO]
    assert undone and all(event.reason == f"undo of {event.undoes}" for event in undone)
    assert not any(event.undoes for event in migrated.store.history() if event.action != UNDO)
    # The last: a space got its new name again. What was kept there by key goes back too.
    [state] = migrated.store.states(None, "checkpoint")
    assert state.space == one(migrated, "the hut is high").space == "dolomites"
    back = undo_change(migrated.in_space("dolomites"), undone[-1].change)
    assert not back.left
    [state] = migrated.store.states(None, "checkpoint")
    assert state.space == one(migrated, "the hut is high").space == "alps"


def test_an_end_of_an_older_store_is_undone_whole(migrated: Memories) -> None:
    pool = one(migrated, "the pool opens in June")
    [ended] = [event for event in migrated.store.history(pool.id) if event.action == "end"]
    undone = undo_change(migrated, ended.change)
    assert not undone.left
    again = one(migrated, "the pool opens in June")
    assert (again.ended_at, again.ended_as, again.ended_why, again.replaced_by) == (None, None, None, None)
    assert one(migrated, "the pool opens in July").ended_as == "undone"


def test_a_line_of_another_shape_stops_no_migration(
    tmp_path: Path, clock: TickingClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An import took in what stood there."""
    path = tmp_path / "m.db"
    older.at(path, 4, monkeypatch)
    older.fill(path)
    former = sqlite3.connect(path)
    [(pool,)] = former.execute("SELECT id FROM memories WHERE text = 'the pool opens in June'").fetchall()
    for after in ('{"ended_at":["x"]}', '{"ended_at":7,"ended_why":{}}', '{"ended_why":7,"ended_at":"soon"}'):
        former.execute(
            "INSERT INTO history (at, memory, action, actor, reason, before, after) "
            "VALUES ('2026-05-03T12:00:00.000Z', ?, 'undo', 'cli', 'undo of', '{}', ?)",
            (pool, after),
        )
    former.commit()
    former.close()
    assert endings(make_memories(path, clock)) == ENDED


def test_what_was_never_changed_is_not_undone_by_saying_so() -> None:
    def line(memory: str, action: str, reason: str | None, **after: object) -> Event:
        before = dict.fromkeys(after)
        at = from_iso("2026-05-03T12:00:00.000Z")
        return Event(1, at, memory, action, "cli", reason, before, dict(after), "C")

    edited = line("A", "edit", None, importance=0.9)
    for told, undone in (
        (line("A", UNDO, "undo of C", importance=None), "C"),
        (line("A", UNDO, "undo of C", importance=0.3), None),
        (line("B", UNDO, "undo of C", importance=None), None),
        (line("A", UNDO, "for C", importance=None), None),
        (line("A", "edit", "undo of C", importance=None), None),
    ):
        assert undone_by(told, {"C": [edited]}.__getitem__) == undone


@pytest.mark.parametrize("version", range(1, 7))
def test_what_older_code_derived_is_no_damage(
    tmp_path: Path, version: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "m.db"
    older.at(path, version, monkeypatch)
    former = sqlite3.connect(path)
    now = "2026-01-01T00:00:00.000Z"
    former.execute(
        "INSERT INTO memories (seq, id, space, kind, happened_at, source, confidence, importance, trusted,"
        " created_at, updated_at, origin, tags, text, data) VALUES (1, ?, 'default', 'fact', ?, 'explicit',"
        " 1, -0.0, 1, ?, ?, 'cli', '[]', 'Siobhan O''Brien owns an x86_64', '{}')",
        ("01M7Z7FCV0F1J88QSYADYQK0J1", now, now, now),
    )
    # As the first analysis had them.
    former.execute("INSERT INTO memory_words VALUES (1, 'siobhan o brien obrien owns an x86 64 x8664')")
    former.execute(
        "INSERT INTO links (id, space, subject, relation, object, confidence, created_at, data)"
        " VALUES ('01M7Z7FCV0F1J88QSYADYQK0J2', 'default', 'Ann', 'knows', 'Bob', 1, ?, '{}')",
        (now,),
    )
    if version >= 4:
        former.execute("INSERT INTO link_names (space, name, link) VALUES ('default', 'ANN', ?)", ("x",))
    former.commit()
    former.close()
    with closing(open_store(path)) as store:
        assert [each for each in store.check() if each.damage] == []
