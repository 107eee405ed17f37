"""What a store promises, whichever database keeps it.

The contract is narrow because every backend pays for it once more: generic
records in and out, and nothing with a domain name. Everything that memcli
knows about procedures, tasks or policies is written above it.

- A write is all or nothing, on disk when the call returns, and on record:
  `put` writes row, words, vectors and history in one transaction. Several
  calls inside `with store.writing():` are one transaction, and what is read
  inside is not changed by others until it ends.
- A store that may only be read answers all that asks; a write raises ReadOnlyStore.
- A row that is damaged beyond reading is left out, and named (`left_out`): it ends no answer.
  In one that was found damaged (`flag`) a write raises FlaggedStore.
- Busy neighbours are waited for (`busy_timeout`), then StoreBusy is raised.
- Texts are data: no method takes query syntax.
- Slow work (embedding, calling an LLM) is done before a transaction is opened.
- Methods raise errors of `memcli.errors` only.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from memcli.errors import NotFound, StoreUnusable
from memcli.model import (
    Change,
    Event,
    Filter,
    Link,
    Match,
    Memory,
    ModelIdentity,
    Order,
    Ref,
    State,
)

if TYPE_CHECKING:
    from memcli.errors import ReadOnlyStore
    from memcli.storage.known_copies import CopyKind, StoreCopy
    from memcli.text.words import Term

# Hears how many bytes are written, and of how many.
Progress = Callable[[int, int], None]

# The little-endian float32 values of a vector, in order.
Vector = bytes


# The vectors of one memory by one model: one a window of its text.
Vectors = Sequence[Vector]


class Beginning(tuple[Vector, ...]):
    """The vectors of a text's first windows: those of the rest are *wanting*."""

    __slots__ = ()


class Finding(NamedTuple):
    """One line of a check-up: what was looked at, whether it is well, and what to do."""

    name: str
    ok: bool
    detail: str
    remedy: str = ""
    damage: bool = False
    """Whether the file is not what memcli wrote: then nothing is written to it until that is mended."""
    rows: tuple[str, ...] = ()
    """Of damaged rows each one's kind and name."""


class Repair(NamedTuple):
    """What was done to mend a store; rows by kind and name."""

    mended: tuple[str, ...] = ()
    """Are as they were written again, as their digest proves."""
    recovered: tuple[str, ...] = ()
    """Were gone, and are as the record of their changes tells them."""
    doubtful: tuple[str, ...] = ()
    """Stand as they were found: nothing proves what they said."""
    accepted: tuple[str, ...] = ()
    """Were taken as they were found, for the owner insisted."""
    lost: tuple[str, ...] = ()
    rebuilt: bool = False
    """Whether what is derived was made anew."""
    salvaged: bool = False
    """Whether a new file has taken the place of the damaged one."""
    set_aside: Path | None = None
    """The damaged file, as it was."""


class ErasedRows(NamedTuple):
    """So many rows of one part of the store were erased."""

    part: str
    rows: int


class Trace(NamedTuple):
    """Something that should be gone and is still at `place`; `needle` is its number, or a word."""

    place: str
    needle: int | str


class CopyErasure(NamedTuple):
    """What came of erasing from one copy of a store."""

    path: Path
    error: str | None
    """Why it may still hold what was erased; None where it is proven not to."""
    state: str = ""
    """By what a proven copy is known again, as long as nobody changes it."""


# The space, area and key of a keyed value.
StateName = tuple[str, str, str]


class Erasure(NamedTuple):
    """What goes from the copies of a store, and what is there as it is in the store by now."""

    ids: Sequence[str] = ()
    """Of memories and links."""
    states: Sequence[StateName] = ()
    spaces: Sequence[str] = ()
    """All links and keyed values of these."""
    events: Sequence[Event] = ()
    """Lines of history, rewritten; what was given as the reason of such a memory's end goes, too."""
    links: Sequence[Link] = ()
    memories: Sequence[Memory] = ()
    """Of these, and of the links, what stands in `data`; of memories `origin`, too."""


def state_key(space: str, area: str, key: str) -> str:
    """How a clock names a keyed value."""
    return json.dumps([space, area, key], ensure_ascii=False, separators=(",", ":"))


class Clock(NamedTuple):
    """What is noted of a record for a sync: see `memcli.sync.stamping` for its `value`, of JSON types.

    `revision` counts what was noted in this store; `via` is the folder that the record
    came from, empty where it was changed here. `row` is the store's own.
    """

    kind: str
    key: str
    revision: int
    via: str
    value: dict[str, Any]
    row: str = ""


