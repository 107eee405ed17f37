"""Duplicates: what is taken for the same, for changed, for a contradiction, for transient.

    python -m benchmarks.duplicates --data PATH [--cache DIR]

Reads any folder laid out like the public data: `paraphrase-*` (MSRP), `sts`
(STS-B), and the conversations that `benchmarks.data` reads.

Same: MSRP's and STS-B's pairs by `text.comparison.duplicates.compare_texts` at several thresholds,
beside plain cosine and beside the mean of cosine and Jaccard. The labels are
kind: a paraphrase may leave out a place or a date, which `compare` does not
allow, so it must lose recall against them. Changed: minimal pairs made from
frames, each with one decisive word swapped. Contradictions: the two statements
that each of BEAM's knowledge updates names, and how often the same rule fires
on statements in a row and on the five nearest earlier ones, where next to none
is one. Assertions there are none.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import re
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.command_line import add_cache
from benchmarks.conversations import load
from memcli.config.settings import DEFAULT_MODEL, SETTINGS
from memcli.embedding import open_embedder
from memcli.embedding.nearest import nearest_in_batch
from memcli.judgement.pairs import judge_pair
from memcli.recall.ranking.vectors import Floats
from memcli.text.comparison import duplicates
from memcli.text.english.hedges import speculative_phrase, transient_phrase

THRESHOLDS = (0.60, 0.65, 0.70, 0.75, 0.80, 0.85, 0.90)
_EVERYDAY = Path(__file__).parent / "everyday.txt"
# Characters: a longer message is no statement (BEAM's bring whole programs).
_STATEMENT = 600
# Of BEAM's statements: "Time Management: Moved the deadline …".
_LABEL = re.compile(r"^(?:[A-Z][\w &/-]{2,60}:\s*)+")

_FRAMES = (
    ("The meeting is at {}", "5pm|6pm|noon|4:30pm"),
    ("The staging server listens on port {}", "8443|8444|443"),
    ("{} lives in Berlin with two cats", "Ann|Bob|Carla"),
    ("Ann lives in {}", "Berlin|Paris|New York"),
    ("The deadline for the grant application is {}", "March 5|March 6|April 5|2025-03-05"),
    ("We run version {} in production", "3.1|3.10|3.1.1"),
    ("The backup {} finish before midnight", "must|may|should|will|won't"),
    ("{} tests pass on the main branch", "all|some|no|most"),
    ("I {} olives on my pizza", "like|hate|don't like|never want"),
    ("Take the pill {} lunch", "before|after"),
    ("Traffic has {} since the relaunch", "increased|decreased"),
    ("My {} is allergic to peanuts", "wife|husband|son|daughter"),
    ("The rent is {} a month", "$900|$950|€900"),
    ("The trail is 12 {} long", "km|miles"),
    ("My favourite colour for walls is {}", "blue|green|white"),
    ("Deploys {} on Fridays", "happen|never happen|don't happen"),
    ("I {} vegetarian", "am|was|am not"),
    ("{} pays {}", "Ann;Bob|Bob;Ann"),
)


class Pair(NamedTuple):
    """Two texts, and whether somebody called them the same."""

    label: bool
    old: str
    new: str


class Model:
    """Embeds each text once."""

    def __init__(self, cache: Path) -> None:
        self._embedder = open_embedder(DEFAULT_MODEL, cache, print)

    def vectors(self, texts: Sequence[str]) -> Floats:
        """Unit vectors, a row a text; of a long text its first window."""
        each: Iterable[Floats] = self._embedder.documents(list(texts))
        rows: Floats = np.stack([windows[0] for windows in each])
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        return rows

    def cosines(self, pairs: Sequence[Pair]) -> list[float]:
        """The cosine of each pair."""
        old, new = self.vectors([p.old for p in pairs]), self.vectors([p.new for p in pairs])
        return [float(cosine) for cosine in (old * new).sum(axis=1)]


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description="Duplicates, changes, contradictions, hedges.")
    parser.add_argument("--data", type=Path, required=True, help="folder of public data")
    add_cache(parser)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="memcli-benchmark-") as folder:
        model = Model(given.cache or Path(folder))
        for name, pairs in (("MSRP", list(_msrp(given.data))), ("STS-B, score >= 4", list(_sts(given.data)))):
            if pairs:
                _same(name, pairs, model)
        _changed(model)
        _everyday(model)
        _updates(given.data, model)
        _ordinary(given.data, model)


def _msrp(folder: Path) -> Iterator[Pair]:
    for path in sorted(folder.glob("paraphrase-*/*.txt")):
        for line in path.read_text(encoding="utf-8-sig").splitlines()[1:]:
            label, _, _, old, new = line.split("\t")
            yield Pair(label == "1", old, new)


def _sts(folder: Path) -> Iterator[Pair]:
    for path in sorted(folder.glob("sts*/*.csv")):
        with path.open(encoding="utf-8", newline="") as lines:
            for old, new, score in csv.reader(lines):
                yield Pair(float(score) >= 4, old, new)


def _same(name: str, pairs: Sequence[Pair], model: Model) -> None:
    cosines = model.cosines(pairs)
    started = time.perf_counter()
    found = [duplicates.compare_texts(p.new, p.old, c) for p, c in zip(pairs, cosines, strict=True)]
    spent = (time.perf_counter() - started) / len(pairs)
    labels = np.asarray([pair.label for pair in pairs])
    free = np.asarray([each.verdict == "same" or each.reason == "not alike enough" for each in found])
    scores = {
        "cosine": np.asarray(cosines),
        "mean of cosine and Jaccard": np.asarray([each.similarity for each in found]),
    }
    scores["compare"] = np.where(free, scores["mean of cosine and Jaccard"], 0.0)
    print(f"\n{name}: {len(pairs)} pairs, {labels.mean():.0%} the same; compare takes {spent * 1e3:.2f} ms")
    print(f"{'precision/recall at':28}" + "".join(f"{t:>12.2f}" for t in THRESHOLDS))
    for way, score in scores.items():
        print(f"{way:28}" + "".join(f"{_quality(score >= t, labels):>12}" for t in THRESHOLDS))
    default = np.asarray([each.verdict == "same" for each in found])
    print(f"compare by default ({duplicates.ALIKE_BY_MEANING}): {_quality(default, labels)}")


def _quality(taken: NDArray[np.bool_], labels: NDArray[np.bool_]) -> str:
    right = int((taken & labels).sum())
    precision = f"{100 * right / taken.sum():.1f}" if taken.any() else "-"
    return f"{precision}/{100 * right / max(1, labels.sum()):.1f}"


def _minimal() -> Iterator[Pair]:
    """Every two statements of a frame: each changes one thing."""
    for frame, values in _FRAMES:
        filled = [frame.format(*value.split(";")) for value in values.split("|")]
        for old in filled:
            yield from (Pair(label=False, old=old, new=new) for new in filled if new != old)


def _changed(model: Model) -> None:
    pairs = list(_minimal())
    cosines = model.cosines(pairs)
    found = [duplicates.compare_texts(p.new, p.old, c) for p, c in zip(pairs, cosines, strict=True)]
    taken = {v: sum(each.verdict == v for each in found) for v in ("changed", "different", "same")}
    near = sum(cosine >= 0.9 for cosine in cosines)
    print(f"\nMinimal pairs: {len(pairs)}; {taken}; cosine >= 0.9 would take {near} for the same")


def _everyday(model: Model) -> None:
    """Short statements of persons and their servers, both ways: what is taken for the same."""
    rows = [
        [part.strip() for part in line.split("|")]
        for line in _EVERYDAY.read_text(encoding="utf-8").splitlines()
        if line and not line.startswith("#")
    ]
    pairs = [
        Pair(label == "same", *texts) for label, one, other in rows for texts in ((one, other), (other, one))
    ]
    cosines = model.cosines(pairs)
    print(f"\nEveryday statements: {len(pairs)} pairs")
    for label, called in ((True, "the same"), (False, "changed")):
        for near in (True, False):
            these = [
                (p, c) for p, c in zip(pairs, cosines, strict=True) if p.label == label and (c >= 0.9) == near
            ]
            taken = sum(duplicates.compare_texts(p.new, p.old, c).verdict == "same" for p, c in these)
            sign = ">=" if near else "<"
            print(f"{called:9} cosine {sign} 0.9: {taken} of {len(these)} taken for the same")


def _updates(folder: Path, model: Model) -> None:
    """BEAM's knowledge updates: the two statements that each names, and those of others beside them."""
    pairs = []
    for path in sorted(folder.glob("beam-*/*.json.gz")):
        asked = json.loads(gzip.decompress(path.read_bytes()))["probing_questions"]
        for question in asked.get("knowledge_update", []):
            named = [_LABEL.sub("", text) for text in question.get("conversation_references", [])]
            if len(named) == 2:
                old, new = named
                pairs.append(Pair(label=True, old=old, new=new))
    if not pairs:
        return
    others = [
        Pair(label=False, old=one.old, new=pairs[(place + step) % len(pairs)].new)
        for place, one in enumerate(pairs)
        for step in range(1, min(8, len(pairs)))
    ]
    hits, alarms = _contradicting(pairs, model), _contradicting(others, model)
    print(f"\nKnowledge updates: {hits} of {len(pairs)} found; {alarms} of {len(others)} mixed pairs")


