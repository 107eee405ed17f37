"""Other programs' records: valid ones, for hostile ones to be made from."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from typing import Any

from benchmarks.fuzz.values import broken, mutated, written

# The source, a file's name, and what it holds.
_MESSAGE = {"id": "a", "author": {"role": "user"}, "create_time": 1.7e9, "recipient": "all",
            "content": {"content_type": "text", "parts": ["Ann lives in Rome"]}, "metadata": {}}  # fmt: skip
_TYPED = "<timestamp>Friday, May 8, 2026, 6:05 AM (UTC+5:30)</timestamp>\n<user_query>\nHi\n</user_query>"
FOREIGN: tuple[tuple[str, str, str | Sequence[dict[str, Any]]], ...] = (
    ("chatgpt", "conversations.json", [{
        "title": "x", "create_time": 1.7e9, "conversation_id": "c", "current_node": "a",
        "mapping": {"r": {"id": "r", "parent": None, "message": None, "children": ["a"]},
                    "a": {"id": "a", "parent": "r", "message": _MESSAGE, "children": []}}}]),
    ("chatgpt", "group_chats.json", [{"chats": [{"id": "g", "title": "x", "create_time": 1.7e9, "messages": [
        {**_MESSAGE, "author": {"role": "user", "name": "Bo"}}, {"sender": "Eve", "text": "Hi"}]}]}]),
    ("claude", "conversations.json", [
        {"uuid": "c", "name": "x", "created_at": "2026-01-01T00:00:00Z", "chat_messages": [
            {"uuid": "m", "sender": "human", "text": "x", "content": [{"type": "text", "text": "Hello"}],
             "attachments": [{"file_name": "a", "extracted_content": "b"}], "parent_message_uuid": "0"}]},
        {"conversations_memory": "Ann lives in Rome", "project_memories": {"p": "x"}, "account_uuid": "a"},
        {"uuid": "p", "name": "x", "prompt_template": "y", "docs": [{"filename": "a", "content": "b"}]}]),
    ("claude", "conversations.json", [{"uuid": "c", "chat_messages": [
        {"uuid": "m", "sender": "assistant", "content": [{"type": "tool_use", "name": "artifacts", "input": {
            "id": "a", "title": "t", "content": "x y"}}]},
        {"uuid": "n", "sender": "assistant", "content": [{"type": "tool_use", "name": "artifacts", "input": {
            "id": "a", "command": "update", "old_str": "y", "new_str": "z"}}]}]}]),
    ("claude-code", "s.jsonl", [{
        "type": "user", "uuid": "u", "sessionId": "s", "timestamp": "2026-01-01T00:00:00Z", "cwd": "/x",
        "message": {"role": "user", "content": [{"type": "text", "text": "Hello"}]}}]),
    ("codex", "rollout-x.jsonl", [
        {"timestamp": "2026-01-01T00:00:00Z", "type": "session_meta", "payload": {"id": "s", "cwd": "/x"}},
        {"timestamp": "2026", "type": "event_msg", "payload": {"type": "user_message", "message": "Hi"}}]),
    ("cursor", "c.jsonl", [
        {"role": "user", "message": {"content": [{"type": "text", "text": _TYPED}]}},
        {"role": "assistant", "message": {"content": [{"type": "text", "text": "Done\n\n[REDACTED]"}]}}]),
    ("memory-server", "memory.jsonl", [
        {"type": "entity", "name": "Ann", "entityType": "person", "observations": ["lives in Rome"]},
        {"type": "relation", "from": "Ann", "to": "Bo", "relationType": "knows"}]),
    ("mem0", "mem0.json", [{"id": "1", "memory": "x", "user_id": "a", "metadata": {}, "created_at": "2026"}]),
    ("mcp-memory-service", "export.json", [{
        "export_metadata": {}, "memories": [{"content": "x", "content_hash": "h", "tags": ["a"],
                                             "memory_type": "note", "created_at": 1.7e9}]}]),
    ("letta", "a.af", [{
        "agents": [{"id": "a", "name": "x", "messages": [{"id": "m", "role": "user", "content": "Hi"}]}],
        "blocks": [{"label": "human", "value": "Ann", "limit": 100, "description": "x"}]}]),
    ("rules", "AGENTS.md", "---\npaths: x\n---\n# Rules\n@a.md\n- Never push\n\n1. build\n2. push\n"),
    ("markdown", "m.md", "+++\ntitle = 'x'\ntags = ['a']\ndate = 2026-01-01\n+++\nx y\n"),
    ("basic-memory", "a.md", "---\ntitle: A\npermalink: a\n---\n- [fact] x #y (z)\n- knows [[B]]\n"),
    ("obsidian", "b.md", "---\ntags: x\n---\n# H\n\nSee [[A#b|c]] ^d\n%%x%%\n```\ncode\n```\n"),
    ("claude-memory", "MEMORY.md", "---\nname: a\ndescription: b\nmetadata:\n  type: user\n---\nx [[y]]\n"),
    ("csv", "b.csv", "sep=;\ntext;tags\nAnn lives in Rome;a,b\n"),
    ("csv", "a.csv", "text,kind,tags,at\nAnn lives in Rome,fact,a b,2026-01-01\n\"x\ny\",,,\n"),
)  # fmt: skip


_CHATS: dict[str, Any] = {
    "composerData:c": {"name": "x", "createdAt": 1.7e12, "fullConversationHeadersOnly": [
        {"bubbleId": "a", "type": 1}, {"bubbleId": "b", "type": 2}]},
    "bubbleId:c:a": {"type": 1, "text": "Hi", "createdAt": "2026-01-01T00:00:00Z"},
    "bubbleId:c:b": {"type": 2, "text": "", "richText": '{"root": {"children": [{"text": "x"}]}}'},
    "composerData:d": {"conversation": [{"type": 1, "text": "Old"}], "modelConfig": {"modelName": "m"}},
}  # fmt: skip


def a_state(chance: random.Random) -> bytes:
    """A database of Cursor's chats."""
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute("CREATE TABLE cursorDiskKV (key TEXT, value BLOB)")
        for key, value in _CHATS.items():
            told = mutated(value, chance) if chance.random() < 0.6 else value
            data = written(told, chance).encode("utf-8", "surrogatepass")
            database.execute("INSERT INTO cursorDiskKV VALUES (?, ?)", (key, data))
        database.commit()
        whole = database.serialize()
    return broken(whole, chance) if chance.random() < 0.2 else whole
