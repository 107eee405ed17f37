"""Colour codes are no part of what was said: every door takes them off, whatever comes through it."""

from __future__ import annotations

import json
import os
from pathlib import Path

from tests.conftest import Run

RED = "\x1b[1;31mred alert\x1b[0m"
LINKED = "\x1b]8;;http://x.example\x07green\x1b]8;;\x07"


def test_no_door_lets_a_colour_code_in(mem: Run) -> None:
    one = mem("remember", f"{RED} from words").stdout.strip()
    mem("remember", input=f"{LINKED} from a pipe\n")
    mem("remember", "--batch", input=json.dumps({"text": f"{RED} from a record", "data": {"by": RED}}) + "\n")
    mem("remember", "--batch", input=f"{RED} from a line\n")
    mem("log", f"{RED} from a turn")
    mem("log", "tool", input=f"{LINKED} from a tool\n")
    mem("correct", one, f"{RED} corrected", "--reason", RED)
    mem("task", "start", f"{RED} goal", "--name", "t")
    mem("task", "note", RED)
    mem("task", "set", f"k={RED}")
    mem("task", "result", "r", input=RED)
    mem("task", "step", "add", RED)
    mem("block", "set", "b", RED)
    assert mem("procedure", "add", "p", input=f"description: {RED}\nsteps: [look]\n").returncode == 0
    mem("policy", "add", "q", "--rule", RED, "--why", RED)
    mem("link", RED, "knows", LINKED)
    exported = mem("export").stdout
    assert exported.count("red alert") >= 12 and "from a pipe" in exported
    assert "\\u001b" not in exported and "\x1b" not in exported
    held = Path(os.environ["MEMCLI_DB"]).read_bytes()
    # Two bytes of an escape stand by chance in so many of vectors.
    assert not any(code in held for code in (b"\x1b[1;31m", b"\x1b[0m", b"\\u001b["))


def test_a_text_of_colours_alone_is_empty(mem: Run) -> None:
    done = mem("remember", "\x1b[31m\x1b[0m")
    assert done.returncode == 2 and "empty" in done.stderr
