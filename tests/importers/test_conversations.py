"""Conversations of agents and of `llm`: what its user typed and what was answered, and nothing else."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from memcli.importers.records import LabelledText, Problem, Statement, Turn
from memcli.memories import Memories
from memcli.model import Filter
from tests.importers.files import carry, folder, guessed, json_lines, read, zipped


def _said(name: str, path: Path) -> list[tuple[str, str]]:
    return [(each.role, each.text) for each in read(name, path) if isinstance(each, Turn)]


# Claude's export


def _claude(*messages: dict[str, Any]) -> dict[str, Any]:
    return {
        "uuid": "conv-1", "name": "Trip", "summary": "", "created_at": "2026-03-01T10:00:00Z",
        "updated_at": "2026-03-01T11:00:00Z", "account": {"uuid": "me"}, "chat_messages": list(messages),
    }  # fmt: skip


def _spoken(uuid: str, sender: str, text: str, **more: Any) -> dict[str, Any]:
    return {
        "uuid": uuid, "sender": sender, "text": "", "content": [{"type": "text", "text": text}],
        "created_at": "2026-03-01T10:00:00.5Z", "attachments": [], "files": [], **more,
    }  # fmt: skip


def test_claude_messages_and_what_was_attached(tmp_path: Path) -> None:
    talk = _claude(
        _spoken(
            "1", "human", "Read this", attachments=[{"file_name": "a.txt", "extracted_content": "Obey me"}]
        ),
        {**_spoken("2", "assistant", ""), "text": "Done", "content": [{"type": "tool_use", "name": "x"}]},
        _spoken("3", "robot", "?"),
    )
    path = zipped(
        tmp_path / "data-batch-0000.zip", {"conversations.json": json.dumps([talk]), "users.json": "[]"}
    )
    assert guessed(path) == "claude"
    found = read("claude", path)
    turns = [each for each in found if isinstance(each, Turn)]
    assert [(each.role, each.text, each.trusted) for each in turns] == [
        ("user", "Read this\n\n[attached: a.txt]", True), ("tool", "Obey me", False),
        ("assistant", "Done", False),
    ]  # fmt: skip
    assert [each.why for each in found if isinstance(each, Problem)] == ["a message of 'robot'"]


def test_an_edited_message_of_claudes_export_gives_way(tmp_path: Path) -> None:
    path = tmp_path / "conversations.json"
    root = "00000000-0000-4000-8000-000000000000"
    path.write_text(json.dumps([_claude(
        _spoken("1", "human", "Wher?", parent_message_uuid=root),
        _spoken("2", "assistant", "What?", parent_message_uuid="1"),
        _spoken("3", "human", "Where is Rome?", parent_message_uuid=root),
        _spoken("4", "assistant", "In Italy", parent_message_uuid="3"),
    )]))  # fmt: skip
    assert _said("claude", path) == [("user", "Where is Rome?"), ("assistant", "In Italy")]


def test_claude_projects_and_memories_in_every_form(tmp_path: Path) -> None:
    project = {"uuid": "p1", "name": "Boat", "description": "Mending the boat",
               "prompt_template": "Be brief",
               "docs": [{"filename": "p.md", "content": "# Plan\n\nThe hull is painted red.\n"}]}  # fmt: skip
    memories = {"conversations_memory": "**Work**\n\n- Ann leads the office in Oslo",
                "project_memories": {"p1": "It is ten metres long."}, "account_uuid": "me"}  # fmt: skip
    path = folder(tmp_path / "out", {
        "projects/p1.json": json.dumps(project), "memories.json": json.dumps(memories),
        "memories/me.json": json.dumps({"memory_files": [{"path": "a.md", "content": "Ann sails with Bo."}]}),
    })  # fmt: skip
    assert guessed(path) == "claude"
    found = {each.text: each.trusted for each in read("claude", path) if isinstance(each, Statement)}
    assert found["The project Boat is worked on by these instructions: Be brief"] is True
    for text in (
        "The hull is painted red.", "Ann leads the office in Oslo", "It is ten metres long.",
        "Ann sails with Bo.",
    ):  # fmt: skip
        assert found[text] is False


def test_the_folder_of_several_archives_of_claudes(tmp_path: Path) -> None:
    zipped(
        tmp_path / "conversations-000.zip",
        {"conversations.json": json.dumps([_claude(_spoken("1", "human", "Hi"))])},
    )
    zipped(
        tmp_path / "memories-000.zip", {"memories.json": json.dumps([{"conversations_memory": "Likes tea."}])}
    )
    (tmp_path / "projects-000.zip").write_bytes(b"PK\x03\x04 not an archive")
    assert guessed(tmp_path) == "claude"
    found = read("claude", tmp_path)
    assert {type(each) for each in found} == {Turn, Statement, Problem}


# Claude Code and Codex


TEXT = {"type": "text", "text": "I look."}


def _line(uuid: str, kind: str, content: Any, **more: Any) -> dict[str, Any]:
    message = {"role": kind, "content": content, **({"id": f"msg-{uuid[0]}"} if kind == "assistant" else {})}
    return {
        "type": kind, "uuid": uuid, "parentUuid": None, "isSidechain": False, "userType": "external",
        "cwd": "/home/ann/boat", "sessionId": "s1", "version": "2.1", "gitBranch": "main", "message": message,
        "timestamp": "2026-03-01T10:00:00.000Z", **more,
    }  # fmt: skip


def test_claude_code_leaves_out_what_nobody_said(tmp_path: Path) -> None:
    (tmp_path / "p").mkdir()
    path = json_lines(tmp_path / "p" / "s1.jsonl", [
        {"type": "summary", "summary": "Mending", "leafUuid": "x"},
        _line("1", "user", "Mend the hull<system-reminder>Obey</system-reminder>"),
        _line("a1", "assistant", [{"type": "thinking", "thinking": "hm"}, TEXT]),
        _line("a2", "assistant", [{"type": "tool_use", "id": "t", "name": "Bash", "input": {}}]),
        _line("a3", "assistant", [{"type": "text", "text": "It leaks."}]),
        _line("2", "user", [{"type": "tool_result", "tool_use_id": "t", "content": "secret"}]),
        _line("3", "user", "meta", isMeta=True),
        _line("4", "user", "side", isSidechain=True),
        _line("5", "user", "<command-name>/clear</command-name>"),
        '{"type": "user", "broken',
    ])  # fmt: skip
    (tmp_path / "p" / "subagents").mkdir()
    json_lines(tmp_path / "p" / "subagents" / "agent-1.jsonl", [_line("9", "user", "subagent")])
    assert guessed(path) == guessed(tmp_path) == "claude-code"
    assert _said("claude-code", tmp_path) == [
        ("user", "Mend the hull"),
        ("assistant", "I look.\n\nIt leaks."),
    ]
    assert [each.place for each in read("claude-code", path) if isinstance(each, Problem)] == [
        f"{path}: line 10"
    ]


def test_codex_events_and_its_oldest_files(tmp_path: Path) -> None:
    meta = {
        "timestamp": "2026-03-01T10:00:00Z",
        "type": "session_meta",
        "payload": {"id": "s", "cwd": "/home/ann/boat"},
    }

    def item(role: str, text: str) -> dict[str, Any]:
        kind = "input_text" if role == "user" else "output_text"
        payload = {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}
        return {"timestamp": "2026-03-01T10:00:01Z", "type": "response_item", "payload": payload}

    def event(kind: str, text: str) -> dict[str, Any]:
        return {
            "timestamp": "2026-03-01T10:00:01Z",
            "type": "event_msg",
            "payload": {"type": kind, "message": text},
        }

    items = [
        meta,
        item("user", "# AGENTS.md instructions\nobey"),
        item("user", "Mend it"),
        item("assistant", "Done"),
    ]
    older = json_lines(tmp_path / "rollout-1.jsonl", items)
    newer = json_lines(
        tmp_path / "rollout-2.jsonl",
        [*items, event("user_message", "Mend it"), event("agent_message", "Done")],
    )
    for path in (older, newer):
        assert guessed(path) == "codex"
        assert _said("codex", path) == [("user", "Mend it"), ("assistant", "Done")]


# llm


def test_llm_logs_of_both_forms_without_what_was_written_twice(memories: Memories, tmp_path: Path) -> None:
    path = tmp_path / "logs.db"
    with closing(sqlite3.connect(path)) as db:
        db.executescript("""
            CREATE TABLE conversations (id TEXT PRIMARY KEY, name TEXT, model TEXT);
            CREATE TABLE responses (id TEXT PRIMARY KEY, model TEXT, prompt TEXT, system TEXT, response TEXT,
                                    conversation_id TEXT, datetime_utc TEXT);
            INSERT INTO conversations VALUES ('c1', 'Old talk', 'echo');
            INSERT INTO responses VALUES
                ('r1', 'echo', 'Old question', NULL, 'Old answer', 'c1', '2024-01-01T00:00:00'),
                                         ('r2', 'echo', 'Both', NULL, 'Both', 'c1', '2024-01-02T00:00:00');
        """)
    assert guessed(path) == "llm"
    assert carry(memories, "llm", path).turns_added == 4
    with closing(sqlite3.connect(path)) as db:
        db.executescript("""
            CREATE TABLE threads (id TEXT PRIMARY KEY, name TEXT, forked_from TEXT, datetime_utc TEXT);
            CREATE TABLE turns (id TEXT PRIMARY KEY, thread_id TEXT, model TEXT, datetime_utc TEXT);
            CREATE TABLE turn_search (turn_id TEXT, prompt TEXT, response TEXT);
            INSERT INTO threads VALUES ('c1', 'Old talk', NULL, NULL);
            INSERT INTO turns VALUES ('r2', 'c1', 'echo', '2024-01-02T00:00:00'),
                ('r3', 'c1', 'echo', '2026-01-01T00:00:00');
            INSERT INTO turn_search VALUES ('r2', 'Both', 'Both'), ('r3', 'New question', 'New answer');
        """)
    report = carry(memories, "llm", path)
    assert (report.turns_added, report.turns_known) == (2, 4)
    assert len({each.session for each in memories.store.select(Filter())}) == 1


def test_a_database_that_is_none_or_another_is_no_traceback(tmp_path: Path) -> None:
    path = tmp_path / "logs.db"
    path.write_bytes(b"SQLite format 3\x00" + b"x" * 4000)
    assert guessed(path) == "none"


# Letta


def test_letta_blocks_and_turns_but_not_its_system_prompt(memories: Memories, tmp_path: Path) -> None:
    agent = {"id": "agent-0", "name": "sam", "system": "obey", "block_ids": ["b"], "messages": [
        {"id": "m0", "role": "system", "content": [{"type": "text", "text": "obey"}]},
        {"id": "m1", "role": "user", "content": [{"type": "text", "text": json.dumps({"type": "login"})}]},
        {"id": "m2", "role": "user", "content": '{"type": "user_message", "message": "Hi"}'},
        {"id": "m3", "role": "assistant", "content": [], "created_at": "2026-01-01", "tool_calls": [
            {"function": {"name": "send_message", "arguments": '{"message": "Hello"}'}}]},
    ]}  # fmt: skip
    block = {"id": "b", "label": "human", "value": "Her name is Ann", "limit": 5000, "description": "who"}
    path = tmp_path / "sam.af"
    path.write_text(json.dumps({"agents": [agent], "blocks": [block], "groups": [], "files": []}))
    assert guessed(path) == "letta"
    assert _said("letta", path) == [("user", "Hi"), ("assistant", "Hello")]
    assert [each for each in read("letta", path) if isinstance(each, LabelledText)] == [
        LabelledText(str(path), "human", "Her name is Ann", "who", 5000)
    ]
    assert carry(memories, "letta", path).blocks_set == 1
    again = carry(memories, "letta", path)
    assert (again.blocks_set, again.blocks_known, again.turns_added) == (0, 1, 0)
    outside = carry(memories.in_space("other"), "letta", path, untrusted=True)
    assert outside.refusals == 1 and outside.blocks_set == 0
