"""Storage: the contract that every store fulfils, whichever database keeps it.

The contract is narrow because every backend has to implement it: generic records in and out, and nothing
with a domain name. Everything that memcli knows about procedures, tasks or policies is written above it.

- A write is atomic, durable when the call returns (or an error says that the outcome is unknown: a server
  was lost in the middle of a commit, and cannot be asked), and on record:
  `put` writes row, words, vectors and history in one transaction. Several
  calls inside `with store.writing():` are one transaction, and what is read
  inside is not changed by others until it ends.
- A read-only store answers every query; a write raises ReadOnlyStore.
- A row that is damaged beyond reading is left out, and named (`left_out`), without failing the query.
  In a store that was found damaged (`flag`) a write raises FlaggedStore.
- Other processes are waited for (`busy_timeout`), then StoreBusy is raised.
- Texts are data: no method takes query syntax.
- Slow work (embedding, calling an LLM) is done before a transaction is opened.
- Methods raise errors of `memcli.errors` only.

`Store` is the whole of it; its parts about the record (`ledger`) and about the file as a whole (`upkeep`)
have modules of their own. `stores` opens one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from memcli.model import Change, Filter, Match, Memory, ModelIdentity, Order, Ref
from memcli.storage.ledger import Ledger
from memcli.storage.upkeep import Upkeep

if TYPE_CHECKING:
    from memcli.errors import ReadOnlyStore
    from memcli.storage.listener import Listener
    from memcli.storage.walls import Role, Walls
    from memcli.text.words import Term

# The little-endian float32 values of a vector, in order. A store may round them to 16 bits each and return
# the rounded values; cosines are then right to three decimals.
Vector = bytes

# A word to search for: a memory holds it if it holds any of these terms.
Word = tuple["Term", ...]

# The vectors of one memory by one model: one for each window of its text.
Vectors = Sequence[Vector]


class Beginning(tuple[Vector, ...]):
    """The vectors of a text's first windows only: those of the others are *wanting*."""

    __slots__ = ()


