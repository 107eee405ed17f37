"""Making all derived data anew, by the same model or by another."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from memcli.doors import SETTING, Deed
from memcli.embedding.bound_model import document_vectors
from memcli.memories import BATCH, Memories, ids_of, in_batches
from memcli.model import Filter, Memory


def reindex_store(
    memories: Memories,
    model: str | None = None,
    *,
    missing_only: bool = False,
    progress: Callable[[int], None] = lambda done: None,
) -> int:
    """Rebuild all derived data; with `model` by that model, which then serves the store.

    The old vectors answer recalls until the last new one is written. It
    may be interrupted and run again. Returns how many were embedded. Raises Refused
    for an untrusted origin that names a model.
    """
    if model is not None:
        memories.require(SETTING, Deed.CHANGE, "the store's model")
    embedder = memories.model.open(model)
    bound = memories.store.model()
    changes = bound is not None and not bound.same_vectors(embedder.identity)
    if changes and model is None:
        memories.model.check(embedder.identity)
    if not missing_only:
        memories.store.rebuild()
    everything = ids_of(memories.store.select(Filter(spaces=None, live=False), order="oldest"))
    done = 0

    def embed(batch: Sequence[Memory]) -> None:
        nonlocal done
        memories.store.put_vectors(embedder.identity, document_vectors(embedder, batch))
        progress(done := done + len(batch))

    if not (missing_only or changes):
        for some in in_batches(everything, BATCH):
            embed(memories.store.get(some))
    while batch := memories.store.without_vectors(embedder.identity, BATCH):
        embed(batch)
    memories.store.use_model(embedder.identity)
    return done
