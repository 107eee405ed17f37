"""Provenance of a memory: how it came in, what changed it, and what was derived from it."""

from __future__ import annotations

from typing import Any

from memcli import times
from memcli.memory_data import forced_rules, made_from
from memcli.model import Event, Filter, Link, Memory
from memcli.named_tuple import NamedTuple
from memcli.scope import Scope
from memcli.storage import areas
from memcli.storage.lookup import successor
from memcli.write_policy.gate import Gate
from memcli.write_policy.settings import WriteOptions


class Provenance(NamedTuple):
    """The recorded provenance of one memory.

    `now` is what the write policy would decide today ("take", or the reason against it); `recalls` is how
    often the recall log lists it, if there is one.
    """

    memory: Memory
    taken: Event | None
    changes: list[Event]
    superseded_by: str | None
    made_from: list[Memory]
    used_by: list[Memory]
    links: list[Link]
    recalls: int
    now: str

    def to_record(self) -> dict[str, Any]:
        """Return the provenance as JSON types."""
        memory = self.memory
        return {
            "id": memory.id, "text": memory.text, "source": memory.source, "origin": memory.origin,
            "trusted": memory.trusted, "confidence": memory.confidence,
            "overrides": forced_rules(memory), "approved": memory.data.get("approved"),
            "taken_at": times.to_iso(self.taken.at) if self.taken else None,
            "taken_by": self.taken.actor if self.taken else None,
            "reason": self.taken.reason if self.taken else None,
            "supersedes": memory.supersedes, "superseded_by": self.superseded_by,
            "ended_as": memory.ended_as, "ended_why": memory.ended_why,
            "confirmed": memory.confirm_count,
            "accessed": memory.access_count, "recalls_on_record": self.recalls,
            "changes": [
                {"at": times.to_iso(e.at), "action": e.action, "actor": e.actor, "reason": e.reason,
                 "before": e.before, "after": e.after}
                for e in self.changes
            ],
            "made_from": [each.id for each in self.made_from],
            "used_by": [each.id for each in self.used_by],
            "links": [[link.subject, link.relation, link.object] for link in self.links],
            "policy_now": self.now,
        }  # fmt: skip


def provenance_of(scope: Scope, memory: Memory) -> Provenance:
    """Return everything on record about one memory."""
    store = scope.store
    events = list(store.history(memory.id))
    logs = store.states((memory.space,), areas.RECALL_LOG.name)
    return Provenance(
        memory=memory,
        taken=next((event for event in events if event.before is None), None),
        changes=[event for event in events if event.before is not None],
        superseded_by=later.id if (later := successor(store, memory)) else None,
        made_from=[each for each in store.get(sorted(made_from(memory))) if each.space == memory.space],
        used_by=[
            each for each in store.select(Filter(spaces=(memory.space,), live=False), order="oldest")
            if memory.id == each.supersedes or memory.id in made_from(each)
        ],
        links=[
            link for link in store.links((memory.space,))
            if memory.id in (link.subject, link.object, link.evidence)
        ],
        recalls=sum(memory.id in state.value.get("hits", {}) for state in logs),
        now=_today(scope, memory),
    )  # fmt: skip


def _today(scope: Scope, memory: Memory) -> str:
    case = Gate(scope, WriteOptions(), scope.now()).examine(memory)
    if case.verdict:
        return f"{case.verdict.action}: {case.verdict.reason}"
    return "; ".join(("take", *case.notes))
