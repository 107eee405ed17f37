"""What is the same statement, what a changed one, and who is near whom."""

from __future__ import annotations

import random
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from memcli.embedding.nearest import nearest_in_batch
from memcli.recall.ranking.vectors import Floats
from memcli.text.comparison.duplicates import compare_texts
from memcli.text.english.tokens import MAX_TOKENS, tokenize
from memcli.text.english.word_forms import denial_roots, denies

# What a model could say at most: the words alone must tell these apart.
ALIKE = 0.97


@given(
    st.sampled_from(("lock", "paid", "help", "care", "anti", "less", "full")),
    st.sampled_from(("", "un", "dis", "in", "im", "ir", "il", "non", "de", "mis", "anti")),
    st.sampled_from(("", "ful", "less")),
    st.sampled_from(("", "un", "in", "anti")),
    st.sampled_from(("", "ful", "less")),
)
def test_words_that_deny_each_other_share_a_root(
    root: str, start: str, end: str, other_start: str, other_end: str
) -> None:
    one, other = f"{start}{root}{end}", f"{other_start}{root}{other_end}"
    assert not denies(one, other) or denial_roots(one) & denial_roots(other)


@pytest.mark.parametrize(
    ("old", "new", "differs"),
    [
        ("The meeting is at 5pm", "The meeting is at 6pm", "5pm -> 6pm"),
        ("Ann lives in Berlin", "Ann lives in Paris", "Berlin -> Paris"),
        ("Ann likes Bob", "Bob likes Ann", "Ann likes Bob -> Bob likes Ann"),
        ("I am Tom's landlord", "Tom is my landlord", "Tom's -> my"),
        ("Sam is my emergency contact", "I am Sam's emergency contact", "my -> Sam's"),
        ("dogs chase cats", "cats chase dogs", "dogs chase cats -> cats chase dogs"),
        ("I prefer tea to coffee", "I prefer coffee to tea", "tea to coffee -> coffee to tea"),
        ("I like olives", "I don't like olives", "+don't"),
        ("deploys on Friday", "never deploys on Friday", "+never"),
        ("The server listens on port 8443", "The server listens on port 8444", "8443 -> 8444"),
        ("Sales increased in spring", "Sales decreased in spring", "increased -> decreased"),
        ("Take the pill before lunch", "Take the pill after lunch", "before -> after"),
        ("my wife is a nurse", "my husband is a nurse", "wife -> husband"),
        ("She will come to the party", "She won't come to the party", "+won't"),
        ("We use version 3.1", "We use version 3.10", "3.1 -> 3.10"),
        ("all tests pass", "some tests pass", "all -> some"),
        ("Ann has the key", "Only Ann has the key", "+Only"),
        ("The deadline is in April", "The deadline is in May", "April -> May"),
        ("The budget is $500", "The budget is €500", "$ -> €"),
        ("The trip is 5 km", "The trip is 5 miles", "km -> miles"),
        ("The server must be restarted", "The server may be restarted", "must -> may"),
        ("I am vegetarian", "I was vegetarian", "am -> was"),
        ("I live in Berlin", "I lived in Berlin", "live -> lived"),
        ("It is -5 degrees outside", "It is 5 degrees outside", "-5 -> 5"),
        ("The code is aBc9x", "The code is abc9x", "aBc9x -> abc9x"),
        ("I use vim for editing", "I use emacs for editing", "vim -> emacs"),
        (
            "the problem isn't who has money",
            "the problem is who doesn't have money",
            "isn't who -> who doesn't",
        ),
        ("Ich mag Oliven", "Ich mag keine Oliven", "+keine"),
        ("猫が好きです", "犬が好きです", "猫 -> 犬"),
        ("run it if ready", "run it if !ready", "+!"),
        ("push with force", "push with --force", "+--force"),
        ("see https://a.org/v1", "see https://a.org/v2", "https://a.org/v1 -> https://a.org/v2"),
        ("fixed in ABC-12", "fixed in ABC-13", "12 -> 13"),
        ("x == y holds", "x != y holds", "== -> !="),
        ("set depth = 1", "set depth != 1", "= -> !="),
        ("run lint && build", "run lint || build", "&& -> ||"),
        ("the area is w * h", "the area is w / h", "-*"),
        (
            "My favourite colour for the living room walls in the new apartment is blue",
            "My favourite colour for the living room walls in the new apartment is green",
            "blue -> green",
        ),
    ],
)
def test_what_says_another_thing_is_changed_however_near(old: str, new: str, differs: str) -> None:
    assert compare_texts(new, old, ALIKE)[:2] == ("changed", differs)
    assert compare_texts(old, new, ALIKE).verdict == "changed"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The staging server listens on port 8443.", "Staging server listens on 8443 port"),
        ("My wife's name is Anna", "My wife is called Anna"),
        ("If it rains, we stay home", "We stay home if it rains"),
        ("The flight goes from Berlin to Paris", "The flight goes to Paris from Berlin"),
        ("The deadline is March 5", "The deadline is the 5th of March"),
        ("We deploy on Fridays", "we do deploy on Friday"),
        ("The doctor is in Zürich", "The physician is in Zurich"),
    ],
)
def test_another_wording_is_the_same(old: str, new: str) -> None:
    assert compare_texts(new, old, 0.9).verdict == "same"
    assert compare_texts(old, new, 0.9).verdict == "same"
    assert compare_texts(new, old, 0.2).verdict == "different", "the vectors have a say as well"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Call Bob at 5 pm", "  call BOB at 17:00!"),
        ("The limit is 1,200", "the limit is 1200."),
        ("She does not eat meat", "she doesn't eat meat"),
        ("Our office is on the 2nd floor", "Our office is on the second floor"),
        ("I have two dogs", "I have 2 dogs"),
        ("¡Hola, mundo!", "hola mundo"),
        ("東京に住んでいる。", "東京に住んでいる"),
        ("It’s “fine”", 'it\'s "fine"'),
        ("ｆｕｌｌ width", "full width"),
        ("in the U.S. office", "In the US office"),
    ],
)
def test_the_same_text_needs_no_vector(old: str, new: str) -> None:
    assert compare_texts(new, old, None) == ("same", "same text", 1.0)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            "The staging server listens on 8443",
            "The staging server listens on 8443 and requires a certificate",
        ),
        ("Ann lives in Berlin", "Ann lives in Berlin with Bob"),
        ("Ann has cats", "Ann has 3 cats"),
        (
            "On Tuesday the finance committee approved the annual travel budget for all regions",
            "On Tuesday the finance committee approved the annual travel budget for all regions in Oslo",
        ),
    ],
)
def test_what_adds_something_is_not_the_same(old: str, new: str) -> None:
    found = compare_texts(new, old, ALIKE)
    assert found.verdict == "different" and found.reason.startswith("+")


