"""Each test of the warm path has a folder for keepers to itself.

Getting ready takes a keeper seconds, so one that a test leaves as it found it serves the next test, too.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import Run
from tests.warm.keepers import PATIENT, Keeper, end_all

if os.name != "posix":
    collect_ignore_glob = ["*"]


@pytest.fixture
def none(mem: Run, monkeypatch: pytest.MonkeyPatch) -> Iterator[Keeper]:
    """A place for a keeper, where none is yet."""
    # Short: the path of a socket has a hundred bytes.
    with tempfile.TemporaryDirectory(prefix="mem-") as name:
        monkeypatch.setenv("XDG_RUNTIME_DIR", name)
        monkeypatch.setenv(*PATIENT)
        yield Keeper(Path(name))
        end_all(Path(name))


@pytest.fixture(scope="session")
def standing() -> Iterator[list[Keeper]]:
    """The keeper that the last test left; none at first."""
    left: list[Keeper] = []
    yield left
    for keeper in left:
        _remove(keeper)


@pytest.fixture
def keeper(standing: list[Keeper], mem: Run, monkeypatch: pytest.MonkeyPatch) -> Keeper:
    """A keeper that is ready, and has nothing to do: the last test's where it is as good as new."""
    monkeypatch.setenv(*PATIENT)
    for left in standing:
        monkeypatch.setenv("XDG_RUNTIME_DIR", str(left.folder))
        if left.is_as_started():
            return left
        standing.remove(left)
        _remove(left)
    fresh = Keeper(Path(tempfile.mkdtemp(prefix="mem-")))
    standing.append(fresh)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(fresh.folder))
    fresh.start()
    return fresh


def _remove(keeper: Keeper) -> None:
    end_all(keeper.folder)
    shutil.rmtree(keeper.folder)
