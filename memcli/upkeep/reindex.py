"""Making all derived data anew."""

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
    """Rebuild all derived data by the store's own model; another one is `memcli.upkeep.change_model`'s.

    It may be interrupted and run again. Returns how many memories were embedded. Raises
    ModelUnusable where the configured model is another than the store's; Refused for an untrusted origin,
    but with `missing_only`: what was not read yet a recall lets the model read, too.
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
