"""Codex importer: `~/.codex/sessions/YYYY/MM/DD/rollout-….jsonl`, one session or the folder of them.

What the user typed and the model answered is in event lines, or in the items that they complete; other items
repeat it, and carry AGENTS.md and the like in the user's name. In files without such events the items are
read; in the oldest files items have no envelope. Sessions of subagents are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from memcli.errors import BadInput
from memcli.importers import fields
from memcli.importers.files import File, head_of
from memcli.importers.json_stream import read_lines
from memcli.importers.records import Problem, Record, Turn, When
from memcli.importers.source import Source, ending_in
from memcli.named_tuple import NamedTuple

_EVENTS = {"user_message": "user", "agent_message": "assistant"}
_ITEMS = {"UserMessage": "user", "AgentMessage": "assistant"}
_SLIPPED_IN = (
    "<environment_context>", "<user_instructions>", "# AGENTS.md", "<INSTRUCTIONS>", "<permissions",
    "<collaboration_mode>", "<multi_agent_mode>", "<apps_instructions>", "<turn_aborted>", "<skill>",
    "<user_shell_command>", "You are `/root`, the primary agent",
)  # fmt: skip
# Editor extensions put what was typed below what was open in the editor.
_REQUEST = "## My request for Codex:"


class _Said(NamedTuple):
    """What somebody said, and the kind of line that says so: event, completed item, or model item."""

    role: str
    text: str
    told_by: str


def guess(path: Path) -> bool:
    """True if its first lines are those of a session, or it is named like a compressed one."""
    if path.name.endswith(".jsonl.zst"):
        return path.name.startswith("rollout-")
    return path.suffix == ".jsonl" and _fits(head_of(path).decode("utf-8", "replace"))


def _fits(head: str) -> bool:
    return (
        '"session_meta"' in head
        or ('"payload"' in head and '"response_item"' in head)
        or ('"record_type"' in head and '"instructions"' in head)
    )


def records(file: File) -> Iterator[Record]:
    """Yield the turns of a session."""
    if file.suffix == ".zst":
        raise BadInput("compressed; `zstd -d` it first")
    told_by = _told_by(file)
    session, title, met = file.stem, "", False
    start: When = None
    data: dict[str, str] = {}
    for number, line in read_lines(file):
        place = f"{file.place}: line {number}"
        if not isinstance(line, dict):
            yield Problem(place, str(line) if isinstance(line, BadInput) else "not a JSON object")
            continue
        payload = _payload(line)
        if _is_head(line):
            # A session forked from another repeats the other's head, too.
            if not met:
                if isinstance(payload.get("source"), Mapping) and "subagent" in payload["source"]:
                    return
                session = fields.text(payload, "id", "session_id") or session
                cwd = fields.text(payload, "cwd")
                title, data = Path(cwd).name or title, {"cwd": cwd} if cwd else {}
                start = fields.when(payload, "timestamp")
            met = True
            continue
        said = _said(line, payload)
        if said and said.text and said.told_by == told_by.get(said.role):
            at = fields.first_of(fields.when(line, "timestamp"), start)
            yield Turn(place, session, title, str(number), said.role, said.text, at, data)


def _told_by(file: File) -> dict[str, str]:
    """Return, for each role, the kind of line to read: the first of event, completed, item that occurs."""
    found: dict[str, set[str]] = {}
    for _, line in read_lines(file):
        if isinstance(line, dict) and (said := _said(line, _payload(line))) and said.text:
            found.setdefault(said.role, set()).add(said.told_by)
    order = ("event", "completed", "item")
    return {role: next(each for each in order if each in kinds) for role, kinds in found.items()}


def _is_head(line: Mapping[str, Any]) -> bool:
    return line.get("type") == "session_meta" or ("instructions" in line and "type" not in line)


def _payload(line: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what a line carries; in the oldest files that is the line itself."""
    return fields.mapping(line, "payload") if "payload" in line else line


def _said(line: Mapping[str, Any], payload: Mapping[str, Any]) -> _Said | None:
    kind, inner = line.get("type"), fields.text(payload, "type")
    if kind == "event_msg" and inner in _EVENTS:
        role, text, told_by = _EVENTS[inner], fields.text(payload, "message").strip(), "event"
        if not text and (payload.get("images") or payload.get("local_images")):
            text = "[image]"
    elif kind == "event_msg" and inner == "item_completed":
        item = fields.mapping(payload, "item")
        role, told_by = _ITEMS.get(fields.text(item, "type"), ""), "completed"
        text = fields.content_text(item.get("content")) or fields.text(item, "text", "message").strip()
    elif inner == "message" and kind in ("response_item", "message"):
        role, told_by = fields.text(payload, "role"), "item"
        text = fields.content_text(payload.get("content"))
    else:
        return None
    if role not in ("user", "assistant"):
        return None
    if role == "user":
        text = "" if text.startswith(_SLIPPED_IN) else text.rsplit(_REQUEST, 1)[-1].strip()
    return _Said(role, text, told_by)


SOURCE = Source(
    "codex",
    "Codex's sessions: a rollout file, or ~/.codex/sessions.",
    guess,
    records,
    ".jsonl",
    ending_in(".jsonl", ".jsonl.zst"),
    nothing="holds no session (rollout-….jsonl)",
)
