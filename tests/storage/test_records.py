"""What a record of an export, a plan or a sync may say: each bad field is refused, by its name."""

from __future__ import annotations

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
