"""Graphs for onnxruntime: optimised once, stored in its own format, opened memory-mapped.

Every run has one thread, and several runs go on in parallel. So a session opens in 5 ms and starts no threads
of its own, and two cores embed twice as many texts as one, while threads that share each matrix product wait
for each other. Weights are packed for the products only for many texts, because that copies them and takes
longer to open.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Sized
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from memcli.embedding.runtime import onnxruntime
from memcli.system.processors import usable_processors

if TYPE_CHECKING:
    from memcli.embedding import Floats

T = TypeVar("T", bound=Sized)
# The outputs of a graph: the vector of a sentence, and the mean of its tokens in a middle layer.
SENTENCE, MIDDLE = "sentence_embedding", "middle_layer"
# Its inputs; a model may take only some of them.
INPUTS = ("input_ids", "attention_mask", "token_type_ids")
# Padded tokens of one run: enough for large products, few enough for intermediate results to stay in a core's
# own cache.
TOKENS_A_RUN = 512
# From so many tokens on a session with packed weights, which opens in 25 ms, pays off: it saves a fifteenth
# of each run.
_MANY_TOKENS = 4096


def graph_file(folder: Path) -> Path:
    """Return the path of a compiled folder's graph for this version of onnxruntime."""
    return folder / f"graph-{onnxruntime.__version__}.ort"


def save_graph(exported: str | bytes, file: Path, *, fuse: bool) -> None:
    """Optimise a graph, an ONNX file or its bytes, and store it in onnxruntime's format.

    With `fuse`, operators are fused where possible; a graph built of fused operators does not need it.
    """
    options = onnxruntime.SessionOptions()
    levels = onnxruntime.GraphOptimizationLevel
    # EXTENDED, not ALL, which would depend on this very CPU.
    options.graph_optimization_level = levels.ORT_ENABLE_EXTENDED if fuse else levels.ORT_ENABLE_BASIC
    options.optimized_model_filepath = str(file)
    options.add_session_config_entry("session.save_model_format", "ORT")
    options.add_session_config_entry("session.disable_prepacking", "1")
    options.log_severity_level = 3
    onnxruntime.InferenceSession(exported, options, providers=["CPUExecutionProvider"])
    file.chmod(0o600)


def open_graph(file: Path, *, packed: bool = False) -> Any:
    """Open a session of onnxruntime on a stored graph, with the weights as stored or `packed`."""
    options = onnxruntime.SessionOptions()
    # The graph was optimised when it was stored.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 3
    options.intra_op_num_threads = 1
    options.add_session_config_entry("session.use_memory_mapped_ort_model", "1")
    options.add_session_config_entry("session.use_ort_model_bytes_for_initializers", "1")
    options.add_session_config_entry("session.disable_prepacking", "0" if packed else "1")
    return onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])


class GraphRunner:
    """An open graph: rows of token ids in, vectors out."""

    def __init__(self, file: Path, inputs: Sequence[str], pad_id: int, *, has_middle: bool) -> None:
        self._file = file
        self._session = open_graph(file)
        self._packed = False
        self._inputs = inputs
        self._pad_id = pad_id
        self._outputs = [SENTENCE, MIDDLE] if has_middle else [SENTENCE]

    def run(self, texts: Sequence[Sequence[int]]) -> tuple[Floats, Floats | None]:
        """Run texts, as token ids, through the graph; input and output as in `BertArrays.run`."""
        if not self._packed and sum(map(len, texts)) >= _MANY_TOKENS:
            self._session, self._packed = open_graph(self._file, packed=True), True
        vectors, *middle = run_alike(texts, self._run)
        return vectors, middle[0] if middle else None

    def _run(self, rows: Sequence[Sequence[int]]) -> list[Floats]:
        shape = (len(rows), max(map(len, rows)))
        ids = np.full(shape, self._pad_id, dtype=np.int64)
        mask = np.zeros(shape, dtype=np.int64)
        for row, tokens in enumerate(rows):
            ids[row, : len(tokens)] = tokens
            mask[row, : len(tokens)] = 1
        given: dict[str, Any] = {
            "input_ids": ids,
            "attention_mask": mask,
            "token_type_ids": np.zeros_like(ids),
        }
        feed = {name: given[name] for name in self._inputs}
        return [found.astype(np.float32, copy=False) for found in self._session.run(self._outputs, feed)]


def run_alike(texts: Sequence[T], run: Callable[[list[T]], list[Floats]]) -> list[Floats]:
    """Return what `run` gives for texts, in their order: an array for each output, a row per text.

    Texts of similar length run together, so that little is padding, and on all cores.
    """
    runs = list(_runs(texts))
    if len(runs) == 1:
        found = [run([texts[place] for place in runs[0]])]
    else:
        with ThreadPoolExecutor(usable_processors()) as pool:
            # The longest first, so that at the end no core waits long for another.
            found = list(pool.map(lambda places: run([texts[place] for place in places]), runs[::-1]))
        found.reverse()
    back = np.argsort([place for places in runs for place in places])
    return [np.concatenate(each)[back] for each in zip(*found, strict=True)]


def _runs(texts: Sequence[Sized]) -> Iterator[list[int]]:
    """Yield positions of texts to run together: of similar length, so that little is padding."""
    run: list[int] = []
    for position in sorted(range(len(texts)), key=lambda i: len(texts[i])):
        if run and (len(run) + 1) * len(texts[position]) > TOKENS_A_RUN:
            yield run
            run = []
        run.append(position)
    if run:
        yield run
