"""Who does it to whom, and whose somebody is: "I owe Ann", "Ann owes me"; "Tom's boss", "my boss".

Of two such statements each alone may say more ("… for the concert"), and the words they share
are in one order: neither the words that only one has nor their places tell them apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from memcli.text.comparison.alignment import Alignment
from memcli.text.english.paraphrases import possessing
from memcli.text.english.tokens import Token
from memcli.text.english.vocabulary import PERSON

# Who does it, and to whom it is done, in seven languages; words that may be either are left out.
_DOES = {
    word: who
    for who, words in {
        "i": "i ich je j' yo io eu ik", "we": "we wir nosotros noi wij",
        "he": "he", "she": "she", "they": "they",
    }.items()
    for word in words.split()
}  # fmt: skip
_SUFFERS = {
    word: who
    for who, words in {
        "i": "me m' mir mich moi mi mij", "we": "us uns ons", "he": "him", "she": "her", "they": "them",
    }.items()
    for word in words.split()
}  # fmt: skip
# Forms of one word begin alike, with so many letters at least, and differ in as many at the end at most.
_STEM, _ENDING = 3, 2


def are_forms(one: str, other: str) -> bool:
    """Whether two words begin alike but for an ending."""
    stem = max(_STEM, min(len(one), len(other)) - _ENDING)
    return one[:stem] == other[:stem]


def swap_roles(pair: Alignment) -> bool:
    """Whether somebody does in one text what in the other is done to them, or is whose the other is."""
    if pair.voice == "alike":
        return False
    one, other = pair.new, pair.old
    return _done_to_the_doer(one, other) or _done_to_the_doer(other, one) or _turn_whose(one, other)


def _done_to_the_doer(one: Sequence[Token], other: Sequence[Token]) -> bool:
    """Whether the second text says of one who does something in the first that it is done to them."""
    does, suffers = _doing(one), _suffering(other)
    for who in suffers.keys() - _doing(other).keys() - _suffering(one).keys():
        if any(are_forms(verb, said) for verb in does.get(who, ()) for said in suffers[who]):
            return True
    # Some languages leave out that it is oneself: "debo", "me debe".
    if "i" not in suffers or "i" in {PERSON.get(token.text) for token in (*one, *_others(other))}:
        return False
    verbs = [token.folded for token in one if _may_be_verb(token)]
    return any(verb != said and are_forms(verb, said) for verb in verbs for said in suffers["i"][-1:])


def _others(tokens: Sequence[Token]) -> list[Token]:
    """The tokens without those that name to whom something is done."""
    return [token for token in tokens if _person(token, _SUFFERS) is None]


def _doing(tokens: Sequence[Token]) -> dict[str, list[str]]:
    """For each person who does something, the words beside that may tell what: "have lent", "schulde ich"."""
    found: dict[str, list[str]] = {}
    for place, token in enumerate(tokens):
        if who := _person(token, _DOES):
            found.setdefault(who, []).extend(_beside(tokens, place))
    return found


def _suffering(tokens: Sequence[Token]) -> dict[str, list[str]]:
    """For each person to whom something is done, the words beside; not behind a preposition."""
    found: dict[str, list[str]] = {}
    for place, token in enumerate(tokens):
        if place and not tokens[place - 1].content:
            continue
        if who := _person(token, _SUFFERS):
            found.setdefault(who, []).extend(_beside(tokens, place))
    return found


def _person(token: Token, words: Mapping[str, str]) -> str | None:
    """Whom a token names by one of the words; "j'aime" and "m'aime" are one token."""
    elided, apostrophe, _ = token.text.partition("'")
    return words.get(token.text) or words.get(elided + apostrophe)


def _beside(tokens: Sequence[Token], place: int) -> Iterator[str]:
    """The word before a place, what is elided with it, and the next word behind it that tells something."""
    if place and _may_be_verb(tokens[place - 1]):
        yield tokens[place - 1].folded
    if rest := tokens[place].text.partition("'")[2]:
        yield rest
    behind = next((token for token in tokens[place + 1 :] if token.content), None)
    if behind and _may_be_verb(behind):
        yield behind.folded


def _may_be_verb(token: Token) -> bool:
    return token.sort == "word" and token.content and token.text not in PERSON


def _turn_whose(one: Sequence[Token], other: Sequence[Token]) -> bool:
    """Whether who has somebody in one text is had in the other: "Tom's landlord", "my landlord"."""
    ours, theirs = possessing(one), possessing(other)
    return _told_of(ours.keys() - theirs.keys(), other) and _told_of(theirs.keys() - ours.keys(), one)


def _told_of(owners: set[str], tokens: Sequence[Token]) -> bool:
    """Whether one of some owners, a stem or a person, is spoken of."""
    return not owners.isdisjoint({token.stem for token in tokens} | {PERSON.get(t.text, "") for t in tokens})
