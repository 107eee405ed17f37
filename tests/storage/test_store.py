"""The store's contract: one suite that every backend must pass."""

from __future__ import annotations

import multiprocessing
import os
import random
import re
from collections.abc import Iterable, Iterator
from contextlib import closing, nullcontext
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memcli import ids
from memcli.config.location import Location, read_location
from memcli.errors import StoreBusy
from memcli.model import Change, Filter, Kind, Link, Memory, ModelIdentity, Ref, State
from memcli.storage import Beginning, Store, Vectors, Word
from memcli.storage.batches import in_batches
from memcli.storage.reports import UNREAD
from memcli.storage.stores import open_store

NOW = datetime(2026, 5, 3, 12, 0, tzinfo=UTC)
ADD = Change(action="add")
MODEL = ModelIdentity(name="m", weights="w", dimensions=4)
ALL = Filter(spaces=None, live=False)
new_id = ids.id_source()


@pytest.fixture(params=["sqlite", "postgres"])
def location(request: pytest.FixtureRequest, tmp_path: Path) -> Location:
    """Where each backend keeps its store; add a backend's name above to hold it to this suite."""
    if request.param == "postgres":
        # Cut into so many parts by space, where that is asked for.
        cut = os.environ.get("MEMCLI_TEST_PARTITIONS")
        address = request.getfixturevalue("database")
        return read_location(
            f"{address}{'&' if '?' in address else '?'}memcli_partitions={cut}" if cut else address
        )
    return tmp_path / f"store.{request.param}"


@pytest.fixture
def store(location: Location) -> Iterator[Store]:
    opened = open_store(location)
    yield opened
    opened.close()


def memory(text: str = "the cat sat", **fields: Any) -> Memory:
    instant = fields.pop("at", NOW)
    defaults: dict[str, Any] = {
        "id": new_id(NOW), "kind": "fact", "text": text,
        "happened_at": instant, "created_at": instant, "updated_at": instant,
    }  # fmt: skip
    return Memory(**{**defaults, **fields})


def vector(*values: float) -> bytes:
    return np.asarray([*values, 0, 0][:4], dtype="<f4").tobytes()


def ids_of(store: Store, refs: Iterable[Ref]) -> list[str]:
    return sorted(m.id for m in store.memories_by_ref(list(refs)).values())


def found(store: Store, *terms: str, where: Filter = ALL) -> list[str]:
    asked: dict[Word, float] = {((term,),): 1.0 for term in terms}
    return ids_of(store, [match.ref for match in store.top_by_words(asked, where, 100)])


def nearest(store: Store, vector: bytes, where: Filter = ALL, limit: int = 5) -> list[tuple[str, Any]]:
    matches = store.nearest(vector, where, limit)
    memories = store.memories_by_ref([match.ref for match in matches])
    return [(memories[match.ref].id, match.score) for match in matches]


def only(text: bytes) -> Vectors:
    return [text]


# Memories


def test_what_is_put_comes_back_whole(store: Store) -> None:
    kept = memory(
        "täxt\nwith ⏎ and 'quotes\"; DROP TABLE memories; --", kind="episode", space="work", session="s1",
        tags=("a", "b"), confidence=0.25, importance=0.75, source="inferred", origin="batch",
        trusted=False, valid_from=NOW, valid_until=NOW + timedelta(days=1),
        expires_at=NOW + timedelta(days=2), supersedes=new_id(NOW), ended_at=NOW,
        ended_as="superseded", ended_why="as said", replaced_by=new_id(NOW),
        data={"role": "user", "n": [1, None]},
    )  # fmt: skip
    assert store.put([kept], ADD, NOW) == 1
    assert store.get([kept.id]) == [kept]


def test_get_keeps_the_order_asked_for_and_leaves_out_the_unknown(store: Store) -> None:
    several = [memory(str(n)) for n in range(1200)]
    store.put(several, ADD, NOW)
    wanted = [m.id for m in reversed(several)]
    assert [m.id for m in store.get([*wanted, new_id(NOW)])] == wanted


def test_putting_the_same_again_changes_nothing(store: Store) -> None:
    kept = memory()
    store.put([kept], ADD, NOW)
    assert store.put([kept], ADD, NOW) == 0
    assert len(list(store.history(kept.id))) == 1


def test_a_change_replaces_the_row_its_words_and_its_vectors(store: Store) -> None:
    store.use_model(MODEL)
    kept = memory("the cat sat", tags=("pet",))
    store.put([kept], ADD, NOW, {kept.id: only(vector(1, 0, 0, 0))})
    changed = replace(kept, text="the dog ran", tags=("animal",))
    store.put([changed], Change(action="edit", reason="typo"), NOW)
    assert found(store, "cat") == found(store, "pet") == []
    assert found(store, "dog") == found(store, "animal") == [kept.id]
    assert nearest(store, vector(1, 0, 0, 0)) == []
    assert store.without_vectors(MODEL, 5) == [changed]


