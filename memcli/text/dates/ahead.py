"""Days ahead that a text names, counted from when it was said: "by Friday", "in 3 Tagen", "el 12 de mayo"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, timedelta

from memcli.named_tuple import NamedTuple
from memcli.text.dates import ahead_words as words
from memcli.text.dates.ahead_forms import Mention, may_name_day, mentions, weekday_of
from memcli.text.dates.ahead_names import with_days_named
from memcli.text.dates.ahead_reading import is_exact, is_loose, is_next, is_number_alone, last_before
from memcli.text.dates.ahead_stretches import Stretch, core_of, ends_of, stretches
from memcli.text.dates.ahead_told import tells_of_past, without_report
from memcli.text.dates.ahead_weekly import now_weekly
from memcli.text.dates.called_off import is_called_off
from memcli.text.expressions import expression
from memcli.text.stopwords import STOPWORDS
from memcli.times import local

_OF_MANY = expression(rf"(?:\b|^)(?:{words.OF_MANY})\s*$")
_LAST_BEFORE = expression(rf"\b(?:{words.LAST})\s*$")
_LAST_BEHIND = expression(rf" (?:{words.LAST_BEHIND})\b")
_OF_A_MONTH = expression(rf"\b(?:{words.OF_A_MONTH}) $")
_HABIT = expression(rf"\b(?:{words.EVERY})\b[^.!?;:\n]{{0,60}}$")
_WEEKLY = expression(rf"\b(?:{words.WEEKLY})\b")
_BY = expression(rf"\b(?:{words.BY})(?: (?:{words.BETWEEN}))*\s*$")
_LASTING, _LASTING_OR_DUE = (
    expression(rf"\b(?:{lead})(?: (?:{words.BETWEEN}))*\s*$")
    for lead in (words.LASTING_UNTIL, words.LASTING_OR_DUE)
)
_LASTS, _MUST = (expression(rf"\b(?:{form})\b") for form in (words.LASTS, words.MUST))
_SINCE = expression(rf"\b(?:{words.SINCE})(?: (?:{words.BETWEEN}))*\s*$")
_SINCE_WEEKDAY = expression(
    rf"(?<!partire )\b(?:(?:{words.SINCE_OR_FROM})(?: (?:{words.BETWEEN}))* \w"
    rf"|(?:{words.SINCE_IN_ITALIAN}) (?=(?:{words.ITALIAN_DAY})$))[\w-]*$"
)
_ONWARDS_BEHIND = expression(rf" (?:{words.ONWARDS_BEHIND})\b")
_NOT_ON = expression(rf"\b(?:{words.BEFORE})(?: (?:{words.BETWEEN}))*\s*$")
_INSTEAD_OF = expression(rf"\b(?:{words.INSTEAD_OF})(?: (?:{words.BETWEEN}|on|am|op))*\s*$")
_NOT_THE_DAY = expression(rf"\b(?:{words.NOT_ON})(?: (?:{words.BETWEEN}))*\s*$")
_BUT_ON = expression(rf"[^.;!?\n]{{0,30}}?\b(?:{words.BUT_ON})\b ?")
# "No" or "none of", English and other languages, before a week and after it.
_NO_IN_ENGLISH, _NONE_OF = (
    (
        expression(rf"(?:^|[.;!?:,\n]\s*|\bthere(?: i|')s )(?:{none}) ?(?:[^\W\d]+ ){{1,3}}$"),
        expression(rf"\s*,? ?(?:{none}) ?[^\W\d]+"),
    )
    for none in (words.NO_IN_ENGLISH, words.NONE_OF)
)
# The date at the beginning of an entry, as in a journal: the rest of the line was said on that day.
_HEAD = expression(r"[\W_]{0,4}(20\d\d-\d\d-\d\d)(?![\d-])")
# A determiner before "weekend" and a noun after it: "the weekend market" names no day.
_DETERMINED = expression(r"\b(?:the|an?|my|our|his|her|their)\s+$")
_NEXT_WORD = expression(r" ([^\W\d_]+)\b")
_NOW = expression(rf"\b(?:{words.NOW})\b")
# An article after the first word shows that this is a verb.
_ARTICLE = expression(r"(?:the|an?|el|la|le|il|het|das|den)\b")
# An event is named in at most so many content words: "flight to Rome".
_NAMED = 2
_PLURAL = r"s\b"
# What introduces a day is looked for in so many characters before it.
_BEFORE = 90
# "Monday to Friday", or to Saturday or Sunday, recurs every week; "Monday to Wednesday" is once.
_MONDAY, _FRIDAY = 0, 4


class DayAhead(NamedTuple):
    """A day ahead that a text names, at noon."""

    at: datetime
    by: bool = False
    """True for a deadline, False for the day of an event."""
    certain: bool = False
    """Its form shows that it is ahead, whatever a judge says.

    The text names an event and in how many days it is, and says nothing else ("Exam in 3 days"), or from
    which weekday to which it is, or that it is on a weekday now, or that somebody said so.
    """
    last: datetime | None = None
    """The last of several days, of which this is the first: a weekend's, or "from Thursday to Sunday"."""
    first: datetime | None = None
    """For "this week": the first day of the span of which `at` is the last."""
    counted: bool = False
    """Named by the number of days until then ("in 3 days"), which may be how long something took."""
    before: datetime | None = None
    """For "before Friday": the last day before `at`."""
    moved: bool = False
    """Something was moved to it ("was postponed to Friday"), so the past tense does not make it past."""
    weekly: bool = False
    """It may recur every week: "open from Monday to Friday"."""
    loose: bool = False
    """Only a week or a month is named, no day of it."""
    lasting: bool = False
    """Up to then something is so: "is away until Friday"."""

    @property
    def end(self) -> datetime:
        """Return the last of its days."""
        return self.last or self.at

    def on_or_after(self, day: datetime) -> datetime:
        """Return the first of its days that is not before another day; its last day if it is over by then."""
        return max(self.at, min(self.end, day))


