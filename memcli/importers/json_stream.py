"""JSON stream: JSON of any length read value by value, as an array in chunks or as lines.

Slightly invalid JSON is accepted if no word is lost: half a surrogate pair becomes U+FFFD, `NaN` is null, and
of a repeated name the last one counts. Nothing else is guessed.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Callable, Iterator
from typing import IO, Any

from memcli.errors import BadInput
from memcli.importers.file_kinds import undecodable
from memcli.importers.files import MOST_WHOLE, File, opened
from memcli.importers.records import Problem, Record
from memcli.text.checks import MAX_DEPTH

_CHUNK = 256 * 1024
_SPACE = re.compile(r"[\s\ufeff]*")
_STRUCTURAL = re.compile(r'["\\{}\[\],]')
_HALF_PAIRS = re.compile("[\ud800-\udfff]")
_DECODER = json.JSONDecoder(parse_constant=lambda name: None, strict=False)
# A decoding error this near the end of the chunk may only mean that the value goes on after it.
_NEAR = 16


def _after_space(text: str, place: int = 0) -> int:
    """Return the position after any white space at `place`."""
    space = _SPACE.match(text, place)
    return space.end() if space else place


def read_value(text: str) -> Any:
    """Return the value of a JSON text. Raises BadInput."""
    try:
        value, end = _DECODER.raw_decode(text, _after_space(text))
        if text[end:].strip():
            raise BadInput(f"not valid JSON (more after its end, at character {end + 1})")
    except RecursionError as error:
        raise BadInput("not valid JSON: nested too deep") from error
    except ValueError as error:
        raise BadInput(f"not valid JSON ({error})"[:200]) from error
    return cleaned(value)


def read_document(file: File) -> Any:
    """Return the value of a whole JSON file. Raises BadInput."""
    return read_value(file.whole())


def read_lines(file: File, within: re.Pattern[bytes] | None = None) -> Iterator[tuple[int, Any | BadInput]]:
    """Yield the line numbers and values of JSON Lines, without blank lines; a bad line as its error.

    With `within`, only the lines that match are parsed and returned.
    """
    with opened(file) as stream:
        number = 0
        while line := stream.readline(MOST_WHOLE + 1):
            number += 1
            if len(line) > MOST_WHOLE:
                while line and not line.endswith(b"\n"):
                    line = stream.readline(_CHUNK)
                yield number, BadInput(f"more than {MOST_WHOLE >> 20} MiB in one line")
                continue
            if not line.strip() or (within and not within.search(line)):
                continue
            try:
                yield number, read_value(line.decode("utf-8-sig"))
            except UnicodeDecodeError:
                yield number, BadInput("not valid UTF-8")
            except BadInput as error:
                yield number, error


def read_array(file: File) -> Iterator[tuple[int, Any | BadInput]]:
    """Yield the values of a JSON array of any length, each with the line it begins on.

    A file that holds one object is an array of one. Raises BadInput for anything else.
    """
    with opened(file) as stream:
        yield from _Values(stream)


def records_of_array(file: File, read: Callable[[Any, str], Iterator[Record]]) -> Iterator[Record]:
    """Yield the records that `read` makes of each value of a file and its place; a bad value is a problem."""
    for line, value in read_array(file):
        place = f"{file.place}: line {line}"
        if isinstance(value, BadInput):
            yield Problem(place, str(value))
        else:
            yield from read(value, place)


class _Values:
    """The values of an array, decoded from the chunks of a stream."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        first = stream.read(_CHUNK)
        encoding = "utf-16" if first[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
        self._decoder = codecs.getincrementaldecoder(encoding)()
        self._text = ""
        self._line = 1
        self._place = 0
        self._ended = False
        self._take(first)

    def __iter__(self) -> Iterator[tuple[int, Any | BadInput]]:
        character = self._peek()
        if character == "{":
            yield self._next()
            return
        if character != "[":
            raise BadInput("holds no JSON array")
        self._place += 1
        while (character := self._peek()) != "]":
            if character == "":
                yield self._line, BadInput("the file ends in the middle of its array")
                return
            if character == ",":
                self._place += 1
                continue
            value = self._next()
            yield value
            if self._ended and self._place >= len(self._text) and isinstance(value[1], BadInput):
                return

    def _take(self, data: bytes) -> None:
        try:
            self._text += self._decoder.decode(data, final=not data)
        except UnicodeDecodeError as error:
            raise undecodable(data[:4096]) from error
        self._ended = self._ended or not data

    def _more(self, size: int = _CHUNK) -> bool:
        if self._ended:
            return False
        self._line += self._text.count("\n", 0, self._place)
        self._text = self._text[self._place :]
        self._place = 0
        self._take(self._stream.read(size))
        return True

    def _peek(self) -> str:
        """Return the next character that is not white space, without consuming it; "" at the end."""
        while True:
            self._place = _after_space(self._text, self._place)
            if self._place < len(self._text):
                return self._text[self._place]
            if not self._more():
                return ""

    def _next(self) -> tuple[int, Any | BadInput]:
        size = _CHUNK
        while True:
            line = self._line + self._text.count("\n", 0, self._place)
            try:
                value, end = _DECODER.raw_decode(self._text, self._place)
                if end == len(self._text) and self._more(size):
                    continue
            except RecursionError:
                return line, self._skip("nested too deep")
            except ValueError as error:
                at = getattr(error, "pos", 0)
                unfinished = at >= len(self._text) - _NEAR or "Unterminated" in str(error)
                if unfinished and len(self._text) - self._place <= MOST_WHOLE * 2 and self._more(size):
                    # Doubled each time, so that a long value is decoded again only a few times.
                    size = max(size, len(self._text))
                    continue
                return line, self._skip(str(error))
            self._place = end
            try:
                return line, cleaned(value)
            except BadInput as error:
                return line, error

    def _skip(self, why: str) -> BadInput:
        """Continue after the current value, which is not valid JSON."""
        depth, in_text = 0, False
        while True:
            found = _STRUCTURAL.search(self._text, self._place)
            if found is None or (found[0] == "\\" and found.end() >= len(self._text)):
                self._place = len(self._text) if found is None else found.start()
                if not self._more():
                    self._place = len(self._text)
                    break
                continue
            self._place = found.end()
            if found[0] == "\\":
                self._place += 1
            elif found[0] == '"':
                in_text = not in_text
            elif not in_text and found[0] in "{[":
                depth += 1
            elif not in_text and found[0] in "}]":
                depth -= 1
                if depth < 0:
                    # The array's end is read again; a surplus brace is consumed, or it would be met for ever.
                    self._place -= found[0] == "]"
                    break
            if depth == 0 and not in_text and found[0] in "}],":
                break
        return BadInput(f"not valid JSON ({why})"[:200])


def cleaned(value: Any) -> Any:
    """Return a value whose texts are valid UTF-8. Raises BadInput if it is nested too deep."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except RecursionError as error:
        raise BadInput("not valid JSON: nested too deep") from error
    except UnicodeEncodeError:
        return _without_half_pairs(value, 0)
    except ValueError as error:
        raise BadInput(f"not valid JSON ({error})"[:200]) from error
    return value


def _without_half_pairs(value: Any, depth: int) -> Any:
    if depth > MAX_DEPTH:
        raise BadInput("not valid JSON: nested too deep")
    if isinstance(value, str):
        return _HALF_PAIRS.sub("\ufffd", value)
    if isinstance(value, list):
        return [_without_half_pairs(each, depth + 1) for each in value]
    if isinstance(value, dict):
        return {
            _HALF_PAIRS.sub("\ufffd", name): _without_half_pairs(each, depth + 1)
            for name, each in value.items()
        }
    return value