def _contradicting(pairs: Sequence[Pair], model: Model) -> int:
    cosines = model.cosines(pairs)
    return sum(_is_told(p.new, p.old, c) for p, c in zip(pairs, cosines, strict=True))


def _is_told(new: str, old: str, cosine: float) -> bool:
    """Whether the owner is told that the newer may contradict the older, by default settings."""
    return judge_pair(new, old, cosine).update >= float(SETTINGS["judge_update"].default)


def _ordinary(folder: Path, model: Model) -> None:
    """False alarms on what people say in a row, and what is hedged of it."""
    print(f"\n{'ordinary statements':19}{'texts':>7}{'in a row':>12}{'nearest 5':>14}{'writes':>9}", end="")
    print(f"{'transient':>11}{'speculative':>13}")
    for data in ("locomo", "prefeval", "beam"):
        talks = [
            [text for r in talk.records if len(text := str(r["text"])) <= _STATEMENT]
            for talk in load(folder, (data,))
        ]
        counts = np.sum([_alarms(texts, model) for texts in talks], axis=0) if talks else None
        if counts is None:
            continue
        texts, row, rows, near, nears, writes = counts.tolist()
        print(f"{data:19}{texts:>7}{row:>5}/{rows:<6}{near:>6}/{nears:<7}{writes:>6}", end="")
        hedged = [_share(rule, talks) for rule in (transient_phrase, speculative_phrase)]
        print(f"{hedged[0]:>11.1%}{hedged[1]:>13.1%}")


def _alarms(texts: Sequence[str], model: Model) -> tuple[int, ...]:
    vectors = model.vectors(texts)
    row = sum(
        bool(_is_told(texts[n], texts[n - 1], float(vectors[n] @ vectors[n - 1])))
        for n in range(1, len(texts))
    )
    near = nearest_in_batch(vectors, vectors[:0], 0.28, 5)
    found = [each for each in near if _is_told(texts[each.row], texts[each.other], each.cosine)]
    return len(texts), row, len(texts) - 1, len(found), len(near), len({each.row for each in found})


def _share(rule: Callable[[str], str | None], talks: Sequence[Sequence[str]]) -> float:
    texts = [text for talk in talks for text in talk]
    return sum(rule(text) is not None for text in texts) / len(texts)


if __name__ == "__main__":
    main()
