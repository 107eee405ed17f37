"""Review answers: the owner's decisions on what waits, each recorded as a change that can be undone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from memcli.changes.values_before import noting
from memcli.memories import Memories
from memcli.model import Memory
from memcli.named_tuple import NamedTuple
from memcli.storage import areas
from memcli.storage.ledger import StateName
from memcli.write_policy.decision import Decision
from memcli.write_policy.review import HeldMemory, accept_held, reject_held

if TYPE_CHECKING:
    from memcli.graph.link_changes import LinkResult
    from memcli.graph.proposed_links import ProposedLink


class Accepted(NamedTuple):
    """The results of accepting: decisions on held memories, and the links made."""

    decisions: list[Decision]
    links: list[LinkResult]


def accept_waiting(
    memories: Memories, held: Sequence[HeldMemory] = (), links: Sequence[ProposedLink] = ()
) -> Accepted:
    """Accept held memories and proposed links, as one change. Raises Refused."""
    whole = _one_change(memories)
    with memories.store.writing(), noting(whole, whole.change("accept"), _names(memories, held, links)):
        decisions = accept_held(whole, memories.model, held)
        if not links:
            return Accepted(decisions, [])
        from memcli.graph.proposed_links import accept_links

        return Accepted(decisions, accept_links(whole, links))


def reject_waiting(
    memories: Memories, held: Sequence[HeldMemory] = (), links: Sequence[ProposedLink] = ()
) -> None:
    """Reject held memories and proposed links, as one change. Raises Refused."""
    whole = _one_change(memories)
    with memories.store.writing(), noting(whole, whole.change("reject"), _names(memories, held, links)):
        reject_held(whole, held)
        if links:
            from memcli.graph.proposed_links import reject_links

            reject_links(whole, links)


def close_waiting(memories: Memories, pair: Sequence[Memory]) -> None:
    """Answer a question about two memories with "both hold", as a change. Raises NotFound, Refused."""
    from memcli.changes.open_questions import close_question, question_name

    whole = _one_change(memories)
    asked = [question_name(memories, [memory.id for memory in pair])]
    with memories.store.writing(), noting(whole, whole.change("close"), asked):
        close_question(whole, pair)


def _one_change(memories: Memories) -> Memories:
    return memories.as_one_change(memories.change_id(), memories.origin)


def _names(memories: Memories, held: Sequence[HeldMemory], links: Sequence[ProposedLink]) -> list[StateName]:
    space = memories.space
    return [
        *((space, areas.HELD.name, each.memory.id) for each in held),
        *((space, areas.PROPOSED_LINK.name, each.id) for each in links),
    ]
