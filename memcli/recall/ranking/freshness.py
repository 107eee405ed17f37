"""What was updated stands behind what updated it, where the question asks for just that value.

Consolidation notes on a memory which later ones give another value to
something it says (`data["updated_by"]`: id -> sort of value, what about). That
says nothing of the rest of the memory, and most questions are about the rest:
so it counts only where the question asks for a value of that sort and shares
words with the note, and where both memories are candidates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Any

from memcli.memory_data import updates_noted
from memcli.model import Memory
from memcli.text.english.tokens import tokenize
from memcli.text.question import sorts_asked

# Memories farther apart than this do not answer the same question.
REACH = 0.7
# By so much the current one stands above.
AHEAD = 0.001
# A summary says less of each thing than the turns do.
STANDS_FOR = 1.0
# So many words of the note must stand in the question.
_SHARED = 2
# And this part of the question's words.
_COVERED = 0.25
# A statement of one thing is no longer, in characters.
_STATEMENT = 160


def freshness_parts(
    question: str, memories: Sequence[Memory], totals: Sequence[float], told: Set[int] = frozenset()
) -> dict[int, dict[str, float]]:
    """What to add to the totals of candidates, by position and name of the part.

    `current`: it stands just above what it updates. `stands for`: a summary
    all of which its turns have told (the places `told`).
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
    """Whether the question names what only the older one speaks of: invoice 4711, the keys of Bergen.

    A long message speaks of much besides; what it names says little.
    """
    if len(older) > _STATEMENT:
        return False
    known = named & {token.text for token in tokenize(older)}
    return bool(known - {token.text for token in tokenize(newer)}) if known else False


def _fit(notes: Any, asked: set[str], sorts: set[str]) -> int:
    """How many words question and notes share; 0 where the question is not about what was updated."""
    best = 0
    for note in notes if isinstance(notes, list) else ():
        told = note if isinstance(note, Mapping) else {}
        about = told.get("about") if str(told.get("sort")) in sorts else None
        known = {word for word in about if isinstance(word, str)} if isinstance(about, list) else set()
        shared = len(known & asked)
        if shared >= min(_SHARED, len(known)) and shared >= _COVERED * len(asked):
            best = max(best, shared)
    return best
