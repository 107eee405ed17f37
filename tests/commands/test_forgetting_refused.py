"""Who may not forget everything is told just that."""

from __future__ import annotations

import pytest

from tests.conftest import Run


def test_who_may_not_forget_everything_is_told_that(mem: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    mem("remember", "The gate is green")
    monkeypatch.setenv("MEMCLI_ORIGIN", "mcp:claude")
    done = mem("forget", "--all", "--yes")
    assert done.returncode == 3
    assert done.stderr.startswith(
        "mem: forgetting all that is here, with what waits for review: only its owner"
    )
    assert "green" in mem("list").stdout
