"""What the keys of the screen do, by the rooms below, and what is looked for before there is a screen."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("textual", reason="Textual is not installed: pip install 'memcli[browse]'")

from memcli.errors import BadInput, NotFound, Refused
from memcli.memories import Memories
from memcli.model import Filter
from memcli.views.browse import deeds, start
from memcli.views.browse.listings import Entry
from memcli.write_policy import review
from memcli.write_policy.admission import admit_drafts
from memcli.write_policy.drafts import Draft
from memcli.write_policy.owner_rules import OwnerRule
from memcli.write_policy.stored_rules import put_rule


def test_a_correction_that_is_refused_raises_and_changes_nothing(memories: Memories) -> None:
    kept = memories.remember("Ann lives in Berlin")
    with pytest.raises(Refused, match="secret"):
        deeds.correct(memories, kept.id, "Ann's password is hunter2hunter2", "")
    assert [each.text for each in memories.store.select(Filter())] == ["Ann lives in Berlin"]


def test_what_waits_and_is_refused_since_raises_and_waits_on(memories: Memories) -> None:
    inferred = Draft(text="Kevin likes oolong", source="inferred", confidence=0.3)
    [held] = admit_drafts(memories, memories.model, [inferred])
    assert held.action == "hold"
    put_rule(memories, OwnerRule("ex", "never", pattern=r"\bKevin\b", why="we do not speak of him"))
    waiting = Entry("held", held.memory.id, "", "fact", held.memory.text)
    with pytest.raises(Refused, match="never"):
        deeds.accept(memories, waiting)
    assert [each.memory.id for each in review.list_held(memories)] == [held.memory.id]
    assert not list(memories.store.select(Filter()))


def test_without_a_terminal_there_is_no_screen(memories: Memories, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(start, "_run", lambda desk: pytest.fail("it was shown"))
    memories.remember("Ann lives in Berlin")
    with pytest.raises(BadInput, match="needs a terminal"):
        start.browse(Path(memories.store.location), None)


def test_what_cannot_be_shown_is_told_before_there_is_a_screen(
    memories: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(start, "_run", lambda desk: 0)
    monkeypatch.setattr(start, "check_terminal", lambda: None)
    memories.remember("Ann lives in Berlin")
    assert start.browse(Path(memories.store.location), None) == 0
    with pytest.raises(NotFound, match="nowhere"):
        start.browse(Path(memories.store.location), "nowhere")
