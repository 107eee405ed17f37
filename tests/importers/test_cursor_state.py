"""Cursor's chats as its window keeps them, in the forms that public readers of them know."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from memcli.importers.records import Problem, Turn, known
from memcli.memories import Memories
from memcli.model import Filter
from tests.conftest import Run
from tests.importers.files import carry, folder, guessed, read

_NEWER = {
    "composerData:c1": {
        "_v": 10, "composerId": "c1", "name": "Ports", "createdAt": 1_766_691_308_486,
        "modelConfig": {"modelName": "opus"},
        "fullConversationHeadersOnly": [
            {"bubbleId": "a", "type": 1}, {"bubbleId": "t", "type": 2}, {"bubbleId": "b", "type": 2},
            {"bubbleId": "r", "type": 1},
        ],
    },
    "bubbleId:c1:a": {"_v": 3, "type": 1, "text": "Which port?", "createdAt": "2025-12-25T19:35:21Z"},
    "bubbleId:c1:t": {"type": 2, "text": "", "toolFormerData": {"name": "read_file", "result": "secret"}},
    "bubbleId:c1:b": {"type": 2, "text": "8443.", "timingInfo": {"clientStartTime": 4745281.3,
                      "clientRpcSendTime": 1_766_691_321_759}, "thinking": {"text": "hm"}},
    "bubbleId:c1:r": {"type": 1, "text": "", "richText": json.dumps({"root": {"children": [
        {"type": "paragraph", "children": [
            {"type": "text", "text": "And for "}, {"type": "mention", "text": "@prod"}]},
    ]}})},
    "composerData:c2": {"name": "Inline", "createdAt": "once", "conversation": [
        {"type": 1, "bubbleId": "x", "text": "An older one"},
        {"type": 2, "bubbleId": "y", "text": "Indeed"}]},
    "composerData:c3": {"conversationMap": {"m": {"type": 1, "text": "Mapped"}},
                        "fullConversationHeadersOnly": [{"bubbleId": "m"}, {"bubbleId": "gone"}]},
    "composerData:c4": {"name": "Tried beside", "isBestOfNSubcomposer": True, "conversation": [
        {"type": 1, "text": "Not taken"}]},
    "composerData:empty": {"fullConversationHeadersOnly": [], "text": ""},
    "bubbleId:zz:zz": {"type": 1, "text": "Of nobody"},
}  # fmt: skip
_PANEL = {"workbench.panel.aichat.view.aichat.chatdata": {"tabs": [{
    "tabId": "p1", "chatTitle": "Panel", "lastSendTime": 1_700_000_000_000,
    "bubbles": [
        {"type": "user", "id": "1", "text": "In the panel"}, {"type": "ai", "id": "2", "rawText": "Yes"}],
}]}}  # fmt: skip


def _state(path: Path, chats: Mapping[str, Any], *, table: str = "cursorDiskKV") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as database, database:
        for name in ("ItemTable", "cursorDiskKV"):
            database.execute(f"CREATE TABLE {name} (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)")
        for number, (key, value) in enumerate(chats.items()):
            text = value if isinstance(value, str) else json.dumps(value)
            database.execute(
                f"INSERT INTO {table} VALUES (?, ?)", (key, text.encode() if number % 2 else text)
            )
    return path


def test_conversations_of_the_window_with_their_messages_beside_or_in_them(
    memories: Memories, tmp_path: Path
) -> None:
    path = _state(tmp_path / "state.vscdb", {**_NEWER, "composerData:bad": "{broken"})
    assert guessed(path) == guessed(tmp_path) == "cursor"
    found = read("cursor", path)
    turns = [each for each in found if isinstance(each, Turn)]
    assert [(each.title, each.role, each.text) for each in turns] == [
        ("Ports", "user", "Which port?"), ("Ports", "assistant", "8443."), ("Ports", "user", "And for @prod"),
        ("Inline", "user", "An older one"), ("Inline", "assistant", "Indeed"), ("", "user", "Mapped"),
    ]  # fmt: skip
    assert [at.isoformat()[:19] for each in turns[:3] if (at := known(each.at))] == [
        "2025-12-25T19:35:21", "2025-12-25T19:35:21", "2025-12-25T19:35:08",
    ]  # fmt: skip
    assert turns[1].data == {"model": "opus"} and turns[0].trusted and not turns[1].trusted
    problems = [f"{each.place}: {each.why}" for each in found if isinstance(each, Problem)]
    assert len(problems) == 2 and "composerData:bad" in problems[0]
    assert "composerData:c3: 1 messages of 'c3' are not in this file" in problems[1]
    report = carry(memories, "cursor", path)
    assert (report.conversations, report.turns_added, report.times_unread) == (3, 6, 2)
    assert carry(memories, "cursor", path).turns_known == 6
    assert len({each.session for each in memories.store.select(Filter())}) == 3


def test_the_panel_of_a_workspace_and_a_folder_of_all(tmp_path: Path) -> None:
    user = tmp_path / "User"
    _state(user / "globalStorage" / "state.vscdb", _NEWER)
    _state(user / "workspaceStorage" / "1" / "state.vscdb", _PANEL, table="ItemTable")
    _state(user / "workspaceStorage" / "2" / "state.vscdb", {"aiService.prompts": []}, table="ItemTable")
    folder(user, {"workspaceStorage/1/workspace.json": "{}"})
    assert guessed(user) == "cursor"
    said = [each.text for each in read("cursor", user) if isinstance(each, Turn)]
    assert said[-2:] == ["In the panel", "Yes"] and len(said) == 8
    assert len([each for each in read("cursor", user) if isinstance(each, Problem)]) == 1


def test_a_file_without_chats_is_told_in_one_line(mem: Run, tmp_path: Path) -> None:
    of_workspace = {"composer.composerData": {"allComposers": [{"composerId": "x"}]}}
    for path in (
        _state(tmp_path / "state.vscdb", {}),
        _state(tmp_path / "w" / "state.vscdb", of_workspace, table="ItemTable"),
    ):
        done = mem("import", str(path))
        assert done.returncode == 2 and "globalStorage/state.vscdb" in done.stderr
        assert done.stderr.count(str(path)) == 1 and "Traceback" not in done.stderr
    other = tmp_path / "code.vscdb"
    with closing(sqlite3.connect(other)) as database, database:
        database.execute("CREATE TABLE ItemTable (key TEXT, value BLOB)")
    assert "a database from no known program" in mem("import", str(other)).stderr
    assert "holds no Cursor chats" in mem("import", "--from", "cursor", str(other)).stderr


def test_hostile_values_are_named_and_cost_the_others_nothing(tmp_path: Path) -> None:
    deep = '{"root": ' + '{"children": [' * 500 + "]}" * 500 + "}"
    path = _state(tmp_path / "state.vscdb", {
        "composerData:a": "[1, 2]", "composerData:b": {"conversation": [1, {"type": [], "text": "x"}, {
            "type": 1, "text": "", "richText": deep}, {"type": 1, "text": "Fine", "createdAt": {}}]},
        "composerData:c": {"fullConversationHeadersOnly": [{"bubbleId": 7}, {"bubbleId": "z"}]},
        "bubbleId:c:z": "nope",
    })  # fmt: skip
    assert [each.text for each in read("cursor", path) if isinstance(each, Turn)] == ["Fine"]
