"""The store as it stood, against a record kept beside it: links, spaces and erasures too."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memcli.changes import revision
from memcli.changes.time_travel import store_as_of
from memcli.changes.undo import undo_change
from memcli.errors import MemcliError, NotFound
from memcli.graph import link_changes
from memcli.memories import Memories
from memcli.model import Filter, Link, Memory, as_ended
from memcli.text.counting import counted
from memcli.upkeep import spaces
from memcli.upkeep.exchange.export import export_records
from memcli.write_policy.admission import admit_drafts
from memcli.write_policy.drafts import Draft, new_memory
from memcli.write_policy.settings import WriteOptions
from tests.conftest import Run, TickingClock, make_memories
from tests.erasure import erase_memories

ALL = Filter(spaces=None, live=False)
DEEDS = (
    "add", "correct", "edit", "merge", "end", "restore", "move", "rename", "link", "unlink", "undo", "erase",
)  # fmt: skip
NAMES = ("Ann", "Bob", "Cem")
SPACES = ("default", "north", "south")


@settings(max_examples=30)
@given(st.lists(st.tuples(st.sampled_from(DEEDS), st.integers(0, 5), st.integers(0, 5)), max_size=16))
def test_as_of_is_what_was_there_but_for_what_was_erased(
    tmp_path_factory: pytest.TempPathFactory, deeds: list[tuple[str, int, int]]
) -> None:
    clock = TickingClock()
    with make_memories(tmp_path_factory.mktemp("as-of") / "m.db", clock) as memories:
        seen: list[tuple[datetime, list[Memory], list[Link]]] = []
        for number, (deed, a, b) in enumerate(deeds):
            carry_out(memories, deed, a, b, number)
            seen.append(
                (
                    clock.instant,
                    list(memories.store.select(ALL, order="oldest")),
                    list(memories.store.links()),
                )
            )
        whole = list(export_records(memories, ALL, history=True))
        gone = {event.memory for event in memories.store.history() if event.action == "erase"}
        for then, known, linked in seen:
            left = [each for each in known if each.id not in gone]
            if not left:
                continue
            with store_as_of(memories, then, all_spaces=True) as (_, incomplete):
                found = list(memories.store.select(ALL, order="oldest"))
                edges = list(memories.store.links())
            assert [told(each, gone) for each in found] == [told(each, gone) for each in left]
            erased = {each.id for each in known} & gone
            assert bool(incomplete) == bool(erased)
            assert not incomplete or counted(len(erased), "memory", "memories") in incomplete
            # A link is recorded with its own changes; one that rested on what is gone, went with it.
            kept = {link.id: link for link in memories.store.links()}
            for link in edges:
                before = next(each for each in linked if each.id == link.id)
                assert (link.subject, link.object, link.ended_at) == (
                    before.subject, before.object, before.ended_at,
                )  # fmt: skip
            assert {link.id for link in edges} == {link.id for link in linked} & kept.keys()
        assert list(export_records(memories, ALL, history=True)) == whole


def told(memory: Memory, gone: set[str]) -> Memory:
    """A memory without what is on no record: when its row was written, and ids that must not be named."""
    named = {name: getattr(memory, name) for name in ("supersedes", "replaced_by")}
    named = {name: None if other in gone else other for name, other in named.items()}
    return replace(memory, updated_at=memory.created_at, access_count=0, accessed_at=None, **named)


def carry_out(memories: Memories, deed: str, a: int, b: int, number: int) -> None:
    everything = list(memories.store.select(ALL, order="oldest"))
    memories = memories.in_space(SPACES[b % 3])
    if deed == "add" or not everything:
        admit_drafts(
            memories,
            memories.model,
            [Draft(text=f"note {number} is {['red', 'green', 'blue', 'white'][a % 4]}")],
        )
        return
    one, two = everything[a % len(everything)], everything[b % len(everything)]
    if deed not in ("rename", "undo"):
        memories = memories.in_space(one.space)
    acts: dict[str, Any] = {
        "correct": lambda: revision.correct_memory(
            memories, one, f"note {number} is changed", WriteOptions()
        ),
        "edit": lambda: revision.edit_memory(memories, one, tags=[f"t{b}"], importance=b / 10),
        "merge": lambda: revision.merge_memories(memories, [one, two]),
        "end": lambda: memories.end([one.id], "done with"),
        "restore": lambda: revision.restore_memories(memories, [one]),
        "move": lambda: spaces.move_memories(memories, [one], SPACES[b % 3]),
        "rename": lambda: spaces.rename_space(memories, SPACES[a % 3], SPACES[b % 3]),
        "link": lambda: link_changes.link_entities(memories, NAMES[a % 3], "knows", NAMES[b % 3]),
        "unlink": lambda: link_changes.unlink_entities(memories, NAMES[a % 3], "knows", NAMES[b % 3]),
        "undo": lambda: undo_change(memories),
        "erase": lambda: erase_memories(memories, [one]),
    }
    with suppress(MemcliError):
        acts[deed]()


def test_of_what_came_without_history_an_ended_one_begins_a_space_as_well(
    memories: Memories, clock: TickingClock
) -> None:
    before = clock.instant - timedelta(days=9)
    known = replace(new_memory(memories, Draft(text="the mill grinds", kind="fact")), created_at=before)
    ended = as_ended(known, before + timedelta(days=1), "forgotten", "over")
    memories.store.put([ended], memories.change("import"), memories.now())
    with store_as_of(memories, before + timedelta(hours=1)) as (then, said):
        assert said is None and [each.text for each in then.store.select(then.within())] == []
    with pytest.raises(NotFound, match="began on"), store_as_of(memories, before - timedelta(hours=1)):
        pass


def test_what_was_erased_at_that_very_instant_was_not_there(memories: Memories, clock: TickingClock) -> None:
    kept = memories.remember("the mill grinds")
    memories.remember("the cat is black")
    clock.advance(days=1)
    erase_memories(memories, [kept])
    at = next(each.at for each in memories.store.history() if each.action == "erase")
    for instant, is_told in ((at, False), (at - timedelta(seconds=1), True)):
        with store_as_of(memories, instant) as (_, said):
            assert bool(said) is is_told


def test_a_space_begins_when_something_is_in_it(memories: Memories, clock: TickingClock) -> None:
    memories.remember("the cat is black")
    between = clock.instant
    clock.advance(days=1)
    memories.remember(Draft(text="the cow is brown", space="farm"))
    memories = memories.in_space("farm")
    with pytest.raises(MemcliError, match="'farm' began"), store_as_of(memories, between):
        pass
    with store_as_of(memories, between, all_spaces=True):
        assert [each.text for each in memories.store.select(ALL)] == ["the cat is black"]


def test_a_store_answers_from_the_very_instant_on_at_which_it_began(memories: Memories) -> None:
    kept = memories.remember("the mill grinds")
    [began] = [each.at for each in memories.store.history()]
    with store_as_of(memories, began) as (then, said):
        assert said is None and [each.id for each in then.store.select(ALL)] == [kept.id]
    with pytest.raises(NotFound), store_as_of(memories, began - timedelta(microseconds=1)):
        pass


def test_a_space_is_found_by_the_name_that_it_had_then(mem: Run, own_home: Path) -> None:
    known = mem("remember", "--space", "hof", "The gate is green").stdout.strip()
    then = json.loads(mem("show", known, "--space", "hof", "--json").stdout)["created_at"]
    assert mem("space", "rename", "hof", "alm").returncode == 0
    for words in (["list"], ["recall", "gate"], ["export"]):
        done = mem(*words, "--as-of", then, "--space", "hof")
        assert done.returncode == 0 and "The gate is green" in done.stdout, done
    shown = mem("show", known, "--as-of", then, "--space", "hof")
    assert shown.returncode == 0, shown
    # By the one that it has now it began with the renaming; and one that never was is no space.
    gone = mem("list", "--as-of", then, "--space", "hog")
    assert gone.returncode == 1 and "nothing is in space 'hog'" in gone.stderr
