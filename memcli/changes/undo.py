"""Undo: take back a change, as far as nothing has changed the same things since."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from memcli import ids, times
from memcli.changes.arrivals import check_reach
from memcli.changes.past_changes import (
    PROPOSED,
    UNDO,
    Made,
    events_of_change,
    newest_change,
    notes_of,
    waiting_of,
)
from memcli.changes.relocation import undo_links_and_states
from memcli.changes.undone_events import FINAL, because, undo_event
from memcli.changes.values_before import ValueBefore, note_change, replace_values, undo_values
from memcli.doors import COPIES, REVIEW, Deed
from memcli.doors import UNDO as UNDO_DOOR
from memcli.errors import NotFound, Refused
from memcli.memories import Memories
from memcli.messages import Command, message
from memcli.model import EVERYWHERE, Change, Event, Link, Memory, State
from memcli.scope import Scope
from memcli.storage import areas

# Areas that are restored if possible, without being reported.
_UNSAID = (areas.SESSION_AT_HAND.name, areas.TASK_RECALLS.name)


@dataclass(frozen=True, slots=True)
class UndoResult:
    """The result of an undo: the change taken back, the memories as they are now, and what was left."""

    change: str
    action: str
    memories: list[Memory]
    left: list[str] = field(default_factory=list)
    withdrawn: list[str] = field(default_factory=list)
    """Proposals of the change that nobody has decided on, withdrawn with it (`area/key`)."""
    links: list[Link] = field(default_factory=list)
    waiting: list[str] = field(default_factory=list)
    """Proposals that wait for the owner again, as before they were withdrawn or answered (`area/key`)."""
    values: list[str] = field(default_factory=list)
    """Other keyed values that were restored (`area/key`)."""
    at: datetime | None = None
    """When the change was made, if that is recorded."""
    is_earlier: bool = False
    """True if it was the last one only because later ones are undone already."""
    undo: str = ""
    """The id of the undo itself, as a change: undoing that redoes the change."""
    remarks: list[str] = field(default_factory=list)
    """Remarks on what was restored, such as that its expiry is lifted."""
    passed: list[str] = field(default_factory=list)
    """The later changes, each in a few words, that had nothing to take back."""

    @property
    def is_any(self) -> bool:
        """True if anything was taken back."""
        return bool(self.memories or self.withdrawn or self.waiting or self.links or self.values)


def undo_change(memories: Memories, named: str | None = None) -> UndoResult:
    """Take back the last change, or the one named by its id (or part of it) or by a line's number.

    What it added is ended, what it changed gets its old values back if they have not been changed again;
    what it held, asked or proposed and still waits is withdrawn, what it answered waits again. A change of
    the whole store (a rollback) is taken back in every space. Undoing an undo redoes the change. What was
    erased or purged in it stays gone. Without a name, changes that have nothing to take back are skipped
    and listed in `passed`; one whose effects all had to be left counts as taken back, so that the next undo
    goes further back; and nothing is taken back behind a merge or a restore that came after it. Raises
    NotFound if there is nothing to undo, Refused if all of it was an erasure, or a merge or restore came
    since.
    """
    with memories.store.writing():
        if named:
            key, events = events_of_change(memories, named)
            return _undone(memories, Made(key, events))
        passed: dict[str, str] = {}
        last: UndoResult | None = None
        while True:
            try:
                made = newest_change(memories, besides=passed)
            except NotFound:
                if last is None:
                    raise
                return last
            last = _undone(memories, made)
            last.passed.extend(passed.values())
            # If this raises Refused, the transaction is rolled back.
            came = check_reach(memories, made.key, last.action, made.events, last.at) if last.is_any else ""
            if last.is_any:
                last.left.extend([came] if came else ())
                return last
            if last.left:
                tried = Change(UNDO, memories.origin, because(made.key), last.undo, undoes=made.key)
                note_change(memories, tried, memories.space, memories.now())
                return last
            when = f" of {times.local_time(last.at, seconds=True)}" if last.at else ""
            passed[made.key] = f"{last.action}{when} ({ids.short_id(made.key)})"


def _undone(memories: Memories, made: Made) -> UndoResult:
    """Take one change back, in the caller's transaction."""
    key, events = made.key, made.events
    waiting, notes = waiting_of(memories, key), notes_of(memories, key)
    _check_undo(memories, events, waiting, notes)
    now = memories.now()
    action = events[0].action if events else notes[0].action if notes else PROPOSED
    change = Change(UNDO, memories.origin, because(key), memories.new_id(now), undoes=key)
    made_at = [each.at for each in events[:1]] or [each.at for each in notes[:1]]
    at = next(iter(made_at or [each.created_at for each in waiting]), None)
    undone = UndoResult(key, action, [], at=at, is_earlier=made.is_earlier, undo=change.id or "")
    undone.withdrawn.extend(_withdraw(memories, waiting, change, now))
    undone.left.extend(f"{e.memory} was {e.action}d for good" for e in events if e.action in FINAL)
    for event in sorted(events, key=lambda each: -each.number):
        if event.action in FINAL:
            continue
        touched = {each.memory for each in events}
        after = undo_event(memories, event, touched, change, now, undone.left, undone.remarks)
        if after:
            undone.memories.append(after)
    if action == "import" and _holds_more(memories):
        undone.left.append("whatever came with it beside memories (links, blocks, tasks and the like)")
    if events or notes:
        undone.links.extend(undo_links_and_states(memories, key, events, change, now, undone.left))
    said = [note for note in notes if note.area not in _UNSAID]
    for note in undo_values(memories, said, change, now, undone.left):
        (undone.waiting if note.waited else undone.values).append(note.address)
    # A newer value of these areas stays, which need not be reported.
    undo_values(memories, [note for note in notes if note.area in _UNSAID], change, now, [])
    return undone


