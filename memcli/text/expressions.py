"""Regular expressions that are compiled when first used, so that a start pays only for what it needs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Any, cast

from memcli.named_tuple import NamedTuple

# Methods and attributes of `re.Pattern`.
_OF_A_PATTERN = (
    "match", "fullmatch", "search", "sub", "subn", "split", "findall", "finditer",
    "flags", "groups", "groupindex", "scanner",
)  # fmt: skip
_waiting: list[_Expression] = []
ANY_CASE = int(re.IGNORECASE)


def expression(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Return a stand-in for `re.compile(pattern)`, compiled at the first use of a method or attribute.

    It is no `re.Pattern` by type: use its own methods, and do not pass it to `re.sub`.
    """
    waiting = _Expression(pattern, flags)
    _waiting.append(waiting)
    return cast("re.Pattern[str]", waiting)


@cache
def compiled(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Return `re.compile(pattern, flags)`, cached; for patterns that are put together where they are used.

    Pass `flags` as a plain int (`ANY_CASE`): looking up an `re.RegexFlag` takes longer than most searches.
    """
    return re.compile(pattern, flags)


class Cued(NamedTuple):
    """An expression that is tried only on texts that hold one of its cues, so that it is seldom compiled."""

    cues: Sequence[str]
    """Strings of which every match contains one, both folded by `str.casefold`."""
    expression: re.Pattern[str]

    def is_in(self, text: str) -> bool:
        """True if it is found in a text."""
        return holds(text, self.cues) and self.expression.search(text) is not None


def cued(cues: Sequence[str], pattern: str) -> Cued:
    """Return a case-insensitive expression with its cues."""
    return Cued(cues, expression(pattern, re.IGNORECASE))


def holds(text: str, cues: Sequence[str]) -> bool:
    """True if a text contains one of some strings, which are folded by `str.casefold`."""
    folded = text.casefold()
    return any(cue in folded for cue in cues)


def compile_all() -> None:
    """Compile all expressions that are still waiting, in a process that is to answer quickly later."""
    while _waiting:
        _waiting.pop().compile()


class _Expression:
    """A lazy expression: it has its pattern; the methods exist once it has been compiled."""

    __slots__ = ("_flags", "pattern", *_OF_A_PATTERN)

    def __init__(self, pattern: str, flags: int) -> None:
        self.pattern = pattern
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        """Compile the expression at the first access of a method or attribute."""
        if name not in _OF_A_PATTERN:
            raise AttributeError(name)
        self.compile()
        return getattr(self, name)

    def compile(self) -> None:
        compiled = re.compile(self.pattern, self._flags)
        for each in _OF_A_PATTERN:
            setattr(self, each, getattr(compiled, each))
