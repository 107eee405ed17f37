"""States (keyed values): read one by its key, or write one in place of the former."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from memcli.errors import BadInput
from memcli.model import EVERYWHERE, State
from memcli.storage import Store, areas
from memcli.storage.digests import printed


def readable_states(
    store: Store, spaces: Sequence[str] | None, area: str, key: str | None = None
) -> Iterator[State]:
    """Yield the values of an area that have its shape, for readers that could not handle others.

    Misshapen ones are left out and named, like damaged rows. Code that only copies or erases values uses
    `store.states`, which yields all.
    """
    for state in store.states(spaces, area, key):
        if is_readable(state):
            yield state
        else:
            store.left_out[f"state {name_of(state)}"] = None


def is_readable(state: State) -> bool:
    """True if a value has the shape of its area."""
    from memcli.storage.records import check_value

    try:
        check_value(state.area, state.key, state.value)
    except BadInput:
        return False
    return True


def name_of(state: State) -> str:
    """Return the name of a value for people, by area and key."""
    return printed(f"{state.area}/{state.key}")


def read_state(store: Store, space: str, area: str, key: str) -> State | None:
    """Return one keyed value, expired or not; None if there is none. Its key may be in NFD (`spellings`)."""
    keys: tuple[str, ...] = (key,)
    if not key.isascii():
        from memcli.text.checks import spellings

        keys = spellings(key)
    found = (store.states((space,), area, each) for each in keys)
    return next((state for some in found for state in some), None)


def is_erasure_cut_off(store: Store) -> bool:
    """True if part of an erasure is still to do: asked at every opening, before anything else."""
    return any(store.states((EVERYWHERE,), areas.ERASURE.name))


def write_state(
    store: Store,
    space: str,
    area: str,
    key: str,
    value: Any,
    now: datetime,
    *,
    expires_at: datetime | None = None,
) -> None:
    """Write a value, of JSON types, replacing the one of that key; its version counts the changes.

    A value that depends on the former one is read and written inside one `store.writing()`.
    """
    with store.writing():
        before = read_state(store, space, area, key)
        store.put_state(
            State(
                space=space, area=area, key=before.key if before else key, value=value,
                version=before.version + 1 if before else 1,
                created_at=before.created_at if before else now, updated_at=now, expires_at=expires_at,
            )
        )  # fmt: skip
