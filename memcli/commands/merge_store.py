"""`mem merge-store`: merge another store's file into this store."""

from typing import Annotated, Any

import typer

from memcli.commands.terminal import options, output
from memcli.commands.terminal.places import PlaceType
from memcli.commands.terminal.progress import progress_bar
from memcli.commands.terminal.store import opened_memories
from memcli.config.location import file_of
from memcli.messages import Command, message
from memcli.text import printable

EXAMPLES = """
mem merge-store --dry-run attic.db
mem merge-store attic.db             # that file stays as it is
"""

_AS_FILE = message("a server's store is taken in from a file; ", Command("copy-store"), " makes one of it")


def command(
    other: Annotated[
        Any, typer.Argument(metavar="OTHER", click_type=PlaceType(), help="The file of another store.")
    ],
    space: Annotated[
        list[str] | None,
        typer.Option("--space", metavar="NAME", help="Only this space (repeatable); else all of them."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Take in even what the policy refuses.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be done.")] = False,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Merge in all that another store knows, by the rules of `mem sync`; its file stays as it is.

    A memory of both is kept once, with both histories; for each field the later change wins;
    what was erased in either is erased. Exits 2 if something could not be read, 3 if
    the policy refused something.
    """
    from memcli.commands.sync import checked_spaces, raise_for, taken_lines, tell_problems
    from memcli.sync.merge_store import merge_store

    with (
        opened_memories(db, create=True, dry_run=dry_run) as memories,
        progress_bar("merging") as progress,
    ):
        report = merge_store(
            memories, file_of(other, _AS_FILE), spaces=checked_spaces(space), force=force, dry_run=dry_run,
            progress=progress,
        )  # fmt: skip
    if json:
        output.to_stdout(printable.json_line(report.to_record()))
    else:
        lines = taken_lines(report.taken, dry_run=dry_run)
        if report.erased:
            lines.append(f"erased for good, as they were there: {report.erased.number:,}")
        for line in lines:
            output.to_stdout(line)
        tell_problems(report)
    raise_for(report)