def days_ahead(text: str, said: datetime, *, told_due: bool = False) -> list[DayAhead]:
    """Return the days that a text names as ahead, resolved from when it was `said`.

    In a text that is `told_due` a bare day is enough ("dentist Friday", "am 17. beim Amt"); otherwise only a
    word that introduces it ("by", "on") says that it is ahead. A line that begins with a date that was not
    ahead then is a journal entry of that day.
    """
    # Days are counted in the local time zone of the person who said it.
    said = local(said)
    found: list[DayAhead] = []
    entry = ""
    for line in text.splitlines():
        if head := _head_of(line, said):
            found += _days_of(entry, said, told_due)
            found += _days_of(line[head.end() :], _on_day(said, head[1]), told_due)
            entry = ""
        else:
            entry += f"{line}\n"
    return found + list(_days_of(entry, said, told_due))


def names_day(text: str) -> bool:
    """True if a text may name days, ahead or weekly: a cheap test that most texts fail."""
    folded = with_days_named(text)
    return may_name_day(folded, told_due=True) or may_name_day(re.sub(_PLURAL, "", folded), told_due=False)


def weekdays_every_week(text: str) -> frozenset[int]:
    """Return the weekdays (Monday is 0) on which something recurs weekly: "freitags", "le lundi"."""
    folded = with_days_named(text)
    every = {day for each in stretches(folded) if _is_weekly(each, folded) for day in _weekdays_of(each)}
    every |= now_weekly(folded)
    for mention in mentions(folded):
        match, before = mention.match, folded[max(0, mention.start - _BEFORE) : mention.start]
        is_one = not match["day"] or is_exact(mention)
        if not is_one and (match["many"] or _HABIT.search(before) or _OF_MANY.search(before)):
            every.add(weekday_of(match["day"]))
    return frozenset(every)


def _weekdays_of(stretch: Stretch) -> Iterator[int]:
    """Return all weekdays from the first to the last."""
    first, last = (weekday_of(each.match["day"]) for each in stretch.mentions)
    return (day % 7 for day in range(first, last + 1 if last >= first else last + 8))


def _head_of(line: str, said: datetime) -> re.Match[str] | None:
    head = _HEAD.match(line)
    if head is None:
        return None
    try:
        return head if _on_day(said, head[1]).date() <= local(said).date() else None
    except ValueError:  # 2026-02-31
        return None


def _on_day(said: datetime, day: str) -> datetime:
    year, month, date = map(int, day.split("-"))
    return said.replace(year=year, month=month, day=date)


