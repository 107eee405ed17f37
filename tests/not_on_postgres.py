"""What `pytest --store postgres` leaves out, each with the reason why it cannot hold on a server.

A key is how an id begins: a folder, a file, a test.
"""

from __future__ import annotations

_OF_FILES = "it looks at the store's file, its log, or what stands beside it"
_COPIES = "backups and snapshots of a database are its operator's"

REASONS: dict[str, str] = {}


def reason_against(test: str) -> str | None:
    """Why a test, by its id, cannot hold; None where it can."""
    return next((reason for head, reason in REASONS.items() if test.startswith(head)), None)
