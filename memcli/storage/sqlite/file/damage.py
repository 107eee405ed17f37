"""Damage to a store: the flag file beside it, truncated files, and the names of damaged rows.

The flag is beside the file, since a damaged file must not be written to: `STORE.damaged`, a line for each
finding, without any text of a memory. It is removed when the store is found sound again, or repaired.
Checking it costs a command one call of `stat`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from memcli.errors import DamagedRow, FlaggedStore, StoreCut, WrongKey
from memcli.messages import Command, message
from memcli.storage.digests import printed
from memcli.text.printable import one_line

_FLAG = ".damaged"
# https://www.sqlite.org/fileformat2.html#the_database_header: a file with less has no header.
HEADER_SIZE = 100
# How many bytes must match PLAIN_HEAD: no encrypted file has so many by chance.
_ALIKE = 16
# The page size, and text in the first page of a plain store, which holds its schema.
_PAGE, _SQL = 16 * 1024, b"CREATE TABLE "
# A page that is not encrypted begins with its kind, or with the number of another page
# (https://www.sqlite.org/fileformat2.html, 1.5 to 1.7); that twelve of sixteen encrypted ones do by chance
# is 1 in 2^57.
_KINDS, _TELLING_PAGES, _PAGES_ALIKE = (b"\x02", b"\x05", b"\x0a", b"\x0d"), 16, 12
# How many text bytes no encrypted file begins with by chance.
_TELLING = 12

# The header of a plain store: page size 16 KiB, WAL twice, no reserved bytes, the three fractions. In an
# encrypted one these bytes are random.
PLAIN_HEAD = b"SQLite format 3\0" + (16 * 1024).to_bytes(2, "big") + bytes((2, 2, 0, 64, 32, 32))


def has_plain_head(head: bytes) -> bool:
    """True if a file begins like a plain store, give or take a few bytes."""
    return sum(one == other for one, other in zip(head, PLAIN_HEAD, strict=False)) >= _ALIKE


def is_plain_file(path: Path) -> bool:
    """True if a store is not encrypted, even if its header is destroyed: the first page of one holds SQL.

    A page of zeros alone proves nothing, and no key opens that. If the first page holds anything else, the
    next ones decide. Raises OSError.
    """
    with path.open("rb") as file:
        page = file.read(_PAGE)
        if has_plain_head(page[:HEADER_SIZE]) or _SQL in page or not any(page):
            return True
        pages = file.seek(0, os.SEEK_END) // _PAGE
        file.seek(_PAGE)
        begin = [file.read(_PAGE)[:4] for _ in range(min(pages - 1, _TELLING_PAGES))]
    alike = sum(each[:1] in _KINDS or int.from_bytes(each, "big") <= pages for each in begin)
    return alike >= _PAGES_ALIKE


def flag_of(path: Path) -> Path:
    """Return the path of a store's flag file, by whichever name the store is given."""
    return Path(f"{os.path.realpath(path)}{_FLAG}")


def is_flagged(path: Path) -> bool:
    """True if damage was found that has not been repaired since."""
    return os.path.exists(f"{os.path.realpath(path)}{_FLAG}")  # noqa: PTH110 - in every command


def flag(path: Path, found: Iterable[str]) -> None:
    """Record durably that the store is damaged, with the findings, if that can be written."""
    from memcli.system.files import write_private

    with suppress(OSError):
        lines = "".join(f"{one_line(line)}\n" for line in found)
        write_private(flag_of(path), lines.encode(), own=True)


def clear_flag(path: Path) -> None:
    """Remove the flag of a store that is sound again; if that is not allowed, it stays."""
    # On a read-only mount Linux raises the same error, whether the file exists or not.
    with suppress(OSError):
        flag_of(path).unlink()


def _is_text(path: Path) -> bool:
    """True if a short file holds text, and not the beginning of a store: random bytes, or PLAIN_HEAD."""
    beginning = path.read_bytes()[:HEADER_SIZE]
    if len(beginning) < _TELLING or PLAIN_HEAD.startswith(beginning[:_ALIKE]):
        return False
    with suppress(UnicodeDecodeError):
        return "".join(beginning.decode().split()).isprintable()
    return False


def flagged_store(path: Path) -> FlaggedStore:
    """Return the error that a damaged store is not written to, with the way out."""
    return FlaggedStore(
        message(f"{path}: ", Command("doctor"), " found it damaged, and nothing is written to it"),
        by_hand=message(
            Command("doctor"),
            " says what is damaged, ",
            Command("doctor --repair"),
            " mends it; --force writes all the same",
        ),
    )


def damaged_row(path: Path, kind: str, name: str, kept: str) -> DamagedRow:
    """Return the error that a damaged row is not overwritten; `kept` says what holds for the rest."""
    return DamagedRow(
        f"{path}: the {kind} {name} is damaged, and is not written over",
        left=kept,
        by_hand=message("run ", Command("doctor --repair"), "; --force writes all the same"),
    )


def row_name(kind: str, name: object) -> str:
    """Return a row's name for messages, even if the name is damaged."""
    return f"{kind} {printed(name)}"


def check_not_cut(path: Path, size: int | None, *, force: bool) -> None:
    """Raise StoreCut for a file that is too short for a store, or missing (None), unless it is a new one.

    It is new if it is empty, or missing, and nothing beside it shows that it had content: no log and no
    copy. SQLite would take a truncated one for new, and remove the log. With `force` a missing one is new
    beside copies, too.
    """
    from memcli.storage.known_copies import Records
    from memcli.storage.sqlite.file.copies import find_copies, real_file

    log = real_file(path).with_name(f"{real_file(path).name}-wal")
    logged = log.exists() and log.stat().st_size > 0
    if (size or 0) >= HEADER_SIZE or (size is None and force and not logged):
        return
    copies = [each.path for each in find_copies(path, Records({}, ())) if each.whole]
    if not (size or copies or logged):
        return
    if size and not (copies or logged) and _is_text(path):
        raise WrongKey(
            f"{path}: is a text file, not a memcli store",
            left="nothing was touched",
            by_hand="name another file with --db or MEMCLI_DB",
        )
    newest = max(copies, key=lambda each: each.stat().st_mtime, default=None)
    held = "the file is gone" if size is None else f"the file is cut to {size} byte{'s'[: size != 1]}"
    ways = []
    if newest:
        ways.append(message(Command(f"backup restore {newest.name}"), " puts back the newest copy beside it"))
    if logged:
        ways.append(message(Command("doctor --repair"), f" salvages what its log {log.name} still holds"))
    if not ways:
        ways.append(
            message(
                "no copy of it is beside it; ",
                Command("backup restore FILE"),
                " puts back one from elsewhere",
            )
        )
    if size is not None:
        ways.append("to begin anew move it away, or name another file with --db")
    elif not logged:
        ways.append(
            message("to begin anew say ", Command("--force …"), " once, or name another file with --db")
        )
    raise StoreCut(f"{path}: {held}", left="nothing was touched", by_hand="; ".join(ways), salvageable=logged)
