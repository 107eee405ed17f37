"""Correcting, confirming, doubting, editing, merging; undoing; and the store as it stood."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memcli.changes import revision
from memcli.changes.provenance import provenance_of
from memcli.changes.story import event_line
from memcli.changes.time_travel import store_as_of
from memcli.changes.undo import undo_change
from memcli.errors import BadInput, NotFound, Refused
from memcli.memories import Memories
from memcli.model import Filter, Memory
from memcli.upkeep import spaces
from memcli.upkeep.exchange.export import export_records
from memcli.write_policy.admission import admit_drafts
from memcli.write_policy.drafts import Draft
from memcli.write_policy.settings import WriteOptions
from tests.conftest import Run, TickingClock
from tests.erasure import erase_memories

ALL = Filter(spaces=None, live=False)


def live(memories: Memories) -> list[str]:
    return sorted(memory.text for memory in memories.store.select(memories.within()))


def correct(memories: Memories, memory: Memory, text: str) -> Memory:
    return revision.correct_memory(memories, memory, text, WriteOptions()).memory


def test_a_correction_supersedes_and_keeps_the_old_one(memories: Memories) -> None:
    old = memories.remember(Draft(text="Ann lives in Berlin", tags=("ann",), importance=0.9, session="s"))
    new = correct(memories, old, "Ann lives in Paris")
    assert (new.supersedes, new.tags, new.importance, new.session) == (old.id, ("ann",), 0.9, "s")
    assert live(memories) == ["Ann lives in Paris"]
    assert memories.find(old.id).ended_why == f"superseded by {new.id}"
    newest = correct(memories, old, "Ann lives in Rome")
    assert newest.supersedes == new.id and live(memories) == ["Ann lives in Rome"]
    assert memories.current_version(old).id == newest.id


def test_what_was_forgotten_is_not_corrected(memories: Memories) -> None:
    old = memories.remember("Ann lives in Berlin")
    memories.end([old.id], "forgotten")
    with pytest.raises(BadInput, match="restore"):
        correct(memories, old, "Ann lives in Paris")
    with pytest.raises(BadInput, match="empty"):
        revision.correct_memory(memories, memories.remember("x y z"), "  ", WriteOptions())


def test_confirming_and_doubting_move_confidence_inside_its_bounds(memories: Memories) -> None:
    kept = memories.remember(Draft(text="the sky is blue", confidence=0.95))
    assert revision.confirm_memory(memories, kept).confidence == 1.0
    for expected in (0.8, 0.6, 0.4, 0.2, 0.0, 0.0):
        after = revision.doubt_memory(memories, kept, "cloudy")
        assert after.confidence == expected
    assert after.confirm_count == 1
    assert {event.reason for event in memories.store.history(kept.id) if event.action == "doubt"} == {
        "cloudy"
    }


def test_editing_changes_what_stands_beside_the_text(memories: Memories) -> None:
    kept = memories.remember(Draft(text="the sky is blue", tags=("a", "b")))
    after = revision.edit_memory(
        memories, kept, tags=["c"], without_tags=["a"], importance=0.9, kind="outcome"
    )
    assert (after.tags, after.importance, after.kind) == (("b", "c"), 0.9, "outcome")
    assert memories.find(kept.id) == after
    for name, value in (("importance", 1.1), ("confidence", float("nan")), ("importance", 0.9)):
        fields: Any = {name: value}
        with pytest.raises(BadInput):
            revision.edit_memory(memories, after, **fields)
    with pytest.raises(BadInput, match="tag"):
        revision.edit_memory(memories, after, tags=["a\nb"])


def test_merging_unites_what_is_known(memories: Memories) -> None:
    one = memories.remember(Draft(text="Ann likes tea", tags=("a",), confidence=0.5, importance=0.9))
    two = memories.remember(
        Draft(text="Ann is fond of green tea", kind="preference", tags=("b",), trusted=False)
    )
    memories.store.touch([one.id, two.id, two.id], memories.now())
    new = revision.merge_memories(memories, [one, memories.find(two.id)])
    assert (new.text, new.tags, new.source) == ("Ann is fond of green tea", ("a", "b"), "merged")
    assert (new.confidence, new.importance, new.trusted, new.access_count) == (0.75, 0.9, False, 3)
    assert new.data["merged_from"] == [one.id, two.id] and live(memories) == [new.text]
    assert memories.find(one.id).ended_why == f"merged into {new.id}"


@pytest.mark.parametrize("which", ["one", "twice", "spaces", "ended"])
def test_what_cannot_be_merged_is_left_alone(memories: Memories, which: str) -> None:
    one, two = memories.remember("the cat is black"), memories.remember("the dog is white")
    other = memories.remember(Draft(text="the cow is brown", space="farm"))
    memories.end([two.id], "x")
    some = {"one": [one], "twice": [one, one], "spaces": [one, other], "ended": [one, memories.find(two.id)]}
    before = list(memories.store.select(ALL))
    with pytest.raises(BadInput):
        revision.merge_memories(memories, some[which])
    assert list(memories.store.select(ALL)) == before


# Undo


def test_every_change_is_taken_back_and_done_again(memories: Memories) -> None:
    one, two = memories.remember("the cat is black"), memories.remember("Bob plays chess")

    def state() -> list[dict[str, Any]]:
        ignored = {"updated_at": None, "access_count": 0, "accessed_at": None}
        found = [m.to_record() | ignored for m in memories.store.select(ALL, order="oldest")]
        return [record for record in found if record["id"] in (one.id, two.id)]

    steps: list[Callable[[], object]] = [
        lambda: revision.edit_memory(memories, memories.find(one.id), tags=["x"], importance=0.1),
        lambda: correct(memories, one, "the cat is grey"),
        lambda: revision.merge_memories(memories, [memories.current_version(memories.find(one.id)), two]),
        lambda: memories.end([two.id], "no reason"),
        lambda: revision.doubt_memory(memories, one),
    ]
    for step in steps:
        before = state()
        step()
        undone = undo_change(memories)
        assert not undone.left and state() == before
    assert sorted(live(memories)) == ["Bob plays chess", "the cat is black"]


def test_undoing_goes_further_back_each_time_and_an_undo_can_be_undone(memories: Memories) -> None:
    memories.remember("the cat is black")
    memories.remember("Bob plays chess")
    first = undo_change(memories)
    assert live(memories) == ["the cat is black"]
    undo_change(memories)
    assert live(memories) == []
    with pytest.raises(NotFound, match="nothing to undo"):
        undo_change(memories)
    again = next(
        e for e in memories.store.history(newest_first=True) if e.reason == f"undo of {first.change}"
    )
    undo_change(memories, again.change)
    assert live(memories) == ["Bob plays chess"]


def test_what_was_changed_since_stays_and_is_named(memories: Memories) -> None:
    kept = memories.remember(Draft(text="the cat is black", importance=0.5))
    revision.edit_memory(memories, kept, importance=0.7, tags=["x"])
    [change] = {e.change for e in memories.store.history(kept.id) if e.action == "edit"}
    revision.edit_memory(memories, memories.find(kept.id), importance=0.9)
    undone = undo_change(memories, change)
    after = memories.find(kept.id)
    assert (after.importance, after.tags) == (0.9, ()) and "importance" in undone.left[0]


def test_an_erasure_is_not_undone(memories: Memories) -> None:
    kept = memories.remember("the cat is black")
    erase_memories(memories, [kept])
    with pytest.raises(Refused, match="cannot be undone; `mem undo CHANGE`"):
        undo_change(memories)
    with pytest.raises(NotFound):
        undo_change(memories, "ZZZZZZZZ")


# As it stood


def test_the_store_answers_as_it_stood(memories: Memories, clock: TickingClock) -> None:
    old = memories.remember("Ann lives in Berlin")
    then = clock.instant
    clock.advance(days=30)
    correct(memories, old, "Ann lives in Paris")
    memories.remember("Bob plays chess")
    revision.edit_memory(memories, memories.remember("the cat is black"), tags=["x"])
    whole = list(export_records(memories, ALL, history=True))
    with store_as_of(memories, then) as (past, incomplete):
        assert incomplete is None
        assert live(past) == ["Ann lives in Berlin"]
        hits = past.recall("where does Ann live", touch=False).hits
        assert [hit.memory.text for hit in hits] == ["Ann lives in Berlin"]
        assert memories.find(old.id).ended_at is None
        assert len(list(memories.store.history())) == 1
        past.remember("nothing of this stays")
    assert list(export_records(memories, ALL, history=True)) == whole


def test_before_the_beginning_nothing_was_known(memories: Memories, clock: TickingClock) -> None:
    began = clock.instant
    with pytest.raises(NotFound, match="empty"), store_as_of(memories, began):
        pass
    memories.remember("the cat is black")
    with pytest.raises(NotFound, match="began"), store_as_of(memories, began):
        pass


def test_what_was_erased_since_makes_the_answer_incomplete(memories: Memories, clock: TickingClock) -> None:
    kept = memories.remember("the cat is black")
    memories.remember("Bob plays chess")
    then = clock.instant
    clock.advance(days=1)
    erase_memories(memories, [kept])
    with store_as_of(memories, then) as (_, incomplete):
        assert incomplete and "1 " in incomplete
        assert live(memories) == ["Bob plays chess"]


_steps = st.lists(
    st.tuples(
        st.sampled_from(
            ["add", "correct", "confirm", "doubt", "edit", "end", "restore", "merge", "undo", "move"]
        ),
        st.integers(0, 5),
        st.integers(0, 5),
    ),
    max_size=14,
)


@settings(max_examples=25)
@given(_steps)
def test_as_of_is_what_was_there_then(tmp_path_factory: pytest.TempPathFactory, steps: list[Any]) -> None:
    from tests.conftest import make_memories

    clock = TickingClock()
    with make_memories(tmp_path_factory.mktemp("as-of") / "m.db", clock) as memories:
        seen: list[tuple[datetime, list[Memory]]] = []
        for number, (step, a, b) in enumerate(steps):
            _carry_out(memories, step, a, b, number)
            seen.append((clock.instant, list(memories.store.select(ALL))))
        for then, memories_then in seen:
            if not memories_then:
                continue
            with store_as_of(memories, then):
                found = list(memories.store.select(ALL))
            # When a row was last written is not on record, and not what anybody believed.
            same = {m.id: m.updated_at for m in memories_then}
            assert [replace(m, updated_at=same.get(m.id, m.updated_at)) for m in found] == memories_then


def _carry_out(memories: Memories, step: str, a: int, b: int, number: int) -> None:
    everything = list(memories.store.select(ALL, order="oldest"))
    if step == "add" or not everything:
        admit_drafts(
            memories,
            memories.model,
            [Draft(text=f"thing {number} is {['red', 'green', 'blue', 'white'][a % 4]}")],
        )
        return
    one, two = everything[a % len(everything)], everything[b % len(everything)]
    steps: dict[str, Callable[[], object]] = {
        "correct": lambda: correct(memories, one, f"thing {number} is changed"),
        "confirm": lambda: revision.confirm_memory(memories, one),
        "doubt": lambda: revision.doubt_memory(memories, one),
        "edit": lambda: revision.edit_memory(memories, one, tags=[f"t{b}"], importance=b / 10),
        "end": lambda: memories.end([one.id], "x"),
        "restore": lambda: memories.restore([one.id]),
        "merge": lambda: revision.merge_memories(memories, [one, two]),
        "move": lambda: spaces.move_memories(memories, [one], f"space{b}"),
        "undo": lambda: undo_change(memories),
    }
    with suppress(BadInput, NotFound, Refused):
        steps[step]()


# Spaces


def test_a_space_is_renamed_and_memories_move(memories: Memories) -> None:
    kept = memories.remember(Draft(text="the cow is brown", space="farm"))
    memories.remember("the cat is black")
    assert spaces.rename_space(memories, "farm", "ranch") == 1
    assert memories.find(kept.id, ALL).space == "ranch"
    assert [space.name for space in spaces.spaces(memories)] == ["default", "ranch"]
    with pytest.raises(BadInput, match="already"):
        spaces.rename_space(memories, "ranch", "default")
    with pytest.raises(NotFound, match="farm"):
        spaces.rename_space(memories, "farm", "x")
    assert spaces.move_memories(memories, [memories.find(kept.id, ALL)], "default") == 1
    undo_change(memories)
    assert memories.find(kept.id, ALL).space == "ranch"


def test_why_tells_the_story(memories: Memories) -> None:
    old = memories.remember("Ann lives in Berlin")
    revision.doubt_memory(memories, old, "she said she moves")
    new = correct(memories, old, "Ann lives in Paris")
    story = provenance_of(memories, memories.find(old.id))
    assert story.taken and story.taken.action == "add" and story.superseded_by == new.id
    assert [event.action for event in story.changes] == ["doubt", "end"]
    assert [each.id for each in story.used_by] == [new.id]
    assert json.dumps(story.to_record())


def test_why_names_what_a_memory_was_made_from(memories: Memories) -> None:
    one, two = memories.remember("Ann plays the oboe"), memories.remember("Bob keeps bees")
    both = revision.merge_memories(memories, [one, two], "Ann plays the oboe, Bob keeps bees")
    assert {each.id for each in provenance_of(memories, both).made_from} == {one.id, two.id}
    assert [each.id for each in provenance_of(memories, memories.find(one.id)).used_by] == [both.id]


# By hand


def test_changes_by_hand(mem: Run) -> None:
    ident = mem("remember", "Ann lives in Berlin").stdout.strip()
    assert mem("confirm", ident).returncode == 0
    doubted = json.loads(mem("doubt", ident, "--reason", "moved?", "--json").stdout)
    assert doubted["confidence"] == 0.8
    edited = mem("edit", ident, "-t", "ann", "--importance", "0.9", "--until", "next friday", "--json")
    assert datetime.fromisoformat(json.loads(edited.stdout)["valid_until"]) > datetime.now(UTC)
    assert mem("edit", ident).returncode == 2
    new = mem("correct", ident, "Ann lives in Paris").stdout.strip()
    shown = json.loads(mem("show", ident, "--json").stdout)
    assert shown["superseded_by"] == new and shown["tags"] == ["ann"]
    again = mem("correct", ident, input="Ann lives in Rome\n")
    assert again.returncode == 0 and "superseded already" in again.stderr
    lines = mem("history", "--json").stdout.splitlines()
    assert [json.loads(line)["action"] for line in lines][:2] == ["end", "correct"]
    assert mem("history", ident).stdout.count("\n") == 5
    assert mem("undo").returncode == 0
    assert "Paris" in mem("list").stdout and "Rome" not in mem("list").stdout
    assert "believed" in mem("why", new).stdout
    assert mem("list", "--as-of", "2001-01-01").returncode == 1
    missing = mem("correct", "ZZZZZZ", "x")
    assert missing.returncode == 1 and len(missing.stderr.splitlines()) == 1
    one, two = (
        mem("remember", "the cat is black").stdout.strip(),
        mem("remember", "Bob plays chess").stdout.strip(),
    )
    assert mem("merge", one).returncode == 2
    assert mem("merge", one, two, "--dry-run").returncode == 0
    merged = mem("merge", one, two, "--text", "Bob has a black cat and plays chess").stdout.strip()
    assert json.loads(mem("show", merged, "--json").stdout)["source"] == "merged"


def test_spaces_by_hand(mem: Run) -> None:
    mem("remember", "the cow is brown", "--space", "farm")
    ident = mem("remember", "the cat is black").stdout.strip()
    assert mem("space", "rename", "farm", "ranch").returncode == 0
    assert mem("space", "move", "ranch", ident).returncode == 0
    assert [json.loads(line)["live"] for line in mem("space", "list", "--json").stdout.splitlines()] == [2]
    assert '"the cow is brown"' in mem("space", "export", "ranch").stdout
    refused = mem("space", "forget", "ranch")
    assert refused.returncode == 2 and "--yes" in refused.stderr
    assert mem("space", "forget", "ranch", "--yes").returncode == 0
    assert mem("list", "--space", "ranch").returncode == 1


@pytest.mark.parametrize(("trusted", "fields"), [(False, {}), (True, {"trusted": False})])
def test_no_edit_makes_a_policy_of_what_is_untrusted(
    memories: Memories, trusted: bool, fields: dict[str, Any]
) -> None:
    kept = memories.remember(Draft(text="never lock the gate", trusted=trusted))
    with pytest.raises(Refused, match="never becomes a policy"):
        revision.edit_memory(memories, kept, kind="policy", **fields)
    assert memories.find(kept.id) == kept


def test_no_edit_puts_a_secret_into_a_tag(memories: Memories) -> None:
    kept = memories.remember("the gate has a code")
    with pytest.raises(Refused, match="a tag holds a secret"):
        revision.edit_memory(memories, kept, tags=["ghp_" + "a8Bc3dEf9hIjKl2nOpQr" + "StUvWxYz01234567"])
    assert memories.find(kept.id) == kept


def test_a_change_that_a_neighbour_wrote_into_is_undone_whole(memories: Memories) -> None:
    whole = memories.as_one_change(memories.new_id(memories.now()), memories.origin)
    first = whole.remember("the ferry leaves at noon")
    memories.remember("the cat is black")
    second = whole.remember("the harbour is closed in winter")
    assert {each.id for each in undo_change(memories).memories} == {first.id, second.id}


def test_whoever_corrects_says_it_now_and_the_rest_of_what_is_noted_stays(memories: Memories) -> None:
    old = memories.remember(Draft(text="Ann lives in Berlin", data={"undated": True, "page": 7}))
    assert correct(memories, old, "Ann lives in Paris").data.get("page") == 7
    assert "undated" not in memories.find(memories.current_version(old).id).data


@pytest.mark.parametrize("days", [-1, 0, 1])
def test_nothing_ends_before_it_begins(memories: Memories, days: int) -> None:
    kept, since = memories.remember("the mill grinds rye"), memories.now()
    until = since + timedelta(days=days)
    if days > 0:
        assert revision.edit_memory(memories, kept, valid_from=since, valid_until=until).valid_until == until
        return
    with pytest.raises(BadInput, match="before it begins"):
        revision.edit_memory(memories, kept, valid_from=since, valid_until=until)
    assert memories.find(kept.id) == kept


def test_the_line_of_an_addition_shows_its_text(memories: Memories) -> None:
    kept = memories.remember("the mill grinds rye")
    revision.edit_memory(memories, kept, tags=["mill"])
    added, edited = memories.store.history(kept.id)
    assert "the mill grinds rye" in event_line(added)
    assert "tags" in event_line(edited) and "rye" not in event_line(edited)
    # What came without its fields is a line all the same.
    assert "add" in event_line(added._replace(after=None))
