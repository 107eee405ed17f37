"""Values of options: parse instants, spans and fractions, and check their limits."""

from __future__ import annotations

from datetime import datetime

from memcli.errors import BadInput


def instant_option(
    text: str | None, now: datetime, *, end: bool = False, ahead: bool = False
) -> datetime | None:
    """Return an option's time, or None if it was not given; BadInput for an empty one (an empty variable)."""
    if text is None:
        return None
    # Imported here because most calls give no time.
    from memcli.text.dates.instants import read_instant

    return read_instant(text, now, end=end, ahead=ahead)


def span_option(text: str | None, now: datetime) -> tuple[datetime, datetime] | None:
    """Return the first and the last instant of an option's time: a day, a month, last week."""
    first, last = instant_option(text, now), instant_option(text, now, end=True)
    return (first, last) if first and last else None


def period_options(
    since: str | None, until: str | None, now: datetime
) -> tuple[datetime | None, datetime | None]:
    """Return the instants of --since and --until; BadInput if the first is later than the second."""
    first, last = instant_option(since, now), instant_option(until, now, end=True)
    if first and last and first > last:
        raise BadInput(f"--since {since} lies after --until {until}; swap them")
    return first, last


def fraction_option(option: str, value: float | None) -> float | None:
    """Return an option's number from 0 to 1; BadInput for any other, and for nan."""
    if value is not None and not 0 <= value <= 1:
        raise BadInput(f"{option} {value:g} is out of range; give a number from 0 to 1")
    return value
