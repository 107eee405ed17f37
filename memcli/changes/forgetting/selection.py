"""Which memories are to be forgotten: those named, those that a query finds, those that a filter means."""

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

# A query forgets no more than this at once.
_MOST_FOUND = 100
# So many that were added since a preview are told apart from what it showed.
_MOST_ADDED = 100


def choose_memories(
    memories: Memories, where: Filter, fragments: Sequence[str] = (), query: str | None = None
) -> list[Memory]:
    """The memories to forget: those named, those that a query finds, or all that a filter means.

    Conditions narrow each other. Raises NotFound, BadInput for ids as
    `Memories.find` does.
    """
    if fragments:
        named = {memory.id: memory for memory in map(memories.find, fragments)}
        return list(named.values())
    if query is None:
        return list(memories.store.select(where, order="oldest"))
    return matching_memories(memories, where, query)[0]


def matching_memories(memories: Memories, where: Filter, query: str) -> tuple[list[Memory], Recall]:
    """What a query clearly finds, and the answer that it was taken from, which may be `degraded`."""
    settings = memories.settings(limit=_MOST_FOUND, min_sure=0.0)
    settings = settings._replace(min_score=max(settings.min_score, CLEAR_SCORE))
    answer = memories.recall(query, where, touch=False, settings=settings)
    least_sure = memories.config["min_sure"]
    if answer.evidence and not answer.evidence.words and (answer.sureness or 0.0) < least_sure:
        # Near by chance, as something always is: no word of it was meant.
        return [], answer
    # A newer value may stand on the page by what it replaced, and was not asked for.
    clear = [hit for hit in answer.hits if hit.score >= settings.min_score and hit.found_as is None]
    return [hit.memory for hit in clear if _fits_by_itself(hit, answer.hits[0])], answer


def _fits_by_itself(hit: Hit, best: Hit) -> bool:
    """Whether it holds a word of the query where the best does, and does not only stand near it."""
    return bool(hit.words) or not best.words


def find_person(
    memories: Memories, where: Filter, *, query: str | None, about: str | None, others: Sequence[str] = ()
) -> NamedThings | None:
    """What names somebody: as `about` says, or a query that is a name, and is found as one; else None.

    `others` are names that have it, and are others'.
    Raises BadInput where `about` is no name.
    """
    from memcli.changes.forgetting.named import find_named
    from memcli.text.naming.full_names import full_name, is_written_as_name
    from memcli.text.stopwords import FUNCTION_WORDS

    if about is not None:
        return find_named(memories, about, where, others)
    if query is None or full_name(query) is None:
        return None
    found = find_named(memories, query, where, others)
    # In lower case it may be any words; then what is kept says whether it is a name.
    named = is_written_as_name(query) or (found.proper and not FUNCTION_WORDS & set(query.casefold().split()))
    return found if named and (found.taken or found.left or found.doubtful) else None


def preview_code(chosen: Targets) -> str:
    """A short name of what is chosen, by which exactly this can be insisted on."""
    named = sorted([*(each.id for each in chosen.memories), *chosen.addresses])
    return hashlib.sha256("".join(named).encode()).hexdigest()[:8]


def as_previewed(chosen: Targets, code: str) -> Targets | None:
    """What of a selection a code stands for: all of it, or what is left without the newest memories.

    None where it stands for neither: one of them is gone, say, or more were added than are looked at.
    """
    newest_last = sorted(chosen.memories, key=lambda each: (each.created_at, each.id))
    for added in range(min(len(newest_last), _MOST_ADDED) + 1):
        before = {each.id for each in newest_last[: len(newest_last) - added]}
        kept = chosen._replace(memories=[each for each in chosen.memories if each.id in before])
        if preview_code(kept) == code:
            return kept
    return None
