"""A child of the keeper: it becomes only a caller whose descriptors it has all, each once."""

from __future__ import annotations

import os
import socket
import sys

import pytest

if sys.platform == "win32":
    pytest.skip("calls run cold on Windows", allow_module_level=True)

from memcli.warm import child, wire


@pytest.mark.parametrize(
    ("numbers", "given", "answer"),
    [
        ((0, 1, 2), 4, wire.READY), ((0, 1, 2), 5, wire.READY), ((0, 1, 2), 3, wire.COLD),
        ((0, 1, 2), 6, wire.COLD), ((0, 1, 1), 4, wire.COLD), ((), 0, wire.COLD),
    ],
)  # fmt: skip
def test_a_call_that_lacks_a_descriptor_or_names_one_twice_runs_cold(
    numbers: tuple[int, ...], given: int, answer: bytes
) -> None:
    here, there = socket.socketpair()
    heard, pulse = os.pipe()
    told = " ".join(map(str, numbers)).encode()
    figures = [b"18 0", b"", b"", told]
    parts = [wire.CALL, b"this", os.fsencode(sys.executable), *figures, b"1", b"mem", b"PATH=/bin"]
    process = os.fork()
    if not process:
        try:
            here.close()
            files = [os.open("/", os.O_RDONLY) for _ in range(given)]
            program = child.Program(run=lambda words: 0, runs_cold=lambda words: False)
            child.serve_call(program, "this", there, parts, files, pulse)
        finally:
            os._exit(1)
    there.close()
    os.close(pulse)
    try:
        here.settimeout(60)
        assert here.recv(1) == answer
    finally:
        here.close()
        os.close(heard)
        os.waitpid(process, 0)
