"""What is taken for known leaves the words that it was said in on record, by every door, once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from memcli.changes.undo import undo_change
from memcli.consolidation.news import news_since
from memcli.memories import Memories
from memcli.model import Event
from memcli.storage import Store
from memcli.write_policy import reinforcement, review
from memcli.write_policy.admission import Admission, admit_drafts
from memcli.write_policy.decision import Decision
from memcli.write_policy.drafts import Draft, new_memory
from memcli.write_policy.said_again import REPEAT, MatchedText, WordsOnRecord, said_again_by, told, words_on
from tests.conftest import TickingClock, door_of, make_memories
from tests.erasure import erase_memories

AGENT = "mcp:robot"
# The same by rule for any model: only the order of the words is another.
KNOWN, AGAIN = "The choir meets at 5 pm on Mondays", "On Mondays the choir meets at 5 pm"


@pytest.fixture
def agents(memories: Memories, own_home: Path, clock: TickingClock) -> Iterator[Memories]:
    """An agent's memories over its owner's store, which may add two of anything a day."""
    settings = {"origin": AGENT, "session_writes": "2"}
    with make_memories(own_home / "memory.db", clock, settings=settings) as opened:
        yield opened


def keep(memories: Memories, *texts: str) -> list[Decision]:
    drafts = [Draft(text=text, kind="fact") for text in texts]
    return admit_drafts(memories, memories.model, drafts)


def said(memories: Memories, memory_id: str) -> list[tuple[str, str, str | None]]:
    """The lines on a memory's record that keep words: action, door, words."""
    lines: Iterator[Event] = memories.store.history(memory_id)
    return [(each.action, door_of(each.actor), words_on(each)) for each in lines if words_on(each)]


def test_an_agent_s_words_are_on_record_once_and_confirm_nothing(
    memories: Memories, agents: Memories
) -> None:
    [known] = keep(memories, KNOWN)
    for _ in range(2):
        [again] = keep(agents, AGAIN)
        assert (again.action, again.memory.id) == ("reinforce", known.memory.id)
    assert said(memories, known.memory.id) == [("repeat", AGENT, AGAIN)]
    assert memories.find(known.memory.id) == known.memory


def test_what_is_said_word_for_word_leaves_no_line(memories: Memories, agents: Memories) -> None:
    [known] = keep(memories, KNOWN)
    keep(agents, KNOWN, KNOWN.upper())
    assert [each.action for each in memories.store.history(known.memory.id)] == ["add"]


def test_an_agent_s_words_that_would_have_no_line_are_refused(memories: Memories, agents: Memories) -> None:
    [known] = keep(memories, KNOWN)
    ways = [AGAIN, "At 5 pm on Mondays the choir meets", "The choir meets on Mondays at 5 pm"]
    told_so = [each.action for each in keep(agents, *ways, ways[0])]
    kept = [words for _, _, words in said(memories, known.memory.id)]
    # Two a day, each counted once; what is on record already needs no line.
    assert len(kept) == 2 and told_so == ["reinforce", "reinforce", "refuse", "reinforce"]


