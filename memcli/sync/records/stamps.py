"""What a replica itself changed since it last looked, as stamps: pure.

A *clock* is what a store keeps of a record beside it: the stamp of each register, and a
short sum of the value that it had then, by which a change is noticed. It holds no content.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memcli.sync.records.merge import ANCESTORS, END, Record, end_in_force, sum_of
from memcli.sync.records.registers import TAGS

# Registers of which the value itself stands in the clock: names of ends, whose fields are no content.
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
    """A record as it is now (`now`: its registers), with stamps of what changed since its clock was taken.

    `walls` is when single registers were changed, `wall` when the others were.
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
        # Who vouches for it does so on this machine only.
        fields["trusted"] = False
    return Record(kind, key, {**fields, **ends}, stamps, max(epoch, known.epoch), before)


def _first_stamped(
    kind: str, key: str, now: Mapping[str, Any], walls: Mapping[str, int], wall: int, epoch: int
) -> Record:
    """A record of which nothing was told yet: each register is as old as its change."""
    fields = {name: value for name, value in now.items() if name != "end"}
    stamps = {name: walls.get(name, wall) for name in fields}
    if now.get("end"):
        at = walls.get("end", wall)
        fields[f"{END}{at}"], stamps[f"{END}{at}"] = now["end"], at
    return Record(kind, key, fields, stamps, epoch)


def _stamp_end(end: Any, at: int, ends: dict[str, Any], stamps: dict[str, int]) -> None:
    """Note that a record ended at an instant, by a register of its own, or (None) that no end holds any more.

    Each stamp is later than those of the ends that were known.
    """
    if end is None:
        for name in [name for name, value in ends.items() if value is not None]:
            ends[name], stamps[name] = None, max(at, stamps[name] + 1)
    else:
        at = max([at, *(stamps[name] + 1 for name in ends)])
        ends[f"{END}{at}"], stamps[f"{END}{at}"] = end, at


def clock_of(record: Record, now: Mapping[str, Any]) -> dict[str, Any]:
    """The clock of a record whose registers, as the store has them, are `now`."""
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
    """Whether a clock holds all that a record says already, told by stamps and sums alone."""
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
    """The sums of a clock's registers, without one of an earlier version, which the tags' own stand for."""
    return {name: each for name, each in clock["sums"].items() if name != TAGS}


def clock_record(kind: str, key: str, clock: Mapping[str, Any]) -> Record:
    """What a clock says of a record by itself: stamps and ends."""
    ends = clock.get("ends", {})
    names = [*_sums(clock), *ends]
    stamps = {name: clock["stamps"].get(name, clock["base"]) for name in names}
    return Record(kind, key, dict(ends), stamps, clock.get("epoch", 0), tuple(clock.get("before", ())))
