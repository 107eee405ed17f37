"""Lost values: a keyed value changed on two machines keeps the later version; the other is kept aside."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any

from memcli.model import State, new_state
from memcli.named_tuple import NamedTuple
from memcli.scope import Scope
from memcli.storage import areas
from memcli.sync.records.merge import Record, conflict
from memcli.times import from_iso, to_iso


class Lost(NamedTuple):
    """A replaced value: its name, when it was written, and since when it is kept aside."""

    space: str
    area: str
    key: str
    value: Any
    written: datetime
    replaced: datetime


def is_owners_loss(state: State, own: Record, later: Record) -> bool:
    """True if the owner wrote a value, and the writer of its replacement had not seen it."""
    return areas.area_named(state.area).content is areas.Content.OWNERS and conflict(own, later)


def keep_lost(scope: Scope, state: State) -> None:
    """Keep a value that is about to be replaced aside, for as long as ended memories can be restored."""
    now = scope.now()
    value = {"area": state.area, "key": state.key, "value": state.value, "written": to_iso(state.updated_at)}
    expires = now + timedelta(seconds=scope.config["purge_after"])
    kept = new_state(state.space, areas.SYNC_LOST.name, scope.new_id(now), value, now, expires)
    scope.store.put_state(kept)


def lost_values(scope: Scope, spaces: Sequence[str] | None) -> Iterator[Lost]:
    """Yield the values kept aside in these spaces (None: all), by space, oldest first."""
    for state in scope.store.states(spaces, areas.SYNC_LOST.name):
        value = state.value
        yield Lost(
            state.space,
            value["area"],
            value["key"],
            value["value"],
            from_iso(value["written"]),
            state.updated_at,
        )
