"""Reading of one statement: its tokens, and what comparisons compute from them once."""

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
    """Return the content tokens: without function words and words that add nothing to a statement."""
    return [t for t in tokens if t.content and not (t.sort == "word" and t.folded in LIGHT)]


class Reading(tuple[Token, ...]):
    """The tokens of one statement, with what is computed from them, because it is compared with many.

    What every comparison needs is computed at once; the rest by `once`.
    """

    def __init__(self, tokens: Iterable[Token] = ()) -> None:
        columns = [*zip(*self, strict=True)] or [()] * len(Token._fields)
        texts, _, sorts, stems, folded, _ = columns
        self.stems: list[str] = [*stems]
        """The stems, in order."""
        self.texts: Set[str] = frozenset(texts)
        """The normalised texts of the tokens."""
        self.folded: Set[str] = frozenset(folded)
        """The tokens without accents."""
        self.places: Mapping[str, list[int]] = places_of(self.stems)
        """The places of each stem."""
        self.names: Mapping[str, str] = {token.folded: token.stem for token in self if token.sort == "name"}
        """The stems of names, by the name without accents."""
        self.forms: Mapping[str, Set[str]] = _forms(sorts, stems, folded)
        """The forms of each stem, without accents."""
        self._kept: dict[Callable[..., Any], Any] = {}

    @cached_property
    def by_stem(self) -> Mapping[str, Token]:
        """Return the tokens in order, by stem, or by stem and a number if the stem recurs."""
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
        """Return the content tokens: see `content_tokens`."""
        return content_tokens(self)

    def once(self, read: Callable[[Reading], T]) -> T:
        """Return what a function computes from these tokens alone, computed at the first call and cached."""
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
