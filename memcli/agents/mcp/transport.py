"""Transport: the SDK's streams over the wire; what is no message of the protocol is answered here.

The SDK's own transport drops a line that it cannot read, holds whole lines of any length, and abandons calls
in progress when stdin ends, so that an agent that pipes its requests in would get no answers.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import anyio
import anyio.abc
import anyio.to_thread
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from mcp_types import INVALID_REQUEST, PARSE_ERROR, JSONRPCNotification, JSONRPCRequest
from mcp_types.jsonrpc import jsonrpc_message_adapter

from memcli.agents.mcp.wire import MAX_LINE, Overlong, Wire
from memcli.named_tuple import NamedTuple

# Seconds to answer calls that came before the end of stdin, as long as the client listens.
_GRACE = 20.0
# Seconds between checks that the client is still there.
_LOOK = 0.5


class Streams(NamedTuple):
    """The streams that the SDK's server reads from and writes to."""

    read: MemoryObjectReceiveStream[SessionMessage | Exception]
    write: MemoryObjectSendStream[SessionMessage]


@asynccontextmanager
async def streams(wire: Wire) -> AsyncIterator[Streams]:
    """Provide the streams of a wire; leaving it cancels whoever waits on them."""
    inward, read = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    write, outward = anyio.create_memory_object_stream[SessionMessage](0)
    traffic = _Traffic(wire)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(traffic.take_in, inward)
        tasks.start_soon(traffic.give_out, outward, tasks.cancel_scope)
        tasks.start_soon(traffic.watch, tasks.cancel_scope)
        yield Streams(read, write)
        tasks.cancel_scope.cancel()


class _Traffic:
    """The messages on a wire, and the requests that are still to be answered."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self._open: set[str | int] = set()
        self._answered = anyio.Event()
        self._writing = anyio.Lock()

    async def take_in(self, inward: MemoryObjectSendStream[SessionMessage | Exception]) -> None:
        """Pass on each message as it comes; at the end of stdin, wait until all requests are answered."""
        lines: Iterator[bytes | Overlong] = self._wire.lines()
        async with inward:
            while (
                line := await anyio.to_thread.run_sync(next, lines, None, abandon_on_cancel=True)
            ) is not None:
                if isinstance(line, Overlong):
                    await self._refuse(INVALID_REQUEST, f"the message has more than {MAX_LINE:,} bytes")
                elif message := await self._read(line):
                    self._note(message)
                    await inward.send(message)
            with anyio.move_on_after(_GRACE):
                while self._open and self._wire.is_heard():
                    self._answered = anyio.Event()
                    with anyio.move_on_after(_LOOK):
                        await self._answered.wait()

    async def _read(self, line: bytes) -> SessionMessage | None:
        """Return the message of a line; None if it is none, which its sender is told."""
        message = None
        with suppress(ValueError, RecursionError):
            message = jsonrpc_message_adapter.validate_json(line, by_name=False)
        # A request whose id is invalid would pass for a notification, while its sender waits for an answer.
        if message and not (isinstance(message, JSONRPCNotification) and b'"id"' in line):
            return SessionMessage(message)
        try:
            said = json.loads(line)
        except (ValueError, RecursionError):
            await self._refuse(PARSE_ERROR, "not valid JSON in UTF-8, one message a line")
            return None
        if message and "id" not in said:
            return SessionMessage(message)
        known = said.get("id") if isinstance(said, dict) else None
        known = known if isinstance(known, str | int) and not isinstance(known, bool) else None
        what = "a batch; send one message a line" if isinstance(said, list) else "no message of JSON-RPC 2.0"
        await self._refuse(INVALID_REQUEST, what, known)
        return None

    async def _refuse(self, code: int, message: str, known: str | int | None = None) -> None:
        error = {"jsonrpc": "2.0", "id": known, "error": {"code": code, "message": message}}
        await self._put(json.dumps(error).encode())

    def _note(self, message: SessionMessage) -> None:
        said = message.message
        if isinstance(said, JSONRPCRequest):
            self._open.add(said.id)
        elif isinstance(said, JSONRPCNotification) and said.method == "notifications/cancelled":
            # A cancelled request is not answered.
            self._settle((said.params or {}).get("requestId"))

    def _settle(self, known: Any) -> None:
        if isinstance(known, str | int):
            self._open.discard(known)
            self._answered.set()

    async def give_out(
        self, outward: MemoryObjectReceiveStream[SessionMessage], scope: anyio.CancelScope
    ) -> None:
        """Write each message as it comes; cancel everything if nobody reads any more."""
        async with outward:
            async for each in outward:
                said = each.message
                try:
                    await self._put(said.model_dump_json(by_alias=True, exclude_unset=True).encode())
                except OSError:
                    scope.cancel()
                    return
                self._settle(getattr(said, "id", None))

    async def _put(self, line: bytes) -> None:
        # In a thread, because a client may not be reading; one line after the other.
        async with self._writing:
            await anyio.to_thread.run_sync(self._wire.write, line, abandon_on_cancel=True)

    async def watch(self, scope: anyio.CancelScope) -> None:
        """Cancel everything once the parent program has died, even if its end of stdin is still held."""
        while self._wire.has_parent():
            await anyio.sleep(_LOOK)
        scope.cancel()
