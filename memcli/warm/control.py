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
from typing import Any

from memcli.config.config import Config
from memcli.errors import BadInput, MemcliError
from memcli.messages import Command, message
from memcli.named_tuple import NamedTuple
from memcli.system.locks import is_locked, try_lock
from memcli.warm import client, place, standing, wire
from memcli.warm.endpoint import Endpoint, make_folder, own_endpoint

# Seconds that a keeper waits where it was started by hand and no setting says how long.
USUAL = 600.0
# Seconds: what getting ready may take on a busy machine; and what an answer to who asks how it does.
_READY_WITHIN = 60.0
_ANSWER = 5.0
# So often in a row one may leave unanswered who starts it: on a busy machine the first may be too early.
_UNANSWERED = 2
_LOOK = 0.02
_NO_STORE = ("memcli.commands.warm", "memcli.commands.config")
# What of an environment a keeper is started with: what decides how it comes up and which model it holds.
_GIVEN = ("HOME", "PATH", "USER", "LOGNAME", "TMPDIR", "TZ", "LANG", "LC_", "XDG_", "HF_", *place.AT_START)
_GIVEN_SETTINGS = ("MEMCLI_MODEL", "MEMCLI_CACHE_DIR", "MEMCLI_CONFIG")


class Found(NamedTuple):
    """A keeper at its endpoint. `told` is None where it does not answer."""

    name: str
    process: int
    ours: bool
    """Whether calls such as this one go to it."""
    told: dict[str, Any] | None


class Stopped(NamedTuple):
    """What was stopped."""

    ended: list[Found]
    busy: list[Found]
    """They end with the calls that they still have."""
    starting: int
    """So many were not ready yet."""


def start_where_wanted() -> None:
    """After a cold call: where its owner's setting wants one and there is none, start a keeper for the next.

    It gets ready by itself; nobody waits for it. Nothing is ever raised.
    """
    with suppress(MemcliError, OSError, ValueError):
        # No call that knows no store: it would hold the model of the settings, not the store's.
        if os.name != "posix" or not sys.modules.keys().isdisjoint(_NO_STORE):
            return
        if standing.absence().why is standing.Why.NOT_YET:
            _spawn(own_endpoint(Config()["warm"]), _model_at_hand(), by_hand=False)


def start(idle: float | None = None, model: str = "") -> Found:
    """Have a keeper at this process's endpoint, ready; the one that is there already, or a new one.

    A new one holds the `model` of that name, else the configured one, and waits `idle` seconds for a call,
    else as the setting says. Raises BadInput where its folder is none to use, MemcliError where it does not
    get ready, or one that is there does not answer.
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
        # One that ends well has seen that the program changed meanwhile, or was told to go.
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
    """Who answers at an endpoint; None where whoever was starting there has ended, or the time is over.

    Raises MemcliError where one listens and does not answer.
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
    """End all keepers of this user, of whichever version, those that are getting ready among them.

    One that does not answer is ended by the kernel.
    """
    ended: list[Found] = []
    busy: list[Found] = []
    folder = place.folder()
    # Before any is asked: one that gets ready in between is either found below, or finds its lock gone.
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
    """Take away the locks that keepers hold in a folder, which ends those that are getting ready.

    Gives the open locks, by the names of their keepers.
    """
    held = {}
    for path in Path(folder).glob("*.lock") if place.is_private(folder) else ():
        with suppress(OSError):
            lock = os.open(path, os.O_RDWR | os.O_NOFOLLOW)
            if try_lock(lock):
                os.close(lock)  # a dead one's: `_sweep` removes it
            else:
                held[path.stem] = lock
                path.unlink()
    return held


def _is_let_go(lock: int) -> bool:
    """Wait for the end of the keeper that holds a lock, and close it; whether it has ended."""
    deadline = time.monotonic() + _ANSWER
    try:
        while not (free := try_lock(lock)) and time.monotonic() < deadline:
            time.sleep(_LOOK)
        return free
    finally:
        os.close(lock)


def keepers(wanted: bytes = wire.STATUS) -> Iterator[Found]:
    """The keepers of this user, each asked for what is `wanted`."""
    folder = Path(place.folder())
    if place.is_private(str(folder)):
        own = place.name_of(place.identity())
        for path in sorted(folder.glob("*.sock")):
            if found := _ask(path, own, wanted):
                yield found


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
    endpoint: Endpoint, model: str, *, by_hand: bool = True, errors: int = subprocess.DEVNULL
) -> subprocess.Popen[bytes] | None:
    """Start a process at an endpoint, and give it the lock and a model; None where somebody holds the lock.

    Not `by_hand`, neither where one has just failed. Raises OSError where the folder cannot be had.
    """
    if not make_folder(endpoint.folder) or len(os.fsencode(endpoint.socket)) > place.LONGEST:
        return None
    lock = os.open(endpoint.lock, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    try:
        if not try_lock(lock) or not endpoint.is_held_by(lock):
            return None
        # Looked at again: two calls that ended at once were both told that there is none.
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
    # What has no lock is nobody's: of one that was stopped and could not remove it itself.
    for path in (*folder.glob("*.sock"), *folder.glob("*.new")):
        if not path.with_suffix(".lock").exists():
            path.unlink(missing_ok=True)
    with suppress(OSError):
        folder.rmdir()
