"""Denials: what a note says will not take place on a day that it names ("nobody is coming on Friday").

A negation denies the event of a day in few places of a clause: if a verb, or a noun that it negates, stands
between it and the day, or if the day stands before them. It denies something else if the clause says what
something is not ("isn't cheap", "isn't paid yet"), what was not done, what somebody may not or must not do,
or does not want, know or forget: then the plan stands. In seven languages; in doubt nothing is denied.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import lru_cache

from memcli.text.asking import is_foreign
from memcli.text.dates import ahead_words
from memcli.text.dates.ahead_forms import names_foreign_weekday
from memcli.text.dates.ahead_names import with_days_named
from memcli.text.dates.ahead_spans import spans_ahead
from memcli.text.dates.ahead_stretches import core_of, stretches
from memcli.text.dates.time_span import TimeSpan
from memcli.text.english.vocabulary import MODAL, NEGATION, word_set
from memcli.text.expressions import expression
from memcli.text.kinds import is_promise
from memcli.text.semantics.senses import has_sense, is_participle
from memcli.text.stopwords import COORDINATING, SPANISH_ALONE, STOPWORDS

# Borders of clauses: what one denies the next may state. Not a comma within a date.
_PARTS = expression(
    rf"[;:!?–—\n(]|(?<!\d)\.|,(?!\s*(?:(?:{ahead_words.BESIDE}) )?\d)|\s-\s"
    rf"|\b(?:{COORDINATING}|et|e|en|sondern|sino|that|which|who|where|because|since|whether"
    r"|dass|wo|weil|ob|ou|parce|que|donde|porque|dove|perche|che|dat|waar|omdat)\b"
)
# Replaces a day in a clause that is read word by word.
_DAY = "#"
_WORD = expression(r"#|[^\W\d_]+")
_NOT_IN_ENGLISH = expression(r"n['’]t\b")
# Forms of "there is" of more than one word, which are replaced by Spanish "hay".
_THERE_IS = expression(
    r"\bc['’]e\b|\bci (?:sono|sara)\b|\bil n['’]y a\b|\bil y a\b|\bthere (?:is|are|will be)\b"
)
_LEADING = frozenset(re.findall(r"[a-z]+", f"{ahead_words.ON}|{ahead_words.BETWEEN}|at|for|do|da|d"))
_UNTIL = expression(rf"\b(?:{ahead_words.BY})(?: (?:{ahead_words.BETWEEN}))*\s*$")
_SPANISH_DAYS = word_set("lunes martes miercoles jueves viernes")
_IF = word_set("if unless wenn falls si als se sofern caso indien")
# Negative pronouns, and negative determiners; other negations belong to a verb.
_NOBODY = word_set(
    "nobody none neither nothing niemand keiner keine nichts personne aucun aucune rien nadie ninguno ninguna"
    " nessuno nessuna niente nulla ninguem ningun nada niets"
)
_NONE_OF = word_set(
    "no kein keine keinen keinem keiner geen nessun nessuna nessuno ningun ninguna aucun aucune nenhum"
)
_GERMANIC = word_set("nicht nichts kein keine keinen keinem keiner niet niets geen")
_NO_DENIAL = word_set(
    "without ohne sans sin hardly barely rarely seldom scarcely lack lacks lacking except unless nor nein"
)
_DENYING = (NEGATION | _NOBODY | _NONE_OF) - _NO_DENIAL
_WILL_BE = word_set("be been being sein etre ser estar essere zijn")
# After "for" a day only says which event is meant: "tickets for the concert on Friday".
_FOR = word_set("for fur pour para per voor")
_TO = word_set("to zu te")
_INFINITIVE = expression(r"\w+(?:[aei]r|[aei]re|en)")


@lru_cache(maxsize=1024)
def days_denied(text: str, told: datetime) -> tuple[TimeSpan, ...]:
    """Return the days for which a text, said at `told`, denies an event; none for a question."""
    folded = with_days_named(text).replace("’", "'")
    if not _may_deny(folded) or text.rstrip().endswith("?") or is_promise(text):
        return ()
    return tuple(
        span for clause in _clauses(folded) if _is_denied(clause) for span in spans_ahead(clause, told)[1]
    )


def _may_deny(folded: str) -> bool:
    return "n't" in folded or not _DENYING.isdisjoint(re.findall(r"[^\W\d_]+", folded))


def _clauses(folded: str) -> Iterator[str]:
    """Yield the clauses of a folded text that name a day; a clause of a day alone is joined to the next."""
    leading = ""
    for part in filter(str.strip, _PARTS.split(folded)):
        clause = f"{leading} {part}".strip()
        said = _words_of(clause)
        if _DAY in said and all(word == _DAY or word in _LEADING for word in said):
            leading = clause
        else:
            leading = ""
            if _DAY in said:
                yield clause


def _words_of(clause: str) -> list[str]:
    """Return the words of a clause, each day as one word, without prepositions that belong to it."""
    for stretch in reversed(stretches(clause)):
        clause = f"{clause[: stretch.start]} {_DAY} {clause[stretch.end :]}"
    return _WORD.findall(
        _NOT_IN_ENGLISH.sub(" not", _THERE_IS.sub(" hay ", clause).replace("cannot", "can not"))
    )


def _is_denied(clause: str) -> bool:
    """True if a folded clause that names a day denies an event on it.

    "No" denies in English and Spanish; in Portuguese it is "in the".
    """
    said = _words_of(clause)
    named = [mention for each in stretches(clause) for mention in each.mentions]
    if said[0] in _IF or any(_UNTIL.search(clause, 0, core_of(each)) for each in named):
        return False
    english = not (is_foreign(clause) or names_foreign_weekday(clause))
    spanish = not SPANISH_ALONE.isdisjoint(said) or not _SPANISH_DAYS.isdisjoint(clause.split())
    if not (english or spanish):
        said = [word for word in said if word != "no"]
    return any(
        _denies(said, place, english=english)
        for place, word in enumerate(said)
        if word in _DENYING and _is_negation(said, place)
    )


def _is_negation(said: Sequence[str], place: int) -> bool:
    """True if a word denies anything: not in "not only", "not before" and "no later than"."""
    behind = said[place + 1 : place + 3]
    only = behind and (has_sense(behind[0], "only") or has_sense(behind[0], "by"))
    return not (only or "than" in behind)


def _denies(said: Sequence[str], place: int, *, english: bool) -> bool:
    """True if the negation at a place denies the event of the first day that a clause names."""
    day = said.index(_DAY)
    before, behind = said[:place], [word for word in said[place + 1 :] if word != "hay"]
    if place < day and all(word in _LEADING for word in said[place + 1 : day]):
        return True
    led = all(word in _LEADING for word in said[:day])
    if place > day and not led:
        return _denies_behind_the_day(said, place) and not _is_of_else(behind)
    of_another = place < day and not _FOR.isdisjoint(said[place : day - 1])
    if of_another or _is_of_else(behind) or _is_undone(said, place, before):
        return False
    if said[place] in _NOBODY or said[place] in _NONE_OF:
        return True
    return not (
        _says_what_is(before, behind, english=english) or _is_instruction(said, place, before, behind)
    )


def _denies_behind_the_day(said: Sequence[str], place: int) -> bool:
    """True if a negation after a day denies its event, as in German and Dutch.

    "Kommt am Freitag doch nicht", but not "der Flug am Freitag ist nicht teuer".
    """
    if said[place] not in _GERMANIC or any(map(_tells, said[said.index(_DAY) + 1 : place])):
        return False
    ends = place == len(said) - 1 or _is_light(said[place + 1])
    return ends or said[place] in _NONE_OF or _closes(said, place)


def _is_light(word: str) -> bool:
    return word == _DAY or word in STOPWORDS or word in MODAL


def _tells(word: str) -> bool:
    """True if a word may be the verb of a statement about a day, or its predicate."""
    return (
        word in MODAL or not _is_light(word) or any(has_sense(word, each) for each in ("is", "there", "was"))
    )


def _closes(said: Sequence[str], place: int) -> bool:
    """True if one more word ends the clause, an infinitive after "can" or "will": "kann … nicht kommen"."""
    can = any(word in MODAL and not has_sense(word, "must") for word in said[:place])
    return can and place == len(said) - 2 and said[-1].endswith("en")


def _is_of_else(behind: Sequence[str]) -> bool:
    """True if the first content word after a negation is about feeling or knowing, not about doing."""
    telling = [word for word in behind if word != _DAY and not (word in STOPWORDS and not _minds(word))]
    return bool(telling) and _minds(telling[0])


def _minds(word: str) -> bool:
    return any(has_sense(word, each) for each in ("minding", "like", "remind", "forbidden", "also"))


def _is_undone(said: Sequence[str], place: int, before: Sequence[str]) -> bool:
    """True if a clause says what was not done: "haven't bought", "n'ai pas acheté"."""
    near = [*before[-2:], *said[place + 1 : place + 2]]
    having = any(has_sense(word, "perfect") and not has_sense(word, "is") for word in near)
    was = any(has_sense(word, "was") for word in said)
    return was or (having and any(is_participle(word) for word in said if not _is_light(word)))


def _says_what_is(before: Sequence[str], behind: Sequence[str], *, english: bool) -> bool:
    """True if a clause says what something is not, as against what does not take place: "isn't cheap"."""
    near = [word for word in (*before[-1:], *behind[:1]) if word != _DAY]
    is_so = any(has_sense(word, "is") or word in _WILL_BE for word in near)
    if "hay" in before or not is_so:
        return False
    doing = next((word for word in behind if word.endswith("ing") or not _is_light(word)), "")
    return not (english and doing.endswith("ing")) or "be" in behind[1:3]


def _is_instruction(said: Sequence[str], place: int, before: Sequence[str], behind: Sequence[str]) -> bool:
    """True if a clause says what must not be done: "don't eat before noon", "nicht essen", "you mustn't"."""
    if before and before[-1] != "hay" and has_sense(before[-1], "must"):
        return True
    if not [word for word in before if word not in ("do", _DAY) and word not in _LEADING]:
        doing = next((word for word in behind if word != _DAY and word not in STOPWORDS), "")
        return said[:place] == ["do"] or _INFINITIVE.fullmatch(doing) is not None
    return bool(behind) and behind[0] in _TO
