"""Review: list, accept and reject the memories that the write policy holds for the owner.

A rejected memory stays on record: it is not asked about again, and may still be accepted later.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from memcli import ids
from memcli.doors import REVIEW, Deed
from memcli.embedding.bound_model import BoundModel
from memcli.errors import BadInput, NotFound
from memcli.messages import Command, message
from memcli.model import Memory, memory_from_record
from memcli.named_tuple import NamedTuple
from memcli.scope import Scope
from memcli.storage import areas
from memcli.storage.states import readable_states
from memcli.write_policy import held
from memcli.write_policy.admission import admit
from memcli.write_policy.decision import Decision, WriterClaims
from memcli.write_policy.settings import WriteOptions


class HeldMemory(NamedTuple):
    """A held memory with the rule and the reason; `rejected` is when the owner rejected it."""

    memory: Memory
    rule: str
    reason: str
    rejected: datetime | None = None


def list_held(scope: Scope, *, rejected: bool = False) -> Iterator[HeldMemory]:
    """Yield the memories that wait in the space, or with `rejected` those rejected, oldest first."""
    for state in readable_states(scope.store, (scope.space,), areas.HELD.name):
        value = state.value
        at = held.rejected_at(state)
        if rejected == (at is not None):
            yield HeldMemory(memory_from_record(value["memory"]), value["rule"], value["reason"], at)


def find_held(scope: Scope, fragment: str, *, rejected: bool = False) -> HeldMemory:
    """Return the held (or rejected) memory with this id or part of it. Raises NotFound, BadInput."""
    wanted = ids.normalise_fragment(fragment) or "-"
    found = [
        each for each in list_held(scope, rejected=rejected)
        if each.memory.id.startswith(wanted) or each.memory.id.endswith(wanted)
    ]  # fmt: skip
    if not found:
        raise NotFound(
            f"nothing waits under {fragment!r:.40}",
            by_hand=message(Command("review list"), " shows what does"),
        )
    if len(found) > 1:
        raise BadInput(f"{fragment!r:.40} fits {len(found)} that wait; give more of the id")
    return found[0]


def accept_held(scope: Scope, model: BoundModel, chosen: Sequence[HeldMemory]) -> list[Decision]:
    """Store held memories as trusted; the owner's approval is recorded beside their origin.

    An untrusted text never becomes a policy.
    """
    scope.require(REVIEW, Deed.VOUCH, "accepting what was held")
    now = scope.now()
    approved = [
        replace(
            each.memory,
            trusted=each.memory.trusted or each.memory.kind != "policy",
            updated_at=now,
            data={**each.memory.data, "approved": each.rule},
        )
        for each in chosen
    ]

    def drop_taken(decisions: Sequence[Decision]) -> None:
        for each, decision in zip(chosen, decisions, strict=True):
            if decision.action != "refuse":
                scope.store.drop_state(scope.space, areas.HELD.name, each.memory.id)

    return admit(
        scope, model, approved, WriteOptions(approved=True),
        told=_replaced(scope, approved), action="accept", then=drop_taken,
    )  # fmt: skip


def _replaced(scope: Scope, approved: Sequence[Memory]) -> dict[str, WriterClaims]:
    """Map the ids of held corrections to the memories that they replace, if these are still in force."""
    found = {}
    for memory in approved:
        for named in scope.store.get([memory.supersedes]) if memory.supersedes else ():
            current = scope.current_version(named)
            if current.ended_at is None and current.space == memory.space:
                found[memory.id] = WriterClaims(replaces=current)
    return found


def reject_held(scope: Scope, chosen: Sequence[HeldMemory]) -> None:
    """Mark held memories as rejected: they wait no longer and are not asked about again."""
    scope.require(REVIEW, Deed.END, "rejecting what was held")
    with scope.store.writing():
        for each in chosen:
            held.note_rejected(scope.store, each.memory, scope.now())


def drop_held(scope: Scope) -> None:
    """Delete all that waits in the space, and all that was rejected."""
    scope.require(REVIEW, Deed.END, "forgetting all that is here, with what waits for review")
    with scope.store.writing():
        for state in list(scope.store.states((scope.space,), areas.HELD.name)):
            scope.store.drop_state(state.space, areas.HELD.name, state.key)
