"""Each test of the warm path has a folder for keepers of its own, and leaves none."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import Run
from tests.warm.keepers import Keeper, end_all

if os.name != "posix":
    collect_ignore_glob = ["*"]


@pytest.fixture
def none(mem: Run, monkeypatch: pytest.MonkeyPatch) -> Iterator[Keeper]:
    """A place for a keeper, where none is yet."""
    # Short: the path of a socket has a hundred bytes.
    with tempfile.TemporaryDirectory(prefix="mem-") as name:
        monkeypatch.setenv("XDG_RUNTIME_DIR", name)
        yield Keeper(Path(name))
        end_all(Path(name))


@pytest.fixture
def keeper(none: Keeper) -> Keeper:
    """A keeper that is ready."""
    none.start()
    return none
