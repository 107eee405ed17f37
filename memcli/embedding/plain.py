"""Plain embedder, the slow path: sentence-transformers itself, if no compiled model can be stored."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from memcli.embedding.graph_export import load_sentence_transformer, manifest_of
from memcli.embedding.models import LocatedModel
from memcli.embedding.windows import count_tokens, cut_windows
from memcli.model import ModelIdentity

if TYPE_CHECKING:
    from memcli.embedding import Floats


class PlainEmbedder:
    """An `Embedder` that loads the model in full; ten seconds per process."""

    def __init__(self, model: LocatedModel) -> None:
        weights = model.weights_hash()
        self._transformer = load_sentence_transformer(model)
        self._manifest = manifest_of(self._transformer, model.name, weights)
        self.max_tokens = self._manifest.max_tokens
        self.identity = ModelIdentity(name=model.name, weights=weights, dimensions=self._manifest.dimensions)

    def queries(self, texts: Sequence[str]) -> Floats:
        vectors = self._transformer.encode_query(list(texts), show_progress_bar=False)
        return np.asarray(vectors, dtype=np.float32)

    def documents(self, texts: Sequence[str]) -> Iterator[Floats]:
        windows = [self.windows(text) for text in texts]
        flat = [window for several in windows for window in several]
        vectors = self._transformer.encode_document(flat, show_progress_bar=False)
        start = 0
        for several in windows:
            yield np.asarray(vectors[start : start + len(several)], dtype=np.float32)
            start += len(several)

    def count_tokens(self, text: str) -> int:
        tokenizer = self._transformer.tokenizer
        return (
            count_tokens(tokenizer.backend_tokenizer, text)
            if tokenizer.is_fast
            else len(tokenizer.tokenize(text))
        )

    def windows(self, text: str) -> list[str]:
        tokenizer = self._transformer.tokenizer
        marks = tokenizer.num_special_tokens_to_add(False)  # noqa: FBT003 - tokenizers name it differently
        room = self.max_tokens - marks - self.count_tokens(self._manifest.document_prompt)
        return cut_windows(text, self._tokens(text), room)

    def _tokens(self, text: str) -> list[tuple[int, int]]:
        if not self._transformer.tokenizer.is_fast:
            # Without token positions a text is one window, read up to the model's limit.
            return []
        encoded = self._transformer.tokenizer.backend_tokenizer.encode(text, add_special_tokens=False)
        return list(encoded.offsets)
