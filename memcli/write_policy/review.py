"""What the write policy holds waits here for its owner: never recalled, never lost.

What its owner rejects stays on record: it is not asked again, and may be accepted after all.
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
    """A memory that waits, and why; or that was rejected, and when."""

    memory: Memory
    rule: str
    reason: str
    rejected: datetime | None = None


def list_held(scope: Scope, *, rejected: bool = False) -> Iterator[HeldMemory]:
    """What waits in the space, or what was rejected, oldest first."""
    for state in readable_states(scope.store, (scope.space,), areas.HELD.name):
        value = state.value
        at = held.rejected_at(state)
        if rejected == (at is not None):
            yield HeldMemory(memory_from_record(value["memory"]), value["rule"], value["reason"], at)


def find_held(scope: Scope, fragment: str, *, rejected: bool = False) -> HeldMemory:
    """The one that waits under this id, or part of it; or one of the rejected. Raises NotFound, BadInput."""
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
    """Take them in, trusted: their owner approved, which is on record beside the door they came through.

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
    """What held corrections replace, by the id of the correction; nothing where that was ended meanwhile."""
    found = {}
    for memory in approved:
        for named in scope.store.get([memory.supersedes]) if memory.supersedes else ():
            current = scope.current_version(named)
            if current.ended_at is None and current.space == memory.space:
                found[memory.id] = WriterClaims(replaces=current)
    return found


def reject_held(scope: Scope, chosen: Sequence[HeldMemory]) -> None:
    """Say no to what waited: it waits no longer, and is not asked again."""
    scope.require(REVIEW, Deed.END, "rejecting what was held")
    with scope.store.writing():
        for each in chosen:
            held.note_rejected(scope.store, each.memory, scope.now())


def drop_held(scope: Scope) -> None:
    """Forget all that waits in the space, and all that was rejected."""
    scope.require(REVIEW, Deed.END, "forgetting all that is here, with what waits for review")
    with scope.store.writing():
        for state in list(scope.store.states((scope.space,), areas.HELD.name)):
            scope.store.drop_state(state.space, areas.HELD.name, state.key)
