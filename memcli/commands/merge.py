"""`mem merge`: merge several memories into one."""

from typing import Annotated

import typer

from memcli.commands.terminal import options, output
from memcli.commands.terminal.changes import print_changed
from memcli.commands.terminal.store import opened_memories
from memcli.errors import BadInput
from memcli.text import printable

EXAMPLES = """
mem merge QP6W3B9Y Z29YK0QK --dry-run
mem merge QP6W3B9Y Z29YK0QK --text "Ann has a flat with a piano in Berlin"
"""


def command(
    fragments: options.Ids,
    text: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="The merged text. [default: the text with the highest confidence]"),
    ] = None,
    keep: Annotated[
        str | None, typer.Option(metavar="ID", help="Use the text of this one of those named.")
    ] = None,
    reason: options.Reason = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show the merged memory.")] = False,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Merge memories into one: tags united, uses summed, the old ones ended and linked."""
    from memcli.changes import revision

    if text is not None and keep is not None:
        raise BadInput("--text or --keep; one of them")
    with opened_memories(db, space) as memories:
        found = [memories.find(fragment) for fragment in dict.fromkeys(fragments)]
        wanted = text if keep is None else revision.kept_text(found, memories.find(keep))
        revision.check_mergeable(found)
        if dry_run:
            after = revision.merged_memory(memories, found, wanted)
        else:
            after = revision.merge_memories(memories, found, wanted, reason)
    if not dry_run:
        print_changed([after], "merged into", as_json=json)
    elif json:
        output.to_stdout(printable.json_line({**after.to_record(), "dry_run": True}))
    else:
        # The id is not printed: the real merge would create another one.
        output.to_stdout(f"would merge into: {printable.one_line(after.text, 100)}")
