"""The tokens of one statement, and what is read from them once, whatever it is compared with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
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
    """The tokens of one statement. A statement is set against all that are like it.

    What every comparison asks of them is read at once; the rest is for `once`.
    """

    def __init__(self, tokens: Iterable[Token] = ()) -> None:
        columns = [*zip(*self, strict=True)] or [()] * len(Token._fields)
        texts, _, sorts, stems, folded, _ = columns
        self.stems: list[str] = [*stems]
        """The stems, in order."""
        self.texts: Set[str] = frozenset(texts)
        """What is compared of the tokens."""
        self.folded: Set[str] = frozenset(folded)
        """What the tokens are without accents."""
        self.places: Mapping[str, list[int]] = places_of(self.stems)
        """Where each stem stands."""
        self.names: Mapping[str, str] = {token.folded: token.stem for token in self if token.sort == "name"}
        """The stems of names, by what they are without accents."""
        self.forms: Mapping[str, Set[str]] = _forms(sorts, stems, folded)
        """What the words of each stem are without accents."""
        self._kept: dict[Callable[..., Any], Any] = {}

    @cached_property
    def by_stem(self) -> Mapping[str, Token]:
        """The tokens in order, each by its stem, by its stem and a number where that comes again."""
        if len(self.places) == len(self):
            return dict(zip(self.stems, self, strict=True))
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

    def once(self, read: Callable[[Reading], T]) -> T:
        """What a function reads from these tokens alone: read when it is first asked, and kept."""
        kept = self._kept
        if read not in kept:
            kept[read] = read(self)
        found: T = kept[read]
        return found


def _forms(sorts: Sequence[str], stems: Sequence[str], folded: Sequence[str]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for sort, stem, form in zip(sorts, stems, folded, strict=True):
        if sort == "word":
            if stem in found:
                found[stem].add(form)
            else:
                found[stem] = {form}
    return found
