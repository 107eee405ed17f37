"""What is known of damage to a store: the flag beside its file, a file that was cut, names of rows.

The flag stands beside the file, for a damaged file is no place to write to: `STORE.damaged`, a
line for each thing that was found, without any text of a memory. Who finds the store well again,
or mends it, removes it. To look for it costs a command one call of `stat`.
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
# So many bytes of PLAIN_HEAD no encrypted file has by chance.
_ALIKE = 16
# What stands in the first page of a store, which holds its schema, and in no page that is encrypted.
_PAGE, _SQL = 16 * 1024, b"CREATE TABLE "
# A page that is not encrypted begins with its kind, or with the number of another page
# (https://www.sqlite.org/fileformat2.html, 1.5 to 1.7); that twelve of sixteen encrypted ones do by chance
# is 1 in 2^57.
_KINDS, _TELLING_PAGES, _PAGES_ALIKE = (b"\x02", b"\x05", b"\x0a", b"\x0d"), 16, 12
# So many bytes that are all text no encrypted file begins with by chance.
_TELLING = 12

# How a store begins that is not encrypted; page size 16 KiB, WAL twice, no reserved bytes, the
# three fractions. Of an encrypted one these bytes are random.
PLAIN_HEAD = b"SQLite format 3\0" + (16 * 1024).to_bytes(2, "big") + bytes((2, 2, 0, 64, 32, 32))


def has_plain_head(head: bytes) -> bool:
    """True if a file begins as a store that is not encrypted, give or take a few bytes."""
    return sum(one == other for one, other in zip(head, PLAIN_HEAD, strict=False)) >= _ALIKE


def is_plain_file(path: Path) -> bool:
    """True if a store is not encrypted, though its head may be gone: the first page of one holds SQL.

    One of zeros alone says nothing, and no key opens that. Where the first page holds anything else, the
    next ones tell. Raises OSError.
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
    """Where the flag of a store stands, by whichever name the store is called."""
    return Path(f"{os.path.realpath(path)}{_FLAG}")


def is_flagged(path: Path) -> bool:
    """True if damage was found that has not been mended since."""
    return os.path.exists(f"{os.path.realpath(path)}{_FLAG}")  # noqa: PTH110 - in every command


def flag(path: Path, found: Iterable[str]) -> None:
    """Note durably that the store is damaged, by what was found; where nobody can write, nothing is noted."""
    from memcli.system.files import write_private

    with suppress(OSError):
        lines = "".join(f"{one_line(line)}\n" for line in found)
        write_private(flag_of(path), lines.encode(), own=True)


def clear_flag(path: Path) -> None:
    """The store is well again; where nobody can write, the flag stays."""
    # Of a read-only mount Linux says that, whether or not there is a file.
    with suppress(OSError):
        flag_of(path).unlink()


def _is_text(path: Path) -> bool:
    """True if a short file holds text, and not how a store begins: that is random bytes, or PLAIN_HEAD."""
    beginning = path.read_bytes()[:HEADER_SIZE]
    if len(beginning) < _TELLING or PLAIN_HEAD.startswith(beginning[:_ALIKE]):
        return False
    with suppress(UnicodeDecodeError):
        return "".join(beginning.decode().split()).isprintable()
    return False


def flagged_store(path: Path) -> FlaggedStore:
    """That the store is not written to, and the way out."""
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
    """That a row is not written over, and what is so (`kept`) of the rest."""
    return DamagedRow(
        f"{path}: the {kind} {name} is damaged, and is not written over",
        left=kept,
        by_hand=message("run ", Command("doctor --repair"), "; --force writes all the same"),
    )


def row_name(kind: str, name: object) -> str:
    """What a row is called in messages; its name may be damaged, too."""
    return f"{kind} {printed(name)}"


def check_not_cut(path: Path, size: int | None, *, force: bool) -> None:
    """Raise StoreCut for a file that is too short for a store, or gone (None), unless it is a new one.

    A file is new where it is empty, or not there, and nothing beside it tells what it held: no log of
    changes and no copy. SQLite would take one that was cut for new, and remove the log. With `force`
    one that is gone is new beside its copies, too.
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
