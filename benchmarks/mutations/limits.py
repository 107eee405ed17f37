"""A plug-in of pytest's: each test has the time that is its own, and what becomes of it is noted at once."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

# Read now: a test's own environment knows nothing of them. Seconds by test, without its parameters.
_LIMITS: dict[str, float] = json.loads(Path(os.environ["MEMCLI_MUTATIONS_LIMITS"]).read_text())
_NOTES = Path(os.environ["MEMCLI_MUTATIONS_NOTES"])


def pytest_collection_modifyitems(items: Sequence[pytest.Item]) -> None:
    """Limit each test (by pytest-timeout)."""
    for item in items:
        item.add_marker(pytest.mark.timeout(_LIMITS[item.nodeid.partition("[")[0]], method="signal"))


def pytest_runtest_logstart(nodeid: str) -> None:
    """Note that it runs: one that nothing can interrupt is known by that."""
    _note(nodeid, "hangs")


def pytest_runtest_logreport(report: Any) -> None:
    """Note how it went."""
    hung = report.failed and "from pytest-timeout" in str(report.longrepr)
    _note(report.nodeid, "hangs" if hung else report.outcome)


def _note(test: str, outcome: str) -> None:
    with _NOTES.open("a") as file:
        file.write(json.dumps([test.partition("[")[0], outcome]) + "\n")
