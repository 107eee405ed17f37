"""Date match: how well an instant fits the spans of time that a question asks about."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memcli.text.dates.time_span import TimeSpan

# People tell of events after they happened, so a statement made soon after the span is likely about it. Days
# in which the match falls to 1/e, after the span and before it.
_AFTERWARDS = 7.0
_BEFOREHAND = 2.0


def date_match(when: datetime, spans: Sequence[TimeSpan]) -> float:
    """Return how well an instant fits the best of the spans, 0 to 1: 1 inside, less by the days outside."""
    best = 0.0
    for span in spans:
        if span.sharp and not span.start <= when < span.end:
            continue
        off = _days_outside(when, span)
        decay = _AFTERWARDS if off > 0 else _BEFOREHAND
        best = max(best, span.sure * math.exp(-abs(off) / decay))
    return best


def _days_outside(when: datetime, span: TimeSpan) -> float:
    """Return the days by which `when` lies after (> 0) or before (< 0) the span; 0 inside."""
    offsets = []
    for year in (when.year - 1, when.year, when.year + 1) if span.yearly else (span.start.year,):
        try:
            start = span.start.replace(year=year)
        except ValueError:  # 29 February
            continue
        end = start + (span.end - span.start)
        if start <= when < end:
            return 0.0
        gap = when - end if when >= end else when - start
        offsets.append(gap / timedelta(days=1))
    return min(offsets, key=abs, default=math.inf)
