"""Settings files of other programs: make a change, and print it."""

from __future__ import annotations

from collections.abc import Mapping

from memcli.agents.settings.files import FileChange
from memcli.agents.settings.hooks import left_behind
from memcli.commands.terminal import output
from memcli.messages import Command, message
from memcli.text import printable


def print_change(change: FileChange, what: str, *, dry_run: bool, as_json: bool) -> None:
    """Make a change and say so; with `dry_run` print its diff, and change nothing. Raises BadInput."""
    kept = None if dry_run else change.apply()
    if as_json:
        record = {
            "file": str(change.path), "changed": change.changes and not dry_run,
            "backup": str(kept) if kept else None, **({"diff": change.diff()} if dry_run else {}),
        }  # fmt: skip
        output.to_stdout(printable.json_line(record))
    elif not change.changes:
        output.to_stderr(f"{what}: nothing to change in {printable.one_line(str(change.path))}")
    elif dry_run:
        output.to_stdout(printable.printable(change.diff()).removesuffix("\n"))
    else:
        output.to_stdout(printable.one_line(str(change.path)))
        if kept:
            output.to_stderr(f"as it was: {printable.one_line(str(kept))}")


def tell_left_behind(environment: Mapping[str, str]) -> None:
    """Say which of these environment variables the installed hooks run without."""
    if some := left_behind(environment):
        output.to_stderr(
            message(f"the hooks run without {', '.join(some)}; ", Command("config set"), " sets it for all")
        )
