"""Foreign lines: history lines that came from another machine, and lines that were rewritten, for sync.

The former are kept as ranges of line numbers, so that they are not sent back. The latter were sent before
an erasure removed something from them; they are sent again, so that other machines replace what they have.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from memcli.model import EVERYWHERE, Event
from memcli.scope import Scope
from memcli.storage import areas, states

_KEY = "ranges"
_REWRITTEN = "rewritten"

# The first and last line number (inclusive), and the sync folder that they came from.
Range = tuple[int, int, str]


def read_ranges(scope: Scope, via: str | None = None) -> list[Range]:
    """Return the ranges in ascending order; with `via` only those from that folder."""
    state = states.read_state(scope.store, EVERYWHERE, areas.FOREIGN_LINES.name, _KEY)
    ranges = [(int(first), int(last), str(by)) for first, last, by in (state.value if state else ())]
    return [each for each in ranges if via is None or each[2] == via]


def is_among(number: int, ranges: Sequence[Range]) -> bool:
    """True if a line's number is in one of the ranges."""
    at = bisect_right(ranges, number, key=lambda each: each[0]) - 1
    return at >= 0 and number <= ranges[at][1]


def put_foreign(scope: Scope, events: Sequence[Event], via: str) -> int:
    """Write history lines from elsewhere, in the caller's transaction; return how many were new."""
    newest = next(scope.store.history(newest_first=True), None)
    number = newest.number if newest else 0
    added = scope.store.put_history(events)
    if added:
        # Numbers only grow, even if the newest line is erased.
        last = next(scope.store.history(newest_first=True)).number
        _note_range(scope, max(number + 1, last - added + 1), last, via)
    return added


def note_rewritten(scope: Scope, events: Sequence[Event], via: str = "") -> None:
    """Record lines that were rewritten, in the transaction that rewrites them.

    `via` is the sync folder that asked for it. If nothing was ever synced, no other machine has the lines,
    and nothing is recorded.
    """
    if events and scope.store.clock_revision():
        noted = [*read_rewritten(scope), *((event.number, via) for event in events)]
        states.write_state(
            scope.store,
            EVERYWHERE,
            areas.FOREIGN_LINES.name,
            _REWRITTEN,
            [list(each) for each in noted],
            scope.now(),
        )


def read_rewritten(scope: Scope) -> list[tuple[int, str]]:
    """Return the numbers of rewritten lines in the order of rewriting, each with its `via`."""
    state = states.read_state(scope.store, EVERYWHERE, areas.FOREIGN_LINES.name, _REWRITTEN)
    return [(int(number), str(via)) for number, via in (state.value if state else ())]


def _note_range(scope: Scope, first: int, last: int, via: str) -> None:
    """Record that these lines came from elsewhere; in the transaction that writes them."""
    ranges = read_ranges(scope)
    if ranges and ranges[-1][1] == first - 1 and ranges[-1][2] == via:
        first = ranges.pop()[0]
    states.write_state(
        scope.store,
        EVERYWHERE,
        areas.FOREIGN_LINES.name,
        _KEY,
        [*map(list, ranges), [first, last, via]],
        scope.now(),
    )