def test_a_question_is_no_statement_and_a_stranger_no_change() -> None:
    assert compare_texts("Is the door open?", "The door is open.", ALIKE).verdict == "different"
    assert compare_texts("I have 3 cats", "The server listens on port 8443", 0.1).verdict == "different"
    assert compare_texts("The rain in May", "The snow in June", None).verdict != "same"
    assert (
        compare_texts("", "   ", ALIKE).verdict == "same"
        and compare_texts("", "tea", ALIKE).verdict == "different"
    )


def test_pages_and_hostile_texts_take_no_time() -> None:
    started = time.perf_counter()
    for text in (
        "a." * 30_000,
        "1-" * 30_000 + "a",
        "?" * 60_000 + "a",
        "x " * 30_000,
        "://" * 20_000,
        "@-" * 30_000,
    ):
        assert compare_texts(text, text, ALIKE).verdict == "same"
        assert compare_texts(text + "b", text + "c", ALIKE).verdict != "same"
        assert len(tokenize(text)) <= MAX_TOKENS + 1
    assert time.perf_counter() - started < 60, "quadratic"


# Everything, lone surrogates too.
HOSTILE = st.text(alphabet=st.characters(), max_size=60) | st.text(
    alphabet="ab 5.,'’-−?!$€ñ猫\u200d\ud800", max_size=40
)


@given(HOSTILE, HOSTILE, st.none() | st.floats(-1, 1))
def test_any_two_texts_are_compared(one: str, other: str, cosine: float | None) -> None:
    assert compare_texts(one, one, cosine).verdict == "same"
    found = compare_texts(one, other, cosine)
    assert found.reason and 0 <= found.similarity <= 1
    if found.reason == "same text":
        assert compare_texts(other, one, cosine).verdict == "same"


_SOME = "the port of our server in Berlin is open for Ann every day"
WORDS = st.lists(st.sampled_from(_SOME.split()), max_size=12)


@given(WORDS, WORDS, st.integers(0, 10**6), st.integers(0, 10**6))
def test_a_swapped_number_is_never_the_same(
    before: list[str], after: list[str], one: int, other: int
) -> None:
    texts = [" ".join([*before, str(number), *after]) for number in (one, other)]
    assert (compare_texts(texts[0], texts[1], 1.0).verdict == "same") == (one == other)


