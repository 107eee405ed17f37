"""`mem unlink`: remove a link between two entities."""

from typing import Annotated

import typer

from memcli.commands.terminal import options, output
from memcli.commands.terminal.store import opened_memories
from memcli.text import printable

EXAMPLES = """
mem unlink Bob lives_in Oslo --dry-run
mem unlink Bob lives_in Oslo --reason "it was another Bob"
mem unlink --hard Bob lives_in Oslo   # gone, with a receipt
"""


def command(
    subject: Annotated[str, typer.Argument(metavar="A")],
    relation: Annotated[str, typer.Argument(metavar="RELATION")],
    obj: Annotated[str, typer.Argument(metavar="B")],
    reason: Annotated[str | None, typer.Option(help="The reason, kept on record.")] = None,
    hard: Annotated[
        bool, typer.Option("--hard", help="Erase it for good, ended before or not, with a receipt.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be unlinked.")] = False,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Remove a link, as if it had been wrong; `mem link` revives it.

    For what was true and no longer is, use `mem link A RELATION B --until TIME`.
    With --hard no record of it is left.
    """
    from memcli.graph import walk
    from memcli.graph.drawing import link_record
    from memcli.graph.link_changes import find_links, unlink_entities
    from memcli.graph.links import link_statement

    with opened_memories(db, space) as memories:
        if hard and not dry_run:
            from memcli.changes.forgetting.targets import Targets
            from memcli.commands.terminal.receipts import print_receipt
            from memcli.sync.erasures.everywhere import erase_everywhere

            found = find_links(memories, subject, relation, obj)
            targets = Targets(links=frozenset(link.id for link in found))
            print_receipt(erase_everywhere(memories, targets, reason), as_json=json)
            return
        ended = unlink_entities(memories, subject, relation, obj, reason=reason, dry_run=dry_run)
        told = walk.evidence_memories(memories.store, ended)
    for each in ended:
        if json:
            output.to_stdout(printable.json_line(link_record(each, told)))
        elif output.stdout_is_terminal():
            verb = "would unlink" if dry_run else "unlinked"
            output.to_stdout(f"{verb}: {printable.one_line(link_statement(each))}")
        else:
            output.to_stdout(each.id)
