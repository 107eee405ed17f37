"""Files of stores, which can be copied; a server's database is copied by its operator."""

from __future__ import annotations

from pathlib import Path

from memcli.errors import BadInput
from memcli.messages import Command, message
from memcli.storage import Store

ON_SERVER = message(
    "a server's database is backed up by its operator (pg_dump, base backups); ",
    Command("copy-store"), " keeps its state in a file, ", Command("export"), " its memories",
)  # fmt: skip


def file_of_store(store: Store) -> Path:
    """Return the file of an open store. Raises BadInput if a server keeps it."""
    if store.path is None:
        raise BadInput(ON_SERVER, about=store.location)
    return store.path
