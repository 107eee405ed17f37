"""What an agent settles with what its owner keeps, where that is changed meanwhile."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memcli.agents.tools import settlement
from memcli.errors import NotFound, Refused
from memcli.memories import Memories
from memcli.model import Memory
from memcli.write_policy.decision import Case
from memcli.write_policy.drafts import Draft
from memcli.write_policy.gate import Gate
from memcli.write_policy.said_again import words_on
from tests.conftest import TickingClock, make_memories
from tests.erasure import erase_memories
from tests.guards.exchanged import SECRET


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


def test_no_words_with_a_secret_come_onto_the_record_of_what_is_its_owners(
    memories: Memories, agents: Memories
) -> None:
    known = memories.remember("The choir meets at 5 pm on Mondays")
    said = f"Mondays at five there is choir, the token is {SECRET}"
    with pytest.raises(Refused):
        settlement.drop_repetition(agents, Draft(text=said, same_as=known.id))
    assert not any(words_on(line) for line in memories.store.history())


def test_a_loop_of_an_agent_fills_no_record_of_what_is_its_owners(
    memories: Memories, own_home: Path, clock: TickingClock
) -> None:
    known = memories.remember("The choir meets at 5 pm on Mondays")
    bounded = {"origin": "mcp:robot", "session_writes": "2"}
    with make_memories(own_home / "memory.db", clock, settings=bounded) as robots:
        for hour in ("five", "17:00"):
            said = f"Mondays at {hour} there is choir"
            assert settlement.drop_repetition(robots, Draft(text=said, same_as=known.id))
        with pytest.raises(Refused, match="repetitions of what is known"):
            said = "Mondays, choir, at five in the afternoon"
            settlement.drop_repetition(robots, Draft(text=said, same_as=known.id))
    assert sum(bool(words_on(line)) for line in memories.store.history()) == 2
