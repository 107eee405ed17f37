"""Control of keepers: start, stop and query them, for their owner or for a cold call in the owner's name."""

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
from typing import Any

from memcli.config.config import Config
from memcli.errors import BadInput, MemcliError
from memcli.messages import Command, message
from memcli.named_tuple import NamedTuple
from memcli.system.locks import is_locked, try_lock
from memcli.warm import client, place, standing, wire
from memcli.warm.endpoint import Endpoint, make_folder, own_endpoint

# Seconds of idling after which a keeper ends that was started by hand, if no setting gives another number.
USUAL = 600.0
# Timeouts in seconds: for a keeper to get ready on a busy machine; and for its answer to a status query.
_READY_WITHIN = 60.0
_ANSWER = 5.0
# After so many queries without an answer a keeper counts as hung: on a busy machine the first may be too
# early.
_UNANSWERED = 2
_LOOK = 0.02
_NO_STORE = ("memcli.commands.warm", "memcli.commands.config")
# Variables (by prefix) that a keeper is started with: those that decide how it starts and which model it
# holds.
_GIVEN = ("HOME", "PATH", "USER", "LOGNAME", "TMPDIR", "TZ", "LANG", "LC_", "XDG_", "HF_", *place.AT_START)
_GIVEN_SETTINGS = ("MEMCLI_MODEL", "MEMCLI_CACHE_DIR", "MEMCLI_CONFIG")


class Found(NamedTuple):
    """A keeper that listens at its endpoint. `told` is its status, None if it does not answer."""

    name: str
    process: int
    ours: bool
    """True if calls such as this one go to it."""
    told: dict[str, Any] | None


class Stopped(NamedTuple):
    """The keepers that were told to stop."""

    ended: list[Found]
    busy: list[Found]
    """Those that end once the calls they are carrying out have ended."""
    starting: int
    """How many were still starting."""


def start_where_wanted() -> None:
    """After a cold call, start a keeper for the next one, if the owner's setting wants one and there is none.

    It gets ready by itself; nothing waits for it, and nothing is ever raised.
    """
    with suppress(MemcliError, OSError, ValueError):
        # Not after a call without a store: the keeper would hold the model of the settings, not the store's.
        if os.name != "posix" or not sys.modules.keys().isdisjoint(_NO_STORE):
            return
        if standing.absence().why is standing.Why.NOT_YET:
            _spawn(own_endpoint(Config()["warm"]), _model_at_hand(), by_hand=False)


def start(idle: float | None = None, model: str = "") -> Found:
    """Return the keeper at this process's endpoint once it is ready: the one that is there, or a new one.

    A new one holds the `model` of that name, else the configured one, and ends after `idle` seconds without
    a call, else as the setting says. Raises BadInput if its folder cannot be used, MemcliError if it does
    not get ready, or if the one that is there does not answer.
    """
    idle = idle or Config()["warm"] or USUAL
    deadline = time.monotonic() + _READY_WITHIN
    while True:
        endpoint = own_endpoint(idle)
        if fault := standing.folder_fault(endpoint.folder):
            raise BadInput(fault.fault())
        try:
            starting = _spawn(endpoint, model, errors=subprocess.PIPE)
        except OSError as error:
            raise BadInput(f"{endpoint.folder}: no process can be kept there ({error.strerror})") from error
        if found := _ready(endpoint, starting, deadline):
            return found
        # Tried again if it exited with 0: the program changed meanwhile, or it was told to stop.
        if time.monotonic() >= deadline or (starting and starting.returncode):
            break
        time.sleep(_LOOK)
    said = ""
    if starting and starting.poll() is not None and starting.stderr:
        said = starting.stderr.read().decode(errors="replace").strip().rpartition("\n")[2]
    raise MemcliError(
        f"{endpoint.folder}: the warm process did not get ready{f': {said}' if said else ''}",
        by_hand="" if said else message(Command("warm stop"), " ends it"),
    )


def _ready(endpoint: Endpoint, starting: subprocess.Popen[bytes] | None, deadline: float) -> Found | None:
    """Return the keeper that answers at an endpoint; None if the starting one has ended, or time is up.

    Raises MemcliError if one listens and does not answer.
    """
    unanswered = 0
    while time.monotonic() < deadline:
        if found := _ask(Path(endpoint.socket), endpoint.name):
            if found.told:
                return found
            unanswered += 1
            if unanswered == _UNANSWERED and is_locked(Path(endpoint.lock)):
                raise MemcliError(
                    f"the warm process {found.process} does not answer",
                    by_hand=message(Command("warm stop"), " ends it"),
                )
        if starting.poll() is not None if starting else not is_locked(Path(endpoint.lock)):
            break
        time.sleep(_LOOK)
    return None


