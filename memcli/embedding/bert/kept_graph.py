"""Kept graph: build the graph of a plain BERT encoder once and store it, whichever process comes first."""

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

# Seconds to wait for another process: many times what building takes.
_PATIENCE = 60.0
# How far the graph's output may differ from numpy's: float32 differs by about 2e-7, the states of a middle
# layer, which are not normalised, by several times that.
_TOLERANCE, _TOLERANCE_OF_STATES = 1e-5, 1e-4


def keep_graph(file: Path, bert: Bert, weights: Weights, middle: int | None) -> bool:
    """Build the graph of an encoder and store it as `file`; return True if it is there afterwards.

    It takes a second. False if it cannot be written, or its vectors differ from numpy's.
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
        shutil.rmtree(left, ignore_errors=True)  # left by a killed process
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
    """True if graph and numpy agree on some tokens, in texts of several lengths together."""
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