def test_history_holds_what_changed_by_whom_and_why(store: Store) -> None:
    kept = memory("before")
    store.put([kept], Change(action="add", actor="cli"), NOW)
    store.put([replace(kept, text="after")], Change(action="edit", actor="batch", reason="why"), NOW)
    first, second = store.history(kept.id)
    assert (first.action, first.before) == ("add", None)
    assert first.after is not None and first.after["text"] == "before"
    assert (second.action, second.actor, second.reason) == ("edit", "batch", "why")
    assert (second.before, second.after) == ({"text": "before"}, {"text": "after"})


def test_a_write_is_all_or_nothing(store: Store) -> None:
    good, bad = memory("good words"), replace(memory("bad"), confidence=2.0)
    with pytest.raises(Exception, match="constraint|CHECK"):
        store.put([good, bad], ADD, NOW)
    assert store.get([good.id]) == []
    assert found(store, "good") == []
    assert list(store.history()) == []


def test_a_transaction_spans_calls_and_rolls_back_whole(store: Store) -> None:
    kept = memory()
    with pytest.raises(RuntimeError), store.writing():
        store.put([kept], ADD, NOW)
        store.put_state(State("default", "a", "k", 1, 1, NOW, NOW, None))
        raise RuntimeError
    assert store.get([kept.id]) == [] and list(store.states()) == []
    store.put([kept], ADD, NOW)
    assert store.get([kept.id]) == [kept]


def test_only_what_others_write_makes_another_revision(store: Store, location: Location) -> None:
    before = store.revision()
    store.put([memory()], ADD, NOW)
    assert store.revision() == before
    with closing(open_store(location)) as other:
        other.put_state(State("default", "a", "k", 1, 1, NOW, NOW, None))
        after = store.revision()
        assert after != before
        with store.writing():
            assert list(other.states()) and store.revision() == after


def test_ids_are_found_by_head_and_tail(store: Store) -> None:
    several = [memory(str(n)) for n in range(3)]
    store.put(several, ADD, NOW)
    one = several[1]
    assert store.find_ids(one.id[-8:], 5) == [one.id]
    assert store.find_ids(one.id, 5) == [one.id]
    assert store.find_ids(one.id[:6], 5) == [m.id for m in several]
    assert store.find_ids(one.id[:6], 2) == [m.id for m in several[:2]]


def test_select_orders_and_counts(store: Store) -> None:
    several = [memory(str(n), kind="fact" if n % 2 else "episode") for n in range(4)]
    store.put(several, ADD, NOW)
    assert list(store.select(ALL)) == several[::-1]
    assert list(store.select(ALL, order="oldest", limit=2)) == several[:2]
    assert store.count(ALL) == [("default", "episode", 2), ("default", "fact", 2)]
    store.touch([several[2].id], NOW)
    assert next(store.select(ALL, order="last_used")).id == several[2].id


def test_a_use_is_counted_but_is_no_change(store: Store) -> None:
    kept = memory()
    store.put([kept], ADD, NOW)
    store.touch([kept.id], NOW + timedelta(hours=1))
    [after] = store.get([kept.id])
    assert (after.access_count, after.accessed_at) == (1, NOW + timedelta(hours=1))
    assert len(list(store.history())) == 1


# Many at once

_ODD = (
    "it's a 'quoted' back\\slash", "a tab\there, a line\nthere", "\\N is nothing, {curly, braces}",
    "caf\u00e9 C++ node.js",
    "\u6771\u4eac\u90fd \U0001f600", "user_id = getUserById(42);", "?!", "a@b.org \\. and and and",
)  # fmt: skip


def _many() -> list[Memory]:
    return [
        memory(
            f"{_ODD[n % len(_ODD)]} number {n}" if n % 9 else _ODD[n % len(_ODD)], space="ab"[n % 2],
            tags=("x", 'q"t', "it's") if n % 3 == 0 else (), session="s" if n % 4 else None,
            data={"role": "user"} if n % 5 else {}, confidence=0.5,
        )
        for n in range(90)
    ]  # fmt: skip


def test_many_at_once_are_kept_whole_and_found_as_if_they_came_one_by_one(store: Store) -> None:
    store.use_model(MODEL)
    many = _many()
    read = many[::2]
    vectors = {m.id: [vector(n + 1, 1), vector(0, 1, n)][: 1 + n % 2] for n, m in enumerate(read)}
    assert store.put(many, ADD, NOW, vectors) == 90
    changed = [replace(m, text=f"{m.text} changed", space="c") for m in many[:40]]
    again = [*changed, *changed[:5], replace(many[50], importance=0.9), *many[60:]]
    assert store.put(again, Change(action="edit"), NOW) == 41
    kept = [*changed, *many[40:50], replace(many[50], importance=0.9), *many[51:]]
    assert store.get([m.id for m in many]) == kept
    assert list(store.damaged()) == []
    lines = [(event.memory, event.action) for event in store.history()]
    assert sorted(lines) == sorted([*((m.id, "add") for m in many), *((m.id, "edit") for m in kept[:40]),
                                    (many[50].id, "edit")])  # fmt: skip
    # A text that changed has to be read again.
    unread = {m.id for m in many} - {m.id for m in read if m not in many[:40]}
    refs = store.refs_by_id([m.id for m in many])
    assert set(store.wanting(ALL)) == {refs[name] for name in unread}
    assert {name: list(store.vectors([ref])[ref]) for name, ref in refs.items() if name not in unread} == {
        name: some for name, some in vectors.items() if name not in unread
    }
    spaces = (None, ("a",), ("b",), ("c",), ("a", "c"))
    terms = [
        "number",
        "quoted",
        "it",
        "and",
        "京",
        "c",
        "cplusplus",
        "getuserbyid",
        "node",
        "changed",
        "n",
        "7",
    ]
    asked: list[Word] = [((term,),) for term in terms]

    def known() -> list[Any]:
        found = [store.top_by_words({word: 1.0}, ALL, 200) for word in asked]
        return [[(store.total(some), store.frequencies(asked, some)) for some in spaces], found]

    before = known()
    store.rebuild()
    assert known() == before
    assert store.total(None) == 90


