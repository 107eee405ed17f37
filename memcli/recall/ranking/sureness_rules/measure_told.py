"""Measure told: True if a note plainly states the measure that is asked for, such as a price or a distance.

The judge of answers was trained on the words of questions: having learned that prices are asked for more
often than noted, it is unsure of a price that is there.
"""

from __future__ import annotations

from memcli.recall.ranking.answer_features import is_among
from memcli.text.asking import MEASURING, capitalised_words, what_is_asked
from memcli.text.english.vocabulary import word_set
from memcli.text.expressions import expression
from memcli.text.numbers.quantities import quantities
from memcli.text.secrets.amounts import is_amount, names_cost
from memcli.text.words import fold_case, query_terms

_WORD = expression(r"[^\W\d_]+")
# A number by itself: not part of a code, a time of day or a date in figures.
_NUMBER = expression(r"(?<![\w.:/-])(?P<known>\d[\d.,]*\d|\d)(?![:/-]?\d)")
# What is asked for by these words, in eight languages, is told in these units.
_DIMENSIONS = (
    (
        word_set("""
            tall high wide deep far gross hoch breit tief weit haut large profond alto ancho hondo largo
            profondo fundo lang hoog breed diep wysoki
        """),
        word_set("""
            m cm mm km metre metres meter meters metro metros metri ft foot feet inch inches mile miles
            centimetres centimeter zentimeter kilometer kilometres
        """),
    ),
    (
        word_set("heavy weigh weighs schwer wiegt pese pesa peser zwaar weegt"),
        word_set("""
            kg g t kilo kilos kilogram kilograms kilogramm gram grams gramm lb lbs pound pounds stone
            tonne tonnes pfund
        """),
    ),
)
_UNIT = expression(r"\d\s?(?P<unit>[^\W\d_]+)")
# After "how much" these words ask for a price.
_PRICED = frozenset({"is", "was", "are", "were", "did", "do", "does"})


def tells_other_dimension(question: str, text: str) -> bool:
    """Whether a note tells no length where one is asked for, but a weight, or the other way round."""
    said = set(_WORD.findall(fold_case(question)))
    units = {fold_case(found["unit"]) for found in _UNIT.finditer(text)}
    asked = [told for words, told in _DIMENSIONS if not words.isdisjoint(said)]
    others = [told for words, told in _DIMENSIONS if words.isdisjoint(said)]
    return (
        len(asked) == 1 and units.isdisjoint(asked[0]) and any(not units.isdisjoint(each) for each in others)
    )


def tells_measure(question: str, text: str) -> bool:
    """True if a note has all words and names of a question for a measure, and a number of the kind asked for.

    That is money for a price or value; for all else a number that is no money, with no day that the question
    does not name. A name alone is not enough: every note about Ife matches "how tall is Ife?".
    """
    said = _WORD.findall(fold_case(question))
    asked = what_is_asked(said)
    # Ages are stated in many ways, and most numbers about a person are no age.
    if asked not in ("how much", "count") or said[1:2] == ["old"]:
        return False
    told = set(_WORD.findall(fold_case(text)))
    # A total of several says nothing about each.
    if "each" in said and "each" not in told:
        return False
    names = {fold_case(name) for name in capitalised_words(question)}
    things = {word for term in query_terms(question) for word in term if word.isalpha()} - MEASURING
    if things <= names or not all(is_among(word, told) for word in things):
        return False
    amounts = [is_amount(match) for match in _NUMBER.finditer(text)]
    if not amounts:
        return False
    much = said[:2] == ["how", "much"]
    if names_cost(question) or (much and not _PRICED.isdisjoint(said[2:3])):
        return any(amounts)
    ours, theirs = quantities(question), quantities(text)
    # "How much epoxy", "quanto", "combien" ask for money or for less.
    of_the_sort = much or asked == "count" or not any(amounts)
    return of_the_sort and theirs.calendar <= ours.calendar and bool(theirs.numbers - ours.numbers)
