"""Kind check: whether the form of a statement allows the kind that was judged, a constraint or a preference.

"Car tax paid" is done, "no choir this Thursday" is about one day, "tax return by Friday" is to be done once,
"from January on Ann works in Leeds" is news: none of them is a rule for anybody. That one's wife is a doctor
is no preference.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, timedelta

from memcli.judgement.notes import CHANGED
from memcli.judgement.statements import StatementJudgement
from memcli.model import Kind
from memcli.text.aspects import aspects, names_relationship
from memcli.text.dates import ahead_words
from memcli.text.dates.ahead import days_ahead, names_day, weekdays_every_week
from memcli.text.dates.ahead_spans import spans_ahead
from memcli.text.english.tokens import tokenize
from memcli.text.english.vocabulary import NEGATION, PREPOSITIONS, QUANTITY, RELATION
from memcli.text.expressions import expression
from memcli.text.kinds import is_standing
from memcli.text.semantics.senses import has_sense, is_participle
from memcli.text.words import fold_case

# Senses of binding words: what must be, must not be, does harm, recurs, or falls due.
_BINDING = ("forbidden", "bad", "every", "always", "never", "if", "like", "due", "promise", "word given")
# Those of them without due dates, promises and likings: a deadline is no rule.
_BINDING_ALWAYS = ("forbidden", "bad", "every", "always", "never", "if")
# Verbs of having, which mostly do not mean "must"; followed by "to" and a verb they do.
_HAVING = frozenset({"have", "has", "tiene", "tengo", "tienen", "hay", "tem", "tenho"})
_HAVE_TO = expression(
    r"\b(?:ha(?:ve|s|d)(?:'s)? to|(?:tengo|tiene|tienen|hay|tem|tenho) (?:que|de)|zu|va|vanno)\b"
)
_FROM_THEN = expression(rf"\W*(?:{ahead_words.FROM}|{ahead_words.ONWARDS})\b")
_AFTER_ALL = expression(r"\bafter all\b")
_FEW_WORDS, _FEW_DAYS = 8, timedelta(days=3)
# A preposition at most so many words after "is" says what somebody is fond of ("is crazy about").
_NEAR = 2


def is_of_kind(kind: Kind, text: str, said: datetime, judgement: StatementJudgement) -> bool:
    """True if the form of a text, and what else was judged of it, allow the kind that was judged."""
    if kind == "preference":
        return not _tells_who_somebody_is(text)
    return kind != "constraint" or not _binds_nobody(text, said, judgement)


def _binds_nobody(text: str, said: datetime, judgement: StatementJudgement) -> bool:
    text = _AFTER_ALL.sub("", text)
    if _only_falls_due(text, said):
        return True
    folded = {token.folded for token in tokenize(text)}
    if is_standing(text) or aspects(text) or _is_binding(text) or not folded.isdisjoint(QUANTITY | RELATION):
        return False
    if not folded.isdisjoint(NEGATION):
        return _is_of_coming_day(text, said)
    is_news = judgement.change >= CHANGED and judgement.about["other"] > 1 / 2
    return _is_only_done(text) or (is_news and _FROM_THEN.match(fold_case(text)) is not None)


def _only_falls_due(text: str, said: datetime) -> bool:
    """True if a text names a day by which one thing is to be done once, and says nothing else that binds."""
    if not names_day(text) or _is_binding(text, _BINDING_ALWAYS) or is_standing(text):
        return False
    folded = {token.folded for token in tokenize(text)}
    if not folded.isdisjoint(NEGATION) or weekdays_every_week(text):
        return False
    return any(day.by and not day.lasting for day in days_ahead(text, said, told_due=True))


def _is_binding(text: str, senses: Sequence[str] = _BINDING) -> bool:
    said = re.findall(r"\w+", fold_case(text))
    must = _HAVE_TO.search(fold_case(text)) is not None or any(
        has_sense(word, "must") for word in said if word not in _HAVING
    )
    return must or any(has_sense(word, sense) for word in said for sense in senses)


def _is_only_done(text: str) -> bool:
    """True if a text says in a few words that something was done: "took the books back", "car tax paid"."""
    said = re.findall(r"\w+", text.lower())
    if not 1 < len(said) <= _FEW_WORDS or any(has_sense(fold_case(word), "is") for word in said):
        return False
    return any(has_sense(fold_case(word), "done") or is_participle(word) for word in (said[0], said[-1]))


def _is_of_coming_day(text: str, said: datetime) -> bool:
    """True if what a text denies concerns only a day or two to come: "no choir this Thursday"."""
    if not names_day(text) or weekdays_every_week(text):
        return False
    _, spans = spans_ahead(fold_case(text), said)
    return bool(spans) and all(span.start > said and span.end - span.start <= _FEW_DAYS for span in spans)


def _tells_who_somebody_is(text: str) -> bool:
    """True if a text names one of the owner's people and says what they are: "my wife Giulia is a nurse"."""
    said = re.findall(r"\w+", text)
    is_at = next((place for place, word in enumerate(said) if has_sense(fold_case(word), "is")), 0)
    if not is_at or not said[is_at - 1][0].isupper() or not names_relationship(text) or aspects(text):
        return False
    behind = [fold_case(word) for word in said[is_at + 1 : is_at + 1 + _NEAR]]
    fond = any(has_sense(fold_case(word), "like") for word in said)
    return not (fond or any(word in PREPOSITIONS for word in behind))
