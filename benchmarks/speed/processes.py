"""Processes, measured: what one took, from its start to its end."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

MEM = Path(sys.executable).with_name("mem")


class Cost(NamedTuple):
    """What one process took."""

    seconds: float
    megabytes: float
    processor: float = 0.0
    """Seconds of processor time."""


def environment_of(settings: dict[str, str] | None) -> dict[str, str]:
    """The environment of a process: none of the owner's settings, and these."""
    left_out = ("MEMCLI_", "PYTHONDONTWRITEBYTECODE")
    environment = {name: text for name, text in os.environ.items() if not name.startswith(left_out)}
    return environment | {"HF_HUB_OFFLINE": "1", **(settings or {})}


def run(
    command: list[str], settings: dict[str, str] | None = None, stdin: Path | None = None
) -> tuple[Cost, str]:
    """Run a process to its end, its output piped; what it took and what it printed."""
    environment = environment_of(settings)
    with (stdin or Path(os.devnull)).open("rb") as given, tempfile.TemporaryFile() as complaints:
        started = time.perf_counter()
        process = subprocess.Popen(
            command, env=environment, stdin=given, stdout=subprocess.PIPE, stderr=complaints
        )
        assert process.stdout
        printed = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - started
        process.stdout.close()
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            complaints.seek(0)
            said = complaints.read().decode(errors="replace")
            raise SystemExit(f"{' '.join(command)[:200]}: exit status {process.returncode}\n{said}")
    unit = 1 if sys.platform == "darwin" else 1024
    cost = Cost(seconds, usage.ru_maxrss * unit / 1e6, usage.ru_utime + usage.ru_stime)
    return cost, printed.decode()
