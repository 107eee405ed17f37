"""Carrying out what the write policy decides: one change on record, one transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from memcli.model import KNOWLEDGE, Change, Memory, State
from memcli.storage import Store, Vectors
from memcli.write_policy.decision import Decision
from memcli.write_policy.gate import Asked, Case, Gate, Policy
from memcli.write_policy.neighbourhood import Neighbourhood

# Keyed state: what waits for its owner, by the id that it will have.
HELD = "held"


class Admission:
    """One write: its memories are examined, then (with their vectors) decided on and written."""

    def __init__(self, store: Store, policy: Policy, asked: Asked, now: datetime, change_id: str) -> None:
        self._store = store
        self._gate = Gate(store, policy, asked, now)
        self._now = now
        self._change_id = change_id

    def examine(self, memories: Sequence[Memory], replaced: Mapping[str, Memory]) -> list[Case]:
        """What the texts alone decide; memories that supersede others know which."""
        return [
            replace(self._gate.examine(memory), supersedes=replaced.get(memory.id)) for memory in memories
        ]

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
        self, cases: Sequence[Case], vectors: Mapping[str, Vectors], known: Neighbourhood, *, action: str
    ) -> list[Decision]:
        """Decide on the open cases and write, in the caller's transaction; decisions in order."""
        decisions: list[Decision] = []
        with self._store.writing():
            for case in cases:
                decided = case
                if decided.verdict is None:
                    first = next(iter(vectors.get(case.memory.id, ())), None)
                    decided = self._gate.compare(case, first, known)
                assert decided.verdict  # noqa: S101 - compare decides
                decisions.append(self._write(decided.verdict, vectors, action))
        return decisions

    def _write(self, decision: Decision, vectors: Mapping[str, Vectors], action: str) -> Decision:
        memory = decision.memory
        if decision.overrides:
            memory = replace(memory, data={**memory.data, "overrides": list(decision.overrides)})
        # The notes quote other memories; the record outlives them.
        why = f"forced past {', '.join(decision.overrides)}" if decision.overrides else None
        if decision.action == "take":
            self._put(memory, vectors, action, why)
        elif decision.action == "supersede":
            memory = replace(memory, supersedes=decision.other)
            self._put(memory, vectors, "correct", why)
            self._end(decision.other or "", f"superseded by {memory.id}")
        elif decision.action == "reinforce":
            self._put(memory, vectors, "confirm", "said again")
        elif decision.action == "hold":
            value = {"memory": memory.to_record(), "rule": decision.rule, "reason": decision.reason}
            self._store.put_state(
                State(memory.space, HELD, memory.id, value, 1, self._now, self._now), expected_version=0
            )
        return replace(decision, memory=memory)

    def _put(self, memory: Memory, vectors: Mapping[str, Vectors], action: str, why: str | None) -> None:
        change = Change(action, memory.origin, why, self._change_id)
        self._store.put([memory], change, self._now, vectors)

    def _end(self, memory_id: str, why: str) -> None:
        ended = [
            replace(old, ended_at=self._now, ended_why=why, updated_at=self._now)
            for old in self._store.get([memory_id])
            if old.ended_at is None
        ]
        self._store.put(ended, Change("end", reason=why, id=self._change_id), self._now)
