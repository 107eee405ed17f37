"""Places in the file system: folders for their owner alone, and files that no output takes the place of."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from memcli.errors import BadInput

# What SQLite keeps beside a database of that name.
SIDE_FILES = ("-wal", "-shm", "-journal")
# What memcli keeps beside a store: the flag of damage, locks, a conversion that is under way; its copies.
KEPT = (
    r"\.(?:damaged|erasing|copying|restoring|conversion|converted|unconverted|consolidating|syncing)"
    r"|\.(?:backup|snapshot|damaged|before-schema)-.*"
)
# What a machine writes into a folder of its own, by its id, in the folder of a sync.
_CHANGE_FILE = r"[0-9A-HJKMNP-TV-Z]{26}/\d{6,12}-[0-9a-f]{8}\.changes(?:\.age)?"
# The stores that this process has opened; and how encrypted ones begin, which their copies do as well.
_guarded: set[Path] = set()
_heads: set[bytes] = set()
# Files that no output replaces, but their own writers do: the config, a key.
_own: set[Path] = set()
# By its config file, what guards the places that settings name: asked once something is to be written.
_settings: dict[Path, Callable[[], None]] = {}


def is_writable(path: Path) -> bool:
    """Whether this process may write a store's file and, for the log, its folder."""
    return os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)


def guard(store: Path) -> None:
    """From now on nothing is written over this store, nor where it has its side files."""
    with suppress(OSError, RuntimeError, ValueError):
        _guarded.add(store.resolve())


def guard_copies(head: bytes) -> None:
    """From now on no file that begins so is written over: an encrypted store, and each copy of it."""
    _heads.add(head)


def forget_guarded() -> None:
    """As if this process had opened nothing yet: for one that goes on as another."""
    for each in (_guarded, _heads, _own, _settings):
        each.clear()


def guard_settings(file: Path, guard_places: Callable[[], None]) -> None:
    """Before anything is written have `guard_places` called, for the settings of this config file."""
    _settings[file] = guard_places


def is_copy(head: bytes) -> bool:
    """Whether a file that begins so is a guarded store or a copy of one."""
    return any(head.startswith(each) for each in _heads)


def is_guarded(path: Path) -> bool:
    """Whether a path leads to a guarded store or a side file of one, there or not, by whatever name."""
    while _settings:
        _settings.popitem()[1]()
    return any(
        _same(path, each)
        or (path.name.casefold() == each.name.casefold() and _same(path.parent, each.parent))
        for store in _guarded
        for each in (store, *(Path(f"{store}{tail}") for tail in SIDE_FILES))
    )


def guard_own(file: Path) -> None:
    """From now on this file is written over by none but its own writer."""
    _own.add(file)


def is_own(path: Path) -> bool:
    """Whether a path leads to a file that memcli keeps for itself: config, key, beside a guarded store, or
    a change file in the folder of a sync.
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
    """A path as it was typed, with the home folder that `~` or `~name` begins it with. Raises BadInput."""
    try:
        return Path(path).expanduser()
    except RuntimeError:
        raise BadInput(
            f"{path}: begins with the home folder of a user who does not exist; write the path out"
        ) from None


def make_private_folder(folder: Path) -> None:
    """Make a folder and those above it that are missing, each its maker's alone (0700). Raises OSError."""
    missing = []
    while not folder.exists():
        missing.append(folder)
        folder = folder.parent
    for each in reversed(missing):
        with suppress(FileExistsError):
            each.mkdir(mode=0o700)
            each.chmod(0o700)  # a umask may have taken away what we need ourselves


def _same(one: Path, other: Path) -> bool:
    """Whether two paths lead to one file: a hard link is another name of it, some systems know no case."""
    try:
        return os.path.samestat(one.stat(), other.stat())
    except OSError:
        return one == other
