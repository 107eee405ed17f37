"""Damage to own segments: detected by size, time and digest, since no other replica can rewrite them.

Each file has a mark: its size, its time of writing, and its digest. Each sync compares size and time of
all, and reads those that changed; of the others some are read in turns, for a medium may lose bytes
silently.
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
    """The mark of a sound segment file: bytes, the time (ns) of its last change, its SHA-256."""

    size: int
    changed: int
    digest: str


class SegmentReview(NamedTuple):
    """The result of checking own segments."""

    damaged: list[File]
    """Those that are truncated, emptied or changed: their content has to be sent again."""
    unreadable: list[tuple[str, str]]
    """Those that cannot be read now: id and reason."""
    marks: dict[str, Mark]
    """The marks of the sound ones, by id."""
    turn: str
    """The id of the last file that was read in its turn."""


def look_over(
    folder: Folder, own: Iterable[File], noted: Mapping[str, Sequence[Any]], turn: str
) -> SegmentReview:
    """Check own segments against the `noted` marks; `turn` is from the last check.

    A file without a mark is checked by its own trailer; if that needs a missing key, it is left for another
    time.
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
            # Larger than any segment that memcli writes.
            is_sound = False
        if is_sound:
            found.marks[file.id] = mark
        elif is_sound is False:
            found.damaged.append(file)
    return found


def mark_of(file: File) -> Mark:
    """Return the mark of a file as it is now. Raises Unreadable, or BadInput if it is too large."""
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
    """True if a segment is whole by its trailer; None if a missing key is needed to tell."""
    try:
        folder.read(file)
    except Unreadable:
        raise
    except (CannotOpen, NewerSegment):
        return None
    except MemcliError:
        return False
    return True
