"""Transcripts: a session out and in again, and what other programs write."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from memcli.memories import Memories
from memcli.text.printable import is_blank
from memcli.tiers.sessions import episodes, folding, sessions, transcripts
from tests.conftest import Run, TickingClock, make_memories
from tests.tiers.openai_messages import session_messages
from tests.tiers.turns import log


def take(memories: Memories, *lines: Any, session: str = "s") -> transcripts.TranscriptImport:
    records = [(f"line {number}", line) for number, line in enumerate(lines, start=1)]
    return transcripts.import_transcript(memories, session, records, "import:test")


def said(memories: Memories, session: str = "s") -> list[tuple[str, str]]:
    return [(episodes.turn_role(turn), turn.text) for turn in episodes.read_session(memories, session).turns]


def test_a_session_comes_back_with_its_summary_its_ties_and_its_messages(
    memories: Memories, own_home: Path, clock: TickingClock
) -> None:
    for number in range(8):
        log(memories, f"turn {number} about disk {number}", session="s")
        if number == 4:
            folding.fold_turns(memories, "s", keep=2)
    error = log(memories, "disk 3 is full", "error", tags=("disk",), session="s")
    log(memories, "emptied it", "note", resolves=error.id, session="s")
    folding.fold_turns(memories, "s", keep=3)
    lines = list(transcripts.export_transcript(memories, "s"))
    with make_memories(own_home / "other.db", clock) as other:
        taken = take(other, *lines)
        assert (taken.added, taken.known, taken.refused) == (11, 0, [])
        assert list(transcripts.export_transcript(other, "s")) == lines
        assert session_messages(other, "s") == session_messages(memories, "s")
        assert take(other, *lines).known == 11


def test_a_copy_beside_the_original_has_ids_of_its_own_and_its_own_ties(memories: Memories) -> None:
    error = log(memories, "it failed", "error", session="s")
    log(memories, "it works", "note", resolves=error.id, session="s")
    folding.fold_turns(memories, "s")
    taken = take(memories, *transcripts.export_transcript(memories, "s"), session="copy")
    assert taken.added == 3
    original, copy = episodes.read_session(memories, "s"), episodes.read_session(memories, "copy")
    assert said(memories, "copy") == said(memories, "s")
    assert not {turn.id for turn in original.turns} & {turn.id for turn in copy.turns}
    assert copy.turns[1].data["resolves"] == copy.turns[0].id
    assert copy.turns[0].data["resolved_by"] == copy.turns[1].id
    assert copy.summary and copy.summary.data["folds"] == [turn.id for turn in copy.turns]
    assert take(memories, *transcripts.export_transcript(memories, "s"), session="copy").added == 0


def test_a_session_has_one_summary_whatever_is_imported_into_it(memories: Memories) -> None:
    log(memories, "one", session="s")
    folding.fold_turns(memories, "s")
    lines = list(transcripts.export_transcript(memories, "s"))
    take(memories, {"role": "user", "content": "two"}, session="t")
    folding.fold_turns(memories, "t")
    taken = take(memories, *lines, session="t")
    assert taken.added == 1 and "has a summary" in taken.refused[0]
    record = episodes.read_session(memories, "t")
    assert [turn.text for turn in record.unfolded] == ["one"]


def test_what_is_imported_does_not_expire_when_it_is_folded(memories: Memories, clock: TickingClock) -> None:
    take(memories, {"role": "user", "content": "hello", "time": "2023-05-08T13:56:00Z"})
    folding.fold_turns(memories, "s")
    clock.advance(days=30)
    assert said(memories) == [("user", "hello")]


def test_a_long_transcript_is_folded_as_it_comes_in(memories: Memories) -> None:
    taken = take(
        memories,
        *({"role": "user", "content": f"turn {n}: host{n} moved to rack {n}"} for n in range(600)),
    )
    assert taken.summary and taken.summary.data["turns"] == 595
    assert [message["content"][:9] for message in session_messages(memories, "s")[1:]] == [
        f"turn {n}:" for n in range(595, 600)
    ]


def test_messages_of_other_programs_are_read(memories: Memories) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "ls", "arguments": "{}"}}
    taken = take(
        memories,
        {"role": "human", "content": "hello", "timestamp": 1_683_554_160},
        {"role": "assistant", "content": None, "tool_calls": [call], "timestamp": 1_683_554_161_000},
        {"role": "tool", "content": "a b", "tool_call_id": "c1"},
        {"role": "AI", "content": [{"type": "text", "text": "two"}, {"type": "image", "source": {}}]},
        {"role": "Caroline", "text": "I moved to Oslo", "at": "2023-05-08T15:00:00Z"},
    )
    assert taken.refused == []
    assert said(memories) == [
        ("user", "hello"),
        ("assistant", "[calls ls {}]"),
        ("tool", "a b"),
        ("assistant", "two\n[image]"),
        ("Caroline", "I moved to Oslo"),
    ]
    shown = session_messages(memories, "s")
    assert shown[2]["tool_call_id"] == "c1"
    assert shown[4] == {"role": "user", "content": "Caroline: I moved to Oslo"}


def test_lines_without_a_time_follow_the_line_before(memories: Memories) -> None:
    take(
        memories,
        {"role": "user", "content": "first", "time": "2023-05-08T12:00:00Z"},
        {"role": "user", "content": "second"},
        {"role": "user", "content": "third", "time": "2023-05-08T12:00:01Z"},
    )
    assert [text for _, text in said(memories)] == ["first", "second", "third"]


def test_bad_lines_are_named_and_the_others_kept(memories: Memories) -> None:
    taken = take(
        memories,
        "not valid JSON",
        {"content": "nobody says this"},
        {"role": "user"},
        {"role": "user", "content": "   "},
        {"role": "user", "content": "when?", "time": "at noon"},
        {"role": "user", "content": "when?", "time": 1e300},
        {"role": "user", "content": "a\0b"},
        {"role": "two\nlines", "content": "hello"},
        {"role": "user", "content": "good"},
    )
    assert taken.added == 1 and len(taken.refused) == 8
    assert taken.refused[1] == "line 2: no 'role'"
    assert said(memories) == [("user", "good")]


def test_hostile_fields_are_refused_or_ignored_line_by_line(memories: Memories) -> None:
    taken = take(
        memories,
        {"role": "user", "content": "a", "data": {"folded": ["x"], "imported_id": ["y"], "name": 7}},
        {"role": "user", "content": "b", "data": {"x": "\ud800"}},
        {"role": "user", "content": "c", "data": {"x": float("nan")}},
        {"role": "user", "content": "d", "name": "\ud800"},
        {"role": "user\ud800", "content": "e"},
        {"role": "user", "content": "f", "tags": ["x", 3]},
        {"role": "summary", "content": "g", "data": {"turns": "many", "folds": "all"}},
    )
    assert [reason.split(":")[0] for reason in taken.refused] == ["line 2", "line 3", "line 4", "line 5"]
    assert [message["content"] for message in session_messages(memories, "s")][1:] == ["a", "f"]
    assert [line["role"] for line in transcripts.export_transcript(memories, "s")] == [
        "user",
        "user",
        "summary",
    ]
    assert sessions.end_session(memories, "s")


@settings(max_examples=15)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["user", "assistant", "tool", "note", "Zoë"]),
            st.text(st.characters(codec="utf-8", exclude_characters="\0\x1b\x9b"), min_size=1).filter(
                lambda text: not is_blank(text)
            ),
        ),
        min_size=1,
        max_size=8,
    )
)
def test_any_text_comes_back_as_it_was(own_home: Path, turns: list[tuple[str, str]]) -> None:
    for name in ("a.db", "b.db"):
        (own_home / name).unlink(missing_ok=True)
    clock = TickingClock()
    with make_memories(own_home / "a.db", clock) as one, make_memories(own_home / "b.db", clock) as other:
        assert take(one, *({"role": role, "content": text} for role, text in turns)).refused == []
        take(other, *transcripts.export_transcript(one, "s"))
        assert said(other) == turns


def test_the_command_takes_json_lines_an_array_and_a_pipe(mem: Run, tmp_path: Path) -> None:
    turns = [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "good day"}]
    file = tmp_path / "monday.json"
    file.write_text(json.dumps(turns, indent=1))
    done = mem("session", "import", str(file))
    assert (done.returncode, done.stdout) == (0, "monday: 2 added, 0 known, 0 refused\n")
    exported = mem("session", "export", "monday").stdout
    assert [json.loads(line)["content"] for line in exported.splitlines()] == ["hello", "good day"]
    done = mem("session", "import", "-", "--session", "copy", "--json", input=exported + "nonsense\n")
    assert done.returncode == 2
    assert json.loads(done.stdout)["added"] == 2
    assert mem("session", "import", str(tmp_path / "nope")).returncode == 2
