"""Remote erasures: carry out here, as fully and with the same proof, what other machines erased."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memcli.changes.forgetting.hard import erase
from memcli.changes.forgetting.receipt import ERASED, ErasureReceipt
from memcli.changes.forgetting.targets import Targets
from memcli.changes.forgetting.unfinished import (
    clean_files,
    erasure_lock,
    is_unfinished,
    note_closed_copies,
    record_unfinished,
)
from memcli.changes.space_history import erasure_marks
from memcli.memories import Memories
from memcli.model import EVERYWHERE, Change, Memory, State
from memcli.named_tuple import NamedTuple
from memcli.storage import areas
from memcli.storage.ledger import Clock, state_key
from memcli.storage.reports import Erasure
from memcli.sync import replica
from memcli.sync.erasures import pending
from memcli.sync.erasures.copies import ThingsInCopies, things_in_copies
from memcli.sync.erasures.tombstones import Tombstones, address, every_record, is_told_of
from memcli.sync.local import nouns, registers
from memcli.sync.outbound import ACTOR
from memcli.sync.records.registers import LINK, MEMORY, STATE
from memcli.sync.records.stamps import clock_of, stamped
from memcli.write_policy.forgotten_texts import find_hash_key, hash_keys
from memcli.write_policy.forgotten_traces import thing_hash

_REASON = "erased on another machine"


class Erased(NamedTuple):
    """Erasures repeated here after other machines: their receipts, and the number of purged memories."""

    receipts: list[ErasureReceipt]
    purged: int = 0
    successors: Mapping[str, str] = {}
    """Maps the id of a memory that replaced an erased one to the id of the erased one."""

    def __bool__(self) -> bool:
        return bool(self.receipts or self.purged)

    @property
    def number(self) -> int:
        """The number of memories, links and keyed values erased."""
        return (
            sum(len(each.memories) + len(each.values) + len(each.links) for each in self.receipts)
            + self.purged
        )


def erase_pending(memories: Memories) -> Erased:
    """Carry out the pending erasures; if that raises (StoreBusy, as erasures do) they stay recorded."""
    noted = pending.read_pending(memories)
    if not any(noted.values()):
        note_closed_copies(memories, {})
        return Erased([])
    found = _found(memories, set(noted["things"]))
    told: dict[str, list[dict[str, Any]]] = noted["memories"]
    purged = {key for key, lines in told.items() if pending.was_purged(lines)}
    chosen = {key for kind, key in found if kind == MEMORY} | (told.keys() - purged)
    doomed = memories.store.get(sorted(chosen))
    going = [*((MEMORY, each.id) for each in doomed), *(each for each in found if each[0] != MEMORY)]
    stamps = {each: Tombstones(memories.store).erased(*each) for each in going}
    receipts = [
        erase(_for_sync(memories.in_space(space)), targets, _REASON)
        for space, targets in _by_space(memories, doomed, going).items()
    ]
    # A memory that arrived after it was recorded as absent was erased with the others.
    absent = set(noted["absent"]) - {each.id for each in memories.store.get(noted["absent"])}
    in_copies = things_in_copies(memories, set(noted["things"]))
    here = {each.id for each in memories.store.get(sorted(told))}
    orphaned = [each for each in sorted(told.keys() - here) if is_told_of(memories.store, each)]
    numbers = set(noted["lines"])
    lines = [each for each in memories.store.history() if each.number in numbers] if numbers else []
    receipts += _erase_absent(memories, Erasure(ids=sorted(absent), events=lines), in_copies, orphaned)
    _give_stamps(memories, stamps)
    number = _purge(memories, memories.store.get(sorted(purged)))
    # Hashes cannot tell what an unreadable copy holds, so these stay pending until it can be searched.
    with memories.store.writing():
        pending.clear_pending(memories, noted["things"] if in_copies.closed else ())
        note_closed_copies(memories, in_copies.closed)
    successors = {each.replaced_by: each.id for each in doomed if each.replaced_by}
    return Erased(receipts, number, successors)


def _erase_absent(
    memories: Memories, absent: Erasure, found: ThingsInCopies, orphaned: Sequence[str]
) -> list[ErasureReceipt]:
    """Erase from the store's copies what the store itself does not hold (any more).

    Of `orphaned` memories the store holds only history lines, which are deleted. What rewritten lines said
    before is scrubbed from the store's own file.
    """
    store = memories.store
    erasure = absent._replace(ids=[*absent.ids, *found.links], states=found.states)
    in_own_file = bool(orphaned or absent.events)
    if not (in_own_file or store.copies()) or not (orphaned or any(erasure) or found.closed):
        return []
    if not (orphaned or any(erasure)):
        return [ErasureReceipt([], backups=dict(found.closed), unfinished=list(found.closed.values()))]
    with erasure_lock(memories, patience=memories.config["busy_timeout"]):
        before = is_unfinished(memories)

        def look() -> list[str]:
            # Thorough also if an earlier erasure left something to do in the store's own file.
            store.scrub(thoroughly=before or in_own_file)
            return []

        with store.writing():
            record_unfinished(memories, erasure)
            store.drop_history(orphaned)
        cleaning = clean_files(memories, erasure, look)
    verdicts = {str(copy.path): copy.error or ERASED for copy in cleaning.copies}
    left = dict.fromkeys([*cleaning.left, *found.closed.values()])
    return [
        ErasureReceipt(
            [], backups=verdicts | found.closed, traces=list(cleaning.traces), unfinished=list(left)
        )
    ]


def _found(memories: Memories, things: set[str]) -> list[tuple[str, str]]:
    """Return the local records that match these hashes and were not written again since."""
    if not things:
        return []
    tombstones, keys = Tombstones(memories.store), hash_keys(memories.store)
    meant = [
        (kind, key)
        for kind, key in every_record(memories.store)
        if any(thing_hash(each, address(kind, key)) in things for each in keys)
    ]
    return [
        (kind, key)
        for kind, key in meant
        for clock in [memories.store.clocks(kind, [key]).get(key)]
        if tombstones.erased(kind, key) > (clock.value.get("epoch", 0) if clock else 0)
    ]


def _by_space(memories: Memories, doomed: list[Memory], going: list[tuple[str, str]]) -> dict[str, Targets]:
    found: dict[str, Targets] = {}
    for memory in doomed:
        before = found.get(memory.space, Targets())
        found[memory.space] = before._replace(memories=[*before.memories, memory])
    for kind in (LINK, STATE):
        for noun in nouns(memories, kind, [key for each, key in going if each == kind]).values():
            before = found.get(noun.space, Targets())
            if isinstance(noun, State):
                values = before.values | {(noun.space, noun.area, noun.key)}
                found[noun.space] = before._replace(values=values)
            elif not isinstance(noun, Memory):
                found[noun.space] = before._replace(links=before.links | {noun.id})
    return found


def _for_sync(memories: Memories) -> Memories:
    return memories.as_one_change(memories.new_id(memories.now()), ACTOR)


def _give_stamps(memories: Memories, stamps: dict[tuple[str, str], int]) -> None:
    """Give this store's own traces the stamps of the remote erasures, so that later writes are spared."""
    store = memories.store
    own = find_hash_key(store)
    with store.writing():
        revision = replica.next_revision(memories)
        for (kind, key), stamp in stamps.items() if own else ():
            trace = thing_hash(bytes.fromhex(own or ""), address(kind, key))
            name = state_key(EVERYWHERE, areas.FORGOTTEN_TRACE.name, trace)
            for state in nouns(memories, STATE, [name]).values() if stamp else ():
                now = registers(state)
                clock = clock_of(stamped(STATE, name, now, None, {}, stamp), now)
                store.put_clocks([Clock(STATE, name, revision, "", clock)])


def _purge(memories: Memories, doomed: list[Memory]) -> int:
    """Purge memories that another machine purged when their grace period was over; their texts may return."""
    store = memories.store
    for memory in doomed:
        change = Change("purge", memories.signed(ACTOR), None, memories.new_id(memories.now()))
        store.erase([memory.id], change, memories.now(), erasure_marks(memories, [memory]))
    return len(doomed)
