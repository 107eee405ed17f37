"""ChatGPT's export: a ZIP, or its `conversations.json`; since 2026 `conversations-000.json` and so on.

A conversation is a tree of messages, for an edit is a branch: what counts is the way from `current_node` up
to the root. Its tools, its system's messages and what it hides from its reader are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from memcli.errors import BadInput
from memcli.importers import fields
from memcli.importers.files import files_of, head_of, heads_of, is_zip
from memcli.importers.json_stream import read_array
from memcli.importers.records import Problem, Record, Source, Turn

_NAME = re.compile(r"(?:.*/)?conversations(?:-\d+)?\.json")
_SPOKEN = ("text", "multimodal_text", "code")


def _wanted(name: str) -> bool:
    return _NAME.fullmatch(name) is not None


def guess(path: Path) -> bool:
    """Whether the first conversation has a `mapping`."""
    if path.is_dir() or is_zip(path):
        return any('"mapping"' in head for head in heads_of(path, _wanted))
    head = head_of(path)
    return head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"[", b"{") and b'"mapping"' in head


def read(path: Path) -> Iterator[Record]:
    """The turns of every conversation, in the order in which they were said."""
    some = False
    for file in files_of(path, _wanted):
        some = True
        if isinstance(file, Problem):
            yield file
            continue
        try:
            for line, value in read_array(file):
                place = f"{file.place}: line {line}"
                if isinstance(value, BadInput):
                    yield Problem(place, str(value))
                elif not isinstance(value, dict) or not isinstance(value.get("mapping"), dict):
                    yield Problem(place, "no conversation: it has no 'mapping'")
                else:
                    yield from _turns(value, place)
        except BadInput as error:
            yield Problem(file.place, str(error))
    if not some:
        raise BadInput(f"{path}: holds no conversations.json of ChatGPT's")


def _turns(conversation: Mapping[str, Any], place: str) -> Iterator[Record]:
    title = fields.text(conversation, "title")
    start = fields.instant(conversation.get("create_time"))
    found_id = fields.text(conversation, "conversation_id", "id") or f"{title} {start}"
    for node_id, message in _way(conversation):
        role = fields.text(message.get("author"), "role")
        if role not in ("user", "assistant") or _hidden(message):
            continue
        content = fields.mapping(message, "content")
        if content.get("content_type") not in _SPOKEN:
            continue
        if text := _said(content):
            at = fields.instant(message.get("create_time")) or start
            model = fields.text(message.get("metadata"), "model_slug")
            yield Turn(
                place, found_id, title, fields.text(message, "id") or node_id, role, text, at,
                {"model": model} if model else {},
            )  # fmt: skip


def _hidden(message: Mapping[str, Any]) -> bool:
    metadata = fields.mapping(message, "metadata")
    aside = message.get("recipient") not in (None, "", "all")
    return aside or metadata.get("is_visually_hidden_from_conversation") is True


def _way(conversation: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    """The messages from the root to the current node, which where it is missing is the latest leaf."""
    nodes = conversation["mapping"]
    node_id = conversation.get("current_node")
    if not isinstance(node_id, str) or not isinstance(nodes.get(node_id), dict):
        node_id = _latest_leaf(nodes)
    way: list[tuple[str, Mapping[str, Any]]] = []
    seen: set[str] = set()
    while isinstance(node_id, str) and node_id not in seen and isinstance(nodes.get(node_id), dict):
        seen.add(node_id)
        if isinstance(message := nodes[node_id].get("message"), dict):
            way.append((node_id, message))
        node_id = nodes[node_id].get("parent")
    return way[::-1]


def _latest_leaf(nodes: Mapping[str, Any]) -> str | None:
    parents = {each.get("parent") for each in nodes.values() if isinstance(each, dict) and _is_name(each)}
    leaves = [name for name, each in nodes.items() if name not in parents and isinstance(each, dict)]

    def written(name: str) -> float:
        at = fields.instant(fields.mapping(nodes[name], "message").get("create_time"))
        return at.timestamp() if at else 0.0

    return max(leaves, key=written, default=None)


def _is_name(node: Mapping[str, Any]) -> bool:
    return isinstance(node.get("parent"), str)


def _said(content: Mapping[str, Any]) -> str:
    parts = content.get("parts")
    if not isinstance(parts, list):
        return fields.text(content, "text").strip()
    return "\n\n".join(part for each in parts if (part := _part(each)))


def _part(part: object) -> str:
    if isinstance(part, str):
        return part.strip()
    if fields.text(part, "text"):
        return fields.text(part, "text").strip()
    kind = fields.text(part, "content_type")
    return f"[{kind.removesuffix('_asset_pointer')}]" if kind.endswith("_asset_pointer") else ""


SOURCE = Source("chatgpt", "ChatGPT's export: the ZIP, its folder or conversations.json.", guess, read)
