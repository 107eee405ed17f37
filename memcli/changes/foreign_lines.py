"""What a sync has to know of lines of history: which came from another machine, and which say less by now.

The first are ranges of their numbers. The second were told before an erasure took something out of
them: they are told again, and whoever has them as they were has them as they are.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from memcli.model import EVERYWHERE, Event
from memcli.scope import Scope
from memcli.storage import areas, states

_KEY = "ranges"
_REWRITTEN = "rewritten"

# The first number, the last one, and the folder that they came from.
Range = tuple[int, int, str]


def read_ranges(scope: Scope, via: str | None = None) -> list[Range]:
    """The ranges, ascending; with `via` of that folder only."""
    state = states.read_state(scope.store, EVERYWHERE, areas.FOREIGN_LINES.name, _KEY)
    ranges = [(int(first), int(last), str(by)) for first, last, by in (state.value if state else ())]
    return [each for each in ranges if via is None or each[2] == via]


def is_among(number: int, ranges: Sequence[Range]) -> bool:
    """Whether a line's number is in one of the ranges."""
    at = bisect_right(ranges, number, key=lambda each: each[0]) - 1
    return at >= 0 and number <= ranges[at][1]


def put_foreign(scope: Scope, events: Sequence[Event], via: str) -> int:
    """Put lines on record that came from elsewhere, in the caller's transaction; how many were new."""
    newest = next(scope.store.history(newest_first=True), None)
    number = newest.number if newest else 0
    added = scope.store.put_history(events)
    if added:
        # Numbers only grow, be the newest line erased.
        last = next(scope.store.history(newest_first=True)).number
        _note_range(scope, max(number + 1, last - added + 1), last, via)
    return added


def note_rewritten(scope: Scope, events: Sequence[Event], via: str = "") -> None:
    """Note lines that were rewritten, in the transaction that does it; `via` the folder that told so.

    Where nothing was ever synced nobody has them.
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
    """The numbers of lines that were rewritten, in the order in which they were, each with its `via`."""
    state = states.read_state(scope.store, EVERYWHERE, areas.FOREIGN_LINES.name, _REWRITTEN)
    return [(int(number), str(via)) for number, via in (state.value if state else ())]


def _note_range(scope: Scope, first: int, last: int, via: str) -> None:
    """Note that these lines came from elsewhere; in the transaction that writes them."""
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
