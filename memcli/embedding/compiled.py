"""Compiled models: run by numpy and tokenizers for a few tokens, by onnxruntime for many, without torch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from tokenizers import Tokenizer

from memcli.embedding.bert.arrays import BertArrays
from memcli.embedding.bert.weights import map_weights
from memcli.embedding.forward_pass import Reading
from memcli.embedding.manifest import Manifest, read_manifest
from memcli.embedding.models import LocatedModel
from memcli.embedding.vocabulary import kept_tokenizer
from memcli.embedding.windows import count_tokens, cut_windows
from memcli.model import ModelIdentity

if TYPE_CHECKING:
    from memcli.embedding import Floats
    from memcli.embedding.graphs import GraphRunner

# Up to so many tokens numpy is used; beyond that onnxruntime is worth its import and its session (60 ms).
# From there on a token costs numpy twice as much.
_FEW = 256


def open_compiled(folder: Path, model: LocatedModel) -> CompiledEmbedder:
    """Open the model compiled into a folder; a plain BERT encoder's weights are the installed ones."""
    # The same weights may have been compiled under another name.
    manifest = read_manifest(folder)._replace(name=model.name)
    return CompiledEmbedder(manifest, kept_tokenizer(folder), model, folder)


class CompiledEmbedder:
    """An `Embedder` without torch. Without a `folder` there is no graph, and numpy does everything."""

    def __init__(
        self, manifest: Manifest, tokenizer: Tokenizer, model: LocatedModel, folder: Path | None = None
    ) -> None:
        self._manifest = manifest
        self._tokenizer = tokenizer
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self._folder = folder
        self._graph: GraphRunner | None = None
        self._arrays: BertArrays | None = None
        if manifest.bert:
            self._weights = map_weights(model.weights()[0], manifest.bert)
            self._arrays = BertArrays(manifest.bert, self._weights)
        self.max_tokens = manifest.max_tokens
        self.identity = ModelIdentity(
            name=manifest.name, weights=manifest.weights, dimensions=manifest.dimensions
        )

    def queries(self, texts: Sequence[str]) -> Floats:
        prompt = self._manifest.query_prompt
        return self._run([self._encode(prompt, text, self.max_tokens) for text in texts])[0]

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
        vectors, middle = self._run(windows)
        starts = np.searchsorted(np.asarray(owners), np.arange(len(texts) + 1))
        for start, end in pairwise(starts):
            yield Reading(vectors[start:end], None if middle is None else middle[start])

    def prepare(self) -> None:
        """Get ready for many texts, by opening or building the graph, which else is done when they come."""
        self._opened_graph()

    def count_tokens(self, text: str) -> int:
        return count_tokens(self._tokenizer, text)

    def windows(self, text: str) -> list[str]:
        spans = self._tokenizer.encode(text, add_special_tokens=False).offsets
        marks = self._tokenizer.num_special_tokens_to_add(is_pair=False)
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

    def _run(self, texts: Sequence[Sequence[int]]) -> tuple[Floats, Floats | None]:
        """Return the vectors of texts, given by token ids, and the means of their middle layer."""
        if self._arrays and (self._graph is None and sum(map(len, texts)) <= _FEW):
            return self._arrays.run(texts, self._manifest.middle)
        graph = self._opened_graph()
        if graph is None:
            assert self._arrays  # noqa: S101 - what has no graph is a plain BERT encoder
            return self._arrays.run(texts, self._manifest.middle)
        return graph.run(texts)

    def _opened_graph(self) -> GraphRunner | None:
        """Return the graph, built now if necessary; None if it cannot be stored."""
        if self._graph or self._folder is None:
            return self._graph
        from memcli.embedding.graphs import GraphRunner, graph_file

        file = graph_file(self._folder)
        if self._arrays and not file.exists():
            from memcli.embedding.bert.kept_graph import keep_graph

            assert self._manifest.bert  # noqa: S101 - it has arrays
            if not keep_graph(file, self._manifest.bert, self._weights, self._manifest.middle):
                self._folder = None
                return None
        has_middle = self._manifest.middle is not None
        self._graph = GraphRunner(file, self._manifest.inputs, self._manifest.pad_id, has_middle=has_middle)
        return self._graph
