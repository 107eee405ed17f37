"""What a store promises, whichever database keeps it.

The contract is narrow because every backend pays for it once more: generic
records in and out, and nothing with a domain name. Everything that memcli
knows about procedures, tasks or policies is written above it.

- A write is all or nothing, on disk when the call returns (or an error says that nobody knows: a server
  was lost in the middle of a commit, and cannot be asked), and on record:
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

`Store` is the whole of it; its parts about the record (`ledger`) and about the file as a whole (`upkeep`)
stand beside. `stores` opens one.
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

# The little-endian float32 values of a vector, in order. A store may keep them to 16 bits each: what comes
# back is then that, and cosines are right to three decimals.
Vector = bytes

# A word that is asked for: the terms by any of which a memory holds it.
Word = tuple["Term", ...]

# The vectors of one memory by one model: one a window of its text.
Vectors = Sequence[Vector]


class Beginning(tuple[Vector, ...]):
    """The vectors of a text's first windows: those of the rest are *wanting*."""

    __slots__ = ()


class Store(Ledger, Upkeep, Protocol):
    """A store of memories. See the module's promises."""

    location: str
    """Where it is, for messages: a path or an address without its password."""

    @property
    def path(self) -> Path | None:
        """The file that it is, by the name it was opened by; None where a server keeps it."""

    role: Role | None
    """Whom its server knows whoever writes here as; None where a file is all there is."""

    left_out: dict[str, None]
    """What was to be read and is too damaged for that, by kind and name: answers are without it."""

    forced: bool
    """Whether its owner insists: written to also where it was found damaged."""

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

        Works on a file that may only be read, too (on a server, who may not write may not pretend to).
        Others wait to write until it ends.
        """

    def reading(self) -> AbstractContextManager[None]:
        """Inside, all is read as it stood at one instant, and others may write. To write here is an error."""

    def giving_way(self) -> AbstractContextManager[None]:
        """Inside, whoever else writes is let in between transactions, however many follow each other."""

    def alone(
        self,
        errand: str,
        *,
        busy: str,
        patience: float | None = None,
        waiting: Callable[[str], None] = lambda line: None,
    ) -> AbstractContextManager[int | None]:
        """Be the only process, on whichever machine, that does an errand of `memcli.storage.errands` here.

        Others are waited for up to `patience` seconds (None: for ever), of which `waiting` hears once
        that `busy` is so; then StoreBusy says it. Ends with its holder, however that ends. Gives a
        descriptor that a child process may inherit to hold on to it; None where there is none.
        """

    def is_under_way(self, errand: str) -> bool:
        """Whether some process does that errand here now, without waiting."""

    def walls(self) -> Walls | None:
        """What holds the server's roles to spaces; None where a file's owner is all there is."""

    def listening(self) -> AbstractContextManager[Listener | None]:
        """Inside, the store's server says whenever anybody has written; None where one has to look."""

    def place(self) -> dict[str, str]:
        """What tells this store from a copy of it: `host`, `path`, `file` and `machine`, each maybe empty."""

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

    # Search. What is found is named by its number in this store, see `Ref`. No search reads more than
    # its answer and a bounded number of candidates want.

    def total(self, spaces: Sequence[str] | None) -> int:
        """How many memories these spaces hold (None: all do), ended ones too."""

    def frequencies(self, asked: Sequence[Word], spaces: Sequence[str] | None) -> list[int]:
        """How many of those hold each word: what rarity is judged by."""

    def top_by_words(self, asked: Mapping[Word, float], where: Filter, limit: int) -> list[Match]:
        """The memories by the sum of the weights of the words that they hold, best first.

        Weights are positive, the score is their sum, and of equals the newest numbers come first.
        Exact where the words asked for have no more than 60,000 holders together, and beyond that
        wherever the eight rarest of the more common words decide; never dearer than that.
        """

    def holding(self, asked: Sequence[Word], refs: Sequence[Ref]) -> list[frozenset[Ref]]:
        """For each word, which of these memories hold it."""

    def spelled_like(self, word: str, limit: int) -> list[str]:
        """Indexed words that begin with a folded `word` or are a letter or two from it, closest first.

        They may come stemmed, and from any space: search for them again.
        """

    def nearest(self, vector: Vector, where: Filter, limit: int) -> list[Match]:
        """Memories by cosine of their nearest window to `vector`, best first; scores are exact.

        So is the choice while few are meant. Beyond that an index may choose: of the ten nearest
        it finds 98 in 100 at least, 95 where a filter means one memory in a hundred.
        """

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

    # Derived data

    def model(self) -> ModelIdentity | None:
        """The model whose vectors are searched; None while nothing was embedded."""

    def models(self) -> list[ModelIdentity]:
        """All models that have vectors here, or begin to; that in use first."""

    def drop_model(self, model: ModelIdentity) -> None:
        """Drop the vectors of a model that is not in use."""

    def count_read(self, model: ModelIdentity) -> int:
        """How many memories a model has read."""

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
