"""`mem path`: print where the store is."""

from pathlib import Path
from typing import Annotated

import typer

from memcli.commands.terminal import options, output
from memcli.config.config import Config
from memcli.errors import BadInput
from memcli.messages import Command, message
from memcli.text import printable

EXAMPLES = """
mem path
sqlite3 "$(mem path)" 'select text from facts limit 3'
cp "$(mem path)" copy.db
mem path --datasette > metadata.json   # then: datasette "$(mem path)" -m metadata.json
"""


def command(
    datasette: Annotated[
        bool, typer.Option("--datasette", help="Print metadata about its tables for Datasette, as JSON.")
    ] = False,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Print where the store is: its file, or its address without a password."""
    where = db or Config()["db"]
    if datasette:
        from json import dumps

        from memcli.views.datasette import datasette_metadata

        if not isinstance(where, Path):
            raise BadInput(
                message(
                    f"{where}: Datasette opens files; export into one (",
                    Command("copy-store", bare=True),
                    ")",
                )
            )
        output.to_stdout(dumps(datasette_metadata(where.stem), indent=2, ensure_ascii=False))
        return
    exists = where.exists() if isinstance(where, Path) else None
    output.to_stdout(printable.json_line({"path": str(where), "exists": exists}) if json else str(where))
