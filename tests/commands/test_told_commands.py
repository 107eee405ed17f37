"""A command that a message names finds, as it stands there, what the message speaks of."""

from __future__ import annotations

import re
import shlex

from tests.conftest import Run


def test_what_a_run_names_shows_what_it_did_in_any_space(mem: Run) -> None:
    for space in ("default", "my ranch"):
        assert mem("remember", "Carl works for Dora", "--space", space).returncode == 0
    done = mem("consolidate", "--all-spaces")
    lines = [line for line in done.stdout.splitlines() if "1 link proposed" in line]
    assert len(lines) == 2, done
    for line in lines:
        review, undo = re.findall(r"\(mem ((?:review list|undo)[^)]*)\)", line)
        assert "works_at" in mem(*shlex.split(review)).stdout, (review, line)
        assert mem(*shlex.split(undo)).returncode == 0, (undo, line)
        empty = mem(*shlex.split(review))
        assert empty.returncode == 1 and "nothing waits in space" in empty.stderr
