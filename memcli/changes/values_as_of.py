"""Keyed values as they stood: a block's texts are kept with their times; of others, when they changed last.

What was not there yet is taken out; and so, but named, is what has changed since without a record of how
it was.
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
    """Make the values of these spaces (None: of all) and the rules what they were at an instant.

    Returns the names of those that are left out though they were there. Called inside a transaction
    that is undone.
    """
    left_out = []
    for state in list(store.states(None if spaces is None else (*spaces, EVERYWHERE))):
        area = areas.area_named(state.area)
        # What the whole store works by, as its floor and what it forgot, is as it is.
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
    """A value that was there and has changed since, as it was; None where nothing tells."""
    if state.area == areas.BLOCK.name:
        return _block_as_of(state, at)
    area = areas.area_named(state.area)
    if not area.rolls_back:
        return state
    # When a session or a long task was begun is known as well as ever; what was at hand is not.
    keeps = area.content is Content.BOOKKEEPING and state.area != areas.SESSION_AT_HAND.name
    return state if keeps else None


def _block_as_of(state: State, at: datetime) -> State | None:
    """A block with its texts up to then; None where the one of that time is no longer kept."""
    try:
        versions = [each for each in state.value["versions"] if from_iso(each["at"]) <= at]
    except (KeyError, TypeError, ValueError, BadInput):
        return None
    if not versions:
        return None
    return state._replace(
        value={**state.value, "versions": versions}, updated_at=from_iso(versions[-1]["at"])
    )
