"""Carrier: write the records of a source through the write policy, as turns, statements and named things.

Records are written in portions, each one transaction, so that an interrupted import keeps what it has
written. Every memory's id is derived from the source's name, the space and the record's id there, so that it
is recognized when the file is imported again: a conversation that has grown adds its new turns, a changed
statement replaces its earlier version, and what the owner has corrected or forgotten since stays so.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Container, Iterable, Mapping
from contextlib import nullcontext
from dataclasses import replace

from memcli.errors import BadInput, Refused
from memcli.importers.conversations import Conversations
from memcli.importers.missing_times import own_time, undated_mark
from memcli.importers.named_things import NamedRecord, NamedThings
from memcli.importers.one_import import OneImport
from memcli.importers.own_words import is_kept_as
from memcli.importers.records import (
    Problem,
    Record,
    Relation,
    Statement,
    Turn,
    UnreadTime,
    When,
    known,
)
from memcli.importers.report import CarriedReport
from memcli.importers.source import Source
from memcli.memories import Memories
from memcli.model import Memory
from memcli.origins import is_through
from memcli.storage import areas
from memcli.storage.batches import BATCH
from memcli.text.secrets.redaction import without_quoted_secrets
from memcli.text.task_items import is_over
from memcli.write_policy.admission import Admission
from memcli.write_policy.decision import WriterClaims
from memcli.write_policy.drafts import Draft, new_memory
from memcli.write_policy.gate import Gate
from memcli.write_policy.originals import StoredOriginals
from memcli.write_policy.related.batch import RelatedInBatch
from memcli.write_policy.said_again import WordsOnRecord, taken_for
from memcli.write_policy.settings import WriteOptions

# Links per transaction: each one looks up what exists first, while other writers wait.
_LINKED_AT_ONCE = 64


class Carrier:
    """One import of a source.

    If `untrusted`, nothing of it counts as the owner's word, whoever is said to have written it. `report` is
    an earlier report to continue. Raises Refused if an untrusted origin asks for `force`.
    """

    def __init__(
        self,
        memories: Memories,
        source: Source,
        *,
        options: WriteOptions | None = None,
        untrusted: bool = False,
        dry_run: bool = False,
        progress: Callable[[int], None] = lambda done: None,
        report: CarriedReport | None = None,
    ) -> None:
        if options and options.force:
            memories.require_force()
        self.report = report or CarriedReport(source.name)
        self._door = memories.untrusted_origin or f"import:{source.name}"
        self.origin = memories.signed(self._door)
        self._memories = memories
        untrusted = untrusted or memories.is_untrusted or memories.distrusts(self.origin)
        self._import = OneImport(
            memories, source.name, self.origin, untrusted, options or WriteOptions(), dry_run, self.report
        )
        self._conversations = Conversations(self._import)
        self._progress = progress
        self._turns: list[Turn] = []
        self._statements: list[Statement] = []
        self._relations: list[Relation] = []
        # Digests of the texts of this import's statements, by their ids at the source.
        self._said: dict[str, bytes] = {}
        self._related = RelatedInBatch(memories.store, memories.now())
        self._on_record = WordsOnRecord(memories)
        self._originals = StoredOriginals(memories.store, memories.space)
        self._named = NamedThings(
            memories, self.report, self.origin, untrusted=untrusted, dry_run=dry_run,
            redact=self._import.options.redact,
        )  # fmt: skip
        self.carried = 0

    def take(self, records: Iterable[Record]) -> CarriedReport:
        """Import all these records; what is refused or unreadable is left out and named in the report.

        Raises ModelUnusable, StoreUnusable, and BadInput for a path that cannot be read at all.
        """
        for record in records:
            self._tell_times(record)
            if isinstance(record, Turn):
                self._turns.append(record)
                if len(self._turns) >= BATCH:
                    self._flush_turns()
            elif isinstance(record, Statement):
                self._statements.append(record)
                if len(self._statements) >= BATCH:
                    self._flush_statements()
            elif isinstance(record, Relation):
                self._relations.append(record)
                if len(self._relations) >= _LINKED_AT_ONCE:
                    self._flush_relations()
            elif isinstance(record, Problem):
                self.report.could_not_read(record.place, without_quoted_secrets(record.why))
            else:
                self._one(record)
        self._flush_turns()
        self._flush_statements()
        self._flush_relations()
        return self.report

    def _tell_times(self, record: Record) -> None:
        """Report the times of a record that could not be parsed: readers pass them on as they are."""
        if isinstance(record, Turn):
            some: tuple[When, ...] = (record.at,)
        elif isinstance(record, Statement):
            some = (record.at, record.changed, record.valid_from, record.valid_until, record.expires_at)
        else:
            return
        for when in some:
            if isinstance(when, UnreadTime):
                self.report.time_unread(record.place, without_quoted_secrets(when.told))

    def _flush_turns(self) -> None:
        turns, self._turns = self._turns, []
        self._conversations.carry(turns)
        self._carried(len(turns))

    def _flush_relations(self) -> None:
        relations, self._relations = self._relations, []
        with nullcontext() if self._import.dry_run else self._memories.store.writing():
            for each in relations:
                self._one(each)

    def _one(self, record: NamedRecord) -> None:
        try:
            self._named.take(record)
        except (BadInput, Refused) as error:
            self._import.left_out(record.place, error)

    def _carried(self, number: int) -> None:
        self.carried += number
        self._progress(self.carried)

    # Statements

    def _flush_statements(self) -> None:
        statements, self._statements = self._statements, []
        ids_here = [self._import.derived_id(each.id, own_time(each.at)) for each in statements]
        here = {memory.id: memory for memory in self._memories.store.get(ids_here)}
        held = {state.key for state in self._memories.store.states((self._memories.space,), areas.HELD.name)}
        new: dict[str, tuple[Statement, Memory]] = {}
        told: dict[str, WriterClaims] = {}
        for statement in statements:
            if (why := self._repeated(statement)) is not None:
                if why:
                    self.report.could_not_read(statement.place, without_quoted_secrets(why))
                else:
                    self.report.statements_known += 1
                continue
            try:
                found = self._new_or_changed(statement, here, held)
            except (BadInput, Refused) as error:
                self._import.left_out(statement.place, error)
                continue
            if found is None:
                self.report.statements_known += 1
                continue
            memory, old = found
            new[memory.id] = (statement, memory)
            if old:
                told[memory.id] = WriterClaims(replaces=old)
        if self._import.dry_run:
            self._count(new, told)
        elif new:
            self._admit(new, told)
        self._carried(len(statements))

    def _count(self, new: Mapping[str, tuple[Statement, Memory]], told: Mapping[str, WriterClaims]) -> None:
        """Count what would be written, by the texts alone: no embedding is computed to find near memories."""
        gate = Gate(self._memories, self._import.options, self._memories.now())
        for statement, memory in new.values():
            try:
                verdict = gate.examine(memory).verdict
            except BadInput as error:
                self._import.left_out(statement.place, error)
                continue
            if verdict and verdict.action == "refuse":
                self.report.was_refused(statement.place, str(verdict.refusal()))
            elif verdict and verdict.action == "hold":
                self.report.held += 1
            elif memory.id in told:
                self.report.statements_updated += 1
            else:
                self.report.statements_added += 1

    def _repeated(self, statement: Statement) -> str | None:
        """Return what is wrong with a statement whose id this import has met before: "" if it says the same.

        None if the id is met for the first time.
        """
        digest = hashlib.sha256(statement.text.strip().encode("utf-8", "replace")).digest()[:8]
        before = self._said.setdefault(statement.id, digest)
        if before is digest:
            return None
        return "" if before == digest else f"its id {statement.id!r:.60} stands there twice, for another text"

    def _new_or_changed(
        self, statement: Statement, here: Mapping[str, Memory], held: Container[str]
    ) -> tuple[Memory, Memory | None] | None:
        """Return the memory that a statement becomes, and the one it replaces; None if nothing is new.

        `here` are the memories that this portion's statements became in earlier imports, `held` the ids of
        those waiting for review.
        """
        memory_id = self._import.derived_id(statement.id, own_time(statement.at))
        if memory_id in held:
            return None
        first = here.get(memory_id)
        if first is None:
            new = self._memory(memory_id, statement)
            return None if self._was_taken_for(new, statement.place) else (new, None)
        now = self._memories.current_version(first)
        theirs = is_through(now.origin, self._door) and "imported" in now.data
        trusted = statement.trusted and not self._import.untrusted
        if now.ended_at:
            self.report.ended.append(now.id)
        # A correction or removal made here wins over the source.
        if now.ended_at or not theirs or (now.trusted and not trusted):
            return None
        ticked_off = is_over(statement.tags) and not is_over(now.tags)
        if not ticked_off and is_kept_as(now.text, statement.text, self._originals):
            return None
        changed_id = self._import.derived_id(
            f"{statement.id}\0{now.id}\0{statement.text}", own_time(statement.at)
        )
        if changed_id in held:
            return None
        changed = self._memory(changed_id, statement)
        return replace(changed, supersedes=now.id), now

    def _was_taken_for(self, new: Memory, place: str) -> bool:
        """True if the record of earlier imports says that these words are known; never with `force`."""
        found = None if self._import.options.force else self._on_record.taken_for(place, new)
        if found and found.in_other_words:
            self.report.taken_for.append(found)
        return found is not None

    def _memory(self, memory_id: str, statement: Statement) -> Memory:
        at = known(statement.at) or known(statement.changed)
        # If its time could not be parsed, the file's time only bounds it and is not the statement's own.
        unread = next((each for each in (statement.at, statement.changed) if each), None)
        draft = Draft(
            text=statement.text.strip(), kind=statement.kind, tags=statement.tags, source="imported",
            confidence=statement.confidence, importance=statement.importance, origin=self.origin,
            happened_at=min(at, self._memories.now()) if at and not own_time(statement.at) else at,
            valid_from=known(statement.valid_from), valid_until=known(statement.valid_until),
            session=statement.session, trusted=statement.trusted and not self._import.untrusted,
            data={**self._import.data_of(statement), **undated_mark(unread)},
        )  # fmt: skip
        expires_at = known(statement.expires_at)
        return replace(new_memory(self._memories, draft), id=memory_id, expires_at=expires_at)

    def _admit(self, new: dict[str, tuple[Statement, Memory]], told: dict[str, WriterClaims]) -> None:
        admission = Admission(
            self._memories, self._memories.model, self._import.options,
            related=self._related, action="import", confirms=False,
        )  # fmt: skip
        kinds_open = {each for each, (statement, _) in new.items() if statement.kind is None}
        prepared = admission.prepare([memory for _, memory in new.values()], told, kinds_open)
        for (statement, memory), decision in zip(new.values(), prepared.write(), strict=True):
            self.report.doubtful += decision.is_doubtful
            if decision.action == "refuse":
                self.report.was_refused(statement.place, str(decision.refusal()))
            elif decision.action == "reinforce" or decision.waits_already:
                self.report.statements_known += 1
                self.report.taken_for.extend(taken_for(statement.place, decision))
            elif decision.action == "hold":
                self.report.held += 1
            elif memory.id in told:
                self.report.statements_updated += 1
            else:
                self.report.statements_added += 1
