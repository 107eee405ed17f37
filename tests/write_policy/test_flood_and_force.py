"""A flood of an agent's ends, an owner's rule is one, and a memory is replaced by no copy of itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from memcli.errors import BadInput, Refused
from memcli.memories import Memories
from memcli.model import Filter, Memory
from memcli.tiers.sessions import sessions
from memcli.write_policy.admission import Admission, admit_drafts
from memcli.write_policy.decision import Case, Decision, WriteAction
from memcli.write_policy.drafts import Draft, new_memory
from memcli.write_policy.flood import check_flood, flood_reason
from memcli.write_policy.held import hold_memory
from memcli.write_policy.owner_rules import rule_from_record
from memcli.write_policy.reinforcement import Reinforcement
from memcli.write_policy.settings import WriteOptions
from tests.conftest import TickingClock, make_memories

AGENT = "mcp:robot"
THINGS = ("bridge", "mill", "barn", "well", "orchard", "harbour")


@pytest.fixture
def flooding(own_home: Path, clock: TickingClock) -> Iterator[Memories]:
    """An agent's, that may write two memories a session."""
    settings = {"origin": AGENT, "session_writes": "2"}
    with make_memories(own_home / "memory.db", clock, settings=settings) as opened:
        yield opened


def write(
    memories: Memories, *texts: str, options: WriteOptions | None = None, **fields: Any
) -> list[Decision]:
    drafts = [Draft(text=text, kind="fact", **fields) for text in texts]
    return admit_drafts(memories, memories.model, drafts, options)


def said(thing: str) -> str:
    return f"The {thing} of the village was painted by somebody called {thing.title()}son"


def test_so_many_a_session_and_no_more_at_once_or_one_by_one(flooding: Memories) -> None:
    done = [each.rule for each in write(flooding, *map(said, THINGS[:4]), session="s")]
    assert done == ["default", "default", "session-limit", "session-limit"]
    [one] = write(flooding, said("well"), session="s")
    assert one.action == "refuse" and "session s has written 2 memories, its limit" in one.reason
    # Another session has its own; who has none has the day, with all that came through the door.
    assert [each.action for each in write(flooding, said("orchard"), session="t")] == ["take"]
    [of_day] = write(flooding, said("harbour"))
    assert of_day.action == "refuse" and f"session of {AGENT} today has written" in of_day.reason


@pytest.mark.parametrize("options", [WriteOptions(carried=True), WriteOptions(approved=True)])
def test_what_is_brought_along_or_approved_is_no_flood(flooding: Memories, options: WriteOptions) -> None:
    done = write(flooding, *map(said, THINGS), session="s", options=options)
    assert {each.action for each in done} == {"take"}


def test_what_an_owner_imports_from_anywhere_is_no_flood(own_home: Path, clock: TickingClock) -> None:
    with make_memories(own_home / "memory.db", clock, settings={"session_writes": "2"}) as memories:
        imported = write(memories, *map(said, THINGS), session="s", origin="import:http://mill.example")
        assert {each.action for each in imported} == {"take"} and not imported[0].memory.trusted
        # Nor does it count against an agent of that session.
        owls = [f"An owl called {name} hoots" for name in ("Quentomar", "Vermeil", "Ostrobard")]
        done = write(memories, *owls, session="s", origin=AGENT)
        assert [each.action for each in done] == ["take", "take", "refuse"]


def test_what_was_refused_counts_for_nothing_and_turns_do_not(
    flooding: Memories, clock: TickingClock
) -> None:
    sessions.append_turn(flooding, Draft(text="is anybody there?", session="s", data={"role": "user"}))
    sessions.append_turn(flooding, Draft(text="nobody at all", session="s", data={"role": "user"}))
    secret = "the key is ghp_" + "a1B2" * 9
    decisions = write(flooding, secret, said("mill"), said("mill"), said("barn"), said("well"), session="s")
    assert [each.action for each in decisions] == ["refuse", "take", "reinforce", "take", "refuse"]
    clock.advance(days=1)
    assert [each.action for each in write(flooding, said("well"))] == ["take"]


def test_its_owner_may_flood(own_home: Path, clock: TickingClock) -> None:
    with make_memories(own_home / "memory.db", clock, settings={"session_writes": "2"}) as memories:
        assert {each.action for each in write(memories, *map(said, THINGS), session="s")} == {"take"}


@pytest.mark.parametrize(
    ("record", "named"),
    [
        ({"effect": "never"}, "--pattern"), ({"effect": "sometimes", "tag": "x"}, "effect"),
        ({"effect": "never", "topic": "sports"}, "topic"), ({"effect": "never", "kind": "rumour"}, "kind"),
        ({"effect": "never", "pattern": "("}, "pattern|\\("),
        ({"effect": "never", "colour": "red"}, "not a rule"),
    ],
)  # fmt: skip
def test_what_is_no_rule_is_refused(record: dict[str, Any], named: str) -> None:
    with pytest.raises(BadInput, match=named):
        rule_from_record({"name": "r", **record})
    assert rule_from_record({"name": "r", "effect": "never", "tag": "x"}).tag == "x"


