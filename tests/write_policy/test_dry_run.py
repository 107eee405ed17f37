"""A dry run says what a write would decide, writes nothing, and needs no leave to write."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from memcli.memories import Memories
from memcli.model import Filter
from memcli.storage.sqlite.file import database_file as sqlite_file
from memcli.write_policy import review
from memcli.write_policy.admission import admit_drafts
from memcli.write_policy.decision import Decision
from memcli.write_policy.drafts import Draft
from tests.conftest import TickingClock, make_memories
from tests.watched import Watched, watch_writing

# Each of them decided by what is there, or by one of those before it.
LINES = (
    Draft(text="Ann prefers tea"),
    Draft(text="ann prefers  tea."),
    Draft(text="Use the side door for now"),
    Draft(text="use the side door for now!"),
    Draft(text="The captain is Lena"),
    Draft(text="Tariq is the new captain"),
    Draft(text="The owner likes chess", source="inferred", confidence=0.4),
    Draft(text="the owner likes chess.", source="inferred", confidence=0.6),
    Draft(text="Bob plays the harp"),
)


def said(decisions: list[Decision]) -> list[tuple[Any, ...]]:
    """What was decided, but for ids and times."""
    ids = [decision.memory.id for decision in decisions]
    return [
        (each.action, each.rule, each.memory.text, each.memory.kind, each.memory.confidence,
         ids.index(each.other) if each.other in ids else each.other,
         [ids.index(other) if other in ids else other for other in each.contradicts])
        for each in decisions
    ]  # fmt: skip


@pytest.fixture
def filled(memories: Memories) -> Memories:
    memories.remember("Bob plays the harp")
    memories.remember("the staging server listens on port 8443")
    return memories


def everything(memories: Memories) -> list[object]:
    store = memories.store
    return [list(store.select(Filter(spaces=None, live=False))), list(store.history()), list(store.states())]


def test_a_dry_run_of_many_decides_as_the_write_does(filled: Memories) -> None:
    before = everything(filled)
    dry = admit_drafts(filled, filled.model, LINES, dry_run=True)
    assert everything(filled) == before
    real = admit_drafts(filled, filled.model, LINES)
    assert said(dry) == said(real)
    assert {each.action for each in real} == {"take", "reinforce", "hold"}
    assert [bool(each.contradicts) for each in real].count(True) == 1


def test_a_dry_run_of_one_waits_for_nobody(filled: Memories, own_home: Path, clock: TickingClock) -> None:
    impatient = make_memories(own_home / "memory.db", clock, settings={"busy_timeout": "0.05"})
    with impatient as neighbour, filled.store.writing():
        for draft in LINES:
            [decision] = admit_drafts(neighbour, neighbour.model, [draft], dry_run=True)
            assert decision.reason or decision.action == "take"


def test_what_may_only_be_read_says_what_it_would_decide(
    filled: Memories, own_home: Path, clock: TickingClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    dry = admit_drafts(filled, filled.model, LINES, dry_run=True)
    before = everything(filled)
    monkeypatch.setattr(sqlite_file, "is_writable", lambda path: False)
    with make_memories(own_home / "memory.db", clock) as reader:
        assert said(admit_drafts(reader, reader.model, LINES, dry_run=True)) == said(dry)
        [one] = admit_drafts(reader, reader.model, [Draft(text="bob plays the harp")], dry_run=True)
        assert one.action == "reinforce"
        assert everything(reader) == before


# The slow half of a write


def test_nothing_is_embedded_while_others_wait(
    own_home: Path, clock: TickingClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    with make_memories(own_home / "memory.db", clock, model=Watched) as memories:
        watch_writing(memories, monkeypatch)
        memories.remember("Ann prefers tea")
        admit_drafts(memories, memories.model, LINES)
        [accepted] = review.accept_held(memories, memories.model, list(review.list_held(memories)))
        assert accepted.action == "take"
