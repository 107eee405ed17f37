"""`mem path`: where the store is."""

from __future__ import annotations

from memcli.commands.terminal import options, output
from memcli.config.config import Config
from memcli.text import printable

EXAMPLES = """
mem path
sqlite3 "$(mem path)" 'select text from facts limit 3'
cp "$(mem path)" copy.db
"""


def command(json: options.Json = False, db: options.Db = None) -> None:
    """Print the path of the store's file."""
    path = db or Config()["db"]
    output.to_stdout(printable.json_line({"path": str(path), "exists": path.exists()}) if json else str(path))
