"""Designations: things of one kind told apart by a number: hall 3 and hall five, third floor, the P900."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from memcli.named_tuple import NamedTuple
from memcli.text.expressions import expression
from memcli.text.numbers.quantities import calendar_words, number_words, ordinal_words, quantities
from memcli.text.stopwords import STOPWORDS
from memcli.text.words import fold_case

# "P900", "api-03", "B2.14"; "3.14", "10.0.0.5", "2024-07"; "4B".
_TOKEN = expression(r"[^\W\d_]+[-_.]?\d[^\W_]*(?:[-.]\d+)*|\d+(?:[.,:-]\d+)*[^\W\d_]*|[^\W\d_]+|[^\w\s]")
_LETTERS = expression(r"[^\W\d_]+")
# A range, "halls 1 to 6", "Bahnsteig 3-5", which includes what lies between.
_RANGE = expression(
    r"(?<![\d.,-])\d{1,3}(?:th)?\s*(?:[-–—/]|to|bis|à|a|al|tot|até|e|et|und|and|y|en|&|,)\s*\d{1,3}(?![\d.])"
)
# An ordinal before a noun: "3rd", "3ème", "3º", as folded.
_ORDINAL = expression(r"(\d{1,3})(?:st|nd|rd|th|ers?|e|eme|ste|de|o|a)")
_WORD = expression(r"[^\W\d_]+")
# A number, perhaps with the letter of an apartment or a row: "4b".
_NUMBER = expression(r"\d+(?:[.,:-]\d+)*[^\W\d_]?")
# Removed, so that "S-12" and "S12" are one.
_JOINING = str.maketrans("", "", "-_")
# Number words up to this value may designate things; some are mostly other words.
_MOST = 20
_OTHER_WORDS = ("once", "sei", "twice", "zweimal")
# A shorter word before a number is a unit, or introduces a measure.
_SHORTEST = 3


class Designation(NamedTuple):
    """The designation of a thing: its kind, and its number or code; both case-folded."""

    sort: str
    number: str


def designations(text: str) -> frozenset[Designation]:
    """Return the things that a text designates by a number: "hall 3", "third floor"; no days, no measures."""
    return frozenset(_designations(_in_figures(text)))


def names_another(question: str, text: str) -> bool:
    """True if a text is about another thing of the kind that a question designates by a number.

    For a question about the P900, the text names only the P300. What may be part of a list or a range ("halls
    1 to 6") is no other.
    """
    asked = designations(question)
    if not asked:
        return False
    text = _in_figures(text)
    told = frozenset(_designations(text))
    if not asked.isdisjoint(told) or _RANGE.search(text):
        return False
    said = quantities(_ORDINAL.sub(r"\1", text)).numbers
    missing = [each for each in asked if not (each.number.isdigit() and float(each.number) in said)]
    return len(missing) == len(asked) and not {each.sort for each in asked}.isdisjoint(
        each.sort for each in told
    )


def _in_figures(text: str) -> str:
    """Return a text case-folded, with number words and ordinals in digits: "hall 5", "the 3th floor"."""
    return _WORD.sub(lambda match: _figures().get(match[0], match[0]), fold_case(text))


@cache
def _figures() -> dict[str, str]:
    counted = {fold_case(word): count for word, count in number_words().items() if 0 < count <= _MOST}
    cardinals = {word: f"{count:.0f}" for word, count in counted.items() if word not in _OTHER_WORDS}
    return cardinals | {word: f"{number}th" for word, number in ordinal_words().items()}


def _designations(text: str) -> Iterator[Designation]:
    # "ticket #882" is ticket 882.
    tokens, days = [each for each in _TOKEN.findall(text) if each != "#"], calendar_words()
    for place, token in enumerate(tokens):
        before, after = tokens[place - 1] if place else "", "".join(tokens[place + 1 : place + 2])
        names, is_named = (
            len(each) >= _SHORTEST and each.isalpha() and each not in STOPWORDS and each not in days
            for each in (before, after)
        )  # fmt: skip
        ordinal = _ORDINAL.fullmatch(token)
        if _NUMBER.fullmatch(token) and not (ordinal and is_named and not names):
            if names and after not in days:
                yield Designation(before, token)
        elif ordinal:
            if is_named:
                yield Designation(after, ordinal[1])
        # "500mg", "20h" are measures: letters behind a number name nothing.
        elif (letters := _LETTERS.match(token)) and letters[0] != token:
            yield Designation(letters[0], token.translate(_JOINING))
