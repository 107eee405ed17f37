"""Sources: the register of importers by name, and the guess which of them a path belongs to."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

from memcli.errors import BadInput
from memcli.importers.file_kinds import is_binary, kind_of, kind_of_archive, refusal
from memcli.importers.files import head_of, is_zip
from memcli.importers.source import Source
from memcli.importers.sqlite_file import MAGIC

# The beginning of memcli's own export, encrypted or not.
_OWN = re.compile(
    rb"\s*(?:\xef\xbb\xbf)?\s*"
    rb'(?:\{"format": ?"memcli"|age-encryption\.org/|-----BEGIN AGE|\{\s*"records"\s*:)'
)
# Binary formats that only their program can interpret, by their first bytes.
_CLOSED = {b"PK\x03\x04": "a ZIP archive", b"PK\x05\x06": "an empty ZIP archive", MAGIC: "a database"}
# Modules by source name; the first whose guess fits is taken, so the most distinctive ones come first.
MODULES = {
    "chatgpt": "chatgpt",
    "claude": "claude",
    "claude-code": "claude_code",
    "codex": "codex",
    "cursor": "cursor",
    "claude-memory": "claude_memory",
    "memory-server": "memory_server",
    "mcp-memory-service": "mcp_memory_service",
    "mem0": "mem0",
    "llm": "llm_log",
    "letta": "letta",
    "rules": "rules",
    "basic-memory": "basic_memory",
    "obsidian": "obsidian",
    "markdown": "markdown_notes",
    "csv": "csv_table",
    "text": "text_notes",
}


def source_named(name: str) -> Source:
    """Return the source of that name. Raises BadInput that lists all names."""
    if name not in MODULES:
        from memcli.text.spelling import did_you_mean

        meant = did_you_mean(name, MODULES)
        raise BadInput(f"unknown source {name!r:.60}; {meant}one of {', '.join(MODULES)}")
    found: Source = import_module(f"memcli.importers.sources.{MODULES[name]}").SOURCE
    return found


def is_own_export(path: Path) -> bool:
    """True if a file is memcli's own export, or looks like one."""
    return is_own(head_of(path))


def is_own(head: bytes) -> bool:
    """True if a file that begins like this is memcli's own export."""
    return _OWN.match(head) is not None


def guess_source(path: Path) -> Source | None:
    """Return the source that a file looks like; None if it fits none, or is memcli's own export."""
    if is_own_export(path):
        return None
    return next((each for name in MODULES if (each := source_named(name)).guess(path)), None)


def check_chosen(path: Path) -> None:
    """Raise BadInput for a file that no source can read, whichever was named: a picture, a document."""
    head = head_of(path)
    kind = kind_of_archive(path) if is_zip(path) else None
    if kind is None and is_binary(head) and not _closed(head) and not is_own(head):
        kind = kind_of(head)
    if kind:
        raise refusal(kind, str(path))


def check_open(path: Path) -> None:
    """Raise BadInput for a file that is not JSON, encrypted or not, with what it seems to be.

    An archive or a database can only be read if its source is known.
    """
    check_chosen(path)
    head = head_of(path)
    if what := _closed(head):
        raise BadInput(
            f"{what} from no known program, or damaged",
            about=path,
            by_hand="--from says whose it is",
        )
    if not is_own(head) and (kind := kind_of(head)):
        raise refusal(kind, str(path))


def _closed(head: bytes) -> str | None:
    return next((what for magic, what in _CLOSED.items() if head.startswith(magic)), None)
