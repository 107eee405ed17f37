"""A span of time, as a text names it."""

from __future__ import annotations

from datetime import datetime

from memcli.named_tuple import NamedTuple
from memcli.times import zoned


class TimeSpan(NamedTuple):
    """From `start` up to, not including, `end`.

    A yearly one comes round every year; outside a sharp one nothing counts.
    `sure` (0 to 1) is what a match is worth.
    """

    start: datetime
    end: datetime
    yearly: bool = False
    sharp: bool = False
    sure: float = 1.0

    def latest(self, now: datetime) -> TimeSpan:
        """A yearly one as it came round last, begun by `now`; any other as it is."""
        if not self.yearly:
            return self
        return next(each for each in map(self._in_year, range(now.year + 1, 0, -1)) if each.start <= now)

    def coming(self, now: datetime) -> TimeSpan:
        """A yearly one as it comes round next, not over by `now`; any other as it is."""
        if not self.yearly:
            return self
        return next(each for each in map(self._in_year, range(now.year - 1, 9999)) if each.end > now)

    def _in_year(self, year: int) -> TimeSpan:
        # 29 February comes round on the 28th.
        day = 28 if (self.start.month, self.start.day) == (2, 29) else self.start.day
        start = zoned(self.start.replace(year=year, day=day, tzinfo=None))
        return self._replace(start=start, end=start + (self.end - self.start), yearly=False)
