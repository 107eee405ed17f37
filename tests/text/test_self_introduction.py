"""Who somebody says to be in plain words, in five languages."""

from __future__ import annotations

import pytest

from memcli.text.semantics.self_introduction import introduced_aspects, name_introduced


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("I'm Imogen, I restore wooden boats at Avoncliff Boatyard", "Imogen"),
        ("I'm Ravi and I drive a bus for the council", "Ravi"),
        ("Je suis Camille, je répare des accordéons", "Camille"),
        ("Sono Marco, riparo biciclette", "Marco"),
    ],
)
def test_who_says_their_name_and_what_they_do_tells_both(text: str, name: str) -> None:
    assert (name_introduced(text), introduced_aspects(text)) == (name, ["name", "work"])


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("I'm a nurse on the children's ward", ["work"]),
        # Their name has a form.
        ("Me llamo Lucía, doy clases de química", ["work"]),
        ("I'm Nora, I hate mushrooms", ["name"]),
        ("I'm Imogen and my husband is Callum", ["name"]),
        ("I'm Dutch, I eat cheese", []),
        ("I'm Scottish, I climb hills", []),
        ("I'm tired of this", []),
        ("I'm Sure Start's contact here", []),
        ("I'm a mother of two", []),
        ("I'm never on time", []),
        ("I'm a vegetarian", []),
    ],
)
def test_other_things_that_people_say_they_are_tell_less(text: str, told: list[str]) -> None:
    assert introduced_aspects(text) == told
