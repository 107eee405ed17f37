"""Echoes: recognise memcli's own output when it comes back through a pipe, so that it is not stored again.

What recall prints for a prompt is marked (`memcli.prompt.context`); other output has the ids of what it
shows. An LLM often quotes it in whole or in part: numbered, bulleted, quoted, in a table or a code fence,
escaped as JSON. A memory that grew by quoting itself would be worthless. But what somebody says anew is kept,
even between or around such lines. All that memcli prints is in `formats`, and the patterns are made from
there, so that nothing is described twice.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence

from memcli.model import Memory
from memcli.named_tuple import NamedTuple
from memcli.prompt import formats, recognizers
from memcli.prompt.echoed_records import is_own, records
from memcli.prompt.matching import (
    Originals,
    Unnamed,
    begins,
    dense,
    flat,
    is_frame,
    is_further,
    says,
    tellings,
    without,
)
from memcli.prompt.sections import HEADINGS
from memcli.prompt.traces import ID, marked
from memcli.text.printable import CUT

# Lines that introduce or enclose a quotation, and say nothing by themselves.
_LEAD = re.compile(r"^[^\n]{0,100}:[\s*_\"']*$")
_FENCE = re.compile(r"^\s*(?:>\s*)?(?:```|~~~)\w{0,12}\s*$|^[\W_]*(?:\"\w{1,20}\"\s*:\s*)?[\W_]*$")
_FENCED = re.compile(r"^\s*(?:>\s*)?(?:```|~~~)\w{0,12}\s*$")
# A folded table or an indented text may go on for so many lines, and one more for each so many characters.
_FOLDED, _NARROW = 12, 20
# An id is looked for in so many characters of a line's beginning, and of its end.
_HEAD, _FOOT = 120, 60
# The reason for which an echo is not stored, as shown to people.
ECHOED = "it is what memcli itself printed, unchanged"


class Remainder(NamedTuple):
    """A text without memcli's own output, and how many pieces of it were removed."""

    text: str
    echoes: int


class EchoLine(NamedTuple):
    """What is left of a line, and whether memcli's own output was in it.

    Of a heading over memories nothing is left, though it is not counted as an echo.
    """

    left: str
    own: bool


def without_echoes(text: str, originals: Originals) -> Remainder:
    """Remove marked blocks and unchanged recalled lines from a text.

    A line that shows a memory is an echo only if it says exactly what that memory says.
    """
    reader = EchoReader(originals)
    lines = text.splitlines()
    if lines and reader.labelled(_Ahead(lines)) == len(lines):
        return Remainder("", 1)
    if not marked(text):
        return Remainder(text, 0)
    if number := reader.own_records(text):
        return Remainder("", number)
    unescaped = (line if reader.own_records(line) else _unescaped(line) for line in lines)
    rest, blocks = recognizers.whole_blocks().subn("", "\n".join(unescaped))
    read = list(reader.read(rest.splitlines()))
    echoes = blocks + sum(line.own for line in read)
    if not echoes:
        return Remainder(text, 0)
    kept = [line.left for line in read if not _is_around(line.left)]
    return Remainder("\n".join(kept).strip(), echoes)


def with_own_lines_empty(text: str, originals: Originals) -> Remainder:
    """Replace memcli's own lines in a text by empty ones, so that all other lines keep their numbers.

    For texts that are read in passages, whose lines are joined: a heading of memcli's above its own lines is
    removed with them, and so is a code fence around nothing else.
    """
    if not marked(text):
        return Remainder(text, 0)
    rest = recognizers.whole_blocks().sub(lambda found: "\n" * found[0].count("\n"), text)
    # Split at "\n" only: for `splitlines` a form feed would end a line, too.
    lines, whole = rest.split("\n"), text.split("\n")
    # Backwards, because a heading is memcli's if what follows is. `own` is None for a blank line.
    kept: list[str] = []
    own: list[bool | None] = []
    below: bool | None = None
    for line, before, echo in reversed([*zip(lines, whole, EchoReader(originals).read(lines), strict=True)]):
        is_heading = line.strip() != "" and not echo.left and not echo.own
        ours = echo.own or line != before or (is_heading and below is True)
        kept.append(echo.left if echo.own or (is_heading and below) else line)
        own.append(ours if before.strip() else None)
        below = own[-1] if own[-1] is not None else below
    kept.reverse()
    own.reverse()
    _empty_fences(kept, own)
    number = sum(map(bool, own))
    return Remainder("\n".join(kept), number) if number else Remainder(text, 0)


