"""Freshness: rank an updated memory behind the one that updated it, if the question asks for just that value.

Consolidation notes on a memory which later ones change one of its values (`data["updated_by"]`: id -> the
value's kind and subject). The rest of the memory still holds, and most questions are about the rest; so the
note counts only if the question asks for a value of that kind and shares words with the note, and if both
memories are candidates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Any

from memcli.memory_data import updates_noted
from memcli.model import Memory
from memcli.text.english.tokens import tokenize
from memcli.text.question import sorts_asked

# Memories whose totals differ by more than this do not answer the same question.
REACH = 0.7
# The margin by which the updating memory is put above the updated one.
AHEAD = 0.001
# The penalty of a summary beside its turns, which say more of each thing.
STANDS_FOR = 1.0
# The least number of the note's words that must be in the question.
_SHARED = 2
# And they must be this share of the question's words.
_COVERED = 0.25
# A text up to this many characters is taken for a statement of one thing.
_STATEMENT = 160


def freshness_parts(
    question: str, memories: Sequence[Memory], totals: Sequence[float], told: Set[int] = frozenset()
) -> dict[int, dict[str, float]]:
    """Return what to add to the totals of candidates, by position and name of the part.

    `current` puts a memory just above the one that it updates; `stands for` puts a summary (places `told`)
    below the turns that say all that it does.
    """
    places = {memory.id: place for place, memory in enumerate(memories)}
    added = {place: {"stands for": -STANDS_FOR} for place in told}
    for place, more in _current(question, memories, totals, places).items():
        added.setdefault(place, {})["current"] = more
    return added


def _current(
    question: str, memories: Sequence[Memory], totals: Sequence[float], places: Mapping[str, int]
) -> dict[int, float]:
    noted = [place for place, memory in enumerate(memories) if updates_noted(memory)]
    if not noted:
        return {}
    tokens = tokenize(question[:1000])
    asked = {token.stem for token in tokens if token.content}
    named = {token.text for token in tokens if token.sort in ("name", "number", "code")}
    sorts = sorts_asked(question)
    now = list(totals)
    # In time order, so that what rises is not passed later by what it updates.
    for place in sorted(noted, key=lambda each: (memories[each].happened_at, memories[each].id)):
        updates = updates_noted(memories[place])
        fitting = [
            (fit, now[places[newer]], places[newer])
            for newer in updates
            if newer in places
            and (fit := _fit(updates[newer], asked, sorts))
            and not _names_only(named, memories[place].text, memories[places[newer]].text)
        ]
        if fitting:
            _, _, ahead = max(fitting)
            if 0 <= now[place] - now[ahead] <= REACH:
                now[ahead] = now[place] + AHEAD
    return {place: now[place] - totals[place] for place in range(len(now)) if now[place] != totals[place]}


def _names_only(named: set[str], older: str, newer: str) -> bool:
    """True if the question names what only the older memory mentions: invoice 4711, the keys of Bergen.

    Not for a long message, which mentions much besides.
    """
    if len(older) > _STATEMENT:
        return False
    known = named & {token.text for token in tokenize(older)}
    return bool(known - {token.text for token in tokenize(newer)}) if known else False


def _fit(notes: Any, asked: set[str], sorts: set[str]) -> int:
    """Return how many words question and note share; 0 if the question is not about what was updated."""
    best = 0
    for note in notes if isinstance(notes, list) else ():
        told = note if isinstance(note, Mapping) else {}
        about = told.get("about") if str(told.get("sort")) in sorts else None
        known = {word for word in about if isinstance(word, str)} if isinstance(about, list) else set()
        shared = len(known & asked)
        if shared >= min(_SHARED, len(known)) and shared >= _COVERED * len(asked):
            best = max(best, shared)
    return best
