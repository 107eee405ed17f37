"""Cursor's editor state: chats in `state.vscdb`, a SQLite file of keys and JSON values.

Cursor documents none of it; this is what several public readers of 2024 to 2026 agree on. In `cursorDiskKV` a
conversation is `composerData:ID`, with its messages in it (`conversation`, `conversationMap`) or, since 2025,
only their order (`fullConversationHeadersOnly`), each message being `bubbleId:ID:MESSAGE`; `type` 1 is the
user, 2 the model. Before that, a workspace's own file held the panel's chats (`tabs`) in `ItemTable`.
Versions differ, so references to missing messages are reported.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from memcli.errors import BadInput
from memcli.importers import fields
from memcli.importers.files import MOST_WHOLE
from memcli.importers.json_stream import read_value
from memcli.importers.records import Problem, Record, Turn, When
from memcli.importers.sqlite_file import opened_database, tables_of
from memcli.text.checks import MAX_DEPTH

_PANEL = "workbench.panel.aichat.view.aichat.chatdata"
_OF_WORKSPACE = "composer.composerData"
_ROLES = {1: "user", 2: "assistant", "user": "user", "ai": "assistant", "assistant": "assistant"}
# Fields with a message's time, in milliseconds or ISO 8601; its other times count from the start of the
# editor window.
_SENT = ("clientRpcSendTime", "clientEndTime")


def is_state(path: Path) -> bool:
    """True if a file is such a database."""
    tables = tables_of(path)
    return "cursorDiskKV" in tables or ("ItemTable" in tables and _has_chats(path))


def _has_chats(path: Path) -> bool:
    try:
        with opened_database(path) as database:
            return any(_value(database, "ItemTable", key) is not None for key in (_PANEL, _OF_WORKSPACE))
    except BadInput:
        return False


def read_state(path: Path) -> Iterator[Record]:
    """Yield the turns of each conversation. Raises BadInput for a file that cannot be read."""
    tables = tables_of(path)
    with opened_database(path) as database:
        if "cursorDiskKV" in tables:
            yield from _composers(path, database)
        if "ItemTable" in tables:
            yield from _of_workspace(path, database)


def _composers(path: Path, database: sqlite3.Connection) -> Iterator[Record]:
    keys = "SELECT key FROM cursorDiskKV WHERE key >= 'composerData:' AND key < 'composerData;' ORDER BY key"
    for (key,) in database.execute(keys):
        place = f"{path}: {key!s:.80}"
        composer = _read(database, "cursorDiskKV", str(key))
        if isinstance(composer, BadInput):
            yield Problem(place, str(composer))
        elif isinstance(composer, Mapping):
            composer_id = str(key).partition(":")[2]
            yield from _conversation(composer, composer_id, place, database)


def _of_workspace(path: Path, database: sqlite3.Connection) -> Iterator[Record]:
    """Yield the turns of chats in a workspace's own file, from before there was one file for all."""
    for key, listed in ((_PANEL, "tabs"), (_OF_WORKSPACE, "allComposers")):
        value = _read(database, "ItemTable", key)
        if isinstance(value, BadInput):
            yield Problem(f"{path}: {key}", str(value))
            continue
        for number, each in enumerate(fields.objects(value, listed), start=1):
            chat_id = fields.text(each, "tabId", "composerId", "id") or f"{path.parent.name}/{number}"
            yield from _conversation(each, chat_id, f"{path}: {key}, {number}", None)


def _conversation(
    chat: Mapping[str, Any], chat_id: str, place: str, database: sqlite3.Connection | None
) -> Iterator[Record]:
    if chat.get("isBestOfNSubcomposer") is True:
        return  # one of several attempts at the same answer, and not the chosen one
    title = fields.one_line(fields.text(chat, "name", "chatTitle", "title"))
    start = fields.when(chat, "createdAt", "lastSendTime")
    config = fields.text(chat.get("modelConfig"), "modelName")
    missing = 0
    for bubble_id, bubble in _bubbles(chat, chat_id, database):
        if isinstance(bubble, BadInput):
            yield Problem(f"{place}, {bubble_id:.60}", str(bubble))
            continue
        if bubble is None:
            missing += 1
            continue
        kind = bubble.get("type")
        role = _ROLES.get(kind) if isinstance(kind, int | str) else None
        text = fields.text(bubble, "text", "rawText").strip() or _of_rich_text(bubble)
        if role and text:
            model = (
                fields.text(bubble.get("modelInfo"), "modelName")
                or fields.text(bubble, "modelType")
                or config
            )
            data = {"model": model} if model and role == "assistant" else {}
            yield Turn(place, f"composer/{chat_id}", title, bubble_id, role, text, _at(bubble, start), data)
    if missing:
        of = f"{missing:,} messages of {title or chat_id!r:.60}"
        yield Problem(place, f"{of} are not in this file; Cursor keeps them elsewhere")


def _bubbles(
    chat: Mapping[str, Any], chat_id: str, database: sqlite3.Connection | None
) -> Iterator[tuple[str, Mapping[str, Any] | BadInput | None]]:
    """Yield the ids and messages of a conversation in order; None for a message that is missing."""
    inline = [*fields.objects(chat, "conversation"), *fields.objects(chat, "bubbles")]
    for number, each in enumerate(inline):
        yield fields.text(each, "bubbleId", "id") or str(number), each
    if inline:
        return
    by_id = fields.mapping(chat, "conversationMap")
    for header in fields.objects(chat, "fullConversationHeadersOnly"):
        bubble_id = fields.text(header, "bubbleId")
        found: Any = by_id.get(bubble_id)
        if not isinstance(found, Mapping) and database is not None:
            found = _read(database, "cursorDiskKV", f"bubbleId:{chat_id}:{bubble_id}")
        yield bubble_id, found if isinstance(found, Mapping | BadInput) else None


def _at(bubble: Mapping[str, Any], start: When) -> When:
    return fields.first_of(
        fields.when(bubble, "createdAt"), fields.when(bubble.get("timingInfo"), *_SENT), start
    )  # fmt: skip


def _of_rich_text(bubble: Mapping[str, Any]) -> str:
    """Return the typed words if only the editor's own document tree of them is kept."""
    try:
        tree = read_value(fields.text(bubble, "richText") or "null")
    except BadInput:
        return ""

    def walk(node: object, depth: int) -> str:
        if depth > MAX_DEPTH or not isinstance(node, Mapping):
            return ""
        if fields.text(node, "type") == "linebreak":
            return "\n"
        inner = "".join(walk(each, depth + 1) for each in fields.objects(node, "children"))
        return fields.text(node, "text") + inner + ("\n" if fields.text(node, "type") == "paragraph" else "")

    return walk(fields.mapping(tree, "root"), 0).strip()


def _read(database: sqlite3.Connection, table: str, key: str) -> Any | BadInput:
    """Return the JSON value of a key; None if there is none, and the error if it is not JSON."""
    value = _value(database, table, key)
    if value is None:
        return None
    try:
        if len(value) > MOST_WHOLE:
            raise BadInput(f"more than {MOST_WHOLE >> 20} MiB in one value")
        return read_value(value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value))
    except BadInput as error:
        return error


def _value(database: sqlite3.Connection, table: str, key: str) -> str | bytes | None:
    row = database.execute(f"SELECT value FROM {table} WHERE key = ?", (key,)).fetchone()  # noqa: S608 - ours
    return row[0] if row and isinstance(row[0], str | bytes) and row[0] else None
