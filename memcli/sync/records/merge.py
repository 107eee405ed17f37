"""Uniting what two replicas know of one record: pure, and in any order, grouping and repetition the same.

A record is a set of registers, each a value with a *stamp*: milliseconds since 1970 of the
change, but always later than the one that it replaced (a hybrid logical clock a register, after
Kulkarni et al., "Logical Physical Clocks", 2014). Of two values the later stamp wins, of two
with one stamp the greater in canonical JSON. So what was changed by who had seen the
other is later whatever the clocks say; clocks decide only between changes that had not seen
each other.

Each tag of a memory is a register of its own: so tags are united as a set, and of one tag the later
word, that it is there or not, stands. Registers that are no last-writer-wins: *ends* (one each, so
that an end which a restore has not seen holds), `trusted` (False wins), `uses` (the larger count),
`changes` (united).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

from memcli.named_tuple import NamedTuple

END = "end:"
# What of a keyed value it replaced is known by: so many of its last values.
ANCESTORS = 32


class Record(NamedTuple):
    """One memory, link or keyed value as a replica knows it, or that a keyed value is gone.

    `epoch` is the stamp of the last erasure of this very thing that its writer knew of: what was
    written again after it is another thing. `before` are sums of the values that the
    whole of a keyed value replaced, newest first.
    """

    kind: str
    key: str
    fields: Mapping[str, Any]
    stamps: Mapping[str, int]
    epoch: int = 0
    before: tuple[str, ...] = ()


def canonical(value: Any) -> str:
    """A JSON value as text, the same on every machine."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def sum_of(value: Any) -> str:
    """A short digest of a JSON value: tells that it changed, not what it is."""
    return blake2b(canonical(value).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def united(one: Record, other: Record) -> Record:
    """What both know together. Commutative, associative, idempotent."""
    if one.epoch != other.epoch:
        return max(one, other, key=lambda each: each.epoch)
    fields, stamps = dict(one.fields), dict(one.stamps)
    for name, value in other.fields.items():
        if name in fields:
            ours, theirs = (stamps[name], fields[name]), (other.stamps[name], value)
            stamps[name], fields[name] = _joined(name, ours, theirs)
        else:
            fields[name], stamps[name] = value, other.stamps[name]
    # Sorted, for whose ancestors come first is no matter.
    before = tuple(sorted({*one.before, *other.before}))[:ANCESTORS]
    return Record(one.kind, one.key, fields, stamps, one.epoch, before)


def _joined(name: str, one: tuple[int, Any], other: tuple[int, Any]) -> tuple[int, Any]:
    """The stamp and the value of a register that both have."""
    latest = max(one[0], other[0])
    if name == "trusted":
        return latest, one[1] and other[1]
    if name == "changes":
        every = {canonical(each): each for each in (*one[1], *other[1])}
        return latest, [
            every[text] for text in sorted(every, key=lambda text: (str(every[text].get("at")), text))
        ]
    counts = (lambda each: each[1][0]) if name == "uses" else (lambda each: 0)
    return max(one, other, key=lambda each: (counts(each), each[0], canonical(each[1])))


def end_in_force(record: Record) -> Any:
    """By which end the record has ended: the latest that nobody took back; None where it has not."""
    live = [
        (record.stamps[name], canonical(value), value)
        for name, value in record.fields.items()
        if name.startswith(END) and value is not None
    ]
    return max(live, key=lambda each: each[:2])[2] if live else None


def replacements(record: Record) -> frozenset[str]:
    """The ids of what took a memory's place, by every end of it that nobody took back."""
    ends = [value for name, value in record.fields.items() if name.startswith(END) and value is not None]
    return frozenset(each[-1] for each in ends if isinstance(each[-1], str))


def conflict(one: Record, other: Record) -> bool:
    """Whether two whole values were written without knowing of each other."""
    sums = [sum_of(each.fields.get("value")) for each in (one, other)]
    return sums[0] != sums[1] and sums[0] not in other.before and sums[1] not in one.before
