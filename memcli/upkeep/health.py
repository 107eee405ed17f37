"""Health of a store and its model: the findings of `mem doctor`, and repair."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import suppress
from pathlib import Path

from memcli import times
from memcli.changes.forgetting.unfinished import (
    closed_copies,
    is_unfinished,
    stale_change_files,
    stale_lines,
    what_is_left,
)
from memcli.config.config import Config
from memcli.doors import COPIES, Deed
from memcli.errors import ModelUnusable, StoreCut, StoreDamaged, StoreFull, StoreUnusable
from memcli.memories import Memories, open_memories
from memcli.scope import require
from memcli.storage import areas
from memcli.storage.encryption import own_salt, store_salt
from memcli.storage.reports import Finding, Repair
from memcli.storage.states import is_readable, name_of
from memcli.storage.stores import flag_store, repair_store
from memcli.upkeep.change_model import unfinished_change
from memcli.upkeep.encryption import plain_change_files
from memcli.upkeep.languages import ADVICE, wants_another_model
from memcli.upkeep.reindex import reindex_store

# How many values a finding names.
_NAMED = 8


def examine_store(memories: Memories) -> Generator[Finding]:
    """Yield every finding about store and model, good ones too.

    Changes nothing but the damage flag: a store found damaged is not written to from now on, one found
    sound may be again.
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
    yield from _misshapen(memories)
    yield from _disk(memories)
    yield from _erasure(memories)
    yield from _plain_copies(memories)
    yield from examine_model(memories)


def _disk(memories: Memories) -> Iterator[Finding]:
    """Yield a finding if the disk is full; that a store is read-only is its owner's choice."""
    hindrance = memories.store.hindrance
    if isinstance(hindrance, StoreFull):
        detail = f"{hindrance.why}: nothing can be written, and all this was looked at in a copy"
        yield Finding("disk", ok=False, detail=detail, remedy="make room")


def _misshapen(memories: Memories) -> Iterator[Finding]:
    """Yield a finding about held memories that cannot be read and are left out; they stay as written."""
    held = memories.store.states(None, areas.HELD.name)
    names = [name_of(state) for state in held if not is_readable(state)]
    if names:
        named = ", ".join(names[:_NAMED]) + (", …" if len(names) > _NAMED else "")
        detail = f"{len(names)} without the shape of what waits for review are left out: {named}"
        yield Finding(
            "values",
            ok=False,
            detail=detail,
            remedy="restore a backup, or drop them: mem review reject --all",
        )


def _erasure(memories: Memories) -> Iterator[Finding]:
    """Yield findings on whether erased content is proven gone from every file."""
    stale = [*stale_lines(stale_change_files(memories)), *closed_copies(memories)]
    if not (is_unfinished(memories) or stale):
        yield Finding("erasure", ok=True, detail="none is unfinished")
        return
    left = what_is_left(memories)
    if is_unfinished(memories):
        left = left or ["it was cut off before the files were clean"]
    for why in [*left, *stale]:
        yield Finding(
            "erasure",
            ok=False,
            detail=f"not finished: {why}",
            remedy="every command tries again until nothing is left",
        )


def _plain_copies(memories: Memories) -> Iterator[Finding]:
    """Yield a finding on copies of an encrypted store that are plain, or have another key."""
    salt = own_salt(memories.store)
    if not salt:
        return
    copies = [copy.path for copy in memories.store.copies() if copy.whole]
    bears = {copy: store_salt(copy) for copy in copies if copy.exists() and copy.stat().st_size}
    away = [str(copy) for copy in copies if not copy.exists() and not copy.parent.is_dir()]
    wrong = []
    for what, those in (
        ("not encrypted", [str(copy) for copy, its in bears.items() if not its]),
        ("encrypted by another key", [str(copy) for copy, its in bears.items() if its and its != salt]),
    ):
        wrong += [f"{what}: {', '.join(those)}"] if those else []
    said = [*(wrong or ["every copy in reach is encrypted, too"])]
    if away:
        said.append(f"out of reach, so nobody knows of: {', '.join(away)}")
    if folders := plain_change_files(memories.store):
        # No problem by itself: it may have been asked for (`mem sync --plain`).
        said.append(f"change files of a sync are not: {', '.join(folders)}")
    remedy = "run `mem encrypt`, which encrypts them (with --key-file OLD those that have an old key)"
    yield Finding("copies", not wrong, "; ".join(said), remedy)


