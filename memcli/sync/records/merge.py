"""Merge of two versions of one record: pure, commutative, associative and idempotent.

A record is a set of registers, each a value with a *stamp*: milliseconds since 1970 of the change, but
always later than the stamp that it replaced (a hybrid logical clock per register, after Kulkarni et al.,
"Logical Physical Clocks", 2014). Of two values the later stamp wins; with equal stamps, the greater value
in canonical JSON. So a change made with knowledge of another is later whatever the system clocks say;
clocks decide only between concurrent changes.

Each tag of a memory is a register of its own: tags merge as a set, and for one tag the later statement,
present or absent, stands. Registers that are not last-writer-wins: *ends* (one each, so that an end which a
restore has not seen holds), `trusted` (False wins), `uses` (the larger count), `changes` (union).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

from memcli.named_tuple import NamedTuple

END = "end:"
# How many digests of former values are kept for a keyed value.
ANCESTORS = 32


class Record(NamedTuple):
    """One memory, link or keyed value as a replica knows it, or the deletion of a keyed value.

    `epoch` is the stamp of the last erasure of this record that its writer knew of: what was written again
    after it is another thing. `before` are digests of the former values of a keyed value; a conflict is one
    that neither side has seen.
    """

    kind: str
    key: str
    fields: Mapping[str, Any]
    stamps: Mapping[str, int]
    epoch: int = 0
    before: tuple[str, ...] = ()


def canonical(value: Any) -> str:
    """Return a JSON value as text, the same on every machine."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def sum_of(value: Any) -> str:
    """Return a short digest of a JSON value, which tells that it changed but not what it is."""
    return blake2b(canonical(value).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def united(one: Record, other: Record) -> Record:
    """Return the merge of two versions of a record."""
    if one.epoch != other.epoch:
        return max(one, other, key=lambda each: each.epoch)
    fields, stamps = dict(one.fields), dict(one.stamps)
    for name, value in other.fields.items():
        if name in fields:
            ours, theirs = (stamps[name], fields[name]), (other.stamps[name], value)
            stamps[name], fields[name] = _joined(name, ours, theirs)
        else:
            fields[name], stamps[name] = value, other.stamps[name]
    # Sorted, so that the order of the arguments does not matter.
    before = tuple(sorted({*one.before, *other.before}))[:ANCESTORS]
    return Record(one.kind, one.key, fields, stamps, one.epoch, before)


def _joined(name: str, one: tuple[int, Any], other: tuple[int, Any]) -> tuple[int, Any]:
    """Return the stamp and the value of a register that both have."""
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
    """Return the end that holds for a record: the latest that was not taken back; None if there is none."""
    live = [
        (record.stamps[name], canonical(value), value)
        for name, value in record.fields.items()
        if name.startswith(END) and value is not None
    ]
    return max(live, key=lambda each: each[:2])[2] if live else None


def replacements(record: Record) -> frozenset[str]:
    """Return the ids of the memories that replaced this one, by every end that was not taken back."""
    ends = [value for name, value in record.fields.items() if name.startswith(END) and value is not None]
    return frozenset(each[-1] for each in ends if isinstance(each[-1], str))


def conflict(one: Record, other: Record) -> bool:
    """True if two values were written without knowledge of each other."""
    sums = [sum_of(each.fields.get("value")) for each in (one, other)]
    return sums[0] != sums[1] and sums[0] not in other.before and sums[1] not in one.before
