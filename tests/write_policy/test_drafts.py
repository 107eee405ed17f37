"""A draft on its way to a memory: which fields of a record it takes, what it refuses, what it fills in."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from memcli.errors import BadInput, NotFound, Refused
from memcli.memories import Memories
from memcli.write_policy.drafts import Draft, draft_from_record, new_memories, new_memory
from memcli.write_policy.owner_rules import OwnerRule, rule_from_record

# A Sunday.
NOW = datetime(2026, 5, 3, 12, tzinfo=UTC)
ID = "01J8ZQ4X7N3V5T9R2K6M8P0BCD"


def read(**fields: Any) -> Draft:
    return draft_from_record({"text": "the mill grinds", **fields}, NOW, "cli")


@pytest.mark.parametrize(
    ("name", "value", "field", "expected"),
    [
        ("kind", "preference", "kind", "preference"), ("space", "barn", "space", "barn"),
        ("session", "s", "session", "s"), ("source", "learned", "source", "learned"),
        ("confidence", 0, "confidence", 0), ("importance", 1.0, "importance", 1.0),
        ("ttl", "2d", "ttl", timedelta(days=2)), ("tags", ["a"], "tags", ("a",)), ("tags", [], "tags", ()),
        ("data", {"n": 1}, "data", {"n": 1}), ("role", "user", "data", {"role": "user"}),
        ("trusted", False, "trusted", False), ("kind", None, "kind", None),
        # A weekday that something was or is so since lies behind, one that it is so until ahead; and whole.
        ("at", "friday", "happened_at", datetime(2026, 5, 1, tzinfo=UTC)),
        ("happened_at", "friday", "happened_at", datetime(2026, 5, 1, tzinfo=UTC)),
        ("valid_from", "friday", "valid_from", datetime(2026, 5, 1, tzinfo=UTC)),
        ("valid_until", "friday", "valid_until", datetime(2026, 5, 8, 23, 59, 59, 999000, tzinfo=UTC)),
    ],
)  # fmt: skip
def test_each_field_of_a_record_is_one_of_the_draft(name: str, value: Any, field: str, expected: Any) -> None:
    draft = read(**{name: value})
    assert getattr(draft, field) == expected and draft.text == "the mill grinds" and draft.origin == "cli"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("kind", 7), ("confidence", "1"), ("confidence", True), ("confidence", 1.5), ("importance", [1]),
        ("at", 7), ("ttl", 7), ("tags", "a"), ("tags", [7]), ("tags", ["a", 7]), ("data", []), ("role", 7),
        ("trusted", 1), ("trusted", "yes"), ("text", 7), ("colour", "red"),
    ],
)  # fmt: skip
def test_a_field_of_the_wrong_type_is_named(name: str, value: Any) -> None:
    with pytest.raises(BadInput, match=name):
        read(**{name: value})


def test_a_draft_has_a_text_and_role_and_data_go_together() -> None:
    with pytest.raises(BadInput, match="no 'text'"):
        draft_from_record({"kind": "fact"}, NOW, "cli")
    for record in ({"role": "user", "data": {"n": 1}}, {"data": {"n": 1}, "role": "user"}):
        assert read(**record).data == {"role": "user", "n": 1}


def made(**fields: Any) -> Any:
    return Draft(text=fields.pop("text", "the mill grinds"), **fields).to_memory(ID, NOW, 100)


def test_what_a_draft_leaves_out_is_filled_in() -> None:
    memory = made()
    assert (memory.kind, memory.source, memory.confidence, memory.space) == (
        "fact",
        "explicit",
        1.0,
        "default",
    )
    assert memory.happened_at == memory.created_at == memory.updated_at == NOW and memory.expires_at is None
    assert made(confidence=0.0).confidence == 0 and made(importance=0.0).importance == 0
    assert made(source="inferred").confidence < 1 and made(space="barn").space == "barn"
    assert made(ttl=timedelta(1)).expires_at == NOW + timedelta(1)
    assert made(tags=("b", "a", "b")).tags == ("a", "b")
    assert made(happened_at=NOW - timedelta(1)).happened_at == NOW - timedelta(1)


@pytest.mark.parametrize(
    "fields",
    [
        {"text": " "}, {"text": "x" * 101}, {"kind": "rumour"}, {"source": "hearsay"}, {"confidence": 1.1},
        {"importance": -0.1}, {"session": " "}, {"tags": ("",)}, {"ttl": timedelta.max},
        {"valid_from": NOW, "valid_until": NOW}, {"valid_from": NOW, "valid_until": NOW - timedelta(1)},
    ],
)  # fmt: skip
def test_what_no_memory_can_be_is_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(BadInput):
        made(**fields)


def test_a_span_may_have_one_end_or_two_in_order() -> None:
    assert made(valid_from=NOW).valid_until is None and made(valid_until=NOW).valid_from is None
    assert made(valid_from=NOW, valid_until=NOW + timedelta(1)).valid_until


def test_the_session_at_hand_is_its_own_and_an_untrusted_origin_writes_as_what_it_is(
    memories: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    memories.config = memories.config.__class__({"MEMCLI_SESSION": "monday"})
    assert new_memory(memories, Draft(text="x")).session == "monday"
    assert new_memory(memories, Draft(text="x", session="s")).session == "s"
    kept = new_memory(memories, Draft(text="x", origin="cli"))
    assert (kept.origin, kept.trusted) == (memories.signed("cli"), True)
    memories.config = memories.config.__class__({"MEMCLI_ORIGIN": "mcp:x"})
    told = new_memory(memories, Draft(text="x", origin="cli", trusted=True))
    assert (told.origin, told.trusted) == (memories.signed("mcp:x"), False)


def test_what_a_draft_says_of_others_is_found_in_its_space_and_said_once(memories: Memories) -> None:
    one, two = memories.remember("the mill grinds rye"), memories.remember("an owl hoots at night")
    new, told, kinds = new_memories(
        memories, [Draft(text="x", supersedes=one.id[-8:], both_hold=(two.id, two.id)),
                   Draft(text="y", kind="fact"), Draft(text="z", same_as=one.id)]
    )  # fmt: skip
    assert new[0].supersedes == one.id and new[1].supersedes is None
    assert kinds == {new[0].id, new[2].id} and set(told) == {new[0].id, new[2].id}
    assert told[new[0].id].replaces == one and [e.id for e in told[new[0].id].both_hold] == [two.id]
    assert told[new[2].id].same_as == one and told[new[2].id].replaces is None
    for draft in (
        Draft(text="x", supersedes=one.id, same_as=two.id),
        Draft(text="x", supersedes=one.id, both_hold=(one.id,)),
        Draft(text="x", same_as=one.id, both_hold=(one.id,)),
    ):  # fmt: skip
        with pytest.raises(BadInput):
            new_memories(memories, [draft])
    with pytest.raises(NotFound):
        new_memories(memories, [Draft(text="x", space="barn", supersedes=one.id)])
    gone = memories.end([two.id], "over")
    for draft in (Draft(text="x", supersedes=gone[0].id), Draft(text="x", both_hold=(gone[0].id,)),
                  Draft(text="x", same_as=gone[0].id)):  # fmt: skip
        with pytest.raises((BadInput, NotFound)):
            new_memories(memories, [draft])


def test_an_untrusted_origin_vouches_for_nothing_and_settles_nothing(memories: Memories) -> None:
    one = memories.remember("the mill grinds rye")
    memories.config = memories.config.__class__({"MEMCLI_ORIGIN": "mcp:x"})
    for draft in (Draft(text="x", same_as=one.id), Draft(text="x", both_hold=(one.id,))):
        with pytest.raises(Refused):
            new_memories(memories, [draft])


def test_a_rule_says_of_itself_what_it_asks_for() -> None:
    rule = OwnerRule("r", "never", pattern="x", tag="t", inferred=True)
    assert rule.describe() == "never remember what matches 'x', tag 't', where a program infers it"
    assert OwnerRule("r", "review", topic="health").describe() == "hold for review topic 'health'"
    assert rule_from_record({"name": "r", "effect": "never", "kind": "fact"}).kind == "fact"
    for record in ({"name": "r"}, {"name": "r", "effect": "never", "novel": 1}, {"effect": "never"}):
        with pytest.raises(BadInput):
            rule_from_record(record)


def test_a_field_that_is_null_is_none_and_those_after_it_are_read() -> None:
    draft = draft_from_record({"kind": None, "text": "the mill grinds rye", "tags": ["mill"]}, NOW, "cli")
    assert (draft.kind, draft.text, draft.tags) == (None, "the mill grinds rye", ("mill",))
