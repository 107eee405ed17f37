"""What a record of an export, a plan or a sync may say: each bad field is refused, by its name."""

from __future__ import annotations

import base64
from array import array
from typing import Any

import pytest

from memcli.errors import BadInput
from memcli.storage import records

ID = "01J8ZQ4X7N3V5T9R2K6M8P0BCD"
AT = "2026-05-03T14:07:00.000Z"
MEMORY: dict[str, Any] = {
    "id": ID, "kind": "fact", "text": "the mill grinds", "space": "default", "session": None, "tags": ["a"],
    "confidence": 1.0, "importance": 0.5, "source": "explicit", "origin": "cli", "trusted": True,
    "happened_at": AT, "valid_from": None, "valid_until": None, "expires_at": None, "created_at": AT,
    "updated_at": AT, "ended_at": None, "ended_why": None, "ended_as": None, "replaced_by": None,
    "access_count": 0, "accessed_at": None, "confirm_count": 0, "confirmed_at": None, "supersedes": None,
    "data": {},
}  # fmt: skip
LINK: dict[str, Any] = {
    "id": ID, "space": "default", "subject": "Ann", "relation": "keeps", "object": "bees", "evidence": None,
    "confidence": 1.0, "valid_from": None, "valid_until": None, "created_at": AT,
    "ended_at": None, "data": {},
}  # fmt: skip
STATE: dict[str, Any] = {
    "space": "default", "area": "set-aside", "key": "k", "value": {}, "version": 1, "created_at": AT,
    "updated_at": AT, "expires_at": None,
}  # fmt: skip
# A value that JSON in UTF-8 does not hold.
HALF = {"said": "half \ud800"}


def test_these_are_sound() -> None:
    records.check_memory(MEMORY, "")
    records.check_link(LINK)
    records.check_state(STATE)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("id", "01J8"), ("kind", "rumour"), ("text", "a\0b"), ("space", " "), ("session", ""), ("tags", "a"),
        ("tags", ["a", "a"]), ("tags", [7]), ("confidence", 1.1), ("confidence", True), ("importance", -0.1),
        ("source", "hearsay"), ("trusted", 1), ("happened_at", None), ("valid_from", "soon"),
        ("ended_at", "then"), ("access_count", -1), ("access_count", 1 << 70), ("supersedes", "me"),
        ("data", []), ("data", HALF), ("data", {"n": float("nan")}),
    ],
)  # fmt: skip
def test_a_memory_that_could_not_be_kept_is_refused(field: str, value: Any) -> None:
    with pytest.raises(BadInput, match=field):
        records.check_memory({**MEMORY, field: value}, "")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("subject", ""), ("object", ""), ("relation", 3),
        ("confidence", 2), ("valid_until", "soon"), ("created_at", None), ("data", HALF),
    ],
)  # fmt: skip
def test_a_link_that_could_not_be_kept_is_refused(field: str, value: Any) -> None:
    with pytest.raises(BadInput, match=field):
        records.check_link({**LINK, field: value})


@pytest.mark.parametrize(
    ("area", "key", "value"),
    [
        ("set-aside", "k", HALF), ("set-aside", "", {}), ("consolidation", "read-to:merge", -1),
        ("consolidation", "read-to:merge", "all"), ("consolidation", "open-sessions", [7]),
        ("consolidation", "run:1", {"held": "many"}), ("forgotten", "key", 7), ("forgotten", "key", "no key"),
        ("forgotten", "key-1", "abc"), ("session", "default", {"session": 7}),
        ("task-recalls", "k", {ID: -1}), ("recall-log", "k", {"hits": [], "ms": 1, "degraded": False}),
        ("question", "k", {"asked": 7, "ids": []}),
        ("question", "k", {"asked": "duplicate", "ids": ["me"]}), ("block", "k", {"versions": []}),
        ("write-rules", "k", {"effect": "sometimes"}), ("calibration", "k", {"floor": float("inf")}),
        ("calibration", "k", {"floor": float("nan")}),
        ("task", "k", {"name": "other", "goal": "g", "started_at": AT}),
    ],
)  # fmt: skip
def test_a_keyed_value_that_nobody_could_read_is_refused(area: str, key: str, value: Any) -> None:
    with pytest.raises(BadInput):
        records.check_state({**STATE, "area": area, "key": key, "value": value})
    if area == "consolidation":
        records.check_state({**STATE, "area": area, "key": "some note", "value": value})


