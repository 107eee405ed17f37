"""What is noted of an erasure until it is proven: it goes with the proof, and with nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from memcli import ids
from memcli.changes.forgetting import erasure_plan, unfinished
from memcli.changes.forgetting.named import find_named
from memcli.changes.forgetting.unfinished import (
    clean_files,
    is_unfinished,
    note_change_files,
    record_unfinished,
    stale_change_files,
    stale_lines,
    unfinished_erasure,
    what_is_left,
)
from memcli.changes.space_history import erasure_marks
from memcli.changes.time_travel import store_as_of
from memcli.consolidation.folds import planned_summariser
from memcli.errors import BadInput, StoreBusy, StoreUnusable
from memcli.graph.aliases import add_aliases
from memcli.graph.link_changes import link_entities
from memcli.memories import Memories
from memcli.model import EVERYWHERE, Memory, State
from memcli.storage import areas
from memcli.storage.reports import CopyErasure, Erasure
from memcli.storage.states import read_state
from memcli.system import activity_log
from memcli.tiers.context import blocks
from memcli.tiers.sessions.extracts import SummaryRequest
from memcli.write_policy.drafts import Draft, new_memory

GONE = Erasure(ids=["01J8ZQ4X7N3V5T9R2K6M8P0BCD"])


# Of each change: what was done, its id, the memory.
Noted = list[tuple[str, str | None, str]]


@pytest.fixture
def noted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Noted:
    """What the log of activity is told of, as it is committed."""
    monkeypatch.setenv("MEMCLI_LOG", str(tmp_path / "log"))
    told: Noted = []
    monkeypatch.setattr(activity_log, "note_committed", told.extend)
    return told


def note_of(memories: Memories, key: str = "erasure") -> dict[str, Any]:
    state = read_state(memories.store, EVERYWHERE, areas.ERASURE.name, key)
    return dict(state.value) if state else {}


def begun(memories: Memories, erasure: Erasure = GONE) -> Memories:
    with memories.store.writing():
        record_unfinished(memories, erasure)
    return memories


def test_folders_with_old_change_files_are_noted_until_there_are_none(memories: Memories) -> None:
    note_change_files(memories, {})
    assert not stale_change_files(memories)
    note_change_files(memories, {"/a b": "not reached"})
    before = read_state(memories.store, EVERYWHERE, areas.ERASURE.name, "change-files")
    note_change_files(memories, {"/a b": "not reached"})
    assert read_state(memories.store, EVERYWHERE, areas.ERASURE.name, "change-files") == before
    assert stale_change_files(memories) == {"/a b": "not reached"} and not is_unfinished(memories)
    assert "mem sync --gone '/a b'" in stale_lines(stale_change_files(memories))[0]
    note_change_files(memories, {})
    assert not note_of(memories, "change-files") and not stale_change_files(memories)


def test_a_later_erasure_adds_to_what_is_to_be_cleaned_and_proofs_are_of_their_own(
    memories: Memories,
) -> None:
    begun(memories)
    found = lambda: ["/b"]  # noqa: E731
    clean_files(memories, GONE, found)
    assert note_of(memories)["left"] and not note_of(memories)["clean"]
    begun(memories, Erasure(ids=["B"], spaces=["barn"]))
    note = note_of(memories)
    assert note["ids"] == ["B", *GONE.ids] and note["spaces"] == ["barn"] and "proven" not in note
    assert "found" not in note and "clean" not in note


@pytest.mark.parametrize(
    ("traces", "copies", "left"),
    [
        ([], {}, []), (["store"], {}, ["store: still holds"]), ([], {"/b": ""}, []),
        ([], {"/b": "/b: in use"}, ["/b: in use"]),
        # A copy that was cleaned and says it still, in words that are nowhere else.
        (["/b"], {"/b": ""}, ["/b: still holds what was erased; rm"]),
        (["/b"], {"/b": "/b: in use"}, ["/b: in use"]),
        (["/b", "store"], {"/b": ""}, ["store: still", "/b: still"]),
    ],
)  # fmt: skip
def test_the_note_goes_only_when_all_is_proven(
    memories: Memories, monkeypatch: pytest.MonkeyPatch, traces: list[str], copies: dict[str, str],
    left: list[str],
) -> None:  # fmt: skip
    done = [CopyErasure(Path(path), error=error, state=f"{path} as it is") for path, error in copies.items()]
    asked = []

    def erase(erasure: Erasure, **options: Any) -> list[CopyErasure]:
        asked.append((list(erasure.ids), options["proven"]))
        return done

    monkeypatch.setattr(memories.store, "erase_from_copies", erase)
    cleaning = clean_files(begun(memories), GONE, lambda: traces)
    assert [line.startswith(told) for line, told in zip(cleaning.left, left, strict=True)] == [True] * len(
        left
    )
    assert is_unfinished(memories) is bool(left) and asked == [(GONE.ids, None)]
    assert what_is_left(memories) == cleaning.left
    if left:
        note = note_of(memories)
        assert note["clean"] is not bool({*traces} - {*copies})
        assert note["proven"] == {path: f"{path} as it is" for path, error in copies.items() if not error}
        again = clean_files(memories, GONE, lambda: [])
        assert asked[-1][1] == note["proven"] and bool(again.left) is bool(
            note["found"] or any(copies.values())
        )


def test_what_could_not_be_looked_through_is_left_and_nothing_is_raised(
    memories: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*given: Any, **options: Any) -> Any:
        raise StoreUnusable("no room")

    assert clean_files(begun(memories), GONE, fail).left == ["no room"] and is_unfinished(memories)
    with monkeypatch.context() as broken:
        broken.setattr(memories.store, "erase_from_copies", fail)
        assert clean_files(memories, GONE, lambda: []).left == ["no room"]
        assert note_of(memories)["clean"] is True
    with monkeypatch.context() as broken:
        broken.setattr(unfinished, "clear_unfinished", fail)
        assert clean_files(memories, GONE, fail).left == ["no room"]
    assert clean_files(memories, GONE, fail).left == [] and not is_unfinished(memories)


def test_what_stands_as_it_did_is_not_written_anew(memories: Memories) -> None:
    clean_files(begun(memories), GONE, lambda: ["store"])
    before = read_state(memories.store, EVERYWHERE, areas.ERASURE.name, "erasure")
    clean_files(memories, GONE, lambda: ["store"])
    assert read_state(memories.store, EVERYWHERE, areas.ERASURE.name, "erasure") == before


def test_what_an_earlier_erasure_left_is_cleaned_with_the_next(
    memories: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun(memories)
    asked: list[list[str]] = []

    def erase(erasure: Erasure, **options: Any) -> list[CopyErasure]:
        asked.append([*erasure.ids])
        return []

    monkeypatch.setattr(memories.store, "erase_from_copies", erase)
    later = Erasure(ids=["B"])
    clean_files(begun(memories, later), later, lambda: [])
    assert asked == [["B", *GONE.ids]]


def test_one_of_several_causes_is_told_and_how_many_more_there_are() -> None:
    assert "more" not in str(unfinished_erasure(["a"]))
    assert "a (and 2 more: `mem doctor`)" in str(unfinished_erasure(["a", "b", "c"]))


def test_who_erases_is_alone_and_what_is_erased_again_is_what_came_back(memories: Memories) -> None:
    assert not unfinished.is_being_erased(memories) and not unfinished.finish_erasure(memories)
    with unfinished.erasure_lock(memories, patience=0):
        assert unfinished.is_being_erased(memories)
        with pytest.raises(StoreBusy, match="erasing"), unfinished.erasure_lock(memories, patience=0):
            pytest.fail("two at once")
        begun(memories)
        assert unfinished.finish_erasure(memories) is False
    assert unfinished.finish_erasure(memories) is True and not is_unfinished(memories)


def test_what_another_finished_meanwhile_is_told_by_that_one_alone(
    memories: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = unfinished.erasure_lock

    @contextmanager
    def after_another(scope: Memories, *, patience: float) -> Iterator[None]:
        with alone(scope, patience=patience):
            unfinished.clear_unfinished(scope)
            yield

    begun(memories)
    monkeypatch.setattr(unfinished, "erasure_lock", after_another)
    assert unfinished.finish_erasure(memories) is False and not is_unfinished(memories)


def test_what_was_known_at_that_very_instant_and_is_gone_since_is_told(memories: Memories) -> None:
    kept, gone = memories.remember("the mill grinds rye"), memories.remember("an owl hoots at night")
    made = ids.instant_of_id(gone.id)
    assert made
    memories.store.erase([gone.id], memories.change("erase"), memories.now(), erasure_marks(memories, [gone]))
    for at, told in ((made, True), (made - timedelta(milliseconds=1), False), (memories.now(), False)):
        with store_as_of(memories, at) as (then, incomplete):
            assert bool(incomplete) is told and "1 memory of that time was" in (
                incomplete or "1 memory of that time was"
            )
            assert [each.id for each in then.store.select(then.within())] == [kept.id]


def test_an_erasure_stands_in_the_log_as_other_changes_do(memories: Memories, noted: Noted) -> None:
    kept = memories.remember("the mill grinds rye")
    change = memories.change("purge")
    memories.store.erase([kept.id, "never there"], change, memories.now())
    assert [(action, memory) for action, _, memory in noted] == [("add", kept.id), ("purge", kept.id)]
    assert noted[1][1] == change.id


def test_somebody_is_found_wherever_the_name_stands_whatever_stands_before(memories: Memories) -> None:
    def put(text: str, **fields: Any) -> Memory:
        memory = replace(new_memory(memories, Draft(text=text, kind=fields.pop("kind", "fact"))), **fields)
        memories.store.put([memory], memories.change("add", fields.get("ended_why")), memories.now())
        return memory

    boats = put("the boats are red")
    reasoned = put("an owl hoots at night", ended_at=memories.now(), ended_why="as Ada Kovacs asked")
    namesake = put("Ada Lovelace wrote a program")
    met = put("we met Ada Kovacs")
    rule = put("ask Ada Kovacs first", kind="policy")
    over = put("call Ada Kovacs", kind="policy", ended_at=memories.now())
    link = link_entities(memories, "Ada Kovacs", "owns", "mill").link
    link_entities(memories, "Bob", "owns", "mill")
    blocks.put_block(memories, "owner", "asks Ada Kovacs")
    found = find_named(memories, "Ada Kovacs")
    chosen = {each.id for each in found.targets.memories}
    assert {met.id, over.id} <= chosen and {boats.id, namesake.id, rule.id}.isdisjoint(chosen)
    assert found.targets.links == {link.id} and {rule.id, "block/owner"} == {*found.works}
    assert found.taken["Ada Kovacs"] >= 5 and found.proper and reasoned
    assert namesake.id in [each for places in found.left.values() for each in places]
    with pytest.raises(BadInput, match="is not a name"):
        find_named(memories, "--")


@pytest.mark.parametrize("parts", [None, "x", [7], [{"turns": "a"}], [{"text": "t"}], [["turns"]]])
def test_a_fold_is_told_in_the_words_that_were_planned_for_these_turns_and_no_others(parts: Any) -> None:
    def said(parts: Any, *asked: str) -> str:
        turns: Any = [SimpleNamespace(id=each) for each in asked]
        return planned_summariser(parts)(SummaryRequest("", 0, turns, 100, True))

    planned = [{"turns": ["a", "b"], "text": "they met"}, {"turns": ["c"]}]
    assert (said(planned, "a", "b"), said(planned, "c")) == ("they met", "")
    for some, turns in ((planned, ("a",)), (planned, ("b", "a")), (parts, ("a",))):
        with pytest.raises(BadInput, match="not those that were summarised"):
            said(some, *turns)


def test_what_was_given_up_stands_in_no_log(memories: Memories, noted: Noted) -> None:
    with pytest.raises(ValueError, match="no further"), memories.store.writing():
        memories.remember("the mill grinds rye")
        raise ValueError("no further")
    kept = memories.remember("an owl hoots at night")
    assert [memory for _, _, memory in noted] == [kept.id]


def test_of_what_a_value_says_a_sentence_may_be_quoted_and_no_id_and_no_name_of_a_field(
    memories: Memories,
) -> None:
    now, said = memories.now(), "the bakery opens at seven"
    value = {"a long name of a field": [memories.new_id(now), said, "a pin"]}
    some = [State("default", "task", key, value, 1, now, now) for key in ("t", "u")]
    snapshot: Any = SimpleNamespace(links=[], states=some)
    assert erasure_plan._said_beside(snapshot, set(), {("default", "task", "t")}) == [said]


@pytest.mark.parametrize(("seconds", "is_freed"), [(-1, False), (0, False), (1, True)])
def test_a_turn_that_expires_at_that_instant_may_go_on_naming_its_summary(
    memories: Memories, seconds: int, is_freed: bool
) -> None:
    now = memories.now()
    draft = Draft(text="the bakery opens at seven", kind="episode", session="s", data={"folded": "x"})
    turn = replace(new_memory(memories, draft), expires_at=now + timedelta(seconds=seconds))
    scope: Any = SimpleNamespace(now=lambda: now)
    doomed: Any = SimpleNamespace(ids={"x"})
    found = [*erasure_plan._turns(scope, [turn], doomed, {})]
    assert found == ([(turn.id, None)] if is_freed else [])


def test_what_holds_nothing_but_names_goes_with_whoever_it_names(memories: Memories) -> None:
    memories.remember("Ada Kovacs repairs boats")
    add_aliases(memories, "Ada Kovacs", ["Ada the Great"])
    now = memories.now()
    memories.store.put_state(State("default", "task", "t", {"goal": "visit Ada Kovacs"}, 1, now, now))
    found = find_named(memories, "Ada Kovacs")
    assert {area for _, area, _ in found.targets.values} == {"alias"}
    assert "task/t" in found.works
