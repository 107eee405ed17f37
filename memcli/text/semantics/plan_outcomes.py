"""Plans: whether a later note says that something planned or to be done is cancelled, moved or done.

Decided by the shared words, the days that both name and the senses of the other words, in the languages that
these cover. The result hides nothing: whoever lists the plan shows the later note above it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import lru_cache

from memcli.named_tuple import NamedTuple
from memcli.text.asking import nouns_have_capitals
from memcli.text.dates import ahead_words
from memcli.text.dates.ahead import names_day, weekdays_every_week
from memcli.text.dates.ahead_names import with_days_named
from memcli.text.dates.ahead_spans import spans_ahead
from memcli.text.dates.ahead_stretches import stretches
from memcli.text.dates.called_off import called_off
from memcli.text.dates.time_span import TimeSpan
from memcli.text.english.vocabulary import MODAL, NEGATION, word_set
from memcli.text.expressions import expression
from memcli.text.semantics.senses import has_sense, is_participle, tells_ahead
from memcli.text.stopwords import STOPWORDS
from memcli.text.words import fold_case

# The end of a clause; not a mark within a date: "Thursday, 3 December", "am Donnerstag, den 3. Dezember".
_CLAUSE_END = expression(
    rf"(?:[;:!?–—]|(?<!\d)\.|,(?!\s+(?:(?:{ahead_words.BESIDE}) )?\d))(?=\s|$)|(?<=\w) - ", re.IGNORECASE
)
_WORD = expression(r"[^\W\d_]{2,}")
# A capitalised word within a clause is a name, in languages that do not capitalise nouns.
_NAME = expression(r"(?<=[\w,'’&] )[^\W\d_a-zß-ÿ][\w'’-]+|(?<!\w)[^\W\d_a-zß-ÿ][^\W\d_]+(?=['’]s )")
_GENITIVE = expression(r"['’]s?$")
# General words for appointments, which do not tell one from another.
_ANY = frozenset(ahead_words.APPOINTMENTS.split())
_NONE_OF = expression(rf"^\W*(?:{ahead_words.NO_IN_ENGLISH}|{ahead_words.NONE_OF})\b")
_NOW = expression(rf"\b(?:{ahead_words.NOW})\b")
_MOVED = expression(rf"\b(?:{ahead_words.MOVED}|{ahead_words.MOVED_ALSO})\b")
# Accents tell them from other words: "e" is "and", "am" is "on the".
_IS_WORDS = "is are ist sind est sont es son è é sono são será sera sarà wird will zal"
_IS = frozenset(_IS_WORDS.split())
# An hour is no sum; what is from a day on is not on it.
_CLOCK = expression(
    r"\d{1,2}(?:[:.h]\d\d| ?(?:h|uhr|am|pm|uur)\b)|\b(?:at|um|às|om|alle|las|la|à) \d{1,2}", re.IGNORECASE
)
_SUM = expression(r"[$€£]|\d{3,}(?<!20\d\d)")
_ONWARDS = expression(
    rf"\b(?:{ahead_words.FROM}|{ahead_words.ONWARDS}|{ahead_words.SINCE})(?: (?:{ahead_words.BETWEEN}))* \d"
)
_ARTICLES = (
    r"the|an?|my|our|das|de[mnr]|die|d[ao]s?|eine\w?|mein\w*|unser\w*|l[aeo]s?|el|il|os?|as?|het|un[aeo]?"
)
_NOTHING_MORE = word_set("dia jour beim zum zur vom alla alle dal dalla")
_WITH_WHOM = expression(
    rf"\b(?:with|for|mit|bei|von|fur|avec|chez|pour|con|para|per|com|met|voor) (?!(?:{_ARTICLES}) )\w+"
)
# Senses of words that say nothing about which plan is meant.
_OF_ANY_PLAN = ("change", "said", "maybe", "back", "is")
# Senses of words that say that something was done, and not what.
_OF_ANY_DEED = ("done", "paid", "gave", "got", "back", "said")
# Two words are forms of one if they begin with so many equal letters and have at most so many others.
LETTERS, _ENDING = 4, 3
# What several things are listed by, and of how many words each is.
_ITEMS = expression(r"\s*[,&+]\s*(?!\d)|\b(?:and|und|et|y|e|en)\b")
_ITEM = 2
# The most words of a note that may differ from the plan's; the words that a denial must share with it.
_UNSHARED, _DENIED = 1, 2


class _Clause(NamedTuple):
    """A clause of a note: its words beside the days that it names."""

    words: frozenset[str]
    first: str
    """The first of the words: mostly the subject."""
    names: frozenset[str]
    days: tuple[TimeSpan, ...]
    off: bool
    """It says that something is cancelled or abandoned, or that there is none."""
    denied: bool


class _Note(NamedTuple):
    clauses: tuple[_Clause, ...]
    days: tuple[TimeSpan, ...]
    words: frozenset[str]
    text: str

    @property
    def weekdays(self) -> frozenset[int]:
        """Return the weekdays on which the event recurs every week."""
        return _weekdays(self.text)


class Told(NamedTuple):
    """A note and the time when it was said."""

    text: str
    said: datetime


def words_of(note: Told) -> frozenset[str]:
    """Return the content words of a note, case-folded."""
    return _read(note).words


def beginning_of(word: str) -> str:
    """Return the part of a folded word that all its forms have in common."""
    return word[:LETTERS] if len(word) > LETTERS else word.removesuffix("s")[:LETTERS]


def beginnings_in(text: str) -> set[str]:
    """Return the beginnings of the words of a text: see `beginning_of`."""
    return {beginning_of(word) for word in _WORD.findall(fold_case(text))}


def may_tell_of_plan(text: str) -> bool:
    """True if a text may say that something is cancelled, moved or done: a cheap test before the others."""
    folded = fold_case(text).replace("’", "'")
    said = re.findall(r"[^\W\d_]+", text.lower())
    if _denies(folded) or _NONE_OF.match(folded):
        return True
    deed = any(_is_deed(word, frozenset()) or word.endswith("t") for word in said)
    changed = deed or _tells_change(folded) or bool(_MOVED.search(folded) or called_off(folded))
    return changed or _tells_what_is(text)


def is_off(newer: Told, plan: Told, within: Sequence[TimeSpan] = ()) -> bool:
    """True if the newer note says that a plan is cancelled, altogether or on a day of it.

    A weekly event is cancelled only on a day `within` the spans that are asked for.
    """
    new, old = _read(newer), _read(plan)
    return any(_is_off(clause, old, within) for clause in new.clauses)


def is_moved(newer: Told, plan: Told) -> bool:
    """True if the newer note says that a plan for a day was moved, to another day or to none yet."""
    folded = fold_case(newer.text)
    moved = _MOVED.search(folded) is not None
    changed = moved or _tells_change(folded)
    # This excludes most texts, and reading the days of a text takes longer.
    if not (changed or _tells_what_is(newer.text)):
        return False
    new, old = _read(newer), _read(plan)
    if not old.days or not (moved or new.days):
        return False
    if any(_overlap(one, other) for one in new.days for other in old.days):
        return False
    if not changed:
        parts = zip(_parts(newer.text), new.clauses, strict=True)
        return any(_is_of_other_day(part, clause, old) for part, clause in parts if clause.days)
    # The whole note names the plan, or the clause with the day does: "the surgery rang: …".
    names = frozenset().union(*(each.names for each in new.clauses))
    firsts = {each.first for each in new.clauses}
    return _names_plan(new.words, names, firsts, old) or any(
        _names_plan(each.words, each.names, {each.first}, old) for each in new.clauses if each.days
    )


def _is_of_other_day(part: str, clause: _Clause, plan: _Note) -> bool:
    """True if part of a note only says on which day the plan is, by words that the plan has beside its day.

    "The bazaar is on the 5th" moves "two cakes to the bazaar on 28 November"; "Anna is here on the 5th" does
    not.
    """
    shared, others, _ = _beside(clause.words, clause.names, plan)
    denied = clause.denied and "no dia" not in fold_case(part)
    if (
        any(map(_says_more, others))
        or clause.first not in shared
        or denied
        or clause.off
        or _SUM.search(_CLOCK.sub("", part))
    ):
        return False
    if not clause.names <= plan.words or _ONWARDS.search(fold_case(part)):
        return False
    beside = {word for each in _parts(plan.text) for word in _words_beside(each)} - _ANY
    return any(_are_forms(word, other) for word in shared for other in beside)


def _says_more(word: str) -> bool:
    """True if a word says more than which day is meant; "erst" and "dia" do not."""
    return word not in _NOTHING_MORE and not any(has_sense(word, sense) for sense in ("only", "when", "now"))


def _words_beside(clause: str) -> list[str]:
    """Return the words next to the day in a clause, which may say what is on that day.

    Words for whom it is with, or for, are left out.
    """
    folded = with_days_named(clause)
    for each in stretches(folded):
        before, behind = (
            [
                word
                for word in _WORD.findall(_WITH_WHOM.sub(" ", part))
                if not _is_light(word) and _says_more(word)
            ]
            for part in (folded[: each.start], folded[each.end :])
        )
        return [*before[-1:], *behind[:1]]
    return []


def _names_plan(words: frozenset[str], names: frozenset[str], firsts: set[str], plan: _Note) -> bool:
    """True if words begin with those of the plan and add hardly anything."""
    shared, others, named = _beside(words, names, plan)
    begins = not firsts.isdisjoint(shared)
    return begins and not shared <= _ANY and not named and len(others) <= min(_UNSHARED, len(shared))


def is_carried_out(newer: Told, errand: Told) -> bool:
    """True if the newer note says that an errand was done: it names the errand and adds nothing."""
    new, old = _read(newer), _read(errand)
    if new.days or any(each.denied or each.off for each in new.clauses):
        return False
    if tells_ahead(newer.text):
        return False
    deeds = {
        fold_case(word) for word in re.findall(r"[^\W\d_]+", newer.text.lower()) if _is_deed(word, old.words)
    }
    shared, others, _ = _beside(new.words - deeds, frozenset(), old)
    # If the note begins with a person that the errand names, that person did something.
    people = frozenset().union(*(each.names for each in old.clauses))
    by_another = new.clauses[0].first in people and _is_doer(new.clauses[0].first, newer.text, deeds)
    return bool(deeds and shared) and not (others or by_another)


def says_over(newer: Told, plan: Told) -> bool:
    """True if a note about a plan says that all of it is off, or was done.

    If the plan lists several things the note names all of them, and it says nothing about what is to come.
    """
    new, old = _read(newer), _read(plan)
    if any(each.off for each in new.clauses):
        return not new.days or all(any(_holds(day, each) for day in new.days) for each in old.days)
    if new.days or any(each.denied for each in new.clauses) or tells_ahead(newer.text):
        return False
    said = re.findall(r"[^\W\d_]+", newer.text.lower())
    return any(_is_deed(word, old.words) for word in said) and not _leaves_some(new, plan.text)


def _leaves_some(new: _Note, plan: str) -> bool:
    """True if a plan lists several things, of which a note names some and leaves out others."""
    listed = [part for part in _ITEMS.split(fold_case(plan)) if part.strip()]
    named = [{word for word in _WORD.findall(part) if not _is_light(word)} for part in listed]
    items = [words for words in named if words]
    told = [any(_are_forms(word, other) for word in words for other in new.words) for words in items]
    return any(told) and not all(told) and all(len(words) <= _ITEM for words in items[1:])


def _holds(one: TimeSpan, other: TimeSpan) -> bool:
    return one.start <= other.start and other.end <= one.end


def _is_doer(name: str, text: str, deeds: set[str]) -> bool:
    """True if a deed is somebody's: it follows the name, directly or after one light word ("Anna hat …")."""
    said = [fold_case(word) for word in re.findall(r"[^\W\d_]+", text)]
    behind = said[said.index(name) + 1 :] if name in said else said
    return not behind or behind[0] in deeds or _is_light(behind[0])


