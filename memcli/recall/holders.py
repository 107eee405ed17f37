"""Which memories hold the words of a question."""

from __future__ import annotations

from collections.abc import Sequence

from memcli.model import Filter, Ref
from memcli.storage import Store
from memcli.text import words

# Spellings tried for one word.
_SPELLINGS = 3


class TermHolders:
    """Which memories hold a term, each term looked up once."""

    def __init__(self, store: Store, where: Filter) -> None:
        self._store = store
        self.where = where
        self._known: dict[words.Term, frozenset[Ref]] = {}

    def of(self, terms: Sequence[words.Term]) -> list[frozenset[Ref]]:
        """The memories in the filter that hold each term, or its compound written in one."""
        new = [term for term in terms if term not in self._known]
        # A compound may be written in one.
        others = {term: other for term in new if (other := words.run_together(term))}
        held = self._store.refs_by_term([*new, *others.values()], self.where)
        self._known.update(zip(new, held, strict=False))
        for term, refs in zip(others, held[len(new) :], strict=True):
            self._known[term] |= refs
        return [self._known[term] for term in terms]

    def misspelt(self, terms: Sequence[words.Term]) -> list[frozenset[Ref]]:
        """Who holds words spelled like these: for questions none of whose words anybody holds."""
        found = []
        for term in terms:
            like = self._store.spelled_like(term[0], _SPELLINGS) if _may_be_misspelt(term) else []
            found.append(frozenset[Ref]().union(*self.of([(word,) for word in like])))
        return found


def _may_be_misspelt(term: words.Term) -> bool:
    return len(term) == 1 and len(term[0]) >= 4 and term[0].isalpha()
