"""Taking text from arguments or from stdin."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from io import BufferedReader, BytesIO
from pathlib import Path
from typing import BinaryIO

from memcli.errors import BadInput
from memcli.named_tuple import NamedTuple
from memcli.text.printable import without_escapes

# No document, and no line of an import, is longer, in bytes.
_MOST = 256 * 1024 * 1024
# How text in UTF-16 begins, in either order.
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")


def text_argument(words: list[str] | None, what: str) -> str:
    """The text of a command, without colours: its words, or stdin where they are '-' or absent.

    stdin is never read beside words (a loop over `read` keeps its lines), nor
    waited for on a terminal unless '-' asks for it. Raises BadInput.
    """
    if words and words != ["-"]:
        return without_escapes(" ".join(words))
    if sys.stdin is None or (not words and sys.stdin.isatty()):
        raise BadInput(f"nothing to {what}: give words, or pipe text in")
    return without_escapes(decode(_stdin(), "stdin")).strip()


def maybe_text_argument(words: list[str] | None) -> str:
    """The text of a command that may come without one: empty without words and without a pipe."""
    return "" if not words and stdin_is_empty() else text_argument(words, "look for")


def stdin_is_empty() -> bool:
    """Whether stdin is closed, or a terminal: what comes from it somebody would have to type."""
    return sys.stdin is None or sys.stdin.isatty()


class Document(NamedTuple):
    """A text that somebody handed over whole, and where it came from: a file's name, or stdin."""

    text: str
    where: str


def read_document(file: str | None) -> Document | None:
    """A file, or stdin where it is '-' or absent and piped, as it is; else None.

    Raises BadInput for a file that cannot be read, or is not UTF-8.
    """
    if file not in (None, "-"):
        try:
            # A byte order mark stays: what comes in goes out.
            with _opened(file) as stream:
                return Document(_decode(_whole(stream, file), file, "utf-8"), file)
        except OSError as error:
            raise BadInput(f"{file}: cannot be read ({error.strerror})") from error
    if file is None and stdin_is_empty():
        return None
    return Document(_decode(_stdin(), "stdin", "utf-8"), "stdin")


def read_stdin_lines() -> Iterator[tuple[int, bytes]]:
    """The non-blank lines of stdin with their numbers, from 1, as they come."""
    if stdin_is_empty():
        raise BadInput("nothing to read: pipe lines in, or redirect a file")
    for number, line in enumerate(_lines(sys.stdin.buffer, "stdin"), start=1):
        if line.strip():
            yield number, line.rstrip(b"\r\n")


def more_stands_ready() -> bool:
    """Whether stdin can be read without waiting for who writes it, as far as that can be told."""
    import select

    try:
        return bool(select.select([sys.stdin.buffer], [], [], 0)[0])
    except (OSError, ValueError):  # Windows asks that of sockets alone
        return True


def read_sealed(file: str) -> bytes | None:
    """All of a file, or of stdin for '-', that is in the age format; None of any other, which is left unread.

    Raises BadInput for a file that cannot be read.
    """
    if file == "-" and stdin_is_empty():
        return None
    try:
        # What is not in that format is read later: stdin stays open.
        with nullcontext(sys.stdin.buffer) if file == "-" else _opened(file) as stream:
            return _whole(stream, file) if _is_age(head_of_stream(stream)) else None
    except OSError as error:
        raise BadInput(f"{file}: cannot be read ({error.strerror})") from error


def read_lines(file: str, plain: bytes | None = None) -> Iterator[tuple[int, str | BadInput]]:
    """The non-blank lines of a file, or of stdin for '-', with their numbers; one that is no text is why not.

    `plain` is what it holds where it was decrypted. Raises BadInput for a file that cannot be read.
    """
    if plain is not None:
        yield from _numbered(BytesIO(plain))
        return
    if file == "-" and stdin_is_empty():
        raise BadInput("nothing to import: name a file, or pipe one in")
    try:
        stream = sys.stdin.buffer if file == "-" else _opened(file)
        with stream:
            yield from _numbered(_lines(stream, file))
    except OSError as error:
        raise BadInput(f"{file}: cannot be read ({error.strerror})") from error


def _numbered(lines: Iterable[bytes]) -> Iterator[tuple[int, str | BadInput]]:
    for number, line in enumerate(lines, start=1):
        if line.strip():
            yield number, text_of_line(line, number)


def head_of_stream(stream: BinaryIO) -> bytes:
    """What a stream begins with, left in it; nothing of one that cannot be looked into."""
    return stream.peek(40) if isinstance(stream, BufferedReader) else b""


def _is_age(head: bytes) -> bool:
    """Whether what begins so is encrypted in the age format, armoured or not."""
    return head.startswith((b"age-encryption.org/", b"-----BEGIN AGE ENCRYPTED FILE-----"))


def text_of_line(line: bytes, number: int) -> str | BadInput:
    """A line as text; what is wrong with it where it is none: it costs the others nothing."""
    try:
        return _decode(line, f"line {number}", "utf-8-sig")
    except BadInput as error:
        return error


def decode(data: bytes, where: str) -> str:
    """Text in UTF-8, or in UTF-16 where it says so; BadInput, naming the place, for anything else."""
    return _decode(data, where, "utf-16" if data.startswith(_UTF_16) else "utf-8-sig")


def _stdin() -> bytes:
    if sys.stdin is None:
        raise BadInput("stdin is closed; pipe text in, or name a file")
    return _whole(sys.stdin.buffer, "stdin")


def _opened(file: str) -> BinaryIO:
    """A file that is named on the command line. Raises OSError, and BadInput for an empty name."""
    if not file.strip():
        raise BadInput(f"{file!r} names no file; name one, or - for stdin (an unset variable?)")
    return Path(file).open("rb")


def _whole(stream: BinaryIO, where: str) -> bytes:
    data = stream.read(_MOST + 1)
    _check_size(data, where)
    return data


def _lines(stream: BinaryIO, where: str) -> Iterator[bytes]:
    if head_of_stream(stream).startswith(_UTF_16):
        yield from decode(_whole(stream, where), where).encode().splitlines(keepends=True)
        return
    for line in iter(lambda: stream.readline(_MOST + 1), b""):
        _check_size(line, where)
        yield line


def _check_size(data: bytes, where: str) -> None:
    """Raise BadInput for what never ends (a device, a program gone wild): it would fill the memory."""
    if len(data) > _MOST:
        raise BadInput(f"{where}: more than {_MOST >> 20} MiB in one piece; is it a text?")


def _decode(data: bytes, where: str, encoding: str) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise BadInput(
            f"not valid UTF-8 (byte {error.start + 1})",
            about=where, advice="convert it first (iconv -f ENCODING -t UTF-8)",
        ) from error  # fmt: skip
