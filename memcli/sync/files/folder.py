"""Sync folder: holds a subfolder for each replica, with segments that only this replica writes.

`FOLDER/REPLICA/NUMBER-DIGEST.changes` (encrypted: `.changes.age`). A name is never reused for another
content, so a segment that was read need not be read again. Files with other names (conflict copies made by
a sync program, foreign files) are left alone and reported; an erasure removes copies of own segments.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from memcli.errors import BadInput, MemcliError, StoreUnusable
from memcli.ids import is_id
from memcli.messages import Command, message
from memcli.named_tuple import NamedTuple
from memcli.sync.files.segments import (
    SEALED,
    CannotOpen,
    Sealing,
    Segment,
    parsed_segment,
    read_bytes,
    segment_bytes,
    writer_of,
)
from memcli.system.files import write_private

_NAME = re.compile(r"(\d{6,12})-([0-9a-f]{8})\.changes(\.age)?")
# Matches the part of a segment's name that its copies keep, whatever a program adds.
_LIKE_OURS = re.compile(r"\d{6,12}-[0-9a-f]{8}")
# Matches how sync programs name conflict copies.
_CONFLICT = re.compile(r"\(.*conflict.*\)|\.sync-conflict-|conflicted copy|_conf\(\d+\)", re.IGNORECASE)
_CLUTTER = {"desktop.ini", "thumbs.db", "icon\r"}


class File(NamedTuple):
    """The file of one segment: its replica, its name, and its path."""

    replica: str
    name: str
    path: Path

    @property
    def id(self) -> str:
        """The id under which it is recorded as read."""
        return f"{self.replica}/{self.name}"

    @property
    def number(self) -> int:
        """The number of the file among those of its replica."""
        return int(self.name.partition("-")[0])

    @property
    def is_sealed(self) -> bool:
        """True if it is encrypted."""
        return is_sealed(self.name)


def is_sealed(name: str) -> bool:
    """True if a segment is encrypted, by its name or id."""
    return name.endswith(".age")


class Listing(NamedTuple):
    """The content of a folder: segments by replica and number, and other files with the reason."""

    files: list[File]
    foreign: list[tuple[str, str]]

    def of(self, replica: str) -> list[File]:
        """Return the files of one replica."""
        return [each for each in self.files if each.replica == replica]


class Folder:
    """One sync folder, with the key of its encrypted segments; with `seals` new segments are encrypted."""

    def __init__(self, path: Path, sealing: Sealing | None = None, *, seals: bool = True) -> None:
        self.path = path
        self._sealing = sealing
        self.seals = seals and sealing is not None

    def check(self) -> None:
        """Raise BadInput if there is no folder, StoreUnusable if it cannot be read."""
        if not self.path.is_dir():
            raise BadInput(
                f"{self.path}: there is no such folder; is its disk there? `mkdir` makes a new one"
            )
        self.listing()

    def listing(self) -> Listing:
        """Return the current content."""
        files: list[File] = []
        foreign: list[tuple[str, str]] = []
        try:
            for entry in sorted(self.path.iterdir()):
                if is_id(entry.name) and entry.is_dir():
                    for path in sorted(entry.iterdir()):
                        _sort(entry.name, path, files, foreign)
                elif not _is_clutter(entry.name):
                    foreign.append((entry.name, _why_foreign(entry.name)))
        except OSError as error:
            raise StoreUnusable(
                f"{self.path}: cannot be read ({error.strerror})", advice="check disk and permissions"
            ) from error
        return Listing(sorted(files, key=lambda each: (each.replica, each.number, each.name)), foreign)

    def read(self, file: File) -> Segment:
        """Read a segment. Raises HalfWritten, NewerSegment, CannotOpen, BadInput."""
        content = read_bytes(file.path)
        return parsed_segment(self._opened(content) if file.is_sealed else content)

    def write(self, segment: Segment, number: int) -> File:
        """Write a segment under a name of its own; it is on disk when this returns. Raises StoreUnusable."""
        content = segment_bytes(segment)
        digest = hashlib.sha256(content).hexdigest()[:8]
        name = f"{number:06d}-{digest}.changes"
        if self._sealing and self.seals:
            content, name = self._sealing.sealed(content), f"{name}.age"
        file = File(segment.replica, name, self.path / segment.replica / name)
        try:
            file.path.parent.mkdir(mode=0o700, exist_ok=True)
            # An existing file of this name has the same content by its digest, or is damaged: overwrite it.
            write_private(file.path, content, own=True)
        except OSError as error:
            raise StoreUnusable(
                f"{file.path}: cannot be written ({error.strerror})",
                by_hand=message("what was written before is whole, ", Command("sync"), " goes on from there"),
            ) from error
        return file

    def remove_copies(self, replicas: Collection[str], own: Iterable[File]) -> list[str]:
        """Remove copies of these replicas' segments, under whatever name, from their subfolders.

        `own` files stay, and so do files with the name of a segment, which may be news. Returns a line for
        each file that may be such a copy and is still there, with the reason.
        """
        left: list[str] = []
        kept = {each.path for each in own}
        for replica in sorted(replicas):
            for path in _files_under(self.path / replica, left):
                if path in kept or (_NAME.fullmatch(path.name) and path.parent == self.path / replica):
                    continue
                try:
                    writer = self._writer(path)
                    if writer == replica:
                        path.unlink(missing_ok=True)
                    elif writer is None and _LIKE_OURS.search(path.name):
                        left.append(f"{path}: damaged, it may hold what was erased; rm removes it")
                except OSError as error:
                    left.append(f"{path}: cannot be removed ({error.strerror})")
                except MemcliError as error:
                    left.append(f"{path}: {error}")
        return left

    def _writer(self, path: Path) -> str | None:
        content = read_bytes(path)
        return writer_of(self._opened(content) if content.startswith(SEALED) else content)

    def _opened(self, content: bytes) -> bytes:
        if self._sealing is None:
            raise CannotOpen("it is encrypted, and no key was given (--key-file)")
        return self._sealing.opened(content)

    def remove(self, files: Iterable[File]) -> None:
        """Remove own segments. Raises StoreUnusable."""
        for file in files:
            try:
                file.path.unlink(missing_ok=True)
            except OSError as error:
                raise StoreUnusable(f"{file.path}: cannot be removed ({error.strerror})") from error


def _files_under(folder: Path, left: list[str]) -> Iterator[Path]:
    """Yield all files there; add a line to `left` for each folder that cannot be read."""

    def unreadable(error: OSError) -> None:
        if not isinstance(error, FileNotFoundError):
            left.append(f"{error.filename}: cannot be read ({error.strerror})")

    for where, _, names in os.walk(folder, onerror=unreadable):
        for path in (Path(where) / name for name in sorted(names)):
            if path.is_file() and not path.is_symlink():
                yield path


def _sort(replica: str, path: Path, files: list[File], foreign: list[tuple[str, str]]) -> None:
    name = f"{replica}/{path.name}"
    if _NAME.fullmatch(path.name) and path.is_file() and not path.is_symlink():
        files.append(File(replica, path.name, path))
    elif not _is_clutter(path.name):
        foreign.append((name, _why_foreign(path.name)))


def _why_foreign(name: str) -> str:
    if _CONFLICT.search(name):
        return "a copy that a program made of two versions: of no use here, it may be removed"
    return "no file of memcli"


def _is_clutter(name: str) -> bool:
    """True for files that programs leave in every folder, and own unfinished ones: not worth reporting."""
    return (name.startswith((".", "~")) and not _CONFLICT.search(name)) or name.casefold() in _CLUTTER


def unread(listing: Listing, read: Iterable[str], own: Iterable[str]) -> Iterator[File]:
    """Yield the segments that were neither read yet nor written here."""
    known = {*read, *own}
    return (file for file in listing.files if file.id not in known)
