"""`mem path`: where the store is."""

from __future__ import annotations

from pathlib import Path

from memcli.commands.terminal import options, output
from memcli.config.config import Config
from memcli.text import printable

EXAMPLES = """
mem path
sqlite3 "$(mem path)" 'select text from facts limit 3'
cp "$(mem path)" copy.db
"""


def command(json: options.Json = False, db: options.Db = None) -> None:
    """Print where the store lies: its file, or its address without a password."""
    where = db or Config()["db"]
    exists = where.exists() if isinstance(where, Path) else None
    output.to_stdout(printable.json_line({"path": str(where), "exists": exists}) if json else str(where))