NAME: dict[str, Any] = {"words": [["ann"]], "initial": "a", "hers": False, "run_on": False}
# A value of each area that has a shape, every field of it given; and whether a newer memcli may add fields.
VALUES: dict[str, tuple[Any, bool | None]] = {
    "session": ({"session": "s", "task": None}, True),
    "sessions": ({"started_at": AT, "ended_at": None, "origin": None}, True),
    "task": ({"name": "k", "goal": "g", "started_at": AT, "tags": ["a"], "phase": None, "subgoals": ["b"],
              "steps": [{"text": "c", "done": True, "origin": "cli"}], "constraints": ["d"],
              "decisions": [{"what": "e", "why": None}], "variables": {"f": "g"}, "results": {"h": "i"},
              "notes": [{"text": "j", "at": AT, "origin": "cli"}], "digest": "k", "untrusted_digest": "l",
              "folded": 0, "origins": {"m": "cli"}}, True),
    "task-recalls": ({ID: 3}, False),
    "recall-log": ({"hits": {ID: 0.5}, "ms": 1.5, "degraded": False, "candidates": 3, "weak": True,
                    "query": "q", "first": None}, True),
    "check": ({"question": "q", "memory": ID, "rank": None}, True),
    "alias": ({"alias": "AK", "of": "Ada"}, True),
    "proposed-link": ({"subject": "a", "relation": "b", "object": "c", "evidence": [ID], "confidence": 0.5,
                       "since": None, "trusted": True, "change": None, "rejected": None}, True),
    "held": ({"memory": MEMORY, "rule": "k", "reason": "r", "change": None, "rejected": AT}, True),
    "write-rules": ({"effect": "never", "pattern": "p", "tag": "t", "kind": "fact", "topic": "x", "why": "w",
                     "inferred": True}, False),
    "forgotten-traces": ({"as": "name", "head": "h", "words": 2, "name": NAME, "forms": ["full"],
                          "others": [NAME]}, True),
    "block": (
        {"description": "d", "max_chars": 9, "versions": [{"version": 1, "at": AT, "text": None}]}, True,
    ),
    "checkpoint": ({"id": ID, "created_at": AT, "ttl": 1.5, "version": 1, "versions": [1], "origin": None,
                    "origins": {"a": "cli"}}, True),
    "checkpoint-save": ("text", None),
    "checkpoint-step": ({"name": "n", "status": "done", "command": ["a"], "inputs": {"a": "b"},
                         "at_most_once": False, "runs": 1, "started_at": AT, "ended_at": None, "seconds": 1.5,
                         "exit_status": 0, "stdout_bytes": 1, "stderr_bytes": 0, "origin": None}, True),
    "checkpoint-output": ({"stdout": {"text": "a"}, "stderr": {"base64": "YQ=="}}, True),
    "policy-check": ({"decision": "allow", "policies": {"a": "b"}, "degraded": False, "origin": "cli",
                      "action": "a"}, True),
    "procedure-file": ({"text": "t"}, False),
    "cosine-scale": ({"common": [0.1, 0.2], "middle": 0.5, "high": 0.8}, True),
    "calibration": ({"floor": 0.5, "common": [0.1, 0.2]}, False),
    "question": ({"asked": "duplicate", "ids": [ID], "change": None, "closed": AT}, True),
}  # fmt: skip
REQUIRED = {
    "task": {"name", "goal", "started_at"}, "recall-log": {"hits", "ms", "degraded"},
    "check": {"question", "memory"}, "alias": {"alias", "of"}, "held": {"memory", "rule", "reason"},
    "proposed-link": {"subject", "relation", "object", "evidence"}, "forgotten-traces": {"as"},
    "block": {"description", "max_chars", "versions"}, "checkpoint-output": {"stdout", "stderr"},
    "checkpoint": {"id", "created_at", "ttl", "version", "versions"},
    "checkpoint-step": {"name", "status", "command", "inputs", "at_most_once", "runs", "started_at"},
    "policy-check": {"decision", "policies"}, "question": {"asked", "ids"},
    "cosine-scale": {"common", "middle", "high"},
}  # fmt: skip


def is_taken(area: str, value: Any) -> bool:
    try:
        records.check_state({**STATE, "area": area, "key": "k", "value": value})
    except BadInput:
        return False
    return True


def test_every_area_with_a_shape_is_tried_here() -> None:
    assert {*VALUES} == {*records._VALUES}


