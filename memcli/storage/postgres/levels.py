"""Levels of a word search: sums that words' weights can make, and the expected number of memories."""

from __future__ import annotations

from collections.abc import Sequence

from memcli.named_tuple import NamedTuple


class Level(NamedTuple):
    """A sum of weights that some of the words make, and how many memories may hold just those."""

    least: float
    number: float


def levels_of(told: Sequence[tuple[float, float]], total: int) -> list[Level]:
    """Return every sum, greatest first, of words given by weight and by their share of memories."""
    sums = [(0.0, float(total))]
    for weight, share in told:
        held = [(least + weight, number * share) for least, number in sums]
        sums = [(least, number * (1 - share)) for least, number in sums] + held
    merged: dict[float, float] = {}
    for least, number in sums[1:]:
        merged[round(least, 9)] = merged.get(round(least, 9), 0.0) + number
    return [Level(*item) for item in sorted(merged.items(), reverse=True)]


def next_levels(levels: Sequence[Level], done: int, wanted: float, most: float) -> tuple[int, float]:
    """Return up to which level to search next for `wanted` more, but no more than `most`; and how many."""
    number = levels[done].number
    done += 1
    while done < len(levels) and number < wanted and number + levels[done].number <= most:
        number += levels[done].number
        done += 1
    return done, number