def _is_off(clause: _Clause, plan: _Note, within: Sequence[TimeSpan]) -> bool:
    if not (clause.off or clause.denied):
        return False
    shared, others, names = _beside(clause.words, clause.names, plan)
    if not shared or names or len(others) > _UNSHARED or (not clause.off and clause.first in others):
        return False
    if clause.days:
        if plan.weekdays:
            asked = [day for day in clause.days if any(_overlap(day, each) for each in within)]
            return any(day.start.weekday() in plan.weekdays for day in asked)
        return any(_overlap(one, other) for one in clause.days for other in plan.days)
    whole = clause.denied and len(shared) >= _DENIED
    return not (plan.weekdays or others or shared <= _ANY) and (clause.off or whole)


def _beside(words: frozenset[str], names: frozenset[str], plan: _Note) -> tuple[set[str], set[str], set[str]]:
    """Return the words of a note that a plan has, the others, and the names among the others."""
    shared = {word for word in words if any(_are_forms(word, other) for other in plan.words)}
    others = words - shared - _ANY
    return shared, {*others}, {*(others & names)}


def _are_forms(one: str, other: str) -> bool:
    if one[:LETTERS] != other[:LETTERS] or min(len(one), len(other)) < LETTERS:
        return one.removesuffix("s") == other.removesuffix("s")
    least = max(LETTERS, len(one) - _ENDING, len(other) - _ENDING)
    return one[:least] == other[:least]


