"""Files to import: of a folder, of a ZIP archive, or one alone, opened one by one and within limits.

Nothing is ever unpacked onto the disk. A member that leads out of its archive, a symbolic link, a member with
an absurd compression ratio and an encrypted one become problems; the other files are read all the same.
"""

from __future__ import annotations

import os
import stat
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import IO

from memcli.errors import BadInput
from memcli.importers.file_kinds import undecodable
from memcli.importers.records import Cleared, Only, Problem, Record, as_it_stands
from memcli.named_tuple import NamedTuple
from memcli.times import to_milliseconds

# The highest compression ratio accepted: text has about 10, a table of equal lines about 100.
_MOST_UNFOLDED = 300
# … which is only checked for members of more than this many bytes unpacked.
_UNFOLDED_FREELY = 32 * 1024 * 1024
# The longest document that is read as a whole, in bytes.
MOST_WHOLE = 128 * 1024 * 1024
# Bytes of a file that `guess` functions look at.
_HEAD = 64 * 1024
_MOST_FILES = 200_000


class File(NamedTuple):
    """One file: its name for messages, its name within folder or archive, and how to open it."""

    place: str
    name: str
    open: Callable[[], IO[bytes]]
    date: Callable[[], datetime | None] = lambda: None
    """Returns when it was last written, if the folder or archive tells."""
    cleared: Cleared = as_it_stands
    """Takes what memcli printed from what people write: from a whole file, for a passage lost its lines."""

    @property
    def suffix(self) -> str:
        """Return its suffix in lower case, with the dot."""
        return PurePosixPath(self.name).suffix.lower()

    @property
    def stem(self) -> str:
        """Return its name without folders and suffix."""
        return PurePosixPath(self.name).stem

    def whole(self) -> str:
        """Return all of it as text. Raises BadInput if it is too long, or not text."""
        with opened(self) as stream:
            data = stream.read(MOST_WHOLE + 1)
        if len(data) > MOST_WHOLE:
            raise BadInput(f"more than {MOST_WHOLE >> 20} MiB in one piece; is it a text?")
        return decoded(data)

    def prose(self) -> str:
        """Return its text without memcli's own output, for files that people write. Raises BadInput."""
        return self.cleared(self.place, self.whole())


class opened:
    """A file open for reading, whose errors are raised as BadInput with a message for people."""

    def __init__(self, file: File) -> None:
        self._file = file
        self._stream: IO[bytes] | None = None

    def __enter__(self) -> IO[bytes]:
        try:
            self._stream = self._file.open()
        except (OSError, zipfile.BadZipFile, RuntimeError, NotImplementedError, zlib.error) as error:
            raise BadInput(_said(error)) from error
        return self._stream

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if self._stream:
            self._stream.close()
        if isinstance(error, OSError | zipfile.BadZipFile | zlib.error | EOFError):
            raise BadInput(_said(error)) from error


def _said(error: BaseException) -> str:
    return f"cannot be read ({getattr(error, 'strerror', None) or error or type(error).__name__})"


def files_of(
    path: Path,
    wanted: Callable[[str], bool] = lambda name: True,
    only: Only = None,
    *,
    archives: bool = False,
) -> Iterator[File | Problem]:
    """Yield the files of a path (a folder, an archive or a file) that are wanted by name, in order.

    Of a folder `only` these, if given, whatever is wanted. Hidden folders and files are left out unless
    `path` names them; with `archives`, the files inside a folder's archives count as well. Raises BadInput if
    the path does not exist.
    """
    if path.is_dir():
        inner = only.__contains__ if only is not None else lambda n: wanted(n) or (archives and _is_zipped(n))
        for file in _files_of_folder(path, inner):
            if archives and isinstance(file, File) and file.suffix == ".zip":
                yield from _archive_in_folder(Path(file.place), wanted)
            else:
                yield file
    elif is_zip(path):
        yield from _files_of_archive(path, wanted)
    elif path.is_file():
        yield file_at(path)
    else:
        why = "is no file and no folder" if path.exists() else "there is no such file or folder"
        raise BadInput(why, about=path)


def read_each(
    files: Iterable[File | Problem], read: Callable[[File], Iterator[Record]], *, nothing: str = ""
) -> Iterator[Record]:
    """Yield the records of each file; one that cannot be read becomes a problem, and the next one is read.

    Raises BadInput with the message `nothing`, if given, if there is no file at all.
    """
    some = False
    for file in files:
        some = True
        if isinstance(file, Problem):
            yield file
            continue
        try:
            yield from read(file)
        except BadInput as error:
            yield Problem(file.place, error.beside(file.place))
    if nothing and not some:
        raise BadInput(nothing)


