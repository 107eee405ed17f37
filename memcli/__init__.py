"""memcli: a personal memory store on its owner's machine.

from memcli import open_memories

with open_memories() as memories:
    memories.remember("The staging server listens on port 8443")
    for hit in memories.recall("where does staging run?").hits:
        print(hit.score, hit.memory.text)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from memcli.memories import Memories

__version__ = "0.1.0"
__all__ = ["__version__", "open_memories"]


def open_memories(path: str | Path | None = None, *, space: str | None = None) -> Memories:
    """Open a store: the one at `path`, else the configured one; made where there is none.

    Use it in a `with` block. Raises `memcli.errors.MemcliError`.
    """
    # Imported here so that `mem --version` does not load the store.
    from memcli import memories

    return memories.open_memories(path, space=space)
