"""Credentials noted in passing are cut out of their sentence; what only looks so is left alone."""

from __future__ import annotations

import re

import pytest

from memcli.text.secrets import openings
from memcli.text.secrets.prose import oddness
from memcli.text.secrets.scan import find_secrets, redact
from tests.text.noted_secrets import HARMLESS, NOTED


@pytest.mark.parametrize("line", NOTED.strip().splitlines())
def test_what_is_noted_is_found_and_the_value_alone_is_cut_out(line: str) -> None:
    text = re.sub("[«»]", "", line)
    found = find_secrets(text)
    assert [text[each.start : each.end] for each in found] == re.findall("«(.*?)»", line)
    assert redact(text, [each._replace(name="x") for each in found]) == re.sub("«.*?»", "[redacted x]", line)


@pytest.mark.parametrize("line", HARMLESS.strip().splitlines())
def test_a_sentence_that_only_looks_so_holds_none(line: str) -> None:
    assert [(each.rule, line[each.start : each.end]) for each in find_secrets(line)] == []


@pytest.mark.parametrize(
    "value", ["Heron2024", "web-prod-03", "v2.14.3", "AT&T", "128GB", "9f3c1e7b20", "password1", "id_ed25519"]
)
def test_names_versions_and_sizes_are_hardly_odd(value: str) -> None:
    assert oddness(value) <= 2


@pytest.mark.parametrize("value", ["mossy!Teapot31", "Tea&biscuit4", "w0rm+Castle"])
def test_a_sign_between_letters_with_a_digit_is_as_odd_as_can_be(value: str) -> None:
    assert oddness(value) == 4


def test_a_number_right_behind_its_name_is_personal_though_its_check_fails() -> None:
    for text in ("NHS number: 123 456 7899", "My BSN is 123456789", "meine Steuer-ID ist 12345678901"):
        assert find_secrets(text), text
    assert not find_secrets("The ward has 123 456 7899 on a label, NHS blue")


def test_every_word_for_what_is_locked_holds_a_literal_that_is_looked_for_first() -> None:
    for words in (openings.CODES, openings.LOCKED, openings._CODE_OF, openings._ENTRY):
        for word in words:
            plain = re.sub(r"\[(.)[^\]]*\]", r"\1", word.replace("(?:", "").replace("\\s", " "))
            assert any(literal in plain for literal in openings.LITERALS), word
