"""`mem path`: where the store is."""

from __future__ import annotations

from memcli import output
from memcli.commands import options
from memcli.config import Config


def command(json: options.Json = False, db: options.Db = None) -> None:
    """Print the path of the store's file."""
    path = db or Config()["db"]
    output.to_stdout(output.json_line({"path": str(path), "exists": path.exists()}) if json else str(path))
