"""Row reader for any engine: a damaged row is left out, and named."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from memcli.model import Event, Link, Memory, Ref, State
from memcli.storage.digests import STATE, printed
from memcli.storage.rows import (
    STATE_COLUMNS,
    UNREADABLE,
    event_from_row,
    is_sound,
    link_from_row,
    memory_from_row,
    state_from_row,
)

T = TypeVar("T")


class RowReader:
    """Turns rows into nouns, for every session of a store."""

    def __init__(self) -> None:
        self.left_out: dict[str, None] = {}

    def _memories(self, rows: Iterable[Any]) -> Iterator[Memory]:
        """Return the memories of rows of MEMORY_COLUMNS."""
        return self._made("memory", memory_from_row, rows)

    def _numbered(self, rows: Iterable[Any]) -> Iterator[tuple[Ref, Memory]]:
        """Return the memories of rows of MEMORY_COLUMNS, each preceded by its number."""
        return self._made("memory", _numbered_memory, rows, lambda row: row[1])

    def _read_links(self, rows: Iterable[Any]) -> Iterator[Link]:
        """Return the links of rows of LINK_COLUMNS."""
        return self._made("link", link_from_row, rows)

    def _read_states(self, rows: Iterable[Any]) -> Iterator[State]:
        """Return the keyed values of rows of STATE_COLUMNS and their digests."""
        return self._made("state", _checked_state, rows, lambda row: f"{row[1]}/{row[2]}")

    def _read_events(self, rows: Iterable[Any]) -> Iterator[Event]:
        """Return the history lines of rows of EVENT_COLUMNS, each preceded by its number."""
        return self._made("line of history", event_from_row, rows, lambda row: row[3])

    def _made(
        self,
        kind: str,
        make: Callable[[Any], T],
        rows: Iterable[Any],
        name: Callable[[Any], object] = lambda row: row[0],
    ) -> Iterator[T]:
        for row in rows:
            try:
                made = make(row)
            except UNREADABLE:
                self.left_out[f"{kind} {printed(name(row))}"] = None
                continue
            yield made


def _numbered_memory(row: Any) -> tuple[Ref, Memory]:
    return row[0], memory_from_row(row[1:])


def _checked_state(row: Any) -> State:
    """Return a keyed value from its row, checked by its digest, since its content has no typed columns."""
    if not is_sound(STATE, STATE_COLUMNS, row):
        raise ValueError("not what was written")
    return state_from_row(row[:-1])
