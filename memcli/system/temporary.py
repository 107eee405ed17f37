"""Temporary folders: private, and removed after their process ends, even if it was killed.

A copy of a store that cannot be read in place, or stdin as a file, is as private as the store, and nobody
knows that the copy exists. The creator of such a folder locks it for as long as it lives; so a folder that
nobody holds belonged to a killed process, and is removed by whoever finds it: the next one to create one
there, an erasure, and an encryption.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from memcli.system.locks import try_lock

# The prefix by which our folders are recognized, so that nobody else's is touched.
_PREFIX = "mem-copy-"
# The locked folders of this process.
_held: dict[Path, int] = {}


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """Create a folder in the system's temporary one, and remove it at the end. Raises OSError."""
    import tempfile

    folder = make_folder(Path(tempfile.gettempdir()))
    try:
        yield folder
    finally:
        remove_folder(folder)


def temporary_places() -> Iterator[Path]:
    """Yield the places for such folders: the system's temporary folder, then alternatives.

    Never the working directory, which Python falls back to if nothing else has room: others may read it.
    """
    import tempfile

    folders = [os.environ.get("XDG_RUNTIME_DIR", ""), "/dev/shm", "/tmp", "/var/tmp"]  # noqa: S108
    with suppress(FileNotFoundError):
        if (usual := tempfile.gettempdir()) != str(Path.cwd()):
            folders.insert(0, usual)
    yield from dict.fromkeys(Path(folder) for folder in folders if folder and Path(folder).is_dir())


def make_folder(within: Path) -> Path:
    """Create a private folder; the caller removes it by `remove_folder`. Raises OSError."""
    import tempfile

    remove_abandoned(within)
    while True:
        folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=within))
        if _lock(folder):
            return folder


def remove_folder(folder: Path) -> None:
    """Remove a folder with its contents; on POSIX, open files in it can still be read."""
    import shutil

    shutil.rmtree(folder, ignore_errors=True)
    if (descriptor := _held.pop(folder, None)) is not None:
        os.close(descriptor)


def remove_all_abandoned() -> None:
    """Remove the folders that killed processes left, in all places."""
    for place in temporary_places():
        remove_abandoned(place)


def remove_abandoned(within: Path) -> None:
    """Remove our folders in a place that no process holds. On Windows none can be locked, so they stay."""
    import shutil

    if sys.platform == "win32":
        return
    with suppress(OSError):
        for folder in within.glob(f"{_PREFIX}*"):
            with suppress(OSError):
                if folder.lstat().st_uid != os.geteuid():
                    continue
                descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
                try:
                    if try_lock(descriptor):
                        shutil.rmtree(folder, ignore_errors=True)
                finally:
                    os.close(descriptor)


def _lock(folder: Path) -> bool:
    """Lock a new folder until it is removed or this process ends; False if another process is removing it."""
    if sys.platform == "win32":
        return True
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except FileNotFoundError:
        return False
    try:
        ours = try_lock(descriptor) and os.path.samestat(os.fstat(descriptor), folder.stat())
    except FileNotFoundError:
        ours = False
    except OSError:  # no locks here, so nobody removes it, either
        ours = True
    if ours:
        _held[folder] = descriptor
    else:
        os.close(descriptor)
    return ours
