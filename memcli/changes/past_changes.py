"""Which changes were made: the last one that is not undone, or one that is named; and what there is of it."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from datetime import datetime
from itertools import groupby

from memcli import ids
from memcli.changes.foreign_lines import is_among, read_ranges
from memcli.changes.space_history import events_in_space
from memcli.changes.values_before import ValueBefore, values_before
from memcli.errors import BadInput, NotFound
from memcli.messages import Command, message
from memcli.model import EVERYWHERE, ChangeAction, Event, State
from memcli.named_tuple import NamedTuple
from memcli.scope import Scope
from memcli.storage import areas
from memcli.storage.ledger import state_key

UNDO: ChangeAction = "undo"
# It only keeps the words in which a known memory was said: there is nothing to take back.
_SAID_AGAIN: ChangeAction = "repeat"
# What a change was that only put something before its owner.
PROPOSED = "propose"
# Fewer digits than an id is shown with are a number, and no end of an id that happens to be so.
_SHOWN = 8


def change_key(event: Event) -> str:
    """The name of the change that a line of history belongs to."""
    return event.change or str(event.number)


def notes_of(scope: Scope, change: str) -> list[ValueBefore]:
    """What is noted of the keyed values that a change of this space, or of the whole store, found."""
    notes = [each for each in values_before(scope.store) if each.change == change]
    spaces = {each.space for each in notes if each.is_of_change}
    return notes if spaces & {scope.space, EVERYWHERE} else []


def _events_of(scope: Scope, change: str) -> list[Event]:
    """The lines of a change, as far as it belongs to the space: all, of a change of the whole store."""
    events = scope.store.history(change=change)
    whole = any(each.is_of_change and each.space == EVERYWHERE for each in notes_of(scope, change))
    return list(events if whole else events_in_space(scope, events))


def waiting_of(scope: Scope, change: str) -> list[State]:
    """What a change has put before its owner and still waits: its value names the change."""
    return [each for each in _put_before_owner(scope) if each.value.get("change") == change]


def _put_before_owner(scope: Scope) -> Iterator[State]:
    """The keyed values of the space that wait for its owner and may name the change that put them there."""
    for area in areas.ALL:
        if area.waits:
            found = scope.store.states((scope.space,), area.name)
            yield from (each for each in found if isinstance(each.value, dict))


def last_change(scope: Scope) -> tuple[str, list[Event]]:
    """The newest change in the space that is no undo and is not undone, made on this machine.

    Its id (or number) and its lines of history; none where it changed keyed values only, or only put
    something before its owner that still waits.
    Raises NotFound.
    """
    made = newest_change(scope)
    return made.key, made.events


class Made(NamedTuple):
    """A change that was made: its id (or the number of its line), and its lines of history."""

    key: str
    events: list[Event]
    is_earlier: bool = False
    """Whether later ones are undone already."""


class _Noted(NamedTuple):
    """A change that need not have touched a memory: it is known by its note, or by what waits of it."""

    at: datetime
    change: str
    action: str
    undoes: str | None = None


def _made_beside_memories(scope: Scope) -> list[_Noted]:
    """The changes made on this machine of which keyed values tell, oldest first."""
    noted = values_before(scope.store, (scope.space, EVERYWHERE))
    made = [_Noted(each.at, each.change, each.action, each.undoes) for each in noted if each.is_of_change]
    waiting: dict[str, datetime] = {}
    for state in _made_here(scope, _put_before_owner(scope)):
        change = state.value.get("change")
        if isinstance(change, str):
            waiting[change] = max(state.created_at, waiting.get(change, state.created_at))
    made += [_Noted(at, change, PROPOSED) for change, at in waiting.items()]
    return sorted(made, key=lambda each: (each.at, each.change))


def _made_here(scope: Scope, some: Iterable[State]) -> Iterator[State]:
    """Of some keyed values those that no other machine brought."""
    by_name = {state_key(each.space, each.area, each.key): each for each in some}
    clocks = scope.store.clocks("state", list(by_name))
    return (state for name, state in by_name.items() if name not in clocks or not clocks[name].via)


def newest_change(scope: Scope, besides: Container[str] = ()) -> Made:
    """The last change, as `last_change` says, but none of `besides`. Raises NotFound."""
    beside = _made_beside_memories(scope)
    undone = set[str | None]()
    for noted in reversed(beside):
        _take_into(undone, noted.action, noted.change, noted.undoes)
    earlier = False
    elsewhere = read_ranges(scope)
    made_here = (
        each for each in scope.store.history(newest_first=True) if not is_among(each.number, elsewhere)
    )
    newest = events_in_space(scope, made_here)
    for key, group in groupby(newest, change_key):
        events = list(group)
        while beside and (beside[-1].at, beside[-1].change) >= (events[0].at, key):
            noted = beside.pop()
            if noted.action != UNDO and noted.change not in undone and noted.change not in besides:
                return Made(noted.change, _events_of(scope, noted.change), earlier)
            earlier |= noted.action != UNDO and noted.change not in besides
        _take_into(undone, events[0].action, key, events[0].undoes)
        if key in besides:
            continue
        if key in undone:
            earlier |= events[0].action != UNDO
        elif events[0].action != UNDO and any(event.action != _SAID_AGAIN for event in events):
            # All of it: a neighbour's lines may stand between those of a change of several transactions.
            return Made(key, _events_of(scope, key) if events[0].change else events, earlier)
    for noted in reversed(beside):
        if noted.action != UNDO and noted.change not in undone and noted.change not in besides:
            return Made(noted.change, _events_of(scope, noted.change), earlier)
        earlier |= noted.action != UNDO and noted.change not in besides
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
