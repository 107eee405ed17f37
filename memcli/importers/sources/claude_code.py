"""Claude Code importer: `~/.claude/projects/<folder>/<session>.jsonl`, one file or a folder of them.

What the user typed, also while the model was working, and what the model answered; not the output of tools,
nor what the program inserted (reminders, meta lines, its own errors), nor conversations of subagents.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from memcli.errors import BadInput
from memcli.importers import fields
from memcli.importers.files import File, head_of
from memcli.importers.json_stream import read_lines
from memcli.importers.records import Problem, Record, Turn
from memcli.importers.source import Source

_SLIPPED_IN = re.compile(
    r"<(system-reminder|command-name|command-message|command-args|local-command-stdout|local-command-stderr"
    r"|local-command-caveat|bash-input|bash-stdout|bash-stderr|user-prompt-submit-hook|user-memory-input"
    r"|ide_opened_file|ide_selection|ide_diagnostics|task-notification|new-diagnostics)>.*?</\1>",
    re.DOTALL,
)
_COMMAND = re.compile(r"<command-name>/?(.*?)</command-name>", re.DOTALL)
_ARGUMENTS = re.compile(r"<command-args>\s*(\S.*?)\s*</command-args>", re.DOTALL)
# Fields with a session's title: given by its user, by the model, or as a summary of the branch ending there.
_TITLED = re.compile(rb'"(?:customTitle|aiTitle|summary)"\s*:')
_WHILE_IT_WORKED = ("queue-operation", "attachment")
# The model name of messages that the program itself wrote as the model's.
_SYNTHETIC = "<synthetic>"
_INTERRUPTED = re.compile(r"\[Request interrupted by user[^\]]*\]")


def _wanted(name: str) -> bool:
    return name.endswith(".jsonl") and "subagents/" not in name and not Path(name).name.startswith("agent-")


def guess(path: Path) -> bool:
    """True if the lines have a `sessionId`, and a message with a `uuid`."""
    return path.suffix == ".jsonl" and _fits(head_of(path).decode("utf-8", "replace"))


def _fits(head: str) -> bool:
    return '"sessionId"' in head and ('"uuid"' in head or '"leafUuid"' in head)


def records(file: File) -> Iterator[Record]:
    """Yield the turns of a transcript, with the lines of one message joined into one turn."""
    return _joined(_turns(file))


def _turns(file: File) -> Iterator[Record]:
    title = _title(file)
    taken_up: set[str] = set()
    for number, line in read_lines(file):
        place = f"{file.place}: line {number}"
        if not isinstance(line, dict):
            yield Problem(place, str(line) if isinstance(line, BadInput) else "not a JSON object")
            continue
        role, content = _said(line)
        text = _typed(fields.content_text(content))
        if not text:
            continue
        if line["type"] in _WHILE_IT_WORKED:
            # Two lines may report it, one of them without its words.
            if text in taken_up:
                continue
            taken_up.add(text)
        message = fields.mapping(line, "message")
        yield Turn(
            place, fields.text(line, "sessionId") or file.stem, title or _folder(line),
            fields.text(line, "uuid") or str(number), role, text, fields.when(line, "timestamp"),
            _data(line, message),
        )  # fmt: skip


def _title(file: File) -> str:
    """Return a session's title: the user's name for it, else the model's, else a summary of its own lines."""
    named: dict[str, str] = {}
    for _, line in read_lines(file, _TITLED):
        if isinstance(line, dict):
            for name in ("customTitle", "aiTitle"):
                named[name] = fields.text(line, name) or named.get(name, "")
            if line.get("type") == "summary" and (leaf := fields.text(line, "leafUuid")):
                named[leaf] = fields.text(line, "summary")
    title = named.pop("customTitle", "") or named.pop("aiTitle", "")
    if title or not named:
        return title
    # A file may begin with summaries of other sessions, too.
    leaves = re.compile(
        b'"uuid"\\s*:\\s*"(?:' + b"|".join(re.escape(each.encode()) for each in named) + b')"'
    )
    own = [fields.text(line, "uuid") for _, line in read_lines(file, leaves) if isinstance(line, dict)]
    return next((named[each] for each in reversed(own) if each in named), "")


def _said(line: Mapping[str, Any]) -> tuple[str, object]:
    """Return the role and the content of a line; no content if nobody said it."""
    kind, message = line.get("type"), fields.mapping(line, "message")
    if kind == "queue-operation":
        # Typed while the model was working, and taken up at once: no user line repeats it.
        taken = line.get("operation") == "remove" and line.get("reason") in (None, "absorbed_mid_turn")
        return "user", line.get("content") if taken else None
    if kind == "attachment":
        queued = fields.mapping(line, "attachment")
        human = fields.text(queued.get("origin"), "kind") in ("", "human")
        return "user", queued.get("prompt") if queued.get("type") == "queued_command" and human else None
    if kind not in ("user", "assistant") or line.get("isMeta") or line.get("isSidechain"):
        return "", None
    if line.get("isCompactSummary") or line.get("isApiErrorMessage") or message.get("model") == _SYNTHETIC:
        return "", None
    return str(kind), message.get("content")


def _typed(text: str) -> str:
    command, arguments = _COMMAND.search(text), _ARGUMENTS.search(text)
    text = _INTERRUPTED.sub("", _SLIPPED_IN.sub("", text)).strip()
    if command and arguments:
        # The arguments typed after a command are kept; a command alone says nothing.
        text = f"/{command[1].strip()} {arguments[1]}\n\n{text}".strip()
    return text


def _folder(line: Mapping[str, Any]) -> str:
    return re.split(r"[/\\]", fields.text(line, "cwd").rstrip("/\\"))[-1]


def _data(line: Mapping[str, Any], message: Mapping[str, Any]) -> dict[str, str]:
    given = {"cwd": fields.text(line, "cwd"), "branch": fields.text(line, "gitBranch")}
    given["model"] = fields.text(message, "model")
    given["message"] = fields.text(message, "id")
    return {name: text for name, text in given.items() if text}


def _joined(records: Iterator[Record]) -> Iterator[Record]:
    """Join consecutive turns that belong to the same message."""
    waiting: Turn | None = None
    for record in records:
        if isinstance(record, Turn):
            message = record.data.get("message")
            if waiting and message and waiting.data.get("message") == message:
                waiting = waiting._replace(text=f"{waiting.text}\n\n{record.text}")
                continue
            if waiting:
                yield _without_message(waiting)
            waiting = record
        else:
            yield record
    if waiting:
        yield _without_message(waiting)


def _without_message(turn: Turn) -> Turn:
    return turn._replace(data={name: value for name, value in turn.data.items() if name != "message"})


SOURCE = Source(
    "claude-code",
    "Claude Code's transcripts: a file, or ~/.claude/projects.",
    guess,
    records,
    ".jsonl",
    _wanted,
    aside=((r"(?:.*/)?subagents/.*|agent-[^/]*\.jsonl", "what subagents said among themselves"),),
    nothing="holds no transcript (*.jsonl)",
)
