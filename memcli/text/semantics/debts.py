"""Debts: who owes whom money, or has a thing on loan, as a text says.

Debts are told from either side and with several verbs ("I lent Tom 20", "Tom borrowed 20 from me", "Tom me
debe 20"); what counts is whether the speaker owes, or is owed. In seven languages, for questions as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Literal

from memcli.named_tuple import NamedTuple
from memcli.text.asking import capitalised_words, is_asked
from memcli.text.english.vocabulary import FIRST_PERSON, word_set
from memcli.text.expressions import expression
from memcli.text.numbers.quantities import quantities
from memcli.text.semantics.reported import own_words
from memcli.text.semantics.roles import Role, are_forms
from memcli.text.semantics.senses import has_any_sense, has_sense
from memcli.text.stopwords import FUNCTION_WORDS
from memcli.text.words import fold_case

# Words for the speaker: as subject, as object, as owner.
_DOER = FIRST_PERSON | {"j'"}
_OTHER = word_set("me us mir mich uns m' moi mi mim nos mij ons")
WHOSE = word_set("my our mein meine meinen unser unsere mon ma mes mio mia meu minha mijn onze")
# First persons, with their accents, of verbs that leave "I" out.
_OWN = word_set(
    "debo debemos devo dobbiamo devemos presté prestamos prestei emprestei emprestamos hemos ho abbiamo pedí"
    " pedi presi peguei tomé tomei"
)
# With "from" a verb for lending means that the subject borrows; in German and Dutch so does a reflexive.
FROM = word_set("from von vom van bei bij da dal dalla")
_REFLEXIVE, _OWN_REFLEXIVE = word_set("sich zich"), word_set("mir uns mich")
# Beginnings of verbs of owing that mean "must" before another verb, and words that may stand between the two.
_MUST = ("do", "de")
_BETWEEN = word_set(
    "y en te lui leur le la lo se me de gli ti vi encore ancora anche todavia tambien ainda aussi"
)
_INFINITIVE = expression(
    r"(?!quatre)[^\W\d_]+(?:[aei]r|(?:[aei]|oi|[dt])re|oir)(?:l[aoei]s?|me|te|se|mi|ti|si|gli|ne)?"
)
# Verbs in the third person that, at the beginning of a sentence without a subject, name no debtor.
_THIRD = word_set("owes lends schuldet debe deben deve devono devem doit doivent")
MONEY = word_set(
    "money cash euro euros geld summe betrag eur usd dollar dollars pound pounds pfund argent"
    " dinero soldi dinheiro"
)
# A number with a currency sign is a sum of money.
_SIGNED = expression(r"[$€£¥₹]\s?\d|\d\s?[$€£¥₹]")
# Senses of untaught.txt that concern debts.
_SENSES = ("owing", "lending", "on loan", "on asking", "paid", "repaid", "back", "gave", "got", "square")
# A text about a debt has a word of at least one of these: see `_sort`.
_TELLING = frozenset({"owing", "lending", "on loan"})
_WORD = expression(r"[^\W_]+'?")


class Debt(NamedTuple):
    """A debt of the speaker, or to the speaker."""

    is_own: bool
    """True if the speaker owes; False if the speaker is owed."""
    is_money: bool
    """True for money, False for a thing on loan."""
    words: tuple[str, ...]
    """All words of the text, case-folded."""


# Cached, because one statement is compared with many.
@lru_cache(maxsize=4096)
def debt_of(text: str) -> Debt | None:
    """Return the first debt of or to its speaker that a text states or asks for; None without one."""
    if _TELLING.isdisjoint(Said.of(text).senses):
        return None
    said = Said.of(own_words(text))
    for place in range(len(said.folded)):
        sort = _sort(said.folded, place)
        does = sort and speaker_does(said, place, is_thing=sort != "owing")
        if sort and does is not None:
            is_money = sort == "owing" or tells_sum(text, said.folded)
            return Debt(does is (sort != "lending"), is_money, said.folded)
    return None


def told_debt(question: str, text: str) -> Role | None:
    """Return "asked" if a text states the debt that a question asks for, "turned" if another, else None.

    "turned" means the opposite direction, another person than the question names (what Ann owes says nothing
    of what Tom does), or a thing on loan if money is asked for. None if one of the two is not about a debt.
    """
    asked, told = debt_of(question), debt_of(text)
    if asked is None or told is None:
        return None
    if asked.is_own is not told.is_own or (asked.is_money and not told.is_money):
        return "turned"
    names = names_asked(question)
    return "asked" if not names or share_form(names, told.words) else "turned"


def names_asked(question: str) -> list[str]:
    """Return the people that a question about debts names, case-folded; empty if it asks for all debts."""
    names = map(fold_case, capitalised_words(question))
    return [name for name in names if not (name in MONEY or is_of_debts(name) or name in FUNCTION_WORDS)]


def owe_apart(one: str, other: str) -> bool:
    """True if two texts state debts in opposite directions with different people, so that both hold."""
    ours, theirs = debt_of(one), debt_of(other)
    if ours is None or theirs is None or ours.is_own is theirs.is_own:
        return False
    names, others = folded_names(one), folded_names(other)
    return bool(names and others) and not share_form(names, others)


def is_beside_debt(newer: str, older: str) -> bool:
    """True if only one of two texts states a debt, and the other an amount in another matter.

    The other has a number as the debt has, no word of debts or payments, and no word or name of the debt:
    what Sandro owes is not corrected by what the fridge cost. (In the three pairs so labelled both hold.)
    """
    ours, theirs = debt_of(newer), debt_of(older)
    if (ours is None) is (theirs is None):
        return False
    debt, other = (newer, older) if ours else (older, newer)
    words = Said.of(other).folded
    if any(map(is_of_debts, words)) or not folded_names(debt):
        return False
    if not (quantities(debt).numbers and quantities(other).numbers):
        return False
    said, owed = (
        [word for word in Said.of(text).folded if not (word in FUNCTION_WORDS or _is_light(word))]
        for text in (other, debt)
    )
    return not share_form(said, owed)


def tells_sum(text: str, words: Sequence[str]) -> bool:
    """True if a text names money: by a word for it, by a currency, or by a number that counts nothing."""
    if not MONEY.isdisjoint(words) or _SIGNED.search(text):
        return True
    return any(
        word.isdigit() and (behind in FUNCTION_WORDS or _is_light(behind))
        for word, behind in pairwise((*words, "the"))
    )


class Said:
    """The words of a text, as written and case-folded, and their senses that concern debts."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.written: tuple[str, ...] = tuple(_WORD.findall(text.casefold().replace("’", "'")))
        self.folded = self.written if text.isascii() else tuple(map(fold_case, self.written))
        self.senses = frozenset[str]().union(*map(_senses_of_debts, self.folded))
        """The senses of its words that concern debts and payments; mostly empty."""

    @cached_property
    def asked(self) -> bool:
        """True if it is a question or a request."""
        return is_asked(self._text)

    @staticmethod
    # Cached, because several questions are asked of one text in turn.
    @lru_cache(maxsize=256)
    def of(text: str) -> Said:
        """Read a text."""
        return Said(text)


