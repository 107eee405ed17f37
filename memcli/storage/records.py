"""Records of a store in transit: checks of the shape of memories, links, history lines and keyed values.

Everything that comes from a file is checked here, by whichever way it comes, so that no value in a store is
one that its reader cannot handle. A keyed value has the shape of its area; for unknown areas, and for
fields that a newer memcli added, it only has to be storable.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from memcli.errors import BadInput
from memcli.model import ENDINGS, KINDS, SOURCES, TIME_FIELDS
from memcli.storage import areas
from memcli.text.naming.names import check_entity_name
from memcli.text.shapes import (
    Shape,
    anything,
    by_name,
    count,
    fields,
    flag,
    fraction,
    instant,
    many,
    maybe,
    memory_id,
    name,
    number,
    one_of,
    text,
)

# The most dimensions that a model's vectors may have.
_WIDEST = 65_536


def tags(value: Any, where: str) -> None:
    """Check the tags of a memory: names, each of them once."""
    many(name)(value, where)
    if len(set(value)) < len(value):
        raise BadInput(f"{where}: a tag is given twice")


def _data(value: Any, where: str) -> None:
    if not isinstance(value, dict):
        raise BadInput(f"{where}: {value!r:.60} is not an object")
    anything(value, where)


def _entity(value: Any, where: str) -> None:
    text(value, where)
    check_entity_name(where, value)


_OPTIONAL_INSTANTS = TIME_FIELDS - {"happened_at", "created_at", "updated_at"}
_MEMORY: dict[str, Shape] = {
    "id": memory_id, "kind": one_of(*KINDS), "text": text, "space": name, "session": maybe(name),
    "tags": tags, "confidence": fraction, "importance": fraction, "source": one_of(*SOURCES),
    "origin": text, "trusted": flag,
    "ended_as": maybe(one_of(*ENDINGS)), "ended_why": maybe(text),
    "replaced_by": maybe(memory_id), "supersedes": maybe(memory_id),
    "access_count": count, "confirm_count": count, "data": _data,
    **{each: maybe(instant) if each in _OPTIONAL_INSTANTS else instant for each in sorted(TIME_FIELDS)},
}  # fmt: skip
_REQUIRED = ("id", "kind", "text", "happened_at", "created_at", "updated_at")
_some = {each: shape for each, shape in _MEMORY.items() if each not in _REQUIRED}
check_memory = fields({each: _MEMORY[each] for each in _REQUIRED}, _some)
_changed = fields({}, _MEMORY, others=True)
_event = fields(
    {"at": instant, "memory": memory_id, "action": text, "actor": text, "reason": maybe(text),
     "before": maybe(_changed), "after": maybe(_changed)},
    # Before changes had ids, an undo named a line's number, so `undoes` may be anything.
    {"change": maybe(text), "undoes": anything, "type": text},
)  # fmt: skip
_link = fields(
    {"id": name, "space": name, "subject": _entity, "relation": _entity, "object": _entity,
     "evidence": maybe(name), "confidence": fraction, "valid_from": maybe(instant),
     "valid_until": maybe(instant), "created_at": instant, "ended_at": maybe(instant), "data": _data},
    {"type": text},
)  # fmt: skip
_state = fields(
    {"space": name, "area": name, "key": text, "value": anything, "version": count, "created_at": instant,
     "updated_at": instant},
    {"expires_at": maybe(instant), "type": text},
)  # fmt: skip
_model = fields({"name": name, "weights": text, "dimensions": count}, others=True)

_version = fields({"version": count, "at": instant, "text": maybe(text)}, others=True)
_part = by_name(maybe(text))
_bytes = fields({}, {"text": text, "base64": text})
_full_name = fields({"words": many(many(text)), "initial": text, "hers": flag, "run_on": flag}, others=True)
_step_of_task = fields({"text": text}, {"done": flag, "origin": text}, others=True)
_note = fields({"text": text}, {"at": instant, "origin": text}, others=True)
_proposed = fields(
    {"subject": text, "relation": text, "object": text, "evidence": many(memory_id)},
    {"confidence": fraction, "since": maybe(instant), "trusted": flag, "change": maybe(text),
     "rejected": maybe(instant)},
    others=True,
)  # fmt: skip
_run = fields(
    {},
    {"at": instant, "run": text, "space": text, "steps": by_name(by_name(count)), "seconds": number,
     "held": count, "put_off": count, "set_aside": count, "tokens": count, "tokens_expected": count,
     "upkeep": many(text), "skipped": many(text), "stopped": maybe(text), "refused": by_name(anything)},
    others=True,
)  # fmt: skip
_rule = fields(
    {}, {"effect": one_of("always", "temporarily", "review", "never"), "pattern": text, "tag": text,
         "kind": one_of(*KINDS), "topic": text, "why": text, "inferred": flag},
)  # fmt: skip


def _calibration(value: Any, where: str) -> None:
    """Check a calibration: numbers by name, and the mean vector of the model."""
    if isinstance(value, dict):
        many(number)(value.get("common", []), f"{where}.common")
        value = {name: each for name, each in value.items() if name != "common"}
    by_name(number)(value, where)


_VALUES: Mapping[str, Shape] = {
    areas.SESSION_AT_HAND.name: fields({}, {"session": maybe(text), "task": maybe(text)}, others=True),
    areas.SESSION.name: fields(
        {}, {"started_at": maybe(instant), "ended_at": maybe(instant), "origin": maybe(text)}, others=True
    ),
    areas.TASK.name: fields(
        {"name": name, "goal": text, "started_at": instant},
        {"tags": many(name), "phase": maybe(text), "subgoals": many(text), "steps": many(_step_of_task),
         "constraints": many(text), "decisions": many(_part), "variables": by_name(text),
         "results": by_name(text), "notes": many(_note), "digest": text, "untrusted_digest": text,
         "folded": count, "origins": by_name(text)},
        others=True,
    ),
    areas.TASK_RECALLS.name: by_name(count),
    areas.RECALL_LOG.name: fields(
        {"hits": by_name(number), "ms": number, "degraded": flag},
        {"candidates": count, "weak": flag, "query": text, "first": maybe(memory_id)}, others=True,
    ),
    areas.RETRIEVAL_CHECK.name: fields(
        {"question": text, "memory": memory_id}, {"rank": maybe(count), "sure": maybe(flag)}, others=True
    ),
    areas.ALIAS.name: fields({"alias": _entity, "of": _entity}, others=True),
    areas.PROPOSED_LINK.name: _proposed,
    areas.HELD.name: fields(
        {"memory": check_memory, "rule": text, "reason": text},
        {"change": maybe(text), "rejected": maybe(instant)},
        others=True,
    ),
    areas.WRITE_RULES.name: _rule,
    areas.FORGOTTEN_TRACE.name: fields({"as": text}, {"head": text, "words": count, "name": _full_name,
        "forms": many(text), "others": many(_full_name)}, others=True),
    areas.BLOCK.name: fields(
        {"description": text, "max_chars": count, "versions": many(_version)}, others=True
    ),
    areas.CHECKPOINT.name: fields(
        {"id": memory_id, "created_at": instant, "ttl": number, "version": count, "versions": many(count)},
        {"origin": maybe(text), "origins": by_name(text)}, others=True,
    ),
    areas.CHECKPOINT_SAVE.name: text,
    areas.CHECKPOINT_STEP.name: fields(
        {"name": text, "status": text, "command": many(text), "inputs": by_name(text), "at_most_once": flag,
         "runs": count, "started_at": instant},
        {"ended_at": maybe(instant), "seconds": maybe(number), "exit_status": maybe(number),
         "stdout_bytes": count, "stderr_bytes": count, "origin": maybe(text)},
        others=True,
    ),
    areas.CHECKPOINT_OUTPUT.name: fields({"stdout": _bytes, "stderr": _bytes}, others=True),
    areas.POLICY_CHECK.name: fields(
        {"decision": text, "policies": by_name(text)}, {"degraded": flag, "origin": text, "action": text},
        others=True,
    ),
    areas.PROCEDURE_FILE.name: _bytes,
    areas.CALIBRATION.name: _calibration,
    areas.COSINE_SCALE.name: fields({"common": many(number), "middle": number, "high": number}, others=True),
    areas.QUESTION.name: fields(
        {"asked": text, "ids": many(memory_id)}, {"change": maybe(text), "closed": instant}, others=True
    ),
}  # fmt: skip
# Keys in areas whose values have several shapes.
_FORGOTTEN_KEY = "key"
_READ_TO, _RUN, _OPEN_SESSIONS = "read-to:", "run:", "open-sessions"


def check_event(record: dict[str, Any]) -> None:
    """Raise BadInput for a history line that cannot be stored, or undone."""
    _event(record, "")


def check_link(record: dict[str, Any]) -> None:
    """Raise BadInput for a link that cannot be stored."""
    _link(record, "")


def check_state(record: dict[str, Any]) -> None:
    """Raise BadInput for a keyed value that the reader of its area could not read."""
    _state(record, "")
    if not record["key"] or not record["version"]:
        raise BadInput("'key' is empty, or 'version' 0")
    check_value(record["area"], record["key"], record["value"])


def check_value(area: str, key: str, value: Any) -> None:
    """Raise BadInput for the value of a key that the reader of its area could not read."""
    if area == areas.CONSOLIDATION.name:
        _check_consolidation(key, value)
    elif area == areas.FORGOTTEN.name:
        if key == _FORGOTTEN_KEY or key.startswith(f"{_FORGOTTEN_KEY}-"):
            text(value, "value")
            if not _is_hexadecimal(value):
                raise BadInput("value: no key in hexadecimal")
    elif shape := _VALUES.get(area):
        shape(value, "value")
    if area == areas.TASK.name and value["name"] != key:
        raise BadInput(f"value.name: {value['name']!r:.40} is not the key, {key!r:.40}")
    if area == areas.BLOCK.name and not value["versions"]:
        raise BadInput("value.versions: no version")


def check_model(record: Any) -> None:
    """Raise BadInput for what is no identity of a model."""
    _model(record, "model")
    if len(record["weights"]) != 64 or not _is_hexadecimal(record["weights"]):
        raise BadInput("model.weights: no SHA-256 in hexadecimal")
    if not 0 < record["dimensions"] <= _WIDEST:
        raise BadInput(f"model.dimensions: {record['dimensions']} is not the width of a vector")


def check_vectors(parts: Any, dimensions: int) -> list[bytes]:
    """Return the vectors of an export: a list of base64, each of so many finite float32. Raises BadInput."""
    import base64
    from array import array

    many(text)(parts, "vectors")
    found = []
    for part in parts:
        try:
            vector = base64.b64decode(part, validate=True)
        except ValueError as error:
            raise BadInput("vectors: not base64") from error
        if len(vector) != 4 * dimensions or not all(map(math.isfinite, array("f", vector))):
            raise BadInput(f"vectors: not {dimensions} numbers of four bytes each")
        found.append(vector)
    return found


def _check_consolidation(key: str, value: Any) -> None:
    """Check the values of consolidation: bookmarks, open sessions, past runs."""
    if key.startswith(_READ_TO):
        count(value, "value")
    elif key == _OPEN_SESSIONS:
        many(text)(value, "value")
    elif key.startswith(_RUN):
        _run(value, "value")


def _is_hexadecimal(value: str) -> bool:
    return len(value) % 2 == 0 and not set(value) - set("0123456789abcdefABCDEF")
