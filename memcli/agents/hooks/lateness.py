"""Late hooks, which passed their deadline: noted in a private file of the cache, for `mem hook status`.

Nobody sees that such a hook said nothing: it exits 0, and the agent goes on. A line says when, at which
event, what it was waiting for and how long; nothing that was typed, no session, no path. It is written at the
very end, and if the disk is what hangs, nobody waits for it.
"""

from __future__ import annotations

import errno
import os
import stat
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Literal, cast, get_args

from memcli import times
from memcli.agents.hooks.agents import Agent, Event
from memcli.named_tuple import NamedTuple
from memcli.system.places import make_private_folder

# What a hook was waiting for: its settings, the agent's words on stdin, or its own answer.
Stage = Literal["settings", "agent", "answer"]
# How far back notes are shown; and the most bytes of a file, some thousand lines, whose older half is then
# dropped.
LATELY = timedelta(days=7)
_MOST = 48 * 1024
# Seconds that writing the note may take.
_PATIENCE = 0.05


class LateHook(NamedTuple):
    """A hook that gave up at `at`, waiting for `stage`, `deadline` seconds after it began."""

    at: datetime
    event: Event
    stage: Stage
    deadline: float


def note_late(folder: Path | None, agent: Agent, hook: LateHook) -> None:
    """Note a late hook in a cache folder, None for the default; give up on any error, or if it takes long."""

    def note() -> None:
        with suppress(Exception):
            _append(_file(folder or _default_folder(), agent), hook)

    writing = threading.Thread(target=note, daemon=True)
    writing.start()
    writing.join(_PATIENCE)


def late_hooks(folder: Path, agent: Agent, now: datetime) -> list[LateHook]:
    """Return the recent late hooks of an agent, the oldest first."""
    return [each for each in _noted(_file(folder, agent)) if now - LATELY <= each.at <= now]


def _file(folder: Path, agent: Agent) -> Path:
    return folder / "hooks" / f"{agent.name}.late"


def _default_folder() -> Path:
    import platformdirs

    given = os.environ.get("MEMCLI_CACHE_DIR", "")
    return Path(given or platformdirs.user_cache_dir("memcli", appauthor=False)).expanduser().absolute()


def _append(path: Path, hook: LateHook) -> None:
    make_private_folder(path.parent)
    with _opened(path, os.O_RDWR | os.O_APPEND | os.O_CREAT) as descriptor:
        size = os.fstat(descriptor).st_size
        if size > _MOST:
            kept = os.read(descriptor, size)[-_MOST // 2 :].partition(b"\n")[2]
            os.ftruncate(descriptor, 0)
            os.write(descriptor, kept)
        line = f"{times.to_iso(hook.at)} {hook.event} {hook.stage} {hook.deadline:g}\n"
        os.write(descriptor, line.encode())


@contextmanager
def _opened(path: Path, flags: int) -> Iterator[int]:
    """Open a regular file; raise OSError for anything else of that name."""
    flags |= getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    descriptor = os.open(path, flags, 0o600)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "not a plain file", str(path))
        yield descriptor
    finally:
        os.close(descriptor)


def _noted(path: Path) -> Iterator[LateHook]:
    try:
        with _opened(path, os.O_RDONLY) as descriptor:
            lines = os.read(descriptor, 2 * _MOST).decode("ascii", "replace").splitlines()
    except OSError:
        return
    for line in lines:
        with suppress(ValueError):
            at, event, stage, deadline = line.split()
            if event in get_args(Event) and stage in get_args(Stage):
                yield LateHook(times.from_iso(at), cast(Event, event), cast(Stage, stage), float(deadline))