def _empty_fences(lines: list[str], own: list[bool | None]) -> None:
    """Empty the code fences between which there are only memcli's own lines."""
    opened: int | None = None
    for place, line in enumerate(lines):
        if _FENCED.match(line):
            if opened is not None and any(own[opened + 1 : place]):
                lines[opened] = lines[place] = ""
                own[opened] = own[place] = True
                opened = None
            else:
                opened = place
        elif line.strip():
            opened = None


class EchoReader:
    """Reads lines one after the other, and tells memcli's own output from other lines."""

    def __init__(self, originals: Originals) -> None:
        self._originals = originals
        self._unnamed = Unnamed(originals)
        self._labels: list[list[str]] | None = None
        # True inside a marked block; the memory whose text may follow; templates of lines that may follow.
        self._inside = False
        self._memory: Memory | None = None
        self._following: Sequence[str] = ()
        # True if the line before was memcli's output, too, even a heading.
        self._printed = False

    def read(self, lines: Iterable[str]) -> Iterator[EchoLine]:
        """Classify each line, reading ahead as far as the text of a memory goes on."""
        ahead = _Ahead(lines)
        while (line := ahead[0]) is not None:
            own = self._own(ahead)
            self._printed = own > 0
            if own:
                opened = recognizers.opening().search(line)
                before = line[: opened.start()].rstrip() if opened else ""
                yield EchoLine("" if _is_around(before) else before, own=True)
                yield from [EchoLine("", own=True)] * (own - 1)
            else:
                yield EchoLine(self._left_of(line), own=False)
            ahead.drop(own or 1)

    def _own(self, ahead: _Ahead) -> int:
        """Return how many lines from here on are memcli's own; 0 if this one is not.

        A line inside a block that memcli would not print there is not its own.
        """
        line = ahead[0] or ""
        if some := records(line):
            # All of it or nothing: part of a JSON line is no line.
            return int(all(is_own(each, self._originals, self._unnamed) for each in some))
        if recognizers.opening().search(line) and not recognizers.closing().search(line):
            self._open(inside=True)
            return 1
        if recognizers.closing().search(line) and (
            self._inside or recognizers.closing().match(line.lstrip(" >|"))
        ):
            self._open(inside=False)
            return 1
        if recognizers.beside().match(line) or (self._inside and recognizers.inside().match(line)):
            return 1
        # A finding of an audit is recognised by the line below it.
        if recognizers.line(formats.AUDITED).match(line) and recognizers.line(
            formats.TO_MEND, formats.MENDED
        ).match(ahead[1] or ""):
            return 2
        return (
            self._continued(ahead)
            or self._alone(line)
            or self.labelled(ahead)
            or self._echoed(ahead)
            or int(self._is_marked_text(line))
        )

    def _open(self, *, inside: bool) -> None:
        self._inside = inside
        self._memory, self._following = None, ()

    def _continued(self, ahead: _Ahead) -> int:
        """Return how many lines continue the output before: the text of a memory, its fields, its history."""
        line = ahead[0] or ""
        indented = self._following is not formats.TASK or line.startswith("  ")
        if indented and any(recognizers.line(each).match(line) for each in self._following):
            return 1
        if formats.INDENTED in self._following:
            return self._indented(ahead)
        if self._memory is None:
            return 0
        # A table may have the rest of a row on a line below the text.
        below = line.startswith("  ") and (is_frame(dense(line)) or is_further(line, self._memory))
        # A line that names a memory begins its text, even if it continues the words of the one before.
        return (0 if self._names_one(line) else _told(ahead, self._memory)) or int(below)

    def _indented(self, ahead: _Ahead) -> int:
        """Return how many indented lines are a text printed without an id, such as a session's summary."""
        said: list[str] = []
        while (line := ahead[len(said)]) is not None and line.startswith(formats.INDENTED.format(text="")):
            said.append(line)
        return len(said) if said and " ".join(said) in self._unnamed else 0

    def _alone(self, line: str) -> int:
        """Return 1 if a line is output of memcli by itself, whatever is around it; else 0."""
        if recognizers.alone().match(line):
            return 1
        if any(recognizers.line(each).match(line) for each in (formats.SUMMARY, formats.UNTRUSTED_SUMMARY)):
            self._memory, self._following = None, (formats.INDENTED,)
            return 1
        for template in (*formats.LINES, *formats.OPENERS) if ID.search(line) else ():
            found = recognizers.line(template).match(line)
            if found and (memory := self._named(found)):
                self._memory, self._following = memory, formats.OPENERS.get(template, ())
                return 1
        for template in formats.IN_COLUMNS if "  " in line else ():
            found = recognizers.line(template).match(line)
            if found and found["text"] in self._unnamed:
                return 1
        # A text without an id counts only after other output: a list may have the words of an old turn by
        # chance.
        for template in formats.UNNAMED if self._printed else ():
            found = recognizers.line(template).match(line)
            if found and found["text"] in self._unnamed:
                return 1
        return min(self.own_records(line), 1)

    def _is_marked_text(self, line: str) -> bool:
        """True if a line is the text of a memory without its id, marked as perhaps updated."""
        marked_so = any(recognizers.line(each).match(line) for each in formats.UPDATED_TEXTS)
        return marked_so and self._originals.holds(line)

    def labelled(self, ahead: _Ahead) -> int:
        """Return how many lines from here on are a memory block, its label before its text; 0 if none."""
        if ": " not in (ahead[0] or ""):
            return 0
        if self._labels is None:
            labels = self._originals.labels()
            # As they are, or each joined to one line, as below a table.
            self._labels = [[*map(flat, each.splitlines())] for each in labels] + [
                [flat(each)] for each in labels
            ]
        return next((len(each) for each in self._labels if ahead.says(each)), 0)

    def own_records(self, text: str) -> int:
        """Return how many JSON objects a text consists of if memcli printed them all; else 0."""
        some = records(text)
        return len(some) if all(is_own(each, self._originals, self._unnamed) for each in some) else 0

    def _names_one(self, line: str) -> bool:
        """True if a line has the id of a memory at its beginning."""
        return any(self._originals.memory(tail) for tail in ID.findall(line[:_HEAD]))

    def _named(self, found: re.Match[str]) -> Memory | None:
        """Return the memory that a line names, if the line says exactly what it says; else None."""
        parts = found.groupdict()
        tail = parts.get("id") or parts.get("whole")
        memory = self._originals.memory(tail) if tail else None
        return memory if memory and ("text" not in parts or says(memory, parts["text"])) else None

    def _echoed(self, ahead: _Ahead) -> int:
        """Return how many lines from here on say exactly what a memory says that they name; 0 if none."""
        line = ahead[0] or ""
        for tail in dict.fromkeys(ID.findall(line[:_HEAD]) + ID.findall(line[_HEAD:][-_FOOT:])):
            memory = self._originals.memory(tail)
            if memory is None:
                continue
            # Or a frame without the text, as above an indented text that was changed: it has no content
            # itself.
            told = _told(ahead, memory, named=True) or int(is_frame(dense(line)))
            if told:
                self._memory, self._following = memory, ()
                return told
        return 0

    def _left_of(self, line: str) -> str:
        """Return a line that is not memcli's own, or nothing for a heading; and reset the state."""
        if not line.strip():
            return line
        self._printed = heading = recognizers.heading().match(line) is not None
        task = heading and _bare(line) in (formats.NOW_HEADING, HEADINGS["task"])
        self._memory, self._following = None, formats.TASK if task else ()
        return "" if heading else line


