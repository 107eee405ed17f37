"""Keyed values as of an instant: blocks keep their texts with times; for others the last change is known.

A value that did not exist yet is taken out. One that has changed since, with no record of its former
content, is taken out and named.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from memcli.errors import BadInput
from memcli.model import EVERYWHERE, State
from memcli.storage import Store, areas
from memcli.storage.areas import Content
from memcli.storage.states import name_of
from memcli.times import from_iso


def take_values_back(store: Store, at: datetime, spaces: Sequence[str] | None) -> list[str]:
    """Set the values of these spaces (None: all) and the rules to what they were at an instant.

    Returns the names of those that are left out though they existed. Called inside a transaction that is
    rolled back.
    """
    left_out = []
    for state in list(store.states(None if spaces is None else (*spaces, EVERYWHERE))):
        area = areas.area_named(state.area)
        # Store-wide working data, such as the calibrated floor and the forgotten hashes, stays as it is.
        if state.updated_at <= at or not area.travels or not (area.in_spaces or area.rolls_back):
            continue
        then = None if state.created_at > at else _as_of(state, at)
        if then == state:
            continue
        if then is None:
            store.drop_state(state.space, state.area, state.key)
        else:
            store.put_state(then)
        if then is None and state.created_at <= at and area.content is not Content.BOOKKEEPING:
            left_out.append(name_of(state))
    return left_out


def _as_of(state: State, at: datetime) -> State | None:
    """Return an existing value that has changed since as it was; None if that is not recorded."""
    if state.area == areas.BLOCK.name:
        return _block_as_of(state, at)
    area = areas.area_named(state.area)
    if not area.rolls_back:
        return state
    # Bookkeeping, such as the start of a session, stays valid; the current task of a session does not.
    keeps = area.content is Content.BOOKKEEPING and state.area != areas.SESSION_AT_HAND.name
    return state if keeps else None


def _block_as_of(state: State, at: datetime) -> State | None:
    """Return a block with its texts up to an instant; None if the one of that time is no longer kept."""
    try:
        versions = [each for each in state.value["versions"] if from_iso(each["at"]) <= at]
    except (KeyError, TypeError, ValueError, BadInput):
        return None
    if not versions:
        return None
    return state._replace(
        value={**state.value, "versions": versions}, updated_at=from_iso(versions[-1]["at"])
    )
