"""Settled deadlines: whether a note says that its deadline is past, or met ("due Friday and I paid it").

By a past form in the clause that names the day, or by a following clause that only says that it is done.
Seven languages; in doubt a deadline is still ahead.
"""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import dropwhile

from memcli.text.dates.ahead import names_day
from memcli.text.dates.ahead_spans import spans_ahead
from memcli.text.english.vocabulary import MODAL, NEGATION, word_set
from memcli.text.expressions import expression
from memcli.text.semantics.senses import has_sense, is_participle, senses_of
from memcli.text.stopwords import COORDINATING, FUNCTION_WORDS
from memcli.text.words import fold_case

# Any instant will do: it only matters whether a day is named.
_SAID = datetime(2026, 1, 5, 12, tzinfo=UTC)
# An accent tells "e" (and) from "è" (is).
_PARTS = expression(rf"[;:!?–—\n(]|(?<!\d)\.|,(?!\s*\d)|\b(?:{COORDINATING}|et|y|e|en)\b")
_WORD = expression(r"[^\W\d_]+")
# Senses of past words other than "was", such as "said" and "took".
_OTHER_PAST = ("said", "deed", "done", "gave")
# Forms of "is" that are other words in another language: "am Freitag", "es war".
_NOT_NOW = word_set("am es s e en")
_ALREADY = word_set("already schon bereits deja gia ja al reeds")
_IF = ("if", "must", "will", "maybe")


def is_settled(text: str) -> bool:
    """True if a text names the day of a deadline only as past, or says after it that it is done."""
    if not names_day(text):
        return False
    clauses = [each.strip() for each in _PARTS.split(text.lower()) if each.strip()]
    dated = [clause for clause in clauses if _has_day(clause)]
    if not dated:
        return False
    if all(map(_was_due, dated)):
        return True
    behind = [*dropwhile(lambda clause: clause != dated[-1], clauses)][1:]
    return any(map(_falls_due, dated)) and bool(behind) and _is_only_done(behind[0])


def _has_day(clause: str) -> bool:
    _, spans = spans_ahead(fold_case(clause), _SAID)
    return bool(spans)


def _was_due(clause: str) -> bool:
    """True if a clause says in the past tense that something fell due: "war fällig", "vencía"."""
    every = {word: frozenset(senses_of(word)) for word in _WORD.findall(clause)}
    if any("due" in senses and "past" in senses for senses in every.values()):
        return True
    if any(has_sense(fold_case(word), "was due") for word in every):
        return True
    was = any("was" in senses and senses.isdisjoint(_OTHER_PAST) for senses in every.values())
    now = any("is" in senses and word not in _NOT_NOW for word, senses in every.items())
    return was and not now and _falls_due(clause)


def _falls_due(clause: str) -> bool:
    # "Dû" is no "du".
    return any(word == "dû" or "due" in senses_of(word) for word in _WORD.findall(clause))


def _is_only_done(clause: str) -> bool:
    """True if a clause says that something was done and names nothing: "I paid it", "ya está pagada"."""
    words = [fold_case(word) for word in _WORD.findall(clause)]
    done = [word for word in words if is_participle(word) or _tells_done(word)]
    if not done or not (NEGATION | MODAL).isdisjoint(words):
        return False
    if any(has_sense(word, sense) for word in words for sense in (*_IF, "not")):
        return False
    light = FUNCTION_WORDS | _ALREADY | {*done}
    return all(word in light or has_sense(word, "now") for word in words)


def _tells_done(word: str) -> bool:
    return any(has_sense(word, sense) for sense in ("done", "paid", "completed"))
