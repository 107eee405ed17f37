"""Rollback to a snapshot: the differences are written as one recorded change, which can be undone.

No file is replaced: processes that have the store open go on working. What was learned since is ended, what
ended since is in force again, what changed has its old values; links and keyed values, too. What was erased
stays erased. `mem undo` takes the rollback back.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from memcli.changes.forgetting.erased_things import ErasedThings
from memcli.changes.forgetting.targets import link_address
from memcli.changes.values_before import note_change, replace_values
from memcli.doors import COPIES, Deed
from memcli.graph.links import amended_link
from memcli.model import EVERYWHERE, Change, ChangeAction, Link, Memory, State, as_ended, memory_from_record
from memcli.scope import Scope
from memcli.storage import Beginning, Store, Vectors, areas
from memcli.storage.ledger import StateName
from memcli.upkeep.copies.difference import Difference, as_going_back, differences
from memcli.upkeep.copies.sides import Side, left_out, link_fields, memory_fields, read_side, without_erased

ROLLBACK: ChangeAction = "rollback"


@dataclass(frozen=True, slots=True)
class RollbackReport:
    """The changes of a rollback, from now to the snapshot, done or planned. `change` is the id to undo it."""

    change: str | None
    differences: list[Difference]
    memories: int = 0
    links: int = 0
    values: int = 0
    left: list[str] = field(default_factory=list)
    """What could not be restored, and why."""
    left_out: list[str] = field(default_factory=list)
    """Addresses of what is not restored because it was erased since, or quotes what was."""


def roll_back(
    scope: Scope, then: Store, name: str, space: str | None, *, dry_run: bool = False
) -> RollbackReport:
    """Bring the store (or one space) back to the state of a copy of it, in one transaction.

    Raises Refused for an untrusted origin.
    """
    scope.require(COPIES, Deed.CHANGE, "going back to a snapshot")
    spaces = None if space is None else (space,)
    store = scope.store
    if dry_run:
        now_is, then_was, left, stays_out = _sides(store, then, spaces)
        found = as_going_back(differences(now_is, then_was))
        return RollbackReport(None, found, left=left, left_out=stays_out)
    with store.writing():
        now_is, then_was, left, stays_out = _sides(store, then, spaces)
        found = as_going_back(differences(now_is, then_was))
        change = scope.change(ROLLBACK, f"rolled back to {name}")
        work = _Rollback(scope, then, change, now_is, then_was, space, left)
        return replace(work.carry_out(found), left_out=stays_out)


def _sides(
    store: Store, then: Store, spaces: tuple[str, ...] | None
) -> tuple[Side, Side, list[str], list[str]]:
    """Return the current state, the one to go back to, what stays as it is, and what of the copy is left out.

    What is, or was, in a space that is not rolled back belongs to neither state: nothing is taken out of
    that space, and nothing that came from there is ended.
    """
    now_is, was = read_side(store, spaces), read_side(then, spaces)
    left: list[str] = []
    if spaces is not None:
        was, moved = _without_those_of(was, now_is, store)
        now_is, came = _without_those_of(now_is, was, then)
        left += [f"{each} is in another space now" for each in moved]
        left += [f"{each} was in another space then" for each in came]
    brought = without_erased(was, now_is, ErasedThings(store))
    return now_is, brought, left, left_out(was, brought)


def _without_those_of(side: Side, facing: Side, store: Store) -> tuple[Side, list[str]]:
    """Return a state without what the other state has in another space; and which of these are in force.

    `store` holds that other state as a whole; `facing` is its part in the same space.
    """
    memories = store.get([each for each in side.memories if each not in facing.memories])
    links = store.links_by_id([each for each in side.links if each not in facing.links])
    apart = {*(each.id for each in memories), *(each.id for each in links)}
    live = [each.id for each in side.memories.values() if each.id in apart and each.ended_at is None]
    live += [
        link_address(each.id) for each in side.links.values() if each.id in apart and each.ended_at is None
    ]
    kept = side._replace(
        memories={name: each for name, each in side.memories.items() if name not in apart},
        links={name: each for name, each in side.links.items() if name not in apart},
    )
    return kept, live


class _Rollback:
    """One rollback, inside its transaction."""

    def __init__(
        self,
        scope: Scope,
        then: Store,
        change: Change,
        now_is: Side,
        then_was: Side,
        space: str | None,
        left: list[str],
    ) -> None:
        self._scope = scope
        self._then = then
        self._change = change
        self._now_is = now_is
        self._then_was = then_was
        self._space = space
        self._at = scope.now()
        self._left = list(left)

    def carry_out(self, found: list[Difference]) -> RollbackReport:
        memories = self._memories()
        links = self._scope.store.put_links(self._changed_links())
        values = self._values()
        if not (memories or links or values):
            return RollbackReport(None, found, left=self._left)
        note_change(self._scope, self._change, self._space or EVERYWHERE, self._at)
        return RollbackReport(self._change.id, found, memories, links, values, self._left)

    def _memories(self) -> int:
        put = list(self._changed_memories())
        model, vectors = self._scope.store.model(), dict[str, Vectors]()
        other = self._then.model()
        if model and other and model.same_vectors(other):
            known = self._now_is.memories
            anew = [each.id for each in put if each.id not in known or known[each.id].text != each.text]
            refs = self._then.refs_by_id(anew)
            carried = self._then.vectors(list(refs.values()))
            # A vector of the beginning only would be taken for that of the whole text.
            vectors = {
                each: carried[ref]
                for each, ref in refs.items()
                if ref in carried and not isinstance(carried[ref], Beginning)
            }
        return self._scope.store.put(put, self._change, self._at, vectors)

    def _changed_memories(self) -> Iterator[Memory]:
        then_was = self._then_was.memories
        for here in self._now_is.memories.values():
            old = then_was.get(here.id)
            if old is None:
                if here.ended_at is None:
                    why = f"not in the snapshot that was gone back to ({self._change.id})"
                    yield as_ended(here, self._at, "undone", why)
            elif memory_fields(here) != memory_fields(old):
                record = {**here.to_record(), **memory_fields(old)}
                yield replace(memory_from_record(record), updated_at=self._at)
        for memory_id, memory in then_was.items():
            if memory_id not in self._now_is.memories:
                yield replace(memory, updated_at=self._at)

    def _changed_links(self) -> Iterator[Link]:
        then_was, at, change = self._then_was.links, self._at, self._change.id
        for here in self._now_is.links.values():
            old = then_was.get(here.id)
            if old is None:
                if here.ended_at is None:
                    yield amended_link(here, at, ROLLBACK, within=change, ended_at=at)
            elif link_fields(here) != link_fields(old):
                fields = link_fields(old)
                told = [each for each in fields.pop("evidence") if each]
                if not told or not _are_there(self._scope.store, self._then_was, told):
                    told = []
                yield amended_link(here, at, ROLLBACK, within=change, evidence=told or None, **fields)
        for old in then_was.values():
            if old.id not in self._now_is.links:
                back = old._replace(ended_at=at)
                yield amended_link(back, at, ROLLBACK, within=change, ended_at=old.ended_at)

    def _values(self) -> int:
        now_is, then_was = self._now_is.values, self._then_was.values
        written = [
            back
            for name, old in then_was.items()
            if (name not in now_is or now_is[name].value != old.value)
            and (back := self._unexpired(old, now_is.get(name)))
        ]
        dropped = [name for name in now_is if name not in then_was and not _lives_by_memories(name)]
        return replace_values(self._scope, self._change, written, dropped, self._at)

    def _unexpired(self, old: State, here: State | None) -> State | None:
        """Return a value as restored, with the later of both expiries; None if it has expired anyway."""
        if old.expires_at is None:
            return old
        ends = [old.expires_at, *([here.expires_at] if here and here.expires_at else [])]
        if max(ends) <= self._at:
            self._left.append(f"{old.area}/{old.key} has lived out since")
            return None
        return old._replace(expires_at=max(ends))


def _lives_by_memories(name: StateName) -> bool:
    """True if a value stays as long as a memory, in force or ended, refers to it."""
    return areas.area_named(name[1]).named_by_memories


def _are_there(store: Store, then_was: Side, ids: list[str]) -> bool:
    """True if all of these memories exist once the rollback is done."""
    here = {each.id for each in store.get(ids)}
    return all(each in here or each in then_was.memories for each in ids)
