"""A store's file with something in it, and what its engine says where it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest
import sqlcipher3.dbapi2 as sqlite

from memcli.memories import Memories


@pytest.fixture
def kept(memories: Memories) -> Path:
    """The file of a store that has a memory."""
    memories.remember("the mill grinds rye")
    memories.store.close()
    return Path(memories.store.location)


def refused(code: int, words: str = "so it is") -> sqlite.OperationalError:
    """What the engine raises with a code (https://www.sqlite.org/rescode.html) and these words."""
    error = sqlite.OperationalError(words)
    error.sqlite_errorcode = code
    return error
