"""The judges with the weights of the package: plain statements, and what no text may do to them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.config.settings import DEFAULT_MODEL, SETTINGS
from memcli.embedding import Embedder, open_embedder
from memcli.embedding.forward_pass import readings
from memcli.judgement.pair_features import PIECES, pair_pieces
from memcli.judgement.pair_forms import done_in_one_alone, exact_values_apart
from memcli.judgement.pairs import judge_pair, told_update
from memcli.judgement.statements import StatementJudgement
from memcli.judgement.text_features import WIDTH, Features, pieces_apart, side_by_side, text_features
from memcli.judgement.weights import FARTHEST, file_of, load_logistic


@cache
def _model(cache_folder: Path) -> Embedder:
    return open_embedder(DEFAULT_MODEL, cache_folder)


def _judged(compiled_cache: Path, text: str) -> StatementJudgement:
    [reading] = readings(_model(compiled_cache), [text])
    return StatementJudgement(text, reading.middle)


# Plain statements of each kind: what a judge must know in its sleep. How well it judges others' is measured
# by `python -m benchmarks.judges`.
@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("The staging server listens on port 8443", "fact"),
        ("My sister Clara lives in Graz", "fact"),
        ("I like my coffee black, without sugar", "preference"),
        ("Never deploy on a Friday", "constraint"),
        ("Turned out the leak came from the gasket, not from the hose", "outcome"),
        ("Met Ana at the trade fair in Lyon last Tuesday", "episode"),
        ("To restart the proxy, drain it first, then restart haproxy and watch the log", "procedure"),
        (
            "Zum Entkalken erst Wasser ausleeren, dann Essig einfüllen und zweimal durchlaufen lassen",
            "procedure",
        ),
        ("Je préfère le thé au café", "preference"),
    ],
)
def test_the_kind_of_a_plain_statement(compiled_cache: Path, text: str, kind: str) -> None:
    kinds = _judged(compiled_cache, text).kinds
    assert max(kinds, key=lambda each: kinds[each]) == kind and sum(kinds.values()) == pytest.approx(1)


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("ok thanks", "trivial"),
        ("Good morning!", "trivial"),
        ("Can you rewrite this in a friendlier tone?", "trivial"),
        ("I'm on the train right now", "passing"),
        ("Not sure yet, perhaps we will move to Porto", "undecided"),
        ("Our standup is at ten now", "lasting"),
        ("The user lives in Berlin", "lasting"),
    ],
)
def test_what_lasts_and_what_does_not(compiled_cache: Path, text: str, state: str) -> None:
    states = _judged(compiled_cache, text).states
    assert max(states, key=lambda each: states[each]) == state


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("The printer on floor two is jammed", "passing"),
        ("Stuck behind a tractor on the B12", "passing"),
        ("The baby finally fell asleep", "passing"),
        ("The printer jams with thick paper", "lasting"),
        ("Our office is closed on Fridays", "lasting"),
        ("I might move to Oslo", "undecided"),
    ],
)
def test_a_full_stop_at_the_end_says_nothing(compiled_cache: Path, text: str, state: str) -> None:
    bare, stopped = (_judged(compiled_cache, each).states for each in (text, f"{text}."))
    assert max(bare, key=bare.__getitem__) == max(stopped, key=stopped.__getitem__) == state
    assert max(abs(bare[each] - stopped[each]) for each in bare) < 0.2


@pytest.mark.parametrize(
    ("older", "newer", "relation"),
    [
        ("I have a peanut allergy", "I'm allergic to peanuts", "same"),
        ("We use Jenkins for deploys", "Deploys run on GitHub Actions now", "update"),
        ("Rent is 900 a month", "Rent went up to 950 a month", "update"),
        ("Shelf 12 holds box 12", "Shelf 13 holds box 13", "both"),
        (
            "Never restart server 1 before checking its port",
            "Never restart server 2 before checking its port",
            "both",
        ),
        ("Chapter 3 is about whales", "Chapter 4 is about whales", "both"),
        ("Our team meets in room 4", "Our team meets in room 5", "update"),
        ("The proxy listens on port 8443", "The proxy listens on port 8444", "update"),
        ("Ana's birthday is 3 May", "Tom's birthday is 9 June", "both"),
    ],
)
def test_how_two_plain_statements_are_related(
    compiled_cache: Path, older: str, newer: str, relation: str
) -> None:
    vectors = [reading.vectors[0] for reading in readings(_model(compiled_cache), [older, newer])]
    judged = judge_pair(newer, older, float(vectors[0] @ vectors[1]))._asdict()
    assert max(judged, key=lambda each: judged[each]) == relation


@given(st.text(max_size=300), st.text(max_size=300))
def test_no_text_is_too_strange_to_be_judged(one: str, other: str) -> None:
    assert all(0 <= column < WIDTH for column in text_features(one).columns)
    assert all(0 <= column < PIECES * WIDTH for column in pair_pieces(one, other).columns)
    judged = StatementJudgement(one, np.zeros(384, dtype=np.float32))
    assert sum(judged.states.values()) == pytest.approx(1) and 0 <= judged.promise <= 1
    assert sum(judge_pair(one, other)) == pytest.approx(1)


@given(st.text(max_size=300), st.text(max_size=300))
def test_of_each_feature_the_surplus_of_either_text_and_what_both_have(newer: str, older: str) -> None:
    new, old = _by_column(text_features(newer)), _by_column(text_features(older))
    expected = {column: max(0.0, value - old.get(column, 0.0)) for column, value in new.items()}
    expected |= {WIDTH + column: max(0.0, value - new.get(column, 0.0)) for column, value in old.items()}
    expected |= {2 * WIDTH + column: min(value, new.get(column, 0.0)) for column, value in old.items()}
    found = _by_column(side_by_side(pieces_apart(newer, older)))
    assert found == pytest.approx(expected, abs=1e-7)


def _by_column(features: Features) -> dict[int, float]:
    return dict(zip(features.columns.tolist(), features.values.tolist(), strict=True))


def test_the_weights_are_a_few_hundred_kilobytes() -> None:
    files = [*file_of("pair").parent.glob("*.safetensors.gz")]
    assert files
    assert sum(file.stat().st_size for file in files) < 700_000


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("I am not allergic to walnuts", "I'm allergic to walnuts"),
        ("The office is open on Sundays", "On Sundays the office isn't open"),
        ("Ich trinke Kaffee", "Ich trinke keinen Kaffee"),
    ],
)
def test_what_is_denied_in_the_same_words_is_never_the_same(older: str, newer: str) -> None:
    for cosine in (None, 0.95):
        judged = judge_pair(newer, older, cosine)
        assert judged.same == 0 and judged.update > judged.both
    assert judge_pair("I do not eat meat", "I don't eat meat", 0.95).same > 0.9


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("My phone number is 555-0101", "My phone number is 555-0199"),
        ("The rent is 900 euros", "The rent is 950 euros"), ("Tom is 1,83 m tall", "Tom is 1,85 m tall"),
        ("The freezer is at -5 degrees", "The freezer is at 5 degrees"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("cosine", [None, 0.99])
def test_what_has_another_number_in_the_same_words_is_never_the_same(
    older: str, newer: str, cosine: float | None
) -> None:
    judged = judge_pair(newer, older, cosine)
    assert judged.same == 0 < judged.update and sum(judged) == pytest.approx(1)


@pytest.mark.parametrize(
    ("newer", "older", "apart"),
    [
        ("the shop shuts at 9", "it closes at ten", True), ("9 pm is closing time", "shuts at 21:00", False),
        ("yoga on Mondays", "Tuesday is yoga day", True), ("yoga each Monday", "Mondays are for yoga", False),
        ("logs are in /var/log/a", "find it at /var/log/b", True), ("it has 3 doors", "it has doors", False),
        ("two of the 3 keys are lost", "of 3 keys one is left", True),
        ("of 3 keys 2 are lost", "it has 3 keys", False),
    ],
)  # fmt: skip
def test_exact_values_of_one_sort_tell_texts_apart(newer: str, older: str, apart: bool) -> None:
    assert exact_values_apart(newer, older) is exact_values_apart(older, newer) is apart


def test_a_number_in_another_writing_is_no_other_number() -> None:
    assert judge_pair("The bakery opens at 7.30", "The bakery opens at 7:30", 0.98).update == 0
    assert judge_pair("The hall costs 1200", "The hall costs 1,200", 0.98).same > 0.5


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("we deploy on Fridays after lunch", "we never deploy on Fridays after lunch"),
        ("The office has a lift", "The office has no lift"), ("Ann doesn't eat meat", "Ann eats meat"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("cosine", [None, 0.5, 0.9])
def test_what_only_denies_another_word_for_word_updates_it(
    older: str, newer: str, cosine: float | None
) -> None:
    judged = judge_pair(newer, older, cosine)
    assert judged.update > 0.94 and sum(judged[:3]) == pytest.approx(1) and judged.certain


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("I work at Northwind as a data engineer", "I no longer work at Northwind"),
        ("Ich arbeite bei Siemens in der Buchhaltung", "Ich arbeite nicht mehr bei Siemens"),
        ("Ho un cane di nome Fido", "Non ho più un cane"), ("I smoke ten a day", "I no longer smoke"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("cosine", [None, 0.5, 0.9])
def test_what_denies_the_main_of_another_updates_it(older: str, newer: str, cosine: float | None) -> None:
    judged = judge_pair(newer, older, cosine)
    assert judged.same == 0 and judged.update > 0.94


def test_what_denies_the_main_of_another_in_a_clause_updates_it() -> None:
    older = "I work as a developer at Havelund in Bremen since March"
    judged = judge_pair("I no longer work at Havelund, I joined Cardia on 16 November", older, 0.6)
    assert judged.same == 0 and judged.update >= 0.84


@pytest.mark.parametrize(
    ("ahead", "done"),
    [
        ("Tomasz said he would bring the drawings on Monday", "Tomasz brought the drawings on Monday"),
        ("Tomasz said he'd bring the drawings", "Tomasz brought the drawings"),
        ("Ann is going to pay the deposit", "Ann has paid the deposit"),
        ("Tomasz wird die Pläne bringen", "Tomasz hat die Pläne gebracht"),
        ("Jan zal de sleutels geven", "Jan heeft de sleutels gegeven"),
        ("Elena llevará las llaves", "Elena llevó las llaves"),
        ("Marco porterà i disegni", "Marco ha portato i disegni"),
        ("O Pedro vai trazer os desenhos", "O Pedro trouxe os desenhos"),
    ],
)
def test_what_was_done_is_not_what_would_be_done(ahead: str, done: str) -> None:
    assert done_in_one_alone(done, ahead) and done_in_one_alone(ahead, done)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ann paid the deposit", "Ann has paid the deposit"),
        ("Ann will pay the deposit", "Ann would pay the deposit"),
        ("The shop will close at eight", "The shop closes at eight"),
    ],
)
def test_what_is_done_in_both_or_in_neither_may_be_the_same(one: str, other: str) -> None:
    assert not done_in_one_alone(one, other) and not done_in_one_alone(other, one)


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("My husband eats meat twice a week", "I don't eat meat"),
        ("She works at Northwind as an engineer", "I don't work at Northwind"),
        ("the deploy runs on Fridays at noon", "the deploy does not run on Mondays"),
    ],
)
def test_what_is_denied_of_somebody_else_is_no_certain_update(older: str, newer: str) -> None:
    assert judge_pair(newer, older, 0.7).update < 0.9


def test_what_is_denied_the_other_way_round_is_no_certain_update() -> None:
    older = "Rome is warmer than Berlin in May"
    assert judge_pair("Rome is never warmer than Berlin in May", older, 0.5).update > 0.94
    assert judge_pair("Berlin is never warmer than Rome in May", older, 0.5).update < 0.9


@pytest.mark.parametrize(
    ("newer", "older", "told"),
    [
        ("The gate is not locked", "The gate is locked", "one denies the other, 90% likely"),
        ("The port is 8444", "The port is 8443", "8443 -> 8444, 90% likely"),
        ("We meet in the attic now", "We gather downstairs", "another value, 90% likely"),
    ],
)
def test_an_update_is_told_by_what_differs(newer: str, older: str, told: str) -> None:
    assert told_update(newer, older, 0.9) == told


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Pia's party is on 3 May, she is five", "Pia's party is the 4th of May, not the 3rd"),
        ("Der Kurs beginnt am Montag", "Der Kurs beginnt nicht am Montag, sondern am Dienstag"),
        ("La répétition est le 12 à 18 h", "la répétition c'est le 19, pas le 12"),
        ("in an emergency call Rupert", "in an emergency call Anthea, not Rupert"),
    ],
)
def test_what_puts_a_value_right_is_an_update(older: str, newer: str) -> None:
    judged = judge_pair(newer, older)
    assert judged.same == 0 and judged.update >= 0.94


@pytest.mark.parametrize("cosine", [None, 0.5])
@pytest.mark.parametrize(
    ("older", "newer", "moved"),
    [
        (
            "Flying to Lisbon with Ana on 3 March, BA2761, back on the 10th",
            "The Lisbon flight has been moved to 5 March",
            True,
        ),
        ("The boiler is serviced on 3 March", "The car goes in for its service on 5 March", False),
        ("Rory's eye test is on 3 March", "Ife's eye test is on 5 March", False),
    ],
)
def test_what_moves_a_plan_in_other_words_is_told_and_ends_nothing(
    older: str, newer: str, moved: bool, cosine: float | None
) -> None:
    update = judge_pair(newer, older, cosine).update
    assert (update >= 0.6) is moved and update < SETTINGS["judge_replaced"].default


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        # Another value is denied, none is put in its place, or of another thing.
        ("Pia's party is on 3 May", "Pia's party is on 4 May, not in the hall"),
        ("I like sprouts on Monday", "Frieda does not like sprouts on Monday"),
    ],
)
def test_what_only_denies_puts_no_value_right(older: str, newer: str) -> None:
    assert judge_pair(newer, older).update < 0.94


def test_a_judge_of_answers_looks_at_the_features_that_it_has_learned_and_takes_others_for_none() -> None:
    judge = load_logistic("answer")["answers"]
    named = {name: 1.0 + place for place, name in enumerate(judge.features[::500])}
    every = np.array([named.get(name, 0.0) for name in judge.features], np.float32)
    scores = np.clip((every - judge.mean) * judge.scale, -FARTHEST, FARTHEST) @ judge.weights[:-1]
    likely = 1 / (1 + np.exp(-(scores + judge.weights[-1])))
    assert judge.probability(named) == pytest.approx(float(likely))
    assert judge.probability(named | {"what nobody has learned of": 5.0}) == judge.probability(named)
    assert 0 < judge.probability({}) < 1
