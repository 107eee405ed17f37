"""Instants as options take them: as `memcli.times` reads them, or by name: "last week", "next friday"."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from memcli import times
from memcli.errors import BadInput

if TYPE_CHECKING:
    from memcli.text.dates.time_span import TimeSpan


def read_instant(text: str, now: datetime, *, end: bool = False, ahead: bool = False) -> datetime:
    """Return the instant that a text names: of a span its first, or with `end` its last millisecond.

    A weekday, or a month without a year, is the last one, or with `ahead` the next. Days ahead are named in
    seven languages, as in questions. Raises BadInput if the text names no time.
    """
    with suppress(BadInput):
        return times.parse_instant(text, now, end=end)
    span = _named(text, now, ahead)
    if span is None:
        # Called again for its error message, which says what may be written.
        return times.parse_instant(text, now, end=end)
    return times.to_milliseconds(span.end - timedelta(milliseconds=1) if end else span.start)


def _named(text: str, now: datetime, ahead: bool) -> TimeSpan | None:
    from memcli.text.dates.ahead_spans import span_named
    from memcli.text.dates.spans import named_span

    # Where only the future can be meant, "on Friday" is the next one.
    if ahead and (coming := span_named(text, now, ahead=True)):
        return coming
    if span := named_span(text, now):
        return span.coming(now) if ahead else span.latest(now)
    return span_named(text, now, ahead=False)
