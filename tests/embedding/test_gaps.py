"""What was written without vectors is read by whoever searches, a little at a time, and said until it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from memcli.consolidation.steps.tend import STEP
from memcli.embedding import gaps
from memcli.embedding.bound_model import WINDOWS_AT_ONCE, document_vectors
from memcli.memories import Memories
from memcli.model import Filter
from memcli.storage import Beginning
from memcli.tiers.policies.checks import check_action
from memcli.tiers.policies.document import PolicyText
from memcli.tiers.policies.policies import Policies
from memcli.tiers.sessions.sessions import append_turn
from memcli.upkeep.reindex import reindex_store
from memcli.write_policy.drafts import Draft
from tests.conftest import TickingClock, make_memories
from tests.standin import StandIn, no_model

EVERYTHING = Filter(spaces=None, live=False)
LONG = "".join(f"Part {n} tells of the {n}th lock on the canal, and of nothing else. " for n in range(600))


class Counting(StandIn):
    """A stand-in that counts the texts that it reads."""

    read = 0

    def documents(self, texts: Sequence[str]) -> Iterator[NDArray[np.float32]]:
        self.read += len(texts)
        return super().documents(texts)


@pytest.fixture
def counting(own_home: Path, clock: TickingClock) -> Iterator[Memories]:
    model = Counting()
    with make_memories(own_home / "memory.db", clock, model=lambda name: model) as opened:
        opened.model.scale()  # measured once, on texts of our own
        model.read = 0
        yield opened


def log(memories: Memories, *texts: str) -> None:
    for text in texts:
        append_turn(memories, Draft(text=text, session="s"), later=True)


def test_what_was_logged_for_later_is_found_by_meaning_in_the_next_recall(memories: Memories) -> None:
    log(memories, *(f"the heron stands at lock {n}" for n in range(30)))
    answer = memories.recall("heron")
    assert answer.degraded is None and all(hit.meaning for hit in answer.hits)
    assert memories.store.wanting(EVERYTHING) == []


def test_one_recall_reads_a_bounded_part_and_says_what_is_left(counting: Memories) -> None:
    log(counting, *(f"the heron stands at lock {n}" for n in range(gaps.TEXTS + 60)))
    answer = counting.recall("heron")
    assert answer.partly and answer.degraded and answer.degraded.startswith("60 memories")
    assert counting.model.open().read == gaps.TEXTS  # type: ignore[attr-defined]
    # The newest first: of what was just said is asked most.
    assert max(counting.store.wanting(EVERYTHING)) == 60
    for _ in range(2):
        answer = counting.recall("heron")
    assert answer.degraded is None and not answer.partly


def test_long_texts_count_for_more(counting: Memories) -> None:
    log(counting, *(f"{n} {LONG[:900]}" for n in range(40)))
    counting.recall("lock")
    assert counting.model.open().read <= gaps.WINDOWS + 1  # type: ignore[attr-defined]


def test_it_is_said_of_what_was_searched_only(memories: Memories) -> None:
    log(memories, *(f"{n} {LONG[:900]}" for n in range(60)))
    assert memories.recall("lock").partly
    assert memories.recall("lock", memories.within(kinds=("fact",))).degraded is None


def test_by_words_alone_nothing_is_read(memories: Memories) -> None:
    log(memories, "the heron stands")
    assert memories.recall("heron", words_only=True).degraded == "words only, as asked"
    assert len(memories.store.wanting(EVERYTHING)) == 1


def test_without_a_model_that_is_the_reason(own_home: Path, clock: TickingClock) -> None:
    with make_memories(own_home / "memory.db", clock, model=no_model) as memories:
        log(memories, "the heron stands")
        answer = memories.recall("heron")
    assert answer.degraded and answer.degraded.startswith("no model") and not answer.partly


def test_what_is_like_a_memory_without_vectors_is_found(memories: Memories) -> None:
    log(memories, "the heron stands at the lock", "the heron flies from the lock")
    [turn, _] = memories.store.select(EVERYTHING)
    answer = memories.similar(turn)
    assert [hit.memory.text for hit in answer.hits] == ["the heron stands at the lock"]
    assert answer.degraded is None


def test_a_policy_is_compared_though_it_had_no_vectors(memories: Memories) -> None:
    Policies(memories).add(PolicyText(name="heron", rule="never feed the heron", enforcement="soft"))
    memories.store._run("DELETE FROM vectors")  # type: ignore[attr-defined]
    assert check_action(memories, "feed the heron", {}).outcome == "warned"


def test_a_text_that_changed_while_it_was_read_stays_wanting(memories: Memories) -> None:
    log(memories, "the heron stands")
    [turn] = memories.store.select(EVERYTHING)
    documents = memories.model.open_bound().documents

    def meanwhile(texts: Sequence[str]) -> Iterator[NDArray[np.float32]]:
        with memories.store.writing():
            memories.store._run("UPDATE memories SET text = 'another'")  # type: ignore[attr-defined]
        return documents(texts)

    memories.model.open_bound().documents = meanwhile  # type: ignore[method-assign]
    assert gaps.fill_gaps(memories.store, memories.model, memories.store.wanting(EVERYTHING)).windows == 0
    assert memories.store.wanting(EVERYTHING) == list(memories.store.refs_by_id([turn.id]).values())


# Long texts


def vectors_of_all(memories: Memories) -> list[bytes]:
    [vectors] = memories.store.vectors([1]).values()
    return list(vectors)


def test_a_long_text_is_read_by_its_beginning_then_by_recalls_to_its_end(counting: Memories) -> None:
    kept = counting.remember(LONG)
    model = counting.model.open()
    windows = len(model.windows(LONG))
    assert windows > 2 * WINDOWS_AT_ONCE
    assert model.read == len(vectors_of_all(counting)) == WINDOWS_AT_ONCE  # type: ignore[attr-defined]
    assert isinstance(counting.store.vectors([1])[1], Beginning)
    recalls = 0
    while (answer := counting.recall("lock")).partly:
        recalls += 1
        assert answer.degraded and answer.degraded.startswith("1 memory is")
    assert 0 < recalls == -(-(windows - WINDOWS_AT_ONCE) // gaps.RESTS) - 1
    assert vectors_of_all(counting) == document_vectors(StandIn(), [kept])[kept.id]


@pytest.mark.parametrize("by", ["night", "reindex"])
def test_the_rest_is_read_at_once_by_night_and_by_reindex(counting: Memories, by: str) -> None:
    kept = counting.remember(LONG)
    if by == "night":
        lines = list(STEP.tend(_Run(counting)))  # type: ignore[arg-type]
        assert "1 missing vectors filled" in lines
    else:
        assert reindex_store(counting, missing_only=True) == 1
    assert vectors_of_all(counting) == document_vectors(StandIn(), [kept])[kept.id]
    assert counting.store.wanting(EVERYTHING) == []


class _Run:
    """What the step asks of a run of consolidation."""

    def __init__(self, memories: Memories) -> None:
        self.memories = memories

    def over(self) -> bool:
        return False
