"""Cursor importer: transcripts in `~/.cursor/projects/<folder>/agent-transcripts/<id>/<id>.jsonl`.

Reads one transcript, a folder of them, or the database in which the editor keeps its chats
(`memcli.importers.cursor_state`). A transcript line holds only a role and a text: turns are identified by
their line, and only what was typed has a time. Subagents are left out. Cursor's rules are read by another
source (`memcli.importers.rules`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path, PurePosixPath

from memcli.errors import BadInput
from memcli.importers import fields
from memcli.importers.files import File, files_of, head_of, read_each
from memcli.importers.json_stream import read_lines
from memcli.importers.records import Cleared, Only, Problem, Record, Turn, UnreadTime, When, known
from memcli.importers.source import Source
from memcli.importers.sources.cursor_state import is_state, read_state
from memcli.importers.sqlite_file import MAGIC

_LINE = re.compile(r'\s*\{\s*"role"\s*:\s*"(?:user|assistant)"\s*,\s*"message"\s*:\s*\{\s*"content"')
_TYPED = re.compile(r"<user_query>(.*)</user_query>", re.DOTALL)
# Inserted text begins right after the tag; typed text, on a line of its own or after a time.
_SLIPPED_IN = re.compile(
    r"(?:The (?:beginning of the )?above subagent result is already visible"
    r"|Briefly inform the user about the task result)"
)
_TIMED = re.compile(r"<timestamp>\s*(.*?)\s*</timestamp>", re.DOTALL)
# `Friday, May 8, 2026, 6:05 AM (UTC+5:30)`
_TIME = re.compile(
    r"(?:\w+, )?(\w{3})\w* (\d{1,2}),? (\d{4}),? (\d{1,2}):(\d\d) ([AP])M"
    r"(?: \(UTC(?:([+-])(\d{1,2})(?::(\d\d))?)?\))?"
)
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
# Elements around typed text that is not marked as such.
_AROUND = re.compile(
    r"<(timestamp|image_files|uploaded_documents|attached_files|open_and_recently_viewed_files|user_info"
    r"|system_reminder|git_status|project_layout|agent_skills|rules)>.*?</\1>",
    re.DOTALL,
)
# Cursor's placeholder for what it does not show.
_REDACTED = re.compile(r"\n*\[REDACTED\]\s*\Z")


def _wanted(name: str) -> bool:
    return (name.endswith(".jsonl") and "subagents/" not in name) or _is_state_file(name)


def _is_state_file(name: str) -> bool:
    return name.endswith(".vscdb")


def guess(path: Path) -> bool:
    """True if its lines are a role and a message and nothing else, or it is the editor's own database."""
    if head_of(path).startswith(MAGIC):
        return is_state(path)
    return path.suffix == ".jsonl" and _LINE.match(head_of(path).decode("utf-8", "replace")) is not None


def read(path: Path, only: Only, _: Cleared) -> Iterator[Record]:
    """Yield the turns of each transcript."""

    def records(file: File) -> Iterator[Record]:
        if head_of(Path(file.place)).startswith(MAGIC):
            return _of_state(Path(file.place), alone=path.is_file())
        if _is_state_file(file.name):
            raise BadInput("is not a database that can be read where it is; unpack it first")
        return _turns(file)

    nothing = f"{path}: holds no transcript (*.jsonl) and no state.vscdb"
    yield from read_each(files_of(path, _wanted, only), records, nothing=nothing)


def _of_state(path: Path, *, alone: bool) -> Iterator[Record]:
    some = False
    for each in read_state(path):
        some = True
        yield each
    if alone and not some:
        raise BadInput(
            "holds no Cursor chats in a known format; since 2025 they are in "
            "Cursor/User/globalStorage/state.vscdb"
        )


def _turns(file: File) -> Iterator[Record]:
    title = _project(file)
    at: When = None
    for number, line in read_lines(file):
        place = f"{file.place}: line {number}"
        if not isinstance(line, dict):
            yield Problem(place, str(line) if isinstance(line, BadInput) else "not a JSON object")
            continue
        role = fields.text(line, "role")
        if role not in ("user", "assistant"):
            continue
        content = fields.mapping(line, "message").get("content") or line.get("content")
        text = fields.content_text(content)
        if role == "user":
            if timed := _TIMED.search(text):
                at = _instant(timed[1]) or UnreadTime(f"timestamp: {timed[1]!r:.40}", known(at))
            text = _typed(text)
        else:
            text = _REDACTED.sub("", text).strip()
        if text:
            yield Turn(place, file.stem, title, str(number), role, text, at)
            # Later turns use this time: they have none of their own that could be reported.
            at = known(at)


def _project(file: File) -> str:
    """Return the folder that a session was held in, in Cursor's spelling: `home-ann-boat`."""
    parts = PurePosixPath(Path(file.place).as_posix()).parts
    if "agent-transcripts" in parts[1:]:
        return parts[parts.index("agent-transcripts") - 1]
    return ""


def _typed(text: str) -> str:
    found = _TYPED.search(text)
    if found is None:
        return _AROUND.sub("", text).strip()
    return "" if _SLIPPED_IN.match(found[1]) else found[1].strip()


def _instant(text: str) -> datetime | None:
    found = _TIME.fullmatch(text)
    if found is None or found[1] not in _MONTHS:
        return fields.instant(text)
    hour = int(found[4]) % 12 + (12 if found[6] == "P" else 0)
    ahead = timedelta(hours=int(found[8] or 0), minutes=int(found[9] or 0)) * (-1 if found[7] == "-" else 1)
    try:
        month = _MONTHS.index(found[1]) + 1
        told = datetime(int(found[3]), month, int(found[2]), hour, int(found[5]), tzinfo=timezone(ahead))
        return told.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


SOURCE = Source(
    "cursor",
    "Cursor's transcripts (~/.cursor/projects), or its chats (state.vscdb).",
    guess,
    suffix=".jsonl",
    wants=_wanted,
    aside=((r"(?:.*/)?subagents/.*", "what subagents said among themselves"),),
    read_path=read,
)
