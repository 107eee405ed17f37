"""Secrets of many kinds are found whole, and harmless texts that look like them are left alone."""

from __future__ import annotations

import random
import subprocess
import sys

import pytest

from memcli.text.secrets import arguments, codes, credentials
from memcli.text.secrets.places import literals_of
from memcli.text.secrets.scan import find_secrets, redact
from tests.text.secret_texts import HARMLESS, NUMBERS, PASSWORDS, TOKENS, filled, lines

SECRET = [*lines(PASSWORDS), *lines(TOKENS), *lines(NUMBERS)]


def test_there_are_enough_texts_of_both_kinds() -> None:
    assert len(SECRET) > 350 and len(lines(HARMLESS)) > 250


@pytest.mark.parametrize("line", SECRET)
def test_a_secret_is_found_from_its_first_sign_to_its_last(line: str) -> None:
    for seed in range(3):
        example = filled(line, random.Random(f"{seed} {line}"))
        found = find_secrets(example.text)
        assert [example.text[each.start : each.end] for each in found] == example.secrets
        clean = redact(example.text, [each._replace(name="x") for each in found])
        assert clean == example.without("[redacted x]")


@pytest.mark.parametrize("line", lines(HARMLESS))
def test_a_harmless_text_holds_none(line: str) -> None:
    for seed in range(3):
        text = filled(line, random.Random(f"{seed} {line}")).text
        assert [(each.rule, text[each.start : each.end]) for each in find_secrets(text)] == []


def test_several_secrets_of_one_text_are_all_found() -> None:
    chance = random.Random(7)
    examples = [filled(line, chance) for line in lines(TOKENS)]
    text = "\n\n".join(example.text for example in examples)
    clean = redact(text, find_secrets(text))
    missed = [secret for example in examples for secret in example.secrets if secret in clean]
    assert missed == [] and "use [redacted GitHub token] to push" in clean


def test_a_place_is_looked_for_only_where_one_of_its_literals_stands() -> None:
    for module in (codes, credentials):
        assert (
            all(place.literals for place in module._PLACES) and literals_of(module._PLACES) == module.LITERALS
        )
    assert literals_of(arguments._places()) == arguments.LITERALS
    assert all(literal == literal.lower() for literal in arguments.LITERALS)


HOSTILE = r"""
import sys
from memcli.text.secrets.scan import find_secrets
pieces = ["curl -u ", "session=a", "4111/", "x1 is my password ", "-----BEGIN PUBLIC KEY-----\na\n", "ssn 1",
    "the lock is 4417 rows ", "login a.b with a1!b2c3 ", "left 1 right 2 ", "wallet words: apple ", "safe 1 "]
for piece in pieces:
    find_secrets((piece * (250_000 // len(piece) + 1))[:250_000])
print("read")
"""


def test_a_long_hostile_text_is_read_to_its_end() -> None:
    # No time is asserted: what grows with the square of a text would take the half of an hour.
    done = subprocess.run(
        [sys.executable, "-c", HOSTILE], capture_output=True, text=True, timeout=600, check=False
    )
    assert done.stdout == "read\n", done.stderr
