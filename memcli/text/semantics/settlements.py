"""Settlements: whether a text says that a debt or loan in an older text is paid or given back.

Money settles a debt of money, and the thing that was lent settles a loan; to mistake one for the other would
let consolidation end an unrelated note. In seven languages.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from functools import lru_cache
from itertools import pairwise
from typing import Literal

from memcli.named_tuple import NamedTuple
from memcli.text.english.vocabulary import ARTICLES, FOREIGN_ARTICLES, NEGATION, POSSESSIVE, word_set
from memcli.text.numbers.quantities import quantities
from memcli.text.semantics.debts import (
    MONEY,
    WHOSE,
    Said,
    debt_of,
    folded_names,
    is_of_debts,
    share_form,
    speaker_does,
    tells_sum,
)
from memcli.text.semantics.senses import has_sense, senses_of, tells_ahead, tells_done
from memcli.text.stopwords import FUNCTION_WORDS

# `all`: nothing of the debt is left. `part`: some of it is. `perhaps`: the text does not say what for.
# `other`: it is about another thing, another sum or somebody else's debt.
Settlement = Literal["all", "part", "perhaps", "other"]
# Infinitives of what is still to be done: "45 to pay back".
_TO_PAY = word_set("pay repay give return")
_THE = word_set("the his her their die les los las os gli i de")
# Prepositions before what is paid for.
_FOR = word_set("for fur pour por per voor para of de del della dei delle du des do da lo")
_DETERMINERS = ARTICLES | FOREIGN_ARTICLES | POSSESSIVE | WHOSE | word_set("their seine ihre sein ihr le")
# Verbs of having something of somebody's, and prepositions for where it is.
_HAS = word_set(
    "has have had got ve hat habe haben a ai ont tiene tienen tengo ha ho hanno tem tenho heeft heb"
)
_AT = word_set("at bei chez bij")
_MINE = WHOSE | word_set("mi mis")
_YEARS = range(1900, 2100)
# A text about a repayment has a word of at least one of these senses.
_REPAYING = frozenset({"square", "repaid", "paid", "back", "gave", "got"})
_WHEN = frozenset({"day", "month", "unit", "today", "tomorrow", "yesterday", "now", "last", "next"})


class _Owed(NamedTuple):
    """What an older text says is owed, or on loan."""

    is_own: bool
    """The speaker owes it, or has somebody else's thing."""
    is_money: bool
    words: tuple[str, ...]
    is_told: bool
    """The text says that it is owed or lent; False if only who has it."""


class _Repayment(NamedTuple):
    said: Said
    is_back: bool
    """It is paid or given back; False if it may be paid, or given, for anything."""
    is_money: bool
    is_square: bool
    """The text says that the two are even: nothing is left to pay."""
    by_speaker: bool | None


def settlement(newer: str, older: str) -> Settlement | None:
    """Return how a newer text settles the debt or loan of an older one; None if either is not about one."""
    back = _repayment(newer)
    owed = _owed(older) if back else None
    if back is None or owed is None or _is_ahead(newer, owed):
        return None
    names, others = folded_names(newer), folded_names(older)
    strangers = bool(names and others) and not share_form(names, others)
    if strangers or back.by_speaker not in (None, owed.is_own):
        return _other(back, owed)
    person = _person(newer, others)
    told = [word for _, word in _telling(back.said.folded) if not share_form([word], person)]
    matter = [word for word in _matter(back.said.folded) if word in told]
    shared = [word for word in told if share_form([word], owed.words)]
    if back.is_money:
        return _of_money(newer, older, back, owed, is_named=bool(person), matter=matter, shared=shared)
    if owed.is_money:
        return _other(back, owed)
    if shared:
        return "all" if back.is_back else "perhaps"
    return _other(back, owed) if matter else "perhaps" if person and back.is_back else None


def _of_money(
    newer: str,
    older: str,
    back: _Repayment,
    owed: _Owed,
    *,
    is_named: bool,
    matter: Sequence[str],
    shared: Sequence[str],
) -> Settlement | None:
    if not owed.is_money:
        return _other(back, owed)
    if back.is_square:
        return "all" if is_named or shared else "perhaps"
    ours, theirs = quantities(newer).numbers, quantities(older).numbers
    if not ours.isdisjoint(theirs):
        # "Gave me 20 of the 60 back".
        return "all" if ours <= theirs and (shared or _is_most(ours, theirs)) else "part"
    if matter and not shared and _matter(owed.words):
        return _other(back, owed)
    if ours and theirs:
        found: Settlement | None = "part" if min(ours) < max(theirs) and back.is_back else None
    elif matter and not shared:
        found = "perhaps" if back.is_back and is_named else None
    else:
        found = "all" if back.is_back or (shared and is_named) else None
    return found if is_named or shared else None


def _other(back: _Repayment, owed: _Owed) -> Settlement | None:
    """Return "other", unless it is uncertain: of a thing that somebody only has, or of a mere payment."""
    return "other" if back.is_back or (owed.is_told and back.is_money) else None