def test_the_whole_record_is_looked_through_once_a_write(
    memories: Memories, agents: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep(memories, KNOWN)
    looks: list[str] = []

    def counted(store: Store, actor: str) -> Iterator[datetime]:
        looks.append(actor)
        return said_again_by(store, actor)

    monkeypatch.setattr(reinforcement, "said_again_by", counted)
    keep(agents, AGAIN, "At 5 pm on Mondays the choir meets", "The choir meets on Mondays at 5 pm")
    assert looks == [AGENT]


def test_who_repeats_is_counted_by_his_own_lines(memories: Memories, agents: Memories) -> None:
    keep(memories, KNOWN)
    keep(agents, AGAIN)
    lines = list(memories.store.history(action=REPEAT))
    assert lines and {line.actor for line in lines} == {AGENT}
    assert list(said_again_by(memories.store, AGENT)) == [line.at for line in lines]
    assert list(said_again_by(memories.store, memories.origin)) == []


def test_without_confirming_each_is_on_record_once_in_one_change(memories: Memories) -> None:
    [known] = keep(memories, KNOWN)
    ways = [AGAIN, "The choir meets on Mondays at 5 pm"]
    writing = Admission(memories, memories.model, action="import", confirms=False)
    new = [new_memory(memories, Draft(text=text, kind="fact")) for text in [*ways, ways[0]]]
    assert {each.action for each in writing.prepare(new).write()} == {"reinforce"}
    assert [words for _, _, words in said(memories, known.memory.id)] == ways
    assert memories.find(known.memory.id).confirm_count == 0


def test_a_dry_run_puts_nothing_on_record(memories: Memories) -> None:
    [known] = keep(memories, KNOWN)
    writing = Admission(memories, memories.model, action="import", confirms=False)
    writing.prepare([new_memory(memories, Draft(text=AGAIN, kind="fact"))] * 2).rehearse()
    assert said(memories, known.memory.id) == []


def test_words_on_record_are_nothing_to_undo_and_no_news(memories: Memories, agents: Memories) -> None:
    [known] = keep(memories, KNOWN)
    [line] = memories.store.history()
    keep(agents, AGAIN)
    assert news_since(memories, line.number, ()).numbers == []
    undo_change(memories)
    assert memories.find(known.memory.id).ended_as == "undone"


def test_what_waits_is_as_it_was_when_a_file_says_it_again(memories: Memories) -> None:
    draft = Draft(text=KNOWN, kind="fact", source="inferred", confidence=0.5)
    states = []
    for _ in range(2):
        writing = Admission(memories, memories.model, action="import", confirms=False)
        [decision] = writing.prepare([new_memory(memories, draft)]).write()
        states.append((decision.waits_already, list(review.list_held(memories))))
    assert [waited for waited, _ in states] == [False, True] and states[0][1] == states[1][1]


def test_a_file_s_words_are_known_by_what_their_speaker_said_before_in_that_space(memories: Memories) -> None:
    [known] = keep(memories, KNOWN)
    again = new_memory(memories, Draft(text=f" {AGAIN}\n", kind="fact"))
    assert WordsOnRecord(memories).taken_for("line 1", again) is None
    keep(memories, AGAIN)
    record = WordsOnRecord(memories)
    found = record.taken_for("line 1", again)
    assert found and (found.known.id, found.in_other_words) == (known.memory.id, True)
    for other in (
        replace(again, space="work"), replace(again, text="The choir has a new hall"),
        replace(again, trusted=False, origin=AGENT),
    ):  # fmt: skip
        assert record.taken_for("line 1", other) is None


def test_the_words_are_forgotten_for_good_with_the_memory(memories: Memories, agents: Memories) -> None:
    [known] = keep(memories, KNOWN)
    keep(agents, AGAIN)
    assert said(memories, known.memory.id)
    erase_memories(memories, [known.memory])
    assert not any(words_on(line) for line in memories.store.history())
    [again] = keep(memories, AGAIN)
    assert (again.action, again.rule) == ("refuse", "forgotten")


def test_many_that_were_taken_for_known_are_told_in_a_few_lines(memories: Memories) -> None:
    [known] = keep(memories, KNOWN)
    found = [MatchedText(f"line {n}", AGAIN, known.memory, 0.934) for n in range(12)]
    lines = list(told(found, "a.jsonl"))
    assert len(lines) == 12 and lines[0].startswith(f'a.jsonl: line 0: "{AGAIN}" was taken for "{KNOWN}" (')
    assert lines[0].endswith(", 93% likely)") and "2 more" in lines[10] and "--both-hold" in lines[11]
    assert list(told([])) == [] and REPEAT == "repeat"


@pytest.mark.parametrize(
    ("first", "again", "days", "told"),
    [
        ({"ttl": timedelta(hours=1)}, {"ttl": timedelta(days=30)}, 30, "; it is kept until 2026-06-02"),
        ({"ttl": timedelta(hours=1)}, {}, None, "; it is kept for good"),
        ({"ttl": timedelta(days=30)}, {"ttl": timedelta(hours=1)}, 30, ""),
        ({}, {"ttl": timedelta(hours=1)}, None, ""),
    ],
)
def test_what_is_said_again_is_kept_to_the_later_end(
    memories: Memories, first: dict[str, Any], again: dict[str, Any], days: int | None, told: str
) -> None:
    for given in (first, again):
        [done] = admit_drafts(memories, memories.model, [Draft(text=KNOWN, kind="fact", **given)])
    known = memories.store.get([done.memory.id])[0]
    assert done.action == "reinforce" and (done.reason or "").endswith(f"it is confirmed{told}")
    assert (known.expires_at and known.expires_at.date()) == (days and date(2026, 5, 3) + timedelta(days))


def test_until_when_it_holds_is_taken_over(memories: Memories) -> None:
    until = datetime(2026, 12, 31, tzinfo=UTC)
    keep(memories, KNOWN)
    [done] = admit_drafts(memories, memories.model, [Draft(text=KNOWN, kind="fact", valid_until=until)])
    assert memories.store.get([done.memory.id])[0].valid_until == until
    assert (done.reason or "").endswith("; it holds until 2026-12-31")
    [done] = keep(memories, KNOWN)
    assert memories.store.get([done.memory.id])[0].valid_until == until