def _sort(said: Sequence[str], place: int) -> Literal["owing", "borrowing", "lending"] | None:
    """Return how the subject of a verb stands to the debt: "owing", "borrowing" (both owe) or "lending"."""
    word = said[place]
    if has_sense(word, "lending"):
        return "lending"
    if has_sense(word, "on loan"):
        asking = any(has_sense(each, "on asking") for each in said)
        borrows = asking or not FROM.isdisjoint(said) or _is_reflexive(said)
        return "borrowing" if borrows else "lending"
    if not has_sense(word, "owing") or (word.startswith(_MUST) and _is_must(said, place)):
        return None
    return "borrowing" if has_sense(word, "borrowing") else "owing"


def _is_must(said: Sequence[str], place: int) -> bool:
    behind = next((word for word in said[place + 1 :] if word not in _BETWEEN), "")
    return _INFINITIVE.fullmatch(behind) is not None


def _is_reflexive(said: Sequence[str]) -> bool:
    return not _REFLEXIVE.isdisjoint(said) or any(
        word in _DOER and not _OWN_REFLEXIVE.isdisjoint(said[place + 1 : place + 3])
        for place, word in enumerate(said)
    )


def speaker_does(said: Said, place: int, *, is_thing: bool = False) -> bool | None:
    """Return True if the speaker is the subject of the word at a place, False if the object, else None.

    With `is_thing` a possessive counts as the object, because only the owner of a thing lends it: "Lea
    borrowed my drill".
    """
    words = said.folded
    # "I've" is two words here, of which the first is "i'".
    does = [
        n
        for n, word in enumerate(words)
        if not _DOER.isdisjoint((word, word.rstrip("'"))) or said.written[n] in _OWN
    ]
    # Nobody says "owe I": that is "the" in Italian.
    does = [n for n in does if not (words[n] == "i" and n == place + 1)]
    done_to = [n for n, word in enumerate(words) if word in _OTHER]
    if words[place - 1 : place] == ("he",) and has_sense(words[place], "on loan"):
        does.append(place)
    # "Let me borrow": in English the word before the verb is its subject.
    if words[place - 1 : place] in (("me",), ("us",)) and words[place].startswith("borrow"):
        return True
    if does and done_to:
        is_own = any(n in (m + 1, m + 2) and words[n] in _OWN_REFLEXIVE for m in does for n in done_to)
        near, other = (min(abs(n - place) for n in some) for some in (does, done_to))
        return is_own or near <= other
    if does or done_to:
        return bool(does)
    # "Lent Tom 20", "Lent Tom my saw": who speaks did.
    if place == 0 and not said.asked and words[0] not in _THIRD:
        return True
    if is_thing and not WHOSE.isdisjoint(words[1:]):
        return None if not FROM.isdisjoint(words) else False
    return None


def folded_names(text: str) -> list[str]:
    """Return the capitalised words of a text that may be names of people or things, case-folded."""
    found = (word.rstrip("'") for word in _WORD.findall(text.replace("’", "'")) if word[:1].isupper())
    folded = map(fold_case, found)
    return [word for word in folded if len(word) > 1 and word not in FUNCTION_WORDS and not _is_light(word)]


def _is_light(word: str) -> bool:
    """True if a word belongs to the wording of debts, and does not say whose or of what."""
    return word.isdigit() or word in MONEY or is_of_debts(word) or has_sense(word, "done")


def is_of_debts(word: str) -> bool:
    """True if a folded word has a sense that concerns debts or payments."""
    return bool(_senses_of_debts(word))


# Cached: most texts use few different words.
@lru_cache(maxsize=8192)
def _senses_of_debts(word: str) -> frozenset[str]:
    # Most words are none of these.
    if not has_any_sense(word, _SENSES):
        return frozenset()
    return frozenset(sense for sense in _SENSES if has_sense(word, sense))


def share_form(some: Iterable[str], others: Sequence[str]) -> bool:
    """True if one of some folded words is a form of one of the others."""
    return any(are_forms(one, other.rstrip("'")) for one in some for other in others)
