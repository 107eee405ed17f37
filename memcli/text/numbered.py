"""Two statements of two things that are told apart by a number: "server 1 is down", "server 2 is down"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memcli.text.comparison.alignment import align_texts
from memcli.text.english.paraphrases import BEING
from memcli.text.english.tokens import Token
from memcli.text.english.vocabulary import CALENDAR, MODAL, SUBJECT, UNIT, word_set
from memcli.text.kinds import is_standing

_HELPING = BEING | MODAL | word_set("have has had do does did")
# Where no verb is known to end the subject, it is taken to be a noun and its number.
_SUBJECT_WORDS = 2
# Letters of a unit's sign: mg, kg, km, ml, GB.
_SIGN = 2


def are_numbered(newer: str, older: str) -> bool:
    """Whether two texts say one thing of two that are numbered.

    They differ in numbers only, and the first of these names what they speak of: "we meet in
    room 5" is news of the same meeting, "rent is 720" of the same rent.
    """
    if newer == older or re.sub(r"\d+", "0", newer) != re.sub(r"\d+", "0", older):
        return False
    pair = align_texts(newer, older)
    place = next((n for n, token in enumerate(pair.new) if token in pair.only_new), None)
    if place is None or place == len(pair.new) - 1:
        return False
    # "Never restart server 1": an instruction speaks of all that it names.
    return (is_standing(newer) or place < _subject_end(pair.new)) and _is_label(pair.new, place)


def _subject_end(tokens: Sequence[Token]) -> int:
    """Where the subject of a statement ends: at its verb, as far as one is known."""
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
    """Whether a number names the thing before it ("ticket 12", "server number 3"), and is no measure."""
    token, before = tokens[place], tokens[place - 1]
    if not place or not token.shown.isdigit() or not (before.content or before.sort == "name"):
        return False
    after = tokens[place + 1]
    # "40 mg", "20 %": what is that short and no function word is the sign of a unit.
    sign = after.sort == "sign" or (after.content and len(after.text) <= _SIGN)
    is_measure = sign or after.folded in UNIT or before.folded in CALENDAR
    return not is_measure and before.sort in ("word", "name")
