"""What was forgotten softly comes back by nobody's oversight: its owner is told, a program's word waits."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from memcli.changes.forgetting.soft import forget_memories
from memcli.changes.revision import edit_memory
from memcli.consolidation.report import ProposalStatus
from memcli.consolidation.run import consolidate
from memcli.memories import Memories
from memcli.model import Ending, Source
from memcli.write_policy.admission import admit, admit_drafts
from memcli.write_policy.decision import Decision
from memcli.write_policy.drafts import Draft
from memcli.write_policy.forgotten_traces import quotable
from memcli.write_policy.review import accept_held, list_held
from memcli.write_policy.settings import WriteOptions
from tests.conftest import Run, TickingClock
from tests.tiers.turns import log


def forget(memories: Memories, text: str) -> str:
    [gone] = forget_memories(memories, [memories.remember(text)], "not any more")
    return gone.id


def said(memories: Memories, text: str, **fields: object) -> Decision:
    [decision] = admit_drafts(memories, memories.model, [Draft(text=text, **fields)])  # type: ignore[arg-type]
    return decision


def test_the_owner_is_told_and_has_their_way(memories: Memories) -> None:
    gone = forget(memories, "the grill is rusty")
    decision = said(memories, "The grill is rusty.")
    assert decision.action == "take"
    assert decision.notes == (f"you forgot this on 2026-05-03 ({gone}); it is kept anew",)
    again = said(memories, "the grill is rusty")
    assert (again.action, again.notes) == ("reinforce", ())


@pytest.mark.parametrize("source", ["inferred", "learned", "imported"])
def test_a_programs_word_waits(memories: Memories, source: Source) -> None:
    gone = forget(memories, "the grill is rusty")
    decision = said(memories, "the grill is rusty", source=source, confidence=0.95)
    assert (decision.action, decision.rule) == ("hold", "forgotten-before") and gone in decision.reason
    [waiting] = list_held(memories)
    [taken] = accept_held(memories, memories.model, [waiting])
    assert taken.action == "take" and gone in taken.notes[0]


def test_an_untrusted_word_waits_as_well(memories: Memories) -> None:
    forget(memories, "the grill is rusty")
    new = replace(
        memories.remember("the pool is deep"), id=memories.new_id(memories.now()), text="the grill is rusty"
    )
    [decision] = admit(memories, memories.model, [replace(new, trusted=False)])
    assert decision.rule == "forgotten-before"
    [forced] = admit(memories, memories.model, [new], WriteOptions(force=True))
    assert forced.action == "take"


@pytest.mark.parametrize(
    ("how", "source", "rule"),
    [
        ("forgotten", "inferred", "forgotten-before"), ("forgotten", "learned", "forgotten-before"),
        ("forgotten", "explicit", "default"), ("forgotten", "imported", "default"),
        ("decayed", "inferred", "default"),
    ],
)  # fmt: skip
def test_what_a_program_concludes_again_waits_in_other_words_too(
    memories: Memories, how: Ending, source: Source, rule: str
) -> None:
    gone = memories.remember("the red boat leaves at nine")
    memories.end([gone.id], "not any more", how)
    decision = said(memories, "the boat that is red leaves at nine", source=source, confidence=0.95)
    assert decision.rule == rule and (gone.id in decision.reason) is (rule != "default")
    apart = said(memories, "the boat that is green leaves at nine", source=source, confidence=0.95)
    assert apart.rule == "default"


def test_the_day_is_that_of_forgetting_and_not_of_a_later_edit(
    memories: Memories, clock: TickingClock
) -> None:
    gone = forget(memories, "the grill is rusty")
    clock.advance(days=3)
    edit_memory(memories, memories.find(gone), tags=["garden"])
    assert said(memories, "The grill is rusty.").notes[0].startswith("you forgot this on 2026-05-03")


def test_of_several_the_one_that_was_forgotten_last_is_told(memories: Memories, clock: TickingClock) -> None:
    draft = Draft(text="the grill is rusty")
    [one], [two] = (admit_drafts(memories, memories.model, [draft], WriteOptions(force=True)) for _ in "ab")
    for each in (two, one):
        clock.advance(days=1)
        forget_memories(memories, [each.memory], "not any more")
    assert one.memory.id != two.memory.id and one.memory.id in said(memories, "the grill is rusty").notes[0]


def test_what_ended_otherwise_or_says_something_else_is_new(memories: Memories) -> None:
    forget(memories, "the grill is rusty")
    ended = memories.remember("the pool is deep")
    memories.end([ended.id], "faded", "decayed")
    for text in ("the pool is deep", "the grill is not rusty", "the gate is rusty"):
        assert said(memories, text).notes == ()


def test_the_nightly_run_does_not_take_it_back(memories: Memories) -> None:
    log(memories, "I live in Oslo.", session="one")
    consolidate(memories)
    [fact] = memories.store.select(memories.within(kinds=("fact",)))
    forget_memories(memories, [fact], "moved away")
    log(memories, "I live in Oslo.", session="two")
    report = consolidate(memories)
    assert not list(memories.store.select(memories.within(kinds=("fact",))))
    [held] = list_held(memories)
    assert held.memory.text == fact.text and "you forgot this on" in held.reason
    assert [each.status for each in report.outcomes] == [ProposalStatus.HELD]


def test_it_is_told_by_hand(mem: Run) -> None:
    gone = mem("remember", "The grill is rusty").stdout.strip()
    mem("forget", gone)
    told = mem("remember", "The grill is rusty")
    assert told.returncode == 0 and "you forgot this on 20" in told.stderr and gone in told.stderr
    mem("forget", told.stdout.strip())
    agent = json.loads(mem("remember", "The grill is rusty", "--json", "--source", "inferred").stdout)
    assert agent["decision"]["action"] == "hold"


@pytest.mark.parametrize(
    ("text", "is_telling"),
    [
        ("the mill grinds rye", True), ("zip zap zop zed", False), ("they have been there", False),
        ("the mill is new", False), ("mill grinds", False),
    ],
)  # fmt: skip
def test_a_sentence_is_known_again_by_two_words_that_tell_something(text: str, is_telling: bool) -> None:
    assert bool(quotable(text)) is is_telling


@pytest.mark.parametrize(
    ("old", "new", "rule"),
    [
        ("My brother Luc works at Bosch", "My brother Luc works at Bosch, in Linz.", "forgotten-before"),
        ("Ich bin allergisch gegen Nüsse", "Ich bin allergisch gegen Nüsse und Sesam.", "forgotten-before"),
        ("Mi hermana vive en Cuenca", "Mi hermana Ana vive en Cuenca desde mayo.", "forgotten-before"),
        ("弟はリンツで働いている", "弟はリンツの工場で働いている", "forgotten-before"),
        ("the grill is rusty", "The pool is deep. In the yard the grill is rusty now.", "forgotten-before"),
        # Its words in two sentences are not said together, and one word is in too many texts.
        ("the grill is rusty", "The grill is new. The gate is rusty.", "default"),
        ("smoking", "He gave up smoking in May", "default"),
        ("My brother Luc works at Bosch", "My brother Luc works at Siemens", "default"),
    ],
)
def test_what_says_it_again_and_more_waits(memories: Memories, old: str, new: str, rule: str) -> None:
    forget(memories, old)
    decision = said(memories, new, source="inferred", confidence=0.95)
    assert decision.rule == rule or (rule == "default" and decision.action == "take")
    if decision.action == "hold":
        # Its owner says what they like.
        assert said(memories, new).action == "take"


def test_a_night_does_not_bring_back_what_was_forgotten_with_a_word_more(mem: Run) -> None:
    for text in ("My brother Luc works at Bosch", "Ich bin allergisch gegen Nüsse"):
        mem("forget", mem("remember", text).stdout.strip())
    mem("log", "My brother Luc works at Bosch, in Linz.")
    mem("log", "Ich bin allergisch gegen Nüsse und Sesam.")
    mem("session", "end")
    mem("consolidate")
    assert mem("list", "--kind", "fact").stdout == ""
    waiting = mem("review", "list").stdout
    assert waiting.count("you forgot this on") == 2


def test_what_its_owner_said_anew_is_forgotten_no_more(memories: Memories, clock: TickingClock) -> None:
    forget(memories, "the grill is rusty")
    anew = memories.remember("The grill is rusty")
    # Of another kind it is no repetition; what a file says of it is not held any more.
    decision = said(memories, "the grill is rusty", source="imported", kind="constraint")
    assert decision.action == "take"
    clock.advance(hours=1)
    forget_memories(memories, [decision.memory, memories.find(anew.id)], "again")
    later = said(memories, "the grill is rusty", source="inferred", confidence=0.95)
    assert later.rule == "forgotten-before"
