"""Importer: takes the records of an export into a store, in bounded transactions, and counts them.

Importing the same file twice changes nothing the second time. The format is that of `export`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from memcli import times
from memcli.errors import BadInput, Refused
from memcli.graph.links import is_owners_link, link_changed_at
from memcli.memories import Memories
from memcli.messages import Command, message
from memcli.model import (
    ROLES,
    TIME_FIELDS,
    Change,
    Event,
    Filter,
    Link,
    Memory,
    ModelIdentity,
    State,
    is_statement,
)
from memcli.storage import Vectors
from memcli.storage.batches import BATCH
from memcli.storage.old_records import with_own_area
from memcli.storage.records import check_event, check_link, check_model, check_state, check_vectors
from memcli.text.secrets.redaction import without_quoted_secrets
from memcli.upkeep.exchange.endings import Endings, with_undone
from memcli.upkeep.exchange.export import FORMAT_NAME, FORMAT_VERSION
from memcli.upkeep.exchange.validation import FORCE, ImportGate, checked_memory
from memcli.write_policy.admission import admit
from memcli.write_policy.decision import without_verdicts
from memcli.write_policy.direct import put_embedded
from memcli.write_policy.drafts import draft_from_record, new_memory
from memcli.write_policy.forgotten_texts import find_hash_key
from memcli.write_policy.gate import Gate
from memcli.write_policy.reader import StoreReader
from memcli.write_policy.related.batch import RelatedInBatch
from memcli.write_policy.said_again import MatchedText, WordsOnRecord, taken_for
from memcli.write_policy.settings import WriteOptions


@dataclass(slots=True)
class ImportReport:
    """The result of an import, counted; `refused` has a line for each record left out."""

    added: int = 0
    updated: int = 0
    unchanged: int = 0
    ended: list[str] = field(default_factory=list)
    """The ids of unchanged memories that are in force in the file, and ended here."""
    held: int = 0
    refused: list[str] = field(default_factory=list)
    bad: int = 0
    """How many of these could not be read; the write policy refused the others."""
    doubtful: int = 0
    """How many of the added memories may contradict or update others."""
    uncompared: int = 0
    """How many were added without comparison, as exported, beside others that they may contradict."""
    taken_for: list[MatchedText] = field(default_factory=list)
    """All lines that were taken for known memories in other words."""

    def to_record(self) -> dict[str, Any]:
        """Return the report as JSON types."""
        counts = {
            "added": self.added,
            "updated": self.updated,
            "unchanged": self.unchanged,
            "ended": self.ended,
            "held": self.held,
            "doubtful": self.doubtful,
            "uncompared": self.uncompared,
        }
        taken_for = [each.to_record() for each in self.taken_for]
        refused = {"refused": len(self.refused), "bad": self.bad, "reasons": self.refused}
        return {**counts, **refused, "taken_for": taken_for}


class Importer:
    """Takes records into a store, in bounded transactions, and counts the results."""

    def __init__(
        self,
        memories: Memories,
        origin: str,
        progress: Callable[[int], None] = lambda done: None,
        *,
        options: WriteOptions | None = None,
        trusted: bool = True,
    ) -> None:
        self.report = ImportReport()
        self._memories = memories
        self._origin = origin = memories.signed(origin)
        self._trusted = trusted and not memories.distrusts(origin)
        self._options = options or WriteOptions()
        # Exported memories were decided on before: only the rules for every write apply (`carried`).
        self._gate = Gate(memories, self._options._replace(carried=True), memories.now())
        self._import_gate = ImportGate(
            self._options,
            StoreReader(memories.store),
            trusted=self._trusted,
            origin=origin,
            by_force=memories.by_force(FORCE),
        )
        self._drafts: dict[str, Memory] = {}
        self._places: dict[str, str] = {}
        self._related = RelatedInBatch(memories.store, memories.now())
        self._words = WordsOnRecord(memories)
        self._progress = progress
        self._pending: dict[str, Memory] = {}
        self._links: list[Link] = []
        self._linked: dict[str, Link] | None = None
        self._carried: dict[str, Vectors] = {}
        self._on_record: set[str] = set()
        self._endings = Endings(memories.store, trusted=self._trusted)
        self._model: ModelIdentity | None = None
        self._known: set[tuple[Any, ...]] | None = None
        # By space, whether it had any memory before the import.
        self._had_some: dict[str, bool] = {}

    def take(self, records: Iterable[tuple[str, dict[str, Any] | str]]) -> ImportReport:
        """Import every record; bad ones are named in the report and left out.

        Memories and links merge by id: of two versions the one changed later stays.
        Raises BadInput for a file of a newer format, before anything is written.
        """
        for place, record in records:
            self._place = place
            try:
                if isinstance(record, str):
                    raise BadInput(record)
                self._one(record)
            except Refused as error:
                self.report.refused.append(message(f"{place}: ", error))
            except NewerFormat:
                raise
            except (BadInput, ValueError, TypeError, KeyError, AttributeError, ArithmeticError) as error:
                said = str(error) if isinstance(error, BadInput) else f"malformed ({error})"
                self.report.refused.append(f"{place}: {without_quoted_secrets(said)}")
                self.report.bad += 1
            if len(self._pending) + len(self._drafts) + len(self._links) >= BATCH:
                self._flush()
        self._flush()
        self._endings.settle(self._memories.now())
        return self.report

    def _one(self, record: dict[str, Any]) -> None:
        kind = record.get("type")
        if "format" in record and kind is None:
            self._header(record)
        elif kind == "memory":
            self._memory({k: v for k, v in record.items() if k != "type"})
        elif kind == "event":
            self._event(record)
        elif kind == "link":
            self._link(record)
        elif kind == "state":
            self._state(record)
        elif kind is None and "text" in record:
            self._memory(record) if "id" in record else self._draft(record)
        else:
            raise no_memory(record)

    def _header(self, record: dict[str, Any]) -> None:
        version = record.get("version", 0)
        if not isinstance(version, int):
            raise BadInput(f"version: {version!r:.40} is not a number")
        if record["format"] != FORMAT_NAME or version > FORMAT_VERSION:
            raise NewerFormat(
                f"format {record['format']!r:.40} version {record.get('version')}: this memcli reads "
                f"{FORMAT_NAME} up to version {FORMAT_VERSION}",
                advice="upgrade it",
            )
        if "model" in record:
            check_model(record["model"])
            self._model = ModelIdentity(**{name: record["model"][name] for name in ModelIdentity._fields})

    def _memory(self, record: dict[str, Any]) -> None:
        vectors = record.pop("vectors", None)
        memory = checked_memory(record, self._memories.config["max_text"])
        if vectors and self._model:
            parts = check_vectors(vectors, self._model.dimensions)
            if self._usable(self._model):
                self._carried[memory.id] = parts
        self._import_gate.memory(memory)
        case = self._gate.examine(memory if self._trusted else self._as_outside(memory))
        if case.verdict:
            self._carried.pop(memory.id, None)
            raise case.verdict.refusal(self._memories.by_force(FORCE))
        if case.memory.text != memory.text:
            self._carried.pop(memory.id, None)
        self._endings.note(memory, record)
        self._pending[memory.id] = case.memory

    def _as_outside(self, memory: Memory) -> Memory:
        """Return a memory of an untrusted source, whatever it says of its origin and approval."""
        return replace(memory, trusted=False, origin=self._origin, data=without_verdicts(memory.data))

    def _usable(self, model: ModelIdentity) -> bool:
        """True if vectors of the file's model can be used in this store."""
        bound = self._memories.store.model()
        if bound is None:
            self._memories.store.use_model(model)
            return True
        return bound.same_vectors(model)

    def _draft(self, record: dict[str, Any]) -> None:
        memories = self._memories
        draft = draft_from_record({"source": "imported", **record}, memories.now(), self._origin)
        memory = new_memory(memories, draft)
        if self._known is None:
            self._known = set()
            for each in memories.store.select(Filter(spaces=None, live=False)):
                self._known |= {_content(each, dated=True), _content(each, dated=False)}
        # Without an id it is recognised by its content; the time counts only if it has one.
        content = _content(memory, dated=draft.happened_at is not None)
        memory = memory if self._trusted else self._as_outside(memory)
        if content in self._known or self._was_taken_for(memory):
            self.report.unchanged += 1
            return
        self._known.add(content)
        self._drafts[memory.id] = memory
        self._places[memory.id] = self._place

    def _was_taken_for(self, memory: Memory) -> bool:
        """True if a line is recognised by words that it left on record before; not if it is forced in."""
        found = None if self._options.force else self._words.taken_for(self._place, memory)
        if found and found.in_other_words:
            self.report.taken_for.append(found)
        return found is not None

    def _event(self, record: dict[str, Any]) -> None:
        check_event(record)
        event = Event(
            number=0, at=times.from_iso(record["at"]), memory=record["memory"],
            action=record["action"], actor=self._memories.carried(record["actor"]), reason=record["reason"],
            before=record["before"], after=record["after"], change=record.get("change"),
        )  # fmt: skip
        event = with_undone(self._memories.store, self._import_gate.event(event), record)
        self._memories.store.put_history([event])
        self._on_record.add(event.memory)

    def _link(self, record: dict[str, Any]) -> None:
        check_link(record)
        values = _from_json(Link, record)
        self._links.append(self._import_gate.link(Link(**values)))

    def _state(self, record: dict[str, Any]) -> None:
        record = with_own_area(record)
        check_state(record)
        store = self._memories.store
        state = self._import_gate.state(State(**_from_json(State, record)), find_hash_key(store))
        here = list(store.states((state.space,), state.area, state.key))
        newer = not here or here[0].updated_at < state.updated_at
        self._count(int(newer and store.put_state(state)))

    def _count(self, written: int) -> None:
        self.report.added += written
        self.report.unchanged += 1 - written

    def _flush(self) -> None:
        self._flush_drafts()
        store = self._memories.store
        here = {memory.id: memory for memory in store.get(list(self._pending))}
        added, updated = [], []
        for memory in self._pending.values():
            existing = here.get(memory.id)
            if existing is None:
                added.append(memory)
            elif existing.trusted and not self._trusted:
                self.report.refused.append(f"{memory.id}: it is trusted here, and where it comes from is not")
            elif (merged := self._merged(existing, memory)) != existing:
                updated.append(merged)
            else:
                self.report.unchanged += 1
                if existing.ended_at and not memory.ended_at:
                    self.report.ended.append(memory.id)
        self.report.uncompared += self._uncompared(added)
        change = self._memories.change("import")
        with_record = [memory for memory in added if memory.id in self._on_record]
        without = [memory for memory in added if memory.id not in self._on_record]
        self._put(with_record, None)
        self._put(without + updated, change)
        self.report.added += len(added)
        self.report.updated += len(updated)
        linked = store.put_links([link for link in self._links if self._may_replace(link)])
        self.report.added += linked
        self.report.unchanged += len(self._links) - linked
        self._pending.clear()
        self._links.clear()
        self._carried.clear()
        self._progress(self.report.added + self.report.updated + self.report.unchanged)

    def _uncompared(self, added: Sequence[Memory]) -> int:
        """Return how many of these make statements in spaces that had memories before."""
        stated = [each.space for each in added if is_statement(each) and each.ended_at is None]
        for space in {*stated} - self._had_some.keys():
            self._had_some[space] = any(self._memories.store.select(Filter(spaces=(space,)), limit=1))
        return sum(self._had_some[space] for space in stated)

    def _merged(self, here: Memory, other: Memory) -> Memory:
        merged = _merge(here, other)
        return replace(merged, origin=self._memories.carried(merged.origin, here.origin))

    def _may_replace(self, link: Link) -> bool:
        """True if a link is new here, or later than the one with its id and not less trusted."""
        if self._linked is None:
            self._linked = {each.id: each for each in self._memories.store.links()}
        here = self._linked.get(link.id)
        if here and here != link and not self._trusted and is_owners_link(here):
            self.report.refused.append(
                f"{link.id}: this link is trusted here, and where it comes from is not"
            )
            self.report.unchanged -= 1
            return False
        if here and link_changed_at(here) > link_changed_at(link):
            return False
        self._linked[link.id] = link
        return True

    def _flush_drafts(self) -> None:
        """Write the records without an id, which the write policy decides on like any new memory."""
        drafts, memories = list(self._drafts.values()), self._memories
        decisions = admit(
            memories, memories.model, drafts, self._options,
            related=self._related, action="import", confirms=False,
        )  # fmt: skip
        for draft, decision in zip(drafts, decisions, strict=True):
            self.report.doubtful += decision.is_doubtful
            if decision.action == "refuse":
                self.report.refused.append(f"{self._places[draft.id]}: {decision.refusal()}")
            elif decision.action == "reinforce" or decision.waits_already:
                self.report.unchanged += 1
                self.report.taken_for.extend(taken_for(self._places[draft.id], decision))
            elif decision.action == "hold":
                self.report.held += 1
            else:
                self.report.added += 1
        self._drafts.clear()
        self._places.clear()

    def _put(self, memories: list[Memory], change: Change | None) -> None:
        vectors = {m.id: self._carried[m.id] for m in memories if m.id in self._carried}
        put_embedded(self._memories, self._memories.model, memories, change, vectors)


