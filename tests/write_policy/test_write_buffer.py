"""What a bulk write takes is put into the store together, and is there before for what follows it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest

from memcli.importers.carrier import Carrier
from memcli.importers.records import Relation, Statement
from memcli.importers.source import Source
from memcli.judgement.notes import CHANGE
from memcli.memories import Memories
from memcli.model import Change, Filter, Memory
from memcli.write_policy.admission import Admission
from memcli.write_policy.decision import Case, Decision
from memcli.write_policy.direct import put_embedded
from memcli.write_policy.drafts import Draft, new_memories
from memcli.write_policy.gate import Gate
from memcli.write_policy.related.batch import RelatedInBatch
from memcli.write_policy.write_buffer import WriteBuffer

TEXTS = ("the mill grinds rye", "an owl hoots at night", "the barn is red", "a cutter lies in the harbour")


@pytest.fixture
def puts(memories: Memories, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many memories each call puts into the store."""
    counted: list[int] = []
    put = memories.store.put

    def counting(some: Sequence[Memory], *rest: Any) -> int:
        counted.extend([len(some)] if some else [])
        return put(some, *rest)

    monkeypatch.setattr(memories.store, "put", counting)
    return counted


def _written(memories: Memories, texts: Sequence[str]) -> list[Decision]:
    related = RelatedInBatch(memories.store, memories.now())
    admission = Admission(memories, memories.model, related=related)
    new = new_memories(memories, [Draft(text=each, kind="fact") for each in texts])
    return admission.prepare(*new).write()


def test_what_is_taken_is_put_at_once_in_its_order(memories: Memories, puts: list[int]) -> None:
    decisions = _written(memories, TEXTS)
    assert puts == [len(TEXTS)] and {each.action for each in decisions} == {"take"}
    found = list(memories.store.select(Filter(), order="oldest"))
    assert [each.text for each in found] == list(TEXTS)
    told = [event.memory for event in memories.store.history()]
    assert told == [each.id for each in found]
    refs = memories.store.refs_by_id(told)
    assert sorted(refs.values()) == list(refs.values()) and len(memories.store.vectors([*refs.values()])) == 4


def test_what_was_taken_before_is_confirmed_by_what_says_the_same(
    memories: Memories, puts: list[int]
) -> None:
    decisions = _written(memories, [*TEXTS[:2], TEXTS[0], TEXTS[2]])
    assert [each.action for each in decisions] == ["take", "take", "reinforce", "take"]
    assert decisions[2].memory.id == decisions[0].memory.id and puts == [2, 1, 1]
    assert memories.store.get([decisions[0].memory.id])[0].confirm_count == 1


