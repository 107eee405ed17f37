"""Sessions: which one is at hand, what is appended to it, and the command."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import NoReturn

import pytest

from memcli.errors import BadInput, NotFound
from memcli.memories import Memories
from memcli.recall import session_and_task
from memcli.tiers.sessions import episodes, sessions
from memcli.tiers.sessions.extracts import SummaryRequest
from memcli.upkeep.reindex import reindex_store
from memcli.write_policy.drafts import Draft
from tests.conftest import MEM, Run, TickingClock, make_memories
from tests.standin import no_model
from tests.tiers.openai_messages import session_messages
from tests.tiers.turns import log


def test_without_ceremony_turns_go_to_a_session_named_by_the_day(memories: Memories) -> None:
    assert log(memories, "hello").session == "2026-05-03"


def test_a_started_session_is_current_until_it_ends(memories: Memories) -> None:
    assert sessions.start_session(memories, "deploy") == ("deploy", True)
    assert log(memories, "hello").session == "deploy"
    assert sessions.start_session(memories, "deploy") == ("deploy", False)
    sessions.end_session(memories, "deploy")
    assert log(memories, "hello").session == "2026-05-03"


def test_the_end_of_a_session_is_one_transaction_and_one_change(
    memories: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    sessions.start_session(memories, "deploy")
    log(memories, "the port is 8443")

    def fail(*arguments: object, **named: object) -> NoReturn:
        raise OSError

    with monkeypatch.context() as broken, pytest.raises(OSError):
        broken.setattr(session_and_task, "put_at_hand", fail)
        sessions.end_session(memories, "deploy")
    assert episodes.read_session(memories, "deploy").summary is None
    assert sessions.session_named(memories) == "deploy"
    assert sessions.list_sessions(memories)[0].ended_at is None

    log(memories, "said by a program", origin="mcp:x", trusted=False)
    summary = sessions.end_session(memories, "deploy")
    assert summary is not None
    folded = [event for event in memories.store.history() if event.action in ("fold", "end")]
    assert len({event.change for event in folded}) == 1 and len(folded) == 4


def test_what_is_forgotten_while_a_session_is_summed_up_is_not_in_its_summary(memories: Memories) -> None:
    kept, forgotten = log(memories, "kept", session="s"), log(memories, "forgotten", session="s")

    def summarise(fold: SummaryRequest) -> str:
        memories.end([forgotten.id], "meanwhile")
        return " ".join(turn.text for turn in fold.turns)

    summary = sessions.end_session(memories, "s", summarise)
    assert summary and summary.text == "kept" and summary.data["folds"] == [kept.id]


def test_a_session_without_a_name_gets_one_from_the_clock(memories: Memories) -> None:
    names = [sessions.start_session(memories)[0] for _ in range(3)]
    assert names == ["2026-05-03-1200", "2026-05-03-1200-2", "2026-05-03-1200-3"]


def test_the_environment_gives_a_terminal_its_own_session(own_home: Path, clock: TickingClock) -> None:
    with make_memories(own_home / "memory.db", clock, settings={"session": "mine"}) as memories:
        sessions.start_session(memories, "shared")
        assert log(memories, "hello").session == "mine"
        assert log(memories, "hello", session="named").session == "named"


def test_a_session_belongs_to_its_space(own_home: Path, clock: TickingClock) -> None:
    with make_memories(own_home / "memory.db", clock, space="work") as work:
        sessions.start_session(work, "same")
        log(work, "a secret of work")
    with make_memories(own_home / "memory.db", clock, space="home") as home:
        assert sessions.session_named(home) == "2026-05-03"
        assert episodes.read_session(home, "same").turns == []
        assert sessions.list_sessions(home) == []
        with pytest.raises(NotFound):
            session_messages(home, "same")


def test_sessions_are_listed_last_used_first_with_started_ones(memories: Memories) -> None:
    log(memories, "one", session="first")
    log(memories, "two", session="second")
    sessions.start_session(memories, "empty")
    sessions.end_session(memories, "first")
    found = {each.session: each for each in sessions.list_sessions(memories)}
    assert list(found) == ["empty", "second", "first"]
    assert found["empty"].current and found["empty"].episodes == 0
    assert found["first"].ended_at and found["first"].summarised and found["first"].episodes == 1
    log(memories, "and on", session="first")
    assert not next(each for each in sessions.list_sessions(memories) if each.session == "first").ended_at


def test_ending_what_never_was_is_an_error(memories: Memories) -> None:
    with pytest.raises(NotFound):
        sessions.end_session(memories, "never")


# Appending


def test_two_alike_turns_stay_two(memories: Memories) -> None:
    assert log(memories, "ok").id != log(memories, "ok").id
    assert len(episodes.read_session(memories, "2026-05-03").turns) == 2


def test_a_role_must_be_known(memories: Memories) -> None:
    with pytest.raises(BadInput, match="role"):
        log(memories, "hello", "robot")


def test_a_resolution_and_its_error_know_each_other(memories: Memories) -> None:
    error = log(memories, "3 tests fail", "error")
    fix = log(memories, "pinned httpx", "note", resolves=error.id[-8:])
    assert fix.data["resolves"] == error.id
    assert memories.find(error.id).data["resolved_by"] == fix.id
    with pytest.raises(BadInput, match="not an error"):
        log(memories, "again", "note", resolves=fix.id)


def test_an_error_of_another_space_is_not_resolved_from_here(own_home: Path, clock: TickingClock) -> None:
    with make_memories(own_home / "memory.db", clock, space="work") as work:
        error = log(work, "3 tests fail", "error")
    with make_memories(own_home / "memory.db", clock) as memories, pytest.raises(NotFound):
        log(memories, "pinned", "note", resolves=error.id)


def test_a_long_tool_output_is_kept_in_extract_with_its_length(memories: Memories) -> None:
    output = "\n".join(f"row {n}" for n in range(50_000))
    turn = log(memories, output, "tool")
    assert len(turn.text) <= 4000 and turn.data["length"] == len(output)
    assert turn.text.startswith("row 0\n") and turn.text.endswith("row 49999")
    with pytest.raises(BadInput, match="limit"):
        log(memories, output, "user")


def test_a_turn_is_kept_where_the_model_cannot_be_used(own_home: Path, clock: TickingClock) -> None:
    with make_memories(own_home / "memory.db", clock, model=no_model) as memories:
        logged = sessions.append_turn(memories, Draft(text="hello", data={"role": "user"}))
        assert logged.gap and "no model" in logged.gap
    with make_memories(own_home / "memory.db", clock) as memories:
        assert reindex_store(memories, missing_only=True) == 1
        refs = memories.store.refs_by_id([logged.turn.id])
        assert memories.store.vectors(list(refs.values()))


# The command


def test_log_takes_a_role_first_and_text_else(mem: Run) -> None:
    assert mem("log", "the build is broken").returncode == 0
    assert mem("log", "assistant", "-", input="let me look").returncode == 0
    assert mem("log", "decision", "use", "SQLite").returncode == 0
    assert mem("log", "users want tea").returncode == 0
    assert mem("log", "--role", "user", "--", "error").returncode == 0
    shown = json.loads(mem("session", "messages").stdout)
    assert shown == [
        {"role": "user", "content": "the build is broken"},
        {"role": "assistant", "content": "let me look"},
        {"role": "system", "content": "[decision] use SQLite"},
        {"role": "user", "content": "users want tea"},
        {"role": "user", "content": "error"},
    ]
    lines = mem("session", "messages", "--json").stdout.splitlines()
    assert [json.loads(line) for line in lines] == shown


def test_what_was_logged_is_recalled_across_sessions_by_meaning(mem: Run) -> None:
    mem("log", "decision", "we store invoices in Postgres", "--session", "monday")
    mem("log", "user", "the weather is fine", "--session", "tuesday")
    found = mem("recall", "which database keeps the bills?", "--format", "text").stdout
    assert "Postgres" in found.splitlines()[0]


def test_a_session_is_cleared_only_when_asked_twice(mem: Run) -> None:
    mem("log", "hello", "--session", "s")
    assert mem("session", "clear", "s").returncode == 2
    assert mem("session", "clear", "s", "--dry-run").returncode == 0
    assert mem("session", "show", "s").returncode == 0
    assert mem("session", "clear", "s", "--yes").returncode == 0
    assert mem("session", "show", "s").returncode == 1


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["log", "--role", "robot", "hello"], 2),
        (["log", "note", "x", "--resolves", "ZZZZ"], 1),
        (["log", "user"], 2),
        (["session", "list"], 1),
        (["session", "messages", "nope"], 1),
        (["session", "messages", "a", "--session", "b"], 2),
        (["session", "end", "nope"], 1),
        (["session", "start", "two\nlines"], 2),
    ],
)
def test_bad_use_says_so_in_one_line(mem: Run, arguments: list[str], status: int) -> None:
    mem("remember", "so that there is a store")
    done = mem(*arguments)
    assert done.returncode == status
    assert done.stdout == "" and len(done.stderr.splitlines()) <= 1


def test_many_processes_logging_at_once_lose_nothing(mem: Run) -> None:
    mem("log", "--later", "first", "--session", "s")
    running = [
        subprocess.Popen([MEM, "log", "--later", f"turn {n}", "--session", "s"], stdout=subprocess.PIPE)
        for n in range(5)
    ]
    for process in running:
        process.communicate(timeout=60)
    assert {process.returncode for process in running} == {0}
    assert len(json.loads(mem("session", "messages", "s").stdout)) == 6


def test_an_ended_session_is_not_current(memories: Memories) -> None:
    log(memories, "hello")
    sessions.end_session(memories, "2026-05-03")
    [ended] = sessions.list_sessions(memories)
    assert ended.ended_at and not ended.current
    log(memories, "once more")
    assert sessions.list_sessions(memories)[0].current


def test_an_empty_transcript_is_wrong_usage(mem: Run) -> None:
    done = mem("session", "import", input="")
    assert (done.returncode, done.stdout) == (2, "")
    assert "nothing to import" in done.stderr
