"""Whether a replica's own segments are as they were written: nobody else can write them anew.

Each is known by a mark: its size, when it was written, and its digest. At each sync all are
looked at by size and time, and read where these changed; of the rest some are read in turns, for
a medium may lose bytes without a word.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from memcli.errors import BadInput, MemcliError
from memcli.named_tuple import NamedTuple
from memcli.sync.files.folder import File, Folder
from memcli.sync.files.segments import LARGE, CannotOpen, NewerSegment, Unreadable, read_bytes


class Mark(NamedTuple):
    """What a sound segment's file is known by: bytes, the time (ns) of its last change, its SHA-256."""

    size: int
    changed: int
    digest: str


class SegmentReview(NamedTuple):
    """What came of looking at own segments."""

    damaged: list[File]
    """Those that are cut, emptied or changed: what they told has to be told again."""
    unreadable: list[tuple[str, str]]
    """By id those that cannot be read now, with why."""
    marks: dict[str, Mark]
    """By id, of those that are sound."""
    turn: str
    """The id of the last one that was read because its turn had come."""


def look_over(
    folder: Folder, own: Iterable[File], noted: Mapping[str, Sequence[Any]], turn: str
) -> SegmentReview:
    """Look at own segments by the marks `noted` of them; `turn` is as the last look left it.

    One that has no mark yet says by itself whether it is whole; where only a key that is not
    at hand could tell, it is left for another time.
    """
    found = SegmentReview([], [], {}, turn)
    to_read = LARGE
    for file in sorted(own, key=lambda each: (each.id <= turn, each.id)):
        known = Mark(*noted[file.id]) if file.id in noted else None
        try:
            if known and _is_as_noted(file, known):
                if to_read <= 0:
                    found.marks[file.id] = known
                    continue
                to_read -= known.size
                found = found._replace(turn=file.id)
            mark = mark_of(file)
            is_sound = mark.digest == known.digest if known else _is_whole(folder, file)
        except Unreadable as error:
            found.unreadable.append((file.id, f"{error}; if it stays so, rm it: the next sync writes anew"))
            continue
        except BadInput:
            # It grew beyond what is ever written.
            is_sound = False
        if is_sound:
            found.marks[file.id] = mark
        elif is_sound is False:
            found.damaged.append(file)
    return found


def mark_of(file: File) -> Mark:
    """The mark of a file as it is now. Raises Unreadable, or BadInput where it is too large."""
    content = read_bytes(file.path)
    return Mark(len(content), _status(file).st_mtime_ns, hashlib.sha256(content).hexdigest())


def _is_as_noted(file: File, known: Mark) -> bool:
    status = _status(file)
    return (status.st_size, status.st_mtime_ns) == (known.size, known.changed)


def _status(file: File) -> os.stat_result:
    try:
        return file.path.stat()
    except OSError as error:
        raise Unreadable(f"it cannot be read ({error.strerror})") from error


def _is_whole(folder: Folder, file: File) -> bool | None:
    """Whether a segment is whole by its own word; None where a key is missing that could tell."""
    try:
        folder.read(file)
    except Unreadable:
        raise
    except (CannotOpen, NewerSegment):
        return None
    except MemcliError:
        return False
    return True
