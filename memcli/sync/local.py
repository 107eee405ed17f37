"""Local records: find what changed in this store since its clocks were written, and stamp it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Any

from memcli.graph.links import recorded_changes
from memcli.model import EVERYWHERE, Link, Memory, State
from memcli.scope import Scope
from memcli.storage import areas
from memcli.storage.batches import BATCH, in_batches
from memcli.storage.ledger import Clock, state_key
from memcli.sync import replica
from memcli.sync.erasures.tombstones import Tombstones, is_trace
from memcli.sync.records.merge import ANCESTORS, Record
from memcli.sync.records.registers import (
    KINDS,
    LINK,
    MEMORY,
    STATE,
    ValueName,
    changed_at,
    link_registers,
    memory_registers,
    milliseconds,
    state_registers,
)
from memcli.sync.records.stamps import clock_of, stamped
from memcli.times import from_iso
from memcli.write_policy.forgotten_texts import FORGOTTEN_KEY, share_hash_key

Noun = Memory | Link | State
# The areas that are never synced.
OWN_AREAS = tuple(each.name for each in areas.ALL if not each.syncs)
_OWN_KEY = state_key(EVERYWHERE, areas.FORGOTTEN.name, FORGOTTEN_KEY)
# The register of each field in a link's own change record.
_OF_LINK = {"valid_from": "validity", "valid_until": "validity", "ended_at": "end"}


def note_changes(scope: Scope) -> int:
    """Record in the clocks what changed here since last time; return how many damaged rows were skipped."""
    store = scope.store
    share_hash_key(store, scope.now())
    damaged = 0
    for kind in KINDS:
        changed, gone = store.unclocked(kind, OWN_AREAS)
        # Traces of erasures come first: they tell which erased thing was written again.
        changed.sort(key=lambda key: (kind == STATE and not is_trace(key), key))
        for some in in_batches([each for each in changed if each != _OWN_KEY], BATCH):
            with store.writing():
                take_note(scope, kind, some)
                damaged += len(nouns(scope, kind, some).keys() - store.is_sound(kind, some))
        for some in in_batches(gone, BATCH):
            with store.writing():
                _note_gone(scope, kind, some)
    return damaged


def take_note(scope: Scope, kind: str, keys: Sequence[str], via: str = "") -> dict[str, Record]:
    """Stamp records as they are now and write their clocks, in the caller's transaction; return them."""
    store, tombstones = scope.store, Tombstones(scope.store)
    sound = store.is_sound(kind, keys)
    here, clocks = nouns(scope, kind, [key for key in keys if key in sound]), store.clocks(kind, keys)
    buried = _buried(scope, [key for key in here if key not in clocks]) if kind == STATE else {}
    revision = replica.next_revision(scope)
    found: dict[str, Record] = {}
    noted = []
    for key, noun in here.items():
        now = registers(noun)
        before = clocks.get(key)
        epoch = 0 if before or is_trace(key) else tombstones.epoch(kind, key)
        walls, wall = _walls(scope, noun, first=before is None)
        if kind == STATE and is_trace(key):
            # Later than all earlier erasures, so that it covers what was written again in between.
            wall = max(wall, tombstones.latest + 1 if before is None and tombstones.latest else 0)
        # A value written again after its deletion gets a later stamp, whatever the system clock says.
        wall = max(wall, buried.get(key, -1) + 1)
        record = stamped(kind, key, now, before.value if before else None, walls, wall, epoch=epoch)
        value = clock_of(record, now)
        if isinstance(noun, State) and noun.expires_at:
            value["expires"] = milliseconds(noun.expires_at)
        found[key] = record
        noted.append(Clock(kind, key, revision, via, value))
    store.put_clocks(noted)
    return found


def records(scope: Scope, kind: str, keys: Sequence[str]) -> dict[str, Record]:
    """Return records as stored, with the stamps of their clocks; without those that have no clock yet."""
    clocks = scope.store.clocks(kind, keys)
    here = nouns(scope, kind, [key for key in keys if key in clocks])
    return {key: stamped(kind, key, registers(noun), clocks[key].value, {}, 0) for key, noun in here.items()}


