"""Clients of `mem mcp`: one that writes what it likes to the wire, and the SDK's own."""

from __future__ import annotations

import json
import os
import select
import subprocess
import time
from collections.abc import Mapping
from contextlib import suppress
from types import TracebackType
from typing import Any

from tests.conftest import MEM

NEWER = "2026-07-28"
OLDER = "2025-11-25"
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": NEWER,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
}
HANDSHAKE = {
    "protocolVersion": OLDER,
    "capabilities": {},
    "clientInfo": {"name": "raw", "version": "1"},
}


class RawClient:
    """A client that keeps no rule of the protocol unless asked to; every line that comes must be JSON."""

    def __init__(self, *arguments: str, env: Mapping[str, str] | None = None, shake: bool = True) -> None:
        self.process = subprocess.Popen(
            [MEM, "mcp", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **(env or {})},
        )
        self._number = 0
        self._held = b""
        self.shaken = self.ask("initialize", HANDSHAKE) if shake else {}
        if shake:
            self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def __enter__(self) -> RawClient:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.process.kill()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream:
                with suppress(OSError):
                    stream.close()
        self.process.wait()

    def write(self, line: bytes) -> None:
        """Write bytes as they are."""
        assert self.process.stdin
        self.process.stdin.write(line)
        self.process.stdin.flush()

    def send(self, *messages: Any) -> None:
        """Send messages at once: none is answered before the next is there."""
        self.write(b"".join(json.dumps(each).encode() + b"\n" for each in messages))

    def request(self, method: str, params: Any = None, number: Any = None) -> Any:
        """Send a request, and give back its id."""
        self._number += 1
        number = self._number if number is None else number
        self.send(
            {"jsonrpc": "2.0", "id": number, "method": method, **({"params": params} if params else {})}
        )
        return number

    def read(self, seconds: float = 60) -> dict[str, Any] | None:
        """The next message; None at the end, and where none came in that time."""
        assert self.process.stdout
        deadline = time.monotonic() + seconds
        while b"\n" not in self._held:
            if not select.select([self.process.stdout], [], [], max(0, deadline - time.monotonic()))[0]:
                return None
            block = os.read(self.process.stdout.fileno(), 65536)
            if not block:
                assert not self._held, self._held
                return None
            self._held += block
        line, _, self._held = self._held.partition(b"\n")
        message = json.loads(line)
        assert message["jsonrpc"] == "2.0"
        found: dict[str, Any] = message
        return found

    def answer(self, number: Any) -> dict[str, Any]:
        """The answer to a request, others passed over."""
        while message := self.read():
            if message.get("id") == number:
                return message
        raise AssertionError(f"no answer to {number}: {self.errors()}")

    def ask(self, method: str, params: Any = None) -> dict[str, Any]:
        """The result of a request, or its error."""
        answer = self.answer(self.request(method, params))
        found: dict[str, Any] = answer["result" if "result" in answer else "error"]
        return found

    def call(self, tool: str, **arguments: Any) -> tuple[str, bool]:
        """What a tool answers, and whether that is an error."""
        result = self.ask("tools/call", {"name": tool, "arguments": arguments})
        [content] = result["content"]
        return content["text"], result["isError"]

    def end(self) -> int:
        """Close its stdin, and wait for it to end; the exit status."""
        assert self.process.stdin
        self.process.stdin.close()
        while self.read() is not None:
            pass
        return self.process.wait(timeout=30)

    def errors(self) -> str:
        assert self.process.stderr
        self.process.kill()
        return self.process.stderr.read().decode()
