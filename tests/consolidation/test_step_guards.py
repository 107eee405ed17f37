"""The conditions inside the steps of a night: turned around, each would keep or end something else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import combinations
from types import SimpleNamespace
from typing import Any

import pytest

from memcli import times
from memcli.config.config import Config
from memcli.consolidation import judged_statements
from memcli.consolidation.bookmarks import past_runs
from memcli.consolidation.carry_out import carry_out
from memcli.consolidation.comparison_cache import ComparisonCache
from memcli.consolidation.pairs import Pair, PairFinder
from memcli.consolidation.proposals import ORIGIN, Proposal, proposal, propose_end
from memcli.consolidation.run import RunOptions, consolidate
from memcli.consolidation.steps import contradict, distil, merge
from memcli.judgement.pairs import PairJudgement
from memcli.memories import Memories
from memcli.model import Memory, State
from memcli.storage import areas
from memcli.text.extraction.statements import Statement, own_sentences, statements
from memcli.tiers.sessions import sessions
from memcli.write_policy.drafts import Draft, new_memory
from tests.conftest import TickingClock

SAID = "I live in Lisbon."


def made(memories: Memories, text: str, **fields: Any) -> Memory:
    return replace(new_memory(memories, Draft(text=text, kind=fields.pop("kind", "fact"))), **fields)


@pytest.mark.parametrize(
    ("fact", "how", "left", "is_borne"),
    [
        (SAID, "stated", [SAID], True),
        (SAID, "stated", ["I live in Porto."], False),
        (SAID, "stated", [], False),
        ("We bake on Fridays.", "judged", ["We bake on Fridays. Come by!"], True),
        ("We bake on Fridays.", "concluded", ["We fry on Mondays. Come by!"], False),
        ("We bake on Fridays.", "judged", ["We fry on Mondays. Come by!"], False),
        ("Tomatoes want water", "repeated", ["a", "b", "c"], True),
        ("Tomatoes want water", "repeated", ["a", "b"], False),
        ("Tomatoes want water", "concluded", ["a", "b", "c"], False),
    ],
)
def test_what_is_left_of_its_evidence_bears_a_fact_or_does_not(
    memories: Memories, fact: str, how: str, left: list[str], is_borne: bool
) -> None:
    turns = [made(memories, text, kind="episode", session=f"s{n}") for n, text in enumerate(left)]
    assert distil._borne(made(memories, fact, data={"how": how}), turns) is is_borne


@pytest.mark.parametrize(
    ("fields", "is_heard"),
    [
        ({}, True), ({"session": "s2"}, False), ({"trusted": False}, False),
        ({"data": {"role": "assistant"}}, False), ({"session": None}, False),
    ],
)  # fmt: skip
def test_what_is_said_often_is_said_by_its_owner_in_as_many_sessions_and_trusted_alike(
    memories: Memories, fields: dict[str, Any], is_heard: bool
) -> None:
    said, user = "I water the tomatoes every morning before work.", {"role": "user"}
    turns = [
        made(memories, said, kind="episode", **{"session": f"s{number}", "data": user, **each})
        for number, each in enumerate((fields, {}, {}))
    ]
    finder: Any = SimpleNamespace(pairs=lambda some, *_: [(*pair, 0.99) for pair in combinations(some, 2)])
    heard = [(told.text, len(evidence)) for told, evidence in distil._repeated(turns, finder)]
    assert heard == ([(said, 3)] if is_heard else [])


@pytest.mark.parametrize(
    ("older", "newer", "days", "is_comparable"),
    [
        ({}, {}, 1, True), ({}, {}, 0, True), ({}, {}, -1, False),
        ({}, {"trusted": False}, 1, False), ({"trusted": False}, {}, 1, True),
        ({"trusted": False}, {"trusted": False}, 1, True),
        # What a tool prints states nothing.
        ({}, {"kind": "episode", "data": {"role": "tool"}}, 1, False),
        ({"kind": "episode", "data": {"role": "tool"}}, {}, 1, False),
        ({}, {"kind": "episode", "data": {"role": "user"}}, 1, True),
    ],
)  # fmt: skip
def test_who_may_contradict_whom(
    memories: Memories, older: dict[str, Any], newer: dict[str, Any], days: int, is_comparable: bool
) -> None:
    one = made(memories, SAID, **older)
    other = made(memories, "I live in Porto.", happened_at=one.happened_at + timedelta(days=days), **newer)
    assert contradict._comparable(Pair(one, other, 0.9)) is is_comparable


def test_only_a_plan_with_an_llm_keeps_the_words_of_a_fold(memories: Memories, clock: TickingClock) -> None:
    for text in ("We chose Postgres for the shop", "Good choice"):
        sessions.append_turn(memories, Draft(text=text, session="monday", data={"role": "user"}))
    clock.advance(hours=25)
    [outcome] = consolidate(memories, RunOptions(steps=("fold",), dry_run=True)).outcomes
    assert "summaries" not in outcome.proposal.data
    [outcome] = consolidate(memories, RunOptions(steps=("fold",))).outcomes
    assert "summaries" not in outcome.proposal.data


def test_what_is_to_end_with_its_session_is_what_was_folded(
    memories: Memories, clock: TickingClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMCLI_FOLDED_TURNS", "end")
    # Raw turns expire at once; what was to be kept does not.
    draft = Draft(text="We chose Postgres", session="monday", data={"role": "user", "keep": True})
    folded = sessions.append_turn(memories, draft).turn
    sessions.append_turn(memories, replace(draft, text="It has to be ready by the end of May"))
    clock.advance(hours=25)
    consolidate(memories, RunOptions(steps=("fold",)))
    later = sessions.append_turn(memories, replace(draft, text="And what of Redis?")).turn
    after = {each.id: each.ended_as for each in memories.store.get([folded.id, later.id])}
    assert after == {folded.id: "folded", later.id: None}


def test_a_note_that_names_a_session_is_no_turn_of_it(memories: Memories, clock: TickingClock) -> None:
    memories.remember(Draft(text="the door is red", kind="episode", session="monday"))
    clock.advance(hours=25)
    assert not consolidate(memories, RunOptions(steps=("fold",))).counts()


def pair_of(
    memories: Memories,
    older: dict[str, Any] | None = None,
    newer: dict[str, Any] | None = None,
    days: int = 1,
) -> Pair:
    one = made(memories, SAID, **(older or {}))
    later = {"happened_at": one.happened_at + timedelta(days=days), **(newer or {})}
    return Pair(one, made(memories, "I live in Porto.", **later), 0.9)


@pytest.mark.parametrize(
    ("older", "newer", "days", "told", "replaces"),
    [
        ({}, {}, 1, 0.4, True), ({}, {}, 1, 0.0, False), ({}, {}, 0, 1.0, False), ({}, {}, -1, 1.0, False),
        ({"confidence": 0.9}, {"confidence": 0.8}, 1, 1.0, False),
        ({"confidence": 0.8}, {"confidence": 0.8}, 1, 1.0, True),
        ({}, {"source": "inferred"}, 1, 1.0, False), ({}, {"source": "learned"}, 1, 1.0, False),
        ({"source": "inferred"}, {"source": "inferred"}, 1, 1.0, True),
        ({}, {"source": "imported"}, 1, 1.0, True),
    ],
)  # fmt: skip
def test_the_newer_one_replaces_only_what_is_no_surer_and_no_better_founded(
    memories: Memories, monkeypatch: pytest.MonkeyPatch, older: dict[str, Any], newer: dict[str, Any],
    days: int, told: float, replaces: bool,
) -> None:  # fmt: skip
    monkeypatch.setattr(contradict, "told_change", lambda memory: told)
    assert contradict._replaces(pair_of(memories, older, newer, days)) is replaces


class Judging:
    """An LLM that says the same of every pair."""

    def __init__(self, verdict: str) -> None:
        self._verdict = verdict

    def judge(self, older: Memory, newer: Memory) -> str:
        return self._verdict


@pytest.mark.parametrize(
    ("same", "update", "replaces", "llm", "action"),
    [
        (True, 1.0, True, None, None),
        (False, 0.0, True, None, None),
        (False, 0.59, True, "updates", None),
        (False, 0.61, True, None, "ask"),
        (False, 0.99, False, None, "ask"),
        (False, 0.99, True, None, "end"),
        (False, 0.61, False, "updates", "end"),
        (False, 0.61, False, "both", "ask"),
    ],
)
def test_what_is_judged_no_update_is_no_contradiction(
    memories: Memories, monkeypatch: pytest.MonkeyPatch, same: bool, update: float,
    replaces: bool, llm: str | None, action: str | None,
) -> None:  # fmt: skip
    monkeypatch.setattr(
        contradict, "compare_texts", lambda *given: SimpleNamespace(verdict="same" if same else "other")
    )
    monkeypatch.setattr(contradict, "_replaces", lambda pair: replaces)
    monkeypatch.setattr(contradict, "threshold", lambda config, name: {"update": 0.6, "replaced": 0.9}[name])
    finder: Any = SimpleNamespace(is_judged=True)
    reasoner: Any = Judging(llm) if llm else None
    found = contradict._of_knowledge(memories, pair_of(memories), update, finder, reasoner, ())
    assert (found.action if found else None) == action


@pytest.mark.parametrize("is_judged", [True, False])
def test_the_likeness_of_two_vectors_is_told_to_a_judge_that_learned_from_their_model_alone(
    memories: Memories, monkeypatch: pytest.MonkeyPatch, is_judged: bool
) -> None:
    told: list[float | None] = []

    def judge(newer: str, older: str, cosine: float | None) -> Any:
        told.append(cosine)
        return PairJudgement(same=0.0, update=0.0, both=1.0)

    monkeypatch.setattr(contradict, "judge_pair", judge)
    finder: Any = SimpleNamespace(is_judged=is_judged)
    pair = pair_of(memories)
    [likely] = contradict._likely_updated([pair], [pair], finder).values()
    assert likely < 0.47 and told == [0.9 if is_judged else None]


def test_the_turn_that_a_note_was_taken_from_is_no_rival_of_what_it_updates(
    memories: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    judged = PairJudgement(same=0.02, update=0.8, both=0.18)
    monkeypatch.setattr(contradict, "judge_pair", lambda *_: judged)
    monkeypatch.setattr(contradict, "_is_changed", lambda pair: False)
    finder: Any = SimpleNamespace(is_judged=True)
    pair = pair_of(memories)._replace(cosine=0.7)
    turn = made(memories, "x", kind="episode", data={"role": "user"})
    rivals = [pair._replace(older=each, cosine=0.95) for each in (turn, made(memories, "I live in Oslo."))]
    [alone], [beside_turn], [beside_note] = (
        contradict._likely_updated([pair], pairs, finder).values()
        for pairs in ([pair], [pair, rivals[0]], [pair, rivals[1]])
    )
    assert alone == beside_turn > beside_note


@pytest.mark.parametrize(
    ("older", "newer", "keeps", "ended"),
    [
        (0.9, 0.5, True, "newer"),
        (0.5, 0.9, True, "older"),
        (0.7, 0.6, True, None),
        (0.9, 0.5, False, None),
        (0.9, 0.7, True, "newer"),
    ],
)
@pytest.mark.parametrize("trusted", [True, False])
def test_the_surer_one_is_kept_only_where_its_owner_set_it_and_it_is_no_less_trusted(
    memories: Memories, monkeypatch: pytest.MonkeyPatch, older: float, newer: float, keeps: bool,
    ended: str | None, trusted: bool,
) -> None:  # fmt: skip
    monkeypatch.setattr(contradict, "_replaces", lambda pair: False)
    memories.config = Config({"MEMCLI_KEEP_CONFIDENT": "on" if keeps else "off"})
    # Who is the surer is trusted or not; the other always is.
    flags = {"older": older >= newer, "newer": newer > older}
    pair = pair_of(
        memories,
        {"confidence": older, "trusted": trusted or not flags["older"]},
        {"confidence": newer, "trusted": trusted or not flags["newer"]},
    )
    finder: Any = SimpleNamespace(is_judged=False)
    found = contradict._of_knowledge(memories, pair, 1.0, finder, None, ())
    assert found
    gone = {pair.older.id: "older", pair.newer.id: "newer"}[found.memories[0]]
    assert (gone if found.action == "end" else None) == (ended if trusted else None)


def test_of_each_memory_the_nearest_few_are_compared_and_statements_alone(memories: Memories) -> None:
    one = made(memories, SAID)
    others = [made(memories, f"I live in {name}.") for name in "abcdefgh"]
    pairs = [Pair(one, other, 0.5 + n / 20) for n, other in enumerate(others)]
    turn = made(memories, "x", kind="episode", data={"role": "user"})
    pairs += [Pair(turn, one, 0.99), Pair(one, turn, 0.99)]
    found = [*contradict._nearest_knowledge(pairs, {one.id})]
    assert [each.newer.id for each in found] == [each.id for each in others[:2:-1]]
    assert len([*contradict._nearest_knowledge(pairs, {each.id for each in others})]) == 8


@pytest.mark.parametrize(
    ("kind", "role", "speaker"),
    [
        ("fact", None, ""), ("fact", "assistant", ""), ("episode", "user", ""), ("episode", "note", ""),
        ("episode", "assistant", "assistant"), ("episode", 7, ""), ("episode", None, ""),
    ],
)  # fmt: skip
def test_values_are_compared_between_what_one_speaker_said(
    memories: Memories, kind: str, role: Any, speaker: str
) -> None:
    assert contradict._speaker(made(memories, SAID, kind=kind, data={"role": role})) == speaker


def test_an_update_is_noted_once_and_only_where_it_is_sure(
    memories: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    sure = [SimpleNamespace(sort="date", about=("deadline",), words="May 5", strength=strength)
            for strength in (1.3, 0.5)]  # fmt: skip
    asked = []

    def updates(new: str, old: str, cosine: float, *, statements: bool) -> Any:
        asked.append(statements)
        return sure

    def notes(pairs: Sequence[Pair]) -> list[Proposal]:
        return [*contradict._notes(memories, pairs, finder)]

    finder: Any = SimpleNamespace(is_judged=True)
    judged = SimpleNamespace(update=0.9)
    monkeypatch.setattr(contradict, "value_updates", updates)
    monkeypatch.setattr(contradict, "judge_pair", lambda *_: judged)
    pair = pair_of(memories)
    [note] = notes([pair])
    told = {pair.newer.id: [{"sort": "date", "about": ["deadline"]}]}
    assert (note.action, note.memories, note.data["updated_by"]) == ("relate", (pair.older.id,), told)
    known = pair._replace(older=replace(pair.older, data={"updated_by": told}))
    other = pair._replace(older=replace(pair.older, data={"updated_by": "x"}))
    assert notes([known]) == [] and len(notes([other])) == 1
    episodes = {"kind": "episode", "data": {"role": "assistant"}}
    assert notes([pair_of(memories, {}, episodes)]) == []
    user = {"kind": "episode", "data": {"role": "user"}}
    assert len(notes([pair_of(memories, user, user)])) == 1
    assert len(notes([pair_of(memories, {}, user)])) == 1
    assert asked[-2:] == [False, True]
    # One pair of which nothing is noted keeps no other from its note.
    some = [pair_of(memories, {}, episodes), known, pair_of(memories)]
    assert [each.memories for each in notes(some)] == [(some[-1].older.id,)]
    # A judge must let one statement update another, and is not asked about turns.
    judged.update = 0.1
    assert notes([pair]) == [] and len(notes([pair_of(memories, user, user)])) == 1
    judged.update = 0.9
    sure[0].strength = 1.1
    assert notes([pair]) == []


def test_only_what_most_likely_lasts_and_is_its_owners_for_good_is_stated(
    memories: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    likely = {
        "I live in Lisbon now.": (0.9, 0.8),
        "I am tired of rain.": (0.9, 0.7),
        "Cranes fly over harbours.": (0.4, 0.9),
    }

    kinds = {"fact": 0.8, "preference": 0.1, "constraint": 0.1}
    model = SimpleNamespace(open_bound=lambda: SimpleNamespace(identity=SimpleNamespace(is_default=True)))
    monkeypatch.setattr(Memories, "model", model)
    monkeypatch.setattr(
        judged_statements,
        "StatementJudgement",
        lambda sentence, _: SimpleNamespace(states={"lasting": likely[sentence][1]}, kinds=kinds),
    )
    monkeypatch.setattr(judged_statements, "disclosed", lambda sentence, *_: likely[sentence][0])
    monkeypatch.setattr(judged_statements, "disclosed_by_words", lambda _: 1.0)
    monkeypatch.setattr(
        judged_statements, "readings", lambda _, asked: [SimpleNamespace(middle=[0.0]) for _ in asked]
    )
    turns = [made(memories, " ".join(likely), kind="episode", session="s")]
    stated = [each.text for each, _ in judged_statements.judged_statements(memories, turns, 0.8)]
    assert stated == ["I live in Lisbon now."]


def test_what_the_speaker_said_before_is_read_with_a_turn(memories: Memories) -> None:
    def turn(text: str, role: str = "user", session: str | None = "s") -> Memory:
        said = made(memories, text, kind="episode", session=session, data={"role": role})
        memories.store.put([said], None, memories.now())
        return said

    first, *_ = [turn("Let us play a heist."), turn("Who are you?", "assistant"), turn("I am Marta.")]
    turn("I run a bakery.", session="other")
    third = turn("I have a limp.")
    last = turn("I work alone.")
    alone = turn("I keep bees.", session=None)
    said_before = judged_statements.said_before
    assert said_before(memories, first) == said_before(memories, alone) == ""
    assert said_before(memories, third) == "Let us play a heist. I am Marta."
    assert said_before(memories, last) == "I am Marta. I have a limp."


def test_of_a_session_that_came_in_at_once_the_turns_before_are_read(memories: Memories) -> None:
    now = memories.now()
    turns = [
        made(
            memories, f"I tell part {n}.", kind="episode", session="s", happened_at=now, data={"role": "user"}
        )
        for n in range(40)
    ]
    memories.store.put(turns, None, now)
    assert judged_statements.said_before(memories, turns[10]) == "I tell part 8. I tell part 9."


def test_what_a_night_did_not_distil_is_passed_over_when_evidence_is_gone(memories: Memories) -> None:
    gone = ["01J8ZQ4X7N3V5T9R2K6M8P0BCD"]
    own = made(memories, "I like rye bread", source="inferred", data={"cites": gone})
    whole = made(memories, SAID, source="inferred", origin=ORIGIN, data={"how": "stated"})
    bare = made(
        memories, "I keep bees", source="inferred", origin=ORIGIN,
        data={"how": "stated", "cites": gone},
    )  # fmt: skip
    memories.store.put([own, whole, bare], None, memories.now())
    assert [each.memories for each in distil._orphans(memories)] == [(bare.id,)]


def test_the_first_pair_that_cannot_be_one_keeps_no_other_from_it(
    memories: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = made(memories, "The mill grinds rye"), made(memories, "The mill grinds rye.")
    third, kind = made(memories, "An owl hoots"), made(memories, "The mill grinds rye", kind="preference")
    memories.store.put([one, other, third, kind], None, memories.now())
    # Of another kind; not the same; the same.
    pairs = [Pair(one, kind, 0.99), Pair(one, third, 0.97), Pair(one, other, 0.99)]
    finder = PairFinder(memories)
    monkeypatch.setattr(finder, "pairs", lambda *_: iter(pairs))
    monkeypatch.setattr(merge, "equal_texts", lambda some: [])
    found = list(merge._Duplicates(memories, finder).among([one]))
    assert [(each.action, {*each.memories}) for each in found] == [("merge", {one.id, other.id})]


@pytest.mark.parametrize(
    ("sentence", "may"),
    [
        ("I bake rye bread for my whole family", True), ("I bake", False),
        ("Should I bake rye bread for my whole family?", False),
        ("I bake rye bread for my family right now", False),
        ("I might bake rye bread for my whole family", False),
    ],
)  # fmt: skip
def test_what_may_state_something_for_good(sentence: str, may: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judged_statements, "disclosed_by_words", lambda _: 1.0)
    assert judged_statements._may_state(sentence) is may


@pytest.mark.parametrize(
    ("text", "heard"),
    [
        ("I water the ferns every Sunday", True),
        ("We deploy on Tuesdays", True),
        ("I have a question about my code", False),
        ("I got it working, thank you so much", False),
        ("I don’t understand what is wrong", False),
        ("I need a hand with the bug", False),
        ("I am stuck with the same error", False),
    ],
)
def test_talk_to_the_listener_is_not_kept_however_often_it_is_heard(text: str, heard: bool) -> None:
    assert own_sentences(text) and judged_statements.lasts(text) is heard


def test_a_night_that_did_something_is_on_record_and_one_that_did_nothing_is_not(memories: Memories) -> None:
    assert consolidate(memories, RunOptions(steps=["merge"])).idle and not past_runs(memories)
    for text in ("The mill grinds rye", "The mill grinds rye."):
        memories.store.put([made(memories, text)], memories.change("add", None), memories.now())
    report = consolidate(memories, RunOptions(steps=["merge"]))
    assert not report.idle and len(past_runs(memories)) == 1


def test_what_a_statement_says_is_not_proposed_again_for_being_judged_or_repeated(
    memories: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    turn = made(memories, SAID, kind="episode", session="s", data={"role": "user"})
    memories.store.put([turn], None, memories.now())
    judged, repeated = Statement("I keep bees", "fact", 0.9), Statement("I bake rye", "fact", 0.85)
    stated = [each for each in statements(SAID) if each.confidence > distil.SURE_CONFIDENCE]
    again = [*stated, judged, judged]
    monkeypatch.setattr(distil, "judged_statements", lambda *_: [(each, turn) for each in again])
    often = [*stated, judged, repeated, repeated]
    monkeypatch.setattr(distil, "_repeated", lambda *_: [(each, [turn]) for each in often])
    found = distil._stated(memories, [turn], PairFinder(memories))
    proposed = [each.data["memory"]["text"] for each in found if each.action == "keep"]
    assert proposed == [*(each.text for each in stated), "I keep bees", "I bake rye"] and stated


@pytest.mark.parametrize("after", [False, True])
def test_a_session_that_ended_with_its_last_turn_is_folded_at_once(
    memories: Memories, clock: TickingClock, after: bool
) -> None:
    draft = Draft(text="We chose Postgres for the shop", session="monday", data={"role": "user"})
    sessions.append_turn(memories, draft)
    last = sessions.append_turn(memories, replace(draft, text="It has to be ready by May")).turn
    ended, now = times.to_iso(last.created_at - timedelta(seconds=after)), memories.now()
    state = State("default", areas.SESSION.name, "monday", {"ended_at": ended}, 1, now, now)
    memories.store.put_state(state)
    clock.advance(minutes=5)
    assert bool(consolidate(memories, RunOptions(steps=("fold",))).counts()) is not after


@pytest.mark.parametrize(
    ("data", "told"),
    [
        ({"memory": {"text": "I keep bees"}}, "why: I keep bees"), ({}, "why"),
        ({"link": {"subject": "Ann", "relation": "works_at", "object": "Acme"}}, "why: Ann works_at Acme"),
        ({"link": {"since": None}}, "why"),
    ],
)  # fmt: skip
def test_a_proposal_tells_what_would_be_new(data: dict[str, Any], told: str) -> None:
    assert Proposal("distil", "keep", (), "why", {}, data).told == told


@pytest.mark.parametrize("newer_adds", [False, True])
def test_what_says_more_than_the_other_is_not_the_same_whichever_came_first(
    memories: Memories, newer_adds: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    short, long = made(memories, "The mill grinds rye"), made(memories, "The mill grinds rye and oats")

    def compare(one: str, other: str, cosine: float | None) -> Any:
        return SimpleNamespace(verdict="different" if len(one) > len(other) else "same")

    monkeypatch.setattr(merge, "compare_texts", compare)
    pair = Pair(short, long, 0.99) if newer_adds else Pair(long, short, 0.99)
    assert not merge._same(pair) and merge._same(Pair(short, short, 0.99))


def test_what_was_said_outside_of_any_session_counts_as_one(memories: Memories) -> None:
    said, data = "I water the tomatoes every morning before work.", {"role": "user"}
    newer, none, other = (
        made(memories, said, kind="episode", session=session, data=data) for session in ("s", None, "t")
    )
    pairs = [(none, newer, 0.99), (replace(none, id=other.id[::-1]), newer, 0.99)]
    finder: Any = SimpleNamespace(pairs=lambda *_: pairs)
    assert not [*distil._repeated([newer], finder)]
    finder = SimpleNamespace(pairs=lambda *_: [*pairs, (other, newer, 0.99)])
    [(told, evidence)] = distil._repeated([newer], finder)
    assert told.text == said and [each.session for each in evidence] == ["s", None, "t"]


def test_what_is_erased_past_its_grace_is_so_after_all_else_of_its_transaction(memories: Memories) -> None:
    one, two = memories.remember("an owl hoots"), memories.remember("the mill grinds rye")
    planned = [proposal("prune", "purge", [one], "old"), propose_end("expire", [two], "expired", "over")]
    done = carry_out(memories, planned, ComparisonCache(memories, memories.now()))
    assert [each.proposal.action for each in done] == ["end", "purge"]
