"""Folders for what is needed in passing: private, and gone with their maker, even one that is killed.

A copy of a store that cannot be read in place, or stdin as a file, is as private as the store, and no copy
that anybody knows of. Who makes such a folder locks it for as long as it lives; so whoever finds one that
nobody holds knows that its maker was killed, and removes it: the next one who makes one there, an erasure,
and an encryption.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from memcli.system.locks import try_lock

# How they begin: by it a folder of ours is known, and nobody else's is touched.
_PREFIX = "mem-copy-"
# The locked folders of this process.
_held: dict[Path, int] = {}


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """A new folder in the system's temporary one, removed at the end. Raises OSError."""
    import tempfile

    folder = make_folder(Path(tempfile.gettempdir()))
    try:
        yield folder
    finally:
        remove_folder(folder)


def temporary_places() -> Iterator[Path]:
    """Where such a folder may be made: the system's temporary folder, then what else there is.

    Never the folder at hand, which Python takes where nothing else has room: it may be anybody's.
    """
    import tempfile

    folders = [os.environ.get("XDG_RUNTIME_DIR", ""), "/dev/shm", "/tmp", "/var/tmp"]  # noqa: S108
    with suppress(FileNotFoundError):
        if (usual := tempfile.gettempdir()) != str(Path.cwd()):
            folders.insert(0, usual)
    yield from dict.fromkeys(Path(folder) for folder in folders if folder and Path(folder).is_dir())


def make_folder(within: Path) -> Path:
    """A new folder of its owner alone; who makes it removes it by `remove_folder`. Raises OSError."""
    import tempfile

    remove_abandoned(within)
    while True:
        folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=within))
        if _lock(folder):
            return folder


def remove_folder(folder: Path) -> None:
    """Remove a folder with what is in it; on POSIX who has a file of it open may read on."""
    import shutil

    shutil.rmtree(folder, ignore_errors=True)
    if (descriptor := _held.pop(folder, None)) is not None:
        os.close(descriptor)


def remove_all_abandoned() -> None:
    """Remove what killed processes left, wherever it may be."""
    for place in temporary_places():
        remove_abandoned(place)


def remove_abandoned(within: Path) -> None:
    """Remove the folders of ours there that nobody holds. On Windows none can be locked: there they stay."""
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
    """Lock a new folder until it is removed, or this process ends; False where another removes it already."""
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
    except OSError:  # no locks here: nobody removes it, either
        ours = True
    if ours:
        _held[folder] = descriptor
    else:
        os.close(descriptor)
    return ours
