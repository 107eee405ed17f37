"""What is in the store and how it is used, in numbers."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from memcli import times
from memcli.model import Filter
from memcli.scope import Scope
from memcli.storage import areas


def store_statistics(scope: Scope, *, all_spaces: bool = False) -> dict[str, Any]:
    """Counts, growth, last use and, where it is logged, recall of the space (or with `all_spaces` of all).

    Path, model and sizes (in bytes) are those of the store that holds it; what
    each part of it takes is told of all spaces together only.
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


def _since(where: Filter, scope: Scope, days: int) -> Filter:
    return Filter(spaces=where.spaces, live=where.live, created_since=scope.now() - timedelta(days))


def _total(scope: Scope, where: Filter) -> int:
    return sum(number for _, _, number in scope.store.count(where))


def _recall_figures(scope: Scope, spaces: tuple[str, ...] | None) -> dict[str, Any]:
    """Figures of the recall log: latencies in milliseconds, shares and scores from 0 to 1."""
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
            # Entries of before there were weak answers do not say.
            "weak_share": round(sum(entry.get("weak", False) for entry in entries) / len(entries), 4),
            "mean_best_score": round(sum(best) / len(best), 4) if best else None,
            "degraded": sum(entry["degraded"] for entry in entries),
        }
    return figures


def _quantile(ordered: list[float], share: float) -> float:
    """The smallest value that at least this share of the values does not exceed."""
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)]
