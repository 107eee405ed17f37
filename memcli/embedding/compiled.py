"""Running a compiled model: onnxruntime and tokenizers, nothing else.

A compiled model is a folder: `model.ort` (weights and graph, opened memory-
mapped), `tokenizer.json`, and `model.json`, which says what the rest needs to
be used as the model's own configuration wants it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from tokenizers import Tokenizer

from memcli.embedding.models import LocatedModel
from memcli.embedding.reading import Reading
from memcli.embedding.runtime import onnxruntime
from memcli.embedding.windows import count_tokens, cut_windows
from memcli.model import ModelIdentity

if TYPE_CHECKING:
    from memcli.embedding import Floats

# Raised whenever the layout of a compiled folder, or of the graph in it, changes.
COMPILED_FORMAT = 2
# The outputs of the graph: the vector of a sentence, and the mean of its tokens in a middle layer.
SENTENCE, MIDDLE = "sentence_embedding", "middle_layer"
# Padded tokens of one run: large enough to fill two cores, small enough for their caches.
_TOKENS_A_RUN = 2048
# From here on a session that packs its weights first (0.3 s) is the faster one.
_MANY = 512


class Manifest(NamedTuple):
    """`model.json`: how to use the graph beside it. Prompts are put before every text."""

    name: str
    weights: str
    dimensions: int
    max_tokens: int
    inputs: tuple[str, ...]
    pad_id: int
    lowercase: bool
    query_prompt: str
    document_prompt: str
    middle: int | None = None
    """The layer whose mean is given out, too; None: none is."""


def compiled_folder_name(weights: str, settings: str) -> str:
    """The name of a compiled folder: weights, the model's settings, onnxruntime, format."""
    return f"{_of_model(weights, settings)}{onnxruntime.__version__}-{COMPILED_FORMAT}"


def compiled_in_older_formats(weights: str, settings: str, models: Path) -> list[Path]:
    """The folders of this very model, for whichever onnxruntime, that no memcli of today opens any more."""
    older = {str(number) for number in range(COMPILED_FORMAT)}
    found = models.glob(f"{_of_model(weights, settings)}*")
    return [folder for folder in found if folder.name.rpartition("-")[2] in older]


def _of_model(weights: str, settings: str) -> str:
    return f"{weights[:16]}-{settings[:8]}-ort"


def find_compiled(model: LocatedModel, cache: Path) -> Path | None:
    """The compiled folder of exactly these files and this onnxruntime, if it lies ready."""
    try:
        pointer = json.loads(pointer_file(model, cache).read_text(encoding="utf-8"))
        folder = cache / "models" / compiled_folder_name(pointer["weights"], pointer["settings"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return folder if (folder / "model.json").exists() else None


def pointer_file(model: LocatedModel, cache: Path) -> Path:
    """Remembers the hash of the weights, so that 90 MB need not be read at every start."""
    return cache / "models" / f"{model.fingerprint()}.json"


class CompiledEmbedder:
    """An `Embedder` over a compiled folder."""

    def __init__(self, folder: Path) -> None:
        record = json.loads((folder / "model.json").read_text(encoding="utf-8"))
        self._manifest = Manifest(**{**record, "inputs": tuple(record["inputs"])})
        self._graph = folder / "model.ort"
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self._quick: Any = None
        self._packed: Any = None
        self.max_tokens = self._manifest.max_tokens
        self.identity = ModelIdentity(
            name=self._manifest.name,
            weights=self._manifest.weights,
            dimensions=self._manifest.dimensions,
        )

    def queries(self, texts: Sequence[str]) -> Floats:
        ids = [self._encode(self._manifest.query_prompt, text, self.max_tokens) for text in texts]
        return self._run(self._session(len(ids)), ids, [SENTENCE])[0]

    def documents(self, texts: Sequence[str]) -> Iterator[Floats]:
        return (reading.vectors for reading in self.readings(texts))

    def readings(self, texts: Sequence[str]) -> Iterator[Reading]:
        if not texts:
            return
        prompt = self._manifest.document_prompt
        owners: list[int] = []
        windows: list[list[int]] = []
        for owner, text in enumerate(texts):
            for window in self.windows(text):
                owners.append(owner)
                windows.append(self._encode(prompt, window, self.max_tokens))
        outputs = [SENTENCE] if self._manifest.middle is None else [SENTENCE, MIDDLE]
        found: list[list[Floats]] = [[] for _ in outputs]
        order: list[int] = []
        session = self._session(len(windows))
        for run in _runs(windows):
            order += run
            for rows, several in zip(
                self._run(session, [windows[i] for i in run], outputs), found, strict=True
            ):
                several.append(rows)
        sorted_back = np.argsort(order)
        vectors, *middle = (np.concatenate(several)[sorted_back] for several in found)
        starts = np.searchsorted(np.asarray(owners), np.arange(len(texts) + 1))
        for start, end in pairwise(starts):
            yield Reading(vectors[start:end], middle[0][start] if middle else None)

    def count_tokens(self, text: str) -> int:
        return count_tokens(self._tokenizer, text)

    def windows(self, text: str) -> list[str]:
        spans = self._tokenizer.encode(text, add_special_tokens=False).offsets
        marks = self._tokenizer.num_special_tokens_to_add(False)
        prompt = self.count_tokens(self._manifest.document_prompt)
        return cut_windows(text, spans, self.max_tokens - marks - prompt)

    def _encode(self, prompt: str, text: str, limit: int) -> list[int]:
        text = prompt + text.strip()
        if self._manifest.lowercase:
            text = text.lower()
        ids = self._tokenizer.encode(text).ids
        if len(ids) > limit:
            self._tokenizer.enable_truncation(limit)
            ids = self._tokenizer.encode(text).ids
            self._tokenizer.no_truncation()
        return list(ids)

    def _run(self, session: Any, rows: list[list[int]], outputs: list[str]) -> list[Floats]:
        shape = (len(rows), max(map(len, rows)))
        ids = np.full(shape, self._manifest.pad_id, dtype=np.int64)
        mask = np.zeros(shape, dtype=np.int64)
        for row, tokens in enumerate(rows):
            ids[row, : len(tokens)] = tokens
            mask[row, : len(tokens)] = 1
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        feed = {name: given[name] for name in self._manifest.inputs}
        return [found.astype(np.float32, copy=False) for found in session.run(outputs, feed)]

    def _session(self, texts: int) -> Any:
        if texts < _MANY:
            self._quick = self._quick or open_onnx_session(self._graph, packed=False)
            return self._quick
        self._packed = self._packed or open_onnx_session(self._graph, packed=True)
        return self._packed


def open_onnx_session(graph: Path, *, packed: bool) -> Any:
    """A session over an ORT file.

    Memory-mapped and without packing the weights it opens in 40 ms instead of
    300; packed, it runs batches faster. Optimisation was done when compiling.
    """
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 3
    if not packed:
        # A few short texts: starting threads would cost more than they save (50 ms).
        options.intra_op_num_threads = 1
        options.add_session_config_entry("session.use_memory_mapped_ort_model", "1")
        options.add_session_config_entry("session.use_ort_model_bytes_for_initializers", "1")
        options.add_session_config_entry("session.disable_prepacking", "1")
    return onnxruntime.InferenceSession(str(graph), options, providers=["CPUExecutionProvider"])


def _runs(windows: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """Positions of windows to run together: alike in length, so that little is padding."""
    run: list[int] = []
    for position in sorted(range(len(windows)), key=lambda i: len(windows[i])):
        if run and (len(run) + 1) * len(windows[position]) > _TOKENS_A_RUN:
            yield run
            run = []
        run.append(position)
    if run:
        yield run
