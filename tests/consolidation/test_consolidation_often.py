"""How often consolidation runs, and how its work is cut up, does not change what comes of it."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memcli.consolidation import carry_out, portions
from memcli.consolidation.pairs import PairFinder
from memcli.consolidation.reasoner import Conclusion
from memcli.consolidation.registry import STEP_NAMES
from memcli.consolidation.run import RunOptions, consolidate
from memcli.memories import Memories
from memcli.model import Filter, Memory
from memcli.text.comparison import duplicates
from memcli.tiers.sessions import sessions
from memcli.write_policy.admission import admit
from memcli.write_policy.direct import put_embedded
from memcli.write_policy.drafts import Draft, new_memory
from memcli.write_policy.related import lookup as judging
from memcli.write_policy.related.batch import RelatedInBatch
from tests.conftest import TickingClock, make_memories
from tests.consolidation.test_proposed_links import Concludes
from tests.watched import Watched, watch_writing

WEEKS = 6
PLACES = ("Lisbon", "Oslo", "Cairo", "Lima", "Quito")
PEOPLE = ("Ann", "Bob", "Mia")
THINGS = ("kettle", "ladder", "lantern", "compass", "anvil", "harp", "easel", "sextant")


class Written(NamedTuple):
    """Something that comes into a store on a day: what, by which door, with which fields."""

    day: int
    what: str
    text: str
    fields: dict[str, Any]


def put(memories: Memories, text: str, **fields: Any) -> Memory:
    drafted = Draft(text=text, kind=str(fields.pop("kind", "fact")))
    memory = replace(new_memory(memories, drafted), **fields)
    put_embedded(memories, memories.model, [memory], memories.change("import"))
    return memory


@st.composite
def writes(draw: st.DrawFn) -> list[Written]:
    """A few weeks of all that consolidation has a rule for."""
    found: list[Written] = []
    for number in range(draw(st.integers(3, 14))):
        day = draw(st.integers(0, 7 * WEEKS - 1))
        what = draw(st.sampled_from(("stated", "moved", "concluded", "passing", "turn", "owner", "gone")))
        person, place = draw(st.sampled_from(PEOPLE)), draw(st.sampled_from(PLACES))
        thing = draw(st.sampled_from(THINGS))
        text, fields = f"the {thing} of {person} stands in {place}", {}
        if what == "moved":
            text = f"{person} now lives in {place}"
        elif what == "concluded":
            text = f"number {number} has {number * 7919 % 97} apples"
            fields = {
                "source": "inferred",
                "confidence": 0.75,
                "importance": draw(st.sampled_from((0.2, 0.6))),
            }
        elif what == "passing":
            text, fields = f"the code of gate {number} is {number * 31}", {"lives": draw(st.integers(1, 20))}
        elif what == "turn":
            text = f"We talked about the {thing} and about {place}."
        elif what == "owner":
            # Said once: what is said again counts from the run that hears of it.
            text = f"I work at {'NSEW'[number % 4]}ord {THINGS[number % 8].title()} Brothers."
        found.append(Written(day, what, text, fields))
    return sorted(found, key=lambda each: each.day)


def lived(path: Path, some: Sequence[Written], every: timedelta) -> list[tuple[str, str]]:
    """The kinds and texts that are live after some weeks, consolidated every so often."""
    clock = TickingClock()
    start = clock.instant
    with make_memories(path, clock) as memories:
        for day in range(7 * WEEKS):
            clock.instant = start + timedelta(days=day)
            for number, each in enumerate(some):
                if each.day == day:
                    clock.instant = start + timedelta(days=day, minutes=number)
                    write(memories, each, f"session {number}")
            for half in (1, 2):
                passed = timedelta(days=day, hours=12 * half)
                if passed % every == timedelta():
                    clock.instant = start + passed
                    consolidate(memories, RunOptions(steps=STEP_NAMES[:-1]))
        return sorted((each.kind, each.text) for each in memories.store.select(memories.within()))


def write(memories: Memories, each: Written, session: str) -> None:
    fields = dict(each.fields)
    if each.what in ("turn", "owner"):
        sessions.append_turn(memories, Draft(text=each.text, session=session, data={"role": "user"}))
        return
    if lives := fields.pop("lives", 0):
        fields["expires_at"] = memories.now() + timedelta(days=lives)
    memory = put(memories, each.text, **fields)
    if each.what == "gone":
        memories.end([memory.id], "forgotten")


@settings(max_examples=5, suppress_health_check=list(HealthCheck))
@given(some=writes())
def test_once_a_week_ends_where_twice_a_day_does(
    some: list[Written], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("lived")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MEMCLI_HALF_LIVES", "fact=10d")
        patch.setenv("MEMCLI_PURGE_AFTER", "10d")
        patch.setenv("MEMCLI_PRUNE_AFTER", "14d")
        weekly = lived(folder / "weekly.db", some, timedelta(days=7))
        assert weekly == lived(folder / "often.db", some, timedelta(hours=12))


def filled(memories: Memories, clock: TickingClock) -> None:
    """Something for every step to do."""
    for place in PLACES:
        sessions.append_turn(memories, Draft(text=f"I live in {place}.", session="s", data={"role": "user"}))
    for person in PEOPLE:
        put(memories, f"{person} lives in Lisbon")
        put(memories, f"{person} keeps the harp")
        put(memories, f"{person} keeps the harp.")
        put(memories, f"{person} may like the {person} song", source="inferred", confidence=0.4)
    memories.end([put(memories, "the anvil was sold", source="inferred").id], "forgotten")
    clock.advance(days=300)
    for person in PEOPLE:
        put(memories, f"{person} now lives in Oslo")
        put(memories, f"{person} keeps the harp!")


def test_what_is_prepared_many_at_once_becomes_what_it_becomes_one_by_one(
    own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    forms = ("I live in {}.", "I moved to {} in May.", "My favourite city is {}.", "I work in {} now.")
    found = []
    for at_once in (1, 5, 32):
        monkeypatch.setattr(carry_out, "_PREPARED_AT_ONCE", at_once)
        clock, chance = TickingClock(), random.Random(3)
        with make_memories(own_home / f"{at_once}.db", clock) as memories:
            for number in range(100):
                said = chance.choice(forms).format(chance.choice(PLACES))
                draft = Draft(text=said, session=f"s{number // 9}", data={"role": "user"})
                sessions.append_turn(memories, draft)
                put(memories, f"{chance.choice(PEOPLE)} keeps the {chance.choice(THINGS)}")
            report = consolidate(memories, RunOptions(steps=STEP_NAMES[:-1]))
            became = [(each.proposal.step, each.proposal.action, each.status) for each in report.outcomes]
            there = memories.store.select(Filter(spaces=None, live=False))
            found.append((became, sorted((m.kind, m.text, str(m.ended_as), m.confidence) for m in there)))
    assert Counter(action for _, action, _ in found[0][0])["keep"] > 7
    assert found[0] == found[1] == found[2]


def test_nothing_is_embedded_or_compared_word_by_word_while_others_wait(
    own_home: Path, clock: TickingClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    from memcli.config.config import Config
    from memcli.storage.stores import open_store

    with Memories(open_store(own_home / "m.db"), Config(), Watched, clock=clock) as memories:
        filled(memories, clock)
        compare = duplicates.compare_texts

        def compared(*given: Any) -> Any:
            assert not Watched.holding, "compared inside a transaction"
            return compare(*given)

        watch_writing(memories, monkeypatch)
        monkeypatch.setattr(judging, "compare_texts", compared)
        report = consolidate(memories, RunOptions(steps=STEP_NAMES[:-1]))
        assert {*report.counts()} == {"distil", "fold", "expire", "merge", "contradict", "decay", "prune"}


def test_what_was_judged_before_a_transaction_is_not_judged_in_it_but_for_a_new_text(
    memories: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = memories.remember("the kettle stands in the hall of Ann")
    new = new_memory(memories, Draft(text="the kettle stands in the hall of Bob"))
    [window] = memories.model.embed([new])[new.id]
    [related] = RelatedInBatch(memories.store, memories.now()).of([(new, window)], judged=False)
    [once_more] = RelatedInBatch(memories.store, memories.now()).of([(new, window)], judged=False)
    asked: list[str] = []
    compare = duplicates.compare_texts

    def counted(new: str, old: str, cosine: float) -> Any:
        asked.append(old)
        return compare(new, old, cosine)

    monkeypatch.setattr(judging, "compare_texts", counted)
    [near] = related.nearest
    assert (near.memory.id, near.verdict, asked) == (old.id, "changed", [])
    said = replace(old, text="the kettle stands in the hall of Bob")
    memories.store.put([said], memories.change("edit"), memories.now())
    [near] = once_more.nearest
    assert (near.verdict, asked) == ("same", [said.text])


def test_a_batch_that_grows_one_by_one_finds_all_that_came_before(memories: Memories) -> None:
    known = RelatedInBatch(memories.store, memories.now())
    for number in range(40):
        [decision] = admit(
            memories,
            memories.model,
            [new_memory(memories, Draft(text=f"box {number} is blue"))],
            related=known,
        )
        assert decision.action == "take"
    for number in (0, 7, 39):
        [decision] = admit(
            memories,
            memories.model,
            [new_memory(memories, Draft(text=f"Box {number} is blue."))],
            related=known,
        )
        assert decision.action == "reinforce"


def test_each_pair_comes_up_once_in_a_step_however_it_is_cut(memories: Memories) -> None:
    some = [put(memories, f"the harp of {person} stands in {place}") for person in PEOPLE for place in PLACES]
    finder = PairFinder(memories)
    finder.begin(memory.id for memory in some)
    met: list[tuple[str, str]] = []
    for start in range(0, len(some), 4):
        batch = some[start : start + 4]
        finder.look_at(memory.id for memory in batch)
        pairs = finder.pairs(batch, ("fact",), 0.1, 64, once=True)
        met += [(pair.older.id, pair.newer.id) for pair in pairs]
    every = PairFinder(memories).pairs(some, ("fact",), 0.1, 64)
    assert len(met) == len(set(met))
    assert set(met) == {(pair.older.id, pair.newer.id) for pair in every}


def test_stopped_after_every_few_memories_it_ends_where_it_does_in_one_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ended(name: str, *, stop: bool) -> list[tuple[str, str]]:
        clock = TickingClock()
        with make_memories(tmp_path / name, clock) as memories:
            filled(memories, clock)
            monkeypatch.setattr(portions, "BATCH_SIZE", 3 if stop else 64)
            for _ in range(200):
                looks = iter(range(14))
                if stop:
                    # A limit that is reached after some looks at the clock, whatever the machine.
                    monkeypatch.setattr(
                        "memcli.consolidation.run.time.monotonic",
                        lambda looks=looks: 0.0 if next(looks, None) is not None else 9.0,
                    )
                report = consolidate(
                    memories, RunOptions(steps=STEP_NAMES[:-1], max_seconds=5 if stop else None)
                )
                monkeypatch.undo()
                monkeypatch.setattr(portions, "BATCH_SIZE", 3 if stop else 64)
                if report.stopped is None:
                    break
            else:
                raise AssertionError("it never came to an end")
            return sorted((each.kind, each.text) for each in memories.store.select(memories.within()))

    assert ended("often.db", stop=True) == ended("once.db", stop=False)


@pytest.mark.parametrize("looks", range(1, 13))
@pytest.mark.parametrize("concluding", [False, True])
def test_what_a_limit_cut_off_in_the_last_portion_is_done_by_the_next_run(
    memories: Memories, monkeypatch: pytest.MonkeyPatch, looks: int, concluding: bool
) -> None:
    said = [turn(memories, f"I live in {place}.", place) for place in PLACES[:3]]
    texts = {memory.text for memory in said}
    reasoner = None
    if concluding:
        found = [f"The owner has a flat in {place}." for place in PLACES[:3]]
        reasoner = Concludes([Conclusion(text, "fact", 0.95, [said[-1].id]) for text in found])
        texts.update(found)
    left = iter(range(looks))
    with monkeypatch.context() as patch:
        patch.setattr(
            "memcli.consolidation.run.time.monotonic",
            lambda: 0.0 if next(left, None) is not None else 9.0,
        )
        consolidate(memories, RunOptions(steps=("distil",), max_seconds=5), reasoner)
    consolidate(memories, RunOptions(steps=("distil",)), reasoner)
    assert {memory.text for memory in memories.store.select(memories.within(kinds=("fact",)))} == texts


def turn(memories: Memories, text: str, session: str) -> Memory:
    return sessions.append_turn(memories, Draft(text=text, session=session, data={"role": "user"})).turn


def test_a_summary_changes_nothing_about_how_its_turns_rank(memories: Memories, clock: TickingClock) -> None:
    said = (
        ("user", "Shall we paint the shed this spring?"),
        ("assistant", "Yes, with the green paint that is left."),
        ("user", "Good, and the ladder is at my brother's."),
        ("assistant", "Then let us ask him on Sunday."),
        ("user", "Bye, see you!"),
    )
    for role, text in said:
        sessions.append_turn(memories, Draft(text=text, session="shed", data={"role": role, "keep": True}))

    def ranked(query: str) -> list[tuple[str, float]]:
        answer = memories.recall(query, touch=False, settings=memories.settings(min_score=0.0))
        now = [(hit.memory, hit.score) for hit in answer.hits]
        return [(memory.text, round(score, 6)) for memory, score in now if memory.source != "merged"]

    queries = ("the ladder at my brother's", "green paint", "who paints the shed this spring?")
    clock.advance(days=2)
    before = [ranked(query) for query in queries]
    instant = clock.instant
    assert consolidate(memories, RunOptions(steps=("fold",))).counts() == {"fold": {"fold": 1}}
    clock.instant = instant
    for query, order in zip(queries, before, strict=True):
        assert [text for text, _ in ranked(query)] == [text for text, _ in order]