def test_of_many_none_is_there_where_one_cannot_be(store: Store) -> None:
    many = _many()
    with pytest.raises(Exception, match=r"."):  # whatever an engine says of it
        store.put([*many, replace(many[0], id=new_id(NOW), confidence=7.0)], ADD, NOW)
    assert store.total(None) == 0 and store.get([m.id for m in many]) == []
    assert list(store.history()) == [] and store.frequencies([(("number",),)], None) == [0]
    assert store.put(many, ADD, NOW) == 90


# Filters


@pytest.mark.parametrize(
    ("fields", "where"),
    [
        ({"space": "work"}, Filter(spaces=("work",), live=False)),
        ({"kind": "policy"}, Filter(spaces=None, live=False, kinds=("policy", "procedure"))),
        ({"tags": ("x", "y")}, Filter(spaces=None, live=False, tags=("x", "y"))),
        ({"session": "s1"}, Filter(spaces=None, live=False, sessions=("s1",))),
        ({"source": "learned"}, Filter(spaces=None, live=False, sources=("learned",))),
        ({"confidence": 0.9}, Filter(spaces=None, live=False, min_confidence=0.6)),
        ({"importance": 0.9}, Filter(spaces=None, live=False, min_importance=0.6)),
        ({"at": NOW + timedelta(days=9)}, Filter(spaces=None, live=False, since=NOW + timedelta(days=5))),
        ({"at": NOW - timedelta(days=9)}, Filter(spaces=None, live=False, until=NOW - timedelta(days=5))),
        ({"at": NOW + timedelta(days=9)}, Filter(spaces=None, live=False, created_since=NOW + timedelta(1))),
        ({"trusted": False}, Filter(spaces=None, live=False, trusted=False)),
        ({"importance": 0.2}, Filter(spaces=None, live=False, less_important=0.3)),
        (
            {"data": {"judged": {"update: B": 0.7}}},
            Filter(spaces=None, live=False, updating=("A", "B")),
        ),
        ({"expires_at": NOW}, Filter(spaces=None, lapsed=True, at=NOW)),
        ({"expires_at": NOW + timedelta(days=1)}, Filter(spaces=None, expiring=True, at=NOW)),
        ({"valid_until": NOW}, Filter(spaces=None, lapsed=True, at=NOW)),
        ({"ended_at": NOW}, Filter(spaces=None, ended_until=NOW)),
    ],
)  # fmt: skip
def test_filters_hold_in_every_search(store: Store, fields: dict[str, object], where: Filter) -> None:
    store.use_model(MODEL)
    other = memory("the cat sat", confidence=0.5, importance=0.5, tags=("x",))
    wanted = memory("the cat sat", **{"confidence": 0.5, "importance": 0.5, **fields})
    vectors = {m.id: only(vector(1, 0, 0, 0)) for m in (other, wanted)}
    store.put([other, wanted], ADD, NOW, vectors)
    assert [m.id for m in store.select(where)] == [wanted.id]
    assert found(store, "cat", where=where) == [wanted.id]
    assert [memory_id for memory_id, _ in nearest(store, vector(1, 0, 0, 0), where)] == [wanted.id]
    assert store.sample_vectors(where, 10) == [vector(1, 0, 0, 0)]
    assert sum(number for _, _, number in store.count(where)) == 1


def test_what_another_overtook_is_found_beside_what_is_live_where_asked_for(store: Store) -> None:
    store.use_model(MODEL)
    newer = memory("the cat stood")
    ends = {"ended_at": NOW, "replaced_by": newer.id}
    overtaken = [memory("the cat sat", ended_as=how, **ends) for how in ("superseded", "updated")]
    others = [
        memory("the cat sat", ended_as="merged", **ends),
        memory("the cat sat", ended_at=NOW, ended_as="superseded"),
        memory("the cat sat", ended_at=NOW, ended_as="forgotten"),
        memory("the cat sat", space="work", ended_as="updated", **ends),
    ]
    every = [newer, *overtaken, *others]
    store.put(every, ADD, NOW, {m.id: only(vector(1, 0, 0, 0)) for m in every})
    where = Filter(at=NOW, overtaken=True)
    wanted = {m.id for m in (newer, *overtaken)}
    assert {m.id for m in store.select(where)} == wanted
    assert set(found(store, "cat", where=where)) == wanted
    assert {memory_id for memory_id, _ in nearest(store, vector(1, 0, 0, 0), where)} == wanted
    assert found(store, "cat", where=where._replace(overtaken=False)) == [newer.id]


