"""Forgetting all that is here for good: what waits for review goes with it, or stays with it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest

from memcli.changes.forgetting.targets import Targets
from memcli.changes.forgetting.unfinished import erasure_lock
from memcli.config.location import Location
from memcli.errors import Refused, StoreBusy
from memcli.memories import Memories
from memcli.model import Filter
from memcli.sync.erasures.everywhere import erase_everywhere
from memcli.write_policy.drafts import Draft
from memcli.write_policy.review import list_held, reject_held
from tests.conftest import make_memories

Make = Callable[..., Memories]
HELD = "Ann moors her boat at the Quentin pier"


@pytest.fixture
def make(own_store: Location, clock: Callable[[], datetime]) -> Make:
    return lambda **settings: make_memories(own_store, clock, settings={"busy_timeout": "0.1", **settings})


def fill(memories: Memories) -> list[str]:
    """One that is remembered, one that waits, one that was rejected; the ids of these two."""
    memories.remember("the gate is green")
    for text in (HELD, "Bob rows at Wimbly lake"):
        memories.remember(Draft(text=text, source="inferred", confidence=0.5))
    waiting = list(list_held(memories))
    reject_held(memories, waiting[1:])
    return [each.memory.id for each in waiting]


def everything(memories: Memories) -> Targets:
    return Targets(list(memories.store.select(Filter(spaces=(memories.space,), live=False))))


def held(memories: Memories) -> list[str]:
    return [each.memory.id for kind in (False, True) for each in list_held(memories, rejected=kind)]


def test_what_waits_stays_where_the_erasure_fails(make: Make) -> None:
    with make() as memories, make() as other:
        waiting = fill(memories)
        with erasure_lock(other, patience=0), pytest.raises(StoreBusy):
            erase_everywhere(memories, everything(memories), held=True)
        assert held(memories) == waiting and len(everything(memories).memories) == 1


def test_what_waits_stays_where_the_rows_cannot_be_erased(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    with make() as memories:
        waiting = fill(memories)

        def busy(*given: object) -> None:
            raise StoreBusy("somebody writes")

        with monkeypatch.context() as patch:
            patch.setattr(memories.store, "erase", busy)
            with pytest.raises(StoreBusy):
                erase_everywhere(memories, everything(memories), held=True)
        assert held(memories) == waiting and len(everything(memories).memories) == 1


def test_who_may_not_answer_what_waits_may_not_erase_it(make: Make) -> None:
    with make() as memories, make(origin="mcp:x", untrusted_origins="mcp:*") as agent:
        waiting = fill(memories)
        with pytest.raises(Refused, match="with what waits for review"):
            erase_everywhere(agent, everything(memories), held=True)
        assert held(memories) == waiting


def test_what_waits_goes_with_all_from_every_file_and_is_on_the_receipt(make: Make, own_home: Path) -> None:
    with make() as memories:
        waiting = fill(memories)
        memories.store.back_up(memories.now())
        receipt = erase_everywhere(memories, everything(memories), held=True)
        assert receipt.verified and receipt.values == [f"held/{each}" for each in waiting]
        assert held(memories) == []
    left = b"".join(each.read_bytes() for each in own_home.rglob("memory.db*") if each.is_file())
    assert b"Quentin" not in left and b"Wimbly" not in left


def test_without_being_asked_for_and_in_other_spaces_it_stays(make: Make) -> None:
    with make() as memories:
        waiting = fill(memories)
        apart = memories.in_space("apart")
        assert erase_everywhere(apart, Targets(), held=True).values == []
        assert erase_everywhere(memories, everything(memories)).verified
        assert held(memories) == waiting