def nouns(scope: Scope, kind: str, keys: Sequence[str]) -> Mapping[str, Noun]:
    """Return memories, links or keyed values by their keys; without those that are gone."""
    store = scope.store
    if kind == MEMORY:
        return {each.id: each for each in store.get(keys)}
    if kind == LINK:
        return {each.id: each for each in store.links_by_id(keys)}
    return {key: each for key in keys if key.startswith("[") for each in _state(scope, key)}


def registers(noun: Noun) -> dict[str, Any]:
    """Return the registers of a memory, link or keyed value."""
    if isinstance(noun, Memory):
        return memory_registers(noun)
    return link_registers(noun) if isinstance(noun, Link) else state_registers(noun)


def tombstone_key(salt: str, key: str) -> str:
    """Return the key of a deleted value: a hash of its name, keyed by its replica's salt."""
    return f"{salt}:{blake2b(key.encode(), key=bytes.fromhex(salt), digest_size=16).hexdigest()}"


def _buried(scope: Scope, keys: Sequence[str]) -> dict[str, int]:
    """Return, for keyed values that were deleted before, the stamp of the deletion."""
    salts = replica.known_salts(scope) if keys else []
    names = {tombstone_key(salt, key): key for key in keys for salt in salts}
    found: dict[str, int] = {}
    for name, tombstone in scope.store.clocks(STATE, list(names)).items():
        stamp = tombstone.value["stamps"].get("value", tombstone.value["base"])
        found[names[name]] = max(stamp, found.get(names[name], 0))
    return found


def _state(scope: Scope, key: str) -> Iterator[State]:
    state = ValueName(*json.loads(key))
    return scope.store.states((state.space,), state.area, state.key)


def _walls(scope: Scope, noun: Noun, *, first: bool) -> tuple[dict[str, int], int]:
    """Return when single registers of a record were changed, and when the others were (stamps)."""
    if isinstance(noun, Memory):
        walls = {"updated_at": milliseconds(noun.updated_at), "uses": 0}
        walls |= changed_at(scope.store.history(noun.id))
        if noun.ended_at:
            walls["end"] = max(walls.get("end", 0), milliseconds(noun.ended_at))
        return walls, milliseconds(noun.created_at if first else noun.updated_at)
    if isinstance(noun, State):
        return {}, milliseconds(noun.updated_at)
    walls = {}
    for change in recorded_changes(noun):
        at = milliseconds(from_iso(change["at"]))
        walls |= {_OF_LINK.get(field, field): at for field in change["before"]}
        walls["changes"] = at
    return walls, milliseconds(noun.created_at) if first else max(
        walls.values(), default=milliseconds(noun.created_at)
    )


def _note_gone(scope: Scope, kind: str, keys: Sequence[str]) -> None:
    """Record when keyed values were deleted, by a hash of their names; erased ones leave nothing here."""
    store = scope.store
    gone = [key for key in keys if key not in nouns(scope, kind, keys)]
    if kind != STATE:
        store.drop_clocks(kind, gone)
        return
    tombstones, now = Tombstones(store), milliseconds(scope.now())
    salt, clocks = replica.own_salt(scope), store.clocks(STATE, gone)
    revision = replica.next_revision(scope)
    noted = []
    for key, clock in clocks.items():
        epoch = clock.value.get("epoch", 0)
        lapsed = clock.value.get("expires", now + 1) <= now
        if not lapsed and tombstones.erased(STATE, key) <= epoch:
            stamp = max(now, clock.value["stamps"].get("value", clock.value["base"]) + 1)
            seen = (clock.value["sums"]["value"], *clock.value.get("before", ()))[:ANCESTORS]
            record = Record(STATE, tombstone_key(salt, key), {"value": None}, {"value": stamp}, epoch, seen)
            noted.append(Clock(STATE, record.key, revision, "", clock_of(record, {"value": None})))
    store.drop_clocks(STATE, gone)
    store.put_clocks(noted)
