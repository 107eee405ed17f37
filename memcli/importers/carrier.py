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
from datetime import datetime
from typing import Any

from memcli import ids
from memcli.errors import BadInput, Refused
from memcli.importers import fields
from memcli.importers.missing_times import first_times, own_time, shifted, undated_mark
from memcli.importers.named_things import NamedRecord, NamedThings
from memcli.importers.own_words import is_kept_as
from memcli.importers.records import (
    Problem,
    Record,
    Relation,
    Source,
    Statement,
    Turn,
    UnreadTime,
    When,
    known,
)
from memcli.importers.report import CarriedReport
from memcli.memories import BATCH, Memories
from memcli.model import Memory
from memcli.origins import is_through
from memcli.scope import is_untrusted, untrusted_origins
from memcli.storage import areas
from memcli.text.checks import check_depth
from memcli.text.extraction.outputs import condense
from memcli.text.secrets.redaction import secrets_in_value, without_quoted_secrets
from memcli.text.task_items import is_over
from memcli.tiers.sessions.episodes import put_turns, read_turns
from memcli.write_policy.admission import Admission
from memcli.write_policy.decision import Told
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
        if options and options.force and memories.is_untrusted:
            raise Refused(
                f"--force overrides the owner's policy, and {memories.origin} is an untrusted origin",
                rule="untrusted-origin",
            )
        self.report = report or CarriedReport(source.name)
        self._door = memories.untrusted_origin or f"import:{source.name}"
        self.origin = memories.signed(self._door)
        self._memories, self._source = memories, source.name
        patterns = untrusted_origins(memories.config)
        self._untrusted = untrusted or memories.is_untrusted or is_untrusted(self.origin, patterns)
        self._options = options or WriteOptions()
        self._dry_run = dry_run
        self._progress = progress
        self._turns: list[Turn] = []
        self._statements: list[Statement] = []
        self._relations: list[Relation] = []
        # Digests of the texts of this import's statements, by their ids at the source.
        self._said: dict[str, bytes] = {}
        # The current conversation: its id, its session here, the time of its last turn, whether that is told.
        self._conversation = self._session = ""
        self._last: datetime | None = None
        self._dated = False
        self._related = RelatedInBatch(memories.store, memories.now())
        self._on_record = WordsOnRecord(memories)
        self._originals = StoredOriginals(memories.store, memories.space)
        self._named = NamedThings(
            memories, self.report, self.origin, untrusted=self._untrusted, dry_run=dry_run,
            redact=self._options.redact,
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

    def _flush_relations(self) -> None:
        relations, self._relations = self._relations, []
        with nullcontext() if self._dry_run else self._memories.store.writing():
            for each in relations:
                self._one(each)

    def _one(self, record: NamedRecord) -> None:
        try:
            self._named.take(record)
        except (BadInput, Refused) as error:
            self._left_out(record.place, error)

    def _left_out(self, place: str, error: BadInput | Refused) -> None:
        if isinstance(error, Refused):
            self.report.was_refused(place, str(error))
        else:
            self.report.could_not_read(place, without_quoted_secrets(str(error)))

    def _id(self, key: str, at: datetime | None) -> str:
        return ids.derived_id("\0".join((self._source, self._memories.space, key)), at)

    def _carried(self, number: int) -> None:
        self.carried += number
        self._progress(self.carried)

    def _data(self, record: Turn | Statement) -> dict[str, Any]:
        """Return the data kept beside a text: its origin with its id there, and what the source says of it.

        Fields that look like secrets are left out, as they would get the text refused; so would a hash behind
        a colon, which is why some ids stand behind a `#`. Raises BadInput for data that cannot be kept.
        """
        check_depth(record.data, "data")
        kept = {name: each for name, each in record.data.items() if not secrets_in_value(each)}
        written = (f"{self._source}{separator}{record.id}"[:400] for separator in ":#")
        return {**kept, "imported": next((e for e in written if not secrets_in_value(e)), self._source)}

    # Conversations

    def _flush_turns(self) -> None:
        turns, self._turns = self._turns, []
        keyed = [(self._id(f"{turn.conversation}\0{turn.id}", known(turn.at)), turn) for turn in turns]
        times = first_times(turns)
        here = {memory.id: memory for memory in self._memories.store.get([each for each, _ in keyed])}
        gate = Gate(self._memories, self._options, self._memories.now())
        new: dict[str, Memory] = {}
        for memory_id, turn in keyed:
            before = here.get(memory_id)
            self._follow(turn, before, times)
            if (before and not _has_grown(before, turn)) or memory_id in new:
                self.report.turns_known += 1
                # A turn that has expired was not ended by its owner.
                if before and before.ended_as in ("forgotten", "undone"):
                    self.report.ended.append(before.id)
                continue
            try:
                memory = self._turn(memory_id, turn, gate)
            except (BadInput, Refused) as error:
                self._left_out(turn.place, error)
                continue
            if before:
                memory = replace(before, text=memory.text, data=memory.data, updated_at=memory.updated_at)
                self.report.turns_grown += 1
            new[memory_id] = memory
        self.report.turns_added += len(new.keys() - here.keys())
        if not self._dry_run and new:
            vectors, _, gap = read_turns(self._memories, list(new.values()))
            self.report.gap = self.report.gap or gap
            change = self._memories.change("import", door=self.origin)
            put_turns(self._memories, list(new.values()), change, vectors)
        self._carried(len(turns))

    def _follow(self, turn: Turn, before: Memory | None, times: Mapping[str, datetime]) -> None:
        """Track a turn's conversation and time; without a time it is put right after the turn before it."""
        if turn.conversation != self._conversation:
            self._conversation, self._last, self._session = turn.conversation, None, ""
            self._dated = False
            self.report.conversations += 1
        if before and before.session:
            self._session = before.session
        if not self._session:
            mark = hashlib.sha256(turn.conversation.encode("utf-8", "replace")).hexdigest()[:8]
            title = "" if secrets_in_value(turn.title) else fields.one_line(turn.title)
            self._session = f"{title or self._source} {mark}"
        self._dated = self._dated or turn.conversation in times
        first = times.get(turn.conversation) or self._memories.now()
        at = known(turn.at) or (shifted(self._last, 1) if self._last else first)
        # Keep the order of the file, also if two turns have the same time.
        self._last = at if self._last is None or at > self._last else shifted(self._last, 1)

    def _turn(self, memory_id: str, turn: Turn, gate: Gate) -> Memory:
        text, data = turn.text, {**self._data(turn), "role": turn.role}
        if not self._dated:
            # A conversation without any times is dated to now, and marked as undated.
            data["undated"] = True
        limit = self._memories.config["output_limit"]
        if turn.role == "tool" and len(text) > limit:
            data["length"] = len(text)
            text = condense(text, limit)
        draft = Draft(
            text=text, kind="episode", session=self._session, source="imported", origin=self.origin,
            trusted=turn.trusted and not self._untrusted, happened_at=self._last, data=data,
        )  # fmt: skip
        memory = replace(new_memory(self._memories, draft), id=memory_id)
        case = gate.examine(memory)
        if case.verdict:
            case.verdict.check()
        return replace(case.memory, kind=memory.kind, expires_at=memory.expires_at)

    # Statements

    def _flush_statements(self) -> None:
        statements, self._statements = self._statements, []
        ids_here = [self._id(each.id, own_time(each.at)) for each in statements]
        here = {memory.id: memory for memory in self._memories.store.get(ids_here)}
        held = {state.key for state in self._memories.store.states((self._memories.space,), areas.HELD.name)}
        new: dict[str, tuple[Statement, Memory]] = {}
        told: dict[str, Told] = {}
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
                self._left_out(statement.place, error)
                continue
            if found is None:
                self.report.statements_known += 1
                continue
            memory, old = found
            new[memory.id] = (statement, memory)
            if old:
                told[memory.id] = Told(replaces=old)
        if self._dry_run:
            self._count(new, told)
        elif new:
            self._admit(new, told)
        self._carried(len(statements))

    def _count(self, new: Mapping[str, tuple[Statement, Memory]], told: Mapping[str, Told]) -> None:
        """Count what would be written, by the texts alone: no embedding is computed to find near memories."""
        gate = Gate(self._memories, self._options, self._memories.now())
        for statement, memory in new.values():
            try:
                verdict = gate.examine(memory).verdict
            except BadInput as error:
                self._left_out(statement.place, error)
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
        memory_id = self._id(statement.id, own_time(statement.at))
        if memory_id in held:
            return None
        first = here.get(memory_id)
        if first is None:
            new = self._memory(memory_id, statement)
            return None if self._was_taken_for(new, statement.place) else (new, None)
        now = self._memories.current_version(first)
        theirs = is_through(now.origin, self._door) and "imported" in now.data
        trusted = statement.trusted and not self._untrusted
        if now.ended_at:
            self.report.ended.append(now.id)
        # A correction or removal made here wins over the source.
        if now.ended_at or not theirs or (now.trusted and not trusted):
            return None
        ticked_off = is_over(statement.tags) and not is_over(now.tags)
        if not ticked_off and is_kept_as(now.text, statement.text, self._originals):
            return None
        changed_id = self._id(f"{statement.id}\0{now.id}\0{statement.text}", own_time(statement.at))
        if changed_id in held:
            return None
        changed = self._memory(changed_id, statement)
        return replace(changed, supersedes=now.id), now

    def _was_taken_for(self, new: Memory, place: str) -> bool:
        """True if the record of earlier imports says that these words are known; never with `force`."""
        found = None if self._options.force else self._on_record.taken_for(place, new)
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
            session=statement.session, trusted=statement.trusted and not self._untrusted,
            data={**self._data(statement), **undated_mark(unread)},
        )  # fmt: skip
        expires_at = known(statement.expires_at)
        return replace(new_memory(self._memories, draft), id=memory_id, expires_at=expires_at)

    def _admit(self, new: dict[str, tuple[Statement, Memory]], told: dict[str, Told]) -> None:
        admission = Admission(
            self._memories, self._memories.model, self._options,
            related=self._related, action="import", confirms=False,
        )  # fmt: skip
        kinds_open = {each for each, (statement, _) in new.items() if statement.kind is None}
        admission.prepare([memory for _, memory in new.values()], told, kinds_open)
        for (statement, memory), decision in zip(new.values(), admission.write(), strict=True):
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


def _has_grown(known: Memory, turn: Turn) -> bool:
    """True if a turn continues the known one: that was imported while it was still being written."""
    here, there = known.text.strip(), turn.text.strip()
    return known.ended_at is None and len(there) > len(here) and there.startswith(here)
