"""Paraphrases: put phrases as plain words ("would rather", "works as"), and compare active and passive."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

from memcli.text.english.tokens import Token
from memcli.text.english.vocabulary import CALENDAR, LIKING, PERSON, POSSESSIVE, word_set
from memcli.text.english.word_forms import stem

# Phrases by their first word, each with the plain word that means the same.
_PHRASES: dict[str, tuple[tuple[tuple[str, ...], str], ...]] = {
    "would": ((("would", "rather"), "prefer"), (("would", "like"), "want"), (("would", "love"), "want")),
    "is": ((("is", "called"), "name"), (("is", "named"), "name")),
    "are": ((("are", "called"), "name"), (("are", "named"), "name")),
    "have": ((("have", "got"), "have"), (("have", "to"), "must")),
    "has": ((("has", "got"), "has"), (("has", "to"), "must")),
    "in": ((("in", "order", "to"), "to"),),
    "takes": ((("takes", "place"), "happens"),),
    "take": ((("take", "place"), "happen"),),
    "per": ((("per", "cent"), "percent"),),
    "a": ((("a", "lot"), "much"), (("a", "few"), "some"), (("a", "little"), "some")),
}
# The first two words of the phrases.
_BEGINNINGS = frozenset(phrase[:2] for phrases in _PHRASES.values() for phrase, _ in phrases)
BEING = word_set("am is are was were be been being")
# Words whose meaning depends on those that follow: see `_in_place`.
_PLACED = word_set("work works get gets to go goes by just")


def plainly_put(tokens: Sequence[Token]) -> list[Token]:
    """Return the tokens with phrases replaced by plain words."""
    left = _phrases_put(tokens)
    if len(left) > 1 and left[-1].text == "too":
        left.pop()
    if not _PLACED.isdisjoint([token.text for token in left]):
        left = [
            here
            for place, token in enumerate(left)
            if (here := _in_place(left, place) if token.text in _PLACED else token)
        ]
    return _preferring(left)


def _phrases_put(tokens: Sequence[Token]) -> list[Token]:
    texts = [token.text if token.sort == "word" else "" for token in tokens]
    left: list[Token] = []
    if _BEGINNINGS.isdisjoint(pairwise(texts)):
        return [*tokens]
    place = 0
    while place < len(tokens):
        for phrase, put in _PHRASES.get(texts[place], ()):
            if tuple(texts[place : place + len(phrase)]) == phrase:
                shown = " ".join(token.shown for token in tokens[place : place + len(phrase)])
                if put:
                    left.append(_word(put, shown, content=put in ("want", "prefer", "percent")))
                place += len(phrase)
                break
        else:
            left.append(tokens[place])
            place += 1
    return left


def _in_place(tokens: list[Token], place: int) -> Token | None:
    """Return a word as what it means before those that follow; None if it means nothing there."""
    token, after = tokens[place], tokens[place + 1 : place + 2]
    if token.sort != "word" or not after:
        return token
    if token.text in ("work", "works") and any(t.text == "as" for t in tokens[place + 1 :]):
        return _word("is", token.shown)
    if token.text in ("get", "gets") and after[0].text.endswith("ed"):
        return _word("is", token.shown)
    liked = token.text == "to" and place > 0 and tokens[place - 1].stem in LIKING
    if (token.text in ("go", "goes") and after[0].text.endswith("ing")) or (
        liked and _content_word(after[0])
    ):
        return None
    number, who = after[0].sort == "number", after[0].shown[0].isupper() or after[0].text in PERSON
    if token.text == "by" and (number or after[0].folded in CALENDAR):
        return _word("until", token.shown)
    return _word("only", token.shown) if token.text == "just" and (number or who) else token


def _content_word(token: Token) -> bool:
    return token.sort == "word" and token.content


def _preferring(tokens: list[Token]) -> list[Token]:
    """Replace "tea more than coffee" and "tea over coffee", after a verb of liking, by "tea to coffee"."""
    if LIKING.isdisjoint([token.stem for token in tokens if token.sort == "word"]):
        return tokens
    left: list[Token] = []
    for place, token in enumerate(tokens):
        after = tokens[place + 1] if place + 1 < len(tokens) else None
        compares = token.text == "than" and left and left[-1].text in ("more", "better", "rather")
        if compares and after and after.sort != "number":
            left[-1] = _word("to", f"{left[-1].shown} than")
            continue
        left.append(_word("to", token.shown) if token.text == "over" and after else token)
    return left


def _word(text: str, shown: str, content: bool = False) -> Token:
    return Token(text, shown, "word", stem(text), text, content)


def voice_relation(new: Sequence[Token], old: Sequence[Token]) -> Literal["alike", "swapped"] | None:
    """Return "alike" if one is the passive of the other with the same doer, "swapped" if not; else None."""
    for passive, active in ((new, old), (old, new)):
        if any(token.text == "by" for token in active):
            continue
        by = _by(passive)
        for n in passive_verbs(passive):
            acts = next((m for m, t in enumerate(active) if t.stem == passive[n].stem), None)
            if acts is not None and not any(t.text in BEING for t in active[:acts]):
                doer, done = _participants(active[:acts]), _participants(passive[:n])
                right = doer <= _participants(passive[by:]) and done <= _participants(active[acts:])
                return "alike" if right else "swapped"
    return None


def passive_verbs(tokens: Sequence[Token]) -> list[int]:
    """Return the places of the verbs that may be in the passive voice: "is opened", "are run by"."""
    being = [n for n, token in enumerate(tokens) if token.text in BEING]
    if not being:
        return []
    by = _by(tokens)
    return [
        n
        for n in sorted({near for place in being for near in (place + 1, place + 2)})
        if n < by and (tokens[n].text.endswith("ed") or n + 1 == by < len(tokens))
    ]


def _by(tokens: Sequence[Token]) -> int:
    """Return the place of "by"; the end of the statement without one."""
    return next((n for n, token in enumerate(tokens) if token.text == "by"), len(tokens))


def is_inverted(new: Sequence[Token], old: Sequence[Token]) -> bool:
    """True if both sides of an "is" changed places: "Rex is my dog's name"."""
    halves = []
    for tokens in (new, old):
        places = [n for n, token in enumerate(tokens) if token.text in BEING]
        if len(places) != 1:
            return False
        halves.append([sorted(t.stem for t in part if t.content)
                       for part in (tokens[: places[0]], tokens[places[0] + 1 :])])  # fmt: skip
    return all(halves[0]) and halves[0] == halves[1][::-1]


def are_coordinated(new: Sequence[str], old: Sequence[str]) -> bool:
    """True if two words joined by "and" or "or" changed places; of stems."""
    return len(new) == 3 and new[1] in ("and", "or") and [*new] == [*old][::-1]


def possessors(tokens: Sequence[Token]) -> dict[str, Token]:
    """Return the owners that a statement names ("Ann's"), by stem."""
    return {token.stem: token for token in tokens if token.shown.endswith(("'s", "s'"))}


def possessing(tokens: Sequence[Token]) -> dict[str, Token]:
    """Return the owners in a statement: names ("Ann's") by stem, and persons ("my")."""
    named = {stem: token for stem, token in possessors(tokens).items() if token.content}
    return named | {PERSON[t.text]: t for t in tokens if t.text in PERSON and t.folded in POSSESSIVE}


def _participants(tokens: Sequence[Token]) -> set[str]:
    """Return the content of some tokens by stem, and the persons; "we" and "they" may be anybody."""
    people = {PERSON[t.text] for t in tokens if t.sort == "word" and t.text in PERSON}
    return {token.stem for token in tokens if token.content} | (people - {"we", "they", "you"})
