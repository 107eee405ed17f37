"""Registers: memories, links and keyed values as named registers, and back.

Fields that change together share a register. Pure. The end of a record is the register `end` here; the
history of its ends is kept by the stamps (`memcli.sync.records.stamps`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from memcli.graph.links import evidence_of
from memcli.model import Event, Link, Memory, State, memory_from_record
from memcli.named_tuple import NamedTuple
from memcli.sync.records.merge import sum_of
from memcli.times import from_iso, to_iso

MEMORY, LINK, STATE = "memory", "link", "state"
KINDS = (MEMORY, LINK, STATE)
DATA = "data."
# The prefix before the digest of a tag: clocks keep register names, which must not hold content.
TAG = "tag:"
# The single register of all tags, in clocks and files of earlier versions.
TAGS = "tags"
_ALONE = (
    "kind", "text", "space", "session", "confidence", "importance", "source", "origin", "trusted",
    "happened_at", "expires_at", "created_at", "updated_at", "ended_why", "supersedes",
)  # fmt: skip
_TOGETHER = {
    "validity": ("valid_from", "valid_until"),
    "confirmed": ("confirm_count", "confirmed_at"),
    "uses": ("access_count", "accessed_at"),
    "end": ("ended_at", "ended_as", "replaced_by"),
}
_REGISTER_OF = {field: name for name, fields in _TOGETHER.items() for field in fields}
_OF_LINK = ("space", "subject", "relation", "object", "confidence", "created_at")


def milliseconds(instant: datetime) -> int:
    """Return an instant as a stamp."""
    return round(instant.timestamp() * 1000)


def memory_registers(memory: Memory) -> dict[str, Any]:
    """Return the registers of a memory, as JSON types."""
    record = memory.to_record()
    found = {name: record[name] for name in _ALONE}
    for name, fields in _TOGETHER.items():
        found[name] = [record[field] for field in fields]
    if memory.ended_at is None:
        found["end"] = None
    found |= tag_registers(memory.tags)
    return found | {f"{DATA}{name}": [value] for name, value in memory.data.items()}


def tag_registers(tags: Iterable[str]) -> dict[str, str]:
    """Return a register for each tag, which holds the tag; None stands for a removed one."""
    return {f"{TAG}{sum_of(tag)}": tag for tag in tags}


def memory_of(key: str, fields: Mapping[str, Any]) -> Memory:
    """Return the memory of these registers. Raises TypeError, ValueError, KeyError if they are invalid."""
    record: dict[str, Any] = {"id": key, **{name: fields[name] for name in _ALONE}}
    for name, inner in _TOGETHER.items():
        record |= dict(zip(inner, fields.get(name) or [None] * len(inner), strict=True))
    tags = sorted({tag for name, tag in fields.items() if name.startswith(TAG) and tag is not None})
    return memory_from_record({**record, TAGS: tags, "data": _data(fields)})


def link_registers(link: Link) -> dict[str, Any]:
    """Return the registers of a link, by name, as JSON types."""
    found = {name: _as_json(getattr(link, name)) for name in _OF_LINK}
    found["evidence"] = evidence_of(link)
    found["validity"] = [_as_json(link.valid_from), _as_json(link.valid_until)]
    found["end"] = [_as_json(link.ended_at)] if link.ended_at else None
    changes = link.data.get("changes")
    found["changes"] = (
        [each for each in changes if isinstance(each, dict)] if isinstance(changes, list) else []
    )
    rest = {name: value for name, value in link.data.items() if name not in ("evidence", "changes")}
    return found | {f"{DATA}{name}": [value] for name, value in rest.items()}


def link_of(key: str, fields: Mapping[str, Any]) -> Link:
    """Return the link of these registers. Raises as `memory_of`."""
    first, *further = fields["evidence"] or [None]
    since, until = map(_instant, fields["validity"])
    data = {**_data(fields)}
    data |= {name: value for name, value in (("evidence", further), ("changes", fields["changes"])) if value}
    end, made = fields.get("end"), _instant(fields["created_at"])
    if made is None:
        raise ValueError("'created_at' is missing")
    return Link(
        key, fields["space"], fields["subject"], fields["relation"], fields["object"], first,
        fields["confidence"], since, until, made, _instant(end[0]) if end else None, data,
    )  # fmt: skip


def state_registers(state: State) -> dict[str, Any]:
    """Return the one register of a keyed value, which is replaced as a whole."""
    times = [_as_json(each) for each in (state.created_at, state.updated_at, state.expires_at)]
    return {"value": [state.value, state.version, *times]}


def state_of(key: str, fields: Mapping[str, Any]) -> State:
    """Return the keyed value of these registers; `key` is that of `state_key`. Raises as `memory_of`."""
    state = ValueName(*json.loads(key))
    value, version, made, changed, expires = fields["value"]
    created_at, updated_at = _instant(made), _instant(changed)
    if created_at is None or updated_at is None:
        raise ValueError("a time is missing")
    return State(
        state.space, state.area, state.key, value, version, created_at, updated_at, _instant(expires)
    )


class ValueName(NamedTuple):
    """The parts of a key made by `state_key`."""

    space: str
    area: str
    key: str


def changed_at(events: Iterable[Event]) -> dict[str, int]:
    """Return when each register of a memory was last changed, as far as its history says (stamps)."""
    found: dict[str, int] = {}
    for event in events:
        if event.before is None:
            continue
        before, after, at = event.before, event.after or {}, milliseconds(event.at)
        for field in after.keys() | before.keys():
            names = [_REGISTER_OF.get(field, field)]
            if field == "data":
                old, new = (each.get("data") or {} for each in (before, after))
                names = [
                    f"{DATA}{name}" for name in old.keys() | new.keys() if old.get(name) != new.get(name)
                ]
            if field == TAGS:
                old, new = (set(each.get(TAGS) or ()) for each in (before, after))
                names = list(tag_registers(old ^ new))
            for name in names:
                found[name] = max(at, found.get(name, 0))
        found["updated_at"] = max(at, found.get("updated_at", 0))
    return found


def _data(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name[len(DATA) :]: value[0]
        for name, value in sorted(fields.items())
        if name.startswith(DATA) and value
    }


def _as_json(value: Any) -> Any:
    return to_iso(value) if isinstance(value, datetime) else value


def _instant(text: str | None) -> datetime | None:
    return None if text is None else from_iso(text)
