"""One context from all tiers: what comes along with an answer, and what an agent should know at the start.

What was asked for is found by `memcli.recall`; here are added the blocks, the
task at hand, all constraints of the space, what the graph says of the entities
that the question names, and the latest turns of the session at hand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from memcli.graph.links import evidence_of, statement
from memcli.graph.walk import Graph, Lens, facts_about, mentioned
from memcli.memories import Memories
from memcli.model import Filter, Memory
from memcli.prompt import block as prompt_block
from memcli.prompt.budget import Item, Page, fit
from memcli.prompt.tiers import FAILED, HEADINGS, TIERS, Tier, tier_of
from memcli.recall import at_hand as current
from memcli.recall.results import Hit
from memcli.scope import Scope
from memcli.text.printable import one_line
from memcli.tiers.context.blocks import blocks

# The latest turns of the session at hand that come along.
_TURNS = 5
# Links of the entities that a question names.
_FACTS = 12
# Past failures that are looked for apart.
_WARNINGS = 3
# What comes along takes no more than this share of a budget before what was found has its turn.
_SHARE = 0.5


class Piece(NamedTuple):
    """A line, or a few that belong together, of the context.

    `found`: it answers the question, as against what always comes along.
    """

    tier: Tier
    item: Item
    found: bool
    id: str | None = None


def found(hits: Sequence[Hit], around: Mapping[str, Sequence[Memory]]) -> list[Piece]:
    """What recall found, best first."""
    items = prompt_block.items(hits, around)
    return [
        Piece(tier_of(hit.memory), item._replace(heading=HEADINGS[tier_of(hit.memory)]), True, hit.memory.id)
        for hit, item in zip(hits, items, strict=True)
    ]


def related(scope: Scope, query: str, where: Filter) -> list[Piece]:
    """What the graph says of the entities that a question names: an answer in itself.

    Nothing where the filter asks for memories of some sort: a link is none.
    With trusted ones only, links that rest on untrusted memories stay out.
    """
    if where != Filter(spaces=where.spaces, at=where.at, trusted=where.trusted):
        return []
    graph = Graph(scope.store, scope.space, Lens.at(scope.now()))
    links = facts_about(graph, mentioned(graph, query), limit=_FACTS)
    if where.trusted and links:
        sources = graph.evidence(links)
        links = [
            link for link in links
            if all(each not in sources or sources[each].trusted for each in evidence_of(link))
        ]  # fmt: skip
    return [note("graph", statement(link), found=True, id=link.id) for link in links]


def failures(memories: Memories, query: str, where: Filter, known: Sequence[Piece]) -> list[Piece]:
    """Past failures that bear on the question: looked for apart, or better news crowds them out."""
    failed = replace(where, kinds=("outcome",), tags=(*where.tags, FAILED))
    if not memories.store.count(failed):
        return []
    answer = memories.recall(query, failed, touch=False, settings=memories.settings(limit=_WARNINGS))
    seen = {piece.id for piece in known}
    return [piece for piece in found(answer.hits, {}) if piece.id not in seen]


def along(
    memories: Memories, tiers: Sequence[Tier], known: Sequence[Piece] = (), trusted: bool | None = None
) -> list[Piece]:
    """What comes along whatever is asked, but for what is `known` already; with `trusted` that alone."""
    seen = {piece.id for piece in known}
    pieces = [piece for tier in tiers if tier in _ALONG for piece in _ALONG[tier](memories, trusted)]
    return [piece for piece in pieces if piece.id is None or piece.id not in seen]


def remembered(tier: Tier, some: Sequence[Memory]) -> list[Piece]:
    """Memories as pieces of a tier that do not answer by themselves."""
    hits = [Hit(memory, 0.0, None, None, {}, 0.0) for memory in some]
    return [piece._replace(tier=tier, found=False, item=piece.item._replace(heading=HEADINGS[tier]))
            for piece in found(hits, {})]  # fmt: skip


def page(
    answer: Sequence[Piece],
    others: Sequence[Piece],
    budget: int | None,
    count: Callable[[str], int],
    frame: Sequence[str] = (),
) -> tuple[Page, list[Piece]]:
    """The pieces that fit into `budget` tokens, and those that do not.

    The best answer has the first claim, then what comes along up to half of
    the budget, then the other answers by relevance, then the rest.
    """
    within = len(fit([piece.item for piece in others], int(budget * _SHARE), count).items) if budget else 0
    order = [*answer[:1], *others[:within], *answer[1:], *others[within:]]
    whole = fit([piece.item for piece in order], budget, count, frame)
    return whole, [order[place] for place in whole.dropped]


def block(fitted: Page, frame: tuple[str, str, str]) -> Iterator[str]:
    """The lines of the block for a prompt: sections in the order of the tiers."""
    above, note, below = frame
    yield above
    yield note
    for tier in TIERS:
        under = [item for item in fitted.items if item.heading == HEADINGS[tier]]
        if under:
            yield HEADINGS[tier]
            yield from (item.text for item in under)
    yield below


def note(tier: Tier, text: str, *, found: bool = False, id: str | None = None) -> Piece:
    """A line of a tier that is no memory."""

    def shown(body: str) -> str:
        return f"- {prompt_block.fenced(body)}"

    return Piece(tier, Item(shown(text), HEADINGS[tier], body=text, shown=shown), found, id)


def _blocks(scope: Scope, trusted: bool | None) -> Iterator[Piece]:
    for each in blocks(scope):
        yield note("blocks", f"{one_line(each.label)}: {each.text}")


def _task(scope: Scope, trusted: bool | None) -> Iterator[Piece]:
    """The task a line each, the goal first; indented, for it has headings of its own."""
    state = current.task_state(scope.store, scope.space, scope.now(), scope.config["task"])
    if state is None:
        return
    # Most recalls know of no task, and these cost a few milliseconds.
    from memcli.tiers.tasks.block import lines
    from memcli.tiers.tasks.tasks import of_state

    for part in lines(of_state(state), indent="  "):
        for line in part.splitlines():
            yield Piece("task", Item(line, HEADINGS["task"], body=""), False)


def _constraints(scope: Scope, trusted: bool | None) -> list[Piece]:
    """All that hold by now, the most important first, whether or not they resemble the question."""
    now = scope.now()
    live = scope.store.select(scope.within(kinds=("constraint",), trusted=trusted))
    holding = [each for each in live if each.valid_from is None or each.valid_from <= now]
    return remembered("constraints", sorted(holding, key=lambda each: -each.importance))


def _session(scope: Scope, trusted: bool | None) -> list[Piece]:
    session = current.session_at_hand(scope.store, scope.space, scope.config, scope.now())
    where = scope.within(sessions=(session,), kinds=("episode",), trusted=trusted)
    latest = list(scope.store.select(where, limit=_TURNS))[::-1]
    # Among its neighbours a turn needs no session.
    return remembered("session", [replace(turn, session=None) for turn in latest])


_ALONG: dict[Tier, Callable[[Memories, bool | None], Iterator[Piece] | list[Piece]]] = {
    "blocks": _blocks,
    "task": _task,
    "constraints": _constraints,
    "session": _session,
}
