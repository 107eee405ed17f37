"""A running `mem mcp`, asked and measured."""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path

from benchmarks.speed.processes import MEM, Cost, environment_of


class Server:
    """A running `mem mcp`, asked by the newer era of its protocol, which wants no handshake."""

    def __init__(self, settings: dict[str, str]) -> None:
        self._started = time.perf_counter()
        self._process = subprocess.Popen(
            [str(MEM), "mcp"], env=environment_of(settings), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def ask(self, method: str, **parameters: object) -> Cost:
        """Since the start, or for a call since it was asked; and the memory that the server has."""
        started = time.perf_counter() if parameters else self._started
        spent = self._processor() if parameters else 0.0
        named = "io.modelcontextprotocol/"
        meta = {f"{named}protocolVersion": "2026-07-28", f"{named}clientCapabilities": {}}
        request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**parameters, "_meta": meta}}
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write(json.dumps(request).encode() + b"\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        seconds = time.perf_counter() - started
        if answer.get("result", {}).get("isError", "result" not in answer):
            raise SystemExit(f"mem mcp: {answer}")
        resident = Path(f"/proc/{self._process.pid}/statm")
        pages = int(resident.read_text(encoding="ascii").split()[1]) if resident.exists() else 0
        return Cost(seconds, pages * 4096 / 1e6, self._processor() - spent)

    def recall(self, query: str) -> Cost:
        """Call the tool with the same name."""
        return self.ask("tools/call", name="recall", arguments={"query": query})

    def _processor(self) -> float:
        """Seconds of processor time that the server has had; 0 where the system does not say."""
        told = Path(f"/proc/{self._process.pid}/stat")
        if not told.exists():
            return 0.0
        # What stands behind the name, which may hold anything: the 14th and 15th field of all.
        fields = told.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")
