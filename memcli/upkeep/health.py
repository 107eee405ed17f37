"""Is everything well? The store's own findings, and those about the model."""

from __future__ import annotations

from collections.abc import Iterator

from memcli.changes.forgetting.unfinished import is_unfinished
from memcli.errors import ModelUnusable
from memcli.memories import Memories
from memcli.storage import Finding


def examine_store(memories: Memories) -> Iterator[Finding]:
    """Every finding about store and model, the good ones too.

    Changes nothing but the flag: a store that is found damaged is not written to
    from now on, one that is found well may be again.
    """
    damage = []
    for finding in memories.store.check():
        if finding.damage:
            damage.append(f"{finding.name}: {finding.detail}")
        yield finding
    if damage:
        memories.store.flag(damage)
    else:
        memories.store.clear_flag()
    cut_off = is_unfinished(memories)
    detail = "an erasure was cut off before the files were clean" if cut_off else "none is unfinished"
    yield Finding("erasure", not cut_off, detail, "the next command finishes it; close what reads the store")
    yield from examine_model(memories)


def examine_model(memories: Memories) -> Iterator[Finding]:
    """Is the model there, are its weights right, is it compiled, does it fit the store?"""
    from memcli.embedding.compiled import find_compiled
    from memcli.embedding.models import locate_model

    bound = memories.store.model()
    try:
        model = locate_model(memories.model.name())
        weights = model.weights_hash()
    except ModelUnusable as error:
        yield Finding("model", False, str(error))  # which says what to do
        return
    yield Finding("model", True, f"{model.name}, weights {weights[:12]}…")
    if bound:
        fits = bound.weights == weights
        yield Finding(
            "binding",
            fits,
            f"the store is filled by {bound.name}",
            f"mem reindex --model {model.name}",
        )
    cache = memories.config["cache_dir"]
    ready = find_compiled(model, cache)
    yield Finding("compiled", ready is not None, str(ready or f"not in {cache}"), "run `mem model compile`")
