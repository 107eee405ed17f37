"""Gaps: embed texts later that were written without vectors, or with those of their beginnings only.

A little at a time by each search; completely by consolidation and by `mem reindex`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memcli.embedding import Embedder
from memcli.embedding.bound_model import BoundModel
from memcli.messages import Command, message
from memcli.model import Filter, Memory, Ref
from memcli.named_tuple import NamedTuple
from memcli.storage import Beginning, Store, Vector, Vectors

# The most texts and windows per search, and how many of the windows for the rests of long texts. A full
# window of all-MiniLM-L6-v2 takes 45 ms of CPU; 48 messages of 60 words take 0.4 s, 16 windows 0.7 s.
TEXTS, WINDOWS, RESTS = 48, 16.0, 8
# Gaps are counted up to this number.
_COUNTED = 1000


class GapFill(NamedTuple):
    """How many windows were embedded, and which memories are complete now."""

    windows: int = 0
    whole: frozenset[Ref] = frozenset()


class _Reading(NamedTuple):
    """What is to be embedded of one text: some windows after the `known` ones; `whole`: up to its end."""

    memory: Memory
    known: Sequence[Vector]
    windows: Sequence[str]
    whole: bool


def remaining_gap(store: Store, where: Filter) -> str | None:
    """Return a message if not everything within a filter is searched by meaning; else None."""
    refs = store.wanting(where, _COUNTED + 1)
    if not refs:
        return None
    count = f"more than {_COUNTED:,}" if len(refs) > _COUNTED else f"{len(refs):,}"
    are, their = ("memory is", "its") if len(refs) == 1 else ("memories are", "their")
    return message(
        f"{count} {are} not read by the model yet, or not to {their} end; ",
        Command("reindex --missing"),
        " does it",
    )


def fill_gaps(
    store: Store, model: BoundModel, refs: Sequence[Ref], *, windows: float = WINDOWS, rests: int = RESTS
) -> GapFill:
    """Embed some of these: first the beginning of each, then as many further windows as are left.

    A short text counts as part of a window. The store is not locked meanwhile: a memory that others changed
    stays as it is. Raises ModelUnusable, StoreBusy, ReadOnlyStore.
    """
    embedder = model.open_bound()
    readings = list(_readings(store, embedder, refs, windows, rests))
    if not readings:
        return GapFill()
    # Measured before the transaction that stores it.
    model.scale()
    read = embedder.documents([window for reading in readings for window in reading.windows])
    vectors = {
        each.memory.id: [*each.known, *(next(read)[0].tobytes() for _ in each.windows)] for each in readings
    }
    with store.writing(patience=_PATIENCE):
        if not model.bind():
            return GapFill()
        kept = {each.memory.id: each for each in readings if _as_read(store, each)}
        ready: dict[str, Vectors] = {
            key: vectors[key] if each.whole else Beginning(vectors[key]) for key, each in kept.items()
        }
        store.put_vectors(embedder.identity, ready)
        whole = store.refs_by_id([key for key, each in kept.items() if each.whole])
    return GapFill(sum(len(each.windows) for each in kept.values()), frozenset(whole.values()))


# A search waits at most so many seconds for the store to save the vectors.
_PATIENCE = 0.25


def _readings(
    store: Store, embedder: Embedder, refs: Sequence[Ref], windows: float, rests: int
) -> Iterator[_Reading]:
    """Yield what to embed, within the bounds."""
    memories = store.memories_by_ref(refs)
    known = store.vectors(list(memories))
    here = [ref for ref in refs if ref in memories]
    begun = []
    for ref in here:
        if ref in known:
            begun.append(ref)
            continue
        text = memories[ref].text
        # Estimated as a third of its bytes, rather more tokens than there are.
        cost = min(1.0, len(text.encode()) / 3 / embedder.max_tokens)
        if cost > windows:
            return
        windows -= cost
        parts = embedder.windows(text)
        yield _Reading(memories[ref], (), parts[:1], len(parts) == 1)
    for ref in begun:
        room = min(int(windows), rests)
        if room < 1:
            return
        parts = embedder.windows(memories[ref].text)
        some = parts[len(known[ref]) : len(known[ref]) + room]
        windows, rests = windows - len(some), rests - len(some)
        yield _Reading(memories[ref], known[ref], some, len(known[ref]) + len(some) >= len(parts))


def _as_read(store: Store, reading: _Reading) -> bool:
    """True if a memory is still as it was when its windows were embedded."""
    memory = next(iter(store.get([reading.memory.id])), None)
    if memory is None or memory.text != reading.memory.text:
        return False
    refs = store.refs_by_id([memory.id])
    return len(store.vectors(list(refs.values())).get(refs[memory.id], ())) == len(reading.known)
