"""Ledger: the part of a store's contract about links, keyed values, history, and the clocks of records."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Any, Protocol

from memcli.model import Event, Link, State
from memcli.named_tuple import NamedTuple

# The space, area and key of a keyed value.
StateName = tuple[str, str, str]


def state_key(space: str, area: str, key: str) -> str:
    """Return the name of a keyed value in clocks."""
    return json.dumps([space, area, key], ensure_ascii=False, separators=(",", ":"))


class Clock(NamedTuple):
    """The sync clock of a record; see `memcli.sync.records.stamps` for `value`, of JSON types.

    `revision` counts the notes of this store; `via` is the folder that the record came from, empty if it
    was changed here. `row` is the store's own.
    """

    kind: str
    key: str
    revision: int
    via: str
    value: dict[str, Any]
    row: str = ""


class Ledger(Protocol):
    """Links, state, history, clocks. See `memcli.storage` for the promises of all methods."""

    # Links, state, history

    def put_links(self, links: Iterable[Link]) -> int:
        """Add links, or replace those with the same id; return how many were new or changed."""

    def links(
        self, spaces: Sequence[str] | None = None, touching: Sequence[str] | None = None
    ) -> Iterator[Link]:
        """Yield links, ended ones too, by id; with `touching` those that begin or end at one of these names.

        Names are compared as by `text.names.spelling_key`, however they are written.
        """

    def has_links(self, space: str) -> bool:
        """True if a space has any link, ended ones too."""

    def links_by_id(self, ids: Sequence[str]) -> list[Link]:
        """Return the links with these ids, by id; unknown ones are left out."""

    def drop_links(self, ids: Sequence[str]) -> int:
        """Delete links with their record, for good; return how many there were."""

    def put_state(self, state: State, expected_version: int | None = None) -> bool:
        """Write a keyed value; with `expected_version` only if that is the current one.

        0 means: only if there is none. Returns True if it was written.
        """

    def states(
        self, spaces: Sequence[str] | None = None, area: str | None = None, key: str | None = None
    ) -> Iterator[State]:
        """Yield keyed values, expired ones too, by space, area and key."""

    def drop_state(self, space: str, area: str, key: str) -> bool:
        """Delete one keyed value; return True if it existed."""

    def drop_states(self, area: str, before: datetime) -> int:
        """Delete the values of an area that expired before an instant; return how many."""

    def history(
        self,
        memory: str | None = None,
        *,
        change: str | None = None,
        action: str | None = None,
        after: int | None = None,
        newest_first: bool = False,
    ) -> Iterator[Event]:
        """Yield recorded changes, of one memory or all, by the change's id or action, or after a number.

        Lazy: read it before writing.
        """

    def put_history(self, events: Iterable[Event]) -> int:
        """Add history lines of another store; return how many were new.

        A line is known if one has its memory, instant, action and change; of several equal ones, which one
        change may have made, each counts.
        """

    def copy_history(self, events: Iterable[Event]) -> None:
        """Write history lines with their numbers, replacing those: for copying a whole store."""

    def rewrite_history(self, events: Iterable[Event]) -> None:
        """Replace the lines with these numbers: for what an erasure removes from them."""

    def drop_history(self, memories: Sequence[str]) -> None:
        """Delete every line about these memories, which are not in the store. Call `scrub` afterwards."""

    def as_of(self, at: datetime) -> AbstractContextManager[None]:
        """Inside, memories, links and history are as of an instant.

        Rebuilt from the history, so without what was erased since. Nothing written inside is kept, and
        other writers wait until it ends.
        """

    def may_go_back(self) -> bool:
        """True if `as_of` works here: it needs the right to change all it reads. Else use `scratch`."""

    # Clocks: `kind` is `memory`, `link` or `state`; `key` is its id, for a state JSON [space, area, key]

    def clocks(self, kind: str, keys: Sequence[str]) -> dict[str, Clock]:
        """Return the clocks of these records, by key; those without one are left out."""

    def clocks_since(self, revision: int) -> Iterator[Clock]:
        """Yield the clocks noted after a revision, in that order. Lazy: read it before writing."""

    def clock_revision(self) -> int:
        """Return the highest revision so far; 0 if there is none."""

    def unclocked(self, kind: str, besides: Collection[str] = ()) -> tuple[list[str], list[str]]:
        """Return the keys of records that differ from their clocks, or have none; and of those gone.

        States without these areas.
        """

    def is_clocked(self, kind: str, keys: Sequence[str]) -> set[str]:
        """Return which of these records (by key) are unchanged since their clocks were written."""

    def is_sound(self, kind: str, keys: Sequence[str]) -> set[str]:
        """Return which of these records (by key) have undamaged rows; a sync sends only those."""

    def put_clocks(self, clocks: Iterable[Clock]) -> None:
        """Write clocks, replacing earlier ones, with the fingerprint of the current row."""

    def drop_clocks(self, kind: str, keys: Iterable[str]) -> None:
        """Delete clocks."""
