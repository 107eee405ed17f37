"""Selection of the memories to forget: by id, by query, by filter, or by the name of a person."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

from memcli.changes.forgetting.targets import Targets
from memcli.memories import Memories
from memcli.model import Filter, Memory
from memcli.recall.results import CLEAR_SCORE

if TYPE_CHECKING:
    from memcli.changes.forgetting.named import NamedThings
    from memcli.recall.results import Hit, Recall

# The most memories that a query forgets at once.
_MOST_FOUND = 100
# The most memories added since a preview for which its code is still recognised.
_MOST_ADDED = 100


def choose_memories(
    memories: Memories, where: Filter, fragments: Sequence[str] = (), query: str | None = None
) -> list[Memory]:
    """Return the memories to forget: those named by id, those that a query finds, or all that match a filter.

    Conditions narrow each other. Raises NotFound, BadInput for ids as `Memories.find` does.
    """
    if fragments:
        named = {memory.id: memory for memory in map(memories.find, fragments)}
        return list(named.values())
    if query is None:
        return list(memories.store.select(where, order="oldest"))
    return matching_memories(memories, where, query)[0]


def matching_memories(memories: Memories, where: Filter, query: str) -> tuple[list[Memory], Recall]:
    """Return what a query clearly finds, and the recall that it was taken from, which may be `degraded`."""
    settings = memories.settings(limit=_MOST_FOUND, min_sure=0.0)
    settings = settings._replace(min_score=max(settings.min_score, CLEAR_SCORE))
    answer = memories.recall(query, where, touch=False, settings=settings)
    least_sure = memories.config["min_sure"]
    if answer.evidence and not answer.evidence.words and (answer.sureness or 0.0) < least_sure:
        # Something always is nearest; without a common word and without certainty it is not meant.
        return [], answer
    # A newer version that was found through the one it replaced was not asked for.
    clear = [hit for hit in answer.hits if hit.score >= settings.min_score and hit.found_as is None]
    return [hit.memory for hit in clear if _fits_by_itself(hit, answer.hits[0])], answer


def _fits_by_itself(hit: Hit, best: Hit) -> bool:
    """True if a hit holds a word of the query, or if not even the best hit does."""
    return bool(hit.words) or not best.words


def find_person(
    memories: Memories, where: Filter, *, query: str | None, about: str | None, others: Sequence[str] = ()
) -> NamedThings | None:
    """Return what names a person, if `about` or a query that is a name says one; else None.

    `others` are similar names of other people. Raises BadInput if `about` is no name.
    """
    from memcli.changes.forgetting.named import find_named
    from memcli.text.naming.full_names import full_name, is_written_as_name
    from memcli.text.stopwords import FUNCTION_WORDS

    if about is not None:
        return find_named(memories, about, where, others)
    if query is None or full_name(query) is None:
        return None
    found = find_named(memories, query, where, others)
    # A query in lower case may be ordinary words; it counts as a name if stored texts write it as one.
    named = is_written_as_name(query) or (found.proper and not FUNCTION_WORDS & set(query.casefold().split()))
    return found if named and (found.taken or found.left or found.doubtful) else None


def preview_code(chosen: Targets) -> str:
    """Return a short hash of a selection, with which the user confirms exactly what was previewed."""
    named = sorted([*(each.id for each in chosen.memories), *chosen.addresses])
    return hashlib.sha256("".join(named).encode()).hexdigest()[:8]


def as_previewed(chosen: Targets, code: str) -> Targets | None:
    """Return the part of a selection that a preview code stands for: all, or all but the newest memories.

    None if it stands for neither: one of them is gone, or more than `_MOST_ADDED` were added.
    """
    newest_last = sorted(chosen.memories, key=lambda each: (each.created_at, each.id))
    for added in range(min(len(newest_last), _MOST_ADDED) + 1):
        before = {each.id for each in newest_last[: len(newest_last) - added]}
        kept = chosen._replace(memories=[each for each in chosen.memories if each.id in before])
        if preview_code(kept) == code:
            return kept
    return None
