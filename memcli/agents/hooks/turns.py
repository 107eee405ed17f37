"""Turns at the end of an agent's session, from the event and from its transcript, to be logged."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from typing import Any

from memcli import times
from memcli.agents.hooks.payload import Payload
from memcli.errors import BadInput, Refused
from memcli.memories import Memories
from memcli.named_tuple import NamedTuple

# How many bytes of the end of a transcript are read, and how many turns are logged at once at most.
_END = 1024 * 1024
_TURNS = 40
# Beginnings of texts that an agent inserted itself.
_FRAMED = (
    "<system-reminder", "<command-", "<local-command", "<environment_context", "<user_instructions",
    "<task-notification",
)  # fmt: skip


class Turn(NamedTuple):
    """What was said, by whom, and when, if known."""

    role: str
    text: str
    at: datetime | None = None


def log_turns(memories: Memories, agent: str, payload: Payload) -> None:
    """Log the last turns of a session that are not logged yet. Raises MemcliError."""
    from memcli.tiers.sessions.episodes import read_session, turn_role
    from memcli.tiers.sessions.sessions import append_turn
    from memcli.write_policy.drafts import Draft

    turns = last_turns(payload, memories.now())
    if not (turns and payload.session):
        return
    session = f"{agent}-{payload.session}"
    with memories.store.writing():
        # Compared by role and time, because a secret may have been redacted from the words.
        known = {
            (turn_role(each), each.happened_at) for each in read_session(memories, session, live=False).turns
        }
        for turn in turns:
            if turn.at is None or (turn.role, turn.at) not in known:
                with suppress(BadInput, Refused):
                    draft = Draft(
                        text=turn.text, session=session, happened_at=turn.at, data={"role": turn.role}
                    )
                    append_turn(memories, draft, later=True)


def last_turns(payload: Payload, now: datetime) -> list[Turn]:
    """Return the last turns of a session: from its transcript, else from the event."""
    path = payload.text("transcript_path")
    turns = list(_of_transcript(path, now)) if path else []
    if not turns:
        said = {
            "user": payload.text("prompt"),
            "assistant": payload.text("prompt_response", "last_assistant_message"),
        }
        turns = [Turn(role, text) for role, text in said.items() if text]
    return turns[-_TURNS:]


def _of_transcript(path: str, now: datetime) -> Iterator[Turn]:
    """Yield the turns at the end of a transcript in JSON Lines, as Claude Code and Codex write it."""
    for line in _end_of_file(path).split(b"\n"):
        with suppress(ValueError, RecursionError):
            entry = json.loads(line)
            if isinstance(entry, dict) and (turn := _of_claude(entry, now) or _of_codex(entry, now)):
                yield turn


def _end_of_file(path: str) -> bytes:
    """Return the end of a file, from a whole line on; nothing if it is no regular file, or unreadable."""
    with suppress(OSError, ValueError):
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        with os.fdopen(descriptor, "rb") as file:
            state = os.fstat(descriptor)
            if not stat.S_ISREG(state.st_mode):
                return b""
            file.seek(max(0, state.st_size - _END))
            content = file.read(_END)
            return content if state.st_size <= _END else content.partition(b"\n")[2]
    return b""


def _of_claude(entry: dict[str, Any], now: datetime) -> Turn | None:
    message = entry.get("message")
    if entry.get("type") not in ("user", "assistant") or not isinstance(message, dict):
        return None
    if entry.get("isMeta") or entry.get("isSidechain"):
        return None
    return _turn(entry["type"], message.get("content"), entry.get("timestamp"), now)


def _of_codex(entry: dict[str, Any], now: datetime) -> Turn | None:
    said = entry.get("payload")
    roles = {"user_message": "user", "agent_message": "assistant"}
    if entry.get("type") != "event_msg" or not isinstance(said, dict):
        return None
    role = roles.get(str(said.get("type")))
    return _turn(role, said.get("message"), entry.get("timestamp"), now) if role else None


def _turn(role: str, content: Any, at: Any, now: datetime) -> Turn | None:
    """Return a turn with its words alone: without tools, their results and an agent's thoughts."""
    if isinstance(content, list):
        parts = [each for each in content if isinstance(each, dict) and each.get("type") == "text"]
        content = "\n".join(each["text"] for each in parts if isinstance(each.get("text"), str))
    if not isinstance(content, str) or not content.strip() or content.lstrip().startswith(_FRAMED):
        return None
    when = None
    with suppress(BadInput):
        when = times.parse_instant(at, now) if isinstance(at, str) else None
    return Turn(role, content, when)
