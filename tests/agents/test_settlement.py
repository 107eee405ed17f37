"""What an agent settles with what its owner keeps, where that is changed meanwhile."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memcli.agents.tools import settlement
from memcli.changes.forgetting.hard import erase_memories
from memcli.errors import NotFound
from memcli.memories import Memories
from memcli.model import Memory
from memcli.write_policy.decision import Case
from memcli.write_policy.drafts import Draft
from memcli.write_policy.gate import Gate
from memcli.write_policy.said_again import words_on
from tests.conftest import TickingClock, make_memories


@pytest.fixture
def agents(memories: Memories, own_home: Path, clock: TickingClock) -> Iterator[Memories]:
    """An agent's memories over its owner's store."""
    with make_memories(own_home / "memory.db", clock, settings={"origin": "mcp:robot"}) as opened:
        yield opened


def test_no_words_are_kept_for_what_was_erased_meanwhile(
    memories: Memories, agents: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    known, examine = memories.remember("The choir meets at 5 pm on Mondays"), Gate.examine

    def erased_meanwhile(gate: Gate, memory: Memory) -> Case:
        case = examine(gate, memory)
        erase_memories(memories, [known])
        return case

    monkeypatch.setattr(Gate, "examine", erased_meanwhile)
    with pytest.raises(NotFound):
        settlement.drop_repetition(agents, Draft(text="Mondays at five there is choir", same_as=known.id))
    assert not any(words_on(line) for line in memories.store.history())
