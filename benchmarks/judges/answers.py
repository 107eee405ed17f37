"""The judge of whether what is found answers a question: a logistic regression, `recall.ranking.sureness`.

It learns from questions about people's notes. `questions.json` of an author holds people with notes,
questions that some of these answer, and questions that none does. The questions of `pairs.jsonl` are asked
twice: of a store that holds their notes, and of one that holds the notes of the other questions.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple
from unittest import mock

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from benchmarks.judges.model import Array
from benchmarks.judges.weights import Kept, save
from benchmarks.updates import noted, read
from memcli.judgement.weights import FARTHEST
from memcli.memories import Memories
from memcli.recall.ranking import floor, sureness
from memcli.recall.ranking.answer_features import answer_features
from memcli.recall.ranking.floor import Calibration, Evidence
from memcli.recall.results import Hit, RankingSettings

# A word that was asked less often teaches its author's manner.
_OFTEN = 5
_C = 0.1
# Who wrote pairs had other questions in mind than those that are not answered.
_OF_PAIRS = 0.3
# At the probability from which an answer is sure by default, so many of the questions are that the first note
# answers, each author's judged as all others taught.
_SURE, _ANSWERED = RankingSettings().min_sure, 0.7


class _Asked(NamedTuple):
    """One question asked of a store: its features, whether it was answered, how sure the floor's rule is."""

    author: str
    features: Mapping[str, float]
    answered: bool | None
    """None: a note answers it, and another stands first."""
    by_rule: float
    weight: float


class _Learned(NamedTuple):
    names: tuple[str, ...]
    mean: Array
    scale: Array
    weights: Array
    """(features + 1,), the last the bias."""

    def scores(self, rows: Sequence[_Asked]) -> Array:
        """(rows,): log odds."""
        given = np.clip((_table(self.names, rows) - self.mean) * self.scale, -FARTHEST, FARTHEST)
        found: Array = given @ self.weights[:-1] + self.weights[-1]
        return found


def write(labels: Path, cache: Path) -> None:
    """Learn, print how well each author is judged by what the others taught, and write the weights."""
    rows = [*_rows(labels, cache)]
    scores = np.zeros(len(rows))
    for author in sorted({row.author for row in rows}):
        own = np.array([row.author == author for row in rows])
        learned = _learn([row for row, left_out in zip(rows, own, strict=True) if not left_out])
        scores[own] = learned.scores([row for row, kept in zip(rows, own, strict=True) if kept])
    answered = [row.answered is True and row.weight == 1.0 for row in rows]
    moved = np.log(_SURE / (1 - _SURE)) - np.quantile(scores[answered], 1 - _ANSWERED)
    _report(rows, scores + moved)
    learned = _learn(rows)
    learned.weights[-1] += moved
    numbers = {"mean": learned.mean, "scale": learned.scale, "weights": learned.weights}
    # Half of their digits pack into half of the file, and move no answer by more than a thousandth.
    tensors = {
        f"answers/{name}": some.astype(np.float16).astype(np.float32) for name, some in numbers.items()
    }
    save("answer", Kept(tensors, {"answers": learned.names}))


def _rows(labels: Path, cache: Path) -> Iterator[_Asked]:
    for file in sorted(labels.glob("*/questions.json")):
        for person in json.loads(file.read_text(encoding="utf-8"))["people"]:
            notes = [note.replace("\n", " ") for note in person["notes"]]
            with noted([{"a": note} for note in notes], cache) as (memories, _):
                for each in person["answerable"]:
                    answers = {notes[place] for place in each["evidence"]}
                    yield from _ask(memories, file.parent.name, each["q"], answers, 1.0)
                for question in person["unanswerable"]:
                    yield from _ask(memories, file.parent.name, question, set(), 1.0)
    for file in sorted(labels.glob("*/pairs.jsonl")):
        lines = [line for line in read(file) if line.get("question")]
        for kept in (lines[::2], lines[1::2]) if lines else ():
            with noted(kept, cache) as (memories, _):
                for line in lines:
                    answers = {line["a"], line["b"]} if line in kept else set()
                    yield from _ask(memories, file.parent.name, line["question"], answers, _OF_PAIRS)


def _ask(
    memories: Memories, author: str, question: str, answers: set[str], weight: float
) -> Iterator[_Asked]:
    seen: list[tuple[str, dict[str, float], float]] = []

    def spy(text: str, evidence: Evidence, hits: Sequence[Hit], calibration: Calibration) -> float:
        if evidence.meaning is not None and hits:
            score = floor.best_score(evidence, calibration)
            features = answer_features(text, evidence, hits, score)
            by_rule = floor.sureness(evidence, calibration)
            seen.append((hits[0].memory.text, features, by_rule))
        return 1.0

    with mock.patch.object(sureness, "sureness", spy):
        memories.recall(question, touch=False)
    for first, features, by_rule in seen[:1]:
        answered = (first in answers or None) if answers else False
        yield _Asked(author, features, answered, by_rule, weight)


def _learn(rows: Sequence[_Asked]) -> _Learned:
    """The weights of what is asked and told often enough."""
    rows = [row for row in rows if row.answered is not None]
    times = Counter(name for row in rows for name, value in row.features.items() if value)
    names = tuple(sorted(name for name, number in times.items() if number >= _OFTEN))
    table = _table(names, rows)
    mean, scale = table.mean(axis=0), 1 / (table.std(axis=0) + 1e-9)
    given = np.clip((table - mean) * scale, -FARTHEST, FARTHEST)
    answers, weights = [bool(row.answered) for row in rows], [row.weight for row in rows]
    learner = LogisticRegression(C=_C, max_iter=2000).fit(given, answers, sample_weight=weights)
    return _Learned(names, mean, scale, np.append(learner.coef_[0], learner.intercept_))


def _table(names: Sequence[str], rows: Sequence[_Asked]) -> Array:
    return np.array([[row.features.get(name, 0.0) for name in names] for row in rows])


def _report(rows: Sequence[_Asked], scores: Array) -> None:
    """Print of each author what is answered for sure by the floor's rule and by the judge of all others."""
    likely, by_rule = 1 / (1 + np.exp(-scores)), np.array([row.by_rule for row in rows])
    print("| author | questions | answered | rule: sure | judge: sure | AUC of the rule | of the judge |")
    print("|---|--:|---|--:|--:|--:|--:|")
    for author in sorted({row.author for row in rows}):
        own = np.array([row.author == author for row in rows])
        told = np.array([row.answered is not None for row in rows]) & own
        answers = np.array([bool(row.answered) for row in rows])
        areas = [float(roc_auc_score(answers[told], each[told])) for each in (by_rule, likely)]
        for name, some in (("yes", told & answers), ("no", told & ~answers), ("by another", own & ~told)):
            sure = [f"{100 * np.mean(each[some] >= _SURE):.0f} %" for each in (by_rule, likely)]
            print(
                f"| {author} | {some.sum()} | {name} | {' | '.join(sure)} | {areas[0]:.3f} | {areas[1]:.3f} |"
            )