class Store(Ledger, Upkeep, Protocol):
    """A store of memories. See the promises in the module's docstring."""

    location: str
    """The location of the store, for messages: a path, or an address without its password."""

    @property
    def path(self) -> Path | None:
        """The file, by the name it was opened by; None if a server keeps it."""

    role: Role | None
    """The role by which its server knows this process; None for a file."""

    left_out: dict[str, None]
    """Rows that are too damaged to read, by kind and name: answers are without them."""

    forced: bool
    """True if the owner insists: then it is written to even if it was found damaged."""

    hindrance: ReadOnlyStore | None
    """The error that a write raises if this process may not write; a StoreFull if there is no room."""

    def close(self) -> None:
        """Close the store; it cannot be used afterwards."""

    def writing(self, patience: float | None = None) -> AbstractContextManager[None]:
        """One transaction around several calls; nests. Rolled back on any exception.

        With `patience` (seconds) it waits no longer than that for other processes, and the commit may be
        lost in a power cut: for recording uses, which are worth neither.
        """

    def discarding(self) -> AbstractContextManager[None]:
        """One transaction that is rolled back: what is written inside is visible until it ends.

        Also works on a read-only file (on a server it needs the right to write). Other writers wait until
        it ends.
        """

    def reading(self) -> AbstractContextManager[None]:
        """Inside, everything is read as of one instant, and others may write. Writing here is an error."""

    def giving_way(self) -> AbstractContextManager[None]:
        """Inside, waiting writers get their turn between transactions, however many follow each other."""

    def alone(
        self,
        errand: str,
        *,
        busy: str,
        patience: float | None = None,
        waiting: Callable[[str], None] = lambda line: None,
    ) -> AbstractContextManager[int | None]:
        """Hold the lock of an errand of `memcli.storage.errands`: one process at a time, on whichever
        machine.

        Others are waited for up to `patience` seconds (None: for ever); `waiting` is then called once with
        `busy`, and after that StoreBusy is raised with it. The lock ends with its holder, however that
        ends. Yields a descriptor that a child process may inherit to keep the lock; None if there is none.
        """

    def is_under_way(self, errand: str) -> bool:
        """True if some process holds the lock of that errand now; does not wait."""

    def walls(self) -> Walls | None:
        """Return what restricts the server's roles to spaces; None for a file."""

    def listening(self) -> AbstractContextManager[Listener | None]:
        """Inside, the store's server notifies of every write; yields None if one has to poll."""

    def place(self) -> dict[str, str]:
        """Return what distinguishes this store from a copy of it: `host`, `path`, `file`, `machine`; may be
        empty.
        """

    def revision(self) -> int:
        """Return a number that changes when somebody else has written, and stays inside `writing()`.

        Own writes do not count. For slow reading before a transaction, which then checks that all is as it
        was read.
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

        `change` is None only if the history itself is brought along (`put_history`).

        `vectors` are those of the model in use, by memory id; a memory that is new, or whose text changes,
        is *wanting* until it has all its vectors. Returns how many memories were new or changed.
        """

    def get(self, ids: Sequence[str]) -> list[Memory]:
        """Return the memories with these ids, in this order; unknown ids are left out."""

    def find_ids(self, fragment: str, limit: int, spaces: Sequence[str] | None = None) -> list[str]:
        """Return ids that begin or end with a canonical fragment, oldest first; with `spaces` only from
        there.
        """

    def select(self, where: Filter, *, order: Order = "newest", limit: int | None = None) -> Iterator[Memory]:
        """Yield the memories that match, in order of creation or last use. Lazy: read it before writing."""

    def count(self, where: Filter) -> list[tuple[str, str, int]]:
        """Return how many match, as (space, kind, number), sorted."""

    def touch(self, ids: Sequence[str], at: datetime) -> None:
        """Record a use of these memories: count and instant. No change, so not in the history."""

    # Search. Results are row numbers of this store, see `Ref`. No search reads more than its answer and a
    # bounded number of candidates.

    def total(self, spaces: Sequence[str] | None) -> int:
        """Return how many memories these spaces hold (None: all spaces), ended ones too."""

    def frequencies(self, asked: Sequence[Word], spaces: Sequence[str] | None) -> list[int]:
        """Return the document frequency of each word: how many of these memories hold it."""

    def top_by_words(self, asked: Mapping[Word, float], where: Filter, limit: int) -> list[Match]:
        """Return the memories with the greatest sum of the weights of the words that they hold, best first.

        Weights are positive; of equal scores the newest numbers come first. Exact if the words have no more
        than 60,000 holders together, and beyond that wherever the eight rarest of the more common words
        decide; it never costs more than that.
        """

    def holding(self, asked: Sequence[Word], refs: Sequence[Ref]) -> list[frozenset[Ref]]:
        """Return, for each word, which of these memories hold it."""

    def spelled_like(self, word: str, limit: int) -> list[str]:
        """Return indexed words that begin with a folded `word` or differ by a letter or two, closest first.

        They may be stemmed, and come from any space: search for them again.
        """

    def nearest(self, vector: Vector, where: Filter, limit: int) -> list[Match]:
        """Return memories by cosine of their nearest window to `vector`, best first; scores are exact.

        The choice is exact, too, while few match. Beyond that an approximate index may choose: of the ten
        nearest it finds at least 98 in 100, 95 if a filter matches one memory in a hundred.
        """

    def memories_by_ref(self, refs: Sequence[Ref]) -> dict[Ref, Memory]:
        """Return the memories with these numbers; those that are gone are left out."""

    def refs_by_id(self, ids: Sequence[str]) -> dict[str, Ref]:
        """Return the numbers of memories; unknown ids are left out."""

    def filter_refs(self, refs: Sequence[Ref], where: Filter) -> set[Ref]:
        """Return which of these match a filter."""

    def sessions(self, refs: Sequence[Ref]) -> list[list[Ref]]:
        """Return the sessions that contain these memories, each in time order.

        Each is complete, except for ended memories and merged ones: a summary repeats what its neighbours
        said, and was not said between them.
        """

    def vectors(self, refs: Sequence[Ref]) -> dict[Ref, Vectors]:
        """Return the vectors of the model in use, a `Beginning` for incomplete ones; without vectors, left
        out.
        """

    def each_vector(self, where: Filter) -> Iterator[tuple[Ref, Vector]]:
        """Yield every vector of the memories that match, by number. Lazy: read it before writing."""

    def sample_vectors(self, where: Filter, size: int) -> list[Vector]:
        """Return up to `size` vectors of texts, spread evenly over the store, always the same ones."""

    # Derived data

    def model(self) -> ModelIdentity | None:
        """Return the model whose vectors are searched; None while nothing is embedded."""

    def models(self) -> list[ModelIdentity]:
        """Return all models that have vectors here, or begin to; the one in use first."""

    def drop_model(self, model: ModelIdentity) -> None:
        """Drop the vectors of a model that is not in use."""

    def count_read(self, model: ModelIdentity) -> int:
        """Return how many memories a model has embedded."""

    def use_model(self, model: ModelIdentity) -> None:
        """Search this model's vectors from now on, and drop those of all others."""

    def without_vectors(self, model: ModelIdentity, limit: int) -> list[Memory]:
        """Return memories without all their vectors of this model, oldest first."""

    def wanting(self, where: Filter, limit: int | None = None) -> list[Ref]:
        """Return the matching memories that the model in use has not embedded completely, newest first."""

    def put_vectors(self, model: ModelIdentity, vectors: Mapping[str, Vectors]) -> None:
        """Store vectors beside those of the model in use; ids that are gone are left out."""

    def rebuild(self) -> None:
        """Rebuild tags, words and the names of links (vectors are the caller's work)."""
