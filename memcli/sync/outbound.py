"""What a store has to tell others, as lines: what was noted since a point, but what they told it."""

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

# Who erases what others have erased: they need not be told.
ACTOR = "sync"


class Cursor(NamedTuple):
    """How far a store was told: the revision of its clocks, the number of its last line of history, and
    how many of the lines that were rewritten."""

    revision: int = 0
    event: int = 0
    rewritten: int = 0


class Audience(NamedTuple):
    """Who is told: readers of the folder `via`, of these spaces (None: all), with `vectors` or without."""

    via: str = ""
    spaces: Sequence[str] | None = None
    vectors: bool = False

    def is_of(self, space: str | None) -> bool:
        """Whether what is in a space is theirs to know; what is nobody's (None) is."""
        return space is None or self.spaces is None or space in self.spaces


class Portion(NamedTuple):
    """Lines of one segment, and whether they tell of something that was erased."""

    lines: list[str]
    of_erasure: bool = False


def end_of(scope: Scope) -> Cursor:
    """The point up to which all is told once all until now is."""
    newest = next(scope.store.history(newest_first=True), None)
    rewritten = len(foreign_lines.read_rewritten(scope))
    return Cursor(scope.store.clock_revision(), newest.number if newest else 0, rewritten)


def portions(scope: Scope, since: Cursor, audience: Audience) -> Iterator[Portion]:
    """All that was noted since, in portions that are segments: records first, then lines of history."""
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
    # What one change did to one memory at one instant is told at once: so alike lines are counted.
    whole = (list(group) for _, group in groupby(events, key=lambda each: each.change or each.number))
    for batch in _batches(whole):
        final = any(event.action in FINAL for group in batch for event in group)
        yield from _cut(list(_event_lines(scope, batch, audience)), of_erasure=final)
    # Apart from the new ones: in one segment alike lines are counted.
    again = rewritten_since(scope, since.rewritten, since.event, told, audience.via)
    for batch in _batches(again):
        yield from _cut(list(_event_lines(scope, batch, audience)), of_erasure=False)


def record_lines(scope: Scope, clocks: Sequence[Clock], audience: Audience) -> Iterator[str]:
    """The records of these clocks as lines; without those that were changed since, or are of other spaces."""
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
    """Who vouched for what an untrusted origin wrote, and is trusted all the same."""
    if not isinstance(noun, Memory) or not noun.trusted or not scope.distrusts(noun.origin):
        return None
    for event in scope.store.history(noun.id, newest_first=True):
        if (event.before or {}).get("trusted") is False and (event.after or {}).get("trusted") is True:
            return event.actor
    return None


def gone_record(clock: Clock) -> Record:
    """The record of a keyed value that is gone."""
    stamp = clock.value["stamps"].get("value", clock.value["base"])
    seen = tuple(clock.value.get("before", ()))
    return Record(STATE, clock.key, {"value": None}, {"value": stamp}, clock.value.get("epoch", 0), seen)


def space_of(noun: Noun) -> str | None:
    """Whose a record is: its space; of marks of what was erased, None: everybody has to know."""
    if isinstance(noun, Memory | Link):
        return noun.space
    return None if is_trace_state(noun) else noun.space


def is_trace_state(state: State) -> bool:
    """Whether it is a mark of what was erased."""
    return state.space == EVERYWHERE and is_trace(state_key(state.space, state.area, state.key))


def _event_lines(scope: Scope, groups: Sequence[list[Event]], audience: Audience) -> Iterator[list[str]]:
    named = {event.memory for group in groups for event in group}
    spaces = {each.id: each.space for each in scope.store.get(sorted(named))}
    for group in groups:
        lines = []
        for event in group:
            space = None if event.action in FINAL else spaces.get(event.memory, "")
            # Of a memory that is gone nobody knows whose it was, and all that is left is that it went.
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
    """Lines in portions of no more than a segment should hold, but a group is never cut."""
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
