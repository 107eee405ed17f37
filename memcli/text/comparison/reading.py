"""The tokens of one statement, and what is read from them once, whatever it is compared with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Set
from functools import cached_property
from typing import Any, TypeVar

from memcli.text.comparison.stretches import places_of
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
    def by_stem(self) -> Mapping[str, Token]:
        """The tokens in order, each by its stem, by its stem and a number where that comes again."""
        found: dict[str, Token] = {}
        again = Counter[str]()
        for token in self:
            stem = token.stem
            if stem in found:
                again[stem] += 1
                stem = f"{stem}\0{again[stem]}"
            found[stem] = token
        return found

    @cached_property
    def telling(self) -> list[Token]:
        """See `content_tokens`."""
        return content_tokens(self)

    @cached_property
    def folded(self) -> Set[str]:
        """What the tokens are without accents."""
        return {token.folded for token in self}

    @cached_property
    def names(self) -> Mapping[str, str]:
        """The stems of names, by what they are without accents."""
        return {token.folded: token.stem for token in self if token.sort == "name"}

    @cached_property
    def places(self) -> Mapping[str, list[int]]:
        """Where each stem stands."""
        return places_of(self.stems)

    @cached_property
    def forms(self) -> Mapping[str, Set[str]]:
        """What the words of each stem are without accents."""
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
