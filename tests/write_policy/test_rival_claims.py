"""What a new statement may have overtaken: found by what both claim, however far their vectors lie."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.memories import Memories
from memcli.text.contradiction.claims import claim_cues, claims, overtaken_claim
from memcli.upkeep.audit import audit_memories
from memcli.write_policy import review
from memcli.write_policy.admission import admit, admit_drafts
from memcli.write_policy.decision import Decision
from memcli.write_policy.drafts import Draft, new_memory
from memcli.write_policy.related_in_batch import RelatedInBatch
from memcli.write_policy.settings import WriteOptions
from tests.conftest import Run

_LIST = Path(__file__).parents[2] / "benchmarks" / "contradictions.txt"
_PAIRS = [
    [part.strip() for part in line.split(" | ", 2)]
    for line in _LIST.read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
]


def test_few_alarms_are_false() -> None:
    stands = [(old, new) for label, old, new in _PAIRS if label == "stands"]
    alarms = [(old, new) for old, new in stands if overtaken_claim(new, old)[1]]
    assert len(alarms) <= 0.02 * len(stands), alarms


def test_much_that_was_overtaken_is_claimed_otherwise() -> None:
    pairs = [(old, new) for label, old, new in _PAIRS if label == "contradicts"]
    missed = [(old, new) for old, new in pairs if not overtaken_claim(new, old)[1]]
    assert len(missed) <= 0.3 * len(pairs), missed


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("The captain is Lena", "Tariq is the new captain", "Lena -> Tariq"),
        ("Lena leads the rowing club", "The rowing club's lead is Tariq", "led by: Lena -> Tariq"),
        ("My parrot's name is Kiwi", "My parrot is called Mango", "Kiwi -> Mango"),
        ("I live in Quito", "I moved to Lima", "place: Quito -> Lima"),
        ("Choir starts at 18:30", "Choir moved to 19:00", "time (hour): 18:30 -> 19:00"),
        ("I am a vegetarian", "I eat bacon again", "diet: vegetarian -> bacon"),
        ("We use Jira", "We migrated from Jira to Plane", "Jira is gone"),
        ("The attic has 2 windows", "The attic has 3 windows", "number of window: 2 windows -> 3 windows"),
    ],
)
def test_another_value_is_told_whatever_the_vectors_say(old: str, new: str, told: str) -> None:
    assert overtaken_claim(new, old)[1] == told


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The captain is Lena", "The captain is Lena Ortiz"),
        ("The regatta is on Sunday", "The regatta is at 9:00"),
        ("Lena left Maersk", "Lena works at Hapag"),
        ("She lives in Quito", "He lives in Lima"),
        ("Boat 7 is moored in bay 2", "Boat 8 is moored in bay 3"),
        ("We use Jira and Plane", "We use Jira"),
        ("Lena rowed 5 km on Monday", "Lena rowed 8 km on Friday"),
    ],
)
def test_what_can_both_be_true_is_none(one: str, other: str) -> None:
    assert overtaken_claim(one, other)[1] is None
    assert overtaken_claim(other, one)[1] is None


@given(st.text(max_size=200), st.text(max_size=200))
def test_no_text_is_too_odd_to_claim_something(one: str, other: str) -> None:
    claims(one), claim_cues(one), overtaken_claim(one, other)
    assert overtaken_claim(one, one)[1] is None


def _kept(memories: Memories, *texts: str, known: RelatedInBatch | None = None) -> list[Decision]:
    some = [new_memory(memories, Draft(text=text)) for text in texts]
    return admit(memories, memories.model, some, WriteOptions(approved=True), related=known)


def test_it_is_found_among_many_and_nothing_ends(memories: Memories) -> None:
    [old] = _kept(memories, "The captain is Lena")
    _kept(memories, *(f"Locker {n} belongs to crew {n + 7}" for n in range(30)))
    [new] = _kept(memories, "Tariq is the new captain")
    assert new.action == "take" and new.contradicts == (old.memory.id,)
    assert new.notes[0].startswith('may contradict "The captain is Lena" (')
    assert f"--replaces {old.memory.id}" in new.notes[0]
    assert new.to_record()["contradicts"] == [old.memory.id]
    assert memories.find(old.memory.id).ended_at is None


def test_other_spaces_and_ended_ones_are_not_looked_at(memories: Memories) -> None:
    [old] = _kept(memories, "The captain is Lena")
    other = new_memory(memories, Draft(text="The captain is Tariq", space="other"))
    assert admit(memories, memories.model, [other], WriteOptions(approved=True))[0].contradicts == ()
    memories.end([old.memory.id], "gone")
    assert _kept(memories, "The captain is Omar")[0].contradicts == ()


@pytest.mark.parametrize("before", [0, 1])
def test_a_batch_finds_what_it_brings_and_what_was_there(memories: Memories, before: int) -> None:
    _kept(memories, *["Kiwis are green"][:before])
    known = RelatedInBatch(memories.store, memories.now())
    lines = [
        "I live in Quito",
        "Choir is at 18:30",
        "I moved to Lima",
        "We use Jira",
        "We no longer use Jira",
    ]
    first = _kept(memories, *lines, known=known)
    assert [each.contradicts for each in first] == [
        (), (), (first[0].memory.id,), (), (first[3].memory.id,)
    ]  # fmt: skip
    [later] = _kept(memories, "Choir moved to 19:00", known=known)
    assert later.contradicts == (first[1].memory.id,)
    again = RelatedInBatch(memories.store, memories.now())
    [fresh] = _kept(memories, "Choir moved to 20:00", known=again)
    assert fresh.contradicts == (later.memory.id,)


def test_the_audit_tells_no_numbered_things_apart_as_contradictions(memories: Memories) -> None:
    _kept(memories, *(f"The server number {n} runs nginx" for n in range(40)))
    assert not list(audit_memories(memories, ("contradictions",)))
    _kept(memories, *(f"The captain is {name}" for name in ("Lena", "Tariq", "Omar")))
    found = list(audit_memories(memories, ("contradictions",)))
    assert [issue.detail.split("'")[1] for issue in found] == ["The captain is Omar", "The captain is Tariq"]


def test_the_audit_shows_some_and_says_how_many_more(mem: Run) -> None:
    lines = "\n".join(
        f"The {word} is {name}" for word in ("captain", "cook", "boss") for name in ("Ann", "Bo", "Cy")
    )
    mem("remember", "--batch", input=lines)
    some = mem("audit", "--check", "contradictions", "--limit", "2")
    assert some.stdout.count("may contradict") == 2
    assert "contradictions: 4 more; --limit 0 shows all" in some.stderr
    everything = mem("audit", "--check", "contradictions", "--limit", "0", "--json")
    assert len(everything.stdout.splitlines()) == 6 and not everything.stderr


def test_what_waits_for_review_waits_once(memories: Memories) -> None:
    def infer(text: str, confidence: float, tag: str) -> Decision:
        draft = Draft(text=text, source="inferred", confidence=confidence, tags=(tag,))
        return admit_drafts(memories, memories.model, [draft])[0]

    first = infer("The owner likes chess", 0.4, "games")
    again = infer("the owner likes chess.", 0.6, "hobby")
    assert (first.action, again.action) == ("hold", "hold")
    assert again.other == first.memory.id == again.memory.id and "waits already" in again.reason
    [waits] = review.list_held(memories)
    assert waits.memory.confidence == 0.6 and waits.memory.tags == ("games", "hobby")
    assert waits.memory.confirm_count == 1
    infer("the owner likes chess", 0.2, "games")
    infer("The owner likes checkers", 0.4, "games")
    assert [each.memory.confidence for each in review.list_held(memories)] == [0.6, 0.4]
    [taken] = review.accept_held(memories, memories.model, [next(iter(review.list_held(memories)))])
    assert taken.action == "take" and memories.find(taken.memory.id).text == "The owner likes chess"


def test_what_is_passing_is_renewed_when_it_is_said_again(memories: Memories) -> None:
    text = "Use the side door for now"
    first = admit_drafts(memories, memories.model, [Draft(text=text)])[0]
    later = admit_drafts(
        memories,
        memories.model,
        [Draft(text="use the side door for now!", ttl=timedelta(days=30), tags=("door",))],
    )[0]
    assert first.action == "take" and first.memory.kind == "episode"
    assert (later.action, later.memory.id) == ("reinforce", first.memory.id)
    assert "kept until" in later.reason and not later.notes
    kept = memories.find(first.memory.id)
    assert kept.expires_at and first.memory.expires_at and kept.expires_at > first.memory.expires_at
    assert kept.confirm_count == 1 and kept.tags == ("door",) and kept.confidence == first.memory.confidence
    other = admit_drafts(memories, memories.model, [Draft(text="Use the back door for now")])[0]
    assert other.action == "take"
    # Turns of a session record what was said, each time.
    turns = [Draft(text=text, kind="episode", session="s") for _ in range(2)]
    assert [each.action for each in admit_drafts(memories, memories.model, turns)] == ["take", "take"]
