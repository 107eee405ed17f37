"""Texts that were written without their vectors, or with those of their beginnings, are read later.

A little at a time, by whoever searches; by the night and by `mem reindex` to the end.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memcli.embedding import Embedder
from memcli.embedding.bound_model import BoundModel
from memcli.messages import Command, message
from memcli.model import Filter, Memory, Ref
from memcli.named_tuple import NamedTuple
from memcli.storage import Beginning, Store, Vector, Vectors

# In one search: texts, windows, and of these for the rests of long texts. A full window of
# all-MiniLM-L6-v2 takes 45 ms of CPU; 48 messages of 60 words take 0.4 s, 16 windows 0.7 s.
TEXTS, WINDOWS, RESTS = 48, 16.0, 8
# So many gaps are counted, more are only said to be more.
_COUNTED = 1000


class GapFill(NamedTuple):
    """How many windows were read, and which memories are read to their end by now."""

    windows: int = 0
    whole: frozenset[Ref] = frozenset()


class _Reading(NamedTuple):
    """What is to be read of one text: some windows, after those that are `known`; `whole`: up to its end."""

    memory: Memory
    known: Sequence[Vector]
    windows: Sequence[str]
    whole: bool


def remaining_gap(store: Store, where: Filter) -> str | None:
    """Why not all that a filter means is searched by meaning; None where it is."""
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
    """Read some of these: the beginning of each first, then of the rest of some what `windows` leave.

    A short text counts for its part of a window. Nothing is waited for: what others changed
    meanwhile stays as it is. Raises ModelUnusable, StoreBusy, ReadOnlyStore.
    """
    embedder = model.open_bound()
    readings = list(_readings(store, embedder, refs, windows, rests))
    if not readings:
        return GapFill()
    # Measured now, and not in the transaction that keeps it.
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


# Who searches waits no longer than this (seconds) to keep what was read.
_PATIENCE = 0.25


def _readings(
    store: Store, embedder: Embedder, refs: Sequence[Ref], windows: float, rests: int
) -> Iterator[_Reading]:
    """What to read, within the bounds."""
    memories = store.memories_by_ref(refs)
    known = store.vectors(list(memories))
    here = [ref for ref in refs if ref in memories]
    begun = []
    for ref in here:
        if ref in known:
            begun.append(ref)
            continue
        text = memories[ref].text
        # As many tokens as a third of its bytes, rather more than there are.
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
    """Whether a memory is still as it was when its windows were read."""
    memory = next(iter(store.get([reading.memory.id])), None)
    if memory is None or memory.text != reading.memory.text:
        return False
    refs = store.refs_by_id([memory.id])
    return len(store.vectors(list(refs.values())).get(refs[memory.id], ())) == len(reading.known)
