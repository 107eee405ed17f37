"""The circumstances of an action, and the conditions of policies that they meet.

A condition (when a policy holds; unless what it does not) is one of: `KEY=VALUE`
pairs joined by commas, all of which must hold (case is ignored; `A..B` is a range);
`KEY~REGEX`, found in that key's value; any other text, a regular expression that is
found in one of the lines `KEY=VALUE`. The key `action` is the action itself.

The clock is in every context by itself, in local time: `date` (2026-05-03), `time`
(14:05), `hour` (0 to 23), `weekday` (monday) and `month` (1 to 12).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from itertools import cycle, islice

from memcli.errors import BadInput
from memcli.text.dates.calendar import WEEKDAYS
from memcli.text.expressions import expression
from memcli.text.patterns import Patterns, check_pattern
from memcli.times import local

_CLOCK = ("date", "time", "hour", "weekday", "month")

_PAIR = expression(r"\s*([\w.-]+)\s*=\s*([^,=]*?)\s*")
_MATCH = expression(r"\s*([\w.-]+)\s*~(.+)", re.DOTALL)


def parse_circumstances(pairs: Iterable[str], action: str) -> dict[str, str]:
    """What `KEY=VALUE` arguments say of an action. Raises BadInput for anything else."""
    context = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        key = key.strip().casefold()
        if not equals or not key:
            raise BadInput(f"--context {pair!r:.60}: write KEY=VALUE")
        if key == "action":
            raise BadInput("--context action=…: the action is what you ask about")
        context[key] = value.strip()
    return {**context, "action": action}


def clock_context(now: datetime) -> dict[str, str]:
    """What the clock says of an action that is asked about now; `now` in UTC, the answer in local time."""
    here = local(now)
    return {
        "date": f"{here:%Y-%m-%d}", "time": f"{here:%H:%M}", "hour": str(here.hour),
        "weekday": WEEKDAYS[here.weekday()], "month": str(here.month),
    }  # fmt: skip


def check_condition(condition: str, what: str) -> str:
    """`condition` if it can be matched, else BadInput with the reason."""
    if pairs := _pairs(condition):
        for key, value in pairs:
            for end in value.split("..") if key in _CLOCK else ():
                _check_clock(key, end.strip(), f"{what} {condition!r:.60}")
        return condition
    found = _MATCH.fullmatch(condition)
    check_pattern(found[2].strip() if found else condition, what)
    return condition


def met_exception(conditions: Iterable[str], context: Mapping[str, str]) -> str | None:
    """The first condition that the context meets, or None."""
    return next((each for each in conditions if _holds(each, context)), None)


def _check_clock(key: str, value: str, what: str) -> None:
    if key == "weekday" and _weekday(value) is None:
        raise BadInput(f"{what}: a weekday is one of {', '.join(WEEKDAYS)}")
    if key in ("hour", "month") and not (value.isdigit() and int(value) < (24 if key == "hour" else 13)):
        raise BadInput(f"{what}: {'an hour is 0 to 23' if key == 'hour' else 'a month is 1 to 12'}")
    if key in ("date", "time"):
        try:
            datetime.strptime(value, "%Y-%m-%d" if key == "date" else "%H:%M")  # noqa: DTZ007 - only checked
        except ValueError as error:
            raise BadInput(
                f"{what}: write a {key} as {'2026-05-03' if key == 'date' else '14:05'}"
            ) from error


def _holds(condition: str, context: Mapping[str, str]) -> bool:
    if pairs := _pairs(condition):
        return all(key in context and _fits(key, context[key], value) for key, value in pairs)
    if found := _MATCH.fullmatch(condition):
        value = context.get(found[1].casefold())
        return value is not None and Patterns([found[2].strip()]).first(value) is not None
    # What is asked about must not talk its way out: only what is said about it counts, and what time
    # it is says nothing about it (`5` is no exception on the fifth).
    pattern = Patterns([condition], "condition")
    lines = (f"{key}={value}" for key, value in context.items() if key not in ("action", *_CLOCK))
    return any(pattern.first(line) for line in lines)


def _fits(key: str, value: str, wanted: str) -> bool:
    """Whether a value is the one that is wanted, or lies in the range `A..B`, its ends included.

    Ranges of weekdays and of hours go round: `friday..monday`, `hour=22..5`.
    """
    first, dots, last = (part.strip() for part in wanted.partition(".."))
    if not dots:
        same = value.casefold() == wanted.casefold()
        return same or (key == "weekday" and _weekday(wanted) == _weekday(value) is not None)
    if key == "weekday":
        start, end, here = _weekday(first), _weekday(last), _weekday(value)
        if start is None or end is None or here is None:
            return False
        return here in islice(cycle(range(7)), start, start + (end - start) % 7 + 1)
    if value.isdigit() and first.isdigit() and last.isdigit():
        low, high, number = int(first), int(last), int(value)
        return low <= number <= high if low <= high else key in _CLOCK and (number >= low or number <= high)
    low_text, high_text, text = first.casefold(), last.casefold(), value.casefold()
    if key == "time" and low_text > high_text:
        return text >= low_text or text <= high_text
    return low_text <= text <= high_text


def _weekday(text: str) -> int | None:
    """The number of a weekday, Monday 0; three letters of its name are enough."""
    name = text.casefold()
    return next((n for n, day in enumerate(WEEKDAYS) if len(name) > 2 and day.startswith(name)), None)


def _pairs(condition: str) -> list[tuple[str, str]]:
    """The pairs of a condition; none where it is no list of pairs."""
    found = [_PAIR.fullmatch(part) for part in condition.split(",")]
    return [(pair[1].casefold(), pair[2]) for pair in found if pair] if all(found) else []
