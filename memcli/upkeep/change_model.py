"""Change of the embedding model: new vectors are made beside those in use, then replace them."""

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

# How many memories are embedded and stored at a time: some seconds with a slow model. A kill loses no more,
# so that a change completes however often it is interrupted.
_PORTION = 128


class ModelChange(NamedTuple):
    """A completed change of model: from which to which, and how many memories were embedded in this call."""

    before: ModelIdentity | None
    after: ModelIdentity
    embedded: int
    calibrated: bool
    """True if the floor was fitted to it; not for the default model, nor with few memories."""


class UnfinishedChange(NamedTuple):
    """A change under way: its new model, and how many of all memories it has embedded."""

    model: ModelIdentity
    read: int
    total: int


def unfinished_change(memories: Memories) -> UnfinishedChange | None:
    """Return the change of model that was begun and not completed; None if there is none."""
    bound = memories.store.model()
    for model in memories.store.models():
        if model != bound:
            return UnfinishedChange(model, memories.store.count_read(model), _total(memories))
    return None


def change_model(
    memories: Memories, name: str, progress: Callable[[int], None] = lambda done: None
) -> ModelChange:
    """Let the model of this name serve the store.

    The old vectors answer until the last new one is written; then, in one transaction, the new ones replace
    them and the floor is fitted to them. If it is interrupted, the vectors made so far stay, and the same
    call continues. `progress` is called with how many memories are embedded. Raises BadInput if a change to
    another model is under way, ModelUnusable, Refused.
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
    # Registers the model, by which other processes see that a change is under way.
    memories.store.put_vectors(after, {})
    while True:
        while batch := memories.store.without_vectors(after, _PORTION):
            kept = _embed(memories, embedder, batch)
            embedded += kept
            progress(done := done + kept)
        # Measured here, so that the transaction does not have to.
        memories.model.scale()
        with memories.store.writing():
            # Memories that arrived since the last look are embedded first.
            if not memories.store.without_vectors(after, 1):
                memories.store.use_model(after)
                return ModelChange(before, after, embedded, calibrated=_fitted(memories))


def abort_change(memories: Memories) -> UnfinishedChange | None:
    """Drop the vectors of a change under way, and return it; None if there is none. Raises Refused."""
    memories.require(SETTING, Deed.CHANGE, "the store's model")
    with memories.store.writing():
        begun = unfinished_change(memories)
        if begun:
            memories.store.drop_model(begun.model)
    return begun


def _embed(memories: Memories, embedder: Embedder, batch: Sequence[Memory]) -> int:
    """Embed these and store their vectors, unless the text changed meanwhile; return how many were stored."""
    vectors = document_vectors(embedder, batch)
    with memories.store.writing():
        if embedder.identity not in memories.store.models():
            raise BadInput(f"the change to the model {embedder.identity.name} was aborted meanwhile")
        texts = {memory.id: memory.text for memory in memories.store.get(list(vectors))}
        kept = {each.id: vectors[each.id] for each in batch if texts.get(each.id) == each.text}
        memories.store.put_vectors(embedder.identity, kept)
    return len(kept)


def _fitted(memories: Memories) -> bool:
    """Fit the floor to the model that now serves; return False if there are too few memories."""
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
