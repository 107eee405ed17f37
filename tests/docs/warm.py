"""`mem` as the documentation is replayed with: a clock that is told, ids that are counted, kept warm.

    python -m tests.docs.warm SOCKET

A process that is prepared as a keeper is (`memcli.warm.preparation`), and forks for each call: the child
gets the caller's streams, folder and environment, and is otherwise what `mem` is. So a page of forty
commands takes seconds. The caller is `CLIENT`, which lies on the PATH as `mem`.

Two variables steer a call: `REPLAY_AT` is the instant at which the command line begins (each further
call on it is a second later), `REPLAY_LINE` the line itself, from which ids are made. So a memory
keeps its id when other lines are added to a page.
"""

from __future__ import annotations

import hashlib
import json
import os
import signal
import socket
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout, suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

from memcli import ids, times

CLIENT = """\
#!{python} -IS
import json, os, socket, sys
line = socket.socket(socket.AF_UNIX)
line.connect({path!r})
socket.send_fds(line, [b"."], [0, 1, 2])
line.sendall(json.dumps([sys.argv[1:], dict(os.environ), os.getcwd()]).encode())
line.shutdown(socket.SHUT_WR)
sys.exit(int(line.recv(8) or 137))
"""
_RANDOM_BITS = 80

_instant = datetime(1970, 1, 1, tzinfo=UTC)
_seed = ""
_made = 0


def _now() -> datetime:
    return _instant


def _counted_ids() -> Callable[[datetime], str]:
    """A source of ids: the seed's hash, then as `ids.id_source` counts up within a millisecond."""

    def new_id(now: datetime) -> str:
        global _made  # noqa: PLW0603 - however many sources there are, no id comes twice
        _made += 1
        first = int.from_bytes(hashlib.sha256(_seed.encode()).digest()[: _RANDOM_BITS // 8]) >> 1
        ahead = int.from_bytes(hashlib.sha256(f"{_seed}\0{_made}".encode()).digest()[:3])
        instant = (now - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(milliseconds=1)
        return ids._encode(instant << _RANDOM_BITS | first + (_made << 24) + ahead)

    return new_id


def serve(path: str) -> None:
    """Answer calls at a socket until we are ended."""
    global _made  # noqa: PLW0603 - ids are counted from here on
    # Before anything takes them as a default; in this process only.
    times.now, ids.id_source = _now, _counted_ids
    from memcli import app
    from memcli.warm.preparation import prepare

    with (
        Path(os.devnull).open("w", encoding="utf-8") as nowhere,
        redirect_stdout(nowhere),
        redirect_stderr(nowhere),
    ):
        prepare(app.run, None)
    _made = 0
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    server = socket.socket(socket.AF_UNIX)
    server.bind(path)
    server.listen()
    print("ready", flush=True)  # noqa: T201 - whoever started us waits for it
    calls: Counter[str] = Counter()
    while True:
        line, _ = server.accept()
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        _, streams, _, _ = socket.recv_fds(line, 1, 3)
        arguments, environment, folder = json.loads(b"".join(iter(partial(line.recv, 1 << 16), b"")))
        about = "\0".join([environment["HOME"], environment["REPLAY_AT"], environment["REPLAY_LINE"]])
        calls[about] += 1
        if os.fork() == 0:
            server.close()
            _answer(line, streams, arguments, environment, folder, calls[about] - 1)
        line.close()
        for stream in streams:
            os.close(stream)


def _answer(
    line: socket.socket,
    streams: list[int],
    arguments: list[str],
    environment: dict[str, str],
    folder: str,
    earlier: int,
) -> None:
    """Be `mem` for one call, in a process of its own."""
    global _instant, _seed  # noqa: PLW0603 - what this process was made for
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    status = 70
    try:
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
            os.close(stream)
        os.environ.clear()
        os.environ.update(environment)
        os.chdir(folder)
        time.tzset()
        sys.argv = ["mem", *arguments]
        _instant = times.from_iso(environment["REPLAY_AT"]) + timedelta(seconds=earlier)
        _seed = json.dumps([environment["REPLAY_LINE"], arguments])
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - till the end
        # By lines: what is printed first stands first, wherever it goes.
        sys.stdout = open(1, "w", 1, encoding="utf-8", closefd=False)  # noqa: SIM115
        sys.stderr = open(2, "w", 1, encoding="utf-8", closefd=False)  # noqa: SIM115
        from memcli.app import run

        status = run(arguments)
        sys.stdout.flush()
        sys.stderr.flush()
    except BaseException:
        traceback.print_exc()  # where nothing else would tell
    finally:
        with suppress(OSError):  # a caller that was killed waits for nothing
            line.sendall(str(status).encode())
        os._exit(status)


if __name__ == "__main__":
    serve(sys.argv[1])
