"""Names asked for: how many memories hold each name of a question, and which names tell nothing apart.

A name that tells nothing apart is that of a conversation's partner, or a surname that no memory holds.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping

from memcli.model import TURN_ROLES, is_record, speaker_of
from memcli.recall.query.holders import WordSearch
from memcli.storage import Store
from memcli.text import words
from memcli.text.asking import (
    bare_word,
    capitalised_words,
    given_name,
    name_runs,
    nouns_have_capitals,
    predicates_name,
)

# A capitalised word in this share of the memories names the partner of a conversation: it dominates a small
# embedding and tells no memory from another. Any share from 0.1 to 0.5 ranks alike.
_COMMON = 0.25
# At most so many of the memories that hold a common name are read, to see whether they are turns or notes.
_HOLDERS = 10
# Speakers are looked for among so many of the newest turns.
_TURNS = 60


def name_shares(store: Store, word_search: WordSearch, query: str) -> dict[str, float]:
    """Return, for each word that may be a name, the share of the memories that hold it; 0 if none does.

    For a speaker, the share of the newest turns that are theirs, if that is more.
    """
    if len(query.split()) == 1:
        # A question of one word is a name only if a speaker bears it: "Pets" is none.
        spoken = _spoken(store, word_search, [bare_word(query.strip())])
        if any(spoken.values()):
            return spoken
    terms = {name: words.query_terms(name)[:1] for name in capitalised_words(query)}
    named = {name: each[0] for name, each in terms.items() if each}
    numbers = word_search.frequencies(list(named.values()))
    shares = {
        name: number / max(word_search.total, 1) if number and word_search.is_held(term) else 0.0
        for (name, term), number in zip(named.items(), numbers, strict=True)
    }
    spoken = _spoken(store, word_search, [name for name, share in shares.items() if share < _COMMON])
    return {name: max(share, spoken.get(name, 0.0)) for name, share in shares.items()}


def _spoken(store: Store, word_search: WordSearch, names: Collection[str]) -> dict[str, float]:
    """Return, for each of these names, the share of the newest turns that a speaker of that name said."""
    where, names = word_search.where, [name for name in names if words.fold_case(name) not in TURN_ROLES]
    if not names or (where.kinds and "episode" not in where.kinds):
        return {}
    turns = list(store.select(where._replace(kinds=("episode",)), limit=_TURNS))
    by = Counter(words.fold_case(given_name(speaker_of(turn))) for turn in turns)
    return {name: by[words.fold_case(name)] / len(turns) for name in names} if turns else {}


def speakers_terms(word_search: WordSearch, shares: Mapping[str, float]) -> set[words.Term]:
    """Return the terms of names that are known as speakers' only and that no memory's text holds.

    A speaker's turns need not say the name, so a memory without it lacks nothing.
    """
    terms = [term for name, share in shares.items() if share for term in words.query_terms(name)[:1]]
    return {term for term, number in zip(terms, word_search.frequencies(terms), strict=True) if not number}


def names_of_conversations(store: Store, word_search: WordSearch, shares: Mapping[str, float]) -> set[str]:
    """Return the common names that are held mostly by turns of conversations.

    They say with whom a conversation was and tell no turn from another. Among notes, even the most common
    name tells them apart: "where does Ann live". A name that no memory holds is a speaker's.
    """
    found = set()
    for name in (name for name, share in shares.items() if share >= _COMMON):
        asked = dict.fromkeys(word_search.asked(words.query_terms(name)[:1]), 1.0)
        refs = [match.ref for match in word_search.best(asked, _HOLDERS)]
        turns = sum(map(is_record, store.memories_by_ref(refs).values()))
        if turns > len(refs) / 2 or not refs:
            found.add(name)
    return found


def without_unheard_surnames(
    store: Store, word_search: WordSearch, query: str, shares: Mapping[str, float]
) -> str:
    """Return the question with people named as the memories name them: "Priya" if none holds "Sharma".

    Not if every memory that holds "Priya" gives her another surname: then the question means somebody else.
    What follows a name with a capital may not be a surname: a German noun, or the predicate after "is".
    """
    runs = [run for run in name_runs(query) if len(run) > 1 and shares.get(run[0], 0.0) > 0]
    runs = [run for run in runs if not any(shares.get(word, 0.0) for word in run[1:])]
    if not runs or predicates_name(query) or nouns_have_capitals(query):
        return query
    from memcli.text.dates.ahead_names import names_day_of_year  # few questions have such a name
    from memcli.text.naming.full_names import full_name

    for run in runs:
        if names_day_of_year(" ".join(run)):
            continue
        named = full_name(" ".join(run))
        asked = dict.fromkeys(word_search.asked(words.query_terms(run[0])[:1]), 1.0)
        refs = [match.ref for match in word_search.best(asked, _HOLDERS)]
        texts = (memory.text for memory in store.memories_by_ref(refs).values())
        forms = {mention.form for text in texts for mention in named.mentions(text)} if named else set()
        if forms != {"namesake"}:
            query = _without(query, run[1:])
    return query


def _without(query: str, surnames: Iterable[str]) -> str:
    """Return the question without these surnames; a genitive or full stop moves to the first name."""
    for surname in surnames:
        query = re.sub(rf"\s+{re.escape(surname)}\b", "", query, count=1)
    return query
