"""A plug-in of pytest's: tells coverage which test is running; notes how long each took, and which failed."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from coverage import Coverage

from benchmarks.mutations.recorded import PROGRAMS

# Read now: a test's own environment knows nothing of it.
_NOTES = Path(os.environ["MEMCLI_MUTATIONS_NOTES"])
_IN_PROCESS = bool(os.environ.get("MEMCLI_MUTATIONS_IN_PROCESS"))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what starts programs, where only the others are asked for."""
    out = [each for each in items if _IN_PROCESS and PROGRAMS & {*getattr(each, "fixturenames", ())}]
    items[:] = [each for each in items if each not in out]
    config.hook.pytest_deselected(items=out)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """From here on lines are run by this test; programs that it starts read its name themselves."""
    # Coverage hands its settings down as it read them: in these stands no test.
    os.environ.pop("COVERAGE_PROCESS_CONFIG", None)
    if current := Coverage.current():
        current.switch_context(item.nodeid)


def pytest_runtest_logreport(report: Any) -> None:
    """Note its time (s), all of its phases, and whether it passed."""
    with _NOTES.open("a") as file:
        file.write(json.dumps([report.nodeid, report.duration, not report.failed]) + "\n")
