"""Admission: the path that every memory takes into the store, from its text to the committed row.

The slow part comes first, without a lock: the texts are examined, those still undecided are embedded, and
related memories are looked up. Then one short transaction decides the remaining cases by the state of the
store at that moment, and writes the memories and their history.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from memcli.embedding.bound_model import BoundModel
from memcli.errors import NotFound, Refused
from memcli.judgement.notes import CHANGE
from memcli.judgement.statements import StatementJudgement
from memcli.messages import Command, message
from memcli.model import ChangeAction, Ending, Event, Memory, as_ended
from memcli.scope import Scope
from memcli.storage import Beginning, Vectors
from memcli.storage.lookup import require_in_force
from memcli.write_policy import held
from memcli.write_policy.decision import Case, Decision, Told, judged_record
from memcli.write_policy.drafts import Draft, new_memories
from memcli.write_policy.flood import RULE, flood_reason
from memcli.write_policy.gate import Gate
from memcli.write_policy.related.lookup import RelatedLookup, RelatedMemories
from memcli.write_policy.rules.supersession import tell_replacement
from memcli.write_policy.said_again import (
    CONFIRM,
    LINES,
    is_on_record,
    repetition,
    said_again,
    said_again_by,
    speaker,
)
from memcli.write_policy.settings import WriteOptions

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future
    from datetime import datetime

    from memcli.embedding import Floats

_BEGUN = message(
    "long: by meaning its beginning is found for now; recalls read on, ",
    Command("consolidate"), " to the end, or at once ", Command("reindex --missing"),
)  # fmt: skip


def admit(
    scope: Scope,
    model: BoundModel,
    memories: Sequence[Memory],
    options: WriteOptions | None = None,
    *,
    told: Mapping[str, Told] | None = None,
    related: RelatedLookup | None = None,
    action: ChangeAction = "add",
    kinds_open: Collection[str] = (),
    dry_run: bool = False,
) -> list[Decision]:
    """Decide on memories one by one and carry the decisions out; return one decision for each, in order.

    See `Admission`. Raises BadInput, NotFound and Refused for memories that cannot be kept at all,
    ModelUnusable, StoreUnusable; then nothing is written.
    """
    admission = Admission(scope, model, options, related=related, action=action)
    admission.prepare(memories, told, kinds_open)
    return admission.rehearse() if dry_run else admission.write()


def admit_drafts(
    scope: Scope,
    model: BoundModel,
    drafts: Sequence[Draft],
    options: WriteOptions | None = None,
    *,
    dry_run: bool = False,
) -> list[Decision]:
    """Make memories from drafts, then decide and write as `admit` does."""
    memories, told, kinds_open = new_memories(scope, drafts)
    return admit(scope, model, memories, options, told=told, kinds_open=kinds_open, dry_run=dry_run)


class Admission:
    """One write operation: `prepare` does the slow work, `write` is one short transaction.

    The write is made by the origin of `scope`, whatever origin the memories themselves have, and is
    recorded as one change with the given `action`. `related` is where related memories are looked up; a
    bulk write passes its own. With `confirms` False a repetition does not confirm the memory that it
    repeats: its words are only recorded in that memory's history, since reading the same file twice is no
    second witness. Raises Refused if an untrusted origin asks for `--force`.
    """

    def __init__(
        self,
        scope: Scope,
        model: BoundModel,
        options: WriteOptions | None = None,
        *,
        related: RelatedLookup | None = None,
        action: ChangeAction = "add",
        confirms: bool = True,
    ) -> None:
        options = options or WriteOptions()
        self._confirms = confirms
        self._scope = scope
        self._carried = options.carried
        self._store = scope.store
        self._model = model
        self._now = scope.now()
        self._change = scope.change(action, options.reason)
        if options.force and scope.is_untrusted:
            raise Refused(
                f"--force overrides the owner's policy, and {scope.origin} is an untrusted origin",
                rule="untrusted-origin",
            )
        self._lookup = related or RelatedLookup(scope.store, self._now)
        self._buffer = self._lookup.buffer
        self._gate = Gate(scope, options, self._now, self._buffer)
        self._cases: list[Case] = []
        self._reading: Future[tuple[dict[str, Vectors], dict[str, Floats]]] | None = None
        self._vectors: dict[str, Vectors] = {}
        self._related: dict[str, RelatedMemories] = {}
        self._repetitions: dict[str, list[Event]] = {}
        self._said_again: list[datetime] | None = None

    def prepare(
        self,
        memories: Sequence[Memory],
        told: Mapping[str, Told] | None = None,
        kinds_open: Collection[str] = (),
    ) -> None:
        """Examine and embed the texts, judge them and look up related memories, without a lock.

        `told` maps the id of a new memory to what its writer says about memories in force; `kinds_open`
        holds the ids of those whose kind nobody has stated. May raise ModelUnusable.
        """
        self.examine(memories, told)
        self.look_around(kinds_open)

    def examine(
        self,
        memories: Sequence[Memory],
        told: Mapping[str, Told] | None = None,
        *,
        thread: Executor | None = None,
    ) -> None:
        """Apply the rules that need the text only: the first half of `prepare`.

        It does not depend on what is written before the second half. With a `thread`, the model embeds the
        undecided texts there while the caller goes on.
        """
        self._cases = [self._examined(memory, (told or {}).get(memory.id, Told())) for memory in memories]
        if thread and (still_open := self._open()):
            self._reading = self._model.read_ahead(still_open, thread)

    def _open(self) -> list[Memory]:
        return [case.memory for case in self._cases if case.verdict is None]

    def look_around(self, kinds_open: Collection[str] = ()) -> None:
        """Judge the undecided cases and look up related memories: the second half of `prepare`."""
        read = self._reading.result() if self._reading else self._model.read(self._open())
        self._vectors, middles = read
        self._cases = [
            case
            if case.verdict
            else self._gate.judge(
                case,
                StatementJudgement(case.memory.text, middles.get(case.memory.id)),
                kind_is_open=case.memory.id in kinds_open,
            )
            for case in self._cases
        ]
        still_open = self._open()
        beginnings = [next(iter(self._vectors[memory.id]), None) for memory in still_open]
        related = self._lookup.of(
            list(zip(still_open, beginnings, strict=True)),
            told_changes=frozenset(case.memory.id for case in self._cases if CHANGE in case.judged),
            judged=self._model.is_judged,
            scale=self._model.scale() if self._vectors else None,
        )
        self._related = {memory.id: each for memory, each in zip(still_open, related, strict=True)}

    def write(self, some: Container[str] | None = None) -> list[Decision]:
        """Decide and write, all or nothing; a memory written earlier counts for the decisions on later ones.

        With `some`, only the memories with these ids, so that a caller can prepare many at once and write
        each by itself.
        """
        with self._store.writing():
            if self._vectors and not self._model.bind():
                self._vectors = {}
            cases = [case for case in self._cases if some is None or case.memory.id in some]
            try:
                decisions = [self._written(self._decided(case), case.memory) for case in cases]
                self._settle()
            except BaseException:
                if self._buffer:
                    self._buffer.drop()
                raise
            return decisions

    def rehearse(self) -> list[Decision]:
        """Return the decisions that `write` would make, without writing (`--dry-run`).

        A single memory is decided on without a lock, also in a read-only store. Of several, each counts for
        those after it, in every index that is searched: so they are written and rolled back.
        """
        if len(self._cases) < 2:
            return [self._decided(case) for case in self._cases]
        with self._store.discarding():
            return self.write()

    # Deciding

    def _examined(self, memory: Memory, told: Told) -> Case:
        case, old = self._gate.examine(memory), told.replaces
        if old and memory.supersedes not in (None, old.id):
            case = case.noting(f"{memory.supersedes} is superseded already; replacing {old.id}")
        return tell_replacement(replace(case, told=told))

    def _decided(self, case: Case) -> Decision:
        """Return the final decision on a case, by the current state of the store."""
        if case.verdict is None:
            case = self._gate.compare(self._as_it_stands(case), self._related[case.memory.id])
        decision = case.verdict
        assert decision  # noqa: S101 - compare decides
        memory = decision.memory
        if decision.overrides:
            memory = replace(memory, data={**memory.data, "overrides": list(decision.overrides)})
        if decision.judged and decision.action in ("take", "supersede"):
            memory = replace(memory, data={**memory.data, "judged": judged_record(decision.judged)})
        if decision.action == "supersede":
            memory = replace(memory, supersedes=decision.other)
        if decision.action in ("take", "supersede") and isinstance(self._vectors.get(memory.id), Beginning):
            decision = replace(decision, notes=(*decision.notes, _BEGUN))
        decision = replace(decision, memory=memory)
        if decision.action == "hold":
            return self._held_once(decision)
        return self._within_limit(decision, case.memory) if decision.action == "reinforce" else decision

    def _held_once(self, decision: Decision) -> Decision:
        """Do not hold the same memory twice; refuse one beyond the origin's daily limit for review."""
        once = held.hold_only_once(self._store, decision, self._now, confirms=self._confirms)
        if once is not decision or self._carried:
            return once
        waiting = held.held_since(self._store, decision.memory.space, self._scope.origin)
        reason = flood_reason(self._scope, "memories to wait for review", waiting)
        return replace(decision, action="refuse", rule=RULE, reason=reason) if reason else once

    def _within_limit(self, decision: Decision, new: Memory) -> Decision:
        """Refuse a repetition that exceeds the origin's daily limit of recorded repetitions."""
        if not self._scope.is_untrusted or self._new_line(decision, new) is None:
            return decision
        if self._said_again is None:
            # No index finds these lines; the whole history is read, once per write.
            self._said_again = list(said_again_by(self._store, self._scope.origin))
        reason = flood_reason(self._scope, LINES, self._said_again)
        if reason:
            return replace(decision, action="refuse", rule=RULE, reason=reason)
        self._said_again.append(self._now)
        return decision

    def _as_it_stands(self, case: Case) -> Case:
        """Return the case with the memories that its writer named brought up to date.

        Since they were looked up they may have been superseded, ended or erased; raises NotFound for the
        latter.
        """
        told, old = case.told, case.told.replaces
        if told.same_as or old:
            self._settle()
        if told.same_as:
            told = told._replace(same_as=self._in_force(told.same_as))
        if old and not old.ended_at:
            here = self._in_force(old)
            told = told._replace(replaces=here)
            if here.id != old.id:
                case = case.noting(f"{old.id} is superseded already; replacing {here.id}")
        return replace(case, told=told)

    def _in_force(self, old: Memory) -> Memory:
        here = next(iter(self._store.get([old.id])), None)
        if here is None or here.space != old.space:
            raise NotFound(
                f"no memory {old.id} in space {old.space!r} any more: it was erased or moved meanwhile"
            )
        return require_in_force(self._store, here)

    # Writing

    def _written(self, decision: Decision, new: Memory) -> Decision:
        """Carry out a decision on a new memory, in the caller's transaction; return the same decision."""
        # The notes quote other memories; the record outlives them.
        forced = f"forced past {', '.join(decision.overrides)}" if decision.overrides else None
        why = "; ".join(filter(None, (self._change.reason, forced, *decision.on_record))) or None
        memory, action = decision.memory, self._change.action
        if decision.action == "take":
            if self._buffer:
                change = self._change._replace(reason=why)
                self._buffer.add(memory, change, self._now, self._vectors.get(memory.id))
            else:
                self._put(memory, action, why)
            self._related[memory.id].note_taken(memory)
        elif decision.action == "supersede":
            self._settle()
            self._put(memory, "correct" if action == "add" else action, why)
            self._end_for(decision.other, memory, "superseded")
        elif decision.action == "reinforce":
            self._settle()
            self._reinforce(decision, new)
        elif decision.action == "hold":
            held.hold_memory(self._store, decision, self._change, self._now)
        return decision

    def _reinforce(self, decision: Decision, new: Memory) -> None:
        """Confirm the known memory; if nothing about it changes, record the new words in its history."""
        known = decision.memory
        if self._makes_surer(decision):
            self._put(known, CONFIRM, said_again(decision.said))
            self._end_for(decision.merged, known, "merged")
        elif line := self._new_line(decision, new):
            # The store numbers the lines of one change on one memory, so the earlier ones are passed again.
            lines = self._repetitions.setdefault(known.id, [])
            lines.append(line)
            self._store.put_history(lines)

    def _makes_surer(self, decision: Decision) -> bool:
        return self._confirms and self._store.get([decision.memory.id]) != [decision.memory]

    def _new_line(self, decision: Decision, new: Memory) -> Event | None:
        """Return the history line with the new words for an unchanged memory; None if already recorded."""
        if decision.said is None or self._makes_surer(decision):
            return None
        actor = speaker(new, self._change.actor)
        line = repetition(decision.memory.id, decision.said, self._change, actor, self._now)
        return None if is_on_record(self._store, line) else line

    def _settle(self) -> None:
        """Flush the write buffer into the store, because what follows reads or changes the store."""
        if self._buffer:
            self._buffer.settle()

    def _put(self, memory: Memory, action: ChangeAction, why: str | None) -> None:
        change = self._change._replace(action=action, reason=why)
        self._store.put([memory], change, self._now, self._vectors)

    def _end_for(self, memory_id: str | None, by: Memory, how: Ending) -> None:
        why = f"superseded by {by.id}" if how == "superseded" else f"{how} into {by.id}"
        old = [
            as_ended(each, self._now, how, why, by.id)
            for each in self._store.get([memory_id] if memory_id else [])
            if each.ended_at is None
        ]
        self._store.put(old, self._change._replace(action="end", reason=why), self._now)
