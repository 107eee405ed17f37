"""Input: text from arguments, files or stdin."""

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

# The longest document, or line of an import, in bytes.
_MOST = 256 * 1024 * 1024
# The byte order marks of UTF-16.
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")


def text_argument(words: list[str] | None, what: str) -> str:
    """Return the text of a command without escape sequences: its words, or stdin if they are '-' or absent.

    stdin is never read beside words (a loop over `read` keeps its lines), nor waited for on a terminal unless
    '-' asks for it. Raises BadInput.
    """
    if words and words != ["-"]:
        return without_escapes(" ".join(words))
    if sys.stdin is None or (not words and sys.stdin.isatty()):
        raise BadInput(f"nothing to {what}: give words, or pipe text in")
    return without_escapes(decode(_stdin(), "stdin")).strip()


def maybe_text_argument(words: list[str] | None) -> str:
    """Return the text of a command for which it is optional: "" without words and without a pipe."""
    return "" if not words and stdin_is_empty() else text_argument(words, "look for")


def stdin_is_empty() -> bool:
    """True if stdin is closed or a terminal, so that nothing comes from it unless somebody types."""
    return sys.stdin is None or sys.stdin.isatty()


class Document(NamedTuple):
    """A whole text, and where it came from: a file's name, or stdin."""

    text: str
    where: str


def read_document(file: str | None) -> Document | None:
    """Return a file's text, or that of stdin if `file` is '-', or is absent and stdin is piped; else None.

    Raises BadInput for a file that cannot be read, or is not UTF-8.
    """
    if file not in (None, "-"):
        try:
            # A byte order mark is kept, so that the text can be returned unchanged.
            with _opened(file) as stream:
                return Document(_decode(_whole(stream, file), file, "utf-8"), file)
        except OSError as error:
            raise BadInput(f"{file}: cannot be read ({error.strerror})") from error
    if file is None and stdin_is_empty():
        return None
    return Document(_decode(_stdin(), "stdin", "utf-8"), "stdin")


def read_stdin_lines() -> Iterator[tuple[int, bytes]]:
    """Yield the non-blank lines of stdin with their numbers, from 1, as they arrive."""
    if stdin_is_empty():
        raise BadInput("nothing to read: pipe lines in, or redirect a file")
    for number, line in enumerate(_lines(sys.stdin.buffer, "stdin"), start=1):
        if line.strip():
            yield number, line.rstrip(b"\r\n")


def more_stands_ready() -> bool:
    """True if stdin can be read without waiting for its writer, as far as that can be told."""
    import select

    try:
        return bool(select.select([sys.stdin.buffer], [], [], 0)[0])
    except (OSError, ValueError):  # Windows asks that of sockets alone
        return True


def read_sealed(file: str) -> bytes | None:
    """Return all of a file (stdin for '-') that is in the age format; None for any other, which stays unread.

    Raises BadInput for a file that cannot be read.
    """
    if file == "-" and stdin_is_empty():
        return None
    try:
        # Anything else is read later, so stdin stays open.
        with nullcontext(sys.stdin.buffer) if file == "-" else _opened(file) as stream:
            return _whole(stream, file) if _is_age(head_of_stream(stream)) else None
    except OSError as error:
        raise BadInput(f"{file}: cannot be read ({error.strerror})") from error


def read_lines(file: str, plain: bytes | None = None) -> Iterator[tuple[int, str | BadInput]]:
    """Yield the non-blank lines of a file (stdin for '-') with their numbers; a bad one as its error.

    `plain` is the decrypted contents of the file, if it was encrypted. Raises BadInput for a file that cannot
    be read.
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
    """Return the first bytes of a stream without consuming them; b"" if it has no buffer."""
    return stream.peek(40) if isinstance(stream, BufferedReader) else b""


def _is_age(head: bytes) -> bool:
    """True if data that begins like this is in the age format, armoured or not."""
    return head.startswith((b"age-encryption.org/", b"-----BEGIN AGE ENCRYPTED FILE-----"))


def text_of_line(line: bytes, number: int) -> str | BadInput:
    """Return a line as text, or the error if it cannot be decoded, so that the other lines can be read."""
    try:
        return _decode(line, f"line {number}", "utf-8-sig")
    except BadInput as error:
        return error


def decode(data: bytes, where: str) -> str:
    """Decode UTF-8, or UTF-16 with a byte order mark; BadInput, naming the place, for anything else."""
    return _decode(data, where, "utf-16" if data.startswith(_UTF_16) else "utf-8-sig")


def _stdin() -> bytes:
    if sys.stdin is None:
        raise BadInput("stdin is closed; pipe text in, or name a file")
    return _whole(sys.stdin.buffer, "stdin")


def _opened(file: str) -> BinaryIO:
    """Open a file named on the command line. Raises OSError, and BadInput for an empty name."""
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
    """Raise BadInput for endless input (a device, a runaway program), which would fill the memory."""
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
