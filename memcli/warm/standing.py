"""Standing of the keeper: why calls such as this one have none, or can have none.

The one answer both for starting a keeper and for reporting on it.
"""

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

# Seconds after the start of a keeper that has ended in which it counts as failed, and no call starts another.
_AGAIN = 10.0


class Why(Enum):
    """Reasons why there is no keeper, in the order checked; for the last alone the next call starts one."""

    NO_PLACE = auto()
    """Its folder does not exist, and cannot be made safely."""
    NO_FOLDER = auto()
    """A file or a link is in place of its folder."""
    ANOTHERS = auto()
    """Its folder belongs to another user."""
    OPEN = auto()
    """Others may enter its folder."""
    SILENT = auto()
    """It is running, but does not answer."""
    STARTING = auto()
    """It is getting ready."""
    OFF = auto()
    """No setting asks for one."""
    UNTRUSTED = auto()
    """The caller is an untrusted origin, not the owner."""
    BOUND = auto()
    """This process is in a sandbox, or traced."""
    NICED = auto()
    """This process has a lower priority than usual (nice), and so would a keeper that it starts."""
    FAILED = auto()
    """The last one was started just now, and has ended."""
    NOT_YET = auto()
    """No obstacle: the next call starts one."""


class Absence(NamedTuple):
    """Why there is no keeper, and the folder where it would be."""

    why: Why
    folder: str

    def line(self) -> str:
        """Return the line for the user, with the remedy."""
        if self.why in _OF_FOLDER:
            return f"calls run cold: {self.fault()}"
        return _LINES[self.why]

    def fault(self) -> str:
        """Return what is wrong with the folder, with the remedy."""
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
    """Return why no keeper answers calls such as this one; `silent`: one was asked, and did not answer.

    Waits for nothing. Raises MemcliError if the settings cannot be read.
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
    """Return what is wrong with a folder of keepers; None if it is good or can be made."""
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
    """True if the lock file at an endpoint was left just now, by a keeper that has ended."""
    try:
        left = Path(endpoint.lock).stat()
    except OSError:
        return False
    return bool(left.st_size) and time.time() - left.st_mtime < _AGAIN


def _is_unbound() -> bool:
    try:
        return peers.is_unbound(os.getpid())
    except OSError:  # if it is unknown of us, it is unknown of every caller, too
        return False
