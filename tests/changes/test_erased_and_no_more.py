"""An erasure takes what was meant and no more; and of what it takes it believes nobody, itself least."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from memcli.changes.forgetting.unfinished import finish_erasure
from memcli.errors import ErasureUnfinished, Refused
from memcli.graph.link_changes import link_entities
from memcli.memories import Memories
from memcli.model import Link
from memcli.storage.known_copies import CopyKind
from memcli.storage.sqlite.erasing import copy_erasure
from memcli.storage.sqlite.file.copies import copy_path, part_of
from memcli.write_policy.drafts import Draft
from tests.changes.test_proven_erasure import PIECES, TEXT, held, says
from tests.erasure import erase_memories

HARMLESS = "The bakery opens at seven in the morning"


# No more


def test_a_link_whose_ends_others_name_too_is_not_told(memories: Memories) -> None:
    link = link_entities(memories, "Ann", "owns", "boat").link
    one, other = memories.remember("Ann feeds the heron"), memories.remember("Ann sails on Sundays")
    assert erase_memories(memories, [one]).shared == []
    assert erase_memories(memories, [other]).shared == [f"link/{link.id}"]


def test_a_sentence_that_another_memory_says_too_may_come_in_again(memories: Memories) -> None:
    one = memories.remember(f"{HARMLESS}. {TEXT}.")
    memories.remember(f"{HARMLESS}. The oven is new.")
    erase_memories(memories, [one])
    quotes = [f"Somebody wrote: {each}. He did." for each in (HARMLESS, TEXT)]
    assert memories.remember(Draft(text=quotes[0], source="imported"))
    with pytest.raises(Refused, match="forgotten for good"):
        memories.remember(Draft(text=quotes[1], source="imported"))


def test_what_another_space_has_on_record_is_its_own(memories: Memories) -> None:
    barn = memories.in_space("barn")
    hens, here = barn.remember("the hens are brown"), memories.remember("the mill grinds")
    kept = memories.remember(TEXT)
    for each in (barn, memories):
        each.end([hens.id if each is barn else here.id], f"because {TEXT}")
    erase_memories(memories, [kept])

    def reason(memory_id: str) -> str | None:
        return [event.reason for event in memories.store.history(memory_id)][-1]

    assert reason(hens.id) == f"because {TEXT}" and reason(here.id) is None


def test_a_summary_that_was_ended_is_not_made_anew(memories: Memories) -> None:
    one = memories.remember(Draft(text=TEXT, kind="episode", session="s", data={"role": "user"}))
    two = memories.remember(Draft(text=HARMLESS, kind="episode", session="s", data={"role": "user"}))
    data = {"role": "summary", "folds": [one.id, two.id]}
    summary = memories.remember(
        Draft(text=f"user: {TEXT}\nuser: {HARMLESS}", kind="episode", session="s", data=data)
    )
    memories.end([summary.id], "not wanted")
    receipt = erase_memories(memories, [one])
    assert receipt.derived == [summary.id] and receipt.rebuilt == []


# No less


@pytest.mark.parametrize("end", ["subject", "object"])
def test_a_link_from_or_to_a_memory_goes_with_it(memories: Memories, end: str) -> None:
    kept, now = memories.remember(TEXT), memories.now()
    link = Link(memories.new_id(now), "default", "Ann", "wrote", "it", None, 1.0, None, None, now, None, {})
    memories.store.put_links(
        [link._replace(subject=kept.id) if end == "subject" else link._replace(object=kept.id)]
    )
    assert erase_memories(memories, [kept]).verified and not list(memories.store.links())


def test_what_a_first_look_finds_is_written_anew_and_looked_for_again(
    memories: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept, scrub, done = memories.remember(TEXT), memories.store.scrub, []

    def half(*, thoroughly: bool = False, patience: float | None = None) -> None:
        done.append(thoroughly)
        if thoroughly:
            scrub(thoroughly=True, patience=patience)

    monkeypatch.setattr(memories.store, "scrub", half)
    assert erase_memories(memories, [kept]).verified and done[:2] == [False, True]


def test_a_store_that_still_says_it_is_cleaned_by_the_next_command(
    memories: Memories, own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = memories.remember(TEXT)
    with monkeypatch.context() as patched:
        patched.setattr(memories.store, "scrub", lambda thoroughly=False, patience=None: None)
        assert erase_memories(memories, [kept]).traces
    scrub, done = memories.store.scrub, []

    def noted(*, thoroughly: bool = False, patience: float | None = None) -> None:
        done.append(thoroughly)
        scrub(thoroughly=thoroughly, patience=patience)

    monkeypatch.setattr(memories.store, "scrub", noted)
    assert finish_erasure(memories) and True in done and not says(*own_home.glob("memory.db*"))


def test_a_copy_is_not_clean_because_somebody_cleaned_it(
    memories: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the cleaning taken out the look at it finds what was left."""
    kept = memories.remember(TEXT)
    copy = memories.store.back_up(memories.now())
    monkeypatch.setattr(copy_erasure, "_delete", lambda db, erasure: None)
    monkeypatch.setattr(copy_erasure, "take_out", lambda db, store, needles: True)
    receipt = erase_memories(memories, [kept])
    assert "still holds" in receipt.backups[str(copy)] and receipt.unfinished and says(copy) == [copy]


def test_a_copy_that_was_proven_and_is_another_file_by_now_is_looked_through_again(
    memories: Memories, own_home: Path
) -> None:
    kept = memories.remember(TEXT)
    proven = memories.store.back_up(memories.now())
    busy = memories.store.back_up(memories.now())
    older = shutil.copy(proven, own_home / "older")
    memories.store._busy_timeout = 0.1  # type: ignore[attr-defined]
    with held(busy):
        assert erase_memories(memories, [kept]).backups[str(proven)] == "erased"
        shutil.copy(older, proven)
        with pytest.raises(ErasureUnfinished):
            finish_erasure(memories)
    assert not says(proven)


def test_what_is_being_restored_is_cleaned_and_not_removed(memories: Memories) -> None:
    """It stands beside the store under the name of a part, and somebody is about to put it in its place."""
    kept = memories.remember(TEXT)
    coming = part_of(copy_path(Path(memories.store.location), CopyKind.BACKUP, "restoring"))
    shutil.copy(memories.store.back_up(memories.now()), coming)
    assert erase_memories(memories, [kept]).verified
    assert coming.exists() and not any(piece in coming.read_bytes() for piece in PIECES)
