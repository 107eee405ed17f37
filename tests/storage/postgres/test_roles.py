"""What a role that was let into a space may do: all of it works there, or is refused in one line."""

from __future__ import annotations

from contextlib import closing
from datetime import timedelta

import psycopg
import pytest

from memcli.changes.time_travel import store_as_of
from memcli.changes.undo import undo_change
from memcli.config.config import Config
from memcli.config.location import read_location
from memcli.consolidation.run import consolidate
from memcli.errors import BadInput, MemcliError, ReadOnlyStore
from memcli.memories import Memories
from memcli.model import Filter
from memcli.storage.stores import open_store
from memcli.storage.walls import Grant, Reach
from memcli.upkeep.spaces import rename_space
from tests.conftest import TickingClock
from tests.postgres_server import Server, with_role
from tests.standin import StandIn
from tests.storage.postgres.test_walls import Place, place

__all__ = ("place",)


def theirs(place: Place, clock: TickingClock, origin: str = "") -> Memories:
    config = Config({"MEMCLI_ORIGIN": origin} if origin else {})
    return Memories(open_store(read_location(place.as_role)), config, StandIn, space="work", clock=clock)


@pytest.mark.parametrize("reach", list(Reach))
def test_a_day_of_the_past_is_the_same_for_every_role(
    place: Place, reach: Reach, clock: TickingClock
) -> None:
    work = place.memories.in_space("work")
    then = place.memories.now()
    later = work.remember("The build was made quicker")
    [first, *_] = [m for m in work.store.select(work.within()) if "night" in m.text]
    work.end([first.id], "no longer")
    clock.advance(hours=1)
    place.walls.grant("work", place.role, reach)
    with store_as_of(work, then) as (past, _):
        known = {(m.id, m.ended_at) for m in past.store.select(Filter(spaces=("work",), live=False))}
    assert (first.id, None) in known and later.id not in {each for each, _ in known}
    with theirs(place, clock) as memories:
        for all_spaces in (False, True):
            with store_as_of(memories, then, all_spaces=all_spaces) as (past, said):
                seen = {(m.id, m.ended_at) for m in past.store.select(Filter(spaces=None, live=False))}
                assert (seen, said) == (known, None)
                seen_ids = {each for each, _ in seen}
                assert {hit.memory.id for hit in past.recall("when do I work at night").hits} <= seen_ids
        # Nothing of that was written.
        assert place.memories.store.get([first.id])[0].ended_at is not None


def test_who_only_reads_looks_back_while_others_write(place: Place, clock: TickingClock) -> None:
    place.walls.grant("work", place.role, Reach.READ)
    with theirs(place, clock) as memories, store_as_of(memories, memories.now() - timedelta(seconds=1)):
        assert place.memories.in_space("work").remember("Written meanwhile").id


def test_a_space_that_is_renamed_takes_its_roles_along_and_an_undo_brings_them_back(place: Place) -> None:
    place.walls.grant("work", place.role, Reach.UNTRUSTED)
    rename_space(place.memories, "work", "desk")
    assert place.walls.grants() == [Grant("desk", place.role, Reach.UNTRUSTED)]
    with closing(psycopg.connect(place.as_role, autocommit=True)) as db:
        seen = db.execute("SELECT DISTINCT space FROM memcli.memories").fetchall()
        assert seen == [("desk",)]
    undo_change(place.memories.in_space("desk"))
    assert place.walls.grants() == [Grant("work", place.role, Reach.UNTRUSTED)]


def test_only_the_owner_renames_a_space_that_roles_are_let_into(place: Place, clock: TickingClock) -> None:
    for space in ("work", "desk"):
        place.walls.grant(space, place.role, Reach.WRITE)
    with theirs(place, clock) as memories, pytest.raises(BadInput, match="only the owner"):
        rename_space(memories, "work", "desk")
    assert place.memories.store.total(("desk",)) == 0


def test_a_role_consolidates_its_space_and_no_other(place: Place, clock: TickingClock) -> None:
    place.walls.grant("work", place.role, Reach.WRITE)
    with theirs(place, clock) as memories:
        memories.remember("The build runs at night, on the server")
        report = consolidate(memories)
        assert "read-to:merge" in {each.key for each in memories.store.states(("work",), "consolidation")}
        assert report.space == "work"
        with pytest.raises(ReadOnlyStore, match="walls on the server"):
            consolidate(memories.in_space("default"))


@pytest.mark.parametrize("reach", [Reach.READ, Reach.UNTRUSTED])
def test_what_a_role_may_not_is_one_line_and_changes_nothing(
    place: Place, reach: Reach, clock: TickingClock
) -> None:
    place.walls.grant("work", place.role, reach)
    before = [event.number for event in place.memories.store.history()]
    with theirs(place, clock) as memories:
        [one, *_] = memories.store.select(memories.within())
        for deed in (
            memories.store.rebuild,
            lambda: undo_change(memories),
            lambda: memories.end([one.id], "gone"),
            lambda: memories.store.erase([one.id], memories.change("erase"), memories.now()),
            lambda: consolidate(memories),
            lambda: rename_space(memories, "work", "desk"),
        ):
            with pytest.raises(MemcliError) as caught:
                deed()
            assert "\n" not in str(caught.value) and caught.value.exit_status in (2, 3, 4)
    assert place.memories.store.get([one.id]) == [one]
    assert [event.number for event in place.memories.store.history()] == before
    assert all(finding.ok for finding in place.memories.store.check() if finding.name == "words")


def test_partitions_have_the_walls_of_the_whole(postgres: Server, database: str) -> None:
    role = f"r{database.rpartition('/')[2].partition('?')[0][:20]}"
    postgres.run(f'CREATE ROLE "{role}" LOGIN')
    where = f"{database}{'&' if '?' in database else '?'}memcli_partitions=3"
    try:
        store = open_store(read_location(where))
        with Memories(store, Config(), StandIn) as memories:
            for space in ("work", "home", "farm"):
                memories.in_space(space).remember(f"What is said in {space} stays in {space}")
            walls = store.walls()
            assert walls
            walls.grant("work", role, Reach.WRITE)
        tables = postgres.run(
            "SELECT relname FROM pg_class WHERE relnamespace = 'memcli'::regnamespace "
            "AND relkind IN ('r', 'p', 'v', 'S', 'm')",
            database,
        )
        with closing(psycopg.connect(with_role(database, role), autocommit=True)) as db:
            for (table,) in tables:
                try:
                    rows = db.execute(f'SELECT * FROM memcli."{table}"'.encode()).fetchall()
                except psycopg.errors.InsufficientPrivilege:
                    continue
                assert not [row for row in rows if {"home", "farm"} & set(map(str, row))], table
            assert db.execute("SELECT count(*) FROM memcli.memories").fetchall() == [(1,)]
    finally:
        postgres.run(f'DROP OWNED BY "{role}"', database)
        postgres.run(f'DROP ROLE "{role}"')
