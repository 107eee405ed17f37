"""Whether what was printed says just what a memory says; without spaces, which terminals and LLMs move."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Protocol

from memcli.model import Memory
from memcli.prompt import recognizers
from memcli.prompt.context import further
from memcli.prompt.traces import ID
from memcli.text.printable import CUT, printable

# What is cut without a mark says at least so much.
_UNMARKED = 150
_FIRST = 20
# `text.extraction.outputs` counts so what it leaves out.
_OMITTED = re.compile(r"\[[\d,]+linesomitted\]|\[1lineomitted\]")


class Originals(Protocol):
    """What a space holds that memcli may have printed; read only where it is asked for."""

    def memory(self, tail: str) -> Memory | None:
        """The memory whose id ends so, be it that it waits for its owner; None where none or several do."""

    def texts(self) -> Collection[str]:
        """What is printed without an id: turns of sessions, links."""

    def holds(self, printed: str) -> bool:
        """Whether a memory says just what was printed, whatever memcli says around it."""

    def labels(self) -> Collection[str]:
        """The blocks as they are printed: `label: text`."""


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
    """Whether what was said is a text, or the beginning of it with a mark or without."""
    return whole.startswith(said.removesuffix(CUT).rstrip())


def tellings(memory: Memory) -> list[str]:
    """What is printed as a memory's text, dense: with what a rule or a procedure says beside it, or not."""
    text = printable(memory.text)
    return list(dict.fromkeys((dense(text + further(memory)), dense(text))))


def is_further(line: str, memory: Memory) -> bool:
    """Whether a line, or what a table has broken of one, is of what stands below a memory's text."""
    said = dense(line)
    return bool(said) and said in dense(printable(further(memory)))


def says(memory: Memory, printed: str) -> bool:
    """Whether a printed text, all of it, is that of a memory, or its marked beginning, in whatever frame."""
    said = dense(printed)
    return any(is_frame(without(said, known)) for known in tellings(memory))


def without(said: str, known: str) -> str:
    """A dense line without what a memory says, or the marked beginning of it."""
    if known and known in said:
        return said.replace(known, " ", 1)
    head, cut, rest = said.partition(CUT)
    # A long beginning is looked for by its first characters, a short one is all that stands before the mark.
    starts = [head.find(known[:_FIRST]), *range(max(0, len(head) - _FIRST), len(head))] if cut else []
    for start in starts:
        if start >= 0 and known.startswith(head[start:]):
            return f"{head[:start]} {_further(rest, known)}"
    return f"{said}~other"


def _further(said: str, known: str) -> str:
    """What follows the first cut of a text: without its later stretches, and what is said to lie between."""
    return " ".join(each for each in said.split(CUT) if each not in known and not _OMITTED.fullmatch(each))


def is_frame(said: str) -> bool:
    """Whether a dense text is nothing but what memcli prints around others."""
    return recognizers.frame().fullmatch(said) is not None


def flat(text: str) -> str:
    """A text on one line, without the characters that a quotation puts after it."""
    return " ".join(text.split()).rstrip(" *\"'|")


def dense(text: str) -> str:
    """A text without spaces, each id replaced by one character, as it would run into its neighbours."""
    return "".join(ID.sub("§", text).split())
