"""Admission: the path that every memory takes into the store, from its text to the committed row.

The slow part comes first, without a lock: the texts are examined, those still undecided are embedded, and
related memories are looked up. Then one short transaction decides the remaining cases by the state of the
store at that moment, and writes the memories and their history. Each stage is a type that only the stage
before it makes: `Admission` examines, `ExaminedWrite` looks around, `PreparedWrite` writes or rehearses.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from memcli.embedding.bound_model import BoundModel
from memcli.errors import NotFound
from memcli.judgement.notes import CHANGE
from memcli.judgement.statements import StatementJudgement
from memcli.memory_data import OVERRIDES
from memcli.messages import Command, message
from memcli.model import ChangeAction, Ending, Memory, as_ended
from memcli.scope import Scope
from memcli.storage import Beginning, Vectors
from memcli.storage.lookup import require_in_force
from memcli.write_policy import held
from memcli.write_policy.decision import Case, Decision, WriterClaims, judged_record
from memcli.write_policy.drafts import Draft, new_memories
from memcli.write_policy.gate import Gate
from memcli.write_policy.reinforcement import Reinforcement
from memcli.write_policy.related.lookup import RelatedLookup, RelatedMemories
from memcli.write_policy.rules.supersession import tell_replacement
from memcli.write_policy.said_again import CONFIRM, said_again
from memcli.write_policy.settings import WriteOptions

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

    from memcli.embedding import Floats

_BEGUN = message(
    "long: by meaning its beginning is found for now; recalls read on, ",
    Command("consolidate"), " to the end, or at once ", Command("reindex --missing"),
)  # fmt: skip


# Called with the decisions in the transaction that writes them, which is rolled back if it raises.
Then = Callable[[Sequence[Decision]], object]


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
    confirms: bool = True,
    dry_run: bool = False,
    then: Then | None = None,
) -> list[Decision]:
    """Decide on memories one by one and carry the decisions out; return one decision for each, in order.

    See `Admission` and `PreparedWrite`. Raises BadInput, NotFound and Refused for memories that cannot be
    kept at all, ModelUnusable, StoreUnusable; then nothing is written.
    """
    admission = Admission(scope, model, options, related=related, action=action, confirms=confirms)
    prepared = admission.prepare(memories, told, kinds_open)
    return prepared.rehearse() if dry_run else prepared.write(then=then)


def admit_drafts(
    scope: Scope,
    model: BoundModel,
    drafts: Sequence[Draft],
    options: WriteOptions | None = None,
    *,
    dry_run: bool = False,
    then: Then | None = None,
) -> list[Decision]:
    """Make memories from drafts, then decide and write as `admit` does."""
    admission = Admission(scope, model, options)
    prepared = admission.prepare(*new_memories(scope, drafts))
    return prepared.rehearse() if dry_run else prepared.write(then=then)


class Admission:
    """One write operation: its author, options and change, the same for all of its stages.

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
        self.options = options or WriteOptions()
        self.confirms = confirms
        self.scope = scope
        self.model = model
        self.now = scope.now()
        self.change = scope.change(action, self.options.reason)
        if self.options.force:
            scope.require_force()
        self.lookup = related or RelatedLookup(scope.store, self.now)
        self.gate = Gate(scope, self.options, self.now, self.lookup.buffer)

    def prepare(
        self,
        memories: Sequence[Memory],
        told: Mapping[str, WriterClaims] | None = None,
        kinds_open: Collection[str] = (),
    ) -> PreparedWrite:
        """Examine and embed the texts, judge them and look up related memories, without a lock.

        `told` maps the id of a new memory to what its writer says about memories in force; `kinds_open`
        holds the ids of those whose kind nobody has stated. May raise ModelUnusable.
        """
        return self.examine(memories, told).look_around(kinds_open)

    def examine(
        self,
        memories: Sequence[Memory],
        told: Mapping[str, WriterClaims] | None = None,
        *,
        thread: Executor | None = None,
    ) -> ExaminedWrite:
        """Apply the rules that need the text only: the first half of `prepare`.

        It does not depend on what is written before the second half. With a `thread`, the model embeds the
        undecided texts there while the caller goes on.
        """
        cases = [self._examined(memory, (told or {}).get(memory.id, WriterClaims())) for memory in memories]
        still_open = _open(cases)
        reading = self.model.read_ahead(still_open, thread) if thread and still_open else None
        return ExaminedWrite(self, cases, reading)

    def _examined(self, memory: Memory, told: WriterClaims) -> Case:
        case, old = self.gate.examine(memory), told.replaces
        if old and memory.supersedes not in (None, old.id):
            case = case.noting(f"{memory.supersedes} is superseded already; replacing {old.id}")
        return tell_replacement(replace(case, told=told))


