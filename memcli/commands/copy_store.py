"""`mem copy-store`: copy a whole store to another file or database."""

from typing import Annotated, Any

import typer

from memcli.commands.terminal import options, output
from memcli.commands.terminal.places import PlaceType
from memcli.commands.terminal.progress import progress_bar
from memcli.config.config import Config
from memcli.text import printable

EXAMPLES = """
mem copy-store "$(mem path)" moved.db         # FROM and TO may be addresses: postgresql://ann@host/notes
mem copy-store moved.db again.db --json | jq .memories
"""


def command(
    source: Annotated[
        Any,
        typer.Argument(
            metavar="FROM", click_type=PlaceType(), help="The store: a file path, or a database address."
        ),
    ],
    target: Annotated[
        Any,
        typer.Argument(
            metavar="TO",
            click_type=PlaceType(),
            help="The new store: a file path, or a database address. Nothing may be there yet.",
        ),
    ],
    plain: Annotated[
        bool, typer.Option("--plain", help="Copy even an encrypted store; the copy is not encrypted.")
    ] = False,
    json: options.Json = False,
) -> None:
    """Copy a whole store to another place: a file, or a database on a server.

    Everything is copied: memories with their vectors, ended ones too, links, history, blocks, tasks and all
    else. FROM stays as it is. TO is no store until all of it is there and proven the same, by counts and
    digests; if interrupted, the same command goes on from there. Exits 2 if something is at TO already.
    """
    from memcli.upkeep.moving.whole_store import copy_store

    with progress_bar("copying") as progress:
        done = copy_store(source, target, Config(), plain=plain, progress=progress)
    if json:
        record = {"from": str(source), "to": str(target), **done.to_record()}
        output.to_stdout(printable.json_line(record))
        return
    counts = ", ".join(f"{name} {each.rows:,}" for name, each in done.parts.items())
    output.to_stdout(
        printable.one_line(f"copied {source} to {target}: {counts}; all of it is the same there")
    )