def is_turn(record: Mapping[str, Any]) -> bool:
    """True if a record is a turn of a conversation, which is no memory."""
    return record.get("role") in ROLES and "content" in record


def no_memory(record: Mapping[str, Any]) -> BadInput:
    """Return the error for a record of no type, or an unknown one."""
    kind = record.get("type")
    if is_turn(record):
        return BadInput(
            "no memory but a turn of a conversation",
            by_hand=message(Command("session import"), " takes what was said"),
        )
    if kind is None:
        return BadInput(
            "no memory: it has no 'text'", by_hand="if another program wrote it, --from says which"
        )
    return BadInput(f"unknown type {kind!r:.40}; one of memory, event, link, state, or none and a 'text'")


class NewerFormat(BadInput):
    """Raised for a file whose format is foreign or newer: nothing of it is read."""


def _merge(here: Memory, other: Memory) -> Memory:
    """Return the later updated of two versions of a memory, with the larger count of uses."""
    newer = other if other.updated_at > here.updated_at else here
    used = max((here, other), key=lambda each: (each.access_count, each.accessed_at is not None))
    return replace(newer, access_count=used.access_count, accessed_at=used.accessed_at)


def _content(memory: Memory, *, dated: bool) -> tuple[Any, ...]:
    happened_at = memory.happened_at if dated else None
    return (memory.text, memory.kind, memory.space, memory.session, happened_at)


def _from_json(noun: type[Link] | type[State], record: dict[str, Any]) -> dict[str, Any]:
    values = {}
    for name in noun._fields:
        value = record.get(name)
        is_time = name in TIME_FIELDS
        values[name] = times.from_iso(value) if is_time and value is not None else value
    return values
