"""The part of a store that keeps its record: links, keyed values, history, and the clocks of records."""

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
    """How a clock names a keyed value."""
    return json.dumps([space, area, key], ensure_ascii=False, separators=(",", ":"))


class Clock(NamedTuple):
    """What is noted of a record for a sync; `memcli.sync.records.stamps` tells of `value`, of JSON types.

    `revision` counts what was noted in this store; `via` is the folder that the record
    came from, empty where it was changed here. `row` is the store's own.
    """

    kind: str
    key: str
    revision: int
    via: str
    value: dict[str, Any]
    row: str = ""


class Ledger(Protocol):
    """See `memcli.storage` for what all methods promise."""

    # Links, state, history

    def put_links(self, links: Iterable[Link]) -> int:
        """Add links, or replace those with the same id; returns how many were new or changed."""

    def links(
        self, spaces: Sequence[str] | None = None, touching: Sequence[str] | None = None
    ) -> Iterator[Link]:
        """Links, ended ones too, by id; with `touching` those that begin or end at one of these names.

        Names are compared as `text.names.spelling_key` does: however they are written.
        """

    def has_links(self, space: str) -> bool:
        """Whether a space has any link, ended ones too."""

    def links_by_id(self, ids: Sequence[str]) -> list[Link]:
        """The links with these ids, by id; unknown ones are left out."""

    def drop_links(self, ids: Sequence[str]) -> int:
        """Remove links with their record, for good; how many were there."""

    def put_state(self, state: State, expected_version: int | None = None) -> bool:
        """Write a keyed value; with `expected_version` only if that is the one in force.

        0 means: only if there is none. Returns whether it was written.
        """

    def states(
        self, spaces: Sequence[str] | None = None, area: str | None = None, key: str | None = None
    ) -> Iterator[State]:
        """Keyed values, expired ones too, by space, area and key."""

    def drop_state(self, space: str, area: str, key: str) -> bool:
        """Remove one keyed value; whether it was there."""

    def drop_states(self, area: str, before: datetime) -> int:
        """Remove the values of an area that expired before an instant."""

    def history(
        self,
        memory: str | None = None,
        *,
        change: str | None = None,
        action: str | None = None,
        after: int | None = None,
        newest_first: bool = False,
    ) -> Iterator[Event]:
        """Changes on record, of one memory or all, by the change's id or action, or with a number after one.

        Lazy: read it before writing.
        """

    def put_history(self, events: Iterable[Event]) -> int:
        """Take over the record of another store; how many were new.

        An event is here already where one has its memory, instant, action and change; of
        several alike, which one change may have made, each counts.
        """

    def copy_history(self, events: Iterable[Event]) -> None:
        """Write lines of history with their numbers, in place of those: where a whole store is copied."""

    def rewrite_history(self, events: Iterable[Event]) -> None:
        """Put lines in place of those with their numbers: for what an erasure takes out of them."""

    def drop_history(self, memories: Sequence[str]) -> None:
        """Take out every line about these memories, which are not here themselves. Follow it by `scrub`."""

    def as_of(self, at: datetime) -> AbstractContextManager[None]:
        """Inside, memories, links and history are as they stood at an instant.

        Rebuilt from the record, so without what was erased since. Nothing that
        is written inside stays, and others wait to write until it ends.
        """

    def may_go_back(self) -> bool:
        """Whether `as_of` is to be had here: who may change all that it reads has it. Else `scratch`."""

    # Clocks: `kind` is `memory`, `link` or `state`, `key` its id, of a state JSON [space, area, key]

    def clocks(self, kind: str, keys: Sequence[str]) -> dict[str, Clock]:
        """The clocks of these records, by key; who has none is left out."""

    def clocks_since(self, revision: int) -> Iterator[Clock]:
        """Clocks that were noted after a revision, in that order. Lazy: read it before writing."""

    def clock_revision(self) -> int:
        """The highest revision so far; 0 where nothing was noted."""

    def unclocked(self, kind: str, besides: Collection[str] = ()) -> tuple[list[str], list[str]]:
        """Keys of records that are not as their clocks have noted them, or have none; and of those gone.

        Of states without these areas.
        """

    def is_clocked(self, kind: str, keys: Sequence[str]) -> set[str]:
        """Which of these records (by key) are as their clocks have noted them."""

    def is_sound(self, kind: str, keys: Sequence[str]) -> set[str]:
        """Which of these records (by key) have undamaged rows; a sync passes the others on to nobody."""

    def put_clocks(self, clocks: Iterable[Clock]) -> None:
        """Note clocks, in place of those before; the row is noted as it is now."""

    def drop_clocks(self, kind: str, keys: Iterable[str]) -> None:
        """Remove clocks."""