@given(WORDS, st.integers(0, 12))
def test_an_added_negation_is_never_the_same(words: list[str], place: int) -> None:
    negated = [*words[:place], "not", *words[place:]]
    assert compare_texts(" ".join(negated), " ".join(words), 1.0).verdict != "same" or not words


# Neighbours


def unit(rows: NDArray[np.float64]) -> Floats:
    scaled: Floats = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return scaled


def test_the_nearest_are_those_of_a_full_search(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memcli.embedding.nearest.NEW_ROWS", 7)
    monkeypatch.setattr("memcli.embedding.nearest.OLD_ROWS", 11)
    random = np.random.default_rng(1)
    old, new = unit(random.standard_normal((40, 4))), unit(random.standard_normal((25, 4)))
    found = nearest_in_batch(new, old, 0.5, limit=3)
    for row in range(len(new)):
        everything = [(float(new[row] @ old[n]), False, n) for n in range(len(old))]
        everything += [(float(new[row] @ new[n]), True, n) for n in range(row)]
        best = [each for each in sorted(everything, key=lambda e: -e[0]) if each[0] >= 0.5][:3]
        mine = [near for near in found if near.row == row]
        assert [(near.among_new, near.other) for near in mine] == [each[1:] for each in best]
        assert [near.cosine for near in mine] == pytest.approx([each[0] for each in best], abs=1e-6)


def test_nothing_is_near_nothing() -> None:
    rows = np.asarray([[1, 0], [np.nan, 0], [np.inf, 0], [0, 0]], dtype=np.float32)
    assert nearest_in_batch(rows[:0], rows, 0.5) == [] == nearest_in_batch(rows[:1], rows[:0], 0.5)
    assert {(near.row, near.other) for near in nearest_in_batch(rows, rows, 0.5)} == {(0, 0)}
    alike = np.ones((300, 1), dtype=np.float32)
    found = nearest_in_batch(alike, alike, 0.9, limit=2)
    assert len(found) == 600 and found[0].cosine == 1.0


_THINGS = [
    "windmill",
    "lighthouse",
    "tractor",
    "violin",
    "kettle",
    "ladder",
    "orchard",
    "bridge",
    "cactus",
    "tunnel",
    "oven",
    "canoe",
]
_PLACES = ["kitchen", "cellar", "attic", "yard", "market", "library", "station", "office"]
_ATTRIBUTES = ["red", "old", "broken", "heavy", "wooden", "quiet", "rusty", "narrow"]
_LONG = (
    "shell {letter} says fact number 2 about {thing} 22",
    "in week 7 the {attribute} {thing} behind the {place} was checked by team 9",
    "Carla repaired the {attribute} {thing} near the {place} before the meeting on Friday",
    "according to plan {letter} the {thing} project gets 70 euros and 12 hours from the {place} budget",
    "the {attribute} key for the {thing} hangs in the {place} next to hook 4 of board 9",
    "record 81: sensor {letter} on the {thing} reported a {attribute} signal 12 times",
    "session 84 said that the {thing} costs less than the {other} in shop 29",
    "der {thing} im {place} wurde in Woche 8 von Gruppe 3 gestrichen und vermessen",
)


@pytest.mark.parametrize("frame", _LONG)
@pytest.mark.parametrize("cosine", [0.75, 0.85, 0.95])
def test_words_in_the_place_of_others_are_never_the_same_however_much_is_shared(
    frame: str, cosine: float
) -> None:
    chance = random.Random(frame)
    values = {"letter": "ABCDXYZ", "thing": _THINGS, "other": _THINGS}
    values |= {"place": _PLACES, "attribute": _ATTRIBUTES}
    named = [name for name in values if f"{{{name}}}" in frame]
    for _ in range(40):
        old = {name: chance.choice(values[name]) for name in named}
        changed = chance.sample(named, chance.randint(1, len(named)))
        new = old | {name: chance.choice([v for v in values[name] if v != old[name]]) for name in changed}
        texts = frame.format(**new), frame.format(**old)
        assert texts[0] == texts[1] or compare_texts(*texts, cosine).verdict != "same", texts


def test_what_only_the_new_one_of_two_long_statements_says_is_never_swallowed() -> None:
    told = "the committee approved the plan for mending the harbour wall next to the"
    old = f"after that {told} old customs office"
    for brought in ("on Monday", "with Kowalski", "for Ann"):
        new = f"{brought} {told} customs office"
        assert compare_texts(new, old, 0.95).verdict != "same", new
