"""Codex's sessions: `~/.codex/sessions/YYYY/MM/DD/rollout-….jsonl`, one, or the folder of them.

What its user typed and what it answered stands in its events; its other items repeat that, and carry
AGENTS.md and the like in its user's name. Of the oldest files, which have no events, the items are read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from memcli.errors import BadInput
from memcli.importers import fields
from memcli.importers.files import File, files_of, head_of, heads_of
from memcli.importers.json_stream import read_lines
from memcli.importers.records import Problem, Record, Source, Turn

_ROLES = {"user_message": "user", "agent_message": "assistant"}
_SLIPPED_IN = (
    "<environment_context>",
    "<user_instructions>",
    "# AGENTS.md",
    "<INSTRUCTIONS>",
    "<permissions",
)


def _wanted(name: str) -> bool:
    return name.endswith(".jsonl")


def guess(path: Path) -> bool:
    """Whether its first lines are those of a session."""
    if path.is_dir():
        return any(map(_fits, heads_of(path, _wanted)))
    return path.suffix == ".jsonl" and _fits(head_of(path).decode("utf-8", "replace"))


def _fits(head: str) -> bool:
    return '"session_meta"' in head or ('"payload"' in head and '"response_item"' in head)


def read(path: Path) -> Iterator[Record]:
    """The turns of each session."""
    some = False
    for file in files_of(path, _wanted):
        some = True
        if isinstance(file, Problem):
            yield file
            continue
        try:
            yield from _turns(file)
        except BadInput as error:
            yield Problem(file.place, str(error))
    if not some:
        raise BadInput(f"{path}: holds no session (rollout-….jsonl)")


def _turns(file: File) -> Iterator[Record]:
    session, title = file.stem, ""
    by_events = any(
        isinstance(line, dict) and fields.text(line.get("payload"), "type") in _ROLES
        for _, line in read_lines(file)
    )
    data: dict[str, str] = {}
    for number, line in read_lines(file):
        place = f"{file.place}: line {number}"
        if not isinstance(line, dict):
            yield Problem(place, str(line) if isinstance(line, BadInput) else "not a JSON object")
            continue
        payload = fields.mapping(line, "payload")
        if line.get("type") == "session_meta":
            session = fields.text(payload, "id", "session_id") or session
            title = Path(fields.text(payload, "cwd")).name or title
            data = {"cwd": cwd} if (cwd := fields.text(payload, "cwd")) else {}
            continue
        role, text = _event(line, payload) if by_events else _item(line, payload)
        if text:
            at = fields.instant(line.get("timestamp"))
            yield Turn(place, session, title, str(number), role, text, at, data)


def _event(line: Mapping[str, Any], payload: Mapping[str, Any]) -> tuple[str, str]:
    if line.get("type") != "event_msg":
        return "", ""
    return _ROLES.get(fields.text(payload, "type"), ""), (
        fields.text(payload, "message").strip() if fields.text(payload, "type") in _ROLES else ""
    )


def _item(line: Mapping[str, Any], payload: Mapping[str, Any]) -> tuple[str, str]:
    role = fields.text(payload, "role")
    if line.get("type") != "response_item" or role not in ("user", "assistant"):
        return "", ""
    text = fields.content_text(payload.get("content"))
    return role, "" if role == "user" and text.lstrip().startswith(_SLIPPED_IN) else text


SOURCE = Source("codex", "Codex's sessions: a rollout file, or ~/.codex/sessions.", guess, read)