def stop() -> Stopped:
    """Stop all keepers of this user, of whichever version, including those that are still starting.

    One that does not answer is killed.
    """
    ended: list[Found] = []
    busy: list[Found] = []
    folder = place.folder()
    # Before any is told to stop: one that gets ready in between is found below, or finds its lock gone and
    # ends.
    withdrawn = _withdraw(folder)
    for found in keepers(wire.STOP):
        if found.told is None:
            with suppress(ProcessLookupError):
                os.kill(found.process, signal.SIGKILL)
        lock = withdrawn.pop(found.name, None)
        (ended if lock is None or _is_let_go(lock) else busy).append(found)
    for lock in withdrawn.values():
        _is_let_go(lock)
    _sweep()
    return Stopped(ended, busy, len(withdrawn))


def _withdraw(folder: str) -> dict[str, int]:
    """Remove the lock files that keepers hold in a folder, which ends those that are still starting.

    Returns the open locks, by the names of their keepers.
    """
    held = {}
    for path in Path(folder).glob("*.lock") if place.is_private(folder) else ():
        with suppress(OSError):
            lock = os.open(path, os.O_RDWR | os.O_NOFOLLOW)
            if try_lock(lock):
                os.close(lock)  # its keeper has ended: `_sweep` removes it
            else:
                held[path.stem] = lock
                path.unlink()
    return held


def _is_let_go(lock: int) -> bool:
    """Wait for the keeper that holds a lock to end, and close the lock; True if it has ended in time."""
    deadline = time.monotonic() + _ANSWER
    try:
        while not (free := try_lock(lock)) and time.monotonic() < deadline:
            time.sleep(_LOOK)
        return free
    finally:
        os.close(lock)


def keepers(wanted: bytes = wire.STATUS) -> Iterator[Found]:
    """Yield the keepers of this user, after sending each the request `wanted`."""
    folder = Path(place.folder())
    if place.is_private(str(folder)):
        own = place.name_of(place.identity())
        for path in sorted(folder.glob("*.sock")):
            if found := _ask(path, own, wanted):
                yield found


def memory_of(process: int, beside: int = 0) -> tuple[int, int] | None:
    """Return the resident memory of a process in bytes, and the anonymous part of it; None if unknown.

    The rest is files, which the system can drop. `beside` is what its spare child has for itself, and added
    to both.
    """
    try:
        text = Path(f"/proc/{process}/smaps_rollup").read_text(encoding="ascii")
        kilobytes = {line.split(":")[0]: int(line.split()[1]) for line in text.splitlines()[1:]}
        return kilobytes["Rss"] * 1024 + beside, kilobytes["Anonymous"] * 1024 + beside
    except (OSError, KeyError, ValueError, IndexError):
        return None


def _ask(path: Path, own: str, wanted: bytes = wire.STATUS) -> Found | None:
    """Send a request to the keeper listening there and return its answer; None if none listens."""
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
    endpoint: Endpoint, model: str, *, by_hand: bool = True, errors: int = subprocess.DEVNULL
) -> subprocess.Popen[bytes] | None:
    """Start a process at an endpoint, and pass it the lock and a model; None if somebody holds the lock.

    Unless `by_hand`, also None if one has just failed there. Raises OSError if the folder cannot be made.
    """
    if not make_folder(endpoint.folder) or len(os.fsencode(endpoint.socket)) > place.LONGEST:
        return None
    lock = os.open(endpoint.lock, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    try:
        if not try_lock(lock) or not endpoint.is_held_by(lock):
            return None
        # Checked again under the lock: two calls that ended at once both saw that there is no keeper.
        if not by_hand and standing.has_just_failed(endpoint):
            return None
        os.pwrite(lock, b".", 0)
        return subprocess.Popen(
            [
                sys.executable, *_flags(), "-P", "-m", "memcli.warm",
                str(lock), str(endpoint.idle), endpoint.folder, endpoint.name, model,
            ],
            env={**_environment(), "_MEM_KEEPER": endpoint.identity},
            cwd="/", pass_fds=(lock,), start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors,
        )  # fmt: skip
    finally:
        os.close(lock)


def _flags() -> list[str]:
    """Return the flags of this interpreter, as multiprocessing passes them on."""
    # The function that multiprocessing uses; there is no public one.
    told: list[str] = subprocess._args_from_interpreter_flags()  # type: ignore[attr-defined]  # noqa: SLF001
    return told


def _environment() -> dict[str, str]:
    return {
        name: value
        for name, value in os.environ.items()
        if name.startswith(_GIVEN) or name in _GIVEN_SETTINGS
    }


def _model_at_hand() -> str:
    """Return the name of the model that this process has open, which is the store's; empty if none."""
    embedding = sys.modules.get("memcli.embedding")
    return next(iter(embedding.opened_names()), "") if embedding else ""


def _sweep() -> None:
    """Remove the files that dead keepers left, and the folder if it is empty then."""
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
    # A socket without a lock belongs to no keeper: it was stopped and could not remove it itself.
    for path in (*folder.glob("*.sock"), *folder.glob("*.new")):
        if not path.with_suffix(".lock").exists():
            path.unlink(missing_ok=True)
    with suppress(OSError):
        folder.rmdir()
