"""Many memories of one text: grouped once, merged in one night, a few in each transaction."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest

from memcli.consolidation import carry_out
from memcli.consolidation.run import RunOptions, consolidate
from memcli.memories import Memories
from memcli.model import Change, Memory
from memcli.upkeep.audit import audit_memories, fix_issue
from memcli.write_policy.direct import put_embedded
from memcli.write_policy.drafts import Draft, new_memory


def keep(memories: Memories, texts: Sequence[str]) -> list[Memory]:
    """As an import brings them: none is compared with another."""
    kept = [new_memory(memories, Draft(text=text, tags=(f"t{n % 3}",))) for n, text in enumerate(texts)]
    put_embedded(memories, memories.model, kept, Change("add"))
    return kept


def live(memories: Memories) -> list[Memory]:
    return list(memories.store.select(memories.within()))


MERGE = RunOptions(steps=("merge",))


def test_all_of_one_text_are_one_after_one_night(memories: Memories) -> None:
    kept = keep(memories, ["The shop closes at 5 pm.", "the shop closes at 5 pm"] * 200)
    other = keep(memories, ["My sister lives in Porto"])
    memories.store.touch([kept[7].id, kept[300].id], memories.now())
    report = consolidate(memories, MERGE)
    [one] = [each for each in live(memories) if each.id != other[0].id]
    assert one.tags == ("t0", "t1", "t2") and one.access_count == 2
    assert set(one.data["merged_from"]) == {each.id for each in kept}
    assert {each.replaced_by for each in memories.store.get([each.id for each in kept])} == {one.id}
    assert [each.proposal.action for each in report.outcomes] == ["merge"]
    assert consolidate(memories, MERGE).idle


def test_what_becomes_of_many_has_the_vector_of_the_one_whose_text_it_keeps(memories: Memories) -> None:
    several = keep(memories, ["the shop closes at 5 pm"] * 9)
    surest = new_memory(memories, Draft(text="The shop closes at 5 pm.", confidence=1.0))
    unsure = [replace(each, confidence=0.5) for each in several]
    put_embedded(memories, memories.model, [surest, *unsure], Change("add"))
    before = memories.store.vectors([*memories.store.refs_by_id([surest.id]).values()])
    consolidate(memories, MERGE)
    [one] = live(memories)
    after = memories.store.vectors([*memories.store.refs_by_id([one.id]).values()])
    assert one.supersedes == surest.id and [*after.values()] == [*before.values()]


def test_a_merge_that_was_cut_short_is_gone_on_with_and_counts_nothing_twice(
    memories: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = keep(memories, ["The shop closes at five"] * 300)
    memories.store.touch([each.id for each in kept], memories.now())
    ended = carry_out.revision.ended_by_merge  # type: ignore[attr-defined]
    done: list[str] = []

    def fail(memory: Memory, new: Memory) -> Memory:
        done.append(memory.id)
        if len(done) > 150:
            raise KeyboardInterrupt
        return ended(memory, new)  # type: ignore[no-any-return]

    with monkeypatch.context() as cut, pytest.raises(KeyboardInterrupt):
        cut.setattr("memcli.changes.revision.ended_by_merge", fail)
        consolidate(memories, MERGE)
    assert 1 < len(live(memories)) < 300
    consolidate(memories, MERGE)
    [one] = live(memories)
    assert one.access_count == 300


def test_no_transaction_of_a_merge_ends_more_than_a_few(
    memories: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep(memories, ["The shop closes at five"] * 300)
    depth: list[int] = []
    sizes: list[int] = []
    put, opened = memories.store.put, memories.store.writing

    @contextmanager
    def writing(patience: float | None = None) -> Iterator[None]:
        with opened(patience):
            depth.append(0)
            yield
            sizes.append(depth.pop())

    def counted(some: Iterable[Memory], *rest: Any) -> int:
        some = list(some)
        depth[:] = [each + len(some) for each in depth]
        return put(some, *rest)

    monkeypatch.setattr(memories.store, "writing", writing)
    monkeypatch.setattr(memories.store, "put", counted)
    consolidate(memories, MERGE)
    assert len(live(memories)) == 1
    assert len(sizes) >= 5 and max(sizes) <= 65


def test_the_audit_says_once_what_is_there_many_times_and_mends_it_at_once(memories: Memories) -> None:
    kept = keep(memories, ["The shop closes at five", "Rex is our dog"] * 20)
    issues = list(audit_memories(memories, ("duplicates",)))
    assert [len(issue.ids) for issue in issues] == [20, 20]
    assert "20 times" in issues[0].detail and issues[0].remedy == "mem audit --check duplicates --fix"
    for issue in issues:
        assert fix_issue(memories, issue)
    assert len(live(memories)) == 2 and len(kept) == 40
    assert not list(audit_memories(memories, ("duplicates",)))


def test_what_its_owner_said_holds_beside_another_is_not_merged(memories: Memories) -> None:
    from memcli.changes.open_questions import note_both_hold

    one, two, *_ = keep(memories, ["The shop closes at five"] * 2)
    note_both_hold(memories, two, [one.id])
    consolidate(memories, MERGE)
    assert len(live(memories)) == 2
    assert not list(audit_memories(memories, ("duplicates",)))
