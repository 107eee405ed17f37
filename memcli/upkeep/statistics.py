"""Statistics of a store: what it holds and how it is used, in numbers."""

from __future__ import annotations

from bisect import bisect_right
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

from memcli import times
from memcli.model import Filter
from memcli.named_tuple import NamedTuple
from memcli.scope import Scope
from memcli.storage import areas


def store_statistics(scope: Scope, *, all_spaces: bool = False) -> dict[str, Any]:
    """Return counts, growth, last use and logged recalls of the space (or with `all_spaces` of all).

    Path, model and sizes (in bytes) are those of the store; the size of each part is given for all spaces
    together only.
    """
    store, now = scope.store, scope.now()
    spaces = None if all_spaces else (scope.space,)
    everything = Filter(spaces=spaces, live=False)
    live = Filter(spaces=spaces, at=now)
    by_kind: dict[str, int] = {}
    by_space: dict[str, int] = {}
    for space, kind, number in store.count(live):
        by_kind[kind] = by_kind.get(kind, 0) + number
        by_space[space] = by_space.get(space, 0) + number
    last = next(store.select(everything, order="last_used", limit=1), None)
    model, sizes = store.model(), store.sizes()
    return {
        "path": store.location,
        "space": None if all_spaces else scope.space,
        "memories": sum(by_kind.values()),
        "ended": _total(scope, everything) - sum(by_kind.values()),
        "by_kind": by_kind,
        "by_space": by_space,
        "added_in_7_days": _total(scope, _since(everything, scope, 7)),
        "added_in_30_days": _total(scope, _since(everything, scope, 30)),
        "last_use": times.to_iso(last.accessed_at) if last and last.accessed_at else None,
        "model": model.name if model else None,
        "bytes": sizes if all_spaces else {"total": sizes["total"]},
        "recall": _recall_figures(scope, spaces),
    }


class Growth(NamedTuple):
    """Numbers of memories added and recalled, by equal periods that end now, oldest first.

    `unit` names a period (day, week, month), `begins` is the start of the first. `added` counts memories by
    when the store learned of them, ended ones too; `used` by when they were last recalled.
    """

    unit: str
    begins: datetime
    added: list[int]
    used: list[int]


# Each period with its length in days, and the age of the store in days up to which it is used.
_UNITS = (("day", 1, 35), ("week", 7, 366), ("month", 30.4375, float("inf")))
# The fewest periods shown, since a plot of one shows nothing.
_LEAST = 14
# How many of the last recalled memories are counted.
_USED = 5_000


def growth(scope: Scope, *, all_spaces: bool = False, most: int = 52) -> Growth | None:
    """Return how the space (or the store) has grown, in up to `most` periods; None if it never held any."""
    spaces = None if all_spaces else (scope.space,)
    everything, now = Filter(spaces=spaces, live=False), scope.now()
    first = next(scope.store.select(everything, order="oldest", limit=1), None)
    if first is None:
        return None
    age = max((now - first.created_at) / timedelta(days=1), 0.0)
    unit, days = next((name, days) for name, days, until in _UNITS if age < until)
    periods = min(most, max(_LEAST, int(age / days) + 1))
    begins = [now - timedelta(days=days * number) for number in range(periods, 0, -1)]
    since = [_total(scope, everything._replace(created_since=each)) for each in begins]
    added = [one - other for one, other in pairwise([*since, 0])]
    used = [0] * periods
    for memory in scope.store.select(everything, order="last_used", limit=_USED):
        if memory.accessed_at is None or memory.accessed_at < begins[0]:
            break
        used[bisect_right(begins, memory.accessed_at) - 1] += 1
    return Growth(unit, begins[0], added, used)


def _since(where: Filter, scope: Scope, days: int) -> Filter:
    return Filter(spaces=where.spaces, live=where.live, created_since=scope.now() - timedelta(days))


def _total(scope: Scope, where: Filter) -> int:
    return sum(number for _, _, number in scope.store.count(where))


def _recall_figures(scope: Scope, spaces: tuple[str, ...] | None) -> dict[str, Any]:
    """Return figures of the recall log: latencies in milliseconds, shares and scores from 0 to 1."""
    mode = scope.config["recall_log"]
    entries = [state.value for state in scope.store.states(spaces, areas.RECALL_LOG.name)]
    figures: dict[str, Any] = {"log": mode, "recalls": len(entries)}
    if entries:
        latencies = sorted(float(entry["ms"]) for entry in entries)
        best = [max(entry["hits"].values()) for entry in entries if entry["hits"]]
        figures |= {
            "p50_ms": _quantile(latencies, 0.50),
            "p95_ms": _quantile(latencies, 0.95),
            "empty_share": round(1 - len(best) / len(entries), 4),
            # Older entries have no `weak` field.
            "weak_share": round(sum(entry.get("weak", False) for entry in entries) / len(entries), 4),
            "mean_best_score": round(sum(best) / len(best), 4) if best else None,
            "degraded": sum(entry["degraded"] for entry in entries),
        }
    return figures


def _quantile(ordered: list[float], share: float) -> float:
    """Return the smallest value that at least this share of the values does not exceed."""
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)]