class Store(Protocol):
    """A store of memories. See the module's promises."""

    location: str
    """Where it is, for messages: a path or an address without its password."""

    left_out: dict[str, None]
    """What was to be read and is too damaged for that, by kind and name: answers are without it."""

    hindrance: ReadOnlyStore | None
    """What a write raises where this process may not; a StoreFull where there is no room."""

    def close(self) -> None:
        """Let go of the file; the store cannot be used afterwards."""

    def writing(self, patience: float | None = None) -> AbstractContextManager[None]:
        """One transaction around several calls; nests. Rolled back on any exception.

        With `patience` (seconds) it waits no longer than that for neighbours and
        may be lost in a power cut: for notes of use, which are worth neither.
        """

    def discarding(self) -> AbstractContextManager[None]:
        """One transaction of which nothing stays: what is written inside is there until it ends.

        Works on a store that may only be read, too. Others wait to write until it ends.
        """

    def giving_way(self) -> AbstractContextManager[None]:
        """Inside, whoever else writes is let in between transactions, however many follow each other."""

    def revision(self) -> int:
        """A number that is another one once somebody else has written, and stays inside `writing()`.

        What oneself writes does not count. For slow reading before a transaction, which then
        looks whether all is as it was read.
        """

    # Memories

    def put(
        self,
        memories: Iterable[Memory],
        change: Change | None,
        at: datetime,
        vectors: Mapping[str, Vectors] | None = None,
    ) -> int:
        """Add memories, or replace those with the same id; each change goes on record.

        Only where the record itself is brought along (`put_history`) is
        `change` None.

        `vectors` are those of the model in use, by memory id; a memory that is new,
        or whose text changes, is *wanting* until it has them to its end.
        Returns how many memories were new or changed.
        """

    def get(self, ids: Sequence[str]) -> list[Memory]:
        """The memories with these ids, in this order; unknown ids are left out."""

    def find_ids(self, fragment: str, limit: int, spaces: Sequence[str] | None = None) -> list[str]:
        """Ids that begin or end with a canonical fragment, oldest first; with `spaces` of memories there."""

    def select(self, where: Filter, *, order: Order = "newest", limit: int | None = None) -> Iterator[Memory]:
        """The memories meant, in order of creation or last use. Lazy: read it before writing."""

    def count(self, where: Filter) -> list[tuple[str, str, int]]:
        """How many are meant, as (space, kind, number), sorted."""

    def touch(self, ids: Sequence[str], at: datetime) -> None:
        """Note a use of these memories: count and instant. No change, so not on record."""

    # Search. What is found is named by its number in this store, see `Ref`.

    def refs_by_term(self, terms: Sequence[Term], where: Filter) -> list[frozenset[Ref]]:
        """For each term, the memories whose words contain it (a phrase: side by side)."""

    def spelled_like(self, word: str, limit: int) -> list[str]:
        """Indexed words that begin with a folded `word` or are a letter or two from it, closest first.

        They may come stemmed, and from any space: search for them again.
        """

    def nearest(self, vector: Vector, where: Filter, limit: int) -> list[Match]:
        """Memories by cosine of their nearest window to `vector`, exact, best first."""

    def memories_by_ref(self, refs: Sequence[Ref]) -> dict[Ref, Memory]:
        """The memories with these numbers; those that are gone are left out."""

    def refs_by_id(self, ids: Sequence[str]) -> dict[str, Ref]:
        """The numbers of memories; unknown ids are left out."""

    def filter_refs(self, refs: Sequence[Ref], where: Filter) -> set[Ref]:
        """Which of these a filter means."""

    def sessions(self, refs: Sequence[Ref]) -> list[list[Ref]]:
        """The sessions in which these memories stand, in time order.

        Each whole, but for ended memories and those merged of others: a summary
        says again what its neighbours said, and was not said between them.
        """

    def vectors(self, refs: Sequence[Ref]) -> dict[Ref, Vectors]:
        """The vectors of the model in use, of the long a `Beginning`; who has none is left out."""

    def each_vector(self, where: Filter) -> Iterator[tuple[Ref, Vector]]:
        """Every vector of the memories meant, by number. Lazy: read it before writing."""

    def sample_vectors(self, where: Filter, size: int) -> list[Vector]:
        """Up to `size` vectors of texts, spread evenly over the store, always the same ones."""

    # Links, state, history

    def put_links(self, links: Iterable[Link]) -> int:
        """Add links, or replace those with the same id; returns how many were new or changed."""

    def links(
        self, spaces: Sequence[str] | None = None, touching: Sequence[str] | None = None
    ) -> Iterator[Link]:
        """Links, ended ones too, by id; with `touching` those that begin or end at one of these names.

        Names are compared as `text.names.spelling_key` does: however they are written.
        """

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
        after: int | None = None,
        newest_first: bool = False,
    ) -> Iterator[Event]:
        """Changes on record, of one memory or all, by the change's id, or with a number after one.

        Lazy: read it before writing.
        """

    def put_history(self, events: Iterable[Event]) -> int:
        """Take over the record of another store; how many were new.

        An event is here already where one has its memory, instant, action and change; of
        several alike, which one change may have made, each counts.
        """

    def rewrite_history(self, events: Iterable[Event]) -> None:
        """Put lines in place of those with their numbers: for what an erasure takes out of them."""

    def as_of(self, at: datetime) -> AbstractContextManager[None]:
        """Inside, memories, links and history are as they stood at an instant.

        Rebuilt from the record, so without what was erased since. Nothing that
        is written inside stays, and others wait to write until it ends.
        """

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
        """Those of these records that are as their clocks have noted them."""

    def is_sound(self, kind: str, keys: Sequence[str]) -> set[str]:
        """Those of these records whose rows are as they were written; of the others nobody should be told."""

    def put_clocks(self, clocks: Iterable[Clock]) -> None:
        """Note clocks, in place of those before; the row is noted as it is now."""

    def drop_clocks(self, kind: str, keys: Iterable[str]) -> None:
        """Remove clocks."""

    # Forgetting for good

    def erase(
        self,
        ids: Sequence[str],
        change: Change,
        at: datetime,
        marks: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> list[ErasedRows]:
        """Take memories out of every table, index and record; on record is only that it was done.

        By id `marks` go on record beside that. One transaction. Links that rest
        on them go too. Follow it by `scrub`.
        """

    def scrub(self, *, thoroughly: bool = False, patience: float | None = None) -> None:
        """Overwrite what deleted things left behind in indexes, logs and unused parts of the files.

        `thoroughly` writes the whole store anew. Raises StoreBusy where a reader
        holds on to an older state for longer than `patience` (seconds; None: the busy
        timeout), StoreUnusable.
        """

    def traces(self, needles: Sequence[bytes], terms: Sequence[str]) -> list[Trace]:
        """Where byte strings stand in any file of the store, and which words are in an index.

        Both as stored; what live content explains is left out.
        """

    def erase_from_copies(
        self, erasure: Erasure, *, proven: Mapping[str, str] | None = None, patience: float | None = None
    ) -> list[CopyErasure]:
        """Erase and scrub in every copy of the store, and look whether it is gone there.

        Left out are those that are `proven` already (`state` by path). Where a copy
        is being made, all wait for it as `scrub` does. Raises nothing for one copy.
        """

    # Derived data

    def model(self) -> ModelIdentity | None:
        """The model whose vectors are searched; None while nothing was embedded."""

    def use_model(self, model: ModelIdentity) -> None:
        """Search this model's vectors from now on, and drop those of all others."""

    def without_vectors(self, model: ModelIdentity, limit: int) -> list[Memory]:
        """Memories that have no vectors of this model yet, or not to their end, oldest first."""

    def wanting(self, where: Filter, limit: int | None = None) -> list[Ref]:
        """What of the memories meant the model in use has not read, or not to its end; newest first."""

    def put_vectors(self, model: ModelIdentity, vectors: Mapping[str, Vectors]) -> None:
        """Keep vectors beside those of the model in use; ids that are gone are left out."""

    def rebuild(self) -> None:
        """Make tags, words and the names of links anew (vectors are the caller's work)."""

    # Upkeep

    def check(self) -> Iterator[Finding]:
        """Look the store over: driver, schema, integrity, derived data against memories."""

    def damaged(
        self, spaces: Sequence[str] | None = None, *, history: bool = True, vectors: bool = True
    ) -> Iterator[str]:
        """The rows (in these spaces) that are not as they were written, by kind and name."""

    def flag(self, found: Iterable[str]) -> None:
        """Note durably that the store is damaged: nobody writes to it then, unless by `force`."""

    def clear_flag(self) -> None:
        """The store is found well, or mended: it may be written to."""

    def sizes(self) -> dict[str, int]:
        """Bytes on disk by part; `total` is everything."""

    def tend(self) -> bool:
        """One short step of tidying indexes and unused space; whether another would find more to do."""

    def back_up(self, at: datetime) -> Path:
        """Write a verified copy, readable by the owner alone, that opens like the store itself.

        Raises StoreUnusable where it cannot be made, StoreDamaged where it does not pass its check.
        """

    def backups(self) -> dict[Path, datetime]:
        """The copies that `back_up` made and that are still there, with when, oldest first."""

    def make_copy(self, kind: CopyKind, label: str, at: datetime, progress: Progress | None = None) -> Path:
        """The same of any kind, by this label, which no other copy of the kind has."""

    def copy_to(self, path: Path, at: datetime, progress: Progress | None = None) -> None:
        """Write such a copy to a file elsewhere, in place only of a copy of this store.

        On record from before its first byte, unless the store may only be read. Raises
        BadInput where something else stands there.
        """

    def drop_copy(self, path: Path) -> None:
        """Remove a copy of the store, and its record. Raises StoreUnusable."""

    def copies(self) -> list[StoreCopy]:
        """Every copy of the store, by path, unfinished ones and those elsewhere too, there or not."""

    def note_copy(self, path: Path, kind: CopyKind, at: datetime) -> None:
        """Put on record that a copy stands elsewhere than beside the store; before it is made."""

    def forget_copy(self, path: Path) -> bool:
        """Drop the record of a copy elsewhere; whether there was one."""


def open_store(
    location: Path, *, create: bool = True, busy_timeout: float = 15.0, force: bool = False
) -> Store:
    """Open the store at `location`, made (or brought up to date) where needed.

    With `force` one that is flagged as damaged is written to all the same.
    Raises NotFound with `create=False` where there is none, StoreUnusable
    otherwise. Backends are imported on demand.
    """
    from memcli.storage.sqlite import SqliteStore

    return SqliteStore(location, create=create, busy_timeout=busy_timeout, force=force)


def copies_beside(location: Path) -> list[StoreCopy]:
    """The copies beside a store, by path, whether it can be opened or not."""
    from memcli.storage.known_copies import Records
    from memcli.storage.sqlite.copies import find_copies

    return find_copies(location, Records({}, ()))


def open_copy(path: Path, *, busy_timeout: float = 15.0) -> Store:
    """Open a copy of a store to look at it: it stays as it is, also where its schema is older.

    Raises NotFound, StoreUnusable.
    """
    from memcli.storage.sqlite import SqliteStore

    return SqliteStore(path, create=False, busy_timeout=busy_timeout, is_copy=True)


class RestoredStore(NamedTuple):
    """What became of the store in whose place a copy was put: kept at `kept`; None where there was none."""

    kept: Path | None
    was_damaged: bool = False
    knows_erased: bool = True
    """Whether what had been forgotten for good was known, and taken out of the copy."""


def restore_store(
    location: Path,
    copy: Path,
    at: datetime,
    settle: Callable[[Store | None, Store], Erasure],
    *,
    busy_timeout: float = 15.0,
    force: bool = False,
) -> RestoredStore:
    """Put a copy in the place of the store at `location`, which is kept beside it first.

    The copy stays as it is. `settle` is given the store as it stands (None where there is
    none that can be read) and the one that will: it writes into that what stays of the
    former, and says what has to go from it. Who has the store open sees all of it at
    once. Killed at any instant, the store is as it was or as it shall be. Raises
    NotFound, StoreUnusable where the copy is no sound store, and nothing was changed;
    WrongKey where no key opens the store at `location`, which `force` sets aside.
    """
    from memcli.storage.sqlite.restoring import restore

    return restore(location, copy, at, settle, busy_timeout=busy_timeout, force=force)


def repair_store(location: Path, at: datetime, *, accept: bool = False, busy_timeout: float = 15.0) -> Repair:
    """Mend what of the store at `location` can be mended, whether it can be opened or not.

    With `accept` rows of which nothing proves what they said are taken as they are, and those that
    cannot be read are dropped. A damaged file is set aside before it is changed. Raises StoreUnusable
    where nothing can be salvaged; then nothing was changed.
    """
    from memcli.storage.sqlite.repair import repair

    return repair(location, at, accept=accept, busy_timeout=busy_timeout)


def flag_store(location: Path, found: Iterable[str]) -> None:
    """Note durably that the store at `location`, which cannot even be opened, is damaged."""
    from memcli.storage.sqlite.damage import flag

    flag(location, found)


@contextmanager
def scratch_copy(location: Path, *, busy_timeout: float = 15.0) -> Iterator[Store]:
    """A copy of the store at `location`, to be written and thrown away; the store itself stays untouched.

    Raises NotFound where there is none, StoreUnusable.
    """
    import tempfile

    from memcli.storage.sqlite.copy import private_copy, remove_copy

    if not location.exists():
        raise NotFound(f"{location}: no store there")
    copy = private_copy(location, busy_timeout, Path(tempfile.gettempdir()))
    try:
        try:
            store = open_store(copy, create=False, busy_timeout=busy_timeout)
        except StoreUnusable as error:
            raise type(error)(str(error).replace(str(copy), str(location))) from error
        try:
            yield store
        finally:
            store.close()
    finally:
        remove_copy(copy)
