"""Train the judges of `memcli.judgement`, and tell how well they judge authors they never read.

    python -m benchmarks.judges [--labels DIR] [--write] [--exam DIR] [--cache DIR]

The labels (`benchmarks/labels/AUTHOR`, written by hand for this, made-up people and numbers) are

- statements.jsonl: text, lang, kind, state (lasting, passing, undecided, noise), about, due, promise;
- pairs.jsonl: a (older), b (newer), relation (same, update, both, unrelated);
- chats.jsonl: turns, with the explicit facts of the speaker's and where they stand in the text.

`AUTHOR.de` is a translation of AUTHOR's. Every figure is by cross-validation over authors: the judge that
judges one author has read none of that author's lines, translations among them. `--exam` judges labels laid
out alike by the weights in the package, and trains nothing: for what somebody else wrote afterwards.

Statements: logistic regression on hashed pieces of words (`judgement.text_features`) and on the middle layer
of the default model; half of what is learned from is shown without that layer, so that both stand alone.
Pairs: one hidden layer on `judgement.pair_features`; the shipped network is three side by side, from three
seeds. `--write` trains on everything and writes `memcli/judgement/*.npz`.

Needs scikit-learn, which sentence-transformers brings.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier

from memcli.config import DEFAULT_MODEL
from memcli.embedding import open_embedder
from memcli.embedding.reading import readings
from memcli.judgement.pair_features import cosine_features, pair_features
from memcli.judgement.pairs import PairJudgement, judge_pair
from memcli.judgement.text_features import WIDTH, pieces_apart, text_features
from memcli.judgement.weights import FARTHEST, FOLDER, Linear, load_linear
from memcli.text.sentences import sentences

Array = NDArray[np.float64]
# The dense part counts about as much as the sparse one.
_SPARSE, _DENSE = 3.0, 3.0
_STRENGTH = {"kind": 5.0, "state": 5.0, "about": 5.0, "due": 5.0, "promise": 5.0, "personal": 5.0}
_UNITS, _DECAY, _SEEDS = 32, 3.0, (1, 2, 3)
# Of a chat's sentence so much must lie in the span of a fact for it to state that fact.
_WITHIN = 0.5


class Example(NamedTuple):
    """A text of one author, and the answer to each question that is asked of it."""

    text: str
    author: str
    lang: str
    answers: Mapping[str, str]


class Pair(NamedTuple):
    """Two texts of one author, and how they are related."""

    newer: str
    older: str
    author: str
    lang: str
    relation: str


def main() -> None:
    """Cross-validate, and write or examine where that is asked for."""
    parser = argparse.ArgumentParser("python -m benchmarks.judges", description="Train and try the judges.")
    parser.add_argument("--labels", type=Path, default=Path(__file__).parent / "labels")
    parser.add_argument("--exam", type=Path, help="labels to be judged by the weights in the package")
    parser.add_argument("--write", action="store_true", help="train on all, and write the weights")
    parser.add_argument("--only", choices=("statements", "pairs"), help="nothing of the others")
    parser.add_argument("--cache", type=Path, help="where the compiled model lies or is put")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        model = _Model(given.cache or Path(folder))
        if given.exam:
            _examine(given.exam, model)
            return
        if given.only != "pairs":
            of_statements = _write_statements if given.write else _cross_validate_statements
            of_statements(read_examples(given.labels), model)
        if given.only != "statements":
            of_pairs = _write_pairs if given.write else _cross_validate_pairs
            of_pairs(read_pairs(given.labels), model)


def read_examples(folder: Path) -> list[Example]:
    """The statements, the updates of the pairs, and the sentences of the chats, of all authors."""
    found = []
    for author, record in _records(folder, "statements"):
        answers = {"state": "trivial" if record["state"] == "noise" else record["state"]}
        if record["kind"]:
            answers |= {"kind": record["kind"], "about": record["about"] or "world"}
        answers["due"], answers["promise"] = ("yes" if record[name] else "no" for name in ("due", "promise"))
        found.append(Example(record["text"], author, record["lang"], answers))
    for author, record in _records(folder, "pairs"):
        # What updates another note is meant to last, "now" and "moved to" with it.
        if record["relation"] == "update":
            found.append(Example(record["b"], author, "pair", {"state": "lasting"}))
    for author, record in _records(folder, "chats"):
        if record["role"] == "user":
            spans = [fact["span"] for fact in record.get("facts") or []]
            for sentence in sentences(record["text"]):
                told = any(_overlap(sentence, span, record["text"]) for span in spans)
                found.append(Example(sentence, author, "chat", {"personal": "yes" if told else "no"}))
    return found


def _overlap(sentence: str, span: str, text: str) -> bool:
    start, begin = text.find(sentence), text.find(span)
    shared = min(start + len(sentence), begin + len(span)) - max(start, begin)
    return start >= 0 <= begin and shared >= _WITHIN * min(len(sentence), len(span))


def read_pairs(folder: Path) -> list[Pair]:
    """The pairs of all authors in a folder; and, for learning, those of the lists beside it."""
    lists = [
        Pair(newer, older, LISTS, "en", relation)
        for name in ("contradictions", "everyday", "changes")
        for line in _lines(folder.parent / f"{name}.txt")
        for verdict, older, newer in [[part.strip() for part in line.split("|")]]
        if (relation := _VERDICTS.get((name, verdict)))
    ]
    return lists + [
        Pair(
            record["b"], record["a"], author, record["lang"],
            "both" if record["relation"] == "unrelated" else record["relation"],
        )
        for author, record in _records(folder, "pairs")
    ]  # fmt: skip


# Plain pairs, written for the forms of English: they teach, and are no examination of anybody.
LISTS = "lists"
_VERDICTS = {
    ("contradictions", "contradicts"): "update", ("contradictions", "stands"): "both",
    ("everyday", "same"): "same", ("everyday", "changed"): "update", ("changes", "same"): "same",
}  # fmt: skip


def _lines(file: Path) -> list[str]:
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    return [line for line in text.splitlines() if line.count("|") == 2 and not line.startswith("#")]


def _records(folder: Path, name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for file in sorted(folder.glob(f"*/{name}.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            if line.strip():
                yield file.parent.name.split(".")[0], json.loads(line)


class _Model:
    """The default model: vectors and middle layer of each text, once."""

    def __init__(self, cache: Path) -> None:
        self._embedder = open_embedder(DEFAULT_MODEL, cache)

    def read(self, texts: Sequence[str]) -> tuple[Array, Array]:
        """Unit vectors and middle layers, (texts, width) each."""
        read = list(readings(self._embedder, texts))
        vectors = np.array([each.vectors[0] for each in read], dtype=np.float64)
        middle = np.array([each.middle for each in read], dtype=np.float64)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True), middle


# Statements


class _Table(NamedTuple):
    """What is learned from: sparse (n, WIDTH), dense (n, width, standardised), author and answers of each."""

    columns: Any
    dense: Array
    mean: Array
    scale: Array
    examples: Sequence[Example]

    def stacked(self, rows: Any, dense: bool) -> Any:
        """The features of some rows, the dense ones or zeros beside."""
        beside = self.dense[rows] * _DENSE * float(dense)
        return sparse.hstack([self.columns[rows] * _SPARSE, sparse.csr_matrix(beside)]).tocsr()


def _table(examples: Sequence[Example], model: _Model) -> _Table:
    rows = [text_features(example.text) for example in examples]
    columns = _matrix(rows, WIDTH)
    _, middle = model.read([example.text for example in examples])
    mean, scale = middle.mean(axis=0), 1 / (middle.std(axis=0) + 1e-6) / np.sqrt(middle.shape[1])
    return _Table(columns, (middle - mean) * scale, mean, scale, examples)


def _matrix(rows: Sequence[Mapping[int, float]], width: int) -> Any:
    values = [value for row in rows for value in row.values()]
    places = [place for place, row in enumerate(rows) for _ in row]
    return sparse.csr_matrix(
        (values, (places, [column for row in rows for column in row])), shape=(len(rows), width)
    )


def _learn(table: _Table, question: str, rows: Any, *, dense: bool) -> LogisticRegression:
    answers = [table.examples[row].answers[question] for row in rows]
    learner = LogisticRegression(C=_STRENGTH[question], max_iter=200)
    return learner.fit(table.stacked(rows, dense), answers)


def _asked(table: _Table, question: str) -> NDArray[np.int64]:
    return np.array([n for n, each in enumerate(table.examples) if question in each.answers])


def _judged_by_others(table: _Table, question: str, *, dense: bool) -> tuple[list[str], Array, Any]:
    """The answers; how likely each is for each row, as other authors taught; and the rows."""
    rows = _asked(table, question)
    authors = np.array([table.examples[row].author for row in rows])
    likely, names = np.zeros((len(rows), 0)), [""]
    for author in sorted(set(authors)):
        learner = _learn(table, question, rows[authors != author], dense=dense)
        if not likely.shape[1]:
            names, likely = list(learner.classes_), np.zeros((len(rows), len(learner.classes_)))
        likely[authors == author] = learner.predict_proba(table.stacked(rows[authors == author], dense))
    return names, likely, rows


def _cross_validate_statements(examples: Sequence[Example], model: _Model) -> None:
    table = _table(examples, model)
    for dense in (True, False):
        print(f"\n## Statements, {'with the model' if dense else 'by words alone'}\n")
        for question in _STRENGTH:
            names, likely, rows = _judged_by_others(table, question, dense=dense)
            _report(question, names, likely, [table.examples[row] for row in rows])


def _report(question: str, names: list[str], likely: Array, examples: Sequence[Example]) -> None:
    said = np.array([each.answers[question] for each in examples])
    if question in ("due", "promise", "personal"):
        curve = _recall_at(said == "yes", likely[:, names.index("yes")])
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


def _recall_at(right: NDArray[np.bool_], likely: Array) -> list[str]:
    """The recall, and the threshold, at which precision is still so much."""
    order = np.argsort(-likely)
    hits, count = right[order].cumsum(), np.arange(1, len(order) + 1)
    found = []
    for precision in (0.95, 0.9, 0.8):
        enough = np.where((hits / count >= precision) & (count >= 20))[0]
        last = enough[-1] if len(enough) else None
        found.append(
            "-" if last is None else f"{hits[last] / right.sum():.2f} (from {likely[order][last]:.2f})"
        )
    return found


def _write_statements(examples: Sequence[Example], model: _Model) -> None:
    table = _table(examples, model)
    for name, dense in (("statement", True), ("statement-by-words", False)):
        kept: dict[str, NDArray[np.generic]] = {}
        for question in _STRENGTH:
            learner = _learn(table, question, _asked(table, question), dense=dense)
            weights, bias = learner.coef_.T, learner.intercept_
            if len(learner.classes_) == 2:
                # Of two answers one has all the weight.
                weights, bias = np.hstack([0 * weights, weights]), np.array([0.0, bias[0]])
            of_middle = None
            if dense:
                of_middle = weights[WIDTH:] * _DENSE * table.scale[:, None]
                bias = bias - table.mean @ of_middle
            kept |= _kept(question, learner.classes_, weights[:WIDTH] * _SPARSE, bias, of_middle)
        _save(name, kept)


def _save(name: str, kept: dict[str, NDArray[np.generic]]) -> None:
    file = FOLDER / f"{name}.npz"
    np.savez_compressed(file, **kept)  # type: ignore[arg-type]  # its stub takes the names for options
    print(f"{file.name}: {file.stat().st_size / 1000:.0f} kB")


# Pairs


class _Features(NamedTuple):
    """What is learned from: (n, features), as they are, and what only one of each two texts has."""

    names: tuple[str, ...]
    rows: Array
    apart: Any
    pairs: Sequence[Pair]

    def of(self, rows: NDArray[np.bool_]) -> _Features:
        """The same of some of the pairs."""
        pairs = [pair for pair, kept in zip(self.pairs, rows, strict=True) if kept]
        return self._replace(rows=self.rows[rows], apart=self.apart[rows], pairs=pairs)

    @property
    def authors(self) -> NDArray[np.str_]:
        return np.array([pair.author for pair in self.pairs])

    @property
    def relations(self) -> NDArray[np.str_]:
        return np.array([pair.relation for pair in self.pairs])


def _features(pairs: Sequence[Pair], model: _Model, *, cosines: bool) -> _Features:
    newer, _ = model.read([pair.newer for pair in pairs])
    older, _ = model.read([pair.older for pair in pairs])
    found = []
    for pair, cosine in zip(pairs, (newer * older).sum(axis=1).tolist(), strict=True):
        features = pair_features(pair.newer, pair.older)
        if cosines:
            features |= cosine_features(cosine, features["words in common"])
        found.append(features)
    names = tuple(sorted({name for features in found for name in features}))
    apart = _matrix([pieces_apart(pair.newer, pair.older) for pair in pairs], 2 * WIDTH) * _SPARSE
    return _Features(
        names, np.array([[each.get(name, 0.0) for name in names] for each in found]), apart, pairs
    )


def _words_judge(features: _Features) -> LogisticRegression:
    """The linear judge by words that only one of two texts has; its scores are features of the network."""
    return LogisticRegression(C=3.0, max_iter=200).fit(features.apart, features.relations)


def _with_words(features: _Features) -> Array:
    """The features with the scores of a judge by words that has not read the author."""
    scores = np.zeros((len(features.pairs), 3))
    for author in sorted(set(features.authors)):
        own = features.authors == author
        scores[own] = _words_judge(features.of(~own)).decision_function(features.apart[own])
    return np.hstack([features.rows, scores])


class _Scaling(NamedTuple):
    mean: Array
    scale: Array

    def of(self, rows: Array) -> Array:
        scaled: Array = np.clip((rows - self.mean) * self.scale, -FARTHEST, FARTHEST)
        return scaled


def _scaling(rows: Array) -> _Scaling:
    return _Scaling(rows.mean(axis=0), 1 / (rows.std(axis=0) + 1e-9))


def _networks(rows: Array, relations: NDArray[np.str_]) -> list[MLPClassifier]:
    return [
        MLPClassifier((_UNITS,), alpha=_DECAY, max_iter=300, random_state=seed).fit(rows, relations)
        for seed in _SEEDS
    ]


def _cross_validate_pairs(pairs: Sequence[Pair], model: _Model) -> None:
    for cosines in (True, False):
        print(f"\n## Pairs, {'with the model' if cosines else 'by words alone'}\n")
        features = _features(pairs, model, cosines=cosines)
        likely = np.zeros((len(pairs), 3))
        names = [""]
        for author in sorted({*features.authors} - {LISTS}):
            own = features.authors == author
            taught, asked = features.of(~own), features.of(own)
            rows = _with_words(taught)
            scaling = _scaling(rows)
            nets = _networks(scaling.of(rows), taught.relations)
            judged = np.hstack([asked.rows, _words_judge(taught).decision_function(asked.apart)])
            names = list(nets[0].classes_)
            likely[own] = _softmax(np.mean([_scores(net, scaling.of(judged)) for net in nets], axis=0))
        _report_pairs(names, likely, pairs)


def _report_pairs(names: list[str], likely: Array, pairs: Sequence[Pair]) -> None:
    kept = np.array([pair.author != LISTS for pair in pairs])
    pairs, likely = [pair for pair in pairs if pair.author != LISTS], likely[kept]
    relations = np.array([pair.relation for pair in pairs])
    right = np.array(names)[likely.argmax(axis=1)] == relations
    print(f"right {right.mean():.3f}", end="; by author ")
    for author in sorted({pair.author for pair in pairs}):
        rows = np.array([pair.author == author for pair in pairs])
        print(f"{author} {right[rows].mean():.2f}", end=" ")
    print()
    for name in ("same", "update"):
        curve = _recall_at(relations == name, likely[:, names.index(name)])
        print(f"{name:7} recall at precision 95/90/80 %: {curve}")


def _scores(net: MLPClassifier, rows: Array) -> Array:
    scores: Array = (
        np.maximum(rows @ net.coefs_[0] + net.intercepts_[0], 0) @ net.coefs_[1] + net.intercepts_[1]
    )
    return scores


def _softmax(scores: Array) -> Array:
    likely = np.exp(scores - scores.max(axis=1, keepdims=True))
    shares: Array = likely / likely.sum(axis=1, keepdims=True)
    return shares


def _write_pairs(pairs: Sequence[Pair], model: _Model) -> None:
    for name, cosines in (("pair", True), ("pair-by-words", False)):
        features = _features(pairs, model, cosines=cosines)
        rows = _with_words(features)
        scaling = _scaling(rows)
        nets = _networks(scaling.of(rows), features.relations)
        # Side by side they are one network of three times the units; its scores are the mean of theirs.
        hidden = np.hstack([np.vstack([net.coefs_[0], net.intercepts_[0]]) for net in nets])
        outputs = [net.coefs_[1] / len(nets) for net in nets]
        output = np.vstack([*outputs, np.mean([net.intercepts_[1] for net in nets], axis=0)[None]])
        words = _words_judge(features)
        names = (*features.names, *(f"words: {answer}" for answer in words.classes_))
        kept = {
            "answers": np.array(nets[0].classes_), "features": np.array(names),
            "mean": scaling.mean.astype(np.float32), "scale": scaling.scale.astype(np.float32),
            "hidden": hidden.astype(np.float32), "output": output.astype(np.float32),
        }  # fmt: skip
        _save(name, kept)
    _save("pair-words", _kept("relation", words.classes_, words.coef_.T * _SPARSE, words.intercept_))


def _kept(
    question: str, answers: Any, columns: Array, bias: Array, dense: Array | None = None
) -> dict[str, NDArray[np.generic]]:
    """One question of a linear judge as it is kept: columns in steps of a 127th of the largest."""
    step = float(np.abs(columns).max() / 127)
    return {
        f"{question}/answers": np.array(answers),
        f"{question}/bias": bias.astype(np.float32),
        f"{question}/sparse": np.round(columns / step).astype(np.int8),
        f"{question}/step": np.array(step, dtype=np.float32),
        f"{question}/dense": (np.zeros((0, len(bias))) if dense is None else dense).astype(np.float32),
    }


# The examination


def _examine(folder: Path, model: _Model) -> None:
    examples, pairs = read_examples(folder), read_pairs(folder)
    _, middle = model.read([example.text for example in examples])
    for question in _STRENGTH:
        rows = [n for n, example in enumerate(examples) if question in example.answers]
        weights: Linear = load_linear("statement")[question]
        likely = np.array(
            [
                list(
                    weights.probabilities(
                        text_features(examples[n].text), middle[n].astype(np.float32)
                    ).values()
                )
                for n in rows
            ]
        )
        _report(question, list(weights.answers), likely, [examples[n] for n in rows])
    newer, _ = model.read([pair.newer for pair in pairs])
    older, _ = model.read([pair.older for pair in pairs])
    cosines = (newer * older).sum(axis=1).tolist()
    judged = [judge_pair(pair.newer, pair.older, cosine) for pair, cosine in zip(pairs, cosines, strict=True)]
    _report_pairs(list(PairJudgement._fields), np.array(judged), pairs)


if __name__ == "__main__":
    main()
