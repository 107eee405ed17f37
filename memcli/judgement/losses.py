"""Losses: what would be lost if an older statement ended because a newer one updates it.

An update replaces a value. The older statement can end if that is all it said: "The team lead is Kevin",
"Maria is the new team lead". Anything else that it says would be lost with it: "Standup is on Tuesdays at
9:30", "now at 9:45"; "My brother-in-law Peter works at Siemens", "Peter is at Bosch now".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from memcli.judgement.pair_forms import ANY_MORE, denies_what_is_told, one_denies, sort_of_value
from memcli.text.comparison.alignment import Alignment, align_texts
from memcli.text.comparison.reading import content_tokens
from memcli.text.english.tokens import Token, tokenize
from memcli.text.english.vocabulary import (
    ARTICLES,
    FOREIGN_ARTICLES,
    NEGATION,
    PERSON,
    POSSESSIVE,
    TITLES,
    UNIT,
)
from memcli.text.numbers.quantities import calendar_words
from memcli.text.semantics.distinct import begin_with_others
from memcli.text.semantics.roles import are_forms
from memcli.text.semantics.senses import has_sense

# The number of extra words that are no loss: "is an old Nokia", "is a Samsung".
_WORDS_MORE = 1
# A determiner stands at most so many words before its noun: "my old boss Kern".
_BEFORE = 3
_ARTICLES = ARTICLES | FOREIGN_ARTICLES


def loses_by_ending(older: str, newer: str, others: Iterable[str] = ()) -> bool:
    """True if an older statement says what neither the newer, which updates it, nor any of `others` says.

    That is a number, a day, a name or a code that the newer does not replace; who a person is that both
    mention; or some more words. What is denied is no loss, except who a person is. `others` are statements
    that stay; they count if they are about the same. If the two share no word and no person, only a judge
    says that they are about one thing, and all would be lost if it erred; so it would if each begins with
    another name.
    """
    if begin_with_others(newer, older):
        return True
    pair = align_texts(newer, older)
    if not (_shared(pair, _alone(pair)) or _persons(pair.old) & _persons(pair.new)):
        return True
    untold = _untold(pair, older, others)
    if _who_somebody_is(pair, untold):
        return True
    left = [token for token, alone in zip(pair.old, untold, strict=True) if alone]
    denied = _values_put_right(newer, pair)
    if denies_what_is_told(newer, older) and not denied:
        return False
    return bool(_values(left) - _values_in_their_place(pair, denied)) or _more_words(left, pair.telling_new)


def _values_put_right(newer: str, pair: Alignment) -> list[Token]:
    """Return the older statement's values that the newer corrects: "now on the 14th, not the 12th".

    Empty if the newer denies an action, too: after "I no longer work at Acme" nothing else of it still holds.
    """
    told = {(sort_of_value(token), token.folded) for token in pair.old}
    instead = {
        sort_of_value(token) for token in pair.only_new if (sort_of_value(token), token.folded) not in told
    }
    denied = []
    # Tokens as written: in the alignment "works at Acme" has become "is at Acme" (`plainly_put`).
    tokens = tokenize(newer)
    for place, token in enumerate(tokens):
        if token.folded in NEGATION and token.folded not in ANY_MORE:
            after = [t for t in content_tokens(tokens[place + 1 :]) if t.folded not in ANY_MORE | NEGATION]
            sort = sort_of_value(after[0]) if after else ""
            if not (sort and sort in instead and (sort, after[0].folded) in told):
                return []
            denied.append(after[0])
    return denied


def _persons(tokens: Iterable[Token]) -> set[str]:
    """Return the persons of the pronouns: "I live in Berlin" and "I moved to Hamburg" are both about "i"."""
    return {PERSON[token.text] for token in tokens if token.text in PERSON}


def _untold(pair: Alignment, older: str, others: Iterable[str]) -> list[bool]:
    """Return, for each token of the older statement, True if no other statement on the same has it."""
    untold = _alone(pair)
    of_whom = {token.stem for token in _shared(pair, untold)}
    named = {token.stem for token in _shared(pair, untold) if _is_name(token, pair)}
    for other in others:
        if one_denies(other, older):
            continue
        alone = _alone(align_texts(other, older))
        told = {token.stem for token, only in zip(pair.old, alone, strict=True) if not only}
        if not told.isdisjoint(named or of_whom):
            untold = [one and also for one, also in zip(untold, alone, strict=True)]
    return untold


def _alone(pair: Alignment) -> list[bool]:
    """Return, for each token of the older statement, True if the newer one lacks it."""
    only = Counter(pair.only_old)
    found = []
    for token in pair.old:
        found.append(only[token] > 0)
        only[token] -= found[-1]
    return found


def _shared(pair: Alignment, alone: Sequence[bool]) -> list[Token]:
    """Return the content tokens that both have."""
    return content_tokens(token for token, only in zip(pair.old, alone, strict=True) if not only)


def _is_name(token: Token, pair: Alignment) -> bool:
    """True if a word is a name, or is capitalised at the beginning of a sentence, where it may be one."""
    return token.shown[:1].isupper() or token.folded in pair.new.names or token.folded in pair.old.names


def _who_somebody_is(pair: Alignment, untold: Sequence[bool]) -> bool:
    """True if only the older statement says who a person is that both mention: "Uncle Ronan", "my boss Kern".

    If it only says who has a role ("Our dentist is Dr Clarke"), that is what is updated, and no loss.
    """
    shared = _shared(pair, _alone(pair))
    has_part = any(not _is_name(token, pair) for token in shared)
    has_part = has_part and not any(has_sense(token.folded, "role") for token in pair.only_new)
    for place, token in enumerate(pair.old):
        if not (untold[place] and shared and token.content):
            continue
        if any(are_forms(token.folded, said.folded) for said in pair.new) or token.folded in TITLES:
            continue
        if token.sort == "word" and _is_whose(pair, place) and _is_called(pair, untold, place):
            return True
        if _is_noun(pair, place) and (
            has_sense(token.folded, "relative") or (has_part and has_sense(token.folded, "role"))
        ):
            return True
    return False


def _is_called(pair: Alignment, untold: Sequence[bool], place: int) -> bool:
    """True if a name that both have stands beside a word: "our plumber Stan", "Stan, our plumber"."""
    old = pair.old
    if place + 1 < len(old) and not untold[place + 1] and _is_name(old[place + 1], pair):
        return True
    before = place - 1
    while before >= 0 and _determines(old[before]):
        before -= 1
    return 0 <= before < place - 1 and not untold[before] and _is_name(old[before], pair)


def _is_whose(pair: Alignment, place: int) -> bool:
    """True if a word follows a possessive, "my" or "Ann's": after "the" and before a name it is a title."""
    before = pair.old[max(0, place - 1) : place]
    return any(_possesses(token) for token in before)


def _is_noun(pair: Alignment, place: int) -> bool:
    """True if a word is a noun, by a determiner before it or a name directly after it."""
    before = pair.old[max(0, place - _BEFORE) : place]
    behind = pair.old[place + 1 : place + 2]
    return not before or any(map(_determines, before)) or any(_is_name(token, pair) for token in behind)


def _determines(token: Token) -> bool:
    return token.text in _ARTICLES or _possesses(token)


def _possesses(token: Token) -> bool:
    of_somebody = token.shown.endswith(("'s", "s'", "\N{RIGHT SINGLE QUOTATION MARK}s"))
    return of_somebody or token.text in POSSESSIVE or has_sense(token.folded, "my")


def _values(some: Iterable[Token]) -> Counter[str]:
    """Count the numbers, days, names and codes among some tokens, by kind."""
    return Counter(filter(None, map(_sort_told, some)))


def _values_in_their_place(pair: Alignment, denied: Sequence[Token]) -> Counter[str]:
    """Count the values that only the newer statement has, by kind, less one for each denied value."""
    gone = {token.folded for token in denied}
    found = _values(token for token in pair.only_new if token.folded not in gone)
    # At the beginning of a sentence a name looks like a word: "Maria is the new team lead".
    found["name"] += any(
        token.sort == "word" and token.content and token.shown[:1].isupper() for token in pair.only_new[:1]
    )
    only_old = {token.folded for token in pair.only_old}
    return found - _values(token for token in denied if token.folded not in only_old)


def _sort_told(token: Token) -> str:
    # Days and months of seven languages.
    if token.text in calendar_words():
        return "calendar"
    return "code" if token.sort == "code" else sort_of_value(token)


def _more_words(left: Iterable[Token], instead: Iterable[Token]) -> bool:
    """True if the words left over, values aside, outnumber those in their place."""
    words, others = (sum(map(_is_plain_word, some)) for some in (content_tokens(left), instead))
    return words > others + _WORDS_MORE


def _is_plain_word(token: Token) -> bool:
    return token.sort == "word" and not sort_of_value(token) and token.folded not in UNIT