def test_a_memory_is_replaced_by_no_copy_of_itself(memories: Memories) -> None:
    [old] = write(memories, said("mill"))
    [new] = write(memories, said("mill") + ".", supersedes=old.memory.id)
    assert new.action == "supersede" and new.memory.id != old.memory.id
    [here] = memories.store.get([old.memory.id])
    assert here.replaced_by == new.memory.id and here.ended_as == "superseded"


def test_what_is_of_another_kind_stands_in_for_no_correction(memories: Memories) -> None:
    [old] = write(memories, said("mill"))
    [known] = write(memories, said("barn"))
    told = Draft(text=said("barn"), kind="preference", supersedes=old.memory.id)
    [new] = admit_drafts(memories, memories.model, [told])
    assert (new.memory.kind, new.memory.id == known.memory.id) == ("preference", False)


def test_what_an_untrusted_place_said_stands_in_for_no_trusted_correction(memories: Memories) -> None:
    [old] = write(memories, said("mill"))
    [known] = write(memories, said("barn"), origin="web:page", trusted=False)
    [new] = write(memories, said("barn"), supersedes=old.memory.id)
    assert new.memory.id != known.memory.id and new.memory.trusted
    live = list(memories.store.select(Filter()))
    assert {each.id for each in live if each.trusted} == {new.memory.id}


def test_what_waits_already_waits_on_however_much_waits(flooding: Memories) -> None:
    held = [replace(each, action="hold") for each in write(flooding, said("mill"), said("barn"), session="s")]
    change, now = flooding.change("add"), flooding.now()
    for each in held:
        hold_memory(flooding.store, each, change, now)
    reinforcement = Reinforcement(flooding, change, now)
    again, new = (
        reinforcement.held_once(each) for each in (held[0], replace(held[0], memory=other(held[0])))
    )
    assert (again.action, again.rule, again.other) == ("hold", "duplicate", held[0].memory.id)
    assert (new.action, new.rule) == ("refuse", "session-limit")


def other(decision: Decision) -> Memory:
    return replace(decision.memory, id="01J8ZQ4X7N3V5T9R2K6M8P0BCD", text="An owl hoots at night")


@pytest.mark.parametrize(
    ("limit", "origin", "hours", "refused"),
    [
        ("2", AGENT, (1, 2), True), ("2", AGENT, (1, 30), False), ("2", AGENT, (1,), False),
        ("0", AGENT, (1, 2, 3), False), ("2", "cli", (1, 2, 3), False), ("0", "cli", (1, 2, 3), False),
    ],
)  # fmt: skip
def test_an_untrusted_origin_adds_so_many_of_anything_in_a_day_and_its_owner_any_number(
    own_home: Path, clock: TickingClock, limit: str, origin: str, hours: tuple[int, ...], refused: bool
) -> None:
    settings = {"origin": origin, "session_writes": limit}
    with make_memories(own_home / "memory.db", clock, settings=settings) as memories:
        added = [memories.now() - timedelta(hours=each) for each in hours]
        reason = flood_reason(memories, "links", added)
        assert reason == (f"{AGENT} has added 2 links today, its limit (session_writes)" if refused else None)
        check = partial(check_flood, memories, "links", added)
        if refused:
            with pytest.raises(Refused, match="its limit") as told:
                check()
            assert told.value.rule == "session-limit"
        else:
            check()


def test_what_was_added_at_midnight_is_of_the_day(flooding: Memories, clock: TickingClock) -> None:
    midnight = clock.instant.replace(hour=0)
    assert flood_reason(flooding, "links", [midnight] * 2)
    assert not flood_reason(flooding, "links", [midnight, midnight - timedelta(seconds=1)])


@pytest.mark.parametrize(
    ("action", "kept"), [("take", True), ("supersede", True), ("hold", False), ("refuse", False)]
)
def test_what_was_judged_is_kept_with_what_is_taken(
    memories: Memories, action: WriteAction, kept: bool
) -> None:
    prepared = Admission(memories, memories.model).prepare([])
    for judged, expected in (({"passing": 0.91}, {"passing": 0.91}), ({}, None)):
        memory = new_memory(memories, Draft(text=said("mill"), kind="fact"))
        case = replace(Case(memory), judged=judged).decided(action, "default", "", memory.id)
        assert prepared._decided(case).memory.data.get("judged") == (expected if kept else None)