def _check_undo(
    memories: Memories, events: Sequence[Event], waiting: Sequence[State], notes: Sequence[ValueBefore]
) -> None:
    """Raise Refused if this origin may not take the change back, or if all of it was an erasure."""
    memories.check_undo(events)
    put = [note for note in notes if not note.is_of_change]
    of_review = bool(put) and all(note.waits for note in put)
    if (waiting or of_review) and not events:
        own = not notes and all(_is_own_held(memories, each) for each in waiting)
        if not (own and UNDO_DOOR.lets(Deed.END, own=own)):
            memories.require(REVIEW, Deed.END, "withdrawing what waits for review")
    if any(note.is_of_change and note.space == EVERYWHERE for note in notes):
        memories.require(COPIES, Deed.CHANGE, "taking back a rollback")
    elif notes and not (events or of_review):
        own = all(note.actor == memories.origin for note in notes)
        memories.require(UNDO_DOOR, Deed.END, "taking back a change", own=own)
    if events and all(event.action in FINAL for event in events) and not (waiting or notes):
        first = events[0]
        raise Refused(
            f"{first.memory} was forgotten for good at {first.at:%Y-%m-%d %H:%M}; that cannot be undone",
            by_hand=message(
                Command("undo CHANGE"), " takes an earlier change back, ", Command("history"), " shows them"
            ),
        )


def _is_own_held(scope: Scope, waiting: State) -> bool:
    """True if what waits is a memory that this origin wrote, and that nobody has vouched for since."""
    held = waiting.value.get("memory") if waiting.area == areas.HELD.name else None
    memory = held if isinstance(held, dict) else {}
    return memory.get("origin") == scope.origin and memory.get("trusted") is False


def _holds_more(scope: Scope) -> bool:
    """True if the space holds anything beside memories that an import may have brought."""
    brought = (each for each in areas.ALL if each.travels and each.in_spaces and each.rolls_back)
    return scope.store.has_links(scope.space) or any(
        any(True for _ in scope.store.states((scope.space,), area.name)) for area in brought
    )


def _withdraw(scope: Scope, waiting: Sequence[State], change: Change, now: datetime) -> list[str]:
    """Withdraw what waits for the owner, as part of `change`, so that undoing that restores it.

    Returns the addresses, as `area/key`.
    """
    if waiting:
        note_change(scope, change, scope.space, now)
        replace_values(scope, change, (), [(each.space, each.area, each.key) for each in waiting], now)
    return [f"{each.area}/{each.key}" for each in waiting]
