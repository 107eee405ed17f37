"""Things of one sort that are told apart by a number: hall 3 and hall 5, the P300 and the P900."""

from collections.abc import Iterator
from typing import NamedTuple

from memcli.text.expressions import expression
from memcli.text.quantities import calendar_words, quantities
from memcli.text.stopwords import STOPWORDS
from memcli.text.words import fold_case

# "P900", "api-03", "B2.14"; "3.14", "10.0.0.5", "2024-07"; "4B".
_TOKEN = expression(r"[^\W\d_]+[-_.]?\d[^\W_]*(?:[-.]\d+)*|\d+(?:[.,:-]\d+)*[^\W\d_]*|[^\W\d_]+|[^\w\s]")
_LETTERS = expression(r"[^\W\d_]+")
# "halls 1 to 6", "Bahnsteig 3-5": what lies between is meant as well.
_RANGE = expression(
    r"(?<![\d.,-])\d{1,3}\s*(?:[-–—/]|to|bis|à|a|al|tot|até|e|et|und|and|y|en|&|,)\s*\d{1,3}(?![\d.])"
)
# With the letter of an apartment or a row: "4b".
_NUMBER = expression(r"\d+(?:[.,:-]\d+)*[^\W\d_]?")
# "S-12" and "S12" are one.
_JOINING = str.maketrans("", "", "-_")
# A shorter word before a number is a unit's sign or leads to a measure.
_SHORTEST = 3


class Designation(NamedTuple):
    """What a thing is called by: the sort of thing, and the number or code of this one; both folded."""

    sort: str
    number: str


def designations(text: str) -> frozenset[Designation]:
    """The things that a text calls by a number: "hall 3", "P900"; no days, no measures."""
    return frozenset(_designations(text))


def names_another(question: str, text: str) -> bool:
    """Whether a text tells of another thing of the sort that a question calls by a number, and not of that.

    Asked who looks after the P900 it says who looks after the P300. What may be meant in a list or a range
    ("halls 1 to 6") is no other.
    """
    asked = designations(question)
    if not asked:
        return False
    told = designations(text)
    if not asked.isdisjoint(told) or _RANGE.search(text):
        return False
    said = quantities(text).numbers
    missing = [each for each in asked if not (each.number.isdigit() and float(each.number) in said)]
    return len(missing) == len(asked) and not {each.sort for each in asked}.isdisjoint(
        each.sort for each in told
    )


def _designations(text: str) -> Iterator[Designation]:
    # "ticket #882" is ticket 882.
    tokens, days = [each for each in _TOKEN.findall(fold_case(text)) if each != "#"], calendar_words()
    for place, token in enumerate(tokens):
        before, after = tokens[place - 1] if place else "", "".join(tokens[place + 1 : place + 2])
        if _NUMBER.fullmatch(token):
            names = len(before) >= _SHORTEST and before.isalpha() and before not in STOPWORDS
            if names and before not in days and after not in days:
                yield Designation(before, token)
        # "500mg", "20h" are measures: letters behind a number name nothing.
        elif (letters := _LETTERS.match(token)) and letters[0] != token:
            yield Designation(letters[0], token.translate(_JOINING))
