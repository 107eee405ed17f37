"""Numbered things: statements on things told apart by a number: "server 1 is down", "server 2 is down"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memcli.text.comparison.alignment import align_texts
from memcli.text.english.paraphrases import BEING
from memcli.text.english.tokens import Token
from memcli.text.english.vocabulary import CALENDAR, MODAL, SUBJECT, UNIT, word_set
from memcli.text.kinds import is_standing

_HELPING = BEING | MODAL | word_set("have has had do does did")
# If no verb is recognised, the subject is taken to be so many words: a noun and its number.
_SUBJECT_WORDS = 2
# The most letters of a unit sign: mg, kg, km, ml, GB.
_SIGN = 2
# A name that contains a number: "prodotto_008", "DB2", "user42".
_NUMBERED_NAME = re.compile(r"(?:[^\W\d_]{2,}|\w*_)\d+")


def are_numbered(newer: str, older: str) -> bool:
    """True if two texts are about two numbered things, whatever they say about them.

    Where they begin to differ, each must name its subject by a number: "we meet in room 5" is news of the
    same meeting, "rent is 720" of the same rent.
    """
    pair = align_texts(newer, older)
    new, old = pair.new, pair.old
    place = next((n for n, (one, other) in enumerate(zip(new, old, strict=False)) if one != other), None)
    if place is None or place >= min(len(new), len(old)) - 1 or _form(new[place]) != _form(old[place]):
        return False
    # In an instruction the object counts as well: "never restart server 1".
    is_subject = place < min(_subject_end(new), _subject_end(old)) or (
        is_standing(newer) and is_standing(older)
    )
    return is_subject and _is_label(new, place) and _is_label(old, place)


def _form(token: Token) -> str:
    return re.sub(r"\d+", "0", token.shown)


def _subject_end(tokens: Sequence[Token]) -> int:
    """Return where the subject of a statement ends: at its verb, as far as one is recognised."""
    for place in range(1, len(tokens)):
        token, before = tokens[place], tokens[place - 1]
        if token.sort != "word":
            continue
        acts = before.content or before.sort in ("name", "number", "code")
        ends = token.text.endswith(("s", "ed")) and not token.text.endswith("ss")
        if token.text in _HELPING or before.text in SUBJECT:
            return place
        if acts and token.content and ends and not before.text.endswith("s"):
            return place
    told = [place for place, token in enumerate(tokens) if token.content or token.sort in ("name", "number")]
    return told[_SUBJECT_WORDS - 1] + 1 if len(told) >= _SUBJECT_WORDS else 0


def _is_label(tokens: Sequence[Token], place: int) -> bool:
    """True if a number names the thing before it ("ticket 12", "server number 3"), and is no measure."""
    token, before = tokens[place], tokens[place - 1]
    if _NUMBERED_NAME.fullmatch(token.shown):
        return True
    if not place or not token.shown.isdigit() or not (before.content or before.sort == "name"):
        return False
    after = tokens[place + 1]
    # "40 mg", "20 %": a word that short, and no function word, is a unit sign.
    sign = after.sort == "sign" or (after.sort == "word" and after.content and len(after.text) <= _SIGN)
    is_measure = sign or after.folded in UNIT or before.folded in CALENDAR
    return not is_measure and before.sort in ("word", "name")
