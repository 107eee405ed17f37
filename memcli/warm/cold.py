"""Cold calls: those that a keeper never does, as they take over the terminal or wait for a person at it."""

from __future__ import annotations

import sys
from collections.abc import Collection

_OWN = "it is about the keeper itself"
_RUNS = "another program runs in its place, with its terminal and its signals"
_EDITS = "an editor gets the terminal"
_LARGE = "it multiplies large matrices on all cores, and the keeper's numpy has one"
# Commands and options that always run cold, by their words on the command line, and why.
ALWAYS: dict[tuple[str, ...], str] = {
    ("warm",): _OWN,
    ("mcp",): "it stays, and is warm itself",
    ("watch",): "it stays",
    ("browse",): "it stays, and takes the terminal",
    ("config", "set"): _OWN,
    ("config", "unset"): _OWN,
    ("audit",): _LARGE,
    ("consolidate",): _LARGE,
    ("reindex",): _LARGE,
    ("checkpoint", "run"): _RUNS,
    ("procedure", "add"): _EDITS,
    ("procedure", "edit"): _EDITS,
    ("policy", "edit"): _EDITS,
}
# Commands that ask at a terminal: one in the background must be stopped by it, which happens only to a
# process of the terminal's own session.
AT_A_TERMINAL: tuple[tuple[str, ...], ...] = (
    ("backup", "restore"),
    ("block", "delete"),
    ("checkpoint", "clear"),
    ("forget",),
    ("remember", "--extract"),
    ("session", "clear"),
    ("snapshot", "drop"),
    ("snapshot", "rollback"),
    ("space", "forget"),
)


# Commands that start a pager if stdout is a terminal.
PAGED: tuple[tuple[str, ...], ...] = (("help",), ("list",))


def runs_cold(words: Collection[str]) -> bool:
    """True if the caller has to run a command line of these words (commands and options) itself."""
    rows = [*ALWAYS]
    if any(stream and stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr)):
        rows += AT_A_TERMINAL
    if sys.stdout and sys.stdout.isatty():
        rows += PAGED
    return any(set(row) <= set(words) for row in rows)