def _is_most(some: Set[float], others: Set[float]) -> bool:
    """True if no number of the others is larger, years aside: of "300, 100 a month" 100 is a part."""
    return max(some) >= max((each for each in others if each not in _YEARS), default=0.0)


@lru_cache(maxsize=4096)
def _owed(text: str) -> _Owed | None:
    debt = debt_of(text)
    if debt is not None:
        return _Owed(debt.is_own, debt.is_money, debt.words, is_told=True)
    said = Said.of(text)
    is_own = None if said.asked else _has_of_whose(said)
    return None if is_own is None else _Owed(is_own, is_money=False, words=said.folded, is_told=False)


def _has_of_whose(said: Said) -> bool | None:
    """True if the speaker has something of somebody's ("I've got Sue's dish"), False if it is the reverse."""
    words = said.folded
    if words[:1] and words[0] in _MINE and not _AT.isdisjoint(words):
        return False
    for place, word in enumerate(words):
        if word not in _HAS or not place:
            continue
        does = speaker_does(said, place)
        behind = words[place + 1 : place + 4]
        if not does and not _MINE.isdisjoint(behind):
            return False
        if does and any(each.endswith("'") for each in behind) and _MINE.isdisjoint(behind):
            return True
    return None


# Cached, because one statement is compared with many.
@lru_cache(maxsize=4096)
def _repayment(text: str) -> _Repayment | None:
    """Return the repayment that a text states; None if it states none, denies it or asks."""
    said = Said.of(text)
    if _REPAYING.isdisjoint(said.senses):
        return None
    words = said.folded
    square = any(has_sense(word, "square") for word in words)
    given = (
        next((n for n, word in enumerate(words) if any(has_sense(word, sense) for sense in senses)), None)
        for senses in (("repaid", "paid", "back"), ("gave", "got"))
    )
    place = next((each for each in given if each is not None), None)
    if said.asked or not (NEGATION | _TO_PAY).isdisjoint(words) or not (square or place is not None):
        return None
    if not (square or tells_done(text) or any(has_sense(word, "perfect") for word in words)):
        return None
    repaid, paid, got, gave, back = (
        any(has_sense(word, sense) for word in words) for sense in ("repaid", "paid", "got", "gave", "back")
    )
    is_back = square or repaid or (back and (paid or got or gave or not _HAS.isdisjoint(words)))
    named = any(before in _THE and word.isdigit() for before, word in pairwise(words))
    if not (is_back or paid or named or gave or got):
        return None
    # "Gave Tom his 20 back": the omitted subject is the speaker.
    does = None
    if place is not None:
        does = True if has_sense(words[0], "done") else speaker_does(said, place)
    by_speaker = None if does is None or square else does is not got
    is_money = paid or square or (repaid and not gave) or tells_sum(text, words)
    return _Repayment(said, is_back or (named and is_money), is_money, square, by_speaker)


def _is_ahead(newer: str, owed: _Owed) -> bool:
    """True if the repayment is still to come; names and nouns that look like futures do not count."""
    said = Said.of(newer)
    known = {word.rstrip("'") for word in owed.words}
    pairs = pairwise(("", *said.folded))
    return tells_ahead(
        " ".join(
            written
            for written, (before, word) in zip(said.written, pairs, strict=True)
            if word.rstrip("'") not in known and before not in _DETERMINERS
        )
    )


def _person(text: str, others: Sequence[str]) -> list[str]:
    """Return the first name that both texts have, as its one or several words, case-folded."""
    found: list[str] = []
    for name in folded_names(text):
        if share_form([name], others):
            found.append(name)
            continue
        if found:
            break
    return found[:1] if len(found) < 2 else found[: _length_of_name(text, found)]


def _length_of_name(text: str, names: Sequence[str]) -> int:
    """Return how many of the names stand side by side from the first on."""
    words = [word.rstrip("'") for word in Said.of(text).folded]
    place, length = words.index(names[0]), 1
    while length < len(names) and words[place + length : place + length + 1] == [names[length]]:
        length += 1
    return length


def _telling(words: Sequence[str]) -> list[tuple[int, str]]:
    """Return the content words that say what or whom a text is about, with their places.

    After "the" or "my" a word that may be a verb is a noun: "returned my saw".
    """
    found = []
    for place, (before, word) in enumerate(pairwise(("", *words))):
        bare = word.rstrip("'")
        is_verb = has_sense(bare, "done") and before not in _DETERMINERS
        light = is_verb or bare.isdigit() or bare in MONEY or is_of_debts(bare) or bare in FUNCTION_WORDS
        if len(bare) > 1 and not light and not _WHEN & {*senses_of(bare)}:
            found.append((place, bare))
    return found


def _matter(words: Sequence[str]) -> list[str]:
    """Return the words for what is paid for, or given back: those after "for", "the" or "my"."""
    telling = dict(_telling(words))
    found, within = [], False
    for place, word in enumerate(words):
        if word in _FOR or word in _DETERMINERS:
            within = True
        elif place in telling:
            found += [telling[place]] * within
        else:
            within = within and word.isdigit()
    return found
