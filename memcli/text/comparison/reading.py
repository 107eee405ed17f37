"""The tokens of one statement, and what is read from them once, whatever it is compared with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Any, TypeVar

from memcli.text.english.tokens import Token
from memcli.text.english.vocabulary import LIGHT

T = TypeVar("T")


def content_tokens(tokens: Iterable[Token]) -> list[Token]:
    """The tokens that tell something: no function words, and none that a statement says as much without."""
    return [t for t in tokens if t.content and not (t.sort == "word" and t.folded in LIGHT)]


class Reading(tuple[Token, ...]):
    """The tokens of one statement. A statement is set against all that are like it."""

    @cached_property
    def stems(self) -> list[str]:
        """The stems, in order."""
        return [token.stem for token in self]

    @cached_property
    def how_often(self) -> Mapping[str, int]:
        """How often each stem is there."""
        return Counter(self.stems)

    @cached_property
    def telling(self) -> list[Token]:
        """See `content_tokens`."""
        return content_tokens(self)

    @cached_property
    def names(self) -> Mapping[str, str]:
        """The stems of names, by what they are without accents."""
        return {token.folded: token.stem for token in self if token.sort == "name"}

    @cached_property
    def forms(self) -> Mapping[str, set[str]]:
        """The forms of words, by stem."""
        found: dict[str, set[str]] = {}
        for token in self:
            if token.sort == "word":
                found.setdefault(token.stem, set()).add(token.folded)
        return found

    @cached_property
    def _kept(self) -> dict[Callable[..., Any], Any]:
        return {}

    def once(self, read: Callable[[Reading], T]) -> T:
        """What a function reads from these tokens alone: read when it is first asked, and kept."""
        kept = self._kept
        if read not in kept:
            kept[read] = read(self)
        found: T = kept[read]
        return found
