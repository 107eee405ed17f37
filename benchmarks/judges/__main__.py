"""Train the judges of `memcli.judgement`, and tell how well they judge authors they never read.

    python -m benchmarks.judges [--labels DIR] [--write] [--exam DIR] [--cache DIR]

The labels (`benchmarks/labels/AUTHOR`, written by hand for this, made-up people and numbers) are

- statements.jsonl: text, lang, kind, state (lasting, passing, undecided, noise; or "": open), about, due,
  promise;
- pairs.jsonl: a (older), b (newer), relation (same, update, both, unrelated);
  with a question: also asked of a store that holds both (update or both): what is current;
- store.jsonl: person, text, lang: of each person notes that all hold at once, many near each other;
- talk.jsonl: turns of people who know each other, and which earlier ones a turn repeats or changes;
- questions.json: people with notes, and questions that some of them or none answers;
- chats.jsonl: turns, with the explicit facts of the speaker's and where they stand in the text.

`AUTHOR.de` is a translation of AUTHOR's. Every figure is by cross-validation over authors: the judge that
judges one author has read none of that author's lines, translations among them. `--exam` judges labels laid
out alike by the weights in the package, and trains nothing: for what somebody else wrote afterwards. Those of
`benchmarks/examinations` were each asked once, when the figures of docs/measured.md were told, and teach
nobody yet; plain.jsonl are pairs, updates.jsonl and both.jsonl pairs with a question (`benchmarks.updates`).

Statements: logistic regression on hashed pieces of words (`judgement.text_features`) and on the middle layer
of the default model, of each with a full stop at its end and without; on the words alone for other models.
Sentences of chats: the same, and on what is said with them. Pairs: one hidden layer on
`judgement.pair_features`; the shipped network is three side by side, from three seeds. Which of several near
notes is meant: logistic regression on `judgement.referents`. `--write` trains on
everything and writes `memcli/judgement/*.safetensors.gz`.

Needs scikit-learn, which sentence-transformers brings.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.judges import answers, current, disclosure, pairs, referent, statements
from benchmarks.judges.labels import read_examples, read_pairs
from benchmarks.judges.model import Model
from benchmarks.judges.report import report_pairs, report_statements
from benchmarks.judges.unrelated import stated_pairs
from memcli.judgement.pairs import judge_pair
from memcli.judgement.text_features import text_features
from memcli.judgement.weights import load_linear


def main() -> None:
    """Cross-validate, and write or examine where that is asked for."""
    parser = argparse.ArgumentParser("python -m benchmarks.judges", description="Train and try the judges.")
    parser.add_argument("--labels", type=Path, default=Path(__file__).parent.parent / "labels")
    parser.add_argument("--exam", type=Path, help="labels to be judged by the weights in the package")
    parser.add_argument("--write", action="store_true", help="train on all, and write the weights")
    parser.add_argument(
        "--only",
        choices=("statements", "disclosure", "pairs", "referent", "current", "answers"),
        help="nothing of the others",
    )
    parser.add_argument("--cache", type=Path, help="where the compiled model lies or is put")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        model = Model(given.cache or Path(folder))
        if given.exam:
            examine(given.exam, model)
            return
        if given.only in (None, "statements"):
            of_statements = statements.write if given.write else statements.cross_validate
            of_statements(read_examples(given.labels), model)
        if given.only in (None, "disclosure"):
            of_chats = disclosure.write if given.write else disclosure.cross_validate
            of_chats(disclosure.read_said(given.labels), model)
        if given.only in (None, "pairs"):
            of_pairs = pairs.write if given.write else pairs.cross_validate
            of_pairs([*read_pairs(given.labels), *stated_pairs(given.labels, model)], model)
        if given.write and given.only in (None, "referent"):
            referent.write(given.labels, model)
        if given.write and given.only in (None, "current"):
            current.write(given.labels, model, given.cache or Path(folder))
        if given.write and given.only in (None, "answers"):
            answers.write(given.labels, given.cache or Path(folder))


def examine(folder: Path, model: Model) -> None:
    """Print how well the weights in the package judge somebody's labels."""
    examples, related = read_examples(folder), read_pairs(folder)
    _, middle = model.read([example.text for example in examples])
    for question in statements.QUESTIONS:
        rows = [n for n, example in enumerate(examples) if question in example.answers]
        if not rows:
            continue
        weights = load_linear("statement")[question]
        judged = (
            weights.probabilities(text_features(examples[n].text), middle[n].astype(np.float32)) for n in rows
        )
        likely = np.array([list(each.values()) for each in judged])
        report_statements(question, list(weights.answers), likely, [examples[n] for n in rows])
    if said := [*disclosure.read_chats(folder)]:
        disclosure.examine(said, model)
    if not related:
        return
    newer, _ = model.read([pair.newer for pair in related])
    older, _ = model.read([pair.older for pair in related])
    cosines = (newer * older).sum(axis=1).tolist()
    relations = [
        judge_pair(pair.newer, pair.older, cosine) for pair, cosine in zip(related, cosines, strict=True)
    ]
    names = ["same", "update", "both"]
    told = np.array([[getattr(judged, name) for name in names] for judged in relations])
    report_pairs(names, told, related)


if __name__ == "__main__":
    main()