def _days_of(text: str, said: datetime, told_due: bool) -> Iterator[DayAhead]:
    folded = with_days_named(text)
    if not may_name_day(folded, told_due=told_due):
        return
    noon = said.replace(hour=12, minute=0, second=0, microsecond=0)
    told, reported = tells_of_past(text), without_report(text) != text
    weekly_now = now_weekly(folded)
    for stretch in stretches(folded):
        if weekly_now and all(_is_any_weekday(each) for each in stretch.mentions):
            continue
        if _tells_of_none_ahead(stretch, folded, told, told_due):
            continue
        if is_called_off(folded, stretch.start, stretch.end) or _is_another(stretch, folded):
            continue
        if _is_without(stretch, folded):
            continue
        try:
            day, last = ends_of(stretch, noon)
        except (ValueError, OverflowError):  # the 31st of June
            continue
        if isinstance(stretch.first, Mention) and stretch.last is None:
            if day == noon and _is_moved_on(stretch, stretch.first, folded):
                day += timedelta(days=7)
            yield _day_alone(stretch.first, folded, day, noon, told, moved=stretch.moved, reported=reported)
        else:
            weekly = _is_weekly(stretch, folded)
            of_weekdays = all(_is_any_weekday(each) for each in stretch.mentions)
            last += timedelta(days=1 if stretch.mentions[-1].match["weekend"] else 0)
            yield DayAhead(day, last=last, certain=stretch.led and of_weekdays and not weekly, weekly=weekly)


def _is_another(stretch: Stretch, folded: str) -> bool:
    """True if a text rejects a day for another one that it names: "not on Friday but Thursday"."""
    before = folded[max(0, stretch.start - _BEFORE) : stretch.start]
    if _INSTEAD_OF.search(before):
        return any(not stretch.start <= each.start < stretch.end for each in mentions(folded))
    but = _BUT_ON.match(folded, stretch.end) if _NOT_THE_DAY.search(before) else None
    return but is not None and any(each.start >= but.end() for each in mentions(folded))


def _is_without(stretch: Stretch, folded: str) -> bool:
    """True if a text says that there is none of something in a week or month: "no choir this week".

    The absence of something on a single day is worth mentioning on it: "no water on Friday".
    """
    match = stretch.mentions[0].match
    if not (match["this_week"] or match["this_month"]):
        return False
    # "This week" is English.
    none = _NO_IN_ENGLISH if match[0].startswith("this") else _NONE_OF
    return bool(none[0].search(folded[: stretch.start]) or none[1].match(folded, stretch.end))


def _tells_of_none_ahead(stretch: Stretch, folded: str, told: bool, told_due: bool) -> bool:
    """True if the days may be of any week, month or year, or are past (`told`: in the past tense)."""
    named = stretch.mentions
    leading = named if stretch.last is None else named[:1]
    if any(
        each.match["many"]
        or _is_part_of_name(each.match)
        or (each.match["weekend"] and told)
        or _is_last(each, folded)
        for each in named
    ):
        return True
    if stretch.last is None and _has_begun(named[0], folded):
        return True
    if any(_is_of_any_week(each, stretch, folded, told, told_due) for each in leading if each.match["day"]):
        return True
    is_dated = stretch.led and any(each.match["one"] for each in named)
    number_alone = all(is_number_alone(each.match) and not is_exact(each) for each in named)
    return number_alone and not (told_due or is_dated or _is_by_number(named[0], folded))


def _is_by_number(mention: Mention, folded: str) -> bool:
    """True if something is to be done by a day given by its number alone: "due 11th", "bis zum 3."."""
    if mention.beside or not mention.match["nth3"]:
        return False
    core = core_of(mention)
    return _BY.search(folded[max(0, core - _BEFORE) : core]) is not None


def _has_begun(mention: Mention, folded: str) -> bool:
    """True if something has been so since a day ("since Tuesday"); not "from Tuesday on", "dal 3 maggio"."""
    core, match = core_of(mention), mention.match
    before = folded[max(0, core - _BEFORE) : core]
    if _SINCE.search(before):
        return True
    if not _is_any_weekday(mention) or match["then"] or _ONWARDS_BEHIND.match(folded, match.end()):
        return False
    return _SINCE_WEEKDAY.search(before + match["day"]) is not None


def _is_part_of_name(match: re.Match[str]) -> bool:
    """True if a weekend is part of the name of another thing: "the weekend market"."""
    if not match["weekend"] or match["which"] or match["which_behind"]:
        return False
    before, behind = match.string[: match.start()], _NEXT_WORD.match(match.string, match.end())
    return bool(behind and behind[1] not in STOPWORDS and _DETERMINED.search(before))


