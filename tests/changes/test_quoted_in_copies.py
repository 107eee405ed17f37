"""What else in a copy says what is erased: it goes with it, and where it stays every try finds it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from memcli.changes.forgetting.unfinished import finish_erasure, is_unfinished, what_is_left
from memcli.errors import ErasureUnfinished
from memcli.graph.link_changes import link_entities
from memcli.memories import Memories
from memcli.model import Filter, State
from memcli.storage.sqlite.erasing import remains
from memcli.storage.sqlite.erasing.erasure import pieces
from memcli.storage.stores import open_copy
from memcli.tiers.context import blocks
from memcli.tiers.tasks import checkpoints
from memcli.upkeep.copies.backups import verify_copy
from memcli.write_policy.drafts import Draft
from tests.changes.test_proven_erasure import TEXT, says
from tests.erasure import erase_memories

OTHER = "The bakery opens at seven in the morning"


def _gone(memories: Memories, memory_id: str) -> None:
    memories.store.erase([memory_id], memories.change("purge"), memories.now())


def _memory(memories: Memories) -> Callable[[], None]:
    kept = memories.remember(f"Ann told everybody at the fair in Lisbon: {TEXT}")
    return lambda: _gone(memories, kept.id)


def _turn(memories: Memories) -> Callable[[], None]:
    kept = memories.remember(Draft(text=f"user: {TEXT}!", kind="episode", session="s"))
    return lambda: _gone(memories, kept.id)


def _tag(memories: Memories) -> Callable[[], None]:
    kept = memories.remember(OTHER)
    memories.store.put([replace(kept, tags=(TEXT,))], None, memories.now())
    return lambda: _as_was(memories, kept.id, tags=())


def _reason(memories: Memories) -> Callable[[], None]:
    kept = memories.remember(OTHER)
    memories.end([kept.id], f"because {TEXT}")
    return lambda: _gone(memories, kept.id)


def _former(memories: Memories) -> Callable[[], None]:
    kept = memories.remember(f"{OTHER}, and {TEXT}")
    memories.store.put([replace(kept, text=OTHER)], memories.change("edit"), memories.now())
    return lambda: _gone(memories, kept.id)


def _as_was(memories: Memories, memory_id: str, **fields: object) -> None:
    [kept] = memories.store.get([memory_id])
    memories.store.put([replace(kept, **fields)], None, memories.now())  # type: ignore[arg-type]


def _checkpoint(memories: Memories) -> Callable[[], None]:
    checkpoints.save_checkpoint(memories, "crawl", f'{{"m": "{TEXT}"}}')

    def clear() -> None:
        for state in list(memories.store.states()):
            if state.area.startswith("checkpoint"):
                memories.store.drop_state(state.space, state.area, state.key)

    return clear


def _block(memories: Memories) -> Callable[[], None]:
    blocks.put_block(memories, "house", f"the house: {TEXT}.")
    return lambda: _dropped(memories, "block", "house")


def _rewritten(memories: Memories) -> Callable[[], None]:
    now = memories.now()
    memories.store.put_state(State("default", "task", "move", {"notes": [TEXT, OTHER]}, 1, now, now))
    changed = State("default", "task", "move", {"notes": [OTHER]}, 2, now, now)

    def change() -> None:
        memories.store.put_state(changed)

    return change


def _link(memories: Memories) -> Callable[[], None]:
    link = link_entities(memories, "Ann", "says", TEXT).link

    def drop() -> None:
        memories.store.drop_links([link.id])

    return drop


def _dropped(memories: Memories, area: str, key: str) -> None:
    memories.store.drop_state("default", area, key)


HELD = [_memory, _turn, _tag, _reason, _former, _checkpoint, _block, _rewritten, _link]


def _beside_row(copy: Path) -> list[str]:
    """What a copy still has beside the erased memory."""
    with closing(open_copy(copy)) as store:
        return [each.text for each in store.select(Filter(spaces=None, live=False)) if each.text != TEXT]


@pytest.mark.parametrize("put", HELD)
def test_what_only_a_copy_still_says_of_it_goes_from_that(
    memories: Memories, put: Callable[[Memories], Callable[[], None]]
) -> None:
    kept, stays = memories.remember(TEXT), memories.remember("the cat is black")
    drop = put(memories)
    copy = memories.store.back_up(memories.now())
    drop()
    receipt = erase_memories(memories, [kept])
    assert receipt.verified and not says(copy) and not is_unfinished(memories)
    assert verify_copy(copy, 1).ok and stays.text in _beside_row(copy)
    if put in (_tag, _former):
        assert (OTHER in _beside_row(copy)) is True
    if put is _rewritten:
        with closing(open_copy(copy)) as store:
            assert [each.value for each in store.states(("default",), "task")] == [{"notes": [OTHER]}]


@pytest.mark.parametrize("by", ["its words", "its rows"])
@pytest.mark.parametrize("put", [_checkpoint, _memory])
def test_where_it_is_still_said_every_try_finds_it_until_nothing_says_it(
    memories: Memories,
    monkeypatch: pytest.MonkeyPatch,
    put: Callable[[Memories], Callable[[], None]],
    by: str,
) -> None:
    kept = memories.remember(TEXT)
    drop = put(memories)
    if by == "its words":
        # The copy has not the memory itself.
        [row] = memories.store.get([kept.id])
        _gone(memories, kept.id)
    copy = memories.store.back_up(memories.now())
    if by == "its words":
        memories.store.put([row], memories.change("add"), memories.now())
    drop()
    with monkeypatch.context() as patched:
        patched.setattr(remains, "_bring_up", lambda *given: None)
        assert "still holds" in erase_memories(memories, [kept]).backups[str(copy)]
        for _ in range(2):
            with pytest.raises(ErasureUnfinished, match="still holds what was erased; rm"):
                finish_erasure(memories)
        assert what_is_left(memories) and (by == "its words" or says(copy) == [copy])
    if by == "its rows":
        assert finish_erasure(memories) and not says(copy)
    else:
        with pytest.raises(ErasureUnfinished):
            finish_erasure(memories)
        copy.unlink()
        assert finish_erasure(memories)


@pytest.mark.parametrize("has_row", [True, False])
def test_a_copy_that_was_out_of_reach_is_looked_through_for_what_quotes_it(
    memories: Memories, tmp_path: Path, has_row: bool
) -> None:
    kept = memories.remember(TEXT)
    drop = _checkpoint(memories)
    [row] = memories.store.get([kept.id])
    if not has_row:
        _gone(memories, kept.id)
    stick, away = tmp_path / "stick", tmp_path / "away"
    stick.mkdir()
    memories.store.copy_to(stick / "b.db", memories.now())
    if not has_row:
        memories.store.put([row], memories.change("add"), memories.now())
    drop()
    shutil.move(stick, away)
    assert "cannot be reached" in str(erase_memories(memories, [kept]).unfinished)
    shutil.move(away, stick)
    assert finish_erasure(memories) and not says(stick / "b.db")


def test_what_the_store_still_says_stays_in_its_copies(memories: Memories) -> None:
    kept = memories.remember(TEXT)
    blocks.put_block(memories, "house", f"the house: {TEXT}.")
    copy = memories.store.back_up(memories.now())
    receipt = erase_memories(memories, [kept])
    assert receipt.shared == ["block/house"] and receipt.verified
    with closing(open_copy(copy)) as store:
        assert [each.key for each in store.states(("default",), "block")] == ["house"]


def test_the_end_of_a_text_alone_is_no_trace_of_it(memories: Memories) -> None:
    """A piece of few letters is a word or two that anybody says."""
    text = "Quentomar hides the vermeilion ledger in the old cupboard by the door"
    found = pieces([text])
    assert found[-1].decode() == text[-48:] and {*map(len, found)} == {48}
    assert pieces(["a short one"]) == [b"a short one"]
