"""Lines of a segment: records and history events to JSON and back, with strict checks on the way in."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from memcli import times
from memcli.errors import BadInput
from memcli.ids import is_id
from memcli.model import Event, Link, Memory, State
from memcli.sync.records.merge import ANCESTORS, END, Record, canonical, end_in_force
from memcli.sync.records.registers import (
    KINDS,
    LINK,
    MEMORY,
    STATE,
    TAGS,
    link_of,
    memory_of,
    state_of,
    tag_registers,
)
from memcli.text.checks import check_fraction
from memcli.upkeep.exchange.validation import check_line_of_history, check_link_or_state, checked_memory

EVENT = "event"
# The end of the year 9999, in milliseconds since 1970.
_LAST = 253_402_300_799_999
_TEXTS_OF_EVENT = ("memory", "action", "actor")
_OF_EVENT = (*_TEXTS_OF_EVENT, "at", "reason", "before", "after", "change", "undoes")


def record_line(record: Record, space: str | None, **beside: Any) -> str:
    """Return a record as a line; `space` is the space it belongs to, None for none."""
    stamps = list(record.stamps.values())
    base = max(set(stamps), key=lambda each: (stamps.count(each), each)) if stamps else 0
    line = {
        "type": record.kind, "key": record.key, "space": space, "fields": dict(record.fields), "base": base,
        "stamps": {name: stamp for name, stamp in record.stamps.items() if stamp != base},
        **({"epoch": record.epoch} if record.epoch else {}),
        **({"before": list(record.before)} if record.before else {}),
        **{name: value for name, value in beside.items() if value},
    }  # fmt: skip
    return canonical(line)


def record_of(line: Mapping[str, Any]) -> Record:
    """Parse the record of a line. Raises BadInput."""
    kind, key, fields, base = (line.get(name) for name in ("type", "key", "fields", "base"))
    if kind not in KINDS or not isinstance(key, str) or not isinstance(fields, dict):
        raise BadInput(f"not a record: type {kind!r:.20}")
    stamps = {name: line.get("stamps", {}).get(name, base) for name in fields}
    if kind == MEMORY and isinstance(tags := fields.get(TAGS), list) and all(map(_is_text, tags)):
        each = tag_registers(tags)
        fields = {name: value for name, value in fields.items() if name != TAGS} | each
        stamps |= dict.fromkeys(each, stamps.pop(TAGS))
    epoch, before = line.get("epoch", 0), line.get("before", [])
    sound = isinstance(before, list) and all(isinstance(each, str) for each in before)
    if not sound or not all(map(_is_stamp, (*stamps.values(), epoch))):
        raise BadInput(f"{kind} {key:.40}: a stamp is not a number of milliseconds")
    _check_ends(fields)
    try:
        canonical([key, fields]).encode()
    except UnicodeEncodeError as error:
        raise BadInput(f"{kind} {key!r:.40}: it holds half a character (a surrogate)") from error
    return Record(str(kind), key, fields, stamps, epoch, tuple(before[:ANCESTORS]))


def noun_of(record: Record, max_text: int) -> Memory | Link | State | None:
    """Return the memory, link or keyed value of a record, checked field by field; None for a deleted value.

    Raises BadInput for anything that a store could not hold.
    """
    fields = {**record.fields, "end": end_in_force(record)}
    if record.kind == STATE and fields.get("value") is None:
        return None
    try:
        if record.kind == MEMORY:
            return checked_memory(memory_of(record.key, fields).to_record(), max_text)
        if record.kind == LINK:
            return _checked_link(link_of(record.key, fields))
        return _checked_state(state_of(record.key, fields))
    except (ValueError, TypeError, KeyError, AttributeError, IndexError, OverflowError) as error:
        raise BadInput(f"{record.kind} {record.key:.40}: malformed ({error})") from error


def event_line(event: Event, space: str | None) -> str:
    """Return a history event as a line."""
    values = {name: value for name, value in event._asdict().items() if name not in ("number", "at")}
    return canonical({"type": EVENT, "space": space, "at": times.to_iso(event.at), **values})


def event_of(line: Mapping[str, Any]) -> Event:
    """Parse the history event of a line. Raises BadInput."""
    try:
        before, after = line["before"], line["after"]
        optional = [line["reason"], line["change"], line["undoes"]]
        sound = (
            all(isinstance(line[name], str) for name in _TEXTS_OF_EVENT)
            and all(each is None or isinstance(each, str) for each in optional)
            and all(each is None or isinstance(each, dict) for each in (before, after))
            and is_id(line["memory"])
        )
        if not sound:
            raise BadInput("a line of history is none")
        # As for an import: what cannot be stored, or undone, is refused.
        check_line_of_history({name: line[name] for name in _OF_EVENT})
        at = times.from_iso(line["at"])
        return Event(
            0, at, line["memory"], line["action"], line["actor"], line["reason"], before, after,
            line["change"], line["undoes"],
        )  # fmt: skip
    except (ValueError, TypeError, KeyError, OverflowError) as error:
        raise BadInput(f"a line of history is malformed ({error})") from error


def _checked_link(link: Link) -> Link:
    check_link_or_state(link)
    if not is_id(link.id):
        raise BadInput("'id' is not a ULID")
    return link._replace(confidence=check_fraction("confidence", link.confidence))


def _checked_state(state: State) -> State:
    if not all(isinstance(each, str) and each for each in (state.space, state.area, state.key)):
        raise BadInput("'space', 'area' or 'key' is not a text")
    if not isinstance(state.version, int) or isinstance(state.version, bool):
        raise BadInput("'version' is not a number")
    json.dumps([state.key, state.value], ensure_ascii=False).encode()
    check_link_or_state(state)
    return state


def _check_ends(fields: Mapping[str, Any]) -> None:
    for name, value in fields.items():
        if name.startswith(END) and value is not None and not (isinstance(value, list) and value):
            raise BadInput("an end is none")


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_stamp(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 2 * _LAST
