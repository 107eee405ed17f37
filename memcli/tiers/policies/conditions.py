"""Conditions of policies, and the circumstances of an action that meet them.

A condition (when a policy holds; unless what it does not) is one of: `KEY=VALUE` pairs joined by commas,
all of which must hold (case is ignored; `A..B` is a range); `KEY~REGEX`, found in that key's value; any
other text, a regular expression that is found in one of the lines `KEY=VALUE`. The key `action` is the
action itself.

The clock is in every context by itself, in local time: `date` (2026-05-03), `time` (14:05), `hour` (0 to
23), `weekday` (monday) and `month` (1 to 12). A caller who asks about another day or time states one of
them, and those that follow from it are derived.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import date, datetime, time

from memcli.errors import BadInput
from memcli.text.dates.calendar import WEEKDAYS
from memcli.text.expressions import expression
from memcli.text.patterns import Patterns, check_pattern
from memcli.times import local

# The keys of the clock, with the form of their values.
_CLOCK = {
    "date": "write a date as 2026-05-03", "time": "write a time as 14:05", "hour": "an hour is 0 to 23",
    "weekday": f"a weekday is one of {', '.join(WEEKDAYS)}", "month": "a month is 1 to 12",
}  # fmt: skip
_DIGITS = expression(r"[0-9]{1,18}")

_PAIR = expression(r"\s*([\w.-]+)\s*=\s*([^,=]*?)\s*")
_MATCH = expression(r"\s*([\w.-]+)\s*~(.+)", re.DOTALL)


def parse_circumstances(pairs: Iterable[str], action: str) -> dict[str, str]:
    """Return the context from `KEY=VALUE` arguments. Raises BadInput for anything else."""
    context = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        key = key.strip().casefold()
        if not equals or not key:
            raise BadInput(f"--context {pair!r:.60}: write KEY=VALUE")
        if key == "action":
            raise BadInput("--context action=…: the action is what you ask about")
        if key in _CLOCK:
            _check_clock(key, value.strip(), f"--context {pair!r:.60}")
        context[key] = value.strip()
    return {**context, "action": action}


def clock_context(now: datetime, said: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the clock's part of a context; `now` in UTC, the values in local time.

    What is `said` of the clock, checked by `parse_circumstances`, counts instead: a date implies its
    weekday and month, a time its hour, an hour its time.
    """
    said = said or {}
    here = local(now)
    day, clock = here.date(), here.time()
    if "date" in said:
        day = date.fromisoformat(_clock_value("date", said["date"]) or "")
    if "time" in said:
        clock = time.fromisoformat(_clock_value("time", said["time"]) or "")
    elif "hour" in said:
        clock = clock.replace(hour=int(said["hour"]))
    follows = {
        "date": day.isoformat(), "time": f"{clock:%H:%M}", "hour": str(clock.hour),
        "weekday": WEEKDAYS[day.weekday()], "month": str(day.month),
    }  # fmt: skip
    return follows | {key: value for key, value in said.items() if key in _CLOCK}


def check_condition(condition: str, what: str) -> str:
    """Return `condition` if it can be matched, else raise BadInput with the reason."""
    if pairs := _pairs(condition):
        for key, value in pairs:
            for end in value.split("..") if key in _CLOCK else ():
                _check_clock(key, end.strip(), f"{what} {condition!r:.60}")
        return condition
    found = _MATCH.fullmatch(condition)
    check_pattern(found[2].strip() if found else condition, what)
    return condition


def met_exception(conditions: Iterable[str], context: Mapping[str, str]) -> str | None:
    """Return the first condition that the context meets, or None."""
    return next((each for each in conditions if _holds(each, context)), None)


def _check_clock(key: str, value: str, what: str) -> None:
    if _clock_value(key, value) is None:
        raise BadInput(f"{what}: {_CLOCK[key]}")


def _clock_value(key: str, text: str) -> str | None:
    """Return a clock value in the canonical form in which values are compared; None if it is invalid."""
    if key == "weekday":
        day = _weekday(text)
        return None if day is None else str(day)
    if key in ("hour", "month"):
        least, most = (0, 23) if key == "hour" else (1, 12)
        number = int(text) if _DIGITS.fullmatch(text) else -1
        return f"{number:02}" if least <= number <= most else None
    try:
        read = datetime.strptime(text, "%Y-%m-%d" if key == "date" else "%H:%M")  # noqa: DTZ007 - only compared
    except ValueError:
        return None
    return f"{read:%Y-%m-%d}" if key == "date" else f"{read:%H:%M}"


def _holds(condition: str, context: Mapping[str, str]) -> bool:
    if pairs := _pairs(condition):
        return all(key in context and _fits(key, context[key], value) for key, value in pairs)
    if found := _MATCH.fullmatch(condition):
        value = context.get(found[1].casefold())
        return value is not None and Patterns([found[2].strip()]).first(value) is not None
    # The action's own text must not meet an exception: only statements about it count, and not the clock
    # (`5` is no exception on the fifth).
    pattern = Patterns([condition], "condition")
    lines = (f"{key}={value}" for key, value in context.items() if key not in ("action", *_CLOCK))
    return any(pattern.first(line) for line in lines)


def _fits(key: str, value: str, wanted: str) -> bool:
    """True if a value is the wanted one, or lies in the range `A..B`, ends included."""
    first, dots, last = (part.strip() for part in wanted.partition(".."))
    if key in _CLOCK:
        return _fits_clock(key, value, first, last if dots else first)
    if not dots:
        return value.casefold() == wanted.casefold()
    if all(_DIGITS.fullmatch(each) for each in (value, first, last)):
        return int(first) <= int(value) <= int(last)
    return first.casefold() <= value.casefold() <= last.casefold()


def _fits_clock(key: str, value: str, first: str, last: str) -> bool:
    """True if a clock value is between two values, both included; ranges except of dates wrap around."""
    low, high, here = (_clock_value(key, each) for each in (first, last, value))
    if low is None or high is None or here is None:
        return False
    if low <= high:
        return low <= here <= high
    return key != "date" and (here >= low or here <= high)


def _weekday(text: str) -> int | None:
    """Return the number of a weekday, Monday 0; three letters of its name are enough."""
    name = text.casefold()
    return next((n for n, day in enumerate(WEEKDAYS) if len(name) > 2 and day.startswith(name)), None)


def _pairs(condition: str) -> list[tuple[str, str]]:
    """Return the pairs of a condition; none if it is no list of pairs."""
    found = [_PAIR.fullmatch(part) for part in condition.split(",")]
    return [(pair[1].casefold(), pair[2]) for pair in found if pair] if all(found) else []
