"""Building a plain BERT encoder's graph for good, once, whoever asks for it at the same time."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import numpy as np

from memcli.embedding.bert.arrays import BertArrays
from memcli.embedding.bert.description import Bert
from memcli.embedding.bert.weights import Weights
from memcli.embedding.graphs import INPUTS, GraphRunner, save_graph
from memcli.errors import StoreBusy, StoreUnusable
from memcli.system.locks import hold_lock

# Seconds: many times what it takes.
_PATIENCE = 60.0
# What the graph must reproduce of what numpy makes of the same weights; float32 differs by about 2e-7,
# the states of a middle layer, which are of no certain length, by some times that.
_TOLERANCE, _TOLERANCE_OF_STATES = 1e-5, 1e-4


def keep_graph(file: Path, bert: Bert, weights: Weights, middle: int | None) -> bool:
    """Build the graph of an encoder and keep it as `file`; whether it is there then.

    It takes a second. Not where it cannot be written, nor where it gives other vectors than numpy does.
    """
    try:
        lock = file.with_suffix(".building")
        with hold_lock(lock, busy="another process builds the model's graph", patience=_PATIENCE):
            return file.exists() or _kept(file, bert, weights, middle)
    except (OSError, ImportError, StoreBusy, StoreUnusable):
        return False


def _kept(file: Path, bert: Bert, weights: Weights, middle: int | None) -> bool:
    from memcli.embedding.bert.graph import bert_graph

    begun = f".{file.name}-"
    for left in file.parent.glob(f"{begun}*"):
        shutil.rmtree(left, ignore_errors=True)  # by who was killed
    work = Path(tempfile.mkdtemp(prefix=begun, dir=file.parent))
    try:
        save_graph(bert_graph(bert, weights, middle), work / file.name, fuse=False)
        if not _agrees(work / file.name, bert, weights, middle):
            return False
        (work / file.name).rename(file)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return True


def _agrees(file: Path, bert: Bert, weights: Weights, middle: int | None) -> bool:
    """Whether graph and numpy make the same of some tokens, texts of several lengths together."""
    count, positions = len(weights.words), len(weights.positions)
    texts = [
        [token % count for token in range(7, 7 + 31 * min(length, positions), 31)] for length in (1, 5, 24)
    ]
    graph = GraphRunner(file, INPUTS, 0, has_middle=middle is not None)
    found, expected = graph.run(texts), BertArrays(bert, weights).run(texts, middle)
    bounds = (_TOLERANCE, _TOLERANCE_OF_STATES)
    return all(
        one is not None and other is not None and bool(np.abs(one - other).max() <= bound)
        for one, other, bound in zip(found, expected, bounds, strict=True)
        if not (one is None and other is None)
    )
