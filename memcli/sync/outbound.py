"""Outbound sync: the lines that a store sends to others, since a cursor and except what came from them."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from itertools import groupby

from memcli.changes import foreign_lines
from memcli.model import EVERYWHERE, Event, Link, Memory, State
from memcli.named_tuple import NamedTuple
from memcli.origins import is_through
from memcli.scope import Scope
from memcli.storage import Beginning
from memcli.storage.batches import BATCH, in_batches
from memcli.storage.ledger import Clock, state_key
from memcli.sync.erasures.rewritten_lines import rewritten_since
from memcli.sync.erasures.tombstones import FINAL, is_trace
from memcli.sync.files.segments import LARGE
from memcli.sync.local import Noun, nouns, registers
from memcli.sync.records.lines import event_line, record_line
from memcli.sync.records.merge import Record
from memcli.sync.records.registers import MEMORY, STATE
from memcli.sync.records.stamps import stamped

# The actor of erasures that a sync carries out; these are not sent on.
ACTOR = "sync"


class Cursor(NamedTuple):
    """A position in a store up to which it was sent: in its clocks, its history, and its rewritten lines."""

    revision: int = 0
    event: int = 0
    rewritten: int = 0


class Audience(NamedTuple):
    """The receivers: readers of the folder `via`, of these spaces (None: all), with or without `vectors`."""

    via: str = ""
    spaces: Sequence[str] | None = None
    vectors: bool = False

    def is_of(self, space: str | None) -> bool:
        """True if records of this space are for these receivers; records of no space (None) are for all."""
        return space is None or self.spaces is None or space in self.spaces


class Portion(NamedTuple):
    """Lines for one segment, and whether they include an erasure."""

    lines: list[str]
    of_erasure: bool = False


def end_of(scope: Scope) -> Cursor:
    """Return the cursor after everything up to now has been sent."""
    newest = next(scope.store.history(newest_first=True), None)
    rewritten = len(foreign_lines.read_rewritten(scope))
    return Cursor(scope.store.clock_revision(), newest.number if newest else 0, rewritten)


def portions(scope: Scope, since: Cursor, audience: Audience) -> Iterator[Portion]:
    """Yield everything recorded since a cursor, in portions of one segment: records, then history lines."""
    clocks = (
        each
        for each in scope.store.clocks_since(since.revision)
        if not audience.via or each.via != audience.via
    )
    for some in in_batches(clocks, BATCH):
        lines = list(record_lines(scope, some, audience))
        of_erasure = any(each.kind == STATE and is_trace(each.key) for each in some)
        yield from _cut([[line] for line in lines], of_erasure=of_erasure)
    told = foreign_lines.read_ranges(scope, audience.via) if audience.via else []
    events = (
        event
        for event in scope.store.history(after=since.event)
        if not foreign_lines.is_among(event.number, told)
        and not (event.action in FINAL and is_through(event.actor, ACTOR))
    )
    # The lines of one change stay together, because identical lines of one segment are counted.
    whole = (list(group) for _, group in groupby(events, key=lambda each: each.change or each.number))
    for batch in _batches(whole):
        final = any(event.action in FINAL for group in batch for event in group)
        yield from _cut(list(_event_lines(scope, batch, audience)), of_erasure=final)
    # Not together with new lines, because identical lines of one segment are counted.
    again = rewritten_since(scope, since.rewritten, since.event, told, audience.via)
    for batch in _batches(again):
        yield from _cut(list(_event_lines(scope, batch, audience)), of_erasure=False)


def record_lines(scope: Scope, clocks: Sequence[Clock], audience: Audience) -> Iterator[str]:
    """Yield the records of these clocks as lines, except those changed since and those of other spaces."""
    by_key = {(each.kind, each.key): each for each in clocks}
    for kind in {each.kind for each in clocks}:
        keys = [each.key for each in clocks if each.kind == kind]
        current = scope.store.is_clocked(kind, keys) & scope.store.is_sound(kind, keys)
        here = nouns(scope, kind, [key for key in keys if key in current])
        vectors = _vectors(scope, list(here)) if kind == MEMORY and audience.vectors else {}
        for key in keys:
            clock = by_key[kind, key]
            if key in here:
                space = space_of(here[key])
                if audience.is_of(space):
                    record = stamped(kind, key, registers(here[key]), clock.value, {}, 0)
                    beside = {"vectors": vectors.get(key), "vouched": _vouched(scope, here[key])}
                    yield record_line(record, space, **beside)
            elif kind == STATE and not key.startswith("["):
                yield record_line(gone_record(clock), None)


def _vouched(scope: Scope, noun: Noun) -> str | None:
    """Return who vouched for a trusted memory that an untrusted origin wrote."""
    if not isinstance(noun, Memory) or not noun.trusted or not scope.distrusts(noun.origin):
        return None
    for event in scope.store.history(noun.id, newest_first=True):
        if (event.before or {}).get("trusted") is False and (event.after or {}).get("trusted") is True:
            return event.actor
    return None


def gone_record(clock: Clock) -> Record:
    """Return the record of a deleted keyed value."""
    stamp = clock.value["stamps"].get("value", clock.value["base"])
    seen = tuple(clock.value.get("before", ()))
    return Record(STATE, clock.key, {"value": None}, {"value": stamp}, clock.value.get("epoch", 0), seen)


def space_of(noun: Noun) -> str | None:
    """Return a record's space; None for traces of erasures, which every replica must get."""
    if isinstance(noun, Memory | Link):
        return noun.space
    return None if is_trace_state(noun) else noun.space


def is_trace_state(state: State) -> bool:
    """True if it is a trace of an erasure."""
    return state.space == EVERYWHERE and is_trace(state_key(state.space, state.area, state.key))


def _event_lines(scope: Scope, groups: Sequence[list[Event]], audience: Audience) -> Iterator[list[str]]:
    named = {event.memory for group in groups for event in group}
    spaces = {each.id: each.space for each in scope.store.get(sorted(named))}
    for group in groups:
        lines = []
        for event in group:
            space = None if event.action in FINAL else spaces.get(event.memory, "")
            # The space of a gone memory is unknown; only lines that say that it is gone are sent.
            if audience.is_of(space) and (space is None or event.memory in spaces):
                lines.append(event_line(event, space))
        yield lines


def _batches(groups: Iterator[list[Event]]) -> Iterator[list[list[Event]]]:
    batch: list[list[Event]] = []
    for group in groups:
        if batch and sum(map(len, batch)) + len(group) > BATCH:
            yield batch
            batch = []
        batch.append(group)
    if batch:
        yield batch


def _cut(groups: Sequence[list[str]], *, of_erasure: bool) -> Iterator[Portion]:
    """Split lines into portions of about one segment, without splitting a group."""
    lines: list[str] = []
    size = 0
    for group in groups:
        if lines and size > LARGE:
            yield Portion(lines, of_erasure)
            lines, size = [], 0
        lines.extend(group)
        size += sum(map(len, group))
    if lines or of_erasure:
        yield Portion(lines, of_erasure)


def _vectors(scope: Scope, ids: Sequence[str]) -> dict[str, list[str]]:
    refs = scope.store.refs_by_id(ids)
    carried = scope.store.vectors(list(refs.values()))
    return {
        key: [base64.b64encode(part).decode() for part in parts]
        for key, ref in refs.items()
        if (parts := carried.get(ref)) and not isinstance(parts, Beginning)
    }
