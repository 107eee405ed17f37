"""Carrying out what the write policy decides: one change on record, one transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from memcli.errors import NotFound, Refused
from memcli.model import KNOWLEDGE, Change, Memory, State, as_ended
from memcli.storage import Store, Vectors
from memcli.storage.lookup import in_force
from memcli.write_policy.decision import Case, Decision
from memcli.write_policy.gate import Asked, Gate, Policy
from memcli.write_policy.related import Neighbourhood

# Keyed state: what waits for its owner, by the id that it will have.
HELD = "held"


class Admission:
    """One write: its memories are examined, then (with their vectors) decided on and written."""

    def __init__(self, store: Store, policy: Policy, asked: Asked, now: datetime, change: Change) -> None:
        if asked.force and policy.from_outside(change.actor):
            raise Refused(
                f"--force overrides the owner's policy, and {change.actor} is an untrusted origin",
                rule="untrusted-origin",
            )
        self._store = store
        self._gate = Gate(store, policy, asked, now)
        self._now = now
        # By whoever writes now, whatever door the memories themselves came through.
        self._change = change

    def examine(self, memories: Sequence[Memory], replaced: Mapping[str, Memory]) -> list[Case]:
        """What the texts alone decide; memories that supersede others know which."""
        cases = []
        for memory in memories:
            case, old = self._gate.examine(memory), replaced.get(memory.id)
            if old and memory.supersedes not in (None, old.id):
                case = case.noting(f"{memory.supersedes} is superseded already; replacing {old.id}")
            cases.append(replace(case, supersedes=old))
        return cases

    def look_around(
        self, cases: Sequence[Case], vectors: Mapping[str, Vectors], known: Neighbourhood | None
    ) -> Neighbourhood:
        """Where the open cases find what is like them; for many that is slow, so before the transaction."""
        known = known or Neighbourhood(self._store, self._now)
        known.prepare(
            [
                (case.memory, vectors[case.memory.id][0])
                for case in cases
                if case.verdict is None and case.memory.kind in KNOWLEDGE and case.memory.id in vectors
            ]
        )
        return known

    def carry_out(
        self, cases: Sequence[Case], vectors: Mapping[str, Vectors], known: Neighbourhood
    ) -> list[Decision]:
        """Decide on the open cases and write, in the caller's transaction; decisions in order."""
        decisions: list[Decision] = []
        with self._store.writing():
            for case in cases:
                decided = case
                if decided.verdict is None:
                    decided = self._as_it_stands(decided)
                    first = next(iter(vectors.get(case.memory.id, ())), None)
                    decided = self._gate.compare(decided, first, known)
                assert decided.verdict  # noqa: S101 - compare decides
                decisions.append(self._write(decided.verdict, vectors))
        return decisions

    def _as_it_stands(self, case: Case) -> Case:
        """What a case replaces may have been replaced, ended or erased since it was looked up."""
        old = case.supersedes
        if old is None or old.ended_at:
            return case
        here = next(iter(self._store.get([old.id])), None)
        if here is None or here.space != old.space:
            raise NotFound(
                f"no memory {old.id} in space {old.space!r} any more: it was erased or moved meanwhile"
            )
        here = in_force(self._store, here)
        if here.id != old.id:
            case = case.noting(f"{old.id} is superseded already; replacing {here.id}")
        return replace(case, supersedes=here)

    def _write(self, decision: Decision, vectors: Mapping[str, Vectors]) -> Decision:
        memory = decision.memory
        if decision.overrides:
            memory = replace(memory, data={**memory.data, "overrides": list(decision.overrides)})
        # The notes quote other memories; the record outlives them.
        forced = f"forced past {', '.join(decision.overrides)}" if decision.overrides else None
        why = "; ".join(each for each in (self._change.reason, forced) if each) or None
        if decision.action == "take":
            self._put(memory, vectors, self._change.action, why)
        elif decision.action == "supersede":
            memory = replace(memory, supersedes=decision.other)
            correcting = "correct" if self._change.action == "add" else self._change.action
            self._put(memory, vectors, correcting, why)
            self._supersede(decision.other or "", memory.id)
        elif decision.action == "reinforce":
            self._put(memory, vectors, "confirm", "said again")
        elif decision.action == "hold":
            return self._hold(replace(decision, memory=memory))
        return replace(decision, memory=memory)

    def _hold(self, decision: Decision) -> Decision:
        """Let it wait for its owner; said again, the one that waits is surer and stays the only one."""
        from memcli.write_policy.repetition import said_again, waiting

        memory = decision.memory
        for state in self._store.states((memory.space,), HELD):
            if known := waiting(memory, state):
                again = said_again(known, memory, self._now)
                value = {**state.value, "memory": again.to_record()}
                changed = state._replace(value=value, version=state.version + 1, updated_at=self._now)
                self._store.put_state(changed, expected_version=state.version)
                return replace(
                    decision, memory=again, rule="duplicate", reason="it waits already", other=again.id
                )
        value = {
            "memory": memory.to_record(), "rule": decision.rule, "reason": decision.reason,
            "change": self._change.id,
        }  # fmt: skip
        self._store.put_state(
            State(memory.space, HELD, memory.id, value, 1, self._now, self._now), expected_version=0
        )
        return decision

    def _put(self, memory: Memory, vectors: Mapping[str, Vectors], action: str, why: str | None) -> None:
        change = self._change._replace(action=action, reason=why)
        self._store.put([memory], change, self._now, vectors)

    def _supersede(self, memory_id: str, by: str) -> None:
        why = f"superseded by {by}"
        old = [
            as_ended(each, self._now, "superseded", why, by)
            for each in self._store.get([memory_id])
            if each.ended_at is None
        ]
        self._store.put(old, self._change._replace(action="end", reason=why), self._now)
