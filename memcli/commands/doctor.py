"""`mem doctor`: is everything well?"""

from __future__ import annotations

import typer

from memcli.commands.terminal import options
from memcli.commands.terminal.findings import print_findings

EXAMPLES = """
mem doctor
mem doctor --json | jq -r .check
"""


def command(json: options.Json = False, db: options.Db = None) -> None:
    """Check that the store is sound, and say what to do where it is not.

    Exits 4 if anything is not well.
    """
    from memcli.upkeep.health import examine_store

    with options.opened_memories(db) as memories:
        well = print_findings(examine_store(memories), as_json=json)
    if not well:
        raise typer.Exit(4)