class _Ahead:
    """Lines with lookahead."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines = iter(lines)
        self._seen: deque[str] = deque()

    def __getitem__(self, place: int) -> str | None:
        while len(self._seen) <= place:
            line = next(self._lines, None)
            if line is None:
                return None
            self._seen.append(line)
        return self._seen[place]

    def says(self, lines: Sequence[str]) -> bool:
        """True if these lines come next, in any dress."""
        said = [_bare(self[place] or "") for place in range(len(lines))]
        return said == [*lines] or (len(said) == 1 and said[0].endswith(CUT) and begins(lines[0], said[0]))

    def drop(self, number: int) -> None:
        """Skip so many lines."""
        for _ in range(number):
            self._seen.popleft()


def _told(ahead: _Ahead, memory: Memory, *, named: bool = False) -> int:
    """Return how many lines from here on say just a memory's text; `named`: the first has its id."""
    known = tellings(memory)
    said = ""
    for number in range(_FOLDED + len(memory.text) // _NARROW):
        line = ahead[number]
        if line is None:
            break
        if number and (
            ID.search(line) or (named and line.strip() and not line.startswith((" ", "|", ">", "\t")))
        ):
            break
        said += dense(line)
        if any(is_frame(without(said, each)) for each in known):
            return number + 1
    return 0


def _unescaped(text: str) -> str:
    """Restore the lines of a text that was escaped as JSON."""
    if r"\n" not in text or not (r"from=\"memcli\"" in text or re.search(r"\\n\s*[-*\d]", text)):
        return text
    return text.replace(r"\n", "\n").replace(r"\"", '"')


def _is_around(line: str) -> bool:
    return bool(_LEAD.match(line) or _FENCE.match(line))


def _bare(line: str) -> str:
    return flat(re.sub(f"^{recognizers.DRESS}", "", line))
