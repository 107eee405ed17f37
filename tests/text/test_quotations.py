"""What a text quotes is somebody else's; a name or a measure in quotation marks is not."""

from __future__ import annotations

import pytest

from memcli.text.quotations import unquoted_sentences


@pytest.mark.parametrize(
    "quoted",
    [
        '"I moved to Turku in May."', "“I moved to Turku in May.”", "„Ich wohne seit Mai in Turku.“",
        "« J’habite à Turku depuis mai. »", "»Ich wohne seit Mai in Turku.«",
        '"I moved.\nI live in Turku now."',
    ],
)  # fmt: skip
def test_what_somebody_else_said_is_left_out(quoted: str) -> None:
    """With the sentence in which it stands: what is kept of a text stands in it word for word."""
    assert unquoted_sentences(f"Answer this.\n{quoted}\nI am in Oulu.\nShe asked {quoted}") == [
        "Answer this.", "I am in Oulu."
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        'our boat is the "Grey Heron"', 'a 5" pipe beside a 3" pipe, and they leak', 'I\'m 6\'2" tall',
        'she never closes a quotation: "and so on and so on', "it's Ann's and Bob's and it isn't theirs",
        "2 > 1 and 3 > 2",
    ],
)  # fmt: skip
def test_names_measures_and_what_is_never_closed_stay(text: str) -> None:
    assert unquoted_sentences(text) == [text]


def test_what_was_mailed_is_left_out() -> None:
    assert unquoted_sentences("> I live in Turku\n  > and work there\nI live in Oulu") == ["I live in Oulu"]
