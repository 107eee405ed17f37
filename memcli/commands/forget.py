"""`mem forget`: take memories out of every recall."""

from __future__ import annotations

from typing import Annotated

import typer

from memcli import ids, output
from memcli.commands import options


def command(
    fragments: options.Ids,
    reason: Annotated[str, typer.Option(help="Why, for the record.")] = "forgotten",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be forgotten.")] = False,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Take memories out of every recall; `restore` brings them back.

    All or none: an id that is unknown or ambiguous leaves every one as it was.
    """
    with options.opened(db) as memories:
        found = [memories.find(fragment) for fragment in dict.fromkeys(fragments)]
        if not dry_run:
            memories.end(list(dict.fromkeys(memory.id for memory in found)), reason)
            found = memories.store.get([memory.id for memory in found])
    for memory in {memory.id: memory for memory in found}.values():
        if json:
            output.to_stdout(output.json_line(memory.to_record()))
        elif output.for_people():
            verb = "would forget" if dry_run else "forgotten, restorable"
            output.to_stdout(f"{verb}: {ids.tail(memory.id)}  {output.one_line(memory.text)[:100]}")
        else:
            output.to_stdout(memory.id)
