"""The names in a question: how many memories hold each, and which only say whom a conversation is with."""

from __future__ import annotations

from collections.abc import Mapping

from memcli.model import is_record
from memcli.recall.holders import WordSearch
from memcli.storage import Store
from memcli.text import words
from memcli.text.asking import capitalised_words

# A capitalised word in this share of the memories is whom a conversation is with: it dominates
# a small embedding and tells nothing apart. Any share from 0.1 to 0.5 ranks alike.
_COMMON = 0.25
# So many of those that hold a common name show of what sort they are.
_HOLDERS = 10


def name_shares(word_search: WordSearch, query: str) -> dict[str, float]:
    """For each word that may be a name, the share of the memories that hold it; 0 where none meant does."""
    terms = {name: words.query_terms(name)[:1] for name in capitalised_words(query)}
    named = {name: each[0] for name, each in terms.items() if each}
    numbers = word_search.frequencies(list(named.values()))
    return {
        name: number / max(word_search.total, 1) if number and word_search.is_held(term) else 0.0
        for (name, term), number in zip(named.items(), numbers, strict=True)
    }


def names_of_conversations(store: Store, word_search: WordSearch, shares: Mapping[str, float]) -> set[str]:
    """Of the names that many memories hold, those that mostly turns of a conversation do.

    These say with whom it was, and tell nothing apart. Of notes even the most common name tells some apart
    from the others: "where does Ann live".
    """
    found = set()
    for name in (name for name, share in shares.items() if share >= _COMMON):
        asked = dict.fromkeys(word_search.asked(words.query_terms(name)[:1]), 1.0)
        refs = [match.ref for match in word_search.best(asked, _HOLDERS)]
        turns = sum(map(is_record, store.memories_by_ref(refs).values()))
        if turns > len(refs) / 2:
            found.add(name)
    return found
