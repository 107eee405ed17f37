"""Matching of printed text with memories, ignoring spaces, which terminals and LLMs change."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Protocol

from memcli.model import Memory
from memcli.prompt import recognizers
from memcli.prompt.context import further
from memcli.prompt.traces import ID
from memcli.text.printable import CUT, printable

# A text that was cut without a mark must have at least so many characters.
_UNMARKED = 150
_FIRST = 20
# The count of omitted lines, as `text.extraction.outputs` writes it.
_OMITTED = re.compile(r"\[[\d,]+linesomitted\]|\[1lineomitted\]")


class Originals(Protocol):
    """What a space holds that memcli may have printed; read only when asked for."""

    def memory(self, tail: str) -> Memory | None:
        """Return the memory whose id ends so, even one held for review; None if there is none, or several."""

    def texts(self) -> Collection[str]:
        """Return what is printed without an id: turns of sessions, links."""

    def holds(self, printed: str) -> bool:
        """True if a memory says exactly what was printed, apart from what memcli prints around it."""

    def labels(self) -> Collection[str]:
        """Return the memory blocks as they are printed: `label: text`."""


class Unnamed:
    """The texts that are printed without an id, read once."""

    def __init__(self, originals: Originals) -> None:
        self._originals = originals
        self._texts: frozenset[str] | None = None

    def __contains__(self, text: str) -> bool:
        if self._texts is None:
            self._texts = frozenset(flat(printable(each)) for each in self._originals.texts())
        said = flat(text)
        cut = said.endswith(CUT) or len(said) >= _UNMARKED
        return said in self._texts or (cut and any(begins(each, said) for each in self._texts))


def begins(whole: str, said: str) -> bool:
    """True if what was printed is a text, or the beginning of it, with or without a mark of the cut."""
    return whole.startswith(said.removesuffix(CUT).rstrip())


def tellings(memory: Memory) -> list[str]:
    """Return what is printed as a memory's text, dense: with and without the details of a policy or
    procedure.
    """
    text = printable(memory.text)
    return list(dict.fromkeys((dense(text + further(memory)), dense(text))))


def is_further(line: str, memory: Memory) -> bool:
    """True if a line, or part of one in a table, belongs to what is printed below a memory's text."""
    said = dense(line)
    return bool(said) and said in dense(printable(further(memory)))


def says(memory: Memory, printed: str) -> bool:
    """True if a printed text is that of a memory, or its marked beginning, in any frame, and nothing else."""
    said = dense(printed)
    return any(is_frame(without(said, known)) for known in tellings(memory))


def without(said: str, known: str) -> str:
    """Return a dense line without the text of a memory, or its marked beginning."""
    if known and known in said:
        return said.replace(known, " ", 1)
    head, cut, rest = said.partition(CUT)
    # A long beginning is looked for by its first characters; a short one may begin anywhere before the mark.
    starts = [head.find(known[:_FIRST]), *range(max(0, len(head) - _FIRST), len(head))] if cut else []
    for start in starts:
        if start >= 0 and known.startswith(head[start:]):
            return f"{head[:start]} {_further(rest, known)}"
    return f"{said}~other"


def _further(said: str, known: str) -> str:
    """Return what follows the first cut of a text, without later stretches of it and omission counts."""
    return " ".join(each for each in said.split(CUT) if each not in known and not _OMITTED.fullmatch(each))


def is_frame(said: str) -> bool:
    """True if a dense text has only what memcli prints around others."""
    return recognizers.frame().fullmatch(said) is not None


def flat(text: str) -> str:
    """Return a text on one line, without characters that a quotation puts after it."""
    return " ".join(text.split()).rstrip(" *\"'|")


def dense(text: str) -> str:
    """Return a text without spaces, with each id replaced by one character."""
    return "".join(ID.sub("§", text).split())