def damaged_file(location: Path, error: StoreDamaged) -> Generator[Finding]:
    """Yield the finding about a store that cannot be opened, after flagging it."""
    flag_store(location, [f"file: {error}"])
    # The error about a truncated store says itself how to restore it.
    if isinstance(error, StoreCut):
        detail, mend = str(error), ""
    else:
        detail, mend = error.what, "run `mem doctor --repair`, or go back to a backup: `mem backup list`"
    yield Finding("file", ok=False, detail=detail, remedy=mend, damage=True)


def mend_store(location: Path, *, accept: bool = False) -> Repair:
    """Repair a store as far as possible, then embed memories that have lost their vectors.

    See `memcli.storage.stores.repair_store`. Without a model, the latter is left to `mem reindex
    --missing`. Raises Refused for an untrusted origin: another file may replace the store.
    """
    config = Config()
    require(config, COPIES, Deed.CHANGE, "mending the store")
    done = repair_store(location, times.now(), accept=accept, busy_timeout=config["busy_timeout"])
    with (
        suppress(ModelUnusable, StoreUnusable),
        open_memories(location, create=False, force=True) as memories,
    ):
        if memories.store.model():
            reindex_store(memories, missing_only=True)
    return done


def examine_model(memories: Memories) -> Generator[Finding]:
    """Yield findings on the model: is it there, right, compiled, and does it fit the store?"""
    from memcli.embedding.manifest import find_compiled
    from memcli.embedding.models import MULTILINGUAL_NAME, locate_model

    bound = memories.store.model()
    try:
        model = locate_model(memories.model.name())
        weights = model.weights_hash()
    except ModelUnusable as error:
        yield Finding("model", ok=False, detail=str(error))  # the error says what to do
        return
    yield Finding("model", ok=True, detail=f"{model.name}, weights {weights[:12]}…")
    if bound:
        fits = bound.weights == weights
        of_others = "other weights of " if not fits and bound.name == model.name else ""
        yield Finding(
            "binding",
            fits,
            f"the store was embedded by {of_others}{bound.name}",
            f"mem model use {model.name}",
        )
    if wants_another_model(memories):
        yield Finding("languages", ok=True, detail=f"most memories are not in English: {ADVICE}")
    if begun := unfinished_change(memories):
        yield Finding(
            "change",
            ok=True,
            detail=f"to {begun.model.name}, under way: {begun.read:,} of {begun.total:,} memories are read; "
            f"`mem model use {begun.model.name}` goes on, `--abort` drops it",
        )
    if model.name == MULTILINGUAL_NAME:
        return  # it needs no compiling
    cache = memories.config["cache_dir"]
    ready = find_compiled(model, cache)
    yield Finding("compiled", ready is not None, str(ready or f"not in {cache}"), "run `mem model compile`")
    if name := memories.config["rerank"]:
        yield _cross_encoder(name, cache)


def _cross_encoder(name: str, cache: Path) -> Finding:
    """Return the finding on the reranker of recall: is it there, and compiled?"""
    from memcli.embedding.cross_encoder import find_cross_encoder

    try:
        model, ready = find_cross_encoder(name, cache)
    except ModelUnusable as error:
        return Finding("rerank", ok=False, detail=str(error))
    return Finding(
        "rerank", ready is not None, f"{model.name}, {ready or f'not in {cache}'}", "run `mem model compile`"
    )
