"""The folder through which replicas tell each other: a folder each, in it segments, its writer's alone.

`FOLDER/REPLICA/NUMBER-DIGEST.changes` (encrypted: `.changes.age`). A name is never used for
another content, so what was read once need not be looked at again. What has another name
(copies that a program made of two versions, files of others) is left alone, and named; an
erasure removes what is a copy of an own segment.
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
# What is in the name of a copy, whatever else a program put there.
_LIKE_OURS = re.compile(r"\d{6,12}-[0-9a-f]{8}")
# How programs name the copy that they make of two versions of a file.
_CONFLICT = re.compile(r"\(.*conflict.*\)|\.sync-conflict-|conflicted copy|_conf\(\d+\)", re.IGNORECASE)
_CLUTTER = {"desktop.ini", "thumbs.db", "icon\r"}


class File(NamedTuple):
    """One segment's file: whose it is, its name, and where it is."""

    replica: str
    name: str
    path: Path

    @property
    def id(self) -> str:
        """By what it is noted as read."""
        return f"{self.replica}/{self.name}"

    @property
    def number(self) -> int:
        """Its number among those of its replica."""
        return int(self.name.partition("-")[0])

    @property
    def is_sealed(self) -> bool:
        """Whether it is encrypted."""
        return is_sealed(self.name)


def is_sealed(name: str) -> bool:
    """Whether a segment is encrypted, by its name or id."""
    return name.endswith(".age")


class Listing(NamedTuple):
    """What is in a folder: segments by replica and number, and what is none, with why."""

    files: list[File]
    foreign: list[tuple[str, str]]

    def of(self, replica: str) -> list[File]:
        """The files of one replica."""
        return [each for each in self.files if each.replica == replica]


class Folder:
    """One folder, with the key of its encrypted segments; `seals`: what is written here is encrypted, too."""

    def __init__(self, path: Path, sealing: Sealing | None = None, *, seals: bool = True) -> None:
        self.path = path
        self._sealing = sealing
        self.seals = seals and sealing is not None

    def check(self) -> None:
        """Raise BadInput where there is no folder, StoreUnusable where it cannot be read."""
        if not self.path.is_dir():
            raise BadInput(
                f"{self.path}: there is no such folder; is its disk there? `mkdir` makes a new one"
            )
        self.listing()

    def listing(self) -> Listing:
        """What is there now."""
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
        """A segment. Raises HalfWritten, NewerSegment, CannotOpen, BadInput."""
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
            # What bears this name is of the same content, whatever a broken disk has made of it.
            write_private(file.path, content, own=True)
        except OSError as error:
            raise StoreUnusable(
                f"{file.path}: cannot be written ({error.strerror})",
                by_hand=message("what was written before is whole, ", Command("sync"), " goes on from there"),
            ) from error
        return file

    def remove_copies(self, replicas: Collection[str], own: Iterable[File]) -> list[str]:
        """Remove from the folders of these replicas what is one of their segments, under whatever name.

        `own` stay, and what bears the name of a segment: it may be news. A line for each
        file that may be such a copy and is still there, with why.
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
    """All files there, and a line in `left` for each folder that cannot be read."""

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
    """Files that programs leave in each folder, and unfinished ones of our own: not worth a word."""
    return (name.startswith((".", "~")) and not _CONFLICT.search(name)) or name.casefold() in _CLUTTER


def unread(listing: Listing, read: Iterable[str], own: Iterable[str]) -> Iterator[File]:
    """The segments that were not read yet, nor written here."""
    known = {*read, *own}
    return (file for file in listing.files if file.id not in known)
