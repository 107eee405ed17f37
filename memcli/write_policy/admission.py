"""The way of every memory into the store, from top to bottom.

First what is slow, without a lock: the texts are examined, what is still open is
embedded, and what is like it is looked up. Then one short transaction, in which the
open cases are decided on as the store stands by then, and what was decided is written
and put on record.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from memcli.embedding.bound_model import BoundModel
from memcli.errors import NotFound
from memcli.judgement.notes import CHANGE
from memcli.judgement.statements import StatementJudgement
from memcli.messages import Command, message
from memcli.model import ChangeAction, Ending, Event, Memory, as_ended
from memcli.scope import Scope
from memcli.storage import Beginning, Vectors
from memcli.storage.lookup import require_in_force
from memcli.write_policy import held
from memcli.write_policy.decision import Case, Decision, WriterClaims, judged_record
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
    told: Mapping[str, WriterClaims] | None = None,
    related: RelatedLookup | None = None,
    action: ChangeAction = "add",
    kinds_open: Collection[str] = (),
    dry_run: bool = False,
) -> list[Decision]:
    """Decide on memories one by one and carry that out; a decision for each, in order.

    See `Admission`. Raises BadInput, NotFound and Refused for what cannot be kept at
    all, ModelUnusable, StoreUnusable; then nothing is written.
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
    """Make memories of drafts, decide on them one by one and carry that out, as `admit` does."""
    memories, told, kinds_open = new_memories(scope, drafts)
    return admit(scope, model, memories, options, told=told, kinds_open=kinds_open, dry_run=dry_run)


class Admission:
    """One write: `prepare` does what is slow, `write` is short and goes into a transaction.

    It is by whoever works in `scope`, whatever door the memories themselves came
    through, and stands on record as one change, an `action`. `related` is where to look
    for what is like them: made for the purpose in a bulk write. Without `confirms` what is
    known already stays as it is, with what was said of it now on its record: who reads the same
    file twice is no second witness. Raises Refused for force that is not its owner's.
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
        if options.force:
            scope.require_force()
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
        told: Mapping[str, WriterClaims] | None = None,
        kinds_open: Collection[str] = (),
    ) -> None:
        """Examine, embed, judge, look around: nothing is written, nobody waits. May raise ModelUnusable.

        `told` is what is said of memories in force, by the id of the new one;
        `kinds_open` the ids of those whose kind nobody has said.
        """
        self.examine(memories, told)
        self.look_around(kinds_open)

    def examine(
        self,
        memories: Sequence[Memory],
        told: Mapping[str, WriterClaims] | None = None,
        *,
        thread: Executor | None = None,
    ) -> None:
        """The first half of `prepare`, which does not mind what is written before the second.

        With a `thread` what is still open is read by the model there, while this one does something else.
        """
        self._cases = [
            self._examined(memory, (told or {}).get(memory.id, WriterClaims())) for memory in memories
        ]
        if thread and (still_open := self._open()):
            self._reading = self._model.read_ahead(still_open, thread)

    def _open(self) -> list[Memory]:
        return [case.memory for case in self._cases if case.verdict is None]

    def look_around(self, kinds_open: Collection[str] = ()) -> None:
        """The second half: judge, and look for what is related, in what the store holds by now."""
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
        """Decide and write, all or nothing; what was taken before counts for what comes after.

        With `some` only of the memories with these ids: who prepares many at once may write each by itself.
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
        """What `write` would decide; nothing is written, and the store may be one that can only be read.

        A single memory is decided on without a lock. Of several each counts for those after
        it, in every index that is searched: so they are written, and all of it undone.
        """
        if len(self._cases) < 2:
            return [self._decided(case) for case in self._cases]
        with self._store.discarding():
            return self.write()

    # Deciding

    def _examined(self, memory: Memory, told: WriterClaims) -> Case:
        case, old = self._gate.examine(memory), told.replaces
        if old and memory.supersedes not in (None, old.id):
            case = case.noting(f"{memory.supersedes} is superseded already; replacing {old.id}")
        return tell_replacement(replace(case, told=told))

    def _decided(self, case: Case) -> Decision:
        """What becomes of a case, as the store stands now."""
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
        """What waits already waits once; what would flood its owner's review is refused."""
        once = held.hold_only_once(self._store, decision, self._now, confirms=self._confirms)
        if once is not decision or self._carried:
            return once
        waiting = held.held_since(self._store, decision.memory.space, self._scope.origin)
        reason = flood_reason(self._scope, "memories to wait for review", waiting)
        return replace(decision, action="refuse", rule=RULE, reason=reason) if reason else once

    def _within_limit(self, decision: Decision, new: Memory) -> Decision:
        """What would flood the record of what is known is refused: its words would be nowhere."""
        if not self._scope.is_untrusted or self._new_line(decision, new) is None:
            return decision
        if self._said_again is None:
            # Nothing finds these lines but a look at the whole record: once is enough.
            self._said_again = list(said_again_by(self._store, self._scope.origin))
        reason = flood_reason(self._scope, LINES, self._said_again)
        if reason:
            return replace(decision, action="refuse", rule=RULE, reason=reason)
        self._said_again.append(self._now)
        return decision

    def _as_it_stands(self, case: Case) -> Case:
        """What a case replaces or repeats may have been replaced, ended or erased since it was looked up."""
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
        """Carry a decision on a new memory out, in the caller's transaction; the same decision."""
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
        """Confirm what is known; where that stays as it is, its words go on record, if they are not there."""
        known = decision.memory
        if self._makes_surer(decision):
            self._put(known, CONFIRM, said_again(decision.said))
            self._end_for(decision.merged, known, "merged")
        elif line := self._new_line(decision, new):
            # A store counts the lines of one change on one memory: it is given those that it has, too.
            lines = self._repetitions.setdefault(known.id, [])
            lines.append(line)
            self._store.put_history(lines)

    def _makes_surer(self, decision: Decision) -> bool:
        return self._confirms and self._store.get([decision.memory.id]) != [decision.memory]

    def _new_line(self, decision: Decision, new: Memory) -> Event | None:
        """The line that keeps the words for what stays as it is; None where they are on record."""
        if decision.said is None or self._makes_surer(decision):
            return None
        actor = speaker(new, self._change.actor)
        line = repetition(decision.memory.id, decision.said, self._change, actor, self._now)
        return None if is_on_record(self._store, line) else line

    def _settle(self) -> None:
        """Put into the store what was taken and waits: what follows looks there, or changes it."""
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
