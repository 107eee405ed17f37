"""`mem doctor`: check that the store is sound, and repair it."""

from pathlib import Path
from typing import Annotated

import typer

from memcli.commands.terminal import options
from memcli.commands.terminal.findings import print_findings, print_repair
from memcli.commands.terminal.store import opened_memories, store_file, store_location
from memcli.errors import BadInput, StoreDamaged
from memcli.messages import Command, message

EXAMPLES = """
mem doctor
mem doctor --json | jq -r .check
mem doctor --repair             # what is derived anew, what is proven mended; nothing is destroyed
mem doctor --repair --accept    # rows that nothing proves, taken as they are
"""

_UNMENDED = message(
    "rows in a server's database are not mended in place: have its operator restore a backup; ",
    Command("reindex"),
    " makes anew what is derived",
)


def command(
    repair: Annotated[
        bool, typer.Option("--repair", help="Repair what can be repaired; the damaged file is kept.")
    ] = False,
    accept: Annotated[
        bool,
        typer.Option(
            "--accept",
            help="With --repair: keep damaged rows as they are where nothing proves what they said.",
        ),
    ] = False,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Check that the store is sound, and say what to do if it is not.

    Each row is compared with its digest, and derived data with its source. Once
    the file is found damaged, nothing is written to it without --force until it
    is mended. Exits 4 if anything is not well.
    """
    from memcli.upkeep.health import damaged_file, examine_store, mend_store

    if accept and not repair:
        raise BadInput(
            message("--accept goes with --repair: ", Command("doctor", "--repair --accept", bare=True))
        )
    if repair:
        print_repair(mend_store(store_file(db, _UNMENDED), accept=accept), as_json=json)
    try:
        with opened_memories(db) as memories:
            well = print_findings(examine_store(memories), as_json=json)
    except StoreDamaged as error:
        file = store_location(db)
        if not isinstance(file, Path):
            raise
        well = print_findings(damaged_file(file, error), as_json=json)
    if not well:
        raise typer.Exit(4)
