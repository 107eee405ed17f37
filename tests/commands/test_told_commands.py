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
        review, undo = re.findall(r"mem ((?:review list|history|undo)[^,)]*)", line)
        assert "works_at" in mem(*shlex.split(review)).stdout, (review, line)
        assert mem(*shlex.split(undo)).returncode == 0, (undo, line)
        empty = mem(*shlex.split(review))
        assert empty.returncode == 1 and "nothing waits in space" in empty.stderr


def test_what_a_run_did_to_memories_is_shown_by_the_command_it_names(mem: Run) -> None:
    for text in ("the kiln is by the shed", "The kiln is by the shed."):
        assert mem("remember", text, "--force").returncode == 0
    done = mem("consolidate")
    [history] = re.findall(r"mem (history --change [^,)]*)", done.stdout)
    assert "merge" in mem(*shlex.split(history)).stdout, done
