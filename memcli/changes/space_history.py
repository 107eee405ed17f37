"""Space history: which recorded changes belong to a space, also those of memories erased since."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from memcli.model import Event, Memory
from memcli.scope import Scope
from memcli.storage.batches import in_batches
from memcli.write_policy.forgotten_texts import find_hash_key, hash_key

# The field, in the record of an erasure, for a keyed hash of the space, which does not reveal its name.
_SPACE = "space_hash"
# How many changes are looked up at once.
_SOME = 256


def events_in_space(scope: Scope, events: Iterable[Event]) -> Iterator[Event]:
    """Yield those changes that belong to the current space.

    That is, of a memory that is in it, was moved out of it by this change, or was erased in it. Lazy: read
    it before writing.
    """
    spaces: dict[str, str] = {}
    key = find_hash_key(scope.store)
    here = _hashed(bytes.fromhex(key), scope.space) if key else None
    for some in in_batches(events, _SOME):
        unknown = {event.memory for event in some} - spaces.keys()
        spaces.update((each.id, each.space) for each in scope.store.get(sorted(unknown)))
        for event in some:
            if event.memory not in spaces:
                belongs = here is not None and (event.after or {}).get(_SPACE) == here
            else:
                before = (event.before or {}).get("space")
                belongs = scope.space in (spaces[event.memory], before)
            if belongs:
                yield event


def erasure_marks(scope: Scope, doomed: Sequence[Memory]) -> dict[str, dict[str, Any]]:
    """Return, by id, the record that stays of each erased memory: a hash of its space."""
    key = hash_key(scope.store, scope.now())
    return {each.id: {_SPACE: _hashed(key, each.space)} for each in doomed}


def _hashed(key: bytes, space: str) -> str:
    return hmac.new(key, b"space\0" + space.encode(), hashlib.sha256).hexdigest()[:32]
