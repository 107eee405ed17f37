"""What changes something is never taken for known, however near (`benchmarks/changes.txt`)."""

from __future__ import annotations

from pathlib import Path

import pytest

from memcli.memories import Memories
from memcli.text.comparison.duplicates import compare_texts
from memcli.text.english.tokens import tokenize

_LIST = Path(__file__).parents[2] / "benchmarks" / "changes.txt"
_PAIRS = [
    [part.strip() for part in line.split(" | ", 2)]
    for line in _LIST.read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
]
_CHANGED = [(old, new) for label, old, new in _PAIRS if label == "changed"]
_SAME = [(old, new) for label, old, new in _PAIRS if label == "same"]


@pytest.mark.parametrize("cosine", [0.75, 0.9, 0.97, 1.0])
def test_what_changes_something_is_never_the_same(cosine: float) -> None:
    taken = [
        (old, new) for one, other in _CHANGED for old, new in ((one, other), (other, one))
        if compare_texts(new, old, cosine).verdict == "same"
    ]  # fmt: skip
    assert not taken


def test_what_only_words_it_differently_is_the_same() -> None:
    missed = [
        (old, new) for one, other in _SAME for old, new in ((one, other), (other, one))
        if compare_texts(new, old, 0.93).verdict != "same"
    ]  # fmt: skip
    assert len(missed) <= 0.12 * 2 * len(_SAME), missed


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("rm -r /tmp/a, then src/b.py.", ["-r", "/tmp/a", "src/b.py"]),
        ("see https://A.org/Setup, (https://a.org/b)", ["https://a.org/Setup", "https://a.org/b"]),
        ("mail Ann.Lee@acme.io!", ["ann.lee@acme.io"]),
        ("call parse_date() or obj.close() of `Big Table`", ["parse_date", "obj.close", "Big", "Table"]),
        ("$HOME ${X} a==b x=1 std::map", ["$HOME", "${X}", "a==b", "x=1", "std::map"]),
        ("C:\\data *.py [a-z]+", ["C:\\data", "*.py", "[a-z]+"]),
        ("getUser __init__ README.md --no-cache", ["getUser", "__init__", "README.md", "--no-cache"]),
        ("I use GitHub on my iPhone at 5.30 p.m. in the U.S., e.g. on left-handed _days_ - well, 24/7", []),
        ("Ann said: yes. It's 5.5km, 1,200 or 192.168.1.1:80; why?", []),
    ],
)  # fmt: skip
def test_code_is_known_by_its_form(text: str, codes: list[str]) -> None:
    assert [token.text for token in tokenize(text) if token.sort == "code"] == codes


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The API is at https://api.acme.io/v1/users", "The API is at https://api.acme.io/v1/user"),
        ("Deploy with kubectl apply -f", "Deploy with kubectl apply -F"),
        ("Redirect http to port 80", "Redirect https to port 80"),
    ],
)
def test_a_letter_of_code_is_not_lost_when_it_is_written(memories: Memories, old: str, new: str) -> None:
    first = memories.remember(old)
    second = memories.remember(new)
    assert first.id != second.id and second.text == new
    assert memories.remember(old.upper() if old.isalpha() else old + ".").id == first.id


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Jonas owes Liv 20 kroner", "Liv owes Jonas 20 kroner"),
        ("Jonas taught Liv chess", "Liv taught Jonas chess"),
        ("Paul a battu Marie aux échecs", "Marie a battu Paul aux échecs"),
        ("Thomas is married to Silas", "Silas is married to Thomas"),
    ],
)
def test_who_did_it_to_whom_is_told_by_names_that_look_like_words_at_the_head(one: str, other: str) -> None:
    assert compare_texts(other, one, 0.97).verdict == "changed"
    assert compare_texts(one, one.replace(" ", "  "), 0.97).verdict == "same"