def _denies(folded: str) -> bool:
    return "n't" in folded or not NEGATION.isdisjoint(_WORD.findall(folded))


def _overlap(one: TimeSpan, other: TimeSpan) -> bool:
    return one.start < other.end and other.start < one.end


def _tells_what_is(text: str) -> bool:
    """True if a text says that something is, or will be, on a day that it names."""
    return not _IS.isdisjoint(re.findall(r"[^\W\d_]+", text.lower())) and names_day(text)


def _tells_change(folded: str) -> bool:
    return _NOW.search(folded) is not None or any(has_sense(word, "change") for word in _WORD.findall(folded))


def _is_deed(word: str, named: frozenset[str]) -> bool:
    """True if a lower-case word says that something was done; `named` are the words of the errand."""
    folded = fold_case(word)
    if any(has_sense(folded, sense) for sense in _OF_ANY_DEED) or is_participle(word):
        return True
    # A German participle without "ge" is recognised by the errand's infinitive: "bestellen", "bestellt".
    return folded.endswith("t") and any(
        other.endswith("en") and other not in (folded, f"{folded}en") and _are_forms(folded, other)
        for other in named
    )


@lru_cache(maxsize=256)
def _weekdays(text: str) -> frozenset[int]:
    return weekdays_every_week(text)


