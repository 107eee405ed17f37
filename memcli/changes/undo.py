"""Taking back a change: what it did is undone as far as nothing else has touched it since."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import groupby
from typing import NamedTuple

from memcli import ids
from memcli.changes.arrivals import check_reach
from memcli.changes.foreign_lines import is_among, read_ranges
from memcli.changes.relocation import undo_links_and_states
from memcli.changes.space_history import events_in_space
from memcli.changes.values_before import (
    ValueBefore,
    note_change,
    replace_values,
    undo_values,
    values_before,
)
from memcli.doors import COPIES, REVIEW, Deed
from memcli.doors import UNDO as UNDO_DOOR
from memcli.errors import BadInput, NotFound, Refused
from memcli.memories import Memories
from memcli.messages import Command, message
from memcli.model import (
    EVERYWHERE,
    Change,
    ChangeAction,
    Event,
    Link,
    Memory,
    State,
    as_ended,
    memory_from_record,
)
from memcli.scope import Scope
from memcli.storage import areas
from memcli.storage.ledger import state_key

UNDO: ChangeAction = "undo"
# It only keeps the words in which a known memory was said: there is nothing to take back.
_SAID_AGAIN: ChangeAction = "repeat"
# What somebody forgot, or a night ended.
ENDED = "end"
# What was erased is gone: that is the point.
FINAL = ("erase", "purge")
# What a change was that only put something before its owner.
PROPOSED = "propose"

# Fewer digits than an id is shown with are a number, and no end of an id that happens to be so.
_SHOWN = 8


@dataclass(frozen=True, slots=True)
class UndoResult:
    """What an undo did: the change taken back, the memories as they are now, and what it had to leave."""

    change: str
    action: str
    memories: list[Memory]
    left: list[str] = field(default_factory=list)
    withdrawn: list[str] = field(default_factory=list)
    """What the change had put before its owner and nobody has decided on (`area/key`)."""
    links: list[Link] = field(default_factory=list)
    waiting: list[str] = field(default_factory=list)
    """What waits for its owner again, as it did before it was withdrawn (`area/key`)."""
    values: list[str] = field(default_factory=list)
    """Other keyed values that are as they were again (`area/key`)."""
    at: datetime | None = None
    """When the change was made, where that is on record."""
    is_earlier: bool = False
    """Whether it was the last one only because later ones are undone already."""
    undo: str = ""
    """The undo itself, as a change: undoing that does the change again."""

    @property
    def is_any(self) -> bool:
        """Whether anything was taken back."""
        return bool(self.memories or self.withdrawn or self.waiting or self.links or self.values)


def undo_change(memories: Memories, named: str | None = None) -> UndoResult:
    """Take back the last change, or the one named by its id (or part of it) or by a line's number.

    What it added is ended, what it changed gets its old values back where they
    have not been changed again; what it held, asked or proposed and still
    waits is withdrawn. Without a name nothing is taken back behind a merge or a restore that came after it.
    A change of the whole store (a rollback) is taken back in
    every space. Undoing an undo does the change again: what was withdrawn waits
    again. What was erased or purged in it stays so. Raises NotFound where there is nothing
    to undo, Refused where all of it was an erasure, or a merge or a restore came last.
    """
    with memories.store.writing():
        earlier = False
        if named:
            key, events = events_of_change(memories, named)
        else:
            key, events, earlier = _last_change(memories)
        waiting, notes = waiting_of(memories, key), _notes(memories, key)
        _check_undo(memories, events, waiting, notes)
        now = memories.now()
        action = events[0].action if events else notes[0].action if notes else PROPOSED
        change = Change(UNDO, memories.origin, _because(key), memories.new_id(now), undoes=key)
        made = [each.at for each in events[:1]] or [each.at for each in notes[:1]]
        at = next(iter(made or [each.created_at for each in waiting]), None)
        came_later = "" if named else check_reach(memories, key, action, events, at)
        undone = UndoResult(key, action, [], at=at, is_earlier=earlier, undo=change.id or "")
        undone.left.extend([came_later] if came_later else ())
        undone.withdrawn.extend(_withdraw(memories, waiting, change, now))
        undone.left.extend(f"{e.memory} was {e.action}d for good" for e in events if e.action in FINAL)
        for event in sorted(events, key=lambda each: -each.number):
            if event.action in FINAL:
                continue
            after = _undo_event(memories, event, {each.memory for each in events}, change, now, undone.left)
            if after:
                undone.memories.append(after)
        if action == "import" and _holds_more(memories):
            undone.left.append("whatever came with it beside memories (links, blocks, tasks and the like)")
        if events or notes:
            undone.links.extend(undo_links_and_states(memories, key, events, change, now, undone.left))
        for note in undo_values(memories, notes, change, now, undone.left):
            (undone.waiting if note.waits and note.before else undone.values).append(note.address)
    return undone


def _check_undo(
    memories: Memories, events: Sequence[Event], waiting: Sequence[State], notes: Sequence[ValueBefore]
) -> None:
    """Raise Refused where whoever works here may not take this change back, or all of it was an erasure."""
    memories.check_undo(events)
    put = [note for note in notes if not note.is_of_change]
    of_review = bool(put) and all(note.waits for note in put)
    if (waiting or of_review) and not events:
        own = not notes and all(_is_own_held(memories, each) for each in waiting)
        if not (own and UNDO_DOOR.lets(Deed.END, own=own)):
            memories.require(REVIEW, Deed.END, "withdrawing what waits for review")
    if notes and not of_review:
        memories.require(COPIES, Deed.CHANGE, "taking back a rollback")
    if events and all(event.action in FINAL for event in events) and not (waiting or notes):
        first = events[0]
        raise Refused(
            f"{first.memory} was forgotten for good at {first.at:%Y-%m-%d %H:%M}; that cannot be undone",
            by_hand=message(
                Command("undo CHANGE"), " takes an earlier change back, ", Command("history"), " shows them"
            ),
        )


def _is_own_held(scope: Scope, waiting: State) -> bool:
    """Whether what waits is a memory that whoever works here wrote, and that nobody has vouched for since."""
    held = waiting.value.get("memory") if waiting.area == areas.HELD.name else None
    memory = held if isinstance(held, dict) else {}
    return memory.get("origin") == scope.origin and memory.get("trusted") is False


def _undo_event(
    memories: Memories, event: Event, changed: Set[str], change: Change, now: datetime, left: list[str]
) -> Memory | None:
    """Take back what one line of history did to a memory, as part of `change`; the memory as it is then.

    None where nothing was to be written; why not is added to `left`. `changed` are the memories (by id) that
    the change to be undone touched.
    """
    from memcli.write_policy.related.lookup import standing_repetition

    here = next(iter(memories.store.get([event.memory])), None)
    if here is None:
        left.append(f"{event.memory} is gone")
        return None
    memories.check_change([here], "taking back a change of")
    after = _taken_back(memories, event, here, now, left)
    if event.action == ENDED and here.ended_at and after.ended_at is None:
        known = standing_repetition(memories.store, after, now)
        # What the change itself has ended or made is as it was before.
        if known and known.id not in changed:
            left.append(f"{here.id} stays ended: {known.id} says the same by now")
            return None
    if after == here:
        return None
    vectors = memories.model.embed([after]) if after.text != here.text else {}
    memories.store.put([replace(after, updated_at=now)], change, now, vectors)
    return after


def _holds_more(scope: Scope) -> bool:
    """Whether the space holds anything beside memories that an import may have brought."""
    brought = (each for each in areas.ALL if each.travels and each.in_spaces and each.rolls_back)
    return scope.store.has_links(scope.space) or any(
        any(True for _ in scope.store.states((scope.space,), area.name)) for area in brought
    )


def _notes(scope: Scope, change: str) -> list[ValueBefore]:
    """What is noted of the keyed values that a change of this space, or of the whole store, found."""
    notes = [each for each in values_before(scope.store) if each.change == change]
    spaces = {each.space for each in notes if each.is_of_change}
    return notes if spaces & {scope.space, EVERYWHERE} else []


def _events_of(scope: Scope, change: str) -> list[Event]:
    """The lines of a change, as far as it belongs to the space: all, of a change of the whole store."""
    events = scope.store.history(change=change)
    whole = any(each.is_of_change and each.space == EVERYWHERE for each in _notes(scope, change))
    return list(events if whole else events_in_space(scope, events))


def waiting_of(scope: Scope, change: str) -> list[State]:
    """What a change has put before its owner and still waits: its value names the change."""
    return [each for each in _put_before_owner(scope) if each.value.get("change") == change]


def _withdraw(scope: Scope, waiting: Sequence[State], change: Change, now: datetime) -> list[str]:
    """Withdraw what waits for its owner, as part of `change`, so that undoing that brings it back.

    Returns what it was, as `area/key`.
    """
    if waiting:
        note_change(scope, change, scope.space, now)
        replace_values(scope, change, (), [(each.space, each.area, each.key) for each in waiting], now)
    return [f"{each.area}/{each.key}" for each in waiting]


def _put_before_owner(scope: Scope) -> Iterator[State]:
    """The keyed values of the space that wait for its owner and may name the change that put them there."""
    for area in areas.ALL:
        if area.waits:
            found = scope.store.states((scope.space,), area.name)
            yield from (each for each in found if isinstance(each.value, dict))


def _because(key: str) -> str:
    return f"undo of {key}"


def change_key(event: Event) -> str:
    """The name of the change that a line of history belongs to."""
    return event.change or str(event.number)


def _taken_back(scope: Scope, event: Event, here: Memory, now: datetime, left: list[str]) -> Memory:
    if event.before is None:
        if here.ended_at:
            later = scope.current_version(here)
            stays = f"; {later.id}, which took its place, stays" if later.ended_at is None else ""
            left.append(f"{here.id} was ended already{stays}")
            return here
        return as_ended(here, now, "undone", _because(change_key(event)))
    record = here.to_record()
    after = event.after or {}
    for name, value in event.before.items():
        if record[name] == after.get(name):
            record[name] = value
        else:
            left.append(f"{here.id}: {name} was changed again since")
    return memory_from_record(record)


def last_change(scope: Scope) -> tuple[str, list[Event]]:
    """The newest change in the space that is no undo and is not undone, made on this machine.

    Its id (or number) and its lines of history; none where it changed keyed values only, or only put
    something before its owner that still waits.
    Raises NotFound.
    """
    return _last_change(scope)[:2]


class _Made(NamedTuple):
    """A change that need not have touched a memory: it is known by its note, or by what waits of it."""

    at: datetime
    change: str
    action: str
    undoes: str | None = None


def _made_beside_memories(scope: Scope) -> list[_Made]:
    """The changes made on this machine of which keyed values tell, oldest first."""
    noted = values_before(scope.store, (scope.space, EVERYWHERE))
    made = [_Made(each.at, each.change, each.action, each.undoes) for each in noted if each.is_of_change]
    waiting: dict[str, datetime] = {}
    for state in _made_here(scope, _put_before_owner(scope)):
        change = state.value.get("change")
        if isinstance(change, str):
            waiting[change] = max(state.created_at, waiting.get(change, state.created_at))
    made += [_Made(at, change, PROPOSED) for change, at in waiting.items()]
    return sorted(made, key=lambda each: (each.at, each.change))


def _made_here(scope: Scope, some: Iterable[State]) -> Iterator[State]:
    """Of some keyed values those that no other machine brought."""
    by_name = {state_key(each.space, each.area, each.key): each for each in some}
    clocks = scope.store.clocks("state", list(by_name))
    return (state for name, state in by_name.items() if name not in clocks or not clocks[name].via)


def _last_change(scope: Scope) -> tuple[str, list[Event], bool]:
    """The last change, and whether it was made before one that is undone. Raises NotFound."""
    beside = _made_beside_memories(scope)
    undone = set[str | None]()
    for made in reversed(beside):
        _take_into(undone, made.action, made.change, made.undoes)
    earlier = False
    elsewhere = read_ranges(scope)
    made_here = (
        each for each in scope.store.history(newest_first=True) if not is_among(each.number, elsewhere)
    )
    newest = events_in_space(scope, made_here)
    for key, group in groupby(newest, change_key):
        events = list(group)
        while beside and (beside[-1].at, beside[-1].change) >= (events[0].at, key):
            made = beside.pop()
            if made.action != UNDO and made.change not in undone:
                return made.change, _events_of(scope, made.change), earlier
            earlier |= made.action != UNDO
        _take_into(undone, events[0].action, key, events[0].undoes)
        if key in undone:
            earlier |= events[0].action != UNDO
        elif events[0].action != UNDO and any(event.action != _SAID_AGAIN for event in events):
            # All of it: a neighbour's lines may stand between those of a change of several transactions.
            return key, _events_of(scope, key) if events[0].change else events, earlier
    for made in reversed(beside):
        if made.action != UNDO and made.change not in undone:
            return made.change, _events_of(scope, made.change), earlier
        earlier |= made.action != UNDO
    raise NotFound("nothing to undo")


def _take_into(undone: set[str | None], action: str, change: str, undoes: str | None) -> None:
    """Into what is undone, newest first: what a change undoes, unless it is none or undone itself."""
    if action == UNDO and change not in undone:
        undone.add(undoes)


def events_of_change(scope: Scope, named: str) -> tuple[str, list[Event]]:
    """A change by its id, part of it, or a line's number: its whole id, and its lines of history.

    Raises NotFound, BadInput where several fit.
    """
    if named.isdecimal() and len(named) < ids.ID_LENGTH - 8:
        everything = events_in_space(scope, scope.store.history())
        events = [event for event in everything if event.number == int(named)]
        if events and events[0].change:
            return events[0].change, _events_of(scope, events[0].change)
        if events:
            return named, events
    if named.isdecimal() and len(named) < _SHOWN:
        raise NotFound(
            f"no change of the number {named} in this space",
            by_hand=message(Command("history"), " shows them"),
        )
    found = dict(_changes_like(scope, named))
    if not found:
        raise NotFound(f"no change {named!r:.40}", by_hand=message(Command("history"), " shows them"))
    if len(found) > 1:
        raise BadInput(f"{named!r:.40} fits {len(found)} changes, give more of it: {', '.join(found)}")
    [change] = found
    return change, _events_of(scope, change)


def _changes_like(scope: Scope, named: str) -> Iterator[tuple[str, None]]:
    fragment = ids.normalise_fragment(named) or "-"
    changes = [event.change for event in events_in_space(scope, scope.store.history())]
    for state in _put_before_owner(scope):
        waiting = state.value.get("change")
        changes += [waiting] if isinstance(waiting, str) else []
    changes += [each.change for each in values_before(scope.store, (scope.space, EVERYWHERE))]
    for change in changes:
        if change and (change.startswith(fragment) or change.endswith(fragment)):
            yield change, None
