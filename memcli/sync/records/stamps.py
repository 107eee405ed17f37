"""Stamps of local changes: compare a record with its clock and stamp what changed. Pure.

A *clock* is what a store keeps beside a record: the stamp of each register, and a short digest of its value
at that time, by which a change is noticed. It holds no content.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memcli.sync.records.merge import ANCESTORS, END, Record, end_in_force, sum_of
from memcli.sync.records.registers import TAGS

# Written into each clock as "v".
_CLOCK_VERSION = 1


def stamped(
    kind: str,
    key: str,
    now: Mapping[str, Any],
    clock: Mapping[str, Any] | None,
    walls: Mapping[str, int],
    wall: int,
    *,
    epoch: int = 0,
) -> Record:
    """Return a record with current registers (`now`), with new stamps for what changed since its clock.

    `walls` says when single registers were changed, `wall` when the others were.
    """
    if clock is None:
        return _first_stamped(kind, key, now, walls, wall, epoch)
    fields = {name: value for name, value in now.items() if name != "end"}
    known = clock_record(kind, key, clock)
    stamps = dict(known.stamps)
    sums = _sums(clock)
    for gone in [name for name in sums if name not in fields and not name.startswith(END)]:
        fields[gone] = None
    for name, value in fields.items():
        if sums.get(name) != sum_of(value):
            stamps[name] = max(walls.get(name, wall), stamps[name] + 1 if name in stamps else 0)
    before = known.before
    if "value" in fields and sums.get("value") not in (None, sum_of(fields["value"])):
        before = (sums["value"], *(each for each in before if each != sums["value"]))[:ANCESTORS]
    ends = {name: value for name, value in known.fields.items() if name.startswith(END)}
    if kind != "state" and now.get("end") != end_in_force(known):
        _stamp_end(now.get("end"), walls.get("end", wall), ends, stamps)
    if clock.get("distrusted"):
        # Trust given on this machine does not travel.
        fields["trusted"] = False
    return Record(kind, key, {**fields, **ends}, stamps, max(epoch, known.epoch), before)


def _first_stamped(
    kind: str, key: str, now: Mapping[str, Any], walls: Mapping[str, int], wall: int, epoch: int
) -> Record:
    """Return a record that has no clock yet: each register is stamped with the time of its change."""
    fields = {name: value for name, value in now.items() if name != "end"}
    stamps = {name: walls.get(name, wall) for name in fields}
    if now.get("end"):
        at = walls.get("end", wall)
        fields[f"{END}{at}"], stamps[f"{END}{at}"] = now["end"], at
    return Record(kind, key, fields, stamps, epoch)


def _stamp_end(end: Any, at: int, ends: dict[str, Any], stamps: dict[str, int]) -> None:
    """Add a register for an end at an instant, or with None mark all known ends as taken back.

    Each stamp is later than those of the known ends.
    """
    if end is None:
        for name in [name for name, value in ends.items() if value is not None]:
            ends[name], stamps[name] = None, max(at, stamps[name] + 1)
    else:
        at = max([at, *(stamps[name] + 1 for name in ends)])
        ends[f"{END}{at}"], stamps[f"{END}{at}"] = end, at


def clock_of(record: Record, now: Mapping[str, Any]) -> dict[str, Any]:
    """Return the clock of a record whose registers in the store are `now`."""
    stamps = record.stamps
    most = list(stamps.values())
    base = max(set(most), key=lambda each: (most.count(each), each)) if most else 0
    clock: dict[str, Any] = {
        "v": _CLOCK_VERSION,
        "base": base,
        "stamps": {name: stamp for name, stamp in stamps.items() if stamp != base},
        "sums": {name: sum_of(now.get(name)) for name in record.fields if not name.startswith(END)},
    }
    if ends := {name: value for name, value in record.fields.items() if name.startswith(END)}:
        clock["ends"] = ends
    if record.epoch:
        clock["epoch"] = record.epoch
    if record.before:
        clock["before"] = list(record.before)
    if record.fields.get("trusted") is False:
        clock["distrusted"] = True
    return clock


def knows(clock: Mapping[str, Any], record: Record) -> bool:
    """True if a clock shows that the store has all that a record says, by stamps and digests alone."""
    if clock.get("epoch", 0) != record.epoch:
        return bool(clock.get("epoch", 0) > record.epoch)
    for name, stamp in record.stamps.items():
        value = record.fields[name]
        if name.startswith(END):
            if clock.get("ends", {}).get(name, ...) != value:
                return False
        elif clock["sums"].get(name) != sum_of(value) or name not in clock["sums"]:
            return False
        if clock["stamps"].get(name, clock["base"]) != stamp:
            return False
    return set(record.before) <= set(clock.get("before", ()))


def _sums(clock: Mapping[str, Any]) -> dict[str, str]:
    """Return the digests of a clock's registers, without the tags register of an earlier version."""
    return {name: each for name, each in clock["sums"].items() if name != TAGS}


def clock_record(kind: str, key: str, clock: Mapping[str, Any]) -> Record:
    """Return what a clock alone says of a record: stamps and ends."""
    ends = clock.get("ends", {})
    names = [*_sums(clock), *ends]
    stamps = {name: clock["stamps"].get(name, clock["base"]) for name in names}
    return Record(kind, key, dict(ends), stamps, clock.get("epoch", 0), tuple(clock.get("before", ())))
