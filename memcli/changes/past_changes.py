"""Past changes: find the last change that is not undone, or a named one, and everything it did."""

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
# The action that only records the words of a repetition: there is nothing to undo.
_SAID_AGAIN: ChangeAction = "repeat"
# The action of a change that only proposed something to the owner.
PROPOSED = "propose"
# Ids are shown with so many characters; fewer digits are taken as a line's number, not as the end of an id.
_SHOWN = 8


def change_key(event: Event) -> str:
    """Return the id of the change that a line of history belongs to, or the line's number."""
    return event.change or str(event.number)


def notes_of(scope: Scope, change: str) -> list[ValueBefore]:
    """Return the notes on keyed values that a change of this space, or of the whole store, touched."""
    notes = [each for each in values_before(scope.store) if each.change == change]
    spaces = {each.space for each in notes if each.is_of_change}
    return notes if spaces & {scope.space, EVERYWHERE} else []


def _events_of(scope: Scope, change: str) -> list[Event]:
    """Return the history lines of a change in this space; of a change of the whole store, all."""
    events = scope.store.history(change=change)
    whole = any(each.is_of_change and each.space == EVERYWHERE for each in notes_of(scope, change))
    return list(events if whole else events_in_space(scope, events))


def waiting_of(scope: Scope, change: str) -> list[State]:
    """Return what a change has proposed to the owner and still waits: its value names the change."""
    return [each for each in _put_before_owner(scope) if each.value.get("change") == change]


def _put_before_owner(scope: Scope) -> Iterator[State]:
    """Yield the keyed values of the space that wait for the owner; they may name the change behind them."""
    for area in areas.ALL:
        if area.waits:
            found = scope.store.states((scope.space,), area.name)
            yield from (each for each in found if isinstance(each.value, dict))


def last_change(scope: Scope) -> tuple[str, list[Event]]:
    """Return the newest change in the space made on this machine that is no undo and not undone.

    That is its id (or number) and its lines of history, which are empty if it changed only keyed values, or
    only proposed something that still waits. Raises NotFound.
    """
    made = newest_change(scope)
    return made.key, made.events


class Made(NamedTuple):
    """A change: its id (or the number of its line), and its lines of history."""

    key: str
    events: list[Event]
    is_earlier: bool = False
    """True if later changes are undone already."""


class _Noted(NamedTuple):
    """A change that may have touched no memory: known by its note, or by a proposal that still waits."""

    at: datetime
    change: str
    action: str
    undoes: str | None = None


def _made_beside_memories(scope: Scope) -> list[_Noted]:
    """Return the changes made on this machine that keyed values record, oldest first."""
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
    """Return those of some keyed values that no other machine brought."""
    by_name = {state_key(each.space, each.area, each.key): each for each in some}
    clocks = scope.store.clocks("state", list(by_name))
    return (state for name, state in by_name.items() if name not in clocks or not clocks[name].via)


def newest_change(scope: Scope, besides: Container[str] = ()) -> Made:
    """Return the last change as `last_change` does, skipping those in `besides`. Raises NotFound."""
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
            # Read again: lines of other writers may stand between those of a change of several transactions.
            return Made(key, _events_of(scope, key) if events[0].change else events, earlier)
    for noted in reversed(beside):
        if noted.action != UNDO and noted.change not in undone and noted.change not in besides:
            return Made(noted.change, _events_of(scope, noted.change), earlier)
        earlier |= noted.action != UNDO and noted.change not in besides
    raise NotFound("nothing to undo")


def _take_into(undone: set[str | None], action: str, change: str, undoes: str | None) -> None:
    """Add to `undone` what a change undoes, unless it is no undo or undone itself; called newest first."""
    if action == UNDO and change not in undone:
        undone.add(undoes)


def events_of_change(scope: Scope, named: str) -> tuple[str, list[Event]]:
    """Return a change's whole id and history lines, by its id, a part of it, or a line's number.

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
