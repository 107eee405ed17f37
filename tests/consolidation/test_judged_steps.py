"""What consolidation does on a judge's word, with the real model: it distils, asks, and ends where it may."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from memcli import times
from memcli.changes.undo import undo_change
from memcli.config.config import Config
from memcli.consolidation import portions
from memcli.consolidation.steps import contradict
from memcli.embedding import Embedder
from memcli.judgement.notes import CHANGE
from memcli.judgement.pairs import PairJudgement
from memcli.judgement.thresholds import threshold
from memcli.memories import Memories
from memcli.model import Memory
from memcli.upkeep.audit import audit_memories
from tests.conftest import TickingClock, make_memories
from tests.consolidation.test_steps import again, put, run, turn

Opened = Callable[..., Memories]
OLD, NEW = "The choir rehearses on Tuesdays", "Choir rehearsals have moved to Thursdays"
VEGETARIAN = "I've been a vegetarian since I was twelve, so no meat please."


@pytest.fixture
def opened(own_home: Path, clock: TickingClock, real_model: Callable[[str], Embedder]) -> Iterator[Opened]:
    """Opens a new store with the model that the judges know, and settings by name."""
    with ExitStack() as stack:

        def open_with(**settings: str) -> Memories:
            path = own_home / f"{len(list(own_home.glob('*.db')))}.db"
            return stack.enter_context(make_memories(path, clock, model=real_model, settings=settings))

        yield open_with


def distilled(memories: Memories) -> dict[str, Memory]:
    run(memories, "distil")
    return {each.text: each for each in memories.store.select(memories.within(sources=("inferred",)))}


def test_what_the_owner_states_for_good_is_kept_and_cites_its_turn(opened: Opened) -> None:
    memories = opened()
    said = turn(
        memories,
        "s",
        f"How long does a marinade take? {VEGETARIAN} I'm tired today. Could you make it shorter?",
    )
    turn(memories, "s", "I have been a vegetarian for many years, too.", "assistant")
    found = distilled(memories)
    assert list(found) == [VEGETARIAN]
    fact = found[VEGETARIAN]
    assert (fact.kind, fact.data["how"], fact.data["cites"]) == ("fact", "judged", [said.id])
    assert 0.9 <= fact.confidence < 1
    # A second night finds nothing new.
    assert not run(memories, "distil").counts()


def test_with_the_setting_at_one_or_another_model_nothing_is_distilled_on_a_judges_word(
    opened: Opened, memories: Memories
) -> None:
    for some in (opened(judge_distil="1"), memories):
        turn(some, "s", VEGETARIAN)
        assert not distilled(some)


def rehearsals(memories: Memories, clock: TickingClock, told: float = 0.0) -> tuple[Memory, Memory]:
    """The newer one was noted to tell of a change, as likely as `told`."""
    old = put(memories, OLD)
    clock.advance(days=3)
    return old, put(memories, NEW, data={"judged": {CHANGE: told} if told else {}})


def test_a_judged_update_is_a_question(opened: Opened, clock: TickingClock) -> None:
    memories = opened()
    old, new = rehearsals(memories, clock)
    # No form of words tells it: the judge alone does.
    report = run(memories, "contradict")
    assert report.counts() == {"contradict": {"ask": 1}}
    [issue] = audit_memories(memories, ("questions",))
    assert sorted(issue.ids) == sorted([old.id, new.id])
    assert not again(memories, old).ended_at


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("my salary is 50k", "my salary is now 60k"),
        ("The meeting is on Tuesday", "The meeting was moved to Wednesday"),
    ],
)
def test_what_says_itself_that_it_changed_ends_what_it_replaces(
    opened: Opened, clock: TickingClock, old: str, new: str
) -> None:
    memories = opened()
    before = put(memories, old)
    clock.advance(days=3)
    after = put(memories, new)
    run(memories, "contradict")
    gone = again(memories, before)
    assert gone.ended_why == f"updated by {after.id}"
    assert (gone.ended_as, gone.replaced_by) == ("updated", after.id)
    assert again(memories, after).ended_at is None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Rita lives in Graz during the week", "Rita now lives in Linz at weekends"),
        ("My friend is Mr. Holm", "My new friend is Mrs. Ek"),
        ("I play the violin", "I now play the cello as well"),
        ("the gym opens at 7", "the pool now opens at 8"),
        # The day, and the host, would be lost.
        ("Our standup is on Tuesdays at 9:30", "Standup is now at 9:45"),
        ("Staging is Postgres 15 on host db-stg-2", "Staging got upgraded to Postgres 16"),
        # Who he is.
        ("Notre voisin Paul habite au 12", "Paul habite maintenant au 14"),
    ],
)
def test_what_may_hold_beside_it_or_does_not_say_that_it_is_new_ends_nothing(
    opened: Opened, clock: TickingClock, old: str, new: str
) -> None:
    memories = opened()
    before = put(memories, old)
    clock.advance(days=3)
    put(memories, new)
    run(memories, "contradict")
    assert again(memories, before).ended_at is None


BROTHER_IN_LAW, MOVED = "My brother-in-law Peter works at Siemens", "Peter now works at Bosch"


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("gave rm 4 paracetamol at 10", "gave rm 4 paracetamol at 16"),
        ("bought 10 screws M6", "bought 10 screws M8"),
        ("paid invoice 101", "paid invoice 102"),
        ("weighed 72.5 kg today", "weighed 71.9 kg today"),
        ("Rechnung 14 an Huber bezahlt", "Rechnung 15 an Huber bezahlt"),
    ],
)
def test_of_two_deeds_none_is_ended_for_the_other(
    opened: Opened, clock: TickingClock, first: str, second: str
) -> None:
    memories = opened()
    older = put(memories, first)
    clock.advance(hours=6)
    newer = put(memories, second, data={"judged": {CHANGE: 0.9}})
    run(memories, "contradict")
    assert not any(again(memories, each).ended_at for each in (older, newer))


@pytest.mark.parametrize(
    ("beside", "ends"),
    [
        ({}, False),
        ({"text": "Peter is my brother-in-law"}, True),
        ({"text": "Tom is my brother-in-law"}, False),
        ({"text": "Peter is my brother-in-law", "trusted": False}, False),
        (
            {
                "text": "Peter is my brother-in-law",
                "expires_at": times.parse_instant("2100-01-01", times.now()),
            },
            False,
        ),
    ],
)
def test_what_only_the_older_tells_keeps_it_until_another_tells_it(
    opened: Opened, clock: TickingClock, beside: dict[str, Any], ends: bool
) -> None:
    memories = opened(judge_update="0.2", judge_replaced="0.2")
    if beside:
        put(memories, **beside)
        clock.advance(days=1)
    old = put(memories, BROTHER_IN_LAW)
    clock.advance(days=3)
    put(memories, MOVED, data={"judged": {CHANGE: 0.5}})
    asked = run(memories, "contradict").counts()["contradict"]
    assert (again(memories, old).ended_at is not None) is ends
    assert ("end" in asked) is ends and ends is not ("ask" in asked)


def test_what_an_update_ended_and_its_owner_brought_back_is_asked_about(
    opened: Opened, clock: TickingClock
) -> None:
    memories = opened(judge_update="0.2", judge_replaced="0.2")
    old = put(memories, OLD)
    clock.advance(days=3)
    put(memories, NEW, data={"judged": {CHANGE: 0.9}})
    assert run(memories, "contradict").counts()["contradict"] == {"end": 1}
    memories.restore([old.id])
    # As if all were news: a later run looks at what changed.
    memories.remember("The choir is large")
    assert "end" not in run(memories, "contradict").counts().get("contradict", {})
    assert again(memories, old).ended_at is None


def test_of_two_people_one_is_never_ended_for_the_other(opened: Opened, clock: TickingClock) -> None:
    memories = opened(judge_update="0.2", judge_replaced="0.2")
    old = put(memories, "Nico doesn't eat mushrooms")
    clock.advance(days=3)
    put(memories, "Elsa now eats mushrooms, she tried them at Hannah's", data={"judged": {CHANGE: 0.9}})
    run(memories, "contradict")
    assert again(memories, old).ended_at is None


@pytest.mark.parametrize("at_once", [True, False])
def test_of_two_that_tell_who_somebody_is_one_stays(
    opened: Opened, clock: TickingClock, monkeypatch: pytest.MonkeyPatch, at_once: bool
) -> None:
    monkeypatch.setattr(portions, "BATCH_SIZE", 64 if at_once else 1)
    memories = opened(judge_update="0.2", judge_replaced="0.2")
    olds = [put(memories, BROTHER_IN_LAW) for _ in range(2)]
    clock.advance(days=3)
    put(memories, MOVED, data={"judged": {CHANGE: 0.5}})
    # A plan, too: nothing is ended while it is made.
    planned = [each.proposal for each in run(memories, "contradict", dry_run=True).outcomes]
    assert sum(each.action == "end" for each in planned) == 1
    run(memories, "contradict")
    assert [again(memories, each).ended_at is None for each in olds].count(True) == 1


def test_where_its_owner_lets_it_a_judged_update_ends_the_older_and_that_is_undone(
    opened: Opened, clock: TickingClock
) -> None:
    memories = opened(judge_update="0.2", judge_replaced="0.2")
    old, new = rehearsals(memories, clock, told=0.5)
    assert run(memories, "contradict").counts() == {"contradict": {"end": 1}}
    ended = again(memories, old)
    assert (ended.ended_as, ended.replaced_by) == ("updated", new.id)
    undo_change(memories)
    assert again(memories, old).ended_at is None and again(memories, new).ended_at is None


def test_a_judged_update_never_ends_what_is_surer_or_more_trusted(
    opened: Opened, clock: TickingClock
) -> None:
    memories = opened(judge_replaced="0.8")
    old = put(memories, OLD)
    clock.advance(days=3)
    put(memories, NEW, confidence=0.6, source="inferred")
    put(memories, NEW + " ", trusted=False)
    run(memories, "contradict")
    assert again(memories, old).ended_at is None


def test_with_the_setting_at_one_a_judge_asks_nothing(opened: Opened, clock: TickingClock) -> None:
    memories = opened(judge_update="1")
    rehearsals(memories, clock)
    assert not run(memories, "contradict").counts()


@pytest.mark.parametrize(("setting", "ends"), [("1", False), ("0.99", True)])
def test_a_judge_that_says_one_is_believed_unless_it_is_off(
    opened: Opened, clock: TickingClock, monkeypatch: pytest.MonkeyPatch, setting: str, ends: bool
) -> None:
    monkeypatch.setattr(contradict, "judge_pair", lambda *given: PairJudgement(0.0, 1.0, 0.0, certain=True))
    memories = opened(judge_replaced=setting)
    old, _ = rehearsals(memories, clock, told=0.5)
    run(memories, "contradict")
    assert (again(memories, old).ended_at is not None) is ends


def test_a_threshold_of_one_is_beyond_every_probability() -> None:
    config = Config({"MEMCLI_JUDGE_SAME": "1", "MEMCLI_JUDGE_KIND": "0"})
    assert threshold(config, "same") > 1 and threshold(config, "kind") == 0
    assert threshold(config, "update") == 0.47
