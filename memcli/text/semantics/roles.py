"""Roles: who does it to whom, and whose somebody is: "I owe Ann", "Ann owes me"; "Tom's boss", "my boss".

Two such statements share their words in one order, and each may say more ("… for the concert"), so neither
the words that only one has nor their places tell them apart.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from typing import Literal

from memcli.text.comparison.alignment import Alignment
from memcli.text.english.paraphrases import possessing
from memcli.text.english.tokens import Token, tokenize
from memcli.text.english.vocabulary import PERSON

# The role as the question has it, or reversed.
Role = Literal["asked", "turned"]
# Pronouns as subjects, and as objects, in seven languages; those that may be either are left out.
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
# "Who", in these languages.
_ASKING = ("who", "wer", "wie", "qui", "quien", "chi", "quem")
# Forms of one word begin with at least so many equal letters and differ in at most so many at the end.
_STEM, _ENDING = 3, 2


def are_forms(one: str, other: str) -> bool:
    """True if two words begin alike except for an ending."""
    stem = max(_STEM, min(len(one), len(other)) - _ENDING)
    return one[:stem] == other[:stem]


def swap_roles(pair: Alignment) -> bool:
    """True if somebody is the subject in one text and the object in the other, or the owner and the owned."""
    if pair.voice == "alike":
        return False
    one, other = pair.new, pair.old
    return _done_to_the_doer(one, other) or _done_to_the_doer(other, one) or _turn_whose(one, other)


def _done_to_the_doer(one: Sequence[Token], other: Sequence[Token]) -> bool:
    """True if the second text has as the object of a verb somebody who is its subject in the first."""
    does, suffers = _doing(one), _suffering(other)
    for who in suffers.keys() - _doing(other).keys() - _suffering(one).keys():
        if any(are_forms(verb, said) for verb in does.get(who, ()) for said in suffers[who]):
            return True
    # Some languages omit the subject "I": "debo", "me debe".
    if "i" not in suffers or "i" in {PERSON.get(token.text) for token in (*one, *_others(other))}:
        return False
    verbs = [token.folded for token in one if _may_be_verb(token)]
    return any(verb != said and are_forms(verb, said) for verb in verbs for said in suffers["i"][-1:])


def _others(tokens: Sequence[Token]) -> list[Token]:
    """Return the tokens without object pronouns."""
    return [token for token in tokens if _person(token, _SUFFERS) is None]


def _doing(tokens: Sequence[Token]) -> dict[str, list[str]]:
    """Return, for each person who is a subject, the words beside it that may be the verb: "schulde ich"."""
    found: dict[str, list[str]] = {}
    for place, token in enumerate(tokens):
        if who := _person(token, _DOES):
            found.setdefault(who, []).extend(_beside(tokens, place))
    return found


def _suffering(tokens: Sequence[Token], asking: Container[str] = ()) -> dict[str, list[str]]:
    """Return, for each person who is an object, the words beside it; not after a preposition.

    It may follow a question word in `asking`.
    """
    found: dict[str, list[str]] = {}
    for place, token in enumerate(tokens):
        before = tokens[place - 1] if place else None
        if before and not (before.content or before.folded in asking):
            continue
        if who := _person(token, _SUFFERS):
            found.setdefault(who, []).extend(_beside(tokens, place))
    return found


def _person(token: Token, words: Mapping[str, str]) -> str | None:
    """Return the person whom a token names in a table; "j'aime" and "m'aime" are one token."""
    elided, apostrophe, _ = token.text.partition("'")
    return words.get(token.text) or words.get(elided + apostrophe)


def _beside(tokens: Sequence[Token], place: int) -> Iterator[str]:
    """Yield the words beside a place that may be its verb: before it, elided, or the next content word."""
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
    """True if the owner in one text is the one owned in the other: "Tom's landlord", "my landlord"."""
    ours, theirs = possessing(one), possessing(other)
    return _told_of(ours.keys() - theirs.keys(), other) and _told_of(theirs.keys() - ours.keys(), one)


def _told_of(owners: set[str], tokens: Sequence[Token]) -> bool:
    """True if a text mentions one of some owners, which are stems or persons."""
    return not owners.isdisjoint({token.stem for token in tokens} | {PERSON.get(t.text, "") for t in tokens})


def role_played(question: str, text: str) -> Role | None:
    """Return "asked" if the speaker has the role in a text that the question has, "turned" if the other one.

    "Who owes me money?" is answered by "Tom owes me 20"; "I owe Ann 15" has the roles reversed. None if the
    text has neither.
    """
    asked, told = tokenize(question), tokenize(text)
    doing, done_to = _own(_doing(asked)), _own(_suffering(asked, _ASKING))
    does, suffers = _own(_doing(told)), _own(_suffering(told))
    if _share_form(doing, does) or _share_form(done_to, suffers):
        return "asked"
    # Some languages omit the subject "I": "debo", "me debe".
    silent, unsaid = not (doing or done_to), not (does or suffers)
    asks, tells = ([token.folded for token in some if _may_be_verb(token)] for some in (asked, told))
    turned = _share_form(done_to, does) or _share_form(doing, suffers)
    if turned or (unsaid and _other_form(tells, done_to)) or (silent and _other_form(asks, suffers)):
        return "turned"
    return "asked" if silent and unsaid and not set(asks).isdisjoint(tells) else None


def _own(found: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the words that may be the verb of which the speaker is subject, or object."""
    return [*found.get("i", ()), *found.get("we", ())]


def _share_form(some: Iterable[str], others: Collection[str]) -> bool:
    return any(are_forms(one, other) for one in some for other in others)


def _other_form(some: Iterable[str], others: Collection[str]) -> bool:
    """True if one of some words differs from one of the others in its last letter alone."""
    return any(one != other and one[:-1] == other[:-1] for one in some for other in others)
