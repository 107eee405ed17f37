"""The same commands say the same on both engines; the whole suite of them: `pytest --store postgres`."""

from __future__ import annotations

import os
import re
from pathlib import Path

from tests.conftest import Run

# Each is told the id that the first one printed.
_SCRIPT = (
    "remember|I prefer green tea over coffee",
    "remember|The deploy server is called berta|--tag|infra",
    "remember|Marta is allergic to peanuts|--kind|constraint",
    "recall|what should Marta not eat",
    "edit|ID|--tag|drink",
    "correct|ID|I prefer black tea over coffee",
    "show|ID",
    "link|Marta|knows|Ann",
    "graph|Marta",
    "task|start|move the server",
    "task|show",
    "log|we moved the server to Oslo|--session|s1",
    "space|list",
    "undo|--yes",
    "export",
    "forget|ID|--hard|--yes",
    "recall|tea",
)
_NAMES = re.compile(r"\b[0-9A-HJKMNP-TV-Z]{8}(?:[0-9A-HJKMNP-TV-Z]{18})?\b")
_TIMES = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z?")
_SIGNED = re.compile(r"\b(cli)@\w+")
# It names what a file has and a server has not.
_OWN = "forget"


def told(mem: Run, where: str) -> list[tuple[str, int, str]]:
    """What each command said, without what differs from one run to the next."""
    environment = {**os.environ, "MEMCLI_DB": where}
    said, first = [], ""
    for line in _SCRIPT:
        words = [first if word == "ID" else word for word in line.split("|")]
        done = mem(*words, env=environment)
        first = first or done.stdout.strip()
        text = "" if words[0] == _OWN else (done.stdout + done.stderr).replace(where, "STORE")
        # Where a server knows who it was, that is said as well.
        text = _SIGNED.sub(r"\1", _TIMES.sub("TIME", _NAMES.sub("NAME", text)))
        said.append((line, done.returncode, text))
    return said


def test_a_day_of_commands_says_the_same_on_both(mem: Run, database: str, tmp_path: Path) -> None:
    for one, other in zip(told(mem, str(tmp_path / "memory.db")), told(mem, database), strict=True):
        assert one == other
