"""What answers far behind the best is on the page where a judge is surer of it, or it alone has a name."""

from __future__ import annotations

import json

import pytest

from tests.conftest import Run

NOTES = (
    "I'm Imogen, I restore wooden boats at Avoncliff Boatyard",
    "The Pembertons said yes to the quote and want Idle Hour back in the water by 20 March",
    "Quoted the Pembertons £4,850 for new back cabin doors and a hatch on Idle Hour",
    "Idle Hour is 57 foot long and draws 2 foot 3",
    "Kittiwake, Mrs Hartnell's skiff, needs eleven new oak ribs",
    "All nine ribs are in Kittiwake, steamed and riveted",
    "Tunde drives a Skoda Octavia, Callum an old Volvo V70",
    "Book club is reading The Salt Path this month",
    "Never use steel screws in oak, the tannin stains it black",
    "House insurance is with Aviva, renews on 15 May",
    "Choir practice is Thursdays at 7.30 at Holy Trinity",
    "Gwen next door has our spare key",
)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("what did I quote for Idle Hour?", NOTES[2]),
        ("by when must Idle Hour be finished?", NOTES[1]),
        ("whose boat is Kittiwake?", NOTES[4]),
    ],
)
def test_the_right_note_is_not_cut(mem: Run, question: str, answer: str) -> None:
    assert mem("remember", "--batch", "--force", input="\n".join(NOTES)).returncode == 0
    texts = [json.loads(line).get("text") for line in mem("recall", question, "--json").stdout.splitlines()]
    assert answer in texts
    hits = [json.loads(line) for line in mem("recall", question, "--json").stdout.splitlines()]
    assert len([each for each in hits if each.get("weak")]) <= 3
