"""The embedding model of a store: opened when it is first asked for, never mixed with another's vectors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from memcli.config import Config
from memcli.errors import ModelUnusable
from memcli.model import Memory, ModelIdentity
from memcli.storage import Store, Vectors

if TYPE_CHECKING:
    from memcli.embedding import Embedder


class BoundModel:
    """What makes the vectors of one store.

    `open_named` opens a model by its name; it may raise ModelUnusable, as may
    every method that needs the model.
    """

    def __init__(self, store: Store, config: Config, open_named: Callable[[str], Embedder]) -> None:
        self._store = store
        self._config = config
        self._open_named = open_named
        self._opened: Embedder | None = None

    def name(self) -> str:
        """The configured model's name; where none was chosen, that of the store's own."""
        chosen = self._config.value("model")
        bound = self._store.model()
        return bound.name if bound and chosen.origin == "default" else str(chosen.value)

    def open(self, name: str | None = None) -> Embedder:
        """The model of this name, else of `name()`; whether it is the store's own is not looked at."""
        if self._opened is None or name:
            self._opened = self._open_named(name or self.name())
        return self._opened

    def open_bound(self) -> Embedder:
        """The model that filled the store, or will; ModelUnusable where another one did."""
        model = self.open()
        self.check(model.identity)
        return model

    def check(self, model: ModelIdentity) -> None:
        """Raise ModelUnusable if the store was filled by another model."""
        bound = self._store.model()
        if bound and not bound.same_vectors(model):
            raise ModelUnusable(
                f"{self._store.location} is filled by the model {bound.name}, not {model.name}: run "
                f"`mem reindex --model {model.name}`, or set MEMCLI_MODEL={bound.name}"
            )

    def bind(self) -> None:
        """Bind a store that no model has filled yet to the one that is open."""
        if self._store.model() is None:
            self._store.use_model(self.open().identity)

    def embed(
        self, memories: Sequence[Memory], carried: Mapping[str, Vectors] | None = None
    ) -> dict[str, Vectors]:
        """The vectors of memories, by id; `carried` are those known already, of whichever."""
        known = dict(carried or {})
        unknown = [memory for memory in memories if memory.id not in known]
        return {**document_vectors(self.open_bound(), unknown), **known} if unknown else known

    @property
    def count_tokens(self) -> Callable[[str], int] | None:
        """Counts tokens by the model's tokenizer where it is loaded; None where it is not."""
        return self._opened.count_tokens if self._opened else None


def document_vectors(embedder: Embedder, memories: Sequence[Memory]) -> dict[str, Vectors]:
    """The vectors of memories by a model, by id, one a window."""
    vectors = embedder.documents([memory.text for memory in memories])
    return {
        memory.id: [window.tobytes() for window in windows]
        for memory, windows in zip(memories, vectors, strict=True)
    }