def test_of_a_write_that_fails_nothing_stays_for_the_next(
    memories: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    related = RelatedInBatch(memories.store, memories.now())
    admission = Admission(memories, memories.model, related=related)
    new = new_memories(memories, [Draft(text=each, kind="fact") for each in TEXTS])
    prepared = admission.prepare(*new)
    decided, seen = prepared._decided, list[object]()

    def failing(case: Any) -> Decision:
        seen.append(case)
        if len(seen) == 3:
            raise KeyboardInterrupt
        return decided(case)

    monkeypatch.setattr(prepared, "_decided", failing)
    with pytest.raises(KeyboardInterrupt):
        prepared.write()
    assert related.buffer.read([each.id for each in new.memories]) == {}
    assert memories.store.total(None) == 0


def test_of_each_change_what_is_its_own(memories: Memories) -> None:
    buffer = WriteBuffer(memories.store)
    new = new_memories(memories, [Draft(text=each, kind="fact") for each in TEXTS]).memories
    one, two = Change("add", "cli", "one", "C1"), Change("add", "cli", "two", "C2")
    for memory, change in zip(new, (one, one, two, one), strict=True):
        buffer.add(memory, change, memory.created_at, None)
    assert [*buffer.read([new[2].id, "nobody", new[0].id])] == [new[2].id, new[0].id]
    assert memories.store.total(None) == 0
    buffer.settle()
    buffer.settle()
    assert [event.reason for event in memories.store.history()] == ["one", "one", "two", "one"]
    assert [*buffer.read([new[2].id, new[0].id]).values()] == [new[2], new[0]]


def test_links_of_an_import_come_in_few_transactions(
    memories: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[int] = []
    depth = 0
    writing = memories.store.writing

    @contextmanager
    def counting(patience: float | None = None) -> Iterator[None]:
        nonlocal depth
        begun.append(depth)
        depth += 1
        with writing(patience):
            yield
        depth -= 1

    monkeypatch.setattr(memories.store, "writing", counting)
    source = Source("club", "", lambda path: False, lambda file: iter(()))
    links = [Relation("f", f"Ann {each}", "knows", "Bo") for each in range(100)]
    report = Carrier(memories, source).take(
        [*links, Relation("f", "Ann", "", "Bo"), Statement("f", "s", "Owls hoot")]
    )
    assert (report.links_added, report.unreadable) == (100, 1)
    assert begun.count(0) == 3


def _near(memories: Memories, related: RelatedInBatch, text: str, space: str = "default") -> list[str]:
    [new], _, _ = new_memories(memories, [Draft(text=text, kind="fact", space=space)])
    [found] = related.of([(new, memories.model.embed([new])[new.id][0])], judged=False)
    return [each.memory.id for each in found.nearest]


def test_what_is_gone_or_states_nothing_is_held_against_nothing(
    memories: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "the mill grinds rye at night"
    known = memories.remember(Draft(text=text, kind="fact"))
    skill = new_memories(memories, [Draft(text=text, kind="procedure", data={"name": "mill"})])[0]
    put_embedded(memories, memories.model, skill, memories.change("add"))
    assert _near(memories, RelatedInBatch(memories.store, memories.now()), text) == [known.id]
    related = RelatedInBatch(memories.store, memories.now())
    assert _near(memories, related, text) == [known.id]
    # A neighbour erases it after the vectors were read.
    memories.store.erase([known.id], memories.change("erase"), memories.now())
    assert _near(memories, related, text) == []


def test_what_was_taken_is_near_to_what_follows_if_it_is_there_and_in_the_space(memories: Memories) -> None:
    text = "the mill grinds rye at night"
    related = RelatedInBatch(memories.store, memories.now())
    assert [_near(memories, related, text, space) for space in ("default", "barn")] == [[], []]
    some, _, _ = new_memories(memories, [Draft(text=text, kind="fact") for _ in range(2)])
    vectors = memories.model.embed(some)
    memories.store.put(some[:1], memories.change("add"), memories.now(), vectors)
    for each in some:  # the transaction of the other was undone
        related.note_taken(each, vectors[each.id][0])
    assert _near(memories, related, text) == [some[0].id]
    assert _near(memories, related, text, "barn") == []


def test_of_a_batch_those_look_more_widely_that_a_judge_takes_for_a_change(
    memories: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = memories.remember(Draft(text="Bergen bakery sells bread", kind="fact"))
    judge = Gate.judge

    def judged(gate: Gate, case: Case, *given: Any, **named: Any) -> Case:
        case = judge(gate, case, *given, **named)
        return case.judging(CHANGE, 0.9) if "moved" in case.memory.text else case

    monkeypatch.setattr(Gate, "judge", judged)
    admission = Admission(memories, memories.model, related=RelatedInBatch(memories.store, memories.now()))
    texts = ("Bergen bakery moved away", "Porto sells bread cheaply")
    new, _, _ = new_memories(memories, [Draft(text=each, kind="fact") for each in texts])
    prepared = admission.prepare(new)
    near = [[each.memory.id for each in prepared._related[memory.id].nearest] for memory in new]
    assert near == [[old.id], []]


def test_what_tells_of_a_change_is_held_against_what_is_somewhat_farther_too(memories: Memories) -> None:
    """Each alone in its batch, and both in one: a neighbour's change widens nobody else's look."""
    old = memories.remember(Draft(text="Bergen bakery sells bread", kind="fact"))
    moved, other = "Bergen bakery moved away", "Porto sells bread cheaply"
    new, _, _ = new_memories(memories, [Draft(text=each, kind="fact") for each in (moved, other)])
    vectors = memories.model.embed(new)
    given = [(each, vectors[each.id][0]) for each in new]
    for some, changes in ((given, {new[0].id}), (given[:1], {new[0].id}), (given, set()), (given[1:], set())):
        related = RelatedInBatch(memories.store, memories.now())
        found = related.of(some, judged=False, told_changes=changes)
        for (memory, _), each in zip(some, found, strict=True):
            assert [near.memory.id for near in each.nearest] == ([old.id] if memory.id in changes else [])
