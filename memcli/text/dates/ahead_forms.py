"""Forms of days ahead: the pattern that finds days in a text in seven languages, and which forms combine."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache

from memcli.named_tuple import NamedTuple
from memcli.text.dates import ahead_words as words
from memcli.text.dates.ahead_names import beginnings
from memcli.text.dates.calendar import SHORT_MONTHS, WEEKDAYS
from memcli.text.expressions import expression
from memcli.text.numbers.quantities import calendar_words, number_words
from memcli.text.stopwords import STOPWORDS
from memcli.text.words import fold_case

_BESIDE = expression(rf"[ ,(]*(?:(?:{words.BESIDE})[ ]+)*")
# "Freitagabend", "morgenochtend".
_IN_ONE = expression(rf"(?:tag|woch|abend|dag|morgen)(?:{words.PART_IN_ONE})")
# In these languages a bare number after a weekday may be an hour: "Thursday 3", "Donnerstag 3".
_GERMANIC = expression(r"(?:day|tag|dag|woch|abend)$")
_GERMAN = expression(r"(?:tag|woch|abend)$")
# A noun that is counted, as against the hour of "alle 15".
_NEXT_WORD = expression(r" ([^\W\d]+)\b(?! \d)")
_HOURS = 12
_FIRST_LETTERS = 4


class Mention(NamedTuple):
    """A mention of a day in a text; `beside` is another form of the same day ("Thursday 3 December")."""

    match: re.Match[str]
    beside: re.Match[str] | None = None

    @property
    def start(self) -> int:
        """Return the position in the text where it begins."""
        return min(each.start() for each in (self.match, self.beside) if each)


# Cached, because several questions are asked of one text in turn.
@lru_cache(maxsize=16)
def mentions(folded: str) -> Sequence[Mention]:
    """Return the mentions of days in a folded text, in order; of combined forms `match` is the weekday."""
    return tuple(_mentions(folded))


def _mentions(folded: str) -> Iterator[Mention]:
    waiting: re.Match[str] | None = None
    for match in day_forms().finditer(folded):
        if waiting is None:
            waiting = match
        elif _are_one(waiting, match, folded):
            yield Mention(waiting, match) if _is_base(waiting) else Mention(match, waiting)
            waiting = None
        else:
            yield Mention(waiting)
            waiting = match
    if waiting:
        yield Mention(waiting)


def _are_one(first: re.Match[str], second: re.Match[str], folded: str) -> bool:
    """True if two adjacent forms name one day: a weekday, and which of many it is."""
    if not (
        (_is_base(first) and not numbered(first) and _says_which(second))
        or (_says_which(first) and _is_base(second) and not numbered(second))
    ):
        return False
    # The introduction of a number is part of its match ("the 3rd"), and must be skipped here.
    core = next((second.start(name) for name in ("one", "nth3") if second[name]), second.start())
    return _BESIDE.fullmatch(folded, first.end(), core) is not None


def _is_base(match: re.Match[str]) -> bool:
    return bool(match["day"] or match["today"] or match["tomorrow"])


# The groups that say which of many weekdays is meant: a date, a number, a week.
_CORES = ("name", "nth2", "year", "one", "nth3", "week", "this_week", "count", "weeks")


def _says_which(match: re.Match[str]) -> bool:
    in_weeks = not match["count"] or words.COUNTED[match["unit"]] == words.COUNTED["week"]
    return in_weeks and any(match[name] for name in _CORES)


def numbered(match: re.Match[str]) -> int | None:
    """Return the day of the month after a weekday ("jeudi 3", "Thursday the 3rd"); None if it is an hour."""
    if not match["of"]:
        return None
    number, mark, weekday = int(match["of"]), match["of_mark"] or "", match["day"]
    is_marked = mark.isalpha() or match["of_lead"] or (mark == "." and _GERMAN.search(weekday))
    if is_marked:
        return number
    # A number before a noun counts it: three people, twenty euros.
    after = _NEXT_WORD.match(match.string, match.end())
    counts = after is not None and after[1] not in STOPWORDS
    hour = _GERMANIC.search(weekday) and number <= _HOURS
    return None if counts or hour else number


def may_name_day(folded: str, *, told_due: bool) -> bool:
    """True if a text may name a day: a cheap test that most texts fail."""
    if not _cues().isdisjoint(re.findall(r"[a-z]+", folded)) or _IN_ONE.search(folded):
        return True
    numbers = r"\d" if told_due else r"20\d\d-\d\d|\d[./]\d|(?:by|due|bis|zum|the|le|el|il|o|de) \d"
    return re.search(numbers, folded) is not None


def may_name_weekday(folded: str) -> bool:
    """True if a folded text may name a weekday: its name, or part of it, occurs."""
    return any(name in folded for name in (*_named("d"), *_FEIRA))


@cache
def _cues() -> frozenset[str]:
    return frozenset((*_named("d"), *months(), *words.COUNTED, *_FEIRA, *words.CUES.split()))


@cache
def _named(sort: str) -> dict[str, int]:
    """Return the names of weekdays (`d`) or months (`m`), without accents, with the number of each."""
    known = calendar_words().items()
    return {fold_case(name): int(value[1:]) for name, value in known if value[0] == sort}


def names_foreign_weekday(folded: str) -> bool:
    """True if a folded text names a weekday in another language than English."""
    foreign = {name for name in _named("d") if len(name) > _FIRST_LETTERS}.difference(WEEKDAYS)
    return not foreign.isdisjoint(re.findall("[a-z]+", folded))


@cache
def months() -> dict[str, int]:
    """Return the names of the months, abbreviations included, with the number of each."""
    return {**{name: number for number, name in enumerate(SHORT_MONTHS, start=1)}, **_named("m")}


# Portuguese weekdays are ordinals from the second on; "-feira" may be omitted.
_FEIRA = {"segunda": 0, "terca": 1, "quarta": 2, "quinta": 3, "sexta": 4}


def weekday_of(name: str) -> int:
    """Return the number of a weekday by its folded name, as `day_forms` finds it; Monday is 0."""
    return {**_named("d"), **_FEIRA}[re.split("[- ]", name)[0]]


@cache
def counts() -> dict[str, int]:
    """Return the words for numbers of days or weeks, with the numbers."""
    counted = {fold_case(word): int(count) for word, count in number_words().items() if 0 < count < 20}
    return counted | dict.fromkeys(words.ONE.split(), 1)


def any_of(some: Iterable[object]) -> str:
    """Return a pattern that matches any of these, the longest first."""
    return "|".join(sorted(map(str, some), key=len, reverse=True))


@cache
def day_forms() -> re.Pattern[str]:
    """Return the compiled pattern of the days that a folded text names."""
    return re.compile(_day_pattern())


def may_be_of_days(said: Iterable[str]) -> bool:
    """True if each of some folded words may occur in the name of a day, by its first letters.

    A cheap test, because compiling the forms takes longer than all else that is asked of most questions.
    """
    return all(word[:_FIRST_LETTERS] in _beginnings() for word in said)


@cache
def _beginnings() -> frozenset[str]:
    known = re.findall("[a-z]+", f"{_day_pattern()} {words.SPANS}")
    return frozenset(each[:_FIRST_LETTERS] for each in (*known, *beginnings()))


def _day_pattern() -> str:
    nth = r"(?:st|nd|rd|th|er|e|[.ºª°])?"
    months_nth = rf" ?(?:of |de |di |d')?(?:{any_of(months())})\b"
    lead = rf"(?:{words.BY}|{words.ON})"
    between = f"(?: (?:{words.BETWEEN}))*"
    number = rf"\d{{1,2}}|{any_of(counts())}"
    # "Sexta" alone is a day only after "na", "até", "esta", "próxima" or "para", or beside another day.
    feira = any_of(_FEIRA)
    day = (
        rf"{any_of(_named('d'))}|(?:{feira})[- ]feira"
        rf"|(?<=(?:na|te|ta|ma|ra) )(?:{feira})|(?<=(?:ois|tes) de )(?:{feira})"
        rf"|(?:{feira})(?= (?:a|de|pela) (?:manha|tarde|noite)\b)"
        rf"|(?<=de )(?:{feira})(?= (?:a|ate|para) )|(?<=(?:nda|rca|rta|nta|xta) [ae] )(?:{feira})"
    )
    part = rf"-?(?:{words.PART_IN_ONE})|[ -](?:{words.PART_BEHIND})"
    return (
        rf"\b(?:(?P<after>{words.AFTER_TOMORROW})|(?:(?P<today>{words.TODAY})|(?P<tomorrow>{words.TOMORROW}))(?:{part}\b)?"
        rf"|(?P<week>{words.NEXT_WEEK})|(?P<this_week>{words.THIS_WEEK})|(?P<this_month>{words.THIS_MONTH})\b"
        rf"|(?P<next_month>{words.NEXT_MONTH})\b|(?P<month_end>{words.MONTH_END})|(?P<week_end>{words.WEEK_END})"
        rf"|(?:{words.IN}) (?P<count>{number}) (?P<unit>{any_of(words.COUNTED)})\b"
        rf"|(?P<weeks>{any_of(counts())}) weeks?(?= (?:on|from|today|tomorrow)\b)"
        r"|(?P<year>20\d\d)-(?P<month>\d\d)-(?P<date>\d\d)"
        rf"|(?P<name>{any_of(months())})\.? (?P<nth>\d{{1,2}})(?:st|nd|rd|th)?(?![\d:.]\d|\d)"
        r"(?:,? (?P<in>20\d\d))?"
        rf"|(?P<nth2>\d{{1,2}}){nth} ?(?:of |de |di |d')?(?P<name2>{any_of(months())})\b"
        r"\.?(?:,? ?(?:de |del |do )?(?P<in2>20\d\d))?"
        rf"|(?<![\d.,/])(?:(?P<led>{lead}|{words.NTH}|{words.ENDING}){between} )?(?!24/7)(?P<one>\d{{1,2}})"
        r"(?:\.(?P<dotted>\d{1,2})\.(?P<dotted_year>(?: ?20)?\d\d)?(?!\.?\d)"
        r"|/(?P<slashed>\d{1,2})(?:/(?P<slashed_year>(?:20)?\d\d))?(?![/.]?\d|%))"
        rf"|(?:(?P<how>{lead}){between} )?(?:(?P<second>{words.AFTER_NEXT}) )?"
        rf"(?P<day>{day})(?:{part})?(?P<many>s)?\b"
        rf"(?:(?: (?P<then>{words.THEN})| (?P<later>{any_of(words.WEEKS_LATER)}))\b"
        rf"|,?(?: (?P<of_lead>{words.NTH}))? (?P<of>\d{{1,2}})(?>(?P<of_mark>st|nd|rd|th|er|e|[.ºª°])?)"
        rf"(?![\w:/–-]|[.,]\d)(?! (?:{words.OF_THE_CLOCK})\b)(?!{months_nth}))?"
        rf"|(?:(?P<part>{words.MONTH_PART}) (?:(?:{words.IN_MONTH}) )*|(?:(?:{words.IN_MONTH}) )+)"
        rf"(?P<in_month>{any_of(months())})\b(?! \d)"
        rf"|(?:(?P<which>{lead}{between}) )?(?:(?P<weekend_second>{words.AFTER_NEXT}) )?"
        rf"(?P<weekend>{words.WEEKEND})\b"
        rf"(?: (?:(?P<weekend_later>{words.WEEKEND_LATER})|(?P<which_behind>{words.THEN}))\b)?"
        rf"|(?:{words.NTH}) (?P<nth3>\d{{1,2}})(?!{nth}{months_nth}){nth}"
        rf"(?=[\s,;!?)]|[.](?:\s|$)|$)(?! (?:{words.OF_THE_CLOCK}|km|kg|min)\b))"
    )
