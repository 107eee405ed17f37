"""What a new statement may have overtaken: told when it is written, and by the audit; nothing ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from memcli.embedding import Embedder
from memcli.ids import short_id
from memcli.memories import Memories
from memcli.upkeep.audit import audit_memories
from memcli.write_policy import review
from memcli.write_policy.admission import admit, admit_drafts
from memcli.write_policy.decision import Decision
from memcli.write_policy.drafts import Draft, new_memory
from memcli.write_policy.related.batch import RelatedInBatch
from memcli.write_policy.settings import WriteOptions
from tests.conftest import Run, TickingClock, make_memories


@pytest.fixture
def judged(own_home: Path, clock: TickingClock, real_model: Callable[[str], Embedder]) -> Iterator[Memories]:
    """Memories by the real model: what is judged is the subject."""
    with make_memories(own_home / "memory.db", clock, model=real_model) as opened:
        yield opened


def _kept(memories: Memories, *texts: str, known: RelatedInBatch | None = None) -> list[Decision]:
    some = [new_memory(memories, Draft(text=text)) for text in texts]
    return admit(memories, memories.model, some, WriteOptions(approved=True), related=known)


def test_it_is_found_among_many_and_nothing_ends(judged: Memories) -> None:
    [old] = _kept(judged, "The captain is Lena")
    _kept(judged, *(f"Locker {n} belongs to crew {n + 7}" for n in range(30)))
    [new] = _kept(judged, "Tariq is the new captain")
    assert new.action == "take" and new.contradicts == (old.memory.id,)
    assert new.notes[0].startswith('may contradict "The captain is Lena" (')
    assert f"--replaces {old.memory.id}" in new.notes[0]
    assert new.to_record()["contradicts"] == [old.memory.id]
    assert judged.find(old.memory.id).ended_at is None


def test_other_spaces_and_ended_ones_are_not_looked_at(judged: Memories) -> None:
    [old] = _kept(judged, "The captain is Lena")
    other = new_memory(judged, Draft(text="The captain is Tariq", space="other"))
    assert admit(judged, judged.model, [other], WriteOptions(approved=True))[0].contradicts == ()
    judged.end([old.memory.id], "gone")
    assert _kept(judged, "The captain is Omar")[0].contradicts == ()


@pytest.mark.parametrize("before", [0, 1])
def test_a_batch_finds_what_it_brings_and_what_was_there(judged: Memories, before: int) -> None:
    _kept(judged, *["Kiwis are green"][:before])
    known = RelatedInBatch(judged.store, judged.now())
    lines = [
        "I live in Quito",
        "Choir is at 18:30",
        "I moved to Lima",
        "We use Jira",
        "We no longer use Jira",
    ]
    first = _kept(judged, *lines, known=known)
    assert [each.contradicts for each in first] == [
        (), (), (first[0].memory.id,), (), (first[3].memory.id,)
    ]  # fmt: skip
    [later] = _kept(judged, "Choir moved to 19:00", known=known)
    assert later.contradicts == (first[1].memory.id,)
    again = RelatedInBatch(judged.store, judged.now())
    [fresh] = _kept(judged, "Choir moved to 20:00", known=again)
    assert fresh.contradicts == (later.memory.id,)


def test_the_audit_tells_no_numbered_things_apart_as_contradictions(judged: Memories) -> None:
    _kept(judged, *(f"The server number {n} runs nginx" for n in range(40)))
    assert not list(audit_memories(judged, ("contradictions",)))
    _kept(judged, *(f"The captain is {name}" for name in ("Lena", "Tariq", "Omar")))
    found = list(audit_memories(judged, ("contradictions",)))
    assert [issue.detail.split("'")[1] for issue in found] == ["The captain is Omar", "The captain is Tariq"]


def test_the_audit_shows_some_and_says_how_many_more(mem: Run) -> None:
    lines = "\n".join(
        f"The {word} is {name}" for word in ("captain", "cook", "boss") for name in ("Ann", "Bo", "Cy")
    )
    mem("remember", "--batch", input=lines)
    some = mem("audit", "--check", "contradictions", "--limit", "2")
    assert some.stdout.count("may contradict") == 2
    everything = mem("audit", "--check", "contradictions", "--limit", "0", "--json")
    found = len(everything.stdout.splitlines())
    # Six of one office each.
    assert 6 <= found <= 8 and not everything.stderr
    assert f"contradictions: {found - 2} more; --limit 0 shows all" in some.stderr


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
    assert "kept until" in later.reason
    assert later.notes == (f"`mem edit {short_id(first.memory.id)} --kind fact` keeps it for good",)
    kept = memories.find(first.memory.id)
    assert kept.expires_at and first.memory.expires_at and kept.expires_at > first.memory.expires_at
    assert kept.confirm_count == 1 and kept.tags == ("door",) and kept.confidence == first.memory.confidence
    other = admit_drafts(memories, memories.model, [Draft(text="Use the back door for now")])[0]
    assert other.action == "take"
    # Turns of a session record what was said, each time.
    turns = [Draft(text=text, kind="episode", session="s") for _ in range(2)]
    assert [each.action for each in admit_drafts(memories, memories.model, turns)] == ["take", "take"]


@pytest.mark.parametrize("in_batch", [False, True])
def test_what_is_passing_is_found_among_many_turns_that_say_the_same(
    memories: Memories, in_batch: bool
) -> None:
    text = "Use the side door for now"
    for _ in range(12):
        memories.remember(Draft(text=text, kind="episode", session="door"))
    first = admit_drafts(memories, memories.model, [Draft(text=text)])[0].memory
    known = RelatedInBatch(memories.store, memories.now()) if in_batch else None
    for _ in range(2):
        again = new_memory(memories, Draft(text="use the side door for now!", ttl=timedelta(days=30)))
        later = admit(memories, memories.model, [again], related=known)[0]
        assert (later.action, later.memory.id) == ("reinforce", first.id)


def test_lines_of_one_portion_renew_what_is_passing_by_meaning(memories: Memories) -> None:
    known = RelatedInBatch(memories.store, memories.now())
    lines = [new_memory(memories, Draft(text=f"Use the side door for now{end}")) for end in ("", "!", ".")]
    first, *others = admit(memories, memories.model, lines, related=known)
    assert {each.memory.id for each in others} == {first.memory.id}
    assert [each.action for each in others] == ["reinforce", "reinforce"]
