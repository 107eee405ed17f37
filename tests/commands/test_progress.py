"""A bar of progress: on a terminal's stderr only, and only where something lasts."""

from __future__ import annotations

import os
import select
import sys

import pytest

from memcli.commands.terminal import progress

pty = pytest.importorskip("pty")


def shown_on(terminal: bool, monkeypatch: pytest.MonkeyPatch, *, at_once: float) -> bytes:
    """What a bar writes to stderr."""
    ours, theirs = pty.openpty() if terminal else os.pipe()
    monkeypatch.setattr(progress, "_AT_ONCE", at_once)
    monkeypatch.setenv("TERM", "xterm")
    with os.fdopen(theirs, "w") as stderr:
        monkeypatch.setattr(sys, "stderr", stderr)
        with progress.progress_bar("counting", 10) as done:
            done(4)
        stderr.flush()
        shown = b""
        # A terminal hands on what is written when it comes to it.
        while select.select([ours], [], [], 2.0 if not shown else 0.5)[0]:
            shown += os.read(ours, 65536)
        return shown


def test_a_bar_is_shown_on_a_terminal_where_something_lasts(monkeypatch: pytest.MonkeyPatch) -> None:
    assert b"counting" in shown_on(True, monkeypatch, at_once=0.0)
    assert shown_on(True, monkeypatch, at_once=60.0) == b""


def test_a_pipe_gets_no_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown_on(False, monkeypatch, at_once=0.0) == b""
