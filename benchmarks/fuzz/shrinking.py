"""From many inputs that fail together to as few of them as still do."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from itertools import groupby

from benchmarks.fuzz.inputs import Input

# A run of some runs, and one of its lines or documents.
Place = tuple[int, int]


def places_of(runs: Sequence[Input]) -> list[Place]:
    """Each input of some runs: which run, and which of its lines or documents."""
    return [(run, part) for run, given in enumerate(runs) for part in range(given.inputs)]


def runs_with(runs: Sequence[Input], places: Sequence[Place]) -> list[Input]:
    """The runs with those of their inputs alone, in their order."""
    return [
        runs[run].only([part for _, part in some])
        for run, some in groupby(sorted(places), lambda each: each[0])
    ]


def smallest(
    places: Sequence[Place], fails: Callable[[Sequence[Place]], bool], seconds: float = 60.0
) -> Sequence[Place]:
    """As few of these as still fail, as far as that is found in this time: halves, then smaller pieces.

    (Zeller's ddmin.)
    """
    pieces, deadline = 2, time.monotonic() + seconds
    while len(places) > 1 and time.monotonic() < deadline:
        size = -(-len(places) // pieces)
        cuts = [places[at : at + size] for at in range(0, len(places), size)]
        without = [[each for other in cuts if other is not cut for each in other] for cut in cuts]
        for some in [*cuts, *(without if pieces > 2 else ())]:
            if time.monotonic() < deadline and fails(some):
                places, pieces = some, max(2, pieces - 1 if some in without else 2)
                break
        else:
            if size == 1:
                break
            pieces = min(len(places), pieces * 2)
    return places
