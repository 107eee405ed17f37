"""Claude Code's transcripts: `~/.claude/projects/<folder>/<session>.jsonl`, one, or a folder of them.

What its user typed and what it answered; not what tools printed, nor what the program slipped in (reminders,
commands, meta lines), nor what its subagents said among themselves.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from memcli.errors import BadInput
from memcli.importers import fields
from memcli.importers.files import File, files_of, head_of, heads_of
from memcli.importers.json_stream import read_lines
from memcli.importers.records import Problem, Record, Source, Turn

_SLIPPED_IN = re.compile(
    r"<(system-reminder|command-name|command-message|command-args|local-command-stdout|local-command-stderr"
    r"|local-command-caveat|bash-input|bash-stdout|bash-stderr|user-prompt-submit-hook)>.*?</\1>",
    re.DOTALL,
)
_INTERRUPTED = re.compile(r"\[Request interrupted by user[^\]]*\]")


def _wanted(name: str) -> bool:
    return name.endswith(".jsonl") and "subagents/" not in name and not Path(name).name.startswith("agent-")


def guess(path: Path) -> bool:
    """Whether its lines have a `sessionId`, and a message with a `uuid`."""
    if path.is_dir():
        return any(map(_fits, heads_of(path, _wanted)))
    return path.suffix == ".jsonl" and _fits(head_of(path).decode("utf-8", "replace"))


def _fits(head: str) -> bool:
    return '"sessionId"' in head and ('"uuid"' in head or '"leafUuid"' in head)


def read(path: Path) -> Iterator[Record]:
    """The turns of each transcript, the lines of one message as one turn."""
    some = False
    for file in files_of(path, _wanted):
        some = True
        if isinstance(file, Problem):
            yield file
            continue
        try:
            yield from _joined(_turns(file))
        except BadInput as error:
            yield Problem(file.place, str(error))
    if not some:
        raise BadInput(f"{path}: holds no transcript (*.jsonl)")


def _turns(file: File) -> Iterator[Record]:
    title = ""
    for number, line in read_lines(file):
        place = f"{file.place}: line {number}"
        if not isinstance(line, dict):
            yield Problem(place, str(line) if isinstance(line, BadInput) else "not a JSON object")
            continue
        title = fields.text(line, "summary", "customTitle", "aiTitle") or title
        if line.get("type") not in ("user", "assistant") or line.get("isMeta") or line.get("isSidechain"):
            continue
        if line.get("isCompactSummary"):
            continue
        message = fields.mapping(line, "message")
        text = _typed(fields.content_text(message.get("content")))
        if not text:
            continue
        said_id = fields.text(message, "id") if line["type"] == "assistant" else ""
        yield Turn(
            place, fields.text(line, "sessionId") or file.stem, title or _folder(line),
            said_id or fields.text(line, "uuid") or str(number), line["type"], text,
            fields.instant(line.get("timestamp")), _data(line, message),
        )  # fmt: skip


def _typed(text: str) -> str:
    return _INTERRUPTED.sub("", _SLIPPED_IN.sub("", text)).strip()


def _folder(line: Mapping[str, Any]) -> str:
    return re.split(r"[/\\]", fields.text(line, "cwd").rstrip("/\\"))[-1]


def _data(line: Mapping[str, Any], message: Mapping[str, Any]) -> dict[str, str]:
    given = {"cwd": fields.text(line, "cwd"), "branch": fields.text(line, "gitBranch")}
    given["model"] = fields.text(message, "model")
    return {name: text for name, text in given.items() if text}


def _joined(records: Iterator[Record]) -> Iterator[Record]:
    """Turns, of which those that follow each other under one id are one."""
    waiting: Turn | None = None
    for record in records:
        if isinstance(record, Turn):
            if waiting and (waiting.conversation, waiting.id) == (record.conversation, record.id):
                waiting = waiting._replace(text=f"{waiting.text}\n\n{record.text}")
                continue
            if waiting:
                yield waiting
            waiting = record
        else:
            yield record
    if waiting:
        yield waiting


SOURCE = Source("claude-code", "Claude Code's transcripts: a file, or ~/.claude/projects.", guess, read)