def test_what_stands_by_itself_belongs_to_no_session_and_stays(store: Store) -> None:
    stays, turn, passing = memory(), memory(session="s"), memory(expires_at=NOW + timedelta(days=1))
    store.put([stays, turn, passing], ADD, NOW)
    assert [each.id for each in store.select(Filter(spaces=None, by_itself=True))] == [stays.id]


@pytest.mark.parametrize(
    "gone",
    [{"ended_at": NOW}, {"expires_at": NOW}, {"valid_until": NOW}],
)
def test_what_is_not_live_is_not_found(store: Store, gone: dict[str, Any]) -> None:
    store.put([memory(**gone)], ADD, NOW)
    assert found(store, "cat", where=Filter(at=NOW)) == []
    assert found(store, "cat", where=Filter(live=False)) != []


def test_what_has_ended_or_has_its_time_before_it_has_not_lapsed(store: Store) -> None:
    later = NOW + timedelta(seconds=1)
    store.put(
        [
            memory(expires_at=NOW, ended_at=NOW), memory(valid_until=NOW, ended_at=NOW),
            memory(expires_at=later), memory(valid_until=later), memory(),
        ],
        ADD,
        NOW,
    )  # fmt: skip
    assert list(store.select(Filter(lapsed=True, at=NOW))) == []
    assert list(store.select(Filter(ended_until=NOW - timedelta(seconds=1)))) == []


def test_what_was_true_over_a_span_is_found_inside_it(store: Store) -> None:
    span = memory("lived in Rome", valid_from=NOW - timedelta(days=365), valid_until=NOW - timedelta(days=30))
    store.put([span], ADD, NOW)

    def between(start: int, end: int) -> list[Memory]:
        where = Filter(live=False, since=NOW - timedelta(days=start), until=NOW - timedelta(days=end))
        return list(store.select(where))

    assert between(200, 100) == [span]
    assert between(20, 10) == []
    assert between(900, 800) == []


# Search


def test_words_are_data_never_syntax(store: Store) -> None:
    kept = memory("NEAR the cat")
    store.put([kept], ADD, NOW)
    for term in ('"', "NEAR", "cat*", "a OR", "(", "", "col:cat", "-cat", "^cat", "{cat}"):
        word: Word = ((term,),)
        store.top_by_words({word: 1.0}, ALL, 5)
        store.frequencies([word], None)
        store.holding([word], [1])
    assert store.top_by_words({}, ALL, 5) == [] and store.holding([], [1]) == []
    assert store.frequencies([], None) == []
    nothing: Word = ()
    assert store.top_by_words({nothing: 1.0}, ALL, 5) == [] and store.frequencies([nothing], None) == [0]
    phrase: Word = (("near", "the", "cat"),)
    turned: Word = (("cat", "the"),)
    [match] = store.top_by_words({phrase: 0.5, turned: 0.5}, ALL, 5)
    assert ids_of(store, [match.ref]) == [kept.id] and match.score == 0.5


def test_it_is_known_who_holds_a_word_in_one_form_or_another_and_how_many_do(store: Store) -> None:
    several = [memory("red cats"), memory("dry run"), memory("dryrun of the cat"), memory("blue")]
    other, ended = memory("cat", space="b"), memory("an ended cat", ended_at=NOW)
    store.put([*several, other, ended], ADD, NOW)
    cat: Word = (("cat",),)
    dry: Word = (("dry", "run"), ("dryrun",))
    green: Word = (("green",),)
    refs = store.refs_by_id([m.id for m in (*several, other)])
    held = store.holding([cat, dry, green], list(refs.values()))
    assert [ids_of(store, each) for each in held] == [
        sorted(m.id for m in (several[0], several[2], other)), [m.id for m in several[1:3]], [],
    ]  # fmt: skip
    assert store.holding([cat], [refs[several[0].id]]) == [frozenset({refs[several[0].id]})]
    assert store.holding([cat], []) == [frozenset()]
    # Rarity is judged among all memories of a space, ended ones too, whatever is looked for.
    assert store.frequencies([cat, dry, green], ("default",)) == [3, 2, 0]
    assert store.frequencies([cat], ("b",)) == [1] and store.frequencies([cat], None) == [4]
    assert store.frequencies([cat], ("b", "default", "nowhere")) == [4]
    assert store.frequencies([cat], ("nowhere",)) == [0]
    totals = [store.total(spaces) for spaces in (("default",), ("b",), ("nowhere",), None)]
    assert totals == [5, 1, 0, 6]


