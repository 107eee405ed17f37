"""The judges of a statement: logistic regression, a question each."""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from benchmarks.judges.labels import Example
from benchmarks.judges.model import Array, Model
from benchmarks.judges.report import report_statements
from benchmarks.judges.weights import SPARSE, Kept, kept_question, matrix, save
from memcli.judgement.text_features import WIDTH, text_features, without_stop

# The dense part counts about as much as the sparse one.
DENSE = 3.0
# How little the weights of each question are held down (C of scikit-learn).
QUESTIONS = {
    "kind": 5.0,
    "state": 5.0,
    "about": 5.0,
    "due": 5.0,
    "promise": 5.0,
    "change": 1.0,
}


class _Table(NamedTuple):
    """What is learned from: sparse (n, WIDTH), dense (n, width, standardised), author and answers of each.

    `twins` are the dense features of each with a full stop at its end, or without where it has one:
    the model reads another text, whose answers are the same.
    """

    columns: Any
    dense: Array
    twins: Array
    mean: Array
    scale: Array
    examples: Sequence[Example]

    def stacked(self, rows: Any, dense: Array | None) -> Any:
        """The features of some rows, and beside them such dense ones or zeros."""
        beside = self.dense[rows] * 0 if dense is None else dense[rows] * DENSE
        return sparse.hstack([self.columns[rows] * SPARSE, sparse.csr_matrix(beside)]).tocsr()


def _table(examples: Sequence[Example], model: Model) -> _Table:
    rows = [text_features(example.text) for example in examples]
    columns = matrix(rows, WIDTH)
    _, middle = model.read([example.text for example in examples])
    _, twins = model.read([twin(example.text) for example in examples])
    mean, scale = middle.mean(axis=0), 1 / (middle.std(axis=0) + 1e-6) / np.sqrt(middle.shape[1])
    return _Table(columns, (middle - mean) * scale, (twins - mean) * scale, mean, scale, examples)


def twin(text: str) -> str:
    """The text with a full stop at its end, or without; as it is where it ends otherwise."""
    bare = without_stop(text.strip())
    return f"{bare}." if bare == text.strip() and bare[-1:].isalnum() else bare


def _learn(table: _Table, question: str, rows: Any, *, dense: bool) -> LogisticRegression:
    answers = [table.examples[row].answers[question] for row in rows]
    learner = LogisticRegression(C=QUESTIONS[question], max_iter=200)
    if not dense:
        return learner.fit(table.stacked(rows, None), answers)
    both = sparse.vstack([table.stacked(rows, each) for each in (table.dense, table.twins)])
    return learner.fit(both, answers * 2, sample_weight=np.full(2 * len(answers), 0.5))


def _asked(table: _Table, question: str) -> NDArray[np.int64]:
    return np.array([n for n, each in enumerate(table.examples) if question in each.answers])


def judged_by_others(
    examples: Sequence[Example], model: Model, question: str, authors: Container[str]
) -> tuple[list[str], Array, NDArray[np.int64]]:
    """The answers to a question, and how likely each is for what some authors wrote, as all others taught.

    The likelihoods (rows, answers) are of those examples whose numbers are told last.
    """
    return _judged_by_others(_table(examples, model), question, authors, dense=True)


def _judged_by_others(
    table: _Table, question: str, authors: Container[str] | None = None, *, dense: bool
) -> tuple[list[str], Array, NDArray[np.int64]]:
    """As above; of all authors where none is named."""
    rows = _asked(table, question)
    wrote = np.array([table.examples[row].author for row in rows])
    chosen = [author for author in sorted(set(wrote)) if authors is None or author in authors]
    likely, names = np.zeros((len(rows), 0)), [""]
    for author in chosen:
        learner = _learn(table, question, rows[wrote != author], dense=dense)
        if not likely.shape[1]:
            names, likely = list(learner.classes_), np.zeros((len(rows), len(learner.classes_)))
        own = table.stacked(rows[wrote == author], table.dense if dense else None)
        likely[wrote == author] = learner.predict_proba(own)
    kept = np.isin(wrote, chosen)
    return names, likely[kept], rows[kept]


def cross_validate(examples: Sequence[Example], model: Model) -> None:
    """Print how well each author is judged by what the others taught."""
    table = _table(examples, model)
    for dense in (True, False):
        print(f"\n## Statements, {'with the model' if dense else 'by words alone'}\n")
        for question in QUESTIONS:
            names, likely, rows = _judged_by_others(table, question, dense=dense)
            report_statements(question, names, likely, [table.examples[row] for row in rows])


def write(examples: Sequence[Example], model: Model) -> None:
    """Learn from all examples, and write the weights into the package."""
    table = _table(examples, model)
    for name, dense in (("statement", True), ("statement-by-words", False)):
        kept = Kept({}, {})
        for question in QUESTIONS:
            learner = _learn(table, question, _asked(table, question), dense=dense)
            weights, bias = learner.coef_.T, learner.intercept_
            if len(learner.classes_) == 2:
                # Of two answers one has all the weight.
                weights, bias = np.hstack([0 * weights, weights]), np.array([0.0, bias[0]])
            of_middle = None
            if dense:
                of_middle = weights[WIDTH:] * DENSE * table.scale[:, None]
                bias = bias - table.mean @ of_middle
            one = kept_question(question, learner.classes_, weights[:WIDTH] * SPARSE, bias, of_middle)
            kept = Kept(kept.tensors | one.tensors, kept.words | one.words)
        save(name, kept)
