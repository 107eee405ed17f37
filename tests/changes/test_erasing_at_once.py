"""Erasing while others write: nobody waits for the reading, and nothing that they write slips through."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any, cast

import pytest

from memcli.changes.forgetting.hard import _ATTEMPTS, erase
from memcli.changes.forgetting.targets import Targets
from memcli.config.config import Config
from memcli.graph.link_changes import link_entities
from memcli.memories import Memories
from memcli.model import Change, Filter, Memory, State
from memcli.storage import Store, areas
from memcli.storage.stores import open_store
from memcli.tiers.context import blocks
from memcli.write_policy.admission import admit_drafts
from memcli.write_policy.drafts import Draft
from tests.conftest import TickingClock, make_memories
from tests.erasure import erase_memories
from tests.standin import StandIn

ALL = Filter(spaces=None, live=False)
TEXT = "Quentomar hides the vermeilion ledger under the floor"
PIECES = (b"uentomar", b"ermeilion")
READS = {
    "get", "find_ids", "select", "count", "holding", "nearest", "referred", "references", "among",
    "sessions", "vectors", "each_vector", "sample", "links", "states", "history", "wanting",
}  # fmt: skip


class WatchedStore:
    """A store that counts what is read of it in a transaction; `meanwhile` is done before each."""

    def __init__(self, store: Store, meanwhile: Callable[[], object] = lambda: None) -> None:
        self._store = store
        self.meanwhile = meanwhile
        self.transactions = self.rows = self.steps = 0
        self._inside = False
        # In SQLite itself: so many steps of its machine.
        store._db.set_progress_handler(self._stepped, 10)  # type: ignore[attr-defined]

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._store, name)
        return self._counting(found) if name in READS else found

    @contextmanager
    def writing(self) -> Iterator[None]:
        self.meanwhile()
        with self._store.writing():
            self._inside = True
            self.transactions += 1
            try:
                yield
            finally:
                self._inside = False

    def _counting(self, read: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*given: Any, **options: Any) -> Any:
            found = read(*given, **options)
            if not self._inside:
                return found
            rows = found if isinstance(found, dict) else list(found)
            self.rows += 1 + sum(len(each) if isinstance(each, frozenset) else 1 for each in rows)
            return rows if isinstance(rows, dict) else iter(rows)

        return counted

    def _stepped(self) -> int:
        self.steps += self._inside
        return 0


@pytest.fixture
def watched(own_home: Path, clock: TickingClock) -> Iterator[tuple[Memories, WatchedStore]]:
    store = WatchedStore(open_store(own_home / "memory.db"))
    with Memories(cast(Store, store), Config(), StandIn, clock=clock) as memories:
        yield memories, store


@pytest.fixture
def neighbour(own_home: Path, clock: TickingClock) -> Iterator[Memories]:
    with make_memories(own_home / "memory.db", clock) as opened:
        yield opened


def files(home: Path) -> bytes:
    return b"".join(file.read_bytes() for file in home.glob("memory.db*"))


def once(act: Callable[[], object]) -> Callable[[], object]:
    waiting = [act]
    return lambda: waiting.pop()() if waiting else None


# What holds the lock


def bulk(memories: Memories, size: int) -> None:
    """Memories, links, keyed values and lines of history, many of each."""
    now = memories.now()
    some = [
        Memory(
            id=memories.new_id(now), kind="fact", text=f"pier {n} has {n * 7} barrels", data={"cites": []},
            happened_at=now, created_at=now, updated_at=now,
        )
        for n in range(size)
    ]  # fmt: skip
    with memories.store.writing():
        memories.store.put(some, Change("add", reason="counted again"), now)
        for n, each in enumerate(some):
            value = {"hits": {each.id: 1.0}}
            memories.store.put_state(State("default", areas.RECALL_LOG.name, f"k{n}", value, 1, now, now))


def test_what_is_read_with_the_lock_held_does_not_grow_with_the_store(
    watched: tuple[Memories, WatchedStore],
) -> None:
    memories, store = watched
    link_entities(memories, "Ann", "works_at", "Acme")
    seen = []
    for size in (200, 3000):
        bulk(memories, size)
        kept = memories.remember(TEXT)
        link_entities(memories, "Quentomar", "hides", "ledger", evidence=kept)
        store.transactions = store.rows = store.steps = 0
        assert erase_memories(memories, [kept]).verified
        seen.append((store.transactions, store.rows, store.steps))
        assert admit_drafts(memories, memories.model, [Draft(text=TEXT)])[0].action == "refuse"
        for state in list(memories.store.states(("*",), areas.FORGOTTEN.name)):
            memories.store.drop_state("*", areas.FORGOTTEN.name, state.key)
    (transactions, rows, steps), (again, more_rows, more_steps) = seen
    assert transactions == again == 1
    assert rows == more_rows < 20
    assert 0 < more_steps < 2 * steps


def test_a_transaction_that_comes_too_late_reads_nothing_and_writes_nothing(
    watched: tuple[Memories, WatchedStore], neighbour: Memories
) -> None:
    memories, store = watched
    kept = memories.remember(TEXT)
    bulk(memories, 500)
    store.meanwhile = once(lambda: neighbour.remember("the cat is black"))
    store.transactions = store.rows = 0
    erase_memories(memories, [kept])
    assert store.transactions == 2 and store.rows < 20


# What neighbours write between the reading and the transaction


def quoting(memories: Memories, kept: Memory, number: int = 1) -> Memory:
    return memories.remember(
        Draft(text=f"Summary {number}. {TEXT}. They danced.", kind="episode", data={"cites": [kept.id]})
    )


def test_a_summary_that_quotes_it_goes_too(
    watched: tuple[Memories, WatchedStore], neighbour: Memories, own_home: Path
) -> None:
    memories, store = watched
    kept = memories.remember(TEXT)
    store.meanwhile = once(lambda: quoting(neighbour, kept))
    receipt = erase_memories(memories, [kept])
    assert len(receipt.derived) == 1 and receipt.verified
    assert list(memories.store.select(ALL)) == []
    assert not [piece for piece in PIECES if piece in files(own_home)]


def test_a_neighbour_that_never_pauses_is_caught_up_with(
    watched: tuple[Memories, WatchedStore], neighbour: Memories, own_home: Path
) -> None:
    memories, store = watched
    kept = memories.remember(TEXT)
    store.transactions, store.meanwhile = 0, lambda: quoting(neighbour, kept, store.transactions)
    receipt = erase_memories(memories, [kept])
    assert len(receipt.derived) == store.transactions == _ATTEMPTS + 1
    assert receipt.verified and not [piece for piece in PIECES if piece in files(own_home)]


def test_a_memory_that_came_in_with_its_own_record_is_seen(
    watched: tuple[Memories, WatchedStore], neighbour: Memories, own_home: Path
) -> None:
    """An import puts nothing on record for it."""
    memories, store = watched
    kept = memories.remember(TEXT)
    carried = replace(kept, id=memories.new_id(memories.now()), data={"cites": [kept.id]})
    store.meanwhile = once(lambda: neighbour.store.put([carried], None, neighbour.now()))
    assert erase_memories(memories, [kept]).derived == [carried.id]
    assert not [piece for piece in PIECES if piece in files(own_home)]


def test_what_it_says_by_then_is_forgotten(
    watched: tuple[Memories, WatchedStore], neighbour: Memories, own_home: Path
) -> None:
    memories, store = watched
    kept = memories.remember(TEXT)
    later = replace(kept, text="Quillwort keeps the cinnabar almanac", tags=("sapphirine",))
    store.meanwhile = once(lambda: neighbour.store.put([later], Change("edit"), neighbour.now()))
    assert erase_memories(memories, [kept]).verified
    for text in (TEXT, later.text):
        assert admit_drafts(memories, memories.model, [Draft(text=text)])[0].rule == "forgotten"
    assert b"cinnabar" not in files(own_home) and b"sapphirine" not in files(own_home)


def test_what_it_has_replaced_by_then_goes_with_it(
    watched: tuple[Memories, WatchedStore], neighbour: Memories
) -> None:
    memories, store = watched
    old = memories.remember("Quentomar has the ledger")
    kept = memories.remember(TEXT)
    memories.store.put([replace(kept, supersedes=old.id)], Change("edit"), memories.now())
    store.meanwhile = once(lambda: neighbour.end([old.id], "outdated"))
    assert erase_memories(memories, [kept]).earlier_versions == [old.id]


def test_notes_and_links_made_by_then_are_dropped_or_named(
    watched: tuple[Memories, WatchedStore], neighbour: Memories, own_home: Path
) -> None:
    memories, store = watched
    kept, other = memories.remember(TEXT), memories.remember("the hall is made of oak")
    link_entities(memories, "Ann", "works_at", "Acme", evidence=kept)

    def act() -> None:
        now = neighbour.now()
        link_entities(neighbour, "Ann", "works_at", "Acme", evidence=other)
        link_entities(neighbour, "Quentomar", "hides", "ledger", evidence=kept)
        blocks.put_block(neighbour, "house", "ask Quentomar about the hall")
        entry = {"hits": {kept.id: 0.5}}
        neighbour.store.put_state(State("default", areas.RECALL_LOG.name, "k", entry, 1, now, now))

    store.meanwhile = once(act)
    receipt = erase_memories(memories, [kept])
    assert receipt.states == [f"{areas.RECALL_LOG.name}/k"] and receipt.shared == ["block/house"]
    [left] = memories.store.links()
    assert (left.subject, left.evidence) == ("Ann", other.id) and kept.id not in str(left)


def test_a_space_goes_with_what_was_added_by_then(own_home: Path, clock: TickingClock) -> None:
    store = WatchedStore(open_store(own_home / "memory.db"))
    with (
        Memories(cast(Store, store), Config(), StandIn, space="zoo", clock=clock) as zoo,
        make_memories(own_home / "memory.db", clock, space="zoo") as neighbour,
    ):
        zoo.remember(TEXT)

        def act() -> None:
            neighbour.remember("the zebra is striped")
            blocks.put_block(neighbour, "zebras", "feed the zebra")
            link_entities(neighbour, "Ann", "rides", "zebra")

        store.meanwhile = once(act)
        receipt = erase(zoo, Targets(), "sold", space=zoo.space)
        assert len(receipt.memories) == 2 and len(receipt.links) == 1 and receipt.space == {"block": 1}
        assert receipt.verified and b"zebra" not in files(own_home)


def test_a_use_noted_by_then_is_not_lost(watched: tuple[Memories, WatchedStore], neighbour: Memories) -> None:
    memories, store = watched
    one, two = (
        memories.remember(Draft(text=text, kind="episode", session="s", data={"role": "user"}))
        for text in (TEXT, "The bakery opens at seven.")
    )
    data = {"role": "summary", "folds": [one.id, two.id]}
    summary = memories.remember(Draft(text=f"user: {TEXT}", kind="episode", session="s", data=data))
    folded = [replace(each, data={**each.data, "folded": summary.id}) for each in (one, two)]
    memories.store.put(folded, None, memories.now())
    store.meanwhile = once(lambda: neighbour.store.touch([two.id], neighbour.now()))
    erase_memories(memories, [one])
    [left] = memories.store.get([two.id])
    assert left.access_count == 1 and "folded" not in left.data


def test_one_who_writes_all_the_time_leaves_no_quote_from_before(
    memories: Memories, own_home: Path, clock: TickingClock
) -> None:
    """In earnest: a neighbour in a thread of its own, whenever the erasure happens to come."""
    kept = memories.remember(TEXT)
    bulk(memories, 1000)
    done = threading.Event()

    def write() -> None:
        with make_memories(own_home / "memory.db", clock) as neighbour:
            for number in count():
                quoting(neighbour, kept, number)
                if done.wait(0.03):  # as between commands: who never lets go of the lock starves others
                    break

    writer = threading.Thread(target=write)
    writer.start()
    try:
        erase_memories(memories, [kept])
    finally:
        done.set()
        writer.join()
    erased = {event.memory: event for event in memories.store.history() if event.action == "erase"}
    last = max(event.number for event in erased.values())
    added = {event.memory: event.number for event in memories.store.history() if event.action == "add"}
    left = [each for each in memories.store.select(ALL) if TEXT in each.text]
    assert all(added[each.id] > last for each in left)
