"""Starting a keeper, stopping it, asking how it does: for its owner, or for a cold call in his name."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from memcli.config.config import Config
from memcli.errors import BadInput, MemcliError
from memcli.scope import is_untrusted, untrusted_origins
from memcli.system.locks import is_locked, try_lock
from memcli.warm import client, peers, place, wire
from memcli.warm.post import Post, make_folder, own_post

# Seconds that a keeper waits where it was started by hand and no setting says how long.
USUAL = 600.0
# Seconds: what getting ready may take on a busy machine; and what an answer to who asks how it does.
_READY_WITHIN = 60.0
_ANSWER = 5.0
# A keeper that was started so many seconds ago and is no more has failed: no call starts the next one yet.
_AGAIN = 10.0
_LOOK = 0.02
# What of an environment a keeper is started with: what decides how it comes up and which model it holds.
_GIVEN = ("HOME", "PATH", "USER", "LOGNAME", "TMPDIR", "TZ", "LANG", "LC_", "XDG_", "HF_", *place.AT_START)
_GIVEN_SETTINGS = ("MEMCLI_MODEL", "MEMCLI_CACHE_DIR", "MEMCLI_CONFIG")


class Found(NamedTuple):
    """A keeper at its post. `told` is None where it does not answer."""

    name: str
    process: int
    ours: bool
    """Whether calls such as this one go to it."""
    told: dict[str, Any] | None


def start_where_wanted() -> None:
    """After a cold call: where its owner's setting wants one and there is none, start a keeper for the next.

    It gets ready by itself; nobody waits for it. Nothing is ever raised.
    """
    with suppress(MemcliError, OSError, ValueError):
        config = Config()
        idle = float(config["warm"])
        refused = is_untrusted(str(config["origin"]), untrusted_origins(config))
        if os.name != "posix" or not idle or refused or "memcli.commands.warm" in sys.modules:
            return
        if peers.is_unbound(os.getpid()) and os.getpriority(os.PRIO_PROCESS, 0) <= 0:
            _spawn(own_post(idle), again=_AGAIN)


def start(idle: float | None = None) -> Found:
    """Have a keeper at this process's post, ready; the one that is there already, or a new one.

    It waits `idle` seconds for a call, else as the setting says. Raises BadInput where its folder is none
    to use, MemcliError where it does not get ready.
    """
    idle = idle or Config()["warm"] or USUAL
    deadline = time.monotonic() + _READY_WITHIN
    while True:
        post = own_post(idle)
        try:
            starting = _spawn(post, errors=subprocess.PIPE)
        except OSError as error:
            raise BadInput(f"{post.folder}: no process can be kept there ({error.strerror})") from error
        if not place.is_private(post.folder):
            raise BadInput(
                f"{post.folder}: it is not a folder of yours alone (0700); remove it or fix its mode"
            )
        if found := _ready(post, starting, deadline):
            return found
        # One that ends well has seen that the program changed meanwhile, or was told to go.
        if time.monotonic() >= deadline or (starting and starting.returncode):
            break
        time.sleep(_LOOK)
    said = ""
    if starting and starting.poll() is not None and starting.stderr:
        said = starting.stderr.read().decode(errors="replace").strip().rpartition("\n")[2]
    raise MemcliError(f"{post.folder}: the warm process did not get ready{f': {said}' if said else ''}")


def _ready(post: Post, starting: subprocess.Popen[bytes] | None, deadline: float) -> Found | None:
    """Who answers at a post; None where whoever was starting there has ended, or the time is over."""
    while time.monotonic() < deadline:
        if (found := _ask(Path(post.socket), post.name)) and found.told:
            return found
        if starting.poll() is not None if starting else not is_locked(Path(post.lock)):
            break
        time.sleep(_LOOK)
    return None


def stop() -> tuple[list[Found], list[Found]]:
    """End all keepers of this user, of whichever version: those that have, and those that still have calls.

    One that does not answer is ended by the kernel.
    """
    stopped: list[Found] = []
    busy: list[Found] = []
    for found in keepers(wire.STOP):
        if found.told is None:
            with suppress(ProcessLookupError):
                os.kill(found.process, signal.SIGKILL)
        post = Post(place.folder(), found.name, "", 0)
        deadline = time.monotonic() + _ANSWER
        while is_locked(Path(post.lock)) and time.monotonic() < deadline:
            time.sleep(_LOOK)
        (busy if is_locked(Path(post.lock)) else stopped).append(found)
    _sweep()
    return stopped, busy


def keepers(wanted: bytes = wire.STATUS) -> Iterator[Found]:
    """The keepers of this user, each asked for what is `wanted`."""
    folder = Path(place.folder())
    if place.is_private(str(folder)):
        own = place.name_of(place.identity())
        for path in sorted(folder.glob("*.sock")):
            if found := _ask(path, own, wanted):
                yield found


def is_starting() -> bool:
    """Whether a keeper for calls such as this one, which does not answer yet, holds its post already."""
    return place.is_private(place.folder()) and is_locked(Path(own_post(0).lock))


def memory_of(process: int, beside: int = 0) -> tuple[int, int] | None:
    """Bytes that a process holds in memory, and of these its own: without files that the system can drop.

    `beside` is what its spare child has for itself.
    """
    try:
        text = Path(f"/proc/{process}/smaps_rollup").read_text(encoding="ascii")
        kilobytes = {line.split(":")[0]: int(line.split()[1]) for line in text.splitlines()[1:]}
        return kilobytes["Rss"] * 1024 + beside, kilobytes["Anonymous"] * 1024 + beside
    except (OSError, KeyError, ValueError, IndexError):
        return None


def _ask(path: Path, own: str, wanted: bytes = wire.STATUS) -> Found | None:
    """Who listens there, and what it says; None where nobody does."""
    with socket.socket(socket.AF_UNIX) as line:
        line.settimeout(_ANSWER)
        try:
            line.connect(str(path))
            process, user = client.peer(line)
        except OSError:
            return None
        if user != os.geteuid():
            return None
        told = None
        with suppress(OSError, ValueError):
            if line.recv(1) == wire.HELLO:
                line.sendall(len(wanted).to_bytes(wire.LENGTH, "big") + wanted)
                with line.makefile("rb") as answer:
                    told = json.loads(answer.readline())
        return Found(path.name.removesuffix(".sock"), process, path.stem == own, told)


def _spawn(
    post: Post, *, again: float = 0.0, errors: int = subprocess.DEVNULL
) -> subprocess.Popen[bytes] | None:
    """Start a process at a post, and give it the lock; None where somebody holds that, or has just failed.

    Raises OSError where the folder cannot be had.
    """
    if not make_folder(post.folder) or len(os.fsencode(post.socket)) > place.LONGEST:
        return None
    lock = os.open(post.lock, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    try:
        if not try_lock(lock) or not os.path.samestat(os.fstat(lock), os.stat(post.lock)):
            return None
        there = os.fstat(lock)
        if there.st_size and time.time() - there.st_mtime < again:
            return None
        os.pwrite(lock, b".", 0)
        return subprocess.Popen(
            [
                sys.executable, *_flags(), "-P", "-m", "memcli.warm",
                str(lock), str(post.idle), post.folder, post.name, _model_at_hand(),
            ],
            env={**_environment(), "_MEM_KEEPER": post.identity},
            cwd="/", pass_fds=(lock,), start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors,
        )  # fmt: skip
    finally:
        os.close(lock)


def _flags() -> list[str]:
    """The flags of this interpreter, as multiprocessing passes them on."""
    # multiprocessing calls it, too; there is no public function for it.
    told: list[str] = subprocess._args_from_interpreter_flags()  # type: ignore[attr-defined]  # noqa: SLF001
    return told


def _environment() -> dict[str, str]:
    return {
        name: value
        for name, value in os.environ.items()
        if name.startswith(_GIVEN) or name in _GIVEN_SETTINGS
    }


def _model_at_hand() -> str:
    """The model that this process has open, which is the store's; empty where it has none."""
    embedding = sys.modules.get("memcli.embedding")
    return next(iter(embedding.opened_names()), "") if embedding else ""


def _sweep() -> None:
    """Remove what dead keepers left, and the folder with it where nobody is there any more."""
    folder = Path(place.folder())
    if not place.is_private(str(folder)):
        return
    for lock in folder.glob("*.lock"):
        with suppress(OSError):
            descriptor = os.open(lock, os.O_RDWR | os.O_NOFOLLOW)
            try:
                if try_lock(descriptor) and os.path.samestat(os.fstat(descriptor), lock.stat()):
                    for path in (lock.with_suffix(".sock"), lock.with_suffix(".new"), lock):
                        path.unlink(missing_ok=True)
            finally:
                os.close(descriptor)
    with suppress(OSError):
        folder.rmdir()
