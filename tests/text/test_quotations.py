"""What a text quotes is somebody else's; a name or a measure in quotation marks is not."""

from __future__ import annotations

import pytest

from memcli.text.quotations import unquoted_sentences


@pytest.mark.parametrize(
    "quoted",
    [
        '"I moved to Turku in May."', "“I moved to Turku in May.”", "„Ich wohne seit Mai in Turku.“",
        "« J’habite à Turku depuis mai. »", "»Ich wohne seit Mai in Turku.«",
        '"I moved.\nI live in Turku now."', "'I moved to Turku in May.'",
        "'I'm in Turku, and it's the sea I like.'",
        "‘I’m in Turku, and it’s the sea I like.’", "‚Ich wohne seit Mai in Turku.‘",
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
        "we're in the drivers' room and the girls' one is next door", "rock 'n' roll, I don't mind it",
    ],
)  # fmt: skip
def test_names_measures_and_what_is_never_closed_stay(text: str) -> None:
    assert unquoted_sentences(text) == [text]


def test_what_was_mailed_is_left_out() -> None:
    assert unquoted_sentences("> I live in Turku\n  > and work there\nI live in Oulu") == ["I live in Oulu"]


SCRIPT = """# author: kevin, runs only on fridays
for f in os.listdir(src):
    d = Image.open(f)._getexif()[36867]
    shutil.move(f, d[:7])
# I never test this"""


@pytest.mark.parametrize(
    "pasted",
    [
        SCRIPT, "// I live on coffee\nif (x > 3) {\n  run();\n}", "$ whoami\n# I am the owner",
        "2026-11-22T20:10:01Z INFO I moved to Turku", "from memory import tea\nimport os",
        "-- I keep all orders\nSELECT tea FROM orders",
    ],
)  # fmt: skip
def test_a_program_with_its_comments_is_no_statement_of_who_pastes_it(pasted: str) -> None:
    text = f"The script does not run.\n\n{pasted}\n\nI work at the mill."
    assert unquoted_sentences(text) == ["The script does not run.", "I work at the mill."]


@pytest.mark.parametrize(
    "said",
    [
        "For the record, I'm allergic to nuts (all)", "# Me\nI live in Turku.", "If you ask (and you do):",
        "I have two cats; they hate me;", "from Turku, where I work", "- I drink tea\n- I hate coffee",
        "while we are at it: my name is Bo", "import taxes are what I do",
    ],
)  # fmt: skip
def test_prose_is_no_program(said: str) -> None:
    assert unquoted_sentences(said) == [line for line in said.replace(". ", ".\n").splitlines() if line]


@pytest.mark.parametrize("piece", ["(", "( ", "if (", "{; ", "for a in ", "x.", "a=", ") ", "= <", "' "])
def test_a_long_line_is_read_once(piece: str) -> None:
    line = piece * 20_000
    assert len(unquoted_sentences(f"{line}\nI work at the mill.")) <= 2