@lru_cache(maxsize=4096)
def _read(note: Told) -> _Note:
    clauses = tuple(_clauses(note))
    return _Note(
        clauses,
        tuple(day for each in clauses for day in each.days),
        frozenset().union(*(each.words for each in clauses)),
        note.text,
    )


def _clauses(note: Told) -> Iterator[_Clause]:
    german = nouns_have_capitals(note.text)
    for part in _parts(note.text):
        folded = with_days_named(part)
        rest, days = spans_ahead(folded, note.said)
        off = called_off(rest)
        for start, end in reversed(off):
            rest = f"{rest[:start]} {rest[end:]}"
        rest = _MOVED.sub(" ", _NOW.sub(" ", rest))
        names = () if german else (fold_case(_GENITIVE.sub("", each)) for each in _NAME.findall(part))
        telling = [word for word in _WORD.findall(rest) if not _is_light(word)]
        yield _Clause(
            frozenset(telling),
            telling[0] if telling else "",
            frozenset(name for name in names if name in rest),
            tuple(days),
            bool(off) or _NONE_OF.match(folded) is not None,
            _denies(folded),
        )


def _parts(text: str) -> list[str]:
    return [part for part in _CLAUSE_END.split(text) if part.strip()]


def _is_light(word: str) -> bool:
    return word in STOPWORDS or word in MODAL or any(has_sense(word, sense) for sense in _OF_ANY_PLAN)
