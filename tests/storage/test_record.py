"""The part of the contract about the record and the store as a whole: one suite for every backend."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from memcli import ids
from memcli.config.location import Location
from memcli.errors import FlaggedStore
from memcli.model import Change, Filter, Link, Memory, ModelIdentity, State
from memcli.storage import Store
from memcli.storage.ledger import Clock, state_key
from memcli.storage.scratch import as_it_stood
from memcli.storage.stores import open_store
from tests.storage.test_store import location

__all__ = ("location",)

NOW = datetime(2026, 5, 3, 12, 0, tzinfo=UTC)
LATER = NOW + timedelta(days=1)
ADD, END = Change(action="add", id="c1"), Change(action="end", id="c2", reason="over")
ALL = Filter(spaces=None, live=False)
new_id = ids.id_source()


@pytest.fixture
def store(location: Location) -> Iterator[Store]:
    with closing(open_store(location)) as opened:
        yield opened


def memory(text: str = "the cat sat", **fields: Any) -> Memory:
    given = {"id": new_id(NOW), "kind": "fact", "text": text, **fields}
    return Memory(happened_at=NOW, created_at=NOW, updated_at=NOW, **given)


def link(one: str, other: str, **fields: Any) -> Link:
    made = Link(new_id(NOW), "default", one, "knows", other, None, 1.0, None, None, NOW, None, {})
    return made._replace(**fields)


def test_at_an_instant_memories_links_and_history_are_as_they_were(store: Store) -> None:
    kept, ended = memory("kept as it was"), memory("ended since")
    known = link("Ann", "Bob")
    store.put([kept, ended], ADD, NOW)
    store.put_links([known])
    store.put([replace(kept, text="changed", tags=("new",))], Change("edit"), LATER)
    store.put([replace(ended, ended_at=LATER, ended_as="forgotten")], END, LATER)
    store.put([memory("new since")], ADD, LATER)
    store.put_links([known._replace(ended_at=LATER), link("Ann", "Cid", created_at=LATER)])
    now = (list(store.select(ALL)), list(store.links()), list(store.history()))
    with store.as_of(NOW + timedelta(hours=1)):
        assert list(store.select(Filter(at=NOW))) == [ended, kept]
        assert list(store.links()) == [known]
        assert len(list(store.history())) == 2
    # What was done at an instant is so at it, and not just before.
    with store.as_of(LATER):
        assert (list(store.select(ALL)), list(store.links()), list(store.history())) == now
    with store.as_of(LATER - timedelta(milliseconds=1)):
        assert list(store.select(Filter(at=NOW))) == [ended, kept] and len(list(store.history())) == 2
    assert (list(store.select(ALL)), list(store.links()), list(store.history())) == now


def test_what_is_erased_is_in_no_search_and_on_record_is_only_that(store: Store) -> None:
    model = ModelIdentity("m", "w", 2)
    store.use_model(model)
    gone, stays = memory("gone cat", tags=("pet",)), memory("the cat stays")
    heir = memory("heir", supersedes=gone.id)
    vectors = {each.id: [b"\0\0\x80?\0\0\0\0"] for each in (gone, stays, heir)}
    store.put([gone, stays, heir], ADD, NOW, vectors)
    store.put_links([link("Ann", "Bob", evidence=gone.id), link("Ann", "Cid")])
    rows = dict(store.erase([gone.id], Change("erase"), LATER, {gone.id: {"space": "default"}}))
    assert (rows["memories"], rows["vectors"], rows["links"], rows["history"]) == (1, 1, 1, 1)
    assert store.get([gone.id]) == [] and [each.object for each in store.links()] == ["Cid"]
    [line] = store.history(gone.id)
    assert (line.action, line.before, line.after) == ("erase", None, {"space": "default"})
    assert store.get([heir.id])[0].supersedes is None
    cat = (("cat",),)
    assert store.frequencies([cat, (("pet",),)], None) == [1, 0] and store.total(None) == 2
    store.scrub()
    assert store.traces([], ["gone", "pet", "cat"]) == []
    assert list(store.damaged()) == []


def test_lines_about_a_memory_that_is_not_here_are_dropped_and_in_no_file(store: Store) -> None:
    here, other = memory("the cat stays"), memory("the vermeilion ledger")
    store.put([here, other], ADD, NOW)
    lines = list(store.history(other.id))
    store.erase([other.id], Change("erase"), LATER)
    assert store.put_history(lines) == 1
    store.drop_history([other.id])
    assert [each.memory for each in store.history()] == [here.id]
    store.scrub(thoroughly=True)
    assert store.traces([b"vermeilion"], ["vermeilion"]) == []
    assert list(store.damaged()) == []


def test_history_is_read_by_memory_by_change_by_action_and_from_a_number_on(store: Store) -> None:
    one, other = memory("one"), memory("other")
    store.put([one, other], ADD, NOW)
    store.put([replace(one, text="else")], Change("edit", id="c2"), LATER)
    first, second, third = store.history()
    assert [each.number for each in store.history(newest_first=True)] == [
        third.number, second.number, first.number
    ]  # fmt: skip
    assert list(store.history(one.id)) == [first, third]
    assert list(store.history(change="c1")) == [first, second]
    assert list(store.history(action="add")) == [first, second]
    assert list(store.history(one.id, action="add")) == [first] and list(store.history(action="end")) == []
    assert list(store.history(after=first.number)) == [second, third]
    assert store.put_history([first, third]) == 0
    assert store.put_history([third, third]) == 1
    store.rewrite_history([third._replace(before={"text": "…"}, reason="gone")])
    assert next(iter(store.history(after=second.number))).before == {"text": "…"}
    assert list(store.damaged()) == []


def test_many_lines_and_memories_are_read_in_their_order(store: Store) -> None:
    several = [memory(f"item {n}") for n in range(2500)]
    store.put(several, ADD, NOW)
    assert [event.memory for event in store.history()] == [each.id for each in several]
    assert list(store.select(ALL, order="oldest")) == several
    assert list(store.select(ALL, limit=2300)) == several[:199:-1]
    store.touch([each.id for each in several[::7]], LATER)
    used = [each.id for each in store.select(ALL, order="last_used")]
    assert used[:358] == [each.id for each in several[::7]][::-1] and len(set(used)) == 2500


def test_clocks_are_noted_with_the_row_as_it_is(store: Store) -> None:
    one, state = memory("one"), State("s", "a", "k", 1, 1, NOW, NOW)
    store.put([one], ADD, NOW)
    store.put_state(state)
    assert store.unclocked("memory") == ([one.id], [])
    key = state_key("s", "a", "k")
    store.put_clocks([Clock("memory", one.id, 1, "", {"x": 1}), Clock("state", key, 2, "/folder", {})])
    assert store.is_clocked("memory", [one.id]) == {one.id} and store.is_clocked("state", [key]) == {key}
    assert store.unclocked("memory") == ([], []) and store.unclocked("state") == ([], [])
    assert store.unclocked("state", ["a"]) == ([], [key])
    assert [each.key for each in store.clocks_since(0)] == [one.id, key]
    assert [each.via for each in store.clocks_since(1)] == ["/folder"]
    store.touch([one.id], LATER)
    assert store.unclocked("memory") == ([one.id], []) and store.is_clocked("memory", [one.id]) == set()
    assert store.is_sound("memory", [one.id]) == {one.id}
    store.drop_clocks("state", [key])
    assert store.clocks("state", [key]) == {} and store.clock_revision() == 2


def test_of_what_is_erased_the_clock_goes_and_no_other(store: Store) -> None:
    one, other, known = memory("one"), memory("other"), link("Ann", "Bob")
    store.put([one, other], ADD, NOW)
    store.put_links([known])
    store.put_clocks([Clock("memory", each.id, 1, "", {}) for each in (one, other)])
    store.put_clocks([Clock("link", known.id, 2, "", {})])
    store.erase([one.id], Change("erase"), LATER)
    assert [*store.clocks("memory", [one.id, other.id])] == [other.id]
    assert [*store.clocks("link", [known.id])] == [known.id]


def test_what_is_written_to_be_discarded_is_gone(store: Store) -> None:
    one = memory("one")
    store.put([one], ADD, NOW)
    with store.discarding():
        store.put([replace(one, text="other"), memory("more")], ADD, LATER)
        assert store.total(None) == 2
    assert list(store.select(ALL)) == [one] and store.total(None) == 1


def test_a_flagged_store_is_read_and_not_written_to(store: Store, location: Location) -> None:
    store.flag(["memory x"])
    with pytest.raises(FlaggedStore):
        store.put([memory()], ADD, NOW)
    with closing(open_store(location)) as other:
        assert list(other.select(ALL)) == []
        with pytest.raises(FlaggedStore):
            other.put([memory()], ADD, NOW)
    with closing(open_store(location, force=True)) as forced:
        assert forced.put([memory()], ADD, NOW) == 1
    store.clear_flag()
    assert store.put([memory()], ADD, NOW) == 1


def test_a_memory_that_moves_takes_all_of_it_along(store: Store) -> None:
    model = ModelIdentity("m", "w", 2)
    store.use_model(model)
    one = memory("the cat sat", tags=("pet",))
    vector = b"\0\0\x80?\0\0\0\0"
    store.put([one], ADD, NOW, {one.id: [vector]})
    moved = replace(one, space="work")
    store.put([moved], Change("move"), LATER)
    there, cat = Filter(spaces=("work",)), (("cat",),)
    assert list(store.select(there)) == [moved] and list(store.select(Filter())) == []
    assert [match.ref for match in store.top_by_words({cat: 1.0}, there, 5)] == [
        match.ref for match in store.nearest(vector, there, 5)
    ] == list(store.refs_by_id([one.id]).values())  # fmt: skip
    assert store.frequencies([cat], ("work",)) == [1] and store.frequencies([cat], ("default",)) == [0]
    assert store.nearest(vector, Filter(), 5) == [] and store.wanting(ALL) == []
    assert [each.text for each in store.select(Filter(spaces=("work",), tags=("pet",)))] == ["the cat sat"]


def test_a_letter_or_two_off_is_spelled_like(store: Store) -> None:
    store.put([memory("kubernetes staging cluster"), memory("kubectl")], ADD, NOW)
    assert "kubectl" in store.spelled_like("kubect", 5) and store.spelled_like("zzz", 5) == []
    assert any(each.startswith("kubern") for each in store.spelled_like("kubernets", 5))


@pytest.mark.parametrize("spaces", [None, ("default",)])
def test_a_store_that_cannot_go_back_is_read_as_it_stood_from_another(
    store: Store, spaces: tuple[str, ...] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = ModelIdentity("a", "w", 2)
    store.use_model(model)
    kept, moved = memory("kept as it was"), memory("elsewhere", space="b")
    there = link("Ann", "Bob", space="b")
    store.put([kept, moved], ADD, NOW, {kept.id: [b"12345678"]})
    store.put_links([link("Ann", "Cid"), there])
    for space in ("default", "b", "*"):
        store.put_state(State(space, "block", "owner", f"in {space}", 1, NOW, NOW, None))
    store.put([replace(kept, text="changed")], Change("edit"), LATER)
    monkeypatch.setattr(type(store), "may_go_back", lambda self: False)
    with as_it_stood(store, NOW + timedelta(hours=1), spaces) as stood:
        assert stood is not store and stood.location == store.location and stood.model() == model
        everything = [kept] if spaces else [moved, kept]
        assert sorted(stood.select(ALL), key=lambda each: each.id) == sorted(
            everything, key=lambda each: each.id
        )
        assert {each.space for each in stood.links()} == ({"default"} if spaces else {"default", "b"})
        assert {each.space for each in stood.states()} == {"default", "*"} | ({"b"} if not spaces else set())
        assert [each.action for each in stood.history(kept.id)] == ["add"]
        assert stood.count_read(model) == 0  # what it said then has no vectors yet
    assert next(iter(store.get([kept.id]))).text == "changed"


def test_only_a_model_that_is_out_of_use_is_dropped_and_no_other(store: Store) -> None:
    first, used, other = (ModelIdentity(name, "w", 2) for name in ("a", "b", "c"))
    kept = memory()
    store.put([kept], ADD, NOW)
    store.use_model(used)
    for each in (first, used, other):
        store.put_vectors(each, {kept.id: [b"12345678"]})
    store.drop_model(used)
    assert {*store.models()} == {first, used, other} and store.count_read(used) == 1
    store.drop_model(first)
    assert {*store.models()} == {used, other} and [*map(store.count_read, (first, used, other))] == [0, 1, 1]
