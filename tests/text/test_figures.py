"""Reading claims out of messages, and statements out of turns: pure rules."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.model import Memory
from memcli.recall.ranking.freshness import freshness_parts
from memcli.text.extraction.statements import own_sentences, statements
from memcli.text.numbers.figures import figures, value_updates


@pytest.mark.parametrize(
    ("old", "new", "change"),
    [
        ("My library has 45 sources, tagged by theme", "I've added 52 sources to my library by theme", "45 -> 52"),
        ("The review of my draft is on March 22 at 3 PM with Ann", "the draft review with Ann was moved to 4:30 PM",
         "3 PM -> 4:30 PM"),
        ("The deadline of the first sprint is April 1, for layout", "The new sprint deadline is April 5, for the layout",
         "April 1 -> April 5"),
        ("The choir meets on Monday at 3 PM in the hall", "The choir now meets on Tuesday at 4 PM in the hall", "3 PM -> 4 PM"),
        ("Test coverage of the parser module is 65%", "parser module coverage improved to 78%", "65 -> 78"),
        ("The rent of my flat is $900 a month", "My flat's rent was raised to $950", "900 -> 950"),
    ],
)  # fmt: skip
def test_a_later_value_of_the_same_thing_is_an_update(old: str, new: str, change: str) -> None:
    assert change in [each.words for each in value_updates(new, old, 0.6)]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("My library has 45 sources, tagged by theme", "I now have 52 pens in my drawer"),
        ("My library has 45 sources, tagged by theme", "My library still has 45 sources, sorted by theme"),
        ("The draft has 4,500 words", "The talk now takes 20 minutes"),
        ("see you at 5 pm", "the shop has 12 shelves now"),
    ],
)
def test_another_thing_or_the_same_value_is_none(old: str, new: str) -> None:
    assert value_updates(new, old, 0.6) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The spare key of the Bergen flat has number 100", "The spare key of the Porto flat has number 108"),
        ("The locker of the red toolbox in the garage is number 12", "The locker of the blue toolbox in the garage is number 15"),
        ("The Porto flat has 2 spare keys now", "The Ghent flat has 3 spare keys now"),
        ("In winter the shop opens at 9:00", "In summer the shop now opens at 8:00"),
        ("The gym opens at 7:00 on weekdays", "The gym now opens at 9:00 on weekends"),
        ("The library closes at 18:00 on Fridays", "The library now closes at 20:00 on Mondays"),
        ("Our web server runs on port 8080", "Our admin server now runs on port 9090"),
        ("I take 5 mg of ramipril", "I now take 10 mg of bisoprolol"),
        ("Noticed colour 3 of Farid's umbrella was dull", "Noticed colour 7 of Sven's umbrella was dull"),
    ],
)  # fmt: skip
def test_of_two_things_that_are_told_apart_neither_updates_the_other(old: str, new: str) -> None:
    assert value_updates(new, old, 0.9, statements=True) == []


def test_what_only_the_older_one_speaks_of_is_not_outranked() -> None:
    at: dict[str, Any] = dict.fromkeys(
        ("happened_at", "created_at", "updated_at"), datetime(2026, 1, 1, tzinfo=UTC)
    )
    old, new = (
        "Invoice 4711 of the plumber for the bathroom has 12 pages",
        "Invoice 4717 of the plumber for the bathroom has 15 pages",
    )
    noted = [{"sort": "number", "about": list(each.about)} for each in value_updates(new, old, 0.9)]
    both = [
        Memory(id="a", kind="fact", text=old, data={"updated_by": {"b": noted}}, **at),
        Memory(id="b", kind="fact", text=new, **at),
    ]
    assert freshness_parts("how many pages has invoice 4711 of the plumber?", both, [0.8, 0.7]) == {}
    assert 1 in freshness_parts("how many pages has the plumber's invoice?", both, [0.8, 0.7])


def test_far_apart_nothing_is_an_update() -> None:
    assert value_updates("I've added 52 sources to my library", "My library has 45 sources", 0.1) == []


def test_code_says_nothing_of_the_world() -> None:
    assert figures("```python\ntimeout = 30 seconds\n```") == ()


@given(st.text(max_size=300), st.text(max_size=300))
def test_no_text_is_too_odd(one: str, two: str) -> None:
    value_updates(one, two, 0.9), list(statements(one)), own_sentences(two)


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("I live in Lisbon.", ["I live in Lisbon."]),
        ("Hi! My name is Ann Lee. Can you help?", ["My name is Ann Lee."]),
        ("I'm severely allergic to peanuts and shellfish.", ["I'm severely allergic to peanuts and shellfish."]),
        ("I work at Siemens as a data engineer. It is fine.", ["I work at Siemens as a data engineer."]),
        ("My favorite colour is dark green.", ["My favorite colour is dark green."]),
        ("I prefer tea over coffee!", ["I prefer tea over coffee."]),
        ("Do I live in Lisbon?", []),
        ("If I live in Lisbon, what then.", []),
        ("She said \"I live in Lisbon.\"", []),
        ("I live in fear of Mondays.", []),
        ("Maybe I live in Lisbon.", []),
        ("I live in Lisbon but my heart is elsewhere.", []),
        ("Imagine I am a vegan.", []),
        ("I am a bit tired.", []),
        ("I work for Mr. Kern. It is fine.", ["I work for Mr. Kern."]),
        ("I live in St. Gallen", ["I live in St. Gallen."]),
        ("I work as a nurse at St. Olav", ["I work as a nurse at St. Olav."]),
        ("I hate this error", []),
        ("I prefer not to say", []),
        ("I hate wet socks", ["I hate wet socks."]),
        ("I prefer to walk rather than to drive", ["I prefer to walk rather than to drive."]),
    ],
)  # fmt: skip
def test_statements_are_taken_by_their_form(text: str, facts: list[str]) -> None:
    assert [each.text for each in statements(text)] == facts


def test_hostile_notes_do_not_break_ranking() -> None:
    at = datetime(2026, 1, 1, tzinfo=UTC)
    odd: list[object] = [1, "x", {"a": 1}, {"b": [{"sort": 3, "about": "x"}]}, {"b": [None, {"about": [1]}]}]
    for value in odd:
        data = {"updated_by": value, "folds": value}
        times: dict[str, Any] = {"happened_at": at, "created_at": at, "updated_at": at}
        some = [Memory(id=name, kind="fact", text="t", data=data, **times) for name in "ab"]
        freshness_parts("how many words", some, [1.0, 0.5])
