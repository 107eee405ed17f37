"""Which relations a text states, and what looks like one and is none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.text.extraction.relations import stated_links


def read(text: str, *known: str) -> list[str]:
    return [
        f"{each.subject} {each.relation} {each.object}" for each in stated_links(text, known.__contains__)
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Nadia works at Helio.", ["Nadia works_at Helio"]),
        ("Oskar's working for the Blue Cross as a medic", ["Oskar works_at Blue Cross"]),
        ("So I now work at Helio.", ["owner works_at Helio"]),
        ("Pablo is Nadia's brother.", ["Pablo brother_of Nadia"]),
        ("Pablo is the brother of Nadia.", ["Pablo brother_of Nadia"]),
        ("Nadia's brother is called Pablo", ["Pablo brother_of Nadia"]),
        ("My aunt Greta lives in Oulu, Finland.", ["Greta aunt_of owner", "Greta lives_in Oulu"]),
        ("Dr. Amadi is my dentist!", ["Dr Amadi dentist_of owner"]),
        ("I'm married to Jo", ["owner married_to Jo"]),
        ("I've just moved to Oulu", ["owner moved_to Oulu"]),
        ("Zoë is the CTO of Helio", ["Zoë cto_of Helio"]),
        ("the checkout api depends on kafka and postgres", [
            "checkout api depends_on kafka", "checkout api depends_on postgres",
        ]),
        ("ledger-v2 talks to auth.internal", ["ledger-v2 connects_to auth.internal"]),
        ("Helio is owned by Quant Group.", ["Quant Group owns Helio"]),
        ("Nadia lives in Oulu and works at Helio", ["Nadia lives_in Oulu", "Nadia works_at Helio"]),
        ("Nadia works at Helio and Pablo lives in Oulu", ["Nadia works_at Helio", "Pablo lives_in Oulu"]),
        ("Hey Greta, I work at Helio now and love it there", ["owner works_at Helio"]),
        ("I work as a night nurse at Mercy Hospital", ["owner works_at Mercy Hospital"]),
        ("I went hiking with my brother Pablo!", ["Pablo brother_of owner"]),
        ("What should I cook for my aunt, Greta, on Sunday?", ["Greta aunt_of owner"]),
        ("Nadia and Pablo know Greta", ["Nadia knows Greta", "Pablo knows Greta"]),
    ],
)  # fmt: skip
def test_what_is_stated_outright_is_read(text: str, said: list[str]) -> None:
    assert read(text) == said


@pytest.mark.parametrize(
    "text",
    [
        "Does Nadia work at Helio?",
        "Nadia doesn't work at Helio",
        "Nadia no longer works at Helio",
        "Nadia used to work at Helio",
        "Nadia may work at Helio",
        "Nadia wants to work at Helio",
        "If Nadia works at Helio, ask her",
        "Pablo said Nadia works at Helio",
        '"Nadia works at Helio" is what he wrote',
        "Nadia works at home",
        "Nadia works at night",
        "Friday works for Nadia",
        "I work on Fridays",
        "That works for me",
        "She lives in Oulu",
        "Everyone knows Greta",
        "the outcome depends on the weather",
        "success depends on luck",
        "It runs on Linux",
        "Nadia lived in Oulu in 2009",
        "Pablo is Nadia's ex-husband",
        "My brother lives in Oulu",
        "I use Vim",
        "I saw my ex-wife Greta",
        "my late uncle Pablo loved it",
        'he wrote "my brother Pablo" on it',
        "my sister I have not seen",
        "my dentist on Friday",
        "Nadia works at Helio, I guess",
        "Nadia works at Helio or Orbital",
        "Nadia works at Helio, right",
    ],
)
def test_what_is_asked_denied_over_or_says_no_name_is_not_read(text: str) -> None:
    assert read(text) == []


def test_since_when_is_read_and_what_is_known_may_be_written_small() -> None:
    [told] = stated_links("Nadia works at Helio since March 2021")
    assert told.since == "March 2021"
    assert read("nadia knows pablo") == []
    assert read("nadia knows pablo", "nadia", "pablo") == ["nadia knows pablo"]


_BITS = [
    "Ann",
    " works at ",
    " and ",
    ", ",
    "'s ",
    "brother ",
    " with ",
    " the ",
    "api ",
    " depends on ",
    "I",
    ". ",
]


@given(st.text(max_size=300) | st.lists(st.sampled_from(_BITS), max_size=60).map("".join))
def test_any_text_is_read_without_harm(text: str) -> None:
    for each in stated_links(text):
        assert each.subject.strip()
        assert each.object.strip()
