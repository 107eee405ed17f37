"""What is current stands before what it replaced: by the judges, and on a page of recall."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memcli.embedding import Embedder
from memcli.judgement.notes import CHANGE, told_change
from memcli.judgement.pairs import PairJudgement
from memcli.memories import Memories
from memcli.model import UPDATE_OF, Memory
from memcli.recall.ranking.currentness import beside, newer_first
from memcli.recall.results import Hit
from memcli.write_policy.direct import put_embedded
from memcli.write_policy.drafts import Draft, new_memory
from tests.conftest import Run, TickingClock, make_memories

NOW = datetime(2026, 11, 18, 12, 0, tzinfo=UTC)
OLD, NEW = "The choir rehearses on Tuesdays", "Choir rehearsals have moved to Thursdays"


def hit(text: str, days: int = 0, **fields: Any) -> Hit:
    at = NOW - timedelta(days=days)
    given = {"kind": "fact", "happened_at": at, "created_at": at, "updated_at": at, **fields}
    memory = Memory(id=text, text=text, **given)
    return Hit(memory, 0.5, None, None, {}, 1.0)


def shown(page: list[Hit], others: list[Hit], cosine: float = 0.78, beside: float = 0.2) -> list[str]:
    """The texts of a page: old and new value are so near to each other, all else so near to all."""
    texts = [each.memory.text for each in (*page, *others)]
    gram = np.full((len(texts), len(texts)), beside) + np.eye(len(texts)) * (1 - beside)
    if {OLD, NEW} <= set(texts):
        one, other = texts.index(OLD), texts.index(NEW)
        gram[one, other] = gram[other, one] = cosine
    vectors = np.linalg.cholesky(gram).astype(np.float32)
    return [each.memory.text for each in newer_first(page, others, vectors, len(page))]


def test_the_newer_value_stands_just_before_the_older_and_nothing_else_moves() -> None:
    page = [hit("Ana leads the altos", 9), hit(OLD, 5), hit("The hall is cold", 7), hit(NEW)]
    assert shown(page, []) == ["Ana leads the altos", NEW, OLD, "The hall is cold"]


def test_the_newer_value_comes_onto_a_page_that_shows_the_older() -> None:
    page = [hit(OLD, 5), hit("The hall is cold", 7)]
    assert shown(page, [hit("Ana leads the altos", 9), hit(NEW)]) == [NEW, OLD]


@pytest.mark.parametrize(
    ("update", "change", "moves"), [(0.45, 1.0, True), (0.45, 0.0, False), (0.6, 0.0, True)]
)
def test_what_neither_tells_of_a_change_nor_surely_updates_stays_where_it_is(
    monkeypatch: pytest.MonkeyPatch, update: float, change: float, moves: bool
) -> None:
    judged = PairJudgement(same=0.1, update=update, both=0.9 - update)
    monkeypatch.setattr("memcli.judgement.pairs.judge_pair", lambda *given: judged)
    page, new = [hit(OLD, 5), hit("The hall is cold", 7)], hit(NEW, data={"judged": {CHANGE: change}})
    assert shown(page, [new]) == ([NEW, OLD] if moves else [OLD, "The hall is cold"])
    assert shown([*page, new], [])[0] == (NEW if moves else OLD)


@pytest.mark.parametrize(
    ("update", "score", "comes"), [(0.45, 0.04, False), (0.8, 0.04, True), (0.45, 0.3, True)]
)
def test_below_the_floor_comes_only_what_the_older_then_names(
    monkeypatch: pytest.MonkeyPatch, update: float, score: float, comes: bool
) -> None:
    judged = PairJudgement(same=0.1, update=update, both=0.9 - update)
    monkeypatch.setattr("memcli.judgement.pairs.judge_pair", lambda *given: judged)
    page = [hit(OLD, 5)]
    anew = hit(NEW, data={"judged": {CHANGE: 1.0}})._replace(score=score)
    written = hit(NEW, kind="episode", data={"judged": {f"{UPDATE_OF}{OLD}": update}})._replace(score=score)
    # What was judged when it was written moves only where it was likely enough to be named.
    for newer, vectors, moves in (
        (anew, np.ones((2, 1), dtype=np.float32), comes), (written, None, update == 0.8),
    ):  # fmt: skip
        found = newer_first(page, [newer], vectors, 10, least=0.2)
        assert [each.memory.text for each in found] == ([NEW, OLD] if moves else [OLD])
        assert found[-1].updated_by == (NEW if update == 0.8 else None)


@pytest.mark.parametrize(
    ("update", "words", "score", "first"),
    [
        # Told of less surely, and with the name alone of what is asked: behind the older.
        (0.7, 0.2, 0.25, OLD), (0.7, 0.2, 0.45, NEW), (0.7, 0.0, 0.3, NEW), (0.7, 0.5, 0.3, NEW),
        (0.9, 0.2, 0.3, NEW),
    ],
)  # fmt: skip
def test_what_is_told_less_surely_stands_first_where_it_answers_as_well(
    monkeypatch: pytest.MonkeyPatch, update: float, words: float, score: float, first: str
) -> None:
    judged = PairJudgement(same=0.0, update=update, both=1 - update)
    monkeypatch.setattr("memcli.judgement.pairs.judge_pair", lambda *given: judged)
    new = hit(NEW, data={"judged": {f"{UPDATE_OF}{OLD}": update}})._replace(words=words, score=score)
    page = [hit(OLD, 5)._replace(words=0.6), hit("The hall is cold", 7), new]
    assert shown(page, [])[0] == first


@pytest.mark.parametrize(("update", "score", "first"), [(0.7, 0.02, OLD), (0.9, 0.02, NEW), (0.7, 0.21, NEW)])
def test_what_alone_is_below_the_floor_is_put_first_only_where_it_almost_surely_updates(
    monkeypatch: pytest.MonkeyPatch, update: float, score: float, first: str
) -> None:
    """Who is a baker is not told by what else he is responsible for, whatever a judge took that for."""
    judged = PairJudgement(same=0.0, update=update, both=1 - update)
    monkeypatch.setattr("memcli.judgement.pairs.judge_pair", lambda *given: judged)
    new = hit(NEW, data={"judged": {f"{UPDATE_OF}{OLD}": update}})._replace(words=0.0, score=score)
    found = newer_first([hit(OLD, 5)._replace(words=1.0)], [new], np.ones((2, 1), np.float32), 10, least=0.2)
    assert {each.memory.text for each in found} == {OLD, NEW} and found[0].memory.text == first
    assert next(each for each in found if each.memory.text == OLD).updated_by == NEW


def test_where_much_else_is_as_near_the_two_are_not_of_one_thing() -> None:
    page = [hit(OLD, 5), *(hit(f"The hall is cold {n}", n) for n in range(4)), hit(NEW)]
    assert shown(page, [], cosine=0.78, beside=0.2)[0] == NEW
    assert shown(page, [], cosine=0.5, beside=0.6)[0] == OLD


def test_of_what_was_written_before_there_were_judges_the_words_tell_of_a_change() -> None:
    moved, still = "Moved CI to GitHub Actions last week", "The hall has three doors"
    assert told_change(hit(moved).memory) > 0.9
    assert told_change(hit(still).memory) == 0.0
    assert told_change(hit(moved, data={"judged": {}}).memory) == 0.0


def test_what_was_judged_when_it_was_written_comes_along_however_far_it_is_from_the_question() -> None:
    def written(judged: float, **fields: Any) -> Hit:
        data = {"judged": {f"{UPDATE_OF}{OLD}": judged}}
        return hit(NEW, data=data, **{"kind": "episode", **fields})._replace(total=0.01)

    page, cold = [hit(OLD, 5), hit("The hall is cold", 7)], "The hall is cold"
    for vectors in (np.eye(3, dtype=np.float32), None):
        for found, told in (
            (written(0.9), [NEW, OLD, cold]), (written(0.6), [OLD, NEW, cold]), (written(0.45), [OLD, cold]),
            (written(0.9, days=6), [OLD, cold]), (written(0.9, trusted=False), [OLD, cold]),
            (written(0.9, space="elsewhere"), [OLD, cold]),
        ):  # fmt: skip
            some = newer_first(page, beside(page, [], [found]), vectors, 10)
            assert [each.memory.text for each in some] == told
            assert (some[told.index(OLD)].updated_by == NEW) is (NEW in told)
        assert newer_first([*page, written(0.6)], [], None, 10)[0].memory.text == OLD
        assert newer_first([*page, written(0.7)], [], None, 10)[0].memory.text == NEW


def test_what_replaced_two_stands_before_both() -> None:
    older = "The choir rehearses on Mondays"
    page = [hit(OLD, 5), hit(older, 9), hit(NEW)]
    assert shown(page, [], beside=0.77) == [NEW, OLD, older]


def test_what_is_merely_newer_or_numbered_gains_nothing() -> None:
    listed = [
        hit("Shelf 12 holds box 12", 3),
        hit("Shelf 13 holds box 13", 2),
        hit("Shelf 14 holds box 14", 1),
    ]
    assert shown(listed, [], beside=0.85) == [each.memory.text for each in listed]
    assert shown([hit(OLD, 5), hit("The hall is cold")], []) == [OLD, "The hall is cold"]
    # Told at another time, the "newer" is the older.
    assert shown([hit(OLD), hit(NEW, 5)], []) == [OLD, NEW]


@pytest.mark.parametrize(
    "fields", [{"trusted": False}, {"space": "elsewhere"}, {"kind": "episode", "session": "s"}]
)
def test_nothing_less_trusted_or_of_another_space_or_a_mere_turn_stands_before_it(
    fields: dict[str, Any],
) -> None:
    assert shown([hit(OLD, 5), hit(NEW, **fields)], []) == [OLD, NEW]


def test_among_the_untrusted_the_newer_stands_first() -> None:
    assert shown([hit(OLD, 5, trusted=False), hit(NEW, trusted=False)], []) == [NEW, OLD]


def test_what_is_far_apart_is_not_judged() -> None:
    assert shown([hit(OLD, 5), hit(NEW)], [], 0.19) == [OLD, NEW]


@pytest.fixture
def choir(own_home: Path, clock: TickingClock, real_model: Callable[[str], Embedder]) -> Iterator[Memories]:
    """Ten notes, one of which has overtaken another, in different words."""
    with make_memories(own_home / "memory.db", clock, model=real_model) as memories:
        notes = [
            "The choir has forty members", "The choir sings at weddings", "Rehearsals are in the parish hall",
            "The parish hall is cold in winter", "Ana leads the altos", "The organ was repaired in 2019",
            "Tenors are hard to find", "The choir's colour is dark green",
        ]  # fmt: skip
        for text in (OLD, *notes, NEW):
            clock.advance(days=3)
            drafted = new_memory(memories, Draft(text=text, kind="fact"))
            put_embedded(memories, memories.model, [drafted], memories.change("import"))
        yield memories


QUESTION = "on which day does the choir rehearse?"


def test_a_page_shows_the_current_value_first(choir: Memories) -> None:
    found = [each.memory.text for each in choir.recall(QUESTION).hits]
    assert found.index(NEW) < found.index(OLD)


def test_a_page_that_the_older_fills_shows_the_newer(choir: Memories) -> None:
    [only] = choir.recall(QUESTION, settings=choir.settings(limit=1)).hits
    assert only.memory.text == NEW


def test_of_a_time_gone_by_the_newer_is_not_the_better_answer(choir: Memories) -> None:
    found = [each.memory.text for each in choir.recall("when did the choir use to rehearse?").hits]
    assert NEW not in found or found.index(OLD) < found.index(NEW)


def test_the_newer_is_never_left_out_of_a_page_that_shows_the_older(mem: Run) -> None:
    for text in (
        "Our CI runs on Jenkins", "Mia can't have nuts", "The office is in Graz", "We use Postgres",
        "To release: tag, push, wait for CI, publish", "Moved CI to GitHub Actions last week",
    ):  # fmt: skip
        assert mem("remember", text).returncode == 0
    page = mem("recall", "where does CI run", "--format", "text").stdout
    assert 0 <= page.find("GitHub") < page.find("Jenkins")
    told = mem("recall", "where does CI run", "--explain", "--json").stdout.splitlines()
    shown = [json.loads(line)["text"] for line in told if "misses" not in json.loads(line)]
    [misses] = [json.loads(line)["misses"] for line in told if "misses" in json.loads(line)]
    assert shown[0].startswith("Moved") and shown[0] not in {each["text"] for each in misses}


def test_the_older_names_the_newer_where_that_is_likely(monkeypatch: pytest.MonkeyPatch) -> None:
    for likely, named in ((0.46, None), (0.48, NEW)):
        judged = PairJudgement(same=0.1, update=likely, both=0.9 - likely)
        monkeypatch.setattr("memcli.judgement.pairs.judge_pair", lambda *given, judged=judged: judged)
        new = hit(NEW, data={"judged": {CHANGE: 1.0}})
        found = newer_first([hit(OLD, 5), new], [], np.ones((2, 1), dtype=np.float32), 10)
        assert [(each.memory.text, each.updated_by) for each in found] == [(NEW, None), (OLD, named)]
    # What stands on no page is named by none.
    [alone] = newer_first([hit(OLD, 5), new], [], np.ones((2, 1), dtype=np.float32), 1)
    assert alone.memory.text == NEW


def test_every_form_of_an_answer_says_what_is_perhaps_outdated(mem: Run) -> None:
    old = mem("remember", "Our CI runs on Jenkins").stdout.strip()
    new = mem("remember", "Moved CI to GitHub Actions last week").stdout.strip()
    asked = ("recall", "where does CI run")
    records = {each["id"]: each for each in map(json.loads, mem(*asked, "--json").stdout.splitlines())}
    assert (records[old]["perhaps_updated_by"], records[new]["perhaps_updated_by"]) == (new, None)
    block = mem(*asked).stdout
    mark = f"perhaps updated by {new[-8:]}"
    assert f", {mark}] Our CI runs on Jenkins" in block
    assert f"Our CI runs on Jenkins  ({mark})" in mem(*asked, "--format", "text").stdout
    assert f"Our CI runs on Jenkins  ({mark})" in mem(*asked, "--explain").stdout
    line = next(each for each in mem(*asked, "--format", "text").stdout.splitlines() if mark in each)
    # And each is known for what memcli printed itself.
    for printed in (block, f"> {line}"):
        assert mem("remember", printed).returncode == 3, printed


def test_what_was_doubted_when_it_was_written_is_named_where_there_is_no_room_for_it() -> None:
    new = hit(NEW, data={"judged": {f"{UPDATE_OF}{OLD}": 0.6}})
    [only] = newer_first([hit(OLD, 5)], [new], None, 1)
    assert (only.memory.text, only.updated_by) == (OLD, NEW)
    for both in ([hit(OLD, 5), new], [new, hit(OLD, 5)]):
        found = newer_first(both, [], None, 2)
        assert [(each.memory.text, each.updated_by) for each in found] == [
            (each.memory.text, NEW if each.memory.text == OLD else None) for each in both
        ]


def test_of_what_both_hold_none_comes_along_or_is_named() -> None:
    new = hit(NEW, data={"judged": {f"{UPDATE_OF}{OLD}": 0.9}})
    asked: list[tuple[str, str]] = []

    def both_hold(older: str, newer: str) -> bool:
        asked.append((older, newer))
        return True

    [only] = newer_first([hit(OLD, 5)], [new], np.ones((2, 1), dtype=np.float32), 10, 0.0, both_hold)
    assert (only.memory.text, only.updated_by, set(asked)) == (OLD, None, {(OLD, NEW)})


def test_an_update_comes_with_what_it_updates_and_what_updates_that(memories: Memories) -> None:
    def told(text: str, *older: Memory, likely: float = 0.75, **fields: Any) -> Memory:
        data = {"judged": {f"{UPDATE_OF}{each.id}": likely for each in older}}
        memory = new_memory(memories, Draft(text=text, kind="fact", data=data, **fields))
        put_embedded(memories, memories.model, [memory], memories.change("import"))
        return memory

    old = told("Rent is nine hundred")
    # None of these shares a word with the question, and the last none with the first.
    between = told("We pay 950 since the contract", old)
    newest = told("The landlord wants a thousand", between)
    hits = memories.recall("rent").hits
    by_id = {hit.memory.id: hit for hit in hits}
    assert {old.id, between.id, newest.id} <= by_id.keys()
    assert by_id[old.id].updated_by == between.id and by_id[between.id].updated_by == newest.id
    # Two judgements that are each a little surer than a guess are together none.
    farther = told("Uniqa has paid out 3,400", newest, likely=0.6)
    assert farther.id not in {hit.memory.id for hit in memories.recall("rent").hits}


def test_what_perhaps_updates_a_hit_is_named_until_both_hold(mem: Run) -> None:
    old = mem("remember", "The bins go out on Monday").stdout.strip()
    new = mem("remember", "Bins: Thursday from now on", "--kind", "outcome").stdout.strip()
    asked = ("recall", "when do the bins go out?", "--words", "--json")

    def named() -> dict[str, str | None]:
        found = map(json.loads, mem(*asked).stdout.splitlines())
        return {each["id"]: each["perhaps_updated_by"] for each in found}

    assert named() == {new: None, old: new}
    assert mem("review", "close", old, new).returncode == 0
    assert named()[old] is None


def test_what_is_far_from_the_older_one_is_shown_behind_it() -> None:
    page = [hit(OLD, 5), hit(NEW)]
    assert shown(page, [], cosine=0.78, beside=0.1)[0] == NEW
    assert shown(page, [], cosine=0.28, beside=0.1)[0] == OLD
