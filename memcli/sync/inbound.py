"""Inbound sync: take in another replica's segment, all or nothing, in one short transaction.

Never taken in: what was erased here, or quotes it; secrets (unless forced, here or on record there); what
is not in the synced spaces. A refused record is reported and left out.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from memcli.changes import foreign_lines
from memcli.errors import BadInput, Refused
from memcli.memories import Memories
from memcli.memory_data import is_forced_past_secrets
from memcli.model import Event, Link, Memory, ModelIdentity, State
from memcli.named_tuple import NamedTuple
from memcli.storage import Vectors
from memcli.storage.ledger import Clock
from memcli.sync import replica
from memcli.sync.erasures import pending
from memcli.sync.erasures.gone_values import GoneValues
from memcli.sync.erasures.rewritten_lines import take_out_as_told
from memcli.sync.erasures.tombstones import FINAL, Tombstones, is_told_of
from memcli.sync.local import OWN_AREAS, Noun, nouns, records, registers, take_note
from memcli.sync.lost import is_owners_loss, keep_lost
from memcli.sync.outbound import Audience, is_trace_state, space_of
from memcli.sync.outlived import has_erased, news_of_successors
from memcli.sync.records.lines import EVENT, event_of, noun_of, record_of
from memcli.sync.records.merge import Record, replacements, united
from memcli.sync.records.registers import KINDS, MEMORY, STATE, milliseconds
from memcli.sync.records.stamps import clock_of, knows
from memcli.sync.taken import Taken
from memcli.text.secrets.redaction import without_quoted_secrets
from memcli.upkeep.exchange.validation import FORCE, ImportGate
from memcli.write_policy.decision import Case
from memcli.write_policy.gate import Gate
from memcli.write_policy.reader import StoreReader
from memcli.write_policy.settings import WriteOptions

ORIGIN = "sync"
# The name under which traces of erasures are counted.
ERASURE = "erasure"
# The only field that is taken in of a history line about an erasure.
_MARK = "space_hash"


Key = tuple[str, str]


class IncomingRecord(NamedTuple):
    """A received record, and the checked noun that it makes here; None for a deleted value."""

    record: Record
    noun: Noun | None
    vouched: str | None = None
    """For a trusted memory of an untrusted origin, who vouched for it."""


class SegmentImporter:
    """Takes lines of other replicas into a store; `via` is the folder that they come from."""

    def __init__(self, memories: Memories, via: str, audience: Audience, *, force: bool = False) -> None:
        self.taken = Taken()
        self._memories = memories
        self._store = memories.store
        self._via = via
        self._audience = audience
        self._options = WriteOptions(force=force, carried=True)
        self._forced: set[str] = set()
        self.replaced: dict[str, frozenset[str]] = {}
        """The ids of the replacements of each memory that has several by now."""

    def take(
        self,
        lines: Iterable[str],
        place: str,
        within: Callable[[], None] = lambda: None,
        model: Mapping[str, Any] | None = None,
    ) -> int:
        """Take in a segment's lines, calling `within` in the transaction; return how many were left out."""
        # Read anew for each segment: an earlier one may have brought traces of erasures.
        self._gate = Gate(self._memories, self._options, self._memories.now())
        self._import_gate = ImportGate(
            self._options,
            StoreReader(self._store),
            trusted=True,
            origin=ORIGIN,
            by_force=self._memories.by_force(FORCE),
        )
        self._tombstones = Tombstones(self._store)
        left_out = self.taken.left_out
        foreign, events, vectors = self._read(lines, place, self._usable(model))
        foreign = self._who_may_come(foreign, place)
        self._vetted = {
            each.id: each.to_record() for each in self._store.get([event.memory for event in events])
        }
        events = [event for event in events if self._event_may_come(event, place)]
        with self._store.writing():
            self._tombstones = Tombstones(self._store)
            for kind in KINDS:
                self._unite(kind, {key: told for (of, key), told in foreign.items() if of == kind}, vectors)
            self._record(events)
            within()
        return self.taken.left_out - left_out

    def _read(
        self, lines: Iterable[str], place: str, model: ModelIdentity | None
    ) -> tuple[dict[Key, IncomingRecord], list[Event], dict[str, Vectors]]:
        found: dict[Key, IncomingRecord] = {}
        events: list[Event] = []
        vectors: dict[str, Vectors] = {}
        for number, text in enumerate(lines, start=2):
            try:
                line = json.loads(text)
                if not isinstance(line, dict):
                    raise BadInput("not a JSON object")
                space = line.get("space")
                if not self._audience.is_of(space):
                    continue
                if line.get("type") == EVENT:
                    events.append(event_of(line))
                    continue
                record = record_of(line)
                noun = noun_of(record, self._memories.config["max_text"])
                if noun is not None and space_of(noun) != space:
                    raise BadInput(
                        f"{record.kind} {record.key:.40}: it is of another space than its line says"
                    )
                if isinstance(noun, State) and noun.area in OWN_AREAS:
                    raise BadInput(f"{noun.area:.40}: it is of the machine that it was noted on")
                name = (record.kind, record.key)
                if name in found:
                    record = united(found[name].record, record)
                    noun = noun_of(record, self._memories.config["max_text"])
                vouched = line.get("vouched")
                found[name] = IncomingRecord(record, noun, vouched if isinstance(vouched, str) else None)
                if model and isinstance(line.get("vectors"), list):
                    vectors[record.key] = _vectors(line["vectors"], model)
            except (BadInput, ValueError, TypeError, RecursionError, AttributeError) as error:
                self._refuse(f"{place}, line {number}", error)
        return found, events, vectors

    # Checks, before the transaction

    def _who_may_come(self, foreign: dict[Key, IncomingRecord], place: str) -> dict[Key, IncomingRecord]:
        """Return the records of `foreign` that are new here and may come in."""
        news: dict[Key, IncomingRecord] = {}
        for kind in KINDS:
            keys = [key for of, key in foreign if of == kind]
            clocks = self._store.clocks(kind, keys)
            for key in keys:
                told = foreign[kind, key]
                known = key in clocks and knows(clocks[key].value, told.record)
                if known or self._is_dead(told.record):
                    continue
                told = self._without_false_trust(told)
                if self._may_come(told, place):
                    news[kind, key] = told
        return news

    def _without_false_trust(self, told: IncomingRecord) -> IncomingRecord:
        """Return a record, untrusted if an untrusted origin wrote it and no trusted one vouched for it.

        Who carries it makes it no more trusted; a vouching on record does, and travels on.
        """
        record, noun = told.record, told.noun
        if not isinstance(noun, Memory) or not noun.trusted or not self._memories.distrusts(noun.origin):
            return told
        if told.vouched and not self._memories.distrusts(told.vouched):
            return told
        fields = {**record.fields, "trusted": False}
        return told._replace(record=record._replace(fields=fields), noun=replace(noun, trusted=False))

    def _may_come(self, told: IncomingRecord, place: str) -> bool:
        """True if the write policy lets a record in; otherwise it is reported."""
        record, noun = told.record, told.noun
        try:
            if isinstance(noun, Memory):
                case = self._gate.examine(noun)
                if case.verdict and not self._is_known_policy(noun, case):
                    raise case.verdict.refusal(self._memories.by_force(FORCE))
                if is_forced_past_secrets(noun.data):
                    self._forced.add(noun.id)
            elif isinstance(noun, Link):
                self._import_gate.link(noun)
            elif noun is not None and not is_trace_state(noun):
                self._import_gate.cleaned(f"the {noun.area:.40}", [[noun.space, noun.key], noun.value])
        except (Refused, BadInput, ValueError, TypeError) as error:
            if isinstance(error, Refused) and noun is not None and self._is_said_here(record, noun):
                return True
            self._refuse(
                f"{place}, {record.kind} {record.key if record.kind != STATE else ''}".strip(), error
            )
            return False
        return True

    def _is_said_here(self, record: Record, noun: Noun) -> bool:
        """True if the store holds it in these words already, so that it was let in before."""
        row = nouns(self._memories, record.kind, [record.key]).get(record.key)
        return row is not None and _said(row) == _said(noun)

    def _is_on_record(self, event: Event) -> bool:
        same = (event.at, event.action, event.change)
        return any((each.at, each.action, each.change) == same for each in self._store.history(event.memory))

    def _is_known_policy(self, noun: Memory, case: Case) -> bool:
        """True if only the trust rule objects, and the owner wrote it, vouched for it, or has it here."""
        if not case.verdict or case.verdict.rule != "untrusted-policy":
            return False
        return noun.trusted or not self._memories.distrusts(noun.origin) or bool(self._store.get([noun.id]))

    def _event_may_come(self, event: Event, place: str) -> bool:
        erased = event.action not in FINAL and self._tombstones.epoch(MEMORY, event.memory)
        if erased and not self._store.get([event.memory]):
            return False  # the sender has not learned of the erasure yet
        try:
            if event.action in FINAL:
                self._import_gate.cleaned("the line of history", [event.reason])
            elif event.memory not in self._forced and not self._says_nothing_else(event):
                self._import_gate.event(event)
        except (Refused, BadInput, ValueError, TypeError) as error:
            if isinstance(error, Refused) and self._is_on_record(event):
                return False
            # If the memory itself was refused, its history needs no second line.
            if any(event.memory in line for line in self.taken.refused):
                self.taken.left_out += 1
            else:
                self._refuse(f"{place}, history of {event.memory}", error)
            return False
        return True

    def _says_nothing_else(self, event: Event) -> bool:
        """True if a history line about a new memory says only what that memory, already taken in, says."""
        memory, told = self._vetted.get(event.memory), event.after
        return (
            event.before is None
            and not event.reason
            and memory is not None
            and told is not None
            and all(name in memory and memory[name] == value for name, value in told.items())
        )

    def _refuse(self, where: str, error: Exception) -> None:
        self.taken.left_out += 1
        if not isinstance(error, Refused):
            self.taken.bad += 1
        said = str(error) if isinstance(error, BadInput | Refused) else f"malformed ({error})"
        self.taken.refused.append(f"{where}: {without_quoted_secrets(said)}")

    def _usable(self, model: Mapping[str, Any] | None) -> ModelIdentity | None:
        """Return the model of a segment's vectors if they are usable in this store; else None."""
        try:
            told = ModelIdentity(**model) if model else None
        except TypeError:
            return None
        bound = self._store.model()
        return told if told and (bound is None or bound.same_vectors(told)) else None

    # Writing, in one transaction

    def _unite(self, kind: str, told: dict[str, IncomingRecord], vectors: Mapping[str, Vectors]) -> None:
        """Merge records of one kind with those here."""
        foreign = {key: each.record for key, each in told.items()}
        keys = list(foreign)
        clocked = self._store.is_clocked(kind, keys)
        if kind == STATE:
            gone = GoneValues(self._memories, self._via)
            foreign = gone.sort_out(foreign)
            self.taken.gone += gone.dropped
            self.taken.note_lost(gone.lost)
            keys = list(foreign)
        # Changes that another process made since local changes were noted are noted now.
        if news := [key for key in keys if key not in clocked]:
            take_note(self._memories, kind, news)
        here, rows = records(self._memories, kind, keys), nouns(self._memories, kind, keys)
        clocks: list[Clock] = []
        revision = replica.next_revision(self._memories)
        for key, record in foreign.items():
            own, row = here.get(key), rows.get(key)
            if self._is_dead(record) or (row is not None and not self._audience.is_of(space_of(row))):
                continue
            both = united(own, record) if own else record
            if own == both:
                continue
            by = replacements(both)
            if len(by) > 1 and not (own and by == replacements(own)):
                self.replaced[key] = by
            noun = noun_of(both, self._memories.config["max_text"]) if own else told[key].noun
            if noun is None or _has_lapsed(noun, self._memories):
                continue
            if (
                isinstance(noun, Memory)
                and isinstance(row, Memory)
                and row.trusted
                and not (own and own.fields["trusted"])
            ):
                noun = replace(noun, trusted=True)  # vouched for on this machine
            if own and row is not None and noun != row:
                self._keep_lost(own, record, both, row)
            self._write(noun, row, vectors.get(key))
            stamp = Clock(kind, key, revision, self._via, _with_expiry(clock_of(both, registers(noun)), noun))
            clocks.append(stamp)
        self._store.put_clocks(clocks)

    def _is_dead(self, record: Record) -> bool:
        if record.kind == STATE and not record.key.startswith("["):
            return False
        known = self._tombstones.epoch(record.kind, record.key)
        return known > record.epoch

    def _write(self, noun: Noun, row: Noun | None, vectors: Vectors | None) -> None:
        store, now = self._store, self._memories.now()
        if noun == row:
            return
        kind = type(noun).__name__.lower()
        if isinstance(noun, State) and is_trace_state(noun):
            kind = ERASURE
        (self.taken.added if row is None else self.taken.changed)[kind] += 1
        if isinstance(noun, Memory):
            fits = vectors and (row is None or (isinstance(row, Memory) and row.text != noun.text))
            store.put([noun], None, now, {noun.id: vectors} if fits and vectors else None)
        elif isinstance(noun, Link):
            store.put_links([noun])
        else:
            store.put_state(noun)
            if is_trace_state(noun):
                pending.note_thing(self._memories, noun)

    def _keep_lost(self, own: Record, record: Record, both: Record, row: Noun) -> None:
        replaced = both.fields.get("value") != own.fields.get("value")
        if isinstance(row, State) and replaced and is_owners_loss(row, own, record):
            keep_lost(self._memories, row)
            self.taken.note_lost([row])

    def _record(self, events: Sequence[Event]) -> None:
        """Take over history lines; those about the erasure of something here wait until it is carried out."""
        finals = {event.memory for event in events if event.action in FINAL}
        here = {each.id for each in self._store.get(sorted(finals))}
        clocks = self._store.clocks(MEMORY, sorted(here))
        erased = {event.memory for event in events if event.action == "erase"}
        # An interrupted sync may have taken history lines of a memory before its record.
        orphaned = {each for each in finals - here if is_told_of(self._store, each)}
        pending.note_absent(
            self._memories,
            (each for each in erased - here if each in orphaned or not has_erased(self._store, each)),
        )
        lines = []
        for event in events:
            told = _bare(event) if event.action in FINAL else event
            epoch = clocks[event.memory].value.get("epoch", 0) if event.memory in clocks else 0
            is_here = event.memory in here and milliseconds(event.at) > epoch
            if event.action in FINAL and (is_here or event.memory in orphaned):
                pending.note_memory(self._memories, told, self._via)
            else:
                lines.append(told)
        self.taken.successors |= news_of_successors(self._store, lines)
        take_out_as_told(self._memories, lines, self._via)
        self.taken.events += foreign_lines.put_foreign(self._memories, lines, self._via)


def _said(noun: Noun) -> list[Any]:
    """Return the textual content of a record."""
    if isinstance(noun, Memory):
        return [noun.kind, noun.space, noun.text, noun.tags, noun.data]
    if isinstance(noun, Link):
        return [noun.space, noun.subject, noun.relation, noun.object, noun.data]
    return [noun.value]


def _has_lapsed(noun: Noun, memories: Memories) -> bool:
    return isinstance(noun, State) and bool(noun.expires_at and noun.expires_at <= memories.now())


def _with_expiry(clock: dict[str, Any], noun: Noun) -> dict[str, Any]:
    expires = noun.expires_at if isinstance(noun, State) else None
    return {**clock, "expires": milliseconds(expires)} if expires else clock


def _bare(event: Event) -> Event:
    """Return a history line about an erasure without anything but the fact."""
    mark = (event.after or {}).get(_MARK)
    return event._replace(before=None, after={_MARK: mark} if isinstance(mark, str) else None)


def _vectors(parts: Sequence[Any], model: ModelIdentity) -> Vectors:
    found = [base64.b64decode(part, validate=True) for part in parts]
    if any(len(part) != 4 * model.dimensions for part in found):
        raise BadInput("a vector is not as long as its model makes them")
    return found
