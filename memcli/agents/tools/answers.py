"""Answers read to an agent: to a question or at the start, followed by their reservations."""

from __future__ import annotations

from collections.abc import Iterator

from memcli.errors import BadInput
from memcli.memories import Memories
from memcli.model import Filter
from memcli.prompt import formats
from memcli.tiers.context.answer import Answer


def answer_to(memories: Memories, query: str, where: Filter, *, limit: int | None, budget: int) -> Answer:
    """Return what answers a question, from all tiers, in `budget` tokens (0: any number).

    Without a `limit`, as many as configured. Raises BadInput for a budget that holds nothing.
    """
    from memcli.tiers.context.gather import ANSWER_TIERS, filter_of_tiers, gather

    found = memories.recall(
        query, filter_of_tiers(where, ANSWER_TIERS), settings=memories.settings(limit=limit)
    )
    answer = gather(memories, found, where, budget=budget or None)
    if answer.cut and not answer.pieces:
        raise BadInput(
            f"budget: {budget} tokens hold no memory, not even a shortened one; that takes {answer.least}"
        )
    return answer


def read_out(answer: Answer, nothing: str) -> str:
    """Return the marked context of an answer, or `nothing`, followed by its reservations."""
    return "\n".join([answer.to_prompt() or nothing, *_reservations(answer)])


def _reservations(answer: Answer) -> Iterator[str]:
    """Yield what an answer lacks: search by meaning, part of the question, what did not fit."""
    if answer.degraded:
        yield formats.BY_WORDS.format(rest=answer.degraded)
    if answer.recall and answer.recall.left_off:
        yield f"Not all was looked at: {answer.recall.left_off}."
    if answer.cut:
        yield f"{len(answer.cut)} more did not fit; a larger budget takes them."
