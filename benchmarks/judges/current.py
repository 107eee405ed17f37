"""The judge of what is current on a page: two logistic regressions on how a newer and an older hit stand.

It learns from questions that are asked of a store (`benchmarks.updates`): of the first hits of each page and
the nearest newer ones, whether they are of one thing, and of those that are, whether the newer replaces the
older.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.judges import pairs
from benchmarks.judges.labels import read_examples, read_pairs
from benchmarks.judges.logistic import Learned, learn
from benchmarks.judges.model import Array, Model
from benchmarks.judges.statements import judged_by_others
from benchmarks.judges.unrelated import stated_pairs
from benchmarks.judges.weights import Kept, save
from benchmarks.updates import asked, read
from memcli.judgement.notes import CHANGE, CHANGED
from memcli.judgement.pairs import judge_pair
from memcli.recall.ranking.currentness import RELATED, UPDATES, standings, update_features


class _Row(NamedTuple):
    """A newer and an older hit of one question: the features, and what its author said of them."""

    author: str
    relation: str
    """update, both, or other: nobody said anything of the two."""
    standing: Mapping[str, float]
    update: Mapping[str, float]


def write(labels: Path, model: Model, cache: Path) -> None:
    """Learn, print how well each author is judged by what the others taught, and write the weights."""
    rows = [*_rows(labels, model, cache)]
    likely = np.zeros((len(rows), 2))
    for author in sorted({row.author for row in rows}):
        own = np.array([row.author == author for row in rows])
        learned = _learn([row for row, left_out in zip(rows, own, strict=True) if not left_out])
        likely[own] = _probabilities(learned, [row for row, kept in zip(rows, own, strict=True) if kept])
    _report(rows, likely)
    kept = Kept({}, {})
    for question, each in zip(("related", "updates"), _learn(rows), strict=True):
        own_part = each.kept(question)
        kept = Kept(kept.tensors | own_part.tensors, {**kept.words, **own_part.words})
    save("current", kept)


def _rows(labels: Path, model: Model, cache: Path) -> list[_Row]:
    files = [file for file in sorted(labels.glob("*/pairs.jsonl")) if read(file)]
    authors = {file.parent.name for file in files}
    # As if its own author had taught nobody.
    changes = _changes(labels, model, authors)
    judges = pairs.taught_by_others([*read_pairs(labels), *stated_pairs(labels, model)], model, authors)
    rows = []
    for file in files:
        for page in asked(read(file), cache, judged=False):
            if page.vectors is None:
                continue
            hits = [*page.page, *page.others]
            for found in standings(len(page.page), hits, page.vectors @ page.vectors.T):
                newer, older = hits[found.newer].memory, hits[found.older].memory
                told = (newer.text, older.text) == (page.line["b"], page.line["a"])
                change = changes.get(newer.text, 0.0)
                noted = {"judged": {CHANGE: change} if change >= CHANGED else {}}
                hit = hits[found.newer]._replace(memory=replace(newer, data=noted))
                cosine = found.features["cosine"]
                judged = judge_pair(newer.text, older.text, cosine, judges[file.parent.name])
                update = update_features(hit, judged, cosine)
                relation = page.line["relation"] if told else "other"
                rows.append(_Row(file.parent.name, relation, found.features, update))
    return rows


def _changes(labels: Path, model: Model, authors: set[str]) -> dict[str, float]:
    """How likely each newer text of some authors tells of a change, as all others taught."""
    examples = [each for each in read_examples(labels) if "change" in each.answers]
    names, likely, rows = judged_by_others(examples, model, "change", authors)
    return {
        examples[row].text: float(each[names.index("yes")]) for row, each in zip(rows, likely, strict=True)
    }


def _learn(rows: Sequence[_Row]) -> tuple[Learned, Learned]:
    """Whether two are of one thing, by all rows; whether the newer is an update, by those of one thing."""
    of_one = [row for row in rows if row.relation != "other"]
    return (
        learn([row.standing for row in rows], [row.relation != "other" for row in rows]),
        learn([row.update for row in of_one], [row.relation == "update" for row in of_one]),
    )


def _probabilities(learned: tuple[Learned, Learned], rows: Sequence[_Row]) -> Array:
    related, updates = learned
    of_one = related.probability([row.standing for row in rows])
    return np.column_stack([of_one, updates.probability([row.update for row in rows])])


def _report(rows: Sequence[_Row], likely: Array) -> None:
    """Print of how many pairs, by the thresholds of the program, the newer is put before the older."""
    chosen: NDArray[np.bool_] = (likely[:, 0] >= RELATED) & (likely[:, 1] >= UPDATES)
    for relation in ("update", "both", "other"):
        own = np.array([row.relation == relation for row in rows])
        print(f"{relation}: {chosen[own].sum()} of {own.sum()} pairs that were looked at")