def _is_of_any_week(mention: Mention, stretch: Stretch, folded: str, told: bool, told_due: bool) -> bool:
    """True if nothing says that a weekday is the next one, or something says that it is not."""
    match, exact, how = mention.match, is_exact(mention), mention.match["how"] or ""
    before = folded[max(0, stretch.start - _BEFORE) : stretch.start]
    led = how or match["then"] or stretch.moved or (stretch.led and not _is_weekly(stretch, folded))
    led = led or (_NOW.search(folded) and _alone(before, told_due=True))
    # "The second Thursday" is not necessarily the next one.
    if not exact and (_OF_A_MONTH.search(before) or not (led or _alone(before, told_due))):
        return True
    # "On Monday we discussed it" tells of the Monday before.
    was_on = told and not stretch.moved and (how in ("on", "this") or stretch.led)
    told_of = was_on or _HABIT.search(before)
    return mention.beside is None and bool(told_of)


def _day_alone(
    mention: Mention, folded: str, day: datetime, noon: datetime, told: bool, *, moved: bool, reported: bool
) -> DayAhead:
    match, before = mention.match, folded[max(0, mention.start - _BEFORE) : mention.start]
    # In Portuguese one word ("para") introduces both a deadline and the day to which something is moved.
    by = not moved and any(_leads(_BY, each, before) for each in mention)
    not_on = any(_leads(_NOT_ON, each, before) for each in mention)
    last = day + timedelta(days=1) if match["weekend"] and not by else None
    # "We now meet on Saturday" names one day, which is a change.
    is_news = bool(match["day"]) and not by and (reported or _NOW.search(folded) is not None)
    return DayAhead(
        day, by=by, certain=not told and (_is_all_told(match) or is_news), last=last, moved=moved,
        first=noon if match["this_week"] or match["this_month"] else None, counted=bool(match["count"]),
        before=last_before(mention, day) if not_on else None, loose=is_loose(mention),
        lasting=by and _lasts(mention, folded, before),
    )  # fmt: skip


def _lasts(mention: Mention, folded: str, before: str) -> bool:
    """True if something is so until a day, as opposed to being due then."""
    if _MUST.search(folded):
        return False
    if any(_leads(_LASTING, each, before) for each in mention):
        return True
    return (
        any(_leads(_LASTING_OR_DUE, each, before) for each in mention) and _LASTS.search(folded) is not None
    )


def _is_moved_on(stretch: Stretch, mention: Mention, folded: str) -> bool:
    """True if something was moved to today's weekday, without "today": the next one is meant."""
    is_today = mention.match["how"] == "this" or any(each.match["today"] for each in mentions(folded))
    return stretch.moved and _is_any_weekday(mention) and not is_today


def _is_any_weekday(mention: Mention) -> bool:
    return bool(mention.match["day"]) and not is_exact(mention)


def _is_weekly(stretch: Stretch, folded: str) -> bool:
    """True if a stretch of weekdays recurs weekly: all workdays, or opening hours."""
    if stretch.last is None or not all(_is_any_weekday(each) for each in stretch.mentions):
        return False
    first, last = (each.match for each in stretch.mentions)
    working = weekday_of(first["day"]) == _MONDAY and weekday_of(last["day"]) >= _FRIDAY
    return (working and not is_next(first)) or _WEEKLY.search(folded) is not None


def _is_last(mention: Mention, folded: str) -> bool:
    """True if a weekday without a date is past: "last Thursday", "jeudi dernier"."""
    match = mention.match
    if mention.beside or not match["day"]:
        return False
    before, after = folded[: match.start()], folded[match.end() : match.end() + _BEFORE]
    return bool(_LAST_BEFORE.search(before[-_BEFORE:]) or _LAST_BEHIND.match(after))


def _is_all_told(match: re.Match[str]) -> bool:
    """True if a text only says that an event is in so many days: not "Built the shed in 3 days"."""
    before, after = match.string[: match.start()].strip(), match.string[match.end() :].strip(" .!\n")
    said = re.findall(r"[\w']+", before or after)
    if not match["count"] or not said or (before and after) or any(map(str.isdigit, said)):
        return False
    if _ARTICLE.match(" ".join(said[1:])):
        return False
    return said[0] not in STOPWORDS and sum(word not in STOPWORDS for word in said) <= _NAMED


def _leads(form: re.Pattern[str], match: re.Match[str] | None, before: str) -> bool:
    """True if a form that introduces a deadline stands before a day, or within its match."""
    if match is None:
        return False
    # In "antes del 22" the introduction is part of the match.
    within = match["led"] or match[0].partition(match["nth3"] or " ")[0]
    led_within = match["led"] or is_number_alone(match)
    how = match["how"] or match["which"] or ""
    return bool(form.search(f"{before}{how} ") or (led_within and form.search(f"{before}{within} ")))


def _alone(before: str, told_due: bool) -> bool:
    return told_due and _OF_MANY.search(before) is None
