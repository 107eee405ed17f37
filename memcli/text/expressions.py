"""Regular expressions that are compiled when they are first used: a start pays for those that it needs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Any, cast

from memcli.named_tuple import NamedTuple

# Methods and attributes of a compiled one (`re.Pattern`).
_OF_A_PATTERN = (
    "match", "fullmatch", "search", "sub", "subn", "split", "findall", "finditer",
    "flags", "groups", "groupindex", "scanner",
)  # fmt: skip
_waiting: list[_Expression] = []
ANY_CASE = int(re.IGNORECASE)


def expression(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """What `re.compile` gives, compiled by the first method or attribute that is asked for.

    It is no `re.Pattern` to who looks at its type: it is used by its own methods, not handed to `re.sub`.
    """
    waiting = _Expression(pattern, flags)
    _waiting.append(waiting)
    return cast("re.Pattern[str]", waiting)


@cache
def compiled(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """What `re.compile` gives, and kept: of a pattern that is put together where it is used.

    Give `flags` as a plain int (`ANY_CASE`): to look up an `re.RegexFlag` takes longer than most searches.
    """
    return re.compile(pattern, flags)


class Cued(NamedTuple):
    """An expression that is asked only of a text which holds one of its cues: few texts have it compiled."""

    cues: Sequence[str]
    """Texts of which every match holds one, both folded by `str.casefold`."""
    expression: re.Pattern[str]

    def is_in(self, text: str) -> bool:
        """Whether it is found in a text."""
        return holds(text, self.cues) and self.expression.search(text) is not None


def cued(cues: Sequence[str], pattern: str) -> Cued:
    """An expression that asks for no case, and what stands in all that it finds."""
    return Cued(cues, expression(pattern, re.IGNORECASE))


def holds(text: str, cues: Sequence[str]) -> bool:
    """Whether one of some words, or parts of words, folded by `str.casefold`, stands in a text."""
    folded = text.casefold()
    return any(cue in folded for cue in cues)


def compile_all() -> None:
    """Compile those that nobody has used yet: for a process that is to answer quickly later."""
    while _waiting:
        _waiting.pop().compile()


class _Expression:
    """An expression, its pattern at hand; the rest is there once it has been compiled."""

    __slots__ = ("_flags", "pattern", *_OF_A_PATTERN)

    def __init__(self, pattern: str, flags: int) -> None:
        self.pattern = pattern
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        """Called for what is not there yet."""
        if name not in _OF_A_PATTERN:
            raise AttributeError(name)
        self.compile()
        return getattr(self, name)

    def compile(self) -> None:
        compiled = re.compile(self.pattern, self._flags)
        for each in _OF_A_PATTERN:
            setattr(self, each, getattr(compiled, each))
