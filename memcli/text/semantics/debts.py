"""Who owes whom by what a text says, money or a thing that is on loan.

Debts are told from either side and by several verbs ("I lent Tom 20", "Tom borrowed 20 from me", "Tom me debe
20"): what counts is whether the speaker owes, or is owed. In seven languages, for questions as well.
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

# The speaker: who does it; to whom, or from whom, it is done; whose a thing is.
_DOER = FIRST_PERSON | {"j'"}
_OTHER = word_set("me us mir mich uns m' moi mi mim nos mij ons")
WHOSE = word_set("my our mein meine meinen unser unsere mon ma mes mio mia meu minha mijn onze")
# First persons, with their accents, of verbs that leave "I" out.
_OWN = word_set(
    "debo debemos devo dobbiamo devemos presté prestamos prestei emprestei emprestamos hemos ho abbiamo pedí"
    " pedi presi peguei tomé tomei"
)
# From whom something is on loan: then who does it has borrowed it. In German so is what one lends oneself.
FROM = word_set("from von vom van bei bij da dal dalla")
_REFLEXIVE, _OWN_REFLEXIVE = word_set("sich zich"), word_set("mir uns mich")
# Verbs of owing that are "must" before another verb, by how they begin; what may stand between the two.
_MUST = ("do", "de")
_BETWEEN = word_set(
    "y en te lui leur le la lo se me de gli ti vi encore ancora anche todavia tambien ainda aussi"
)
_INFINITIVE = expression(
    r"(?!quatre)[^\W\d_]+(?:[aei]r|(?:[aei]|oi|[dt])re|oir)(?:l[aoei]s?|me|te|se|mi|ti|si|gli|ne)?"
)
# "Owes", at the head of a sentence without a subject, tells of nobody.
_THIRD = word_set("owes lends schuldet debe deben deve devono devem doit doivent")
MONEY = word_set(
    "money cash euro euros geld summe betrag eur usd dollar dollars pound pounds pfund argent"
    " dinero soldi dinheiro"
)
# A currency's sign tells a sum.
_SIGNED = expression(r"[$€£¥₹]\s?\d|\d\s?[$€£¥₹]")
# Of untaught.txt.
_SENSES = ("owing", "lending", "on loan", "on asking", "paid", "repaid", "back", "gave", "got", "square")
# Of these, those of which one stands in whatever tells a debt: see `_sort`.
_TELLING = frozenset({"owing", "lending", "on loan"})
_WORD = expression(r"[^\W_]+'?")


class Debt(NamedTuple):
    """A debt of whoever speaks, or to them."""

    is_own: bool
    """The speaker owes; else is owed."""
    is_money: bool
    """It is money; else a thing on loan."""
    words: tuple[str, ...]
    """All that the text says, folded."""


# A statement is set against all that are like it.
@lru_cache(maxsize=4096)
def debt_of(text: str) -> Debt | None:
    """The first debt that a statement tells of its speaker, or that a question asks for; mostly None."""
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
    """Whether a text tells of a debt of its speaker as a question asks for it, or the other way round.

    None where one of the two tells of none. Of somebody else than whom the question names it is turned, too:
    what Ann owes says nothing of what Tom does. So it is of a thing on loan where money is asked for.
    """
    asked, told = debt_of(question), debt_of(text)
    if asked is None or told is None:
        return None
    if asked.is_own is not told.is_own or (asked.is_money and not told.is_money):
        return "turned"
    names = names_asked(question)
    return "asked" if not names or share_form(names, told.words) else "turned"


def names_asked(question: str) -> list[str]:
    """Whom a question for debts names, folded; nobody where it asks for all of them."""
    names = map(fold_case, capitalised_words(question))
    return [name for name in names if not (name in MONEY or is_of_debts(name) or name in FUNCTION_WORDS)]


def owe_apart(one: str, other: str) -> bool:
    """Whether two texts tell of debts in opposite directions and of different people: both hold."""
    ours, theirs = debt_of(one), debt_of(other)
    if ours is None or theirs is None or ours.is_own is theirs.is_own:
        return False
    names, others = folded_names(one), folded_names(other)
    return bool(names and others) and not share_form(names, others)


def is_beside_debt(newer: str, older: str) -> bool:
    """Whether just one of two texts tells of somebody's debt, and the other of an amount in another matter.

    That has a number as the debt has, no word of debts or of what is paid, and no word or name of it: what
    Sandro owes is not put right by what the fridge cost. (Of three pairs so labelled both hold.)
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
    """Whether a text names money: by its word, by a currency, or by a number by which nothing is counted."""
    if not MONEY.isdisjoint(words) or _SIGNED.search(text):
        return True
    return any(
        word.isdigit() and (behind in FUNCTION_WORDS or _is_light(behind))
        for word, behind in pairwise((*words, "the"))
    )


class Said:
    """The words of a text as they are written and folded, and what they may mean of debts."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.written: tuple[str, ...] = tuple(_WORD.findall(text.casefold().replace("’", "'")))
        self.folded = self.written if text.isascii() else tuple(map(fold_case, self.written))
        self.senses = frozenset[str]().union(*map(_senses_of_debts, self.folded))
        """What any of the words may mean of debts and of what is paid of them; mostly nothing."""

    @cached_property
    def asked(self) -> bool:
        """Whether it is a question or a request."""
        return is_asked(self._text)

    @staticmethod
    # A text is asked for several things one after the other.
    @lru_cache(maxsize=256)
    def of(text: str) -> Said:
        """Read a text."""
        return Said(text)


def _sort(said: Sequence[str], place: int) -> Literal["owing", "borrowing", "lending"] | None:
    """Whether who does what a word says owes it then, as "owe" or by borrowing, or is owed it."""
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
    """Whether the speaker does what the word at a place says, or it is done to them; None if neither.

    `is_thing`: what is theirs is theirs to lend, so that it is done to them, too: "Lea borrowed my drill".
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
    # "Let me borrow": in English who is before the verb does it.
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
    """The words with a capital that may name somebody, or a thing; folded."""
    found = (word.rstrip("'") for word in _WORD.findall(text.replace("’", "'")) if word[:1].isupper())
    folded = map(fold_case, found)
    return [word for word in folded if len(word) > 1 and word not in FUNCTION_WORDS and not _is_light(word)]


def _is_light(word: str) -> bool:
    """Whether a word is there to tell of a debt, and says not whose or of what."""
    return word.isdigit() or word in MONEY or is_of_debts(word) or has_sense(word, "done")


def is_of_debts(word: str) -> bool:
    """Whether a folded word is one by which debts, and what is paid of them, are told."""
    return bool(_senses_of_debts(word))


# People use few words most of the time.
@lru_cache(maxsize=8192)
def _senses_of_debts(word: str) -> frozenset[str]:
    # Most words are none of these.
    if not has_any_sense(word, _SENSES):
        return frozenset()
    return frozenset(sense for sense in _SENSES if has_sense(word, sense))


def share_form(some: Iterable[str], others: Sequence[str]) -> bool:
    """Whether one of some folded words is a form of one of others."""
    return any(are_forms(one, other.rstrip("'")) for one in some for other in others)