def test_the_best_by_words_hold_most_of_the_weight_the_newest_of_equals_first(store: Store) -> None:
    texts = ("cat", "dog and cat", "dog", "cat and bird", "fish", "cat")
    several = [memory(text) for text in texts]
    store.put([*several, memory("cat dog bird", space="b"), memory("cat dog bird", ended_at=NOW)], ADD, NOW)
    asked: dict[Word, float] = {(("cat",),): 0.5, (("dog",),): 0.3, (("bird",),): 0.2}

    def best(limit: int, where: Filter) -> list[tuple[str, Any]]:
        matches = store.top_by_words(asked, where, limit)
        memories = store.memories_by_ref([match.ref for match in matches])
        return [(memories[ref].id, pytest.approx(score)) for ref, score in matches]

    ranked = [several[place].id for place in (1, 3, 5, 0, 2)]
    everything = list(zip(ranked, (0.8, 0.7, 0.5, 0.5, 0.3), strict=True))
    assert best(9, Filter()) == everything
    assert best(3, Filter()) == everything[:3]
    # Sums may be made in any order.
    assert [m.id for m in several if m.id in dict(best(9, Filter(spaces=None)))] == [
        several[place].id for place in (0, 1, 2, 3, 5)
    ]


@pytest.mark.parametrize("many", [False, True])
def test_a_bounded_search_by_words_finds_what_reading_all_holders_finds(
    store: Store, many: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if many:
        # As where words have more holders than are read.
        monkeypatch.setattr("memcli.storage.sqlite.words._READ", 400)
        monkeypatch.setattr("memcli.storage.postgres.words._FEW", 20)
    chance = random.Random(7)
    letters = [f"w{number}" for number in range(40)]
    rates = [0.6 * 0.85**number for number in range(40)]
    kinds: tuple[Kind, ...] = ("fact", "preference", "episode")
    memories = [
        memory(
            " ".join(w for w, rate in zip(letters, rates, strict=True) if chance.random() < rate) or "none",
            kind=chance.choices(kinds, (50, 49, 1))[0], space=chance.choice("aab"),
            ended_at=NOW if chance.random() < 0.2 else None, tags=("rare",) if chance.random() < 0.02 else (),
        )
        for _ in range(3000)
    ]  # fmt: skip
    for some in in_batches(memories, 500):
        store.put(some, ADD, NOW)
    refs = store.refs_by_id([m.id for m in memories])
    wheres = [
        Filter(spaces=None, live=False), Filter(spaces=None), Filter(spaces=("a",)), Filter(spaces=("b",)),
        Filter(spaces=None, tags=("rare",)), Filter(spaces=None, kinds=("episode",)),
        Filter(spaces=("a",), live=False, ended_until=NOW), Filter(spaces=("nowhere",)),
    ]  # fmt: skip
    meant_by = [{m.id for m in store.select(where)} for where in wheres]
    said = [(m.id, frozenset(m.text.split())) for m in memories]
    for asking in range(120):
        where, meant = wheres[asking % len(wheres)], meant_by[asking % len(wheres)]
        words = chance.sample(letters, chance.randint(1, 7))
        asked: dict[Word, float] = {((word,),): 0.5 + chance.random() for word in words}
        limit = chance.choice([1, 5, 20, 200])
        sums: dict[Ref, float] = {}
        for known, spoken in said:
            held = [weight for ((word,),), weight in asked.items() if word in spoken]
            if held and known in meant:
                sums[refs[known]] = sum(held)
        wanted = sorted(((round(total, 9), ref) for ref, total in sums.items()), reverse=True)[:limit]
        found = store.top_by_words(asked, where, limit)
        assert [(round(match.score, 9), match.ref) for match in found] == wanted


@pytest.mark.parametrize("many", [False, True])
def test_of_many_the_nearest_are_found_whatever_a_filter_means(
    store: Store, many: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if many:
        # As where there are more than are measured.
        monkeypatch.setattr("memcli.storage.sqlite.search.MEASURED_BLOCKS", 2)
        monkeypatch.setattr("memcli.storage.sqlite.search._LIKELY", 150)
        monkeypatch.setattr("memcli.storage.postgres.near.EXACT", 500)
    chance = np.random.default_rng(3)
    model = ModelIdentity(name="m", weights="w", dimensions=384)
    centres = chance.normal(size=(40, 384))
    rows = (centres[chance.integers(0, 40, 3000)] + chance.normal(size=(3000, 384))).astype("<f4")
    memories = [
        memory(
            f"text {number}", space="a" if number % 3 else "b", tags=("rare",) if number % 100 == 7 else (),
            ended_at=NOW if number % 5 == 0 else None,
        )
        for number in range(3000)
    ]  # fmt: skip
    vectors = {each.id: only(row.tobytes()) for each, row in zip(memories, rows, strict=True)}
    store.use_model(model)
    for some in in_batches(memories, 500):
        store.put(some, ADD, NOW, vectors)
    while store.tend():
        pass
    units = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    wheres = {
        Filter(spaces=None, live=False): 0.98, Filter(spaces=None): 0.98, Filter(spaces=("b",)): 0.95,
        Filter(spaces=None, tags=("rare",)): 0.95, Filter(spaces=("nowhere",)): 1.0,
    }  # fmt: skip
    for where, least in wheres.items():
        meant = {m.id for m in store.select(where)}
        places = np.array([place for place, m in enumerate(memories) if m.id in meant], dtype=int)
        share = []
        for _ in range(20):
            asked = (centres[chance.integers(40)] + chance.normal(size=384)).astype("<f4")
            cosines = units[places] @ (asked / np.linalg.norm(asked))
            best = places[np.argsort(-cosines)[:10]]
            found = nearest(store, asked.tobytes(), where, 10)
            assert len(found) == len(best) and {name for name, _ in found} <= meant
            assert [score for _, score in found] == sorted((score for _, score in found), reverse=True)
            share.append(len({memories[place].id for place in best} & {name for name, _ in found}) / 10)
        assert np.mean(share) >= least or not len(places)


def test_meaning_is_by_the_nearest_window(store: Store) -> None:
    store.use_model(MODEL)
    long, short = memory("long"), memory("short")
    windows = [vector(0, 0, 0, 1)] * 9 + [vector(1, 0, 0, 0)]
    store.put([long, short], ADD, NOW, {long.id: windows, short.id: only(vector(1, 1, 0, 0))})
    first, second = nearest(store, vector(1, 0, 0, 0), limit=2)
    assert first == (long.id, pytest.approx(1.0, abs=1e-6))
    assert second == (short.id, pytest.approx(2**-0.5, abs=1e-6))
    # Windows of one memory do not crowd out the others.
    assert [memory_id for memory_id, _ in nearest(store, vector(0, 0, 0, 1), limit=2)] == [long.id, short.id]
    ref = store.refs_by_id([long.id])[long.id]
    assert store.vectors([ref])[ref] == windows


def test_searches_see_what_was_written_a_moment_ago(store: Store, location: Location) -> None:
    store.use_model(MODEL)
    first, second = memory(), memory()
    everywhere = vector(1, 0, 0, 0)
    store.put([first, second], ADD, NOW, {m.id: only(everywhere) for m in (first, second)})
    where = Filter(at=NOW)
    both = sorted([first.id, second.id])
    assert found(store, "cat", where=where) == sorted(m for m, _ in nearest(store, everywhere, where)) == both
    with pytest.raises(RuntimeError), store.writing():
        store.put([replace(first, ended_at=NOW)], Change(action="end"), NOW)
        assert found(store, "cat", where=where) == [second.id]
        raise RuntimeError
    assert found(store, "cat", where=where) == both
    neighbour = open_store(location)
    neighbour.put([replace(second, space="work")], Change(action="edit"), NOW)
    neighbour.close()
    assert found(store, "cat", where=where) == [m for m, _ in nearest(store, everywhere, where)] == [first.id]


def test_many_left_out_or_few_the_same_is_found(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    store.use_model(MODEL)
    several = [
        memory(session="s" if n % 2 else None, ended_at=NOW if n % 3 == 0 else None, tags=("t",) * (n > 5))
        for n in range(12)
    ]
    store.put(several, ADD, NOW, {m.id: only(vector(1, 0, 0, n)) for n, m in enumerate(several)})
    filters = [Filter(at=NOW), Filter(sessions=("s",), live=False), Filter(tags=("t",)), ALL]

    def everything() -> list[tuple[list[str], list[tuple[str, Any]]]]:
        asked = vector(1, 0, 0, 0)
        return [(found(store, "cat", where=each), nearest(store, asked, each, 20)) for each in filters]

    few = everything()
    monkeypatch.setattr("memcli.storage.sqlite.search._FEW", 0)
    store.touch([several[0].id], NOW)  # a write: nothing is kept from before
    assert everything() == few
    assert [len(each) for each, _ in few] == [8, 6, 4, 12]


def test_sessions_come_whole_and_in_time_order(store: Store) -> None:
    turns = [memory(f"turn {n}", session="s", at=NOW - timedelta(minutes=n)) for n in range(4)]
    others = [memory("alone"), memory("elsewhere", session="s", space="work"), memory("x", session="t")]
    gone = memory("ended", session="s", ended_at=NOW)
    summary = memory("a summary", kind="episode", session="s", source="merged", at=NOW)
    store.put([*turns, *others, gone, summary], ADD, NOW)
    refs = store.refs_by_id([turns[1].id, turns[2].id, others[0].id, summary.id])
    [session] = store.sessions(list(refs.values()))
    memories = store.memories_by_ref(session)
    assert [memories[ref].text for ref in session] == ["turn 3", "turn 2", "turn 1", "turn 0"]


def test_which_of_these_a_filter_means(store: Store) -> None:
    several = [memory("a"), memory("b", space="work"), memory("c", ended_at=NOW)]
    store.put(several, ADD, NOW)
    refs = store.refs_by_id([m.id for m in several])
    assert store.filter_refs(list(refs.values()), Filter(at=NOW)) == {refs[several[0].id]}


# Links, state, history


def test_links_and_states_come_back(store: Store) -> None:
    link = Link(new_id(NOW), "default", "Ann", "knows", "Bob", None, 0.5, NOW, None, NOW, None, {"a": 1})
    assert store.put_links([link]) == 1
    assert store.put_links([link]) == 0
    assert store.put_links([link._replace(ended_at=NOW)]) == 1
    assert list(store.links(("default",))) == [link._replace(ended_at=NOW)]
    assert list(store.links(("other",))) == []
    state = State("work", "task", "k", {"x": [1, "é"]}, 1, NOW, NOW, NOW + timedelta(hours=1))
    assert store.put_state(state)
    assert list(store.states(("work",), "task")) == [state]
    assert list(store.states(("work",), "other")) == []
    assert store.drop_states("task", NOW) == 0
    assert store.drop_states("task", NOW + timedelta(hours=2)) == 1


def test_dropped_links_are_gone_and_not_found_by_name(store: Store) -> None:
    one, two = (
        Link(new_id(NOW), "s", "Ann", "knows", name, None, 1.0, None, None, NOW, None, {}) for name in "BC"
    )
    store.put_links([one, two])
    assert store.drop_links([one.id, "unknown"]) == 1 and store.drop_links([]) == 0
    assert list(store.links()) == [two] == list(store.links(touching=["Ann"]))
    assert list(store.links(touching=["B"])) == []


def test_links_are_found_by_either_end(store: Store) -> None:
    ends = [("Ann", "Bob"), ("Bob", "Cid"), ("Cid", "Dan")]
    links = [Link(new_id(NOW), "s", a, "knows", b, None, 1.0, None, None, NOW, None, {}) for a, b in ends]
    store.put_links(links)
    assert list(store.links(("s",), touching=["Bob"])) == links[:2]
    assert list(store.links(("s",), touching=["Dan", "Ann"])) == [links[0], links[2]]
    assert list(store.links(("s",), touching=["  bOB"])) == links[:2]
    assert list(store.links(None, touching=["Bob"])) == links[:2]
    assert list(store.links(("s",), touching=[])) == []
    assert list(store.links(("other",), touching=["Bob"])) == []
    store.put_links([links[0]._replace(object="Straße")])
    assert list(store.links(("s",), touching=["bob"])) == [links[1]]
    store.rebuild()
    assert [link.id for link in store.links(("s",), touching=["STRASSE"])] == [links[0].id]


def test_one_state_is_read_and_dropped_by_its_key(store: Store) -> None:
    for key in ("a", "b"):
        store.put_state(State("s", "task", key, key, 1, NOW, NOW, None))
    assert [state.key for state in store.states(("s",), "task", "b")] == ["b"]
    assert store.drop_state("s", "task", "b")
    assert not store.drop_state("s", "task", "b")
    assert [state.key for state in store.states()] == ["a"]


def test_a_state_may_insist_on_the_version_it_read(store: Store) -> None:
    state = State("default", "checkpoint", "k", 1, 1, NOW, NOW, None)
    assert store.put_state(state, expected_version=0)
    assert not store.put_state(state, expected_version=0)
    assert store.put_state(state._replace(value=2, version=2), expected_version=1)
    assert not store.put_state(state._replace(value=3, version=2), expected_version=1)
    assert next(store.states()).value == 2


# Derived data


def test_a_new_model_fills_up_beside_the_old(store: Store) -> None:
    store.use_model(MODEL)
    kept = memory()
    store.put([kept], ADD, NOW, {kept.id: only(vector(1, 0, 0, 0))})
    other = ModelIdentity(name="other", weights="o", dimensions=2)
    assert store.without_vectors(other, 5) == [kept]
    store.put_vectors(other, {kept.id: only(vector(0, 1)), "gone": only(vector(1, 1))})
    assert store.without_vectors(other, 5) == []
    assert store.model() == MODEL
    assert nearest(store, vector(1, 0, 0, 0)) == [(kept.id, pytest.approx(1))]
    store.use_model(other)
    assert store.model() == other
    assert nearest(store, vector(0, 1)) == [(kept.id, pytest.approx(1))]


def test_rebuilding_finds_what_was_found(store: Store) -> None:
    several = [memory(f"item {n} 東京 user_id", tags=("t",)) for n in range(20)]
    store.put(several, ADD, NOW)
    before = found(store, "item", "東京", "userid")
    store.rebuild()
    assert found(store, "item", "東京", "userid") == before
    assert len(list(store.select(Filter(tags=("t",), live=False)))) == 20
    assert all(finding.ok for finding in store.check() if finding.name not in (UNREAD, "durability"))


# Neighbours


def _hold(location: Location, ready: multiprocessing.synchronize.Event, seconds: float) -> None:
    import time

    store = open_store(location)
    with store.writing():
        ready.set()
        time.sleep(seconds)


def _add_many(location: Location, number: int) -> None:
    store = open_store(location)
    for n in range(number):
        store.put([memory(f"item {n}")], ADD, NOW)
    store.close()


def test_a_busy_neighbour_is_waited_for_then_named(location: Location) -> None:
    open_store(location).close()
    context = multiprocessing.get_context("spawn")
    ready = context.Event()
    holder = context.Process(target=_hold, args=(location, ready, 1.5))
    holder.start()
    assert ready.wait(30)
    impatient = open_store(location, busy_timeout=0.2)
    with pytest.raises(StoreBusy, match=re.escape(str(location))):
        impatient.put([memory()], ADD, NOW)
    impatient.close()
    patient = open_store(location, busy_timeout=30)
    assert patient.put([memory()], ADD, NOW) == 1
    holder.join()
    patient.close()


def test_processes_that_make_and_fill_a_store_at_once_lose_nothing(location: Location) -> None:
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=_add_many, args=(location, 25)) for _ in range(4)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
        assert process.exitcode == 0
    store = open_store(location, create=False)
    assert store.count(ALL) == [("default", "fact", 100)]
    assert len(list(store.history())) == 100
    store.close()


def test_who_writes_much_lets_others_in_between(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = iter(range(100))
    slept: list[float] = []
    monkeypatch.setattr("memcli.storage.sqlite.session.time.monotonic", lambda: next(seconds))
    monkeypatch.setattr("memcli.storage.sqlite.session.time.sleep", slept.append)
    with closing(open_store(tmp_path / "busy.db")) as store:
        for way in (False, True):
            with store.giving_way() if way else nullcontext():
                for _ in range(3):
                    with store.writing(), store.writing():
                        pass
            assert len(slept) == (2 if way else 0)


# What is wanting


def wanting(store: Store, where: Filter = ALL) -> list[str]:
    memories = store.memories_by_ref(refs := store.wanting(where))
    return [memories[ref].text for ref in refs]


def test_what_has_no_vectors_or_only_those_of_its_beginning_is_wanting(store: Store) -> None:
    without, begun, whole = memory("without"), memory("begun", kind="episode"), memory("whole")
    store.use_model(MODEL)
    vectors: dict[str, Vectors] = {begun.id: Beginning([vector(1, 0)]), whole.id: only(vector(0, 1))}
    store.put([without, begun, whole], ADD, NOW, vectors)
    assert wanting(store) == ["begun", "without"] and store.wanting(ALL, 1) == store.wanting(ALL)[:1]
    assert wanting(store, Filter(kinds=("episode",))) == ["begun"]
    assert store.without_vectors(MODEL, 5) == [without, begun]
    kept = store.vectors(list(store.refs_by_id([begun.id, whole.id]).values()))
    assert [isinstance(each, Beginning) for each in kept.values()] == [True, False]
    store.put_vectors(MODEL, {begun.id: [vector(1, 0), vector(0, 1)], without.id: only(vector(1, 1))})
    assert wanting(store) == []


def test_a_changed_text_is_wanting_and_an_erased_one_is_not(store: Store) -> None:
    kept, gone = memory("kept"), memory("gone")
    store.use_model(MODEL)
    store.put([kept, gone], ADD, NOW, {kept.id: only(vector(1, 0))})
    store.put([replace(kept, text="changed")], Change(action="edit"), NOW)
    store.erase([gone.id], Change(action="edit"), NOW)
    assert wanting(store) == ["changed"]


def test_with_another_model_what_it_has_not_read_is_wanting(store: Store) -> None:
    read, unread = memory("read"), memory("unread")
    other = MODEL._replace(name="other", weights="other")
    store.use_model(MODEL)
    store.put([read, unread], ADD, NOW, {each.id: only(vector(1, 0)) for each in (read, unread)})
    store.put_vectors(other, {read.id: only(vector(0, 1))})
    assert wanting(store) == []
    store.use_model(other)
    assert wanting(store) == ["unread"]
    store.use_model(other)
    assert wanting(store) == ["unread"]


def test_vectors_of_a_model_that_is_not_in_use_may_go_without_anything_wanting(store: Store) -> None:
    read = memory("read")
    other = MODEL._replace(name="other", weights="other")
    store.use_model(MODEL)
    store.put([read], ADD, NOW, {read.id: only(vector(1, 0))})
    for numbers in ((0, 1), (1, 1)):
        store.put_vectors(other, {read.id: only(vector(*numbers))})
        assert wanting(store) == []
    store.drop_model(other)
    assert wanting(store) == []


def test_what_a_filter_means_is_found_behind_all_that_it_does_not_mean(store: Store) -> None:
    old = [memory(f"cat {number}") for number in range(3)]
    store.put([*old, *(memory("cat", ended_at=NOW) for _ in range(40))], ADD, NOW)
    asking: list[dict[Word, float]] = [{(("cat",),): 1.0}, {(("cat",),): 1.0, (("dog",),): 0.5}]
    for asked in asking:
        found = store.top_by_words(asked, Filter(), 2)
        assert ids_of(store, [match.ref for match in found]) == sorted(each.id for each in old[1:])
