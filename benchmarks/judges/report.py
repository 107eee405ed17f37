"""How well somebody judged: figures, printed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from benchmarks.judges.labels import LISTS, UNRELATED, Example, Pair
from benchmarks.judges.model import Array
from memcli.config.settings import SETTINGS

# Of fewer than so many a precision says nothing. (Of 20, which it was until 2026-11-29, it could not be told
# where an author wrote twenty promises.)
_FEWEST = 10


def report_statements(question: str, names: list[str], likely: Array, examples: Sequence[Example]) -> None:
    """Print how one question was judged: `likely` is (examples, answers), `names` are the answers."""
    said = np.array([each.answers[question] for each in examples])
    if question in ("due", "promise", "change"):
        curve = recall_at(said == "yes", likely[:, names.index("yes")])
        print(f"{question:9} recall at precision 95/90/80 %: {curve}")
        return
    if question == "state":
        held = 1 - likely[:, names.index("lasting")]
        for share in (0.01, 0.02, 0.05):
            least = np.quantile(held[said == "lasting"], 1 - share)
            found = {
                name: f"{np.mean(held[said == name] > least):.2f}" for name in names if name != "lasting"
            }
            print(f"state     held, {share:.0%} of the lasting with them (at {least:.2f}): {found}")
        return
    lasting = np.array([each.answers["state"] == "lasting" for each in examples])
    right = np.array(names)[likely.argmax(axis=1)] == said
    by_language = {
        lang: f"{np.mean(right[rows]):.2f}"
        for lang in sorted({each.lang for each in examples})
        if (rows := lasting & np.array([each.lang == lang for each in examples])).any()
    }
    print(f"{question:9} right {np.mean(right[lasting]):.3f} {by_language}")


def recall_at(right: NDArray[np.bool_], likely: Array) -> list[str]:
    """The recall, and the threshold, at which precision is still so much."""
    order = np.argsort(-likely)
    hits, count = right[order].cumsum(), np.arange(1, len(order) + 1)
    found = []
    for precision in (0.95, 0.9, 0.8):
        enough = np.where((hits / count >= precision) & (count >= _FEWEST))[0]
        last = enough[-1] if len(enough) else None
        found.append(
            "-" if last is None else f"{hits[last] / right.sum():.2f} (from {likely[order][last]:.2f})"
        )
    return found


def report_pairs(names: list[str], likely: Array, pairs: Sequence[Pair]) -> None:
    """Print how pairs were judged: `likely` is (pairs, relations), `names` are the relations."""
    apart = np.array([pair.lang == UNRELATED for pair in pairs])
    if apart.any():
        told = {
            name: f"{np.mean(likely[apart, names.index(name)] >= SETTINGS[f'judge_{name}'].default):.4f}"
            for name in ("same", "update")
        }
        print(f"of {apart.sum():,} that are not related, by the default thresholds: {told}")
    kept = ~apart & np.array([pair.author != LISTS for pair in pairs])
    pairs, likely = [pair for pair, told in zip(pairs, kept, strict=True) if told], likely[kept]
    relations = np.array([pair.relation for pair in pairs])
    right = np.array(names)[likely.argmax(axis=1)] == relations
    print(f"right {right.mean():.3f}", end="; by author ")
    for author in sorted({pair.author for pair in pairs}):
        rows = np.array([pair.author == author for pair in pairs])
        print(f"{author} {right[rows].mean():.2f}", end=" ")
    print()
    for name in ("same", "update"):
        curve = recall_at(relations == name, likely[:, names.index(name)])
        print(f"{name:7} recall at precision 95/90/80 %: {curve}")
