"""The judge of what a speaker discloses: logistic regression on a sentence and what is said with it.

A second one weighs its answer with what the judge of statements in the package says: it learns from answers
that the first gave on authors who had not taught it.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from benchmarks.judges.labels import overlap, records
from benchmarks.judges.model import Array, Model
from benchmarks.judges.report import recall_at
from benchmarks.judges.statements import DENSE, twin
from benchmarks.judges.weights import SPARSE, Kept, kept_question, matrix, save
from memcli.config.settings import SETTINGS
from memcli.judgement.disclosure import TURNS_BEFORE, disclosed, disclosure_features, weighed
from memcli.judgement.statements import StatementJudgement
from memcli.judgement.text_features import WIDTH, text_features
from memcli.judgement.weights import FARTHEST, Logistic
from memcli.text.sentences import sentences

# How little the weights are held down (C of scikit-learn).
_FREE = 5.0
# Of so many signs at most is a turn that stands beside a note.
_SHORT = 200
# How much a statement that was noted counts beside a sentence of a chat: there are twice as many, all plain.
_OF_NOTE = 0.04
# The second judge: how little its weights are held down, and in how many parts authors are apart.
_FREE_TO_WEIGH, _PARTS = 0.3, 6
# How much a note counts for it: without any it takes plain ones for less; the judge of statements has read
# them, so that what it says of them is too good to count more.
_OF_NOTE_WEIGHED = 0.1


class Said(NamedTuple):
    """A sentence of a chat, what was said with it, and whether it states a fact of the speaker's."""

    sentence: str
    turn: str
    before: str
    author: str
    told: bool
    weight: float = 1.0


def read_said(folder: Path) -> list[Said]:
    """The users' sentences of all authors' chats, and the statements that they noted as if said in some chat.

    Who chats says plain things ("I use vim") in passing; who notes says them plainly.
    """
    said = [*read_chats(folder)]
    return [*said, *_noted(folder, said)]


def read_chats(folder: Path) -> Iterator[Said]:
    """The users' sentences of all authors' chats."""
    earlier: dict[tuple[str, Any], list[str]] = defaultdict(list)
    for author, turn in records(folder, "chats"):
        if turn["role"] != "user":
            continue
        text, talk = turn["text"], earlier[author, turn.get("chat")]
        spans = [fact["span"] for fact in turn.get("facts") or []]
        for sentence in sentences(text):
            told = any(overlap(sentence, span, text) for span in spans)
            yield Said(sentence, text, " ".join(talk[-TURNS_BEFORE:]), author, told)
        talk.append(text)


def _noted(folder: Path, said: Sequence[Said]) -> Iterator[Said]:
    """What authors noted of themselves for good, and what is none of that; half of it among others' turns."""
    others = [each.turn for each in said if not each.told and len(each.turn) < _SHORT]
    chance = random.Random(1)
    for author, note in records(folder, "statements"):
        lasting = note["state"] == "lasting"
        own = lasting and note["about"] == "owner" and note["kind"] in ("fact", "preference")
        if (own and not note["due"] and not note["promise"]) or not lasting or note["about"] == "world":
            text = turn = note["text"]
            before = ""
            if others and chance.random() < 0.5:
                turn = " ".join(chance.sample([text, chance.choice(others)], 2))
                before = " ".join(chance.sample(others, TURNS_BEFORE))
            yield Said(text, turn, before, author, own, _OF_NOTE)


class _Table(NamedTuple):
    """What is learned from: columns (n, 3 * WIDTH), the middle layers of the sentences and of their twins."""

    columns: Any
    dense: Array
    twins: Array
    mean: Array
    scale: Array
    told: NDArray[np.bool_]
    weights: Array

    def stacked(self, rows: Any, dense: Array) -> Any:
        return sparse.hstack([self.columns[rows], sparse.csr_matrix(dense[rows])]).tocsr()


def _table(said: Sequence[Said], model: Model) -> _Table:
    rows = [disclosure_features(each.sentence, each.turn, each.before) for each in said]
    _, middle = model.read([each.sentence for each in said])
    _, twins = model.read([twin(each.sentence) for each in said])
    mean = middle.mean(axis=0)
    scale = DENSE / (middle.std(axis=0) + 1e-6) / np.sqrt(middle.shape[1])
    return _Table(
        matrix(rows, 3 * WIDTH) * SPARSE,
        (middle - mean) * scale,
        (twins - mean) * scale,
        mean,
        scale,
        np.array([each.told for each in said]),
        np.array([each.weight for each in said]),
    )


def _learn(table: _Table, rows: Any) -> LogisticRegression:
    both = sparse.vstack([table.stacked(rows, each) for each in (table.dense, table.twins)])
    told, weights = (np.tile(each[rows], 2) for each in (table.told, table.weights))
    return LogisticRegression(C=_FREE, max_iter=200).fit(both, told, sample_weight=weights / 2)


def _unread(table: _Table, wrote: NDArray[np.str_], asked: Sequence[str]) -> Array:
    """How likely each sentence of these authors is, as one judges who has read none of its author's."""
    likely = np.zeros(len(wrote))
    for part in range(_PARTS):
        own = np.isin(wrote, asked[part::_PARTS])
        if own.any():
            learner = _learn(table, np.flatnonzero(~own))
            likely[own] = learner.predict_proba(table.stacked(np.flatnonzero(own), table.dense))[:, 1]
    return likely


