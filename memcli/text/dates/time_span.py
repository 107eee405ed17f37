"""Time span, as a text names it."""

from __future__ import annotations

from datetime import datetime

from memcli.named_tuple import NamedTuple
from memcli.times import zoned


class TimeSpan(NamedTuple):
    """A span of time from `start` up to, not including, `end`.

    A yearly one recurs every year; nothing outside a sharp one matches. `sure` (0 to 1) is the weight of a
    match.
    """

    start: datetime
    end: datetime
    yearly: bool = False
    sharp: bool = False
    sure: float = 1.0

    def latest(self, now: datetime) -> TimeSpan:
        """Return a yearly span at its last occurrence that has begun by `now`; any other as it is."""
        if not self.yearly:
            return self
        return next(each for each in map(self._in_year, range(now.year + 1, 0, -1)) if each.start <= now)

    def coming(self, now: datetime) -> TimeSpan:
        """Return a yearly span at its next occurrence that is not over by `now`; any other as it is."""
        if not self.yearly:
            return self
        return next(each for each in map(self._in_year, range(now.year - 1, 9999)) if each.end > now)

    def _in_year(self, year: int) -> TimeSpan:
        # 29 February is taken as the 28th in other years.
        day = 28 if (self.start.month, self.start.day) == (2, 29) else self.start.day
        start = zoned(self.start.replace(year=year, day=day, tzinfo=None))
        return self._replace(start=start, end=start + (self.end - self.start), yearly=False)
