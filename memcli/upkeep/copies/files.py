"""A copy of a store is a file. What a server keeps is copied by whoever runs that."""

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
    """The file of an open store. Raises BadInput where a server keeps it."""
    if store.path is None:
        raise BadInput(ON_SERVER, about=store.location)
    return store.path
