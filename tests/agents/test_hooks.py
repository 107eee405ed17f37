"""What hooks say to each agent, and that nothing at all makes one fail, or wait."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import subprocess
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from memcli.agents.hooks.agents import AGENTS, event_called
from memcli.agents.hooks.lateness import LateHook, late_hooks, note_late
from memcli.agents.hooks.payload import Payload, read_payload
from memcli.agents.hooks.turns import last_turns
from memcli.times import now
from tests.conftest import MEM, Run, door_of
from tests.warm.keepers import cold

PORT = "The staging server listens on port 8443"
ASKED = "Which port does the staging server listen on?"
# By agent and event what it hands over, as its documentation says.
BASE: dict[str, Any] = {
    "session_id": "5e55-1",
    "transcript_path": None,
    "cwd": "/tmp",
    "permission_mode": "default",
}
DOCUMENTED: dict[tuple[str, str], dict[str, Any]] = {
    ("claude", "SessionStart"): {**BASE, "source": "startup", "model": "claude-fable-5"},
    ("claude", "UserPromptSubmit"): {**BASE, "prompt": ASKED, "prompt_id": "p1"},
    ("claude", "PreCompact"): {**BASE, "trigger": "auto", "custom_instructions": None},
    ("claude", "Stop"): {**BASE, "stop_hook_active": False, "last_assistant_message": "On 8443."},
    ("claude", "SessionEnd"): {**BASE, "reason": "prompt_input_exit"},
    ("codex", "SessionStart"): {**BASE, "source": "startup", "model": "gpt"},
    ("codex", "UserPromptSubmit"): {**BASE, "turn_id": "t1", "model": "gpt", "prompt": ASKED},
    ("codex", "PreCompact"): {**BASE, "turn_id": "t1", "trigger": "manual"},
    ("codex", "Stop"): {**BASE, "stop_hook_active": False, "last_assistant_message": "On 8443."},
    ("gemini", "SessionStart"): {**BASE, "source": "startup", "timestamp": "2026-05-03T12:00:00Z"},
    ("gemini", "BeforeAgent"): {**BASE, "prompt": ASKED, "timestamp": "2026-05-03T12:00:00Z"},
    ("gemini", "AfterAgent"): {**BASE, "prompt": ASKED, "prompt_response": "On 8443."},
    ("gemini", "PreCompress"): {**BASE, "trigger": "auto"},
    ("gemini", "SessionEnd"): {**BASE, "reason": "exit"},
    ("copilot", "sessionStart"): {"sessionId": "s", "timestamp": 1, "cwd": "/tmp", "source": "new"},
    ("copilot", "userPromptSubmitted"): {"sessionId": "s", "timestamp": 1, "cwd": "/tmp", "prompt": ASKED},
    ("copilot", "agentStop"): {"sessionId": "s", "timestamp": 1, "transcriptPath": "/none"},
    ("copilot", "preCompact"): {"sessionId": "s", "timestamp": 1},
    ("cursor", "sessionStart"): {"conversation_id": "c", "generation_id": "g", "workspace_roots": ["/tmp"]},
    ("cursor", "beforeSubmitPrompt"): {"conversation_id": "c", "prompt": ASKED, "attachments": []},
    ("cursor", "stop"): {"conversation_id": "c", "status": "completed"},
}
Hook = Callable[..., subprocess.CompletedProcess[bytes]]


@pytest.fixture
def hook(mem: Run, monkeypatch: pytest.MonkeyPatch) -> Hook:
    """Run a hook that is given time; it must end well whatever it is given."""
    monkeypatch.setenv("MEMCLI_HOOK_DEADLINE", "60")

    def run(event: str, agent: str, given: Any = b"", **options: Any) -> subprocess.CompletedProcess[bytes]:
        content = given if isinstance(given, bytes) else json.dumps(given).encode()
        done: subprocess.CompletedProcess[bytes] = subprocess.run(
            [MEM, "hook", event, "--agent", agent], capture_output=True, timeout=120, input=content, **options
        )
        assert done.returncode == 0 and done.stderr == b"", done
        return done

    return run


@pytest.fixture
def known(mem: Run) -> str:
    assert mem("remember", "Never deploy on Mondays", "--kind", "constraint").returncode == 0
    assert mem("task", "start", "Mend the proxy").returncode == 0
    return mem("remember", PORT).stdout.strip()


@pytest.mark.parametrize(("agent", "event"), DOCUMENTED)
def test_each_documented_input_gets_the_envelope_that_the_agent_takes(
    hook: Hook, known: str, agent: str, event: str
) -> None:
    said = hook(event, agent, {**DOCUMENTED[agent, event], "hook_event_name": event}).stdout.decode("ascii")
    kind = event_called(event)
    takes = {"start": AGENTS, "prompt": ("claude", "codex", "gemini"), "compact": ("claude",), "end": ()}
    assert kind
    if agent not in takes[kind]:
        assert said.strip() == AGENTS[agent].nothing
        return
    if kind == "compact":
        assert said.startswith('<task from="memcli"') and "Mend the proxy" in said
        return
    envelope = json.loads(said)
    if agent in ("claude", "codex", "gemini"):
        assert set(envelope) == {"hookSpecificOutput"}
        inner = envelope["hookSpecificOutput"]
        assert set(inner) == {"hookEventName", "additionalContext"} and inner["hookEventName"] == event
        text = inner["additionalContext"]
    else:
        [text] = envelope.values()
        assert list(envelope) == [{"copilot": "additionalContext", "cursor": "additional_context"}[agent]]
    assert text.startswith('<memories from="memcli"')
    assert (PORT if kind == "prompt" else "Never deploy on Mondays") in text


def test_our_own_names_of_events_do_too(hook: Hook, known: str) -> None:
    assert b"additionalContext" in hook("start", "claude", {"source": "resume"}).stdout
    assert b"8443" in hook("prompt", "claude", {"prompt": ASKED}).stdout


@pytest.mark.parametrize("source", ["startup", "user", "sdk", "voice", "", None, 5, ["user"]])
def test_a_prompt_is_answered_whoever_says_it_came_from(hook: Hook, known: str, source: Any) -> None:
    assert b"8443" in hook("prompt", "claude", {"prompt": ASKED, "source": source}).stdout


@pytest.mark.parametrize(
    "given",
    [
        {"prompt": "yes"},
        {"prompt": "/clear and then some"},
        {"prompt": ASKED, "agent_id": "a1"},
        {"prompt": ASKED, "source": "schedule_wakeup"},
        {"prompt": "How tall is the Eiffel tower in Paris, roughly?"},
        {"prompt": ["not", "a", "text"]},
        {"prompt": None},
        {},
        [],
        "text",
        b"",
        b"{",
        b"\xff\xfe\xff",
        b"[" * 100_000,
        b'{"prompt": "' + b"x" * 5_000_000 + b'"}',
    ],
)
def test_where_there_is_nothing_to_say_nothing_is_printed(hook: Hook, known: str, given: Any) -> None:
    assert hook("prompt", "claude", given).stdout == b""


def test_whatever_its_code_page_a_prompt_is_read_and_the_answer_is_ascii(hook: Hook, mem: Run) -> None:
    mem("remember", "Das Café „Zürich“ öffnet um acht — außer montags")
    asked = '{"prompt": "Wann öffnet das Café Zürich?"}'
    for content in (
        asked.encode(),
        asked.encode("cp1252"),
        asked.encode("utf-8-sig"),
        asked.encode("utf-16"),
    ):
        said = hook("prompt", "claude", content, env={**os.environ, "PYTHONIOENCODING": "cp1252"}).stdout
        assert "außer montags" in json.loads(said.decode("ascii"))["hookSpecificOutput"]["additionalContext"]


def test_a_page_is_never_longer_than_an_agent_takes_in_whole(hook: Hook, mem: Run) -> None:
    lines = [
        f"Rule {n}: the staging server of hall {n} must never " + f"be moved {n} " * 60 for n in range(30)
    ]
    mem("remember", "--batch", "--kind", "constraint", input="\n".join(lines))
    mem("block", "set", "all", "y" * 1900)
    for settings in ({}, {"MEMCLI_CONTEXT_BUDGET": "0"}, {"MEMCLI_CONTEXT_BUDGET": "100000"}):
        for event, given in (("start", {}), ("prompt", {"prompt": "may the staging server be moved?"})):
            said = json.loads(hook(event, "codex", given, env={**os.environ, **settings}).stdout)
            text = said["hookSpecificOutput"]["additionalContext"]
            assert 500 < len(text) <= 9_000 and text.endswith("</memories>")


# What goes wrong


@pytest.mark.parametrize("event", ["start", "prompt", "compact", "end", "none", ""])
@pytest.mark.parametrize("trouble", ["no store", "damaged", "settings", "log", "model"])
def test_what_is_missing_or_broken_says_nothing(
    hook: Hook, own_home: Path, mem: Run, event: str, trouble: str
) -> None:
    env = dict(os.environ)
    if trouble == "damaged":
        (own_home / "data").mkdir()
        (own_home / "data" / "memory.db").write_bytes(b"no database, and long enough to be looked at" * 99)
    elif trouble == "settings":
        (own_home / "config.toml").write_text("no = [toml")
    elif trouble == "log":
        env["MEMCLI_LOG"] = str(own_home / "none" / "log")
    elif trouble == "model":
        env["MEMCLI_MODEL"] = "no-such-model"
    done = subprocess.run(
        [MEM, "hook", event], input=b'{"prompt": "which port?"}', capture_output=True, env=env
    )
    assert (done.returncode, done.stdout) == (0, b"")


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--agent"],
        ["prompt", "--agent", "none"],
        ["prompt", "--more", "x"],
        ["--agent", "claude"],
        [b"\xff"],
    ],
)
def test_wrong_usage_is_no_refusal(mem: Run, arguments: list[Any]) -> None:
    done = subprocess.run([MEM, "hook", *arguments], input=b"{}", capture_output=True)
    assert (done.returncode, done.stdout) == (0, b"")


@pytest.mark.skipif(os.name == "nt", reason="POSIX")
@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-", "</dev/zero", ">/dev/full"])
def test_streams_that_are_closed_or_lead_nowhere(mem: Run, known: str, closed: str) -> None:
    line = f'echo \'{{"source": "startup"}}\' | {MEM} hook start {closed}'
    done = subprocess.run(["bash", "-o", "pipefail", "-c", line], capture_output=True, timeout=60)
    assert done.returncode in (0, 141)  # 141: echo, whom nobody reads


def test_without_a_compiled_model_it_goes_by_words_and_compiles_nothing(
    hook: Hook, known: str, own_home: Path
) -> None:
    env = {**os.environ, "MEMCLI_CACHE_DIR": str(own_home / "empty")}
    said = hook("prompt", "claude", {"prompt": ASKED}, env=env).stdout
    assert b"8443" in said and b"</memories>\\nNot all was searched by meaning: " in said
    assert not (own_home / "empty").exists()
    # With it there is nothing to say of it; and what a hook adds is no memory where it is handed in again.
    assert b"searched by" not in hook("prompt", "claude", {"prompt": ASKED}).stdout


def test_a_store_that_others_hold_is_read_beside_them(hook: Hook, known: str, own_home: Path) -> None:
    held = sqlite3.connect(own_home / "data" / "memory.db", isolation_level=None)
    held.execute("BEGIN IMMEDIATE")
    began = time.monotonic()
    said = hook("prompt", "claude", {"prompt": ASKED}, env={**os.environ, "MEMCLI_HOOK_DEADLINE": "8"}).stdout
    assert b"8443" in said or time.monotonic() - began < 20
    held.close()


@pytest.mark.parametrize("begun", [b"", b'{"prompt": "which'])
def test_a_stdin_that_never_ends_is_not_waited_for(mem: Run, known: str, begun: bytes) -> None:
    read, write = os.pipe()
    os.write(write, begun)
    began = time.monotonic()
    done = subprocess.run([MEM, "hook", "prompt"], stdin=read, capture_output=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert time.monotonic() - began < 30
    for each in (read, write):
        os.close(each)


def test_what_is_whole_is_read_though_stdin_stays_open() -> None:
    read, write = os.pipe()
    os.write(write, b'{"a": {"b": 1}')
    os.write(write, b', "sessionId": "x"}\n')
    payload = read_payload(read)
    assert payload and payload.fields == {"a": {"b": 1}, "session_id": "x"}
    for each in (read, write):
        os.close(each)


@pytest.mark.parametrize("seconds", ["0", "0.001"])
def test_past_its_deadline_it_says_nothing(mem: Run, known: str, seconds: str) -> None:
    # A warm one may have said it by then.
    env = cold({**os.environ, "MEMCLI_HOOK_DEADLINE": seconds})
    for agent, nothing in (("claude", b""), ("cursor", b"{}\n")):
        done = subprocess.run(
            [MEM, "hook", "start", "--agent", agent], input=b"{}", capture_output=True, env=env
        )
        assert (done.returncode, done.stdout) == (0, nothing)


def test_status_tells_of_hooks_that_were_late_and_a_note_holds_nothing_that_was_typed(
    mem: Run, known: str, tmp_path: Path
) -> None:
    cache = tmp_path / "cache"
    env = cold({
        **os.environ, "MEMCLI_CACHE_DIR": str(cache), "HOME": str(tmp_path), "MEMCLI_HOOK_DEADLINE": "0.001"
    })  # fmt: skip
    assert mem("hook", "install", "claude", env=env).returncode == 0
    assert "late" not in mem("hook", "status", env=env).stdout
    for event in ("prompt", "prompt", "start"):
        done = subprocess.run(
            [MEM, "hook", event], input=json.dumps({"prompt": ASKED, "session_id": "s-5e55"}).encode(),
            capture_output=True, env=env,
        )  # fmt: skip
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    [note] = (cache / "hooks").iterdir()
    assert note.stat().st_mode & 0o777 == 0o600 and note.parent.stat().st_mode & 0o777 == 0o700
    assert not {"staging", "5e55"} & set(re.findall(r"\w+", note.read_text()))
    status = mem("hook", "status", "claude", env=env)
    assert "(late 2 times in 7 days, last 2" in status.stdout
    assert "mem config set hook_deadline 1s" in status.stderr
    told = [json.loads(line) for line in mem("hook", "status", "--json", env=env).stdout.splitlines()]
    assert {each["event"]: each["late"] for each in told} == {
        "SessionStart": 1, "UserPromptSubmit": 2, "PreCompact": 0
    }  # fmt: skip
    longer = mem("hook", "status", env={**env, "MEMCLI_HOOK_DEADLINE": "2"})
    assert "since then hook_deadline is longer: 2 s" in longer.stderr
    # Called from elsewhere, by another agent's settings, it is told as well.
    subprocess.run([MEM, "hook", "start", "--agent", "codex"], input=b"{}", capture_output=True, env=env)
    other = mem("hook", "status", "codex", env=env)
    assert other.returncode == 1 and "(late once" in other.stdout


def test_notes_of_late_hooks_are_bounded_and_of_any_shape(tmp_path: Path) -> None:
    agent, at = AGENTS["claude"], now()
    for _ in range(1500):
        note_late(tmp_path, agent, LateHook(at, "prompt", "answer", 0.4))
    path = tmp_path / "hooks" / "claude.late"
    assert path.stat().st_size < 60_000
    assert 500 < len(late_hooks(tmp_path, agent, at)) <= 1500
    old = LateHook(at - timedelta(days=8), "prompt", "answer", 0.4)
    path.write_bytes(b"\xff\0 nonsense\n2026 prompt answer x\n")
    note_late(tmp_path, agent, old)
    note_late(tmp_path, agent, LateHook(at, "start", "agent", 0.4))
    assert [each.event for each in late_hooks(tmp_path, agent, at)] == ["start"]
    path.unlink()
    path.symlink_to(tmp_path / "elsewhere")
    note_late(tmp_path, agent, old)
    assert not (tmp_path / "elsewhere").exists()
    os.mkfifo(pipe := tmp_path / "hooks" / "codex.late")
    note_late(tmp_path, AGENTS["codex"], old)
    assert pipe.is_fifo() and late_hooks(tmp_path, AGENTS["codex"], at) == []


# Logging


CLAUDE_LINES: list[dict[str, Any]] = [
    {"type": "summary", "summary": "Ports"},
    {"type": "user", "isMeta": True, "message": {"role": "user", "content": "meta"}, "timestamp": "2026-05-03T11:59:00Z"},
    {"type": "user", "message": {"role": "user", "content": ASKED}, "timestamp": "2026-05-03T12:00:00.000Z"},
    {"type": "assistant", "message": {"role": "assistant", "content": [
        {"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "On 8443."}, {"type": "tool_use", "name": "x"},
    ]}, "timestamp": "2026-05-03T12:00:05.000Z"},
    {"type": "user", "message": {"role": "user", "content": [{"type": "tool_result", "content": "x"}]}},
    {"type": "user", "isSidechain": True, "message": {"role": "user", "content": "a helper's"}},
    {"type": "user", "message": {"role": "user", "content": "<command-name>/clear</command-name>"}},
]  # fmt: skip
CODEX_LINES: list[dict[str, Any]] = [
    {"timestamp": "2026-05-03T12:00:00Z", "type": "session_meta", "payload": {"id": "1"}},
    {"timestamp": "2026-05-03T12:00:01Z", "type": "event_msg", "payload": {"type": "user_message", "message": ASKED}},
    {"timestamp": "2026-05-03T12:00:02Z", "type": "response_item", "payload": {"type": "message", "role": "user"}},
    {"timestamp": "2026-05-03T12:00:03Z", "type": "event_msg", "payload": {"type": "agent_message", "message": "On 8443."}},
]  # fmt: skip


@pytest.fixture
def transcript(tmp_path: Path) -> Iterator[Callable[[list[dict[str, Any]]], Path]]:
    def write(lines: list[dict[str, Any]]) -> Path:
        path = tmp_path / "session.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines) + '{"type": "user", "mess')
        return path

    yield write


@pytest.mark.parametrize("lines", [CLAUDE_LINES, CODEX_LINES], ids=["claude", "codex"])
def test_of_a_transcript_what_was_said_is_taken(
    transcript: Callable[[list[dict[str, Any]]], Path], lines: list[dict[str, Any]]
) -> None:
    turns = last_turns(Payload({"transcript_path": str(transcript(lines))}), now())
    assert [(turn.role, turn.text) for turn in turns] == [("user", ASKED), ("assistant", "On 8443.")]
    assert all(turn.at for turn in turns)


def test_a_line_of_a_transcript_in_another_shape_keeps_no_other_out(
    transcript: Callable[[list[dict[str, Any]]], Path],
) -> None:
    for lines in (CLAUDE_LINES, CODEX_LINES):
        wrong: list[dict[str, Any]] = []
        values: list[Any] = [None, 5, [], {}, ["x"], {"x": []}, True, ""]
        for value in values:
            for line in lines:
                wrong += [{**line, name: value} for name in line]
                wrong += [
                    {**line, outer: {**inner, name: value}}
                    for outer, inner in line.items() if isinstance(inner, dict) for name in inner
                ]  # fmt: skip
        turns = last_turns(Payload({"transcript_path": str(transcript([*wrong, *lines]))}), now())
        assert [turn.text for turn in turns[-2:]] == [ASKED, "On 8443."]


def test_of_a_huge_transcript_the_end_is_read_and_of_a_device_nothing(tmp_path: Path) -> None:
    path = tmp_path / "huge.jsonl"
    with path.open("wb") as file:
        file.seek(100 * 1024 * 1024)
        file.write(b"\n" + json.dumps(CLAUDE_LINES[2]).encode() + b"\n")
    began = time.monotonic()
    assert [turn.text for turn in last_turns(Payload({"transcript_path": str(path)}), now())] == [ASKED]
    for other in ("/dev/zero", "/none", "\0", str(tmp_path), "/proc/self/mem"):
        assert last_turns(Payload({"transcript_path": other}), now()) == []
    os.mkfifo(tmp_path / "pipe")
    assert last_turns(Payload({"transcript_path": str(tmp_path / "pipe")}), now()) == []
    assert time.monotonic() - began < 10


def test_turns_are_logged_once_when_their_owner_asked_for_it_and_else_not(
    hook: Hook, mem: Run, transcript: Callable[[list[dict[str, Any]]], Path]
) -> None:
    given = {"session_id": "../../a b/;1", "transcript_path": str(transcript(CLAUDE_LINES))}
    hook("Stop", "claude", given)
    assert mem("config", "set", "hook_log", "on").returncode == 0
    hook("Stop", "claude", {**given, "stop_hook_active": True})
    time.sleep(1)
    assert mem("session", "list").returncode == 1
    for event in ("Stop", "SessionEnd"):
        hook(event, "claude", given)
    deadline = time.monotonic() + 60
    while len(turns := logged(mem, "claude-ab1")) < 2 and time.monotonic() < deadline:
        time.sleep(0.2)
    time.sleep(1)
    turns = logged(mem, "claude-ab1")
    assert [(turn["data"]["role"], turn["text"]) for turn in turns] == [
        ("user", ASKED),
        ("assistant", "On 8443."),
    ]
    assert {(door_of(turn["origin"]), turn["trusted"]) for turn in turns} == {("agent:claude", False)}


def logged(mem: Run, session: str) -> list[dict[str, Any]]:
    shown = mem("list", "--session", session, "--json", "--kind", "episode")
    found = [json.loads(line) for line in shown.stdout.splitlines()]
    return sorted(found, key=lambda each: str(each["happened_at"]))


def test_what_an_agent_hands_over_names_a_session_and_no_path() -> None:
    for told, name in {"../../etc/passwd": "etcpasswd", "a" * 500: "a" * 64, "ünï\n": "n", "": ""}.items():
        assert Payload({"session_id": told}).session == name


def test_a_detached_log_runs_no_program_of_the_working_directory(
    hook: Hook, mem: Run, tmp_path: Path, transcript: Callable[[list[dict[str, Any]]], Path]
) -> None:
    (tmp_path / "memcli").mkdir()
    (tmp_path / "memcli" / "__init__.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")
    mem("config", "set", "hook_log", "on")
    hook(
        "Stop", "claude", {"session_id": "1", "transcript_path": str(transcript(CLAUDE_LINES))}, cwd=tmp_path
    )
    deadline = time.monotonic() + 60
    while not logged(mem, "claude-1") and time.monotonic() < deadline:
        time.sleep(0.2)
    assert logged(mem, "claude-1") and not (tmp_path / "ran").exists()