def _open(cases: Sequence[Case]) -> list[Memory]:
    return [case.memory for case in cases if case.verdict is None]


class ExaminedWrite:
    """Cases examined by their texts, of which the undecided are embedded, now or on a thread."""

    def __init__(
        self,
        admission: Admission,
        cases: Sequence[Case],
        reading: Future[tuple[dict[str, Vectors], dict[str, Floats]]] | None,
    ) -> None:
        self._admission = admission
        self._cases = cases
        self._reading = reading

    def look_around(self, kinds_open: Collection[str] = ()) -> PreparedWrite:
        """Judge the undecided cases and look up related memories: the second half of `prepare`."""
        by = self._admission
        vectors, middles = self._reading.result() if self._reading else by.model.read(_open(self._cases))
        cases = [
            case
            if case.verdict
            else by.gate.judge(
                case,
                StatementJudgement(case.memory.text, middles.get(case.memory.id)),
                kind_is_open=case.memory.id in kinds_open,
            )
            for case in self._cases
        ]
        still_open = _open(cases)
        beginnings = [next(iter(vectors[memory.id]), None) for memory in still_open]
        related = by.lookup.of(
            list(zip(still_open, beginnings, strict=True)),
            told_changes=frozenset(case.memory.id for case in cases if CHANGE in case.judged),
            judged=by.model.is_judged,
            scale=by.model.scale() if vectors else None,
        )
        found = {memory.id: each for memory, each in zip(still_open, related, strict=True)}
        return PreparedWrite(by, cases, vectors, found)


class PreparedWrite:
    """Cases with their vectors and related memories: `write` is one short transaction."""

    def __init__(
        self,
        admission: Admission,
        cases: Sequence[Case],
        vectors: Mapping[str, Vectors],
        related: Mapping[str, RelatedMemories],
    ) -> None:
        self._cases = cases
        self._vectors = vectors
        self._related = related
        self._store = admission.scope.store
        self._model = admission.model
        self._now = admission.now
        self._change = admission.change
        self._gate = admission.gate
        self._buffer = admission.lookup.buffer
        self._reinforcement = Reinforcement(
            admission.scope,
            admission.change,
            admission.now,
            confirms=admission.confirms,
            carried=admission.options.carried,
        )

    def write(self, some: Container[str] | None = None, *, then: Then | None = None) -> list[Decision]:
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
            if then:
                then(decisions)
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

    def _decided(self, case: Case) -> Decision:
        """Return the final decision on a case, by the current state of the store."""
        if case.verdict is None:
            case = self._gate.compare(self._as_it_stands(case), self._related[case.memory.id])
        decision = case.verdict
        assert decision  # noqa: S101 - compare decides
        memory = decision.memory
        if decision.overrides:
            memory = replace(memory, data={**memory.data, OVERRIDES: list(decision.overrides)})
        if decision.judged and decision.action in ("take", "supersede"):
            memory = replace(memory, data={**memory.data, "judged": judged_record(decision.judged)})
        if decision.action == "supersede":
            memory = replace(memory, supersedes=decision.other)
        if decision.action in ("take", "supersede") and isinstance(self._vectors.get(memory.id), Beginning):
            decision = replace(decision, notes=(*decision.notes, _BEGUN))
        decision = replace(decision, memory=memory)
        if decision.action == "hold":
            return self._reinforcement.held_once(decision)
        if decision.action == "reinforce":
            return self._reinforcement.within_limit(decision, case.memory)
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
            if self._reinforcement.makes_surer(decision):
                self._put(memory, CONFIRM, said_again(decision.said))
                self._end_for(decision.merged, memory, "merged")
            else:
                self._reinforcement.keep_words(decision, new)
        elif decision.action == "hold":
            held.hold_memory(self._store, decision, self._change, self._now)
        return decision

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
