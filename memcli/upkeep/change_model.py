"""Another embedding model for a store: its vectors are made beside those in use, then take their place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from memcli.doors import SETTING, Deed
from memcli.embedding.bound_model import document_vectors
from memcli.errors import BadInput
from memcli.memories import Memories
from memcli.messages import Command, message
from memcli.model import Filter, Memory, ModelIdentity
from memcli.named_tuple import NamedTuple
from memcli.upkeep.calibrate import LEAST_MEMORIES, calibrate_floor
from memcli.upkeep.reindex import reindex_store

if TYPE_CHECKING:
    from memcli.embedding import Embedder

# So many are read and kept at a time: seconds of a slow model, and no more is lost by a kill, so that a
# change ends however often it is cut short.
_PORTION = 128


class ModelChange(NamedTuple):
    """A change that was carried out: from which model, to which, how many memories were read for it now."""

    before: ModelIdentity | None
    after: ModelIdentity
    embedded: int
    calibrated: bool
    """Whether the floor was fitted to it; the default model's is chosen already, few memories tell none."""


class UnfinishedChange(NamedTuple):
    """A change under way: to which model, and how many of all memories it has read."""

    model: ModelIdentity
    read: int
    total: int


def unfinished_change(memories: Memories) -> UnfinishedChange | None:
    """The change of model that was begun and not ended; None where there is none."""
    bound = memories.store.model()
    for model in memories.store.models():
        if model != bound:
            return UnfinishedChange(model, memories.store.count_read(model), _total(memories))
    return None


def change_model(
    memories: Memories, name: str, progress: Callable[[int], None] = lambda done: None
) -> ModelChange:
    """Let the model of this name serve the store.

    The old vectors answer until the last new one is written; then, in one transaction, the new take
    their place and the floor is fitted to them. Whatever ends this early, what was read stays, and
    the same again goes on from there. `progress` hears how many memories are read. Raises BadInput
    where a change to another model is under way, ModelUnusable, Refused.
    """
    memories.require(SETTING, Deed.CHANGE, "the store's model")
    embedder = memories.model.open(name)
    before, after = memories.store.model(), embedder.identity
    begun = unfinished_change(memories)
    if begun and not begun.model.same_vectors(after):
        raise BadInput(
            f"a change to the model {begun.model.name} is under way ({begun.read:,} of {begun.total:,} "
            "memories)",
            by_hand=message(
                "end it with ",
                Command(f"model use {begun.model.name}"),
                ", or ",
                Command("model use --abort"),
            ),
        )
    if before is None:
        memories.store.use_model(after)
    if before is None or before.same_vectors(after):
        embedded = reindex_store(memories, missing_only=True, progress=progress)
        return ModelChange(before, after, embedded, calibrated=_fitted(memories))
    done, embedded = begun.read if begun else 0, 0
    # By this others see that it is under way.
    memories.store.put_vectors(after, {})
    while True:
        while batch := memories.store.without_vectors(after, _PORTION):
            kept = _embed(memories, embedder, batch)
            embedded += kept
            progress(done := done + kept)
        # Measured before the transaction that stores it.
        memories.model.scale()
        with memories.store.writing():
            # What came in since the last look is read first.
            if not memories.store.without_vectors(after, 1):
                memories.store.use_model(after)
                return ModelChange(before, after, embedded, calibrated=_fitted(memories))


def abort_change(memories: Memories) -> UnfinishedChange | None:
    """Drop the vectors of a change under way, and return it; None where there is none. Raises Refused."""
    memories.require(SETTING, Deed.CHANGE, "the store's model")
    with memories.store.writing():
        begun = unfinished_change(memories)
        if begun:
            memories.store.drop_model(begun.model)
    return begun


def _embed(memories: Memories, embedder: Embedder, batch: Sequence[Memory]) -> int:
    """Read these and keep their vectors, but of what was changed meanwhile; how many are kept."""
    vectors = document_vectors(embedder, batch)
    with memories.store.writing():
        if embedder.identity not in memories.store.models():
            raise BadInput(f"the change to the model {embedder.identity.name} was aborted meanwhile")
        texts = {memory.id: memory.text for memory in memories.store.get(list(vectors))}
        kept = {each.id: vectors[each.id] for each in batch if texts.get(each.id) == each.text}
        memories.store.put_vectors(embedder.identity, kept)
    return len(kept)


def _fitted(memories: Memories) -> bool:
    """Fit the floor to the model that now serves, where there is enough to measure it by."""
    bound = memories.store.model()
    sample = memories.store.sample_vectors(Filter(spaces=None, at=memories.now()), LEAST_MEMORIES)
    if bound is None or bound.is_default:
        return False
    memories.model.keep_scale()
    if len(sample) < LEAST_MEMORIES:
        return False
    calibrate_floor(memories)
    return True


def _total(memories: Memories) -> int:
    return sum(number for _, _, number in memories.store.count(Filter(spaces=None, live=False)))
