"""`mem correct`: replace the text of a memory."""

from typing import Annotated

import typer

from memcli.commands.terminal import options
from memcli.commands.terminal.decisions import print_decision
from memcli.commands.terminal.input import text_argument
from memcli.commands.terminal.store import opened_memories
from memcli.write_policy.settings import WriteOptions

EXAMPLES = """
mem correct QP6W3B9Y "Ann lives in Paris" --reason "she moved"
echo "Ann lives in Rome" | mem correct QP6W3B9Y --dry-run
"""


def command(
    fragment: options.Id,
    text: Annotated[
        list[str] | None,
        typer.Argument(metavar="TEXT…", help="The new text; '-' or nothing reads stdin."),
    ] = None,
    reason: options.Reason = None,
    redact: Annotated[bool, typer.Option("--redact", help="Keep it, with its secrets removed.")] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Override the write policy; this goes on record.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what would be decided; change nothing.")
    ] = False,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Replace what a memory says; the old one stays on record.

    A new memory supersedes it and takes over kind, tags, importance and
    session. Of a memory that was corrected before, the current version is
    replaced.
    """
    from memcli.changes import revision

    with opened_memories(db, space) as memories:
        memory = memories.find(fragment)
        how = WriteOptions(force=force, redact=redact, reason=reason)
        new = text_argument(text, "put in its place")
        decision = revision.correct_memory(memories, memory, new, how, dry_run=dry_run)
    print_decision(decision, memories, as_json=json, dry_run=dry_run)