@pytest.mark.parametrize("area", sorted(VALUES))
def test_a_keyed_value_is_taken_whole_without_what_it_may_lack_and_with_what_a_newer_one_adds(
    area: str,
) -> None:
    value, may_grow = VALUES[area]
    assert is_taken(area, value)
    if not isinstance(value, dict):
        assert not is_taken(area, {"novel": []})
        return
    assert is_taken(area, {**value, "novel": {"x": []}}) is may_grow
    for name in value:
        wrong = [7] if isinstance(value[name], dict) else {"x": [7]}
        assert not is_taken(area, {**value, name: wrong}), name
        left = {each: given for each, given in value.items() if each != name}
        assert is_taken(area, left) is (name not in REQUIRED.get(area, ())), name


@pytest.mark.parametrize(
    ("area", "part"),
    [("block", "versions"), ("task", "steps"), ("task", "notes"), ("forgotten-traces", "others")],
)
def test_what_stands_in_a_list_of_a_value_may_grow_too(area: str, part: str) -> None:
    value, _ = VALUES[area]
    [inner] = value[part]
    assert is_taken(area, {**value, part: [{**inner, "novel": 1}]})
    assert not is_taken(area, {**value, part: [{**inner, "text": 7, "words": 7}]})


@pytest.mark.parametrize(
    ("area", "key", "value", "taken"),
    [
        ("consolidation", "read-to:merge", 3, True), ("consolidation", "open-sessions", ["a"], True),
        ("consolidation", "run:1", {"at": AT, "held": 1, "steps": {"merge": {"merge": 1}}, "novel": 1}, True),
        ("consolidation", "run:1", {"stopped": None, "seconds": 1.5, "refused": {"x": 1}}, True),
        ("forgotten", "key", "0aFf", True), ("forgotten", "key-1", "00", True), ("forgotten", "k", 7, True),
        ("forgotten", "key", "", True), ("forgotten", "key", "0g", False), ("tomorrow", "k", {"x": 1}, True),
        ("block", "k", {"description": "d", "max_chars": 9, "versions": []}, False),
        ("set-aside", "k", 7, True),
    ],
)  # fmt: skip
def test_values_whose_key_says_their_shape(area: str, key: str, value: Any, taken: bool) -> None:
    record = {**STATE, "area": area, "key": key, "value": value}
    try:
        records.check_state(record)
    except BadInput:
        assert not taken
    else:
        assert taken


@pytest.mark.parametrize(
    "change", [{"key": ""}, {"version": 0}, {"novel": 1}, {"area": ""}, {"expires_at": 7}]
)
def test_a_keyed_value_has_its_own_fields(change: dict[str, Any]) -> None:
    with pytest.raises(BadInput):
        records.check_state({**STATE, **change})


EVENT: dict[str, Any] = {
    "at": AT, "memory": ID, "action": "edit", "actor": "cli", "reason": None, "before": {"text": "a"},
    "after": None, "change": None, "undoes": 7, "type": "event",
}  # fmt: skip


def test_a_line_of_history_knows_fields_that_a_newer_memcli_added() -> None:
    records.check_event(EVENT)
    records.check_event({**EVENT, "before": {"novel": 1}, "after": {"kind": "fact"}})
    for change in ({"novel": 1}, {"before": {"kind": "x"}}, {"at": None}, {"memory": "x"}, {"actor": 7}):
        with pytest.raises(BadInput):
            records.check_event({**EVENT, **change})


@pytest.mark.parametrize(
    ("change", "taken"),
    [
        ({}, True), ({"novel": 1}, True), ({"weights": "0" * 63}, False), ({"weights": "g" * 64}, False),
        ({"weights": "0" * 66}, False), ({"dimensions": 0}, False), ({"dimensions": 65_536}, True),
        ({"dimensions": 65_537}, False), ({"dimensions": 1}, True), ({"name": ""}, False),
    ],
)  # fmt: skip
def test_what_a_model_is(change: dict[str, Any], taken: bool) -> None:
    record = {"name": "m", "weights": "0a" * 32, "dimensions": 4, **change}
    if taken:
        records.check_model(record)
    else:
        with pytest.raises(BadInput):
            records.check_model(record)


def test_vectors_are_so_many_finite_numbers() -> None:
    def coded(*numbers: float) -> str:
        return base64.b64encode(array("f", numbers).tobytes()).decode()

    assert records.check_vectors([coded(1, 2)], 2) == [array("f", [1, 2]).tobytes()]
    for parts in (
        [coded(1)],
        [coded(1, 2, 3)],
        [coded(1, float("nan"))],
        ["?"],
        [7],
        7,
        [f"{coded(1, 2)}\n"],
    ):
        with pytest.raises(BadInput, match="vectors"):
            records.check_vectors(parts, 2)
