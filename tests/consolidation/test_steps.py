"""What each step of consolidation does and leaves alone; the clock is an argument."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memcli.changes import revision
from memcli.changes.undo import undo_change
from memcli.consolidation.decay_strength import strength_at
from memcli.consolidation.proposals import ORIGIN
from memcli.consolidation.registry import STEP_NAMES
from memcli.consolidation.report import RunReport
from memcli.consolidation.run import RunOptions, carry_out_plan, consolidate
from memcli.consolidation.steps.tend import backups_to_keep
from memcli.errors import Refused
from memcli.memories import Memories
from memcli.model import Filter, Memory
from memcli.tiers.sessions import sessions
from memcli.upkeep.audit import audit_memories
from memcli.write_policy.admission import admit_drafts
from memcli.write_policy.direct import put_embedded
from memcli.write_policy.drafts import Draft, new_memory
from memcli.write_policy.review import list_held
from tests.conftest import TickingClock, make_memories
from tests.erasure import erase_memories

ALL = Filter(spaces=None, live=False)
# All but upkeep: what is said about memories needs no backup.
STEPS_OF_MEANING = STEP_NAMES[:-1]


def run(memories: Memories, *steps: str, **limits: float) -> RunReport:
    return consolidate(memories, RunOptions(steps=steps or STEPS_OF_MEANING, **limits))  # type: ignore[arg-type]


def put(memories: Memories, text: str, **fields: object) -> Memory:
    """A memory as it would come from an import: past the policy, any age."""
    drafted = Draft(text=text, kind=str(fields.pop("kind", "fact")))
    memory = replace(new_memory(memories, drafted), **fields)  # type: ignore[arg-type]
    put_embedded(memories, memories.model, [memory], memories.change("import"))
    return memory


def again(memories: Memories, memory: Memory) -> Memory:
    return memories.store.get([memory.id])[0]


def texts(memories: Memories) -> list[str]:
    return sorted(memory.text for memory in memories.store.select(memories.within()))


# Expire


def test_what_waits_for_review_goes_with_its_evidence(memories: Memories) -> None:
    said = put(memories, "Rain in Lisbon", kind="episode", data={"role": "user"}, trusted=False)
    draft = Draft(text="The owner was in Portugal", kind="fact", source="inferred", trusted=False)
    admit_drafts(
        memories,
        memories.model,
        [replace(draft, data={"cites": [said.id]}), replace(draft, text="Portugal is hot")],
    )
    assert len(list(list_held(memories))) == 2
    erase_memories(memories, [said])
    assert [each.memory.text for each in list_held(memories)] == ["Portugal is hot"]


def test_what_somebody_else_is_reported_to_say_is_no_fact_of_the_owner(memories: Memories) -> None:
    turn(memories, "a", "My client says: I live in Zürich. I work at Siemens.\nI live in Lisbon.")
    for session in "bcd":
        turn(memories, session, "Tom said: I water the tomatoes every morning before work.")
    run(memories, "distil")
    facts = memories.store.select(memories.within(sources=("inferred",)))
    assert [each.text for each in facts] == ["I live in Lisbon."]


def test_a_fact_is_judged_by_what_is_left_of_its_evidence(memories: Memories) -> None:
    text = "I water the tomatoes every morning before work."
    turns = [turn(memories, session, text) for session in "abc"]
    run(memories, "distil")
    other = [turn(memories, session, "I live in Lisbon.") for session in "de"]
    run(memories, "distil")
    erase_memories(memories, turns[:1])
    # Only what quotes it goes with it; as if that had been put in other words.
    left = {memory.text for memory in memories.store.select(memories.within(kinds=("fact",)))}
    assert "I live in Lisbon." in left
    fact = put(
        memories, "Lisbon and tomatoes", source="inferred", origin=ORIGIN,
        data={"cites": [turns[1].id, turns[2].id, turns[0].id], "how": "repeated"},
    )  # fmt: skip
    kept = put(
        memories, "The owner lives in Lisbon", source="inferred", origin=ORIGIN,
        data={"cites": [other[0].id, turns[0].id], "how": "concluded"},
    )  # fmt: skip
    lost = put(
        memories, "The owner waters tomatoes in Lisbon", source="inferred", origin=ORIGIN,
        data={"cites": [turns[1].id, turns[0].id], "how": "concluded"},
    )  # fmt: skip
    run(memories, "distil")
    assert [bool(again(memories, each).ended_at) for each in (fact, kept, lost)] == [True, False, True]


def test_what_is_past_its_time_is_ended_with_the_reason_and_nothing_else(
    memories: Memories, clock: TickingClock
) -> None:
    short = memories.remember(Draft(text="the guest code is blue", ttl=timedelta(hours=1)))
    season = put(memories, "the pool is open", valid_until=clock() + timedelta(days=1))
    stays = memories.remember("the pool is deep")
    clock.advance(days=2)
    report = run(memories, "expire")
    assert report.counts() == {"expire": {"end": 2}}
    assert again(memories, short).ended_why == "expired on 2026-05-03"
    assert again(memories, season).ended_why == "valid until 2026-05-04"
    assert {again(memories, each).ended_as for each in (short, season)} == {"expired"}
    assert again(memories, stays).ended_at is None


# Decay


def test_what_was_concluded_fades_by_half_each_half_life_and_use_slows_it(memories: Memories) -> None:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    memory = replace(memories.remember("a"), source="inferred", confidence=0.8, created_at=now)
    half = timedelta(days=100)
    assert strength_at(memory, now, half) == pytest.approx(0.8)
    assert strength_at(memory, now + half, half) == pytest.approx(0.4)
    used = replace(memory, access_count=1, accessed_at=now)
    assert strength_at(used, now + half, half) == pytest.approx(0.8 * 0.5**0.5)
    assert strength_at(replace(memory, source="explicit"), now + 99 * half, half) == 0.8
    assert strength_at(replace(memory, kind="constraint"), now + 99 * half, half) == 0.8


def test_only_inferred_memories_that_nobody_needs_are_ended(memories: Memories, clock: TickingClock) -> None:
    weak = put(memories, "Ann may like jazz", source="inferred", confidence=0.7)
    rule = put(memories, "never deploy on Friday", kind="constraint", source="inferred", confidence=0.7)
    said = put(memories, "Ann likes opera")
    used = put(memories, "Ann plays chess", source="inferred", confidence=0.7)
    clock.advance(days=200)
    memories.store.touch([used.id] * 3, clock())
    clock.advance(days=120)
    assert [o.proposal.memories for o in run(memories, "decay").outcomes] == [(weak.id,)]
    assert "faded" in str(again(memories, weak).ended_why) and again(memories, weak).ended_as == "decayed"
    assert not any(again(memories, each).ended_at for each in (rule, said, used))


def test_how_weak_and_how_idle_is_for_its_owner_to_say(
    memories: Memories, clock: TickingClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(memories, "Ann may like jazz", source="inferred", confidence=0.9)
    clock.advance(days=40)
    assert not run(memories, "decay").counts()
    monkeypatch.setenv("MEMCLI_IDLE_AFTER", "30d")
    [outcome] = consolidate(memories, RunOptions(steps=("decay",), dry_run=True)).outcomes
    assert "not used" in outcome.proposal.why
    monkeypatch.setenv("MEMCLI_FADE_FLOOR", "0.85")
    assert "faded" in run(memories, "decay").outcomes[0].proposal.why


def test_of_what_lies_beside_the_store_only_memclis_own_backups_are_thinned(
    memories: Memories, clock: TickingClock, own_home: Path
) -> None:
    memories.remember("the shed is green")
    theirs = [own_home / f"memory.db.backup-{name}" for name in ("mine", "mine.part", "2020", "20200101")]
    for each in theirs:
        each.write_text("theirs")
    for _ in range(60):
        clock.advance(days=8)
        consolidate(memories, RunOptions(steps=("tend",)))
    assert all(each.read_text() == "theirs" for each in theirs)
    assert 12 <= len(memories.store.backups()) <= 23


def test_what_its_owner_brought_back_is_not_ended_again(memories: Memories, clock: TickingClock) -> None:
    weak = put(memories, "Ann may like jazz", source="inferred", confidence=0.7)
    clock.advance(days=400)
    assert run(memories, "decay").counts()
    memories.restore([weak.id])
    assert not run(memories, "decay").counts()


def test_once_a_week_ends_where_twice_a_day_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMCLI_HALF_LIVES", "fact=20d")

    def lived(path: Path, every: timedelta) -> list[str]:
        clock = TickingClock()
        start = clock.instant
        with make_memories(path, lambda: clock.instant) as memories:
            for day in range(0, 84, 7):
                clock.instant = start + timedelta(days=day)
                source = ("inferred", "explicit", "learned")[day // 7 % 3]
                fields = {"source": source, "confidence": 0.75, "importance": 0.2 + day % 5 / 10}
                if day % 4 == 0:
                    fields["expires_at"] = clock.instant + timedelta(days=30)
                put(memories, f"note {day} about {day * 7919 % 97} apples", **fields)
                for step in range(int(timedelta(days=7) / every)):
                    clock.instant = start + timedelta(days=day) + (step + 1) * every
                    run(memories)
            return texts(memories)

    weekly = lived(tmp_path / "weekly.db", timedelta(days=7))
    assert weekly == lived(tmp_path / "often.db", timedelta(hours=12))
    assert 0 < len(weekly) < 12


# Merge


def test_the_same_text_becomes_one_with_tags_uses_and_mean_confidence(memories: Memories) -> None:
    one = put(memories, "The office is in Berlin", tags=("work",), confidence=0.6, access_count=2)
    two = put(
        memories, "the office is in Berlin.", tags=("place",), confidence=0.9, access_count=3, confirm_count=2
    )
    report = run(memories, "merge")
    [made] = [outcome.made for outcome in report.outcomes]
    [new] = memories.store.get([made or ""])
    assert new.tags == ("place", "work")
    assert new.access_count == 5
    assert new.confidence == pytest.approx((0.6 + 3 * 0.9) / 4)
    assert new.source == "merged"
    assert sorted(new.data["merged_from"]) == sorted([one.id, two.id])
    assert memories.recall("office Berlin").hits[0].memory.id == new.id


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("the meeting is at 5 pm", "the meeting is at 6 pm"),
        ("Ann lives in Berlin", "Bob lives in Berlin"),
        ("the door is open", "the door is not open"),
        ("the review is on May 3", "the review is on May 4"),
    ],
)
def test_nothing_is_merged_across_a_difference_that_matters(memories: Memories, one: str, two: str) -> None:
    put(memories, one), put(memories, two)
    run(memories)
    assert len([m for m in memories.store.select(ALL) if m.source == "merged"]) == 0


def test_nothing_is_merged_across_trust_space_or_kind(memories: Memories) -> None:
    put(memories, "the office is in Berlin")
    put(memories, "the office is in Berlin", trusted=False)
    put(memories, "the office is in Berlin", space="other")
    put(memories, "the office is in Berlin", kind="outcome")
    assert not run(memories, "merge").counts()


# Contradict


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("Rita lives in Graz during the week", "Rita now lives in Linz at weekends"),
        ("Ann works at Acme on Mondays", "Ann now works at Globex on Fridays"),
    ],
)
def test_what_holds_on_another_condition_replaces_nothing(
    memories: Memories, clock: TickingClock, one: str, two: str
) -> None:
    old = put(memories, one)
    clock.advance(days=3)
    put(memories, two)
    run(memories, "contradict")
    assert again(memories, old).ended_at is None


def test_what_may_contradict_is_a_question_until_it_is_settled(
    memories: Memories, clock: TickingClock
) -> None:
    old = put(memories, "Ann lives in Berlin")
    clock.advance(days=3)
    new = put(memories, "Ann now lives in Paris")
    assert run(memories, "contradict").counts() == {"contradict": {"ask": 1}}
    assert not again(memories, old).ended_at
    [issue] = audit_memories(memories, ("questions",))
    assert sorted(issue.ids) == sorted([old.id, new.id])
    memories.end([old.id], "settled")
    assert not list(audit_memories(memories, ("questions",)))


def test_an_untrusted_statement_neither_ends_nor_demotes_a_trusted_one(
    memories: Memories, clock: TickingClock
) -> None:
    old = put(memories, "Ann lives in Berlin")
    clock.advance(days=3)
    put(memories, "Ann now lives in Paris", trusted=False)
    run(memories)
    assert again(memories, old) == old


def test_a_value_updated_in_a_later_message_stands_first_and_nothing_is_ended(
    memories: Memories, clock: TickingClock
) -> None:
    said = {"kind": "episode", "session": "s", "data": {"role": "user"}}
    old = put(memories, "My Zotero library has 45 sources, tagged by theme and date.", **said)
    clock.advance(days=3)
    new = put(
        memories, "My Zotero library has now reached 52 sources, how do I organize them by theme?", **said
    )
    assert run(memories, "contradict").counts() == {"contradict": {"relate": 1}}
    assert [*again(memories, old).data["updated_by"]] == [new.id]
    answer = memories.recall("How many sources are in my Zotero library, tagged by theme and date?")
    assert [hit.memory.id for hit in answer.hits][:2] == [new.id, old.id]


def test_the_clearly_less_sure_is_ended_only_where_the_owner_set_it(
    memories: Memories, clock: TickingClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(memories, "Ann lives in Berlin", confidence=0.5, source="inferred")
    clock.advance(days=3)
    put(memories, "Ann now lives in Paris")
    assert run(memories, "contradict").counts() == {"contradict": {"ask": 1}}
    monkeypatch.setenv("MEMCLI_KEEP_CONFIDENT", "on")
    put(memories, "Ann now lives in Paris!", happened_at=clock())
    assert run(memories, "contradict").counts()["contradict"].get("end") == 1


# Fold and distil


def turn(memories: Memories, session: str, text: str, role: str = "user") -> Memory:
    return sessions.append_turn(memories, Draft(text=text, session=session, data={"role": role})).turn


def test_a_closed_session_is_folded_and_its_turns_expire_only_then(
    memories: Memories, clock: TickingClock
) -> None:
    first = turn(memories, "monday", "We chose Postgres for the shop")
    turn(memories, "monday", "Good choice", "assistant")
    assert not run(memories, "fold").counts()
    clock.advance(hours=25)
    assert run(memories, "fold").counts() == {"fold": {"fold": 1}}
    [summary] = memories.store.select(memories.within(sources=("merged",)))
    assert first.id in summary.data["folds"]
    assert run(memories).counts() == {"expire": {"end": 2}}
    assert "Postgres" in summary.text


def test_a_session_that_goes_on_after_its_end_is_open(memories: Memories, clock: TickingClock) -> None:
    turn(memories, "deck", "We chose larch for the deck")
    sessions.end_session(memories, "deck")
    turn(memories, "deck", "Wait, what about oak?")
    assert not run(memories, "fold").counts()
    clock.advance(hours=25)
    assert run(memories, "fold").counts() == {"fold": {"fold": 1}}


def test_explicit_statements_of_the_owner_become_facts_that_cite_them(memories: Memories) -> None:
    said = turn(
        memories, "s", "Hello! I live in Lisbon. What should I cook? My brother lives in Rome, maybe."
    )
    turn(memories, "s", "I live in Berlin.", "assistant")
    assert run(memories, "distil").counts() == {"distil": {"keep": 1, "link": 1}}
    [fact] = memories.store.select(memories.within(kinds=("fact",)))
    assert (fact.text, fact.source, fact.origin, fact.data["cites"]) == (
        "I live in Lisbon.", "inferred", memories.signed(ORIGIN), [said.id],
    )  # fmt: skip


def test_a_fact_of_a_run_that_was_cut_short_is_not_confirmed_by_the_next(memories: Memories) -> None:
    turn(memories, "s", "I live in Lisbon.")
    run(memories, "distil")
    # As if the run had been killed before it noted how far it had come.
    memories.store.drop_state(memories.space, "consolidation", "read-to:distil")
    assert not run(memories, "distil").counts()
    [fact] = memories.store.select(memories.within(kinds=("fact",)))
    assert fact.confirm_count == 0


def test_what_three_sessions_say_becomes_a_fact_and_two_do_not(memories: Memories) -> None:
    for session in ("a", "b"):
        turn(memories, session, "I water the tomatoes every morning before work.")
    assert not run(memories, "distil").counts()
    turn(memories, "c", "I water the tomatoes every morning before work.")
    assert run(memories, "distil").counts() == {"distil": {"keep": 1}}
    [fact] = memories.store.select(memories.within(sources=("inferred",)))
    assert len(fact.data["cites"]) == 3


def test_what_an_untrusted_turn_says_waits_for_review(memories: Memories) -> None:
    put(memories, "I live in Lisbon.", kind="episode", data={"role": "user"}, trusted=False)
    report = run(memories, "distil")
    assert report.counts() == {"distil": {"link": 1}}
    assert "untrusted" in report.outcomes[0].note


def test_a_fact_is_ended_when_its_evidence_is_erased(memories: Memories) -> None:
    said = turn(memories, "s", "I live in Lisbon.")
    run(memories)
    [fact] = memories.store.select(memories.within(kinds=("fact",)))
    changed = replace(fact, text="The owner lives in Portugal's capital.")
    put_embedded(memories, memories.model, [changed], memories.change("edit"))
    run(memories)
    erase_memories(memories, [said])
    assert run(memories, "distil").counts() == {"distil": {"end": 1}}


# Prune


def test_only_what_may_go_is_purged_after_its_grace(memories: Memories, clock: TickingClock) -> None:
    forgotten = memories.remember("the wifi is called attic")
    memories.end([forgotten.id], "forgotten")
    faded = put(memories, "Ann may like jazz", source="inferred", confidence=0.3)
    merged = [put(memories, "The office is in Berlin"), put(memories, "the office is in Berlin.")]
    clock.advance(days=30)
    run(memories, "decay", "merge")
    assert again(memories, faded).ended_at
    clock.advance(days=89)
    assert run(memories, "prune").counts() == {"prune": {"purge": 1}}
    clock.advance(days=10)
    assert run(memories, "prune").counts() == {"prune": {"purge": 1}}
    assert not memories.store.get([forgotten.id, faded.id])
    assert len(memories.store.get([each.id for each in merged])) == 2


def test_unimportant_inferred_memories_that_lie_unused_are_ended_and_explicit_ones_never(
    memories: Memories, clock: TickingClock
) -> None:
    idle = put(memories, "a remark", source="imported", importance=0.1)
    said = put(memories, "a remark of mine", importance=0.1)
    used = put(memories, "a useful remark", source="imported", importance=0.1, access_count=2)
    clock.advance(days=181)
    assert run(memories, "prune").counts() == {"prune": {"end": 1}}
    assert again(memories, idle).ended_at
    assert not again(memories, said).ended_at
    assert not again(memories, used).ended_at


# Tend


def test_a_backup_is_made_on_schedule_opens_and_knows_the_way_out(
    memories: Memories, clock: TickingClock
) -> None:
    text = " ".join(f"lighthouse{number}" for number in range(80))
    memories.remember(text)
    consolidate(memories, RunOptions(steps=("tend",)))
    [(path, _)] = memories.store.backups().items()
    assert path.stat().st_mode & 0o777 == 0o600
    with make_memories(path, clock) as copy:
        assert texts(copy) == [text]
    clock.advance(days=6)
    consolidate(memories, RunOptions(steps=("tend",)))
    assert len(memories.store.backups()) == 1
    clock.advance(days=2)
    consolidate(memories, RunOptions(steps=("tend",)))
    assert len(memories.store.backups()) == 2
    receipt = erase_memories(memories, list(memories.store.select(ALL)))
    assert receipt.verified
    assert len(receipt.backups) == 2


def test_of_daily_backups_a_week_a_month_and_a_year_are_kept() -> None:
    start = datetime(2024, 1, 1, 3, tzinfo=UTC)
    made: set[datetime] = set()
    for day in range(730):
        made = backups_to_keep({*made, start + timedelta(days=day)})
    assert 12 + 7 <= len(made) <= 12 + 7 + 4
    assert max(made) == start + timedelta(days=729)
    assert max(made) - min(made) >= timedelta(days=330)


def test_missing_vectors_are_filled(memories: Memories) -> None:
    model = memories.remember("with a vector") and memories.store.model()
    assert model
    memory = replace(new_memory(memories, Draft(text="without one")), kind="fact")
    memories.store.put([memory], memories.change("add"), memories.now())
    assert memories.store.without_vectors(model, 9)
    consolidate(memories, RunOptions(steps=("tend",)))
    assert not memories.store.without_vectors(model, 9)


# The run


def full(memories: Memories, clock: TickingClock) -> None:
    """A store in which every step has something to do."""
    put(memories, "Ann may like jazz", source="inferred", confidence=0.4)
    put(memories, "The office is in Berlin"), put(memories, "the office is in Berlin.")
    put(memories, "Bob lives in Oslo")
    turn(memories, "s", "I live in Lisbon.")
    memories.end([put(memories, "gone", source="inferred").id], "forgotten")
    clock.advance(days=100)
    put(memories, "Bob now lives in Rome")


def test_a_second_run_at_once_does_nothing_and_writes_nothing(
    memories: Memories, clock: TickingClock
) -> None:
    full(memories, clock)
    first = consolidate(memories)
    assert {*first.counts()} == {"distil", "fold", "expire", "merge", "contradict", "decay", "prune"}
    clock.advance(hours=1)
    consolidate(memories, RunOptions(steps=STEP_NAMES))
    events, states = list(memories.store.history()), list(memories.store.states())
    second = consolidate(memories)
    assert (second.counts(), second.upkeep) == ({}, [])
    assert list(memories.store.history()) == events
    assert list(memories.store.states()) == states


def test_a_dry_run_proposes_what_a_run_does_and_changes_nothing(
    memories: Memories, clock: TickingClock
) -> None:
    full(memories, clock)
    before = [*memories.store.select(ALL)], [*memories.store.history()], [*memories.store.states()]
    dry = consolidate(memories, RunOptions(steps=STEPS_OF_MEANING, dry_run=True))
    assert before == ([*memories.store.select(ALL)], [*memories.store.history()], [*memories.store.states()])
    done = run(memories)

    def planned(report: RunReport) -> set[tuple[str, str, tuple[str, ...]]]:
        return {(o.proposal.step, o.proposal.action, o.proposal.memories) for o in report.outcomes}

    assert planned(dry) <= planned(done)


def test_a_plan_is_carried_out_but_for_what_changed_since(memories: Memories, clock: TickingClock) -> None:
    full(memories, clock)
    proposals = [
        o.proposal for o in consolidate(memories, RunOptions(steps=STEPS_OF_MEANING, dry_run=True)).outcomes
    ]
    [merge] = [each for each in proposals if each.action == "merge"]
    revision.edit_memory(memories, memories.store.get(merge.memories)[0], tags=["mine"])
    report = carry_out_plan(memories, proposals)
    assert [o.proposal.action for o in report.outcomes if not o.done] == ["merge"]
    assert {o.proposal.action for o in report.outcomes if o.done} >= {"keep", "end", "purge"}


def test_undo_takes_a_run_back_whole_but_for_what_was_purged(memories: Memories, clock: TickingClock) -> None:
    full(memories, clock)
    before = {m.id: m for m in memories.store.select(memories.within())}
    report = run(memories)
    undone = undo_change(memories, report.run)
    after = {m.id: m for m in memories.store.select(memories.within())}
    assert after.keys() == before.keys()
    for memory_id, memory in after.items():
        assert replace(memory, updated_at=before[memory_id].updated_at) == before[memory_id]
    assert any("purge" in line for line in undone.left)
    with pytest.raises(Refused):
        clock.advance(days=100)
        memories.end([put(memories, "to go", source="inferred").id], "forgotten")
        clock.advance(days=100)
        undo_change(memories, run(memories, "prune").run)


def test_a_run_that_has_no_time_left_is_gone_on_with(memories: Memories, clock: TickingClock) -> None:
    full(memories, clock)
    stopped = run(memories, max_seconds=0)
    assert stopped.stopped
    assert not stopped.counts()
    assert run(memories).counts()


def test_spaces_are_walls_to_a_run(memories: Memories, clock: TickingClock) -> None:
    other = put(memories, "Ann may like jazz", source="inferred", confidence=0.4, space="other")
    clock.advance(days=400)
    run(memories)
    assert again(memories, other) == other


def test_every_change_of_a_run_is_signed_and_has_its_id(memories: Memories, clock: TickingClock) -> None:
    full(memories, clock)
    last = next(memories.store.history(newest_first=True)).number
    report = run(memories)
    made = [event for event in memories.store.history() if event.number > last]
    assert made
    assert {event.change for event in made} == {report.run}
    assert {event.actor for event in made} <= set(map(memories.signed, (ORIGIN, "folding")))