def _to_weigh(said: Sequence[Said], middle: Array, likely: Array) -> list[dict[str, float]]:
    return [
        weighed(
            float(how),
            StatementJudgement(each.sentence, layer.astype(np.float32)),
            each.sentence, each.turn, each.before,
        )
        for each, layer, how in zip(said, middle, likely, strict=True)
    ]  # fmt: skip


def _learn_weighing(
    features: Iterable[Mapping[str, float]], told: NDArray[np.bool_], of_chats: NDArray[np.bool_]
) -> Logistic:
    some = list(features)
    names = tuple(sorted(some[0]))
    rows = np.array([[each[name] for name in names] for each in some])
    mean, scale = rows.mean(axis=0), 1 / (rows.std(axis=0) + 1e-9)
    given = np.clip((rows - mean) * scale, -FARTHEST, FARTHEST)
    counted = np.where(of_chats, 1, _OF_NOTE_WEIGHED)
    learner = LogisticRegression(C=_FREE_TO_WEIGH, max_iter=500).fit(given, told, sample_weight=counted)
    weights = np.append(learner.coef_[0], learner.intercept_)
    return Logistic(names, *(each.astype(np.float32) for each in (mean, scale, weights)))


def cross_validate(said: Sequence[Said], model: Model, authors: Collection[str] = ()) -> None:
    """Print how well what each author wrote (or each of some) is judged by what the others taught."""
    table, wrote = _table(said, model), np.array([each.author for each in said])
    of_chats = np.array([each.weight == 1 for each in said])
    asked = sorted(set(wrote[of_chats]))
    _, middle = model.read([each.sentence for each in said])
    features = np.array(_to_weigh(said, middle, _unread(table, wrote, asked)))
    likely, unread = np.zeros(len(said)), np.isin(wrote, asked)
    print("\n## Sentences of chats\n")
    for author in asked if not authors else sorted(authors):
        own = wrote == author
        others = ~own & unread
        learner = _learn_weighing(features[others], table.told[others], of_chats[others])
        likely[own] = [*map(learner.probability, features[own])]
        own &= of_chats
        print(
            f"{author}: recall at precision 95/90/80 %: {recall_at(table.told[own], likely[own])}", flush=True
        )
    judged = np.isin(wrote, [*authors] or asked)
    for name, kept in (("all", judged & of_chats), ("noted", judged & ~of_chats)):
        told, sure = table.told[kept], likely[kept] >= SETTINGS["judge_distil"].default
        print(f"{name}: recall at precision 95/90/80 %: {recall_at(told, likely[kept])}; ", end="")
        print(f"by default {told[sure].mean():.3f} right, {sure[told].mean():.3f} found")


def examine(said: Sequence[Said], model: Model) -> None:
    """Print how well the weights in the package judge somebody's chats."""
    _, middle = model.read([each.sentence for each in said])
    likely = np.array(
        [
            disclosed(each.sentence, layer.astype(np.float32), each.turn, each.before)
            for each, layer in zip(said, middle, strict=True)
        ]
    )
    told = np.array([each.told for each in said])
    print(f"disclosed recall at precision 95/90/80 %: {recall_at(told, likely)}")


def write(said: Sequence[Said], model: Model) -> None:
    """Learn from all, and write the weights into the package."""
    table, wrote = _table(said, model), np.array([each.author for each in said])
    of_chats = np.array([each.weight == 1 for each in said])
    _, middle = model.read([each.sentence for each in said])
    asked = sorted(set(wrote[of_chats]))
    features, unread = np.array(_to_weigh(said, middle, _unread(table, wrote, asked))), np.isin(wrote, asked)
    weighing = _learn_weighing(features[unread], table.told[unread], of_chats[unread])
    numbers = {f"disclosed/{name}": getattr(weighing, name) for name in ("mean", "scale", "weights")}
    save("disclosed", Kept(numbers, {"disclosed": weighing.features}))
    learner = _learn(table, np.arange(len(said)))
    of_middle = learner.coef_[0, 3 * WIDTH :, None] * table.scale[:, None]
    with_context = _kept(
        "disclosed", learner.coef_[0, : 3 * WIDTH], learner.intercept_[0], of_middle, table.mean
    )
    words = matrix([text_features(each.sentence) for each in said], WIDTH) * SPARSE
    learner = LogisticRegression(C=_FREE, max_iter=200).fit(words, table.told, sample_weight=table.weights)
    by_words = _kept("by words", learner.coef_[0], learner.intercept_[0])
    save("disclosure", Kept(with_context.tensors | by_words.tensors, with_context.words | by_words.words))


def _kept(
    question: str, columns: Array, bias: float, of_middle: Array | None = None, mean: Array | None = None
) -> Kept:
    """A judge of yes or no, of which yes has all the weight."""
    if of_middle is not None and mean is not None:
        bias = bias - float(mean @ of_middle[:, 0])
        of_middle = np.hstack([0 * of_middle, of_middle])
    sparse_part = np.column_stack([0 * columns, columns]) * SPARSE
    return kept_question(question, ["no", "yes"], sparse_part, np.array([0.0, bias]), of_middle)
