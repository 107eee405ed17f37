"""Undone events: restore a memory to its state before one line of history, unless changed since."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace
from datetime import datetime

from memcli.changes.past_changes import UNDO, change_key
from memcli.ids import short_id
from memcli.memories import Memories
from memcli.messages import Command, message
from memcli.model import (
    Change,
    Event,
    Memory,
    as_ended,
    memory_from_record,
    outcome_counts,
    without_lapsed_ttl,
)
from memcli.scope import Scope
from memcli.times import local_day

# The action of forgetting, and of ending by consolidation.
ENDED = "end"
# The actions that cannot be undone.
FINAL = ("erase", "purge")
# The actions that record the use of a procedure, and the counters in the procedure's data.
OUTCOMES = {"worked": "ok", "failed": "failed"}


def because(key: str) -> str:
    """Return the reason that an undo records, which names the change it takes back."""
    return f"undo of {key}"


def undo_event(
    memories: Memories,
    event: Event,
    changed: Set[str],
    change: Change,
    now: datetime,
    left: list[str],
    remarks: list[str],
) -> Memory | None:
    """Undo one line of history of a memory, as part of `change`; return the memory after it.

    None if nothing was to be written; the reason is added to `left`. `changed` are the ids of the memories
    that the undone change touched. Remarks on what was restored are added to `remarks`.
    """
    from memcli.write_policy.related.lookup import standing_repetition

    here = next(iter(memories.store.get([event.memory])), None)
    if here is None:
        left.append(f"{event.memory} is gone")
        return None
    memories.check_change([here], "taking back a change of")
    if outcome := _outcome_of(memories, event):
        return _undo_outcome(memories, here, event, outcome, change, now, left)
    after = _taken_back(memories, event, here, now, left)
    if event.action == ENDED and here.ended_at and after.ended_at is None:
        known = standing_repetition(memories.store, after, now)
        # Memories that the change itself ended or made are being undone, too.
        if known and known.id not in changed:
            left.append(f"{here.id} stays ended: {known.id} says the same by now")
            return None
    if here.ended_at and after.ended_at is None:
        after = _living(after, now, remarks)
    if after == here:
        return None
    vectors = memories.model.embed([after]) if after.text != here.text else {}
    memories.store.put([replace(after, updated_at=now)], change, now, vectors)
    return after


def _living(back: Memory, now: datetime, remarks: list[str]) -> Memory:
    """Return a restored memory without an expiry that has passed; remarks say so."""
    lives = without_lapsed_ttl(back, now)
    if lives is not back and back.expires_at:
        day = local_day(back.expires_at)
        remarks.append(f"{back.id} stays from now on: its time to live, which ended {day}, is lifted")
    if back.valid_until and back.valid_until <= now:
        lifts = Command(f"edit {short_id(back.id)} --until never")
        until = f"{back.id} was true until {local_day(back.valid_until)}, which stays so; "
        remarks.append(message(until, lifts, " lifts that"))
    return lives


def _taken_back(scope: Scope, event: Event, here: Memory, now: datetime, left: list[str]) -> Memory:
    if event.before is None:
        if here.ended_at:
            later = scope.current_version(here)
            stays = f"; {later.id}, which took its place, stays" if later.ended_at is None else ""
            left.append(f"{here.id} was ended already{stays}")
            return here
        return as_ended(here, now, "undone", because(change_key(event)))
    record = here.to_record()
    after = event.after or {}
    for name, value in event.before.items():
        if record[name] == after.get(name):
            record[name] = value
        else:
            left.append(f"{here.id}: {name} was changed again since")
    return memory_from_record(record)


def _outcome_of(scope: Scope, event: Event) -> tuple[str, int] | None:
    """Return which outcome of a procedure a line records, and the step by which its undo changes the count.

    None if it records none. An undo of an outcome counts as one, too: taking that back counts it again.
    """
    step, seen = -1, set[str]()
    while event.action == UNDO and not event.before and event.undoes and event.undoes not in seen:
        seen.add(event.undoes)
        step = -step
        lines = scope.store.history(event.memory)
        named = [each for each in lines if change_key(each) == event.undoes]
        if not named:
            return None
        event = named[0]
    return (event.action, step) if event.action in OUTCOMES else None


def _undo_outcome(
    memories: Memories,
    here: Memory,
    event: Event,
    outcome: tuple[str, int],
    change: Change,
    now: datetime,
    left: list[str],
) -> Memory | None:
    """Decrement the count of an outcome, or restore it; its line stays on record, with this one beside it.

    For a trusted procedure, outcomes reported by an untrusted origin were never counted.
    """
    action, step = outcome
    name = OUTCOMES[action]
    if here.trusted and memories.distrusts(event.actor):
        return None
    counts = dict(zip(("ok", "failed"), outcome_counts(here.data), strict=True))
    if counts[name] + step < 0:
        left.append(f"{here.id}: how often it {action} was changed again since")
        return None
    counts[name] += step
    after = replace(here, updated_at=now, data={**here.data, **counts})
    memories.store.put([after], None, now)
    line = Event(0, now, here.id, UNDO, change.actor, change.reason, {}, {}, change.id, change.undoes)
    memories.store.put_history([line])
    return after
