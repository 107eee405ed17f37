"""Reindex: rebuild all derived data of a store."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from memcli.doors import CONSOLIDATION, Deed
from memcli.embedding.bound_model import document_vectors
from memcli.memories import Memories
from memcli.model import Filter, Memory
from memcli.storage.batches import BATCH, in_batches


def reindex_store(
    memories: Memories, *, missing_only: bool = False, progress: Callable[[int], None] = lambda done: None
) -> int:
    """Rebuild all derived data with the store's own model (`change_model` changes the model).

    It may be interrupted and run again. Returns how many memories were embedded. Raises ModelUnusable if
    the configured model is not the store's; Refused for an untrusted origin, unless `missing_only`: a
    recall embeds missing ones, too.
    """
    if not missing_only:
        memories.require(CONSOLIDATION, Deed.CHANGE, "rebuilding what is derived")
    embedder = memories.model.open_bound()
    if not missing_only:
        memories.store.rebuild()
    found = memories.store.select(Filter(spaces=None, live=False), order="oldest")
    everything = [memory.id for memory in found]
    memories.model.bind()
    memories.model.keep_scale()
    done = 0

    def embed(batch: Sequence[Memory]) -> None:
        nonlocal done
        vectors = document_vectors(embedder, batch)
        with memories.store.writing():
            memories.model.check(embedder.identity)
            memories.store.put_vectors(embedder.identity, vectors)
        progress(done := done + len(batch))

    if not missing_only:
        for some in in_batches(everything, BATCH):
            embed(memories.store.get(some))
    while batch := memories.store.without_vectors(embedder.identity, BATCH):
        embed(batch)
    return done
