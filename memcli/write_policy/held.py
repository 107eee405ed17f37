"""Held memories: those that wait for the owner's review, stored apart so that recall never returns them.

The same memory is held only once. One that the owner rejected stays here, so that it is not asked about
again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime

from memcli import times
from memcli.model import Change, Memory, State, memory_from_record, new_state
from memcli.storage import Store, areas
from memcli.storage.states import readable_states
from memcli.text.comparison.duplicates import compare_texts
from memcli.write_policy.decision import Decision
from memcli.write_policy.repetitions import reinforced_memory


def hold_only_once(store: Store, decision: Decision, now: datetime, *, confirms: bool = True) -> Decision:
    """Return the decision to hold a memory; if the same one is waiting already, to reinforce that one.

    Without `confirms` the waiting one stays as it is.
    """
    new = decision.memory
    for state in readable_states(store, (new.space,), areas.HELD.name):
        known = memory_from_record(state.value["memory"])
        if rejected_at(state) is None and _says_the_same(new, known):
            again = reinforced_memory(known, new, now) if confirms else known
            return replace(
                decision, memory=again, rule="duplicate", reason="it waits already", other=again.id
            )
    return decision


def hold_memory(store: Store, decision: Decision, change: Change, now: datetime) -> None:
    """Write what `hold_only_once` decided, in the caller's transaction."""
    memory = decision.memory
    for state in readable_states(store, (memory.space,), areas.HELD.name, memory.id):
        value = {**state.value, "memory": memory.to_record()}
        if value == state.value:
            return
        again = state.changed(value, now)
        store.put_state(again, expected_version=state.version)
        return
    value = {
        "memory": memory.to_record(), "rule": decision.rule, "reason": decision.reason, "change": change.id,
    }  # fmt: skip
    store.put_state(new_state(memory.space, areas.HELD.name, memory.id, value, now), expected_version=0)


def held_since(store: Store, space: str, origin: str) -> Iterator[datetime]:
    """Yield when each memory of an origin was held, whether it still waits or was rejected."""
    for state in readable_states(store, (space,), areas.HELD.name):
        if state.value["memory"].get("origin") == origin:
            yield state.created_at


def note_rejected(store: Store, memory: Memory, now: datetime) -> None:
    """Record that the owner rejected a held memory; in the caller's transaction."""
    for state in readable_states(store, (memory.space,), areas.HELD.name, memory.id):
        # Without the change that held it, undoing that change does not take the rejection back.
        value = {name: each for name, each in state.value.items() if name != "change"}
        value["rejected"] = times.to_iso(now)
        store.put_state(state.changed(value, now))


def rejected_at(state: State) -> datetime | None:
    """Return when the owner rejected a held memory; None if it still waits."""
    at = state.value.get("rejected")
    return times.from_iso(at) if isinstance(at, str) else None


def rejection_of(store: Store, new: Memory) -> datetime | None:
    """Return when the owner rejected a memory that says the same, in its space; None if never."""
    for state in readable_states(store, (new.space,), areas.HELD.name):
        at = rejected_at(state)
        if at and _says_the_same(new, memory_from_record(state.value["memory"])):
            return at
    return None


def _says_the_same(new: Memory, known: Memory) -> bool:
    """True if both have the same kind and text, ignoring case, spacing and punctuation."""
    return known.kind == new.kind and compare_texts(new.text, known.text, None).verdict == "same"
