"""Keyed values: one looked up by its key, one written in place of the one before."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from memcli.model import State
from memcli.storage import Store


def read_state(store: Store, space: str, area: str, key: str) -> State | None:
    """One keyed value, expired or not; None where there is none."""
    return next(store.states((space,), area, key), None)


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
    """Write a value, of JSON types, in place of the one of that key; its version counts the changes.

    A value that depends on the one before is read and written inside one `store.writing()`.
    """
    with store.writing():
        before = read_state(store, space, area, key)
        store.put_state(
            State(
                space=space, area=area, key=key, value=value,
                version=before.version + 1 if before else 1,
                created_at=before.created_at if before else now, updated_at=now, expires_at=expires_at,
            )
        )  # fmt: skip