def _is_zipped(name: str) -> bool:
    return name.lower().endswith(".zip")


def file_at(path: Path, name: str | None = None) -> File:
    """Return the `File` of a path, named within a folder or by its own name."""
    return File(str(path), name or path.name, lambda: path.open("rb"), lambda: _written(path))


def _written(path: Path) -> datetime | None:
    try:
        return to_milliseconds(datetime.fromtimestamp(path.stat().st_mtime, UTC))
    except (OSError, ValueError, OverflowError):
        return None


def is_zip(path: Path) -> bool:
    """True if a path is a ZIP archive, judged by its first bytes."""
    return head_of(path)[:4] in (b"PK\x03\x04", b"PK\x05\x06")


def head_of(path: Path) -> bytes:
    """Return the first bytes of a file; none if it is not a plain file or cannot be read."""
    try:
        there = path.stat()
        if not stat.S_ISREG(there.st_mode):
            return b""
        return _read_head(str(path), there.st_ino, there.st_size, there.st_mtime_ns)
    except (OSError, ValueError):
        return b""


@lru_cache(maxsize=4)
def _read_head(path: str, *_: int) -> bytes:
    """Read the head of a file; cached by size and time, because each source that guesses asks for it."""
    with Path(path).open("rb") as stream:
        return stream.read(_HEAD)


def heads_of(path: Path, wanted: Callable[[str], bool] = lambda name: True, most: int = 3) -> Iterator[str]:
    """Yield the beginnings of the first wanted files of a path, as text."""
    try:
        for number, file in enumerate(files_of(path, wanted)):
            if number == most:
                return
            if isinstance(file, File):
                with opened(file) as stream:
                    yield stream.read(_HEAD).decode("utf-8-sig", "replace")
    except BadInput:
        return


def decoded(data: bytes) -> str:
    """Decode UTF-8, or UTF-16 with a byte order mark. Raises BadInput, with what the data seems to be."""
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise undecodable(data[:_HEAD], error.start + 1) from error


def _files_of_folder(root: Path, wanted: Callable[[str], bool]) -> Iterator[File | Problem]:
    count = 0
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            path = Path(folder, name)
            within = path.relative_to(root).as_posix()
            if name.startswith(".") or not wanted(within):
                continue
            if path.is_symlink() or not path.is_file():
                yield Problem(str(path), "a link or no plain file; it is left out")
                continue
            count += 1
            if count > _MOST_FILES:
                raise BadInput(f"more than {_MOST_FILES:,} files; name a folder within", about=root)
            yield file_at(path, within)


def _archive_in_folder(path: Path, wanted: Callable[[str], bool]) -> Iterator[File | Problem]:
    try:
        yield from _files_of_archive(path, wanted)
    except BadInput as error:
        yield Problem(str(path), error.beside(path))


def _files_of_archive(path: Path, wanted: Callable[[str], bool]) -> Iterator[File | Problem]:
    try:
        archive = zipfile.ZipFile(path)
    except (OSError, zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        raise BadInput(f"not a readable ZIP archive ({error})", about=path) from error
    with archive:
        for info in sorted(archive.infolist(), key=lambda each: each.filename):
            name, place = info.filename, f"{path}: {info.filename!r:.200}"
            if info.is_dir():
                continue
            if why := _unsafe(info):
                yield Problem(place, why)
            elif wanted(name) and not PurePosixPath(name).name.startswith("."):
                yield _member(archive, info, f"{path}/{name}")


def _member(archive: zipfile.ZipFile, info: zipfile.ZipInfo, place: str) -> File:
    return File(place, info.filename, lambda: archive.open(info), lambda: _packed(info))


def _packed(info: zipfile.ZipInfo) -> datetime | None:
    """Return when a member was written (archives use local time); None for 1980, their year for "unknown"."""
    try:
        return to_milliseconds(datetime(*info.date_time)) if info.date_time[0] > 1980 else None  # noqa: DTZ001
    except ValueError:
        return None


def _unsafe(info: zipfile.ZipInfo) -> str | None:
    parts = PurePosixPath(info.filename.replace("\\", "/"))
    if parts.is_absolute() or ".." in parts.parts or "\0" in info.filename:
        return "leads out of its archive; it is left out"
    if stat.S_ISLNK(info.external_attr >> 16):
        return "a symbolic link; it is left out"
    if info.flag_bits & 1:
        return "encrypted; it is left out"
    if info.file_size > max(_UNFOLDED_FREELY, info.compress_size * _MOST_UNFOLDED):
        return f"unfolds to {info.file_size:,} bytes from {info.compress_size:,}; it is left out"
    return None
