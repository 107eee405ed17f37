"""What ends stays ended as it did, what is erased takes its traces along, what is restored fits its place."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memcli.changes.forgetting.erasure_plan import _lost_entities
from memcli.errors import ReadOnlyStore, StoreUnusable
from memcli.graph import link_changes
from memcli.keys.choice import KeyOptions
from memcli.memories import Memories
from memcli.model import as_ended
from memcli.storage.lookup import successor
from memcli.storage.reports import Erasure
from memcli.storage.sqlite.replacement import restoring
from memcli.storage.sqlite.store import SqliteStore
from memcli.sync.local import note_changes
from memcli.upkeep.copies.backups import make_backup
from memcli.upkeep.copies.erased import settle
from memcli.upkeep.encryption import encrypt
from memcli.write_policy import review, stored_rules
from memcli.write_policy.admission import Admission
from memcli.write_policy.drafts import Draft
from memcli.write_policy.forgotten_texts import remember_forgotten
from memcli.write_policy.owner_rules import OwnerRule
from memcli.write_policy.reader import StoreReader
from memcli.write_policy.settings import WriteOptions
from tests.conftest import make_memories
from tests.guards.exchanged import SAID


def test_what_a_neighbour_ended_meanwhile_is_replaced_by_nothing(memories: Memories) -> None:
    old, new = memories.remember("the gate is green"), memories.remember("the gate is blue")
    prepared = Admission(memories, memories.model, WriteOptions()).prepare([])
    memories.end([old.id], "no longer so")
    before = memories.store.get([old.id])
    for gone in (old.id, None):
        prepared._end_for(gone, new, "superseded")
    assert memories.store.get([old.id]) == before
    prepared._end_for(new.id, old, "superseded")
    assert [each.ended_as for each in memories.store.get([new.id])] == ["superseded"]


@pytest.mark.parametrize("changed", ["text", "space", "ended", "gone"])
def test_what_a_neighbour_changed_since_is_read_as_changed(memories: Memories, changed: str) -> None:
    kept, now = memories.remember("the gate is green"), memories.now()
    reader = StoreReader(memories.store)
    assert reader.unchanged(kept) == kept
    assert reader.unchanged(replace(kept, importance=0.9)) == kept
    if changed == "gone":
        memories.store.erase([kept.id], memories.change("erase"), now)
    else:
        later = {
            "text": replace(kept, text="the gate is blue"), "space": replace(kept, space="farm"),
            "ended": as_ended(kept, now, "forgotten", "so"),
        }  # fmt: skip
        memories.store.put([later[changed]], None, now)
    assert StoreReader(memories.store).unchanged(kept) is None


def test_what_took_a_memorys_place_is_in_its_space(memories: Memories) -> None:
    one, other = memories.remember("the gate is green"), memories.remember("the gate is blue")
    ended = as_ended(one, memories.now(), "superseded", "so", other.id)
    assert successor(memories.store, ended) == other
    memories.store.put([replace(other, space="farm")], None, memories.now())
    assert successor(memories.store, ended) is None


def test_what_is_refused_when_it_is_accepted_waits_on(memories: Memories) -> None:
    held = memories.remember(Draft(text=SAID, source="inferred", confidence=0.3))
    remember_forgotten(memories.store, [SAID], memories.now())
    [decision] = review.accept_held(memories, memories.model, list(review.list_held(memories)))
    assert decision.action == "refuse"
    assert [each.memory.id for each in review.list_held(memories)] == [held.id]


def test_an_agent_keeps_nothing_of_its_owners_for_longer_by_saying_it_again(
    memories: Memories, agent: Memories
) -> None:
    stored_rules.put_rule(memories, OwnerRule("now", "temporarily", pattern="rattles"))
    kept = memories.remember("the old cart rattles badly today")
    assert kept.expires_at
    agent.remember("the old cart rattles badly today")
    assert memories.store.get([kept.id]) == [kept]
    memories.remember("the old cart rattles badly today")
    [again] = memories.store.get([kept.id])
    assert again.expires_at and again.expires_at > kept.expires_at


def test_a_name_that_something_else_says_is_nobody_who_was_forgotten(memories: Memories) -> None:
    link = link_changes.link_entities(memories, "Ann", "knows", "Bob").link
    assert _lost_entities([link], ["Ann knows Bob"], ["Bob keeps geese"]) == {"ann"}
    assert _lost_entities([link], ["nobody is here"], ["Bob keeps geese"]) == set()
    # A name is a whole word: another that begins with it says nothing of it.
    assert _lost_entities([link], ["Ann knows Bob"], ["Anna keeps a bobsled"]) == {"ann", "bob"}
    assert _lost_entities([link], ["Anna knows Bobby"], []) == set()


def test_with_a_memory_goes_what_names_it_by_its_id(memories: Memories) -> None:
    gone, kept = memories.remember("the gate is green"), memories.remember("an owl hoots")
    made = link_changes.link_entities(memories, "Ann", "knows", "Bob", evidence=kept).link
    ends: list[dict[str, Any]] = [{end: gone.id} for end in ("subject", "object", "evidence")]
    naming = [made._replace(id=memories.new_id(memories.now()), **end) for end in ends]
    memories.store.put_links(naming)
    note_changes(memories)
    assert set(memories.store.clocks("memory", [gone.id, kept.id])) == {gone.id, kept.id}
    memories.store.erase([gone.id], memories.change("erase"), memories.now())
    assert [*memories.store.links()] == [made]
    assert set(memories.store.clocks("memory", [gone.id, kept.id])) == {kept.id}


def test_a_copy_that_changed_since_its_proof_is_cleaned_again(memories: Memories) -> None:
    gone = memories.remember("Quentomar hides the vermeilion ledger")
    copy = make_backup(memories)
    memories.store.erase([gone.id], memories.change("erase"), memories.now())
    erasure = Erasure(ids=[gone.id])
    memories.store.erase_from_copies(erasure, proven={str(copy): "as it was"}, patience=1)
    assert b"vermeilion" not in copy.read_bytes()


# A copy in the store's place


def put_back(memories: Memories, location: Path, copy: Path) -> object:
    return restoring.restore(location, copy, memories.now(), settle, busy_timeout=1, force=False)


@pytest.fixture
def copy(memories: Memories, own_home: Path) -> Path:
    memories.remember("the gate is green")
    return make_backup(memories, own_home / "copy.db")


def test_a_store_is_put_in_its_own_place_by_no_name(memories: Memories, copy: Path, own_home: Path) -> None:
    path = Path(memories.store.location)
    (own_home / "link.db").symlink_to(path)
    (own_home / "hard.db").hardlink_to(path)
    for name in (path, own_home / "link.db", own_home / "hard.db"):
        with pytest.raises(StoreUnusable, match="the store itself"):
            put_back(memories, path, name)
    assert put_back(memories, path, copy)


def test_a_copy_that_is_protected_otherwise_takes_no_stores_place(
    memories: Memories, copy: Path, own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hidden, key = own_home / "hidden.db", own_home / "key"
    monkeypatch.setenv("MEMCLI_KEY_FILE", str(key))
    encrypt(hidden, KeyOptions(file=key), memories.config)
    before = hidden.read_bytes()
    with pytest.raises(StoreUnusable, match="not encrypted, other than the store"):
        put_back(memories, hidden, copy)
    assert hidden.read_bytes() == before
    plain = Path(memories.store.location)
    with pytest.raises(StoreUnusable, match="encrypted, other than the store"):
        put_back(memories, plain, hidden)
    assert [each.text for each in memories.store.select(memories.within())] == ["the gate is green"]


def test_what_may_only_be_read_is_not_replaced(
    memories: Memories, copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Hindered(SqliteStore):
        def __init__(self, *given: object, **options: object) -> None:
            super().__init__(*given, **options)  # type: ignore[arg-type]
            self.hindrance = ReadOnlyStore("mounted so")

    memories.remember("an owl hoots")
    monkeypatch.setattr(restoring, "SqliteStore", Hindered)
    with pytest.raises(ReadOnlyStore):
        put_back(memories, Path(memories.store.location), copy)
    assert len([*memories.store.select(memories.within())]) == 2


def test_what_was_erased_since_is_in_no_copy_that_takes_the_place(memories: Memories, own_home: Path) -> None:
    gone = memories.remember("Quentomar hides the vermeilion ledger")
    unknown = own_home / "unknown.db"
    unknown.write_bytes(make_backup(memories, own_home / "copy.db").read_bytes())
    memories.store.erase([gone.id], memories.change("erase"), memories.now())
    put_back(memories, Path(memories.store.location), unknown)
    with make_memories(Path(memories.store.location), memories.now) as again:
        assert not again.store.get([gone.id])
