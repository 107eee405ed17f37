"""Why calls such as this one have no keeper, or can have none: one answer, for starting and for telling."""

from __future__ import annotations

import os
import stat
import time
from enum import Enum, auto
from pathlib import Path

from memcli.config.config import Config
from memcli.messages import Command, message
from memcli.named_tuple import NamedTuple
from memcli.scope import distrusts
from memcli.system.locks import is_locked
from memcli.warm import peers
from memcli.warm.endpoint import Endpoint, may_be_made, own_endpoint

# A keeper that was started so many seconds ago and is no more has failed: no call starts the next one yet.
_AGAIN = 10.0


class Why(Enum):
    """What stands against a keeper, the first that does; of the last alone the next call starts one."""

    NO_PLACE = auto()
    """Its folder is not there, and cannot be made safely."""
    NO_FOLDER = auto()
    """What lies there is a file or a link."""
    ANOTHERS = auto()
    """Its folder is another user's."""
    OPEN = auto()
    """Others may enter its folder."""
    SILENT = auto()
    """It is there, and does not answer."""
    STARTING = auto()
    """It is getting ready."""
    OFF = auto()
    """No setting asks for one."""
    UNTRUSTED = auto()
    """Who calls is no owner."""
    BOUND = auto()
    """This process stands in a sandbox, or is traced."""
    NICED = auto()
    """This process has a lower priority than most, and a keeper that it starts would have, too."""
    FAILED = auto()
    """The last one was started just now, and is no more."""
    NOT_YET = auto()
    """Nothing: the next call starts one."""


class Absence(NamedTuple):
    """Why there is no keeper, and of which folder."""

    why: Why
    folder: str

    def line(self) -> str:
        """The line for its owner, the way out with it."""
        if self.why in _OF_FOLDER:
            return f"calls run cold: {self.fault()}"
        return _LINES[self.why]

    def fault(self) -> str:
        """What is wrong with the folder, and the way out."""
        if self.why is Why.NO_PLACE:
            return f"{self.folder} cannot be made there; {_ELSEWHERE}"
        told = {
            Why.NO_FOLDER: "a file or a link; remove it",
            Why.ANOTHERS: f"another user's; {_ELSEWHERE}",
            Why.OPEN: f"others may enter it; chmod 700 {self.folder}",
        }[self.why]
        return f"{self.folder} is not a folder of yours alone (0700): {told}"


_OF_FOLDER = (Why.NO_PLACE, Why.NO_FOLDER, Why.ANOTHERS, Why.OPEN)
_ELSEWHERE = "set XDG_RUNTIME_DIR to a folder of yours"
_NONE = "no process is kept warm here"
_BY_HAND = Command("warm start")
_LINES = {
    Why.SILENT: message(
        "calls run cold: the warm process does not answer; ", Command("warm stop"), " ends it"
    ),
    Why.STARTING: "a process is starting; calls run cold until it is ready",
    Why.OFF: message(_NONE, "; ", _BY_HAND, ", or ", Command("config set warm 10m")),
    Why.UNTRUSTED: f"{_NONE}; a call by an untrusted origin starts none",
    Why.BOUND: f"{_NONE}; a call in a sandbox, or under a debugger, starts none and runs cold",
    Why.NICED: message(_NONE, "; a call of low priority (nice) starts none, but ", _BY_HAND, " does"),
    Why.FAILED: message(_NONE, "; the last one failed just now; ", _BY_HAND, " says why"),
    Why.NOT_YET: f"{_NONE}; the next call starts one",
}


def absence(*, silent: bool = False) -> Absence:
    """Why no keeper answers calls such as this one; `silent`: one was asked, and did not answer.

    Nobody is waited for. Raises MemcliError where the settings cannot be read.
    """
    endpoint = own_endpoint(0)
    return Absence(_why(endpoint, silent), endpoint.folder)


def _why(endpoint: Endpoint, silent: bool) -> Why:
    if fault := folder_fault(endpoint.folder):
        return fault.why
    if is_locked(Path(endpoint.lock)):
        return Why.SILENT if silent else Why.STARTING
    return _why_none_is_started(endpoint, Config())


def _why_none_is_started(endpoint: Endpoint, config: Config) -> Why:
    if not config["warm"]:
        return Why.OFF
    if distrusts(config, config["origin"]):
        return Why.UNTRUSTED
    if not _is_unbound():
        return Why.BOUND
    if os.getpriority(os.PRIO_PROCESS, 0) > 0:
        return Why.NICED
    return Why.FAILED if has_just_failed(endpoint) else Why.NOT_YET


def folder_fault(folder: str) -> Absence | None:
    """What is wrong with a folder of keepers; nothing of one that can be made."""
    try:
        there = os.lstat(folder)
    except OSError:
        return None if may_be_made(folder) else Absence(Why.NO_PLACE, folder)
    why = None
    if not stat.S_ISDIR(there.st_mode):
        why = Why.NO_FOLDER
    elif not there.st_uid == os.geteuid() == os.getuid():
        why = Why.ANOTHERS
    elif stat.S_IMODE(there.st_mode) != 0o700:
        why = Why.OPEN
    return Absence(why, folder) if why else None


def has_just_failed(endpoint: Endpoint) -> bool:
    """True if the last keeper at this endpoint ended just now, and left its files there."""
    try:
        left = Path(endpoint.lock).stat()
    except OSError:
        return False
    return bool(left.st_size) and time.time() - left.st_mtime < _AGAIN


def _is_unbound() -> bool:
    try:
        return peers.is_unbound(os.getpid())
    except OSError:  # where that cannot be told, nor can it be of a caller
        return False
