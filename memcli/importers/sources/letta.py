"""Letta importer: agent files (.af), whose blocks become blocks and whose conversations become turns.

The system prompt is left out: it is the agent's program, and repeats the blocks.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from memcli.errors import BadInput
from memcli.importers import fields
from memcli.importers.files import File, head_of
from memcli.importers.json_stream import read_document
from memcli.importers.markdown import text_id
from memcli.importers.records import LabelledText, Record, Turn
from memcli.importers.source import Source, ending_in

_EVENTS = ("login", "heartbeat", "system_alert", "package_message")


def guess(path: Path) -> bool:
    """True if it is named .af, or has agents and their blocks."""
    head = head_of(path)
    return path.is_file() and (path.suffix == ".af" or (b'"agents"' in head and b'"block_ids"' in head))


def records(file: File) -> Iterator[Record]:
    """Blocks, then the turns of each agent."""
    document = read_document(file)
    if not isinstance(document, dict):
        raise BadInput("not an agent file: it is not a JSON object")
    # In the older format the whole file is one agent.
    agents = list(fields.objects(document, "agents")) or [document]
    yield from _blocks(document, agents, file.place)
    for agent in agents:
        yield from _turns(agent, file.place)


def _blocks(document: Mapping[str, Any], agents: list[Mapping[str, Any]], place: str) -> Iterator[Record]:
    found = [*fields.objects(document, "blocks")]
    for agent in agents:
        found += [*fields.objects(agent, "core_memory"), *fields.objects(agent, "memory_blocks")]
    labels: dict[str, str] = {}
    for each in found:
        label, text = fields.one_line(fields.text(each, "label")), fields.text(each, "value").strip()
        if not label or not text or labels.get(label) == text:
            continue
        if label in labels:
            label = f"{label} {text_id(fields.text(each, 'id'), text)[:6]}"
        labels[label] = text
        limit = each.get("limit")
        cap = limit if isinstance(limit, int) and not isinstance(limit, bool) and 0 < limit < 10**7 else None
        yield LabelledText(place, label, text, fields.text(each, "description").strip(), cap)


def _turns(agent: Mapping[str, Any], place: str) -> Iterator[Record]:
    name = fields.text(agent, "name") or "agent"
    # Ids are only unique within a file: every file has an `agent-0` with a `message-1`.
    started = next((fields.text(each, "created_at") for each in fields.objects(agent, "messages")), "")
    found_id = f"{name}/{started}" if started else f"{fields.text(agent, 'id')}/{name}"
    for number, message in enumerate(fields.objects(agent, "messages")):
        role = fields.text(message, "role")
        if role not in ("user", "assistant"):
            continue
        text = fields.content_text(message.get("content")) or fields.text(message, "text")
        said = _unwrapped(text) if role == "user" else "\n\n".join(filter(None, (text, _sent(message))))
        if said.strip():
            written = fields.text(message, "created_at")
            message_id = (
                text_id(role, written, said) if written else f"{fields.text(message, 'id') or number}"
            )
            yield Turn(place, found_id, name, message_id, role, said, fields.when(message, "created_at"))


def _unwrapped(text: str) -> str:
    """Return what the user said, out of the envelope in which events that nobody said come, too."""
    if not text.lstrip().startswith("{"):
        return text
    try:
        envelope = json.loads(text)
    except (ValueError, RecursionError):
        return text
    if not isinstance(envelope, dict) or "type" not in envelope:
        return text
    return "" if envelope["type"] in _EVENTS else fields.text(envelope, "message")


def _sent(message: Mapping[str, Any]) -> str:
    """Return what an older agent said by its tool `send_message`."""
    said = []
    for call in fields.objects(message, "tool_calls"):
        function = fields.mapping(call, "function")
        if function.get("name") == "send_message":
            try:
                said.append(fields.text(json.loads(fields.text(function, "arguments") or "{}"), "message"))
            except (ValueError, RecursionError):
                continue
    return "\n\n".join(filter(None, said))


SOURCE = Source(
    "letta", "Letta's agent file (.af): blocks and turns.", guess, records, ".af", ending_in(".af")
)
