"""Places in the file system: private folders, and guarded files that output must not replace."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from memcli.errors import BadInput

# The endings of files that SQLite keeps beside a database.
SIDE_FILES = ("-wal", "-shm", "-journal")
# The endings of what memcli keeps beside a store: the damage flag, locks, a conversion in progress; copies.
KEPT = (
    r"\.(?:damaged|erasing|copying|restoring|conversion|converted|unconverted|consolidating|syncing)"
    r"|\.(?:backup|snapshot|damaged|before-schema)-.*"
)
# A change file: a machine writes it into a folder named by its id, within the folder of a sync.
_CHANGE_FILE = r"[0-9A-HJKMNP-TV-Z]{26}/\d{6,12}-[0-9a-f]{8}\.changes(?:\.age)?"
# The stores that this process has opened; and the first bytes of encrypted ones, which their copies share.
_guarded: set[Path] = set()
_heads: set[bytes] = set()
# Files that only their own writers may replace: the config, a key.
_own: set[Path] = set()
# Functions that guard the places named in settings, by config file; called before the first write.
_settings: dict[Path, Callable[[], None]] = {}


def is_writable(path: Path) -> bool:
    """True if this process may write a store's file and, for its log, its folder."""
    return os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)


def guard(store: Path) -> None:
    """Protect this store and its side files from being overwritten, from now on."""
    with suppress(OSError, RuntimeError, ValueError):
        _guarded.add(store.resolve())


def guard_copies(head: bytes) -> None:
    """Protect files that begin like this from being overwritten: an encrypted store and its copies."""
    _heads.add(head)


def forget_guarded() -> None:
    """Forget all guarded files, in a process that goes on in place of another one."""
    for each in (_guarded, _heads, _own, _settings):
        each.clear()


def guard_settings(file: Path, guard_places: Callable[[], None]) -> None:
    """Have `guard_places` called, for the settings of this config file, before anything is written."""
    _settings[file] = guard_places


def is_copy(head: bytes) -> bool:
    """True if a file that begins like this is a guarded store or a copy of one."""
    return any(head.startswith(each) for each in _heads)


def is_guarded(path: Path) -> bool:
    """True if a path leads to a guarded store or a side file of one, existing or not, by any name."""
    while _settings:
        _settings.popitem()[1]()
    return any(
        _same(path, each)
        or (path.name.casefold() == each.name.casefold() and _same(path.parent, each.parent))
        for store in _guarded
        for each in (store, *(Path(f"{store}{tail}") for tail in SIDE_FILES))
    )


def guard_own(file: Path) -> None:
    """Let this file be overwritten only by its own writer, from now on."""
    _own.add(file)


def is_own(path: Path) -> bool:
    """True if a path leads to a file that memcli keeps for itself.

    These are the config, a key, what is kept beside a guarded store, and change files in the folder of a
    sync.
    """
    if re.fullmatch(_CHANGE_FILE, f"{path.parent.name}/{path.name}", re.IGNORECASE):
        return True
    return any(_same(path, each) for each in _own) or any(
        path.name[: len(store.name)].casefold() == store.name.casefold()
        and re.fullmatch(KEPT, path.name[len(store.name) :], re.IGNORECASE | re.DOTALL) is not None
        and _same(path.parent, store.parent)
        for store in _guarded
    )


def expanded(path: str | Path) -> Path:
    """Return a path with a leading `~` or `~name` replaced by the home folder. Raises BadInput."""
    try:
        return Path(path).expanduser()
    except RuntimeError:
        raise BadInput(
            f"{path}: begins with the home folder of a user who does not exist; write the path out"
        ) from None


def make_private_folder(folder: Path) -> None:
    """Create a folder and its missing parents, accessible to its owner only (0700). Raises OSError."""
    missing = []
    while not folder.exists():
        missing.append(folder)
        folder = folder.parent
    for each in reversed(missing):
        with suppress(FileExistsError):
            each.mkdir(mode=0o700)
            each.chmod(0o700)  # a umask may have taken away what we need ourselves


def _same(one: Path, other: Path) -> bool:
    """True if two paths lead to one file, also by a hard link, or on systems that ignore letter case."""
    try:
        return os.path.samestat(one.stat(), other.stat())
    except OSError:
        return one == other
