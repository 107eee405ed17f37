"""Times: instants and durations, UTC in the file and local on a terminal.

An instant is an aware `datetime` in UTC, cut to milliseconds; in the file and in JSON it is the fixed-width
text `2026-05-03T14:07:00.000Z`, so that text order is time order.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone, tzinfo

from memcli.errors import BadInput

Clock = Callable[[], datetime]
# The first and the last instant that the file can hold.
FIRST = datetime(1, 1, 1, tzinfo=UTC)
LAST = datetime(9999, 12, 31, 23, 59, 59, 999_000, tzinfo=UTC)

_UNITS = {
    "s": timedelta(seconds=1), "sec": timedelta(seconds=1), "second": timedelta(seconds=1),
    "m": timedelta(minutes=1), "min": timedelta(minutes=1), "minute": timedelta(minutes=1),
    "h": timedelta(hours=1), "hour": timedelta(hours=1),
    "d": timedelta(days=1), "day": timedelta(days=1),
    "w": timedelta(weeks=1), "week": timedelta(weeks=1),
    "mo": timedelta(days=30), "month": timedelta(days=30),
    "y": timedelta(days=365), "year": timedelta(days=365),
}  # fmt: skip
_DURATION = r"(\d+(?:\.\d+)?)([a-z]+)"
_DURATIONS = rf"(?:{_DURATION})+"
_SHIFTED = r"(?:in\s+(?P<ahead>.+)|(?P<back>.+?)\s+ago|(?P<sign>[+-])(?P<by>\d.*))"
_DATE_ONLY = r"\d{4}(-\d{2}(-\d{2})?)?|today|yesterday|tomorrow"
_WAYS = (
    "a date (2026-05-03), a time (2026-05-03T14:00), 'yesterday', 'monday', 'last week', 'next friday', "
    "'3 days ago' or 'in 2 weeks'"
)


def now() -> datetime:
    """Return the system clock's time, in UTC, cut to milliseconds."""
    return to_milliseconds(datetime.now(UTC))


def to_milliseconds(instant: datetime) -> datetime:
    """Return `instant` in UTC, cut to the file's precision; a naive one is local time."""
    instant = zoned(instant, UTC)
    return instant.replace(microsecond=instant.microsecond // 1000 * 1000)


def zoned(instant: datetime, zone: tzinfo | None = None) -> datetime:
    """Return `instant` in a zone, by default in local time; a naive one is local time.

    Windows knows no local time before 1970: there today's standard offset is used.
    """
    try:
        return instant.astimezone(zone)
    except OSError:
        standard = timezone(timedelta(seconds=-time.timezone))
        aware = instant if instant.tzinfo else instant.replace(tzinfo=standard)
        return aware.astimezone(zone or standard)


def to_iso(instant: datetime) -> str:
    """Return the file's form of an instant: `2026-05-03T14:07:00.000Z`."""
    if instant.tzinfo is not UTC:
        instant = instant.astimezone(UTC)
    return instant.isoformat(timespec="milliseconds")[:-6] + "Z"


def from_iso(text: str) -> datetime:
    """Parse the file's form, or any ISO 8601 instant; naive means UTC.

    Raises ValueError for anything else, and if an offset leads out of the years 1 to 9999.
    """
    instant = datetime.fromisoformat(text)
    if instant.tzinfo is UTC and not instant.microsecond % 1000:
        return instant  # the file's own form needs no conversion, and recall reads hundreds
    try:
        return to_milliseconds(instant if instant.tzinfo else instant.replace(tzinfo=UTC))
    except OverflowError as error:
        raise ValueError("outside the years 1 to 9999") from error


def parse_instant(text: str, now: datetime, *, end: bool = False) -> datetime:
    """Parse an instant as people write it.

    Accepts ISO 8601 (without an offset: local time), a bare date, month or year, `now`, `today`, `yesterday`,
    `tomorrow`, `3 days ago`, `in 2 weeks`, `-3d`. A bare date is its first instant, or with `end` its last
    millisecond, limited to the calendar of UTC. Raises BadInput for anything else, and for instants before
    year 1 or after 9999.
    """
    wanted = text.strip().lower()
    try:
        if wanted == "now":
            return now
        if re.fullmatch(_DATE_ONLY, wanted):
            return _day(wanted, now, end)
        if shifted := re.fullmatch(_SHIFTED, wanted):
            length = parse_duration(shifted["ahead"] or shifted["back"] or shifted["by"])
            ahead = shifted["ahead"] or shifted["sign"] == "+"
            return to_milliseconds(now + length if ahead else now - length)
        return to_milliseconds(datetime.fromisoformat(text.strip()))
    except (ValueError, OverflowError, BadInput) as error:
        raise _not_read("time", text, _WAYS) from error


def parse_duration(text: str) -> timedelta:
    """Parse a duration: `90s`, `30m`, `24h`, `7d`, `2 weeks`, `1h30m`.

    Raises BadInput for anything else, and for zero.
    """
    compact = re.sub(r"[\s,]+", "", text.lower())
    total, is_read = timedelta(), False
    try:
        if re.fullmatch(_DURATIONS, compact):
            for amount, name in re.findall(_DURATION, compact):
                total += float(amount) * _UNITS[name.removesuffix("s") or "s"]
            is_read = True
    except (KeyError, OverflowError):
        total, is_read = timedelta(), False
    if is_read and not total:
        raise _not_read("length of time", text, "more than nothing (1s, 30m, 7d)")
    if not total:
        raise _not_read("length of time", text, "90s, 30m, 24h, 7d or 2w")
    return total


def _not_read(what: str, text: str, ways: str) -> BadInput:
    error = BadInput(f"not a {what}: {text!r}", advice=f"write {ways}")
    error.given = text
    return error


def local_time(instant: datetime, *, seconds: bool = False) -> str:
    """Return an instant for a terminal: local time, to the minute."""
    shown = local(instant).isoformat(" ", "seconds" if seconds else "minutes")
    return shown[: len("2026-05-03 14:07:00")] if seconds else shown[: len("2026-05-03 14:07")]


def local(instant: datetime) -> datetime:
    """Return an instant in local time; in UTC if the local calendar has no such day (in years 1 and 9999)."""
    try:
        return zoned(instant)
    except (OverflowError, ValueError):
        return instant


def local_day(instant: datetime) -> str:
    """Return the local day of an instant: `2026-05-03`."""
    return local_time(instant)[:10]


def _day(text: str, now: datetime, end: bool) -> datetime:
    today = local(now).replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=None)
    offsets = {"today": 0, "yesterday": -1, "tomorrow": 1}
    if text in offsets:
        start = today + timedelta(days=offsets[text])
        last = start + timedelta(days=1, milliseconds=-1)
    else:
        from calendar import monthrange

        year, month, day = (*map(int, text.split("-")), 0, 0)[:3]
        start = datetime(year, month or 1, day or 1)  # noqa: DTZ001 - local midnight; cut() adds the zone
        last = start.replace(
            month=month or 12, day=day or monthrange(year, month or 12)[1], hour=23, minute=59, second=59,
            microsecond=999_000,
        )  # fmt: skip
    try:
        return to_milliseconds(last if end else start)
    except (OverflowError, ValueError):
        return LAST if start.year == LAST.year else FIRST
