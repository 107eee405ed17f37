"""Gather one answer from all tiers, the same for a pipe, a terminal, a program and a library.

`memcli.recall` finds what was asked for; this adds what the graph says of the entities that the question
names, past failures, and the background. Printing an answer searches nothing more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from memcli.memories import Memories
from memcli.model import OUTPUT_ROLES, Filter, Memory, is_past, speaker_of
from memcli.prompt.budget import Item, estimate_tokens, fit_page, least_tokens
from memcli.prompt.formats import ALL_SPACES
from memcli.prompt.sections import FAILED_TAG, Tier, kinds_of_tiers
from memcli.recall.results import CLEAR_SCORE, Recall
from memcli.scope import Scope
from memcli.tiers.context.answer import PROMPT, Answer, AnswerForm, Piece
from memcli.tiers.context.background import background_pieces

# The tiers of an answer; the others are for the start of a session.
ANSWER_TIERS: tuple[Tier, ...] = (
    "blocks", "pinned", "task", "policies", "constraints", "warnings", "procedures",
    "preferences", "facts", "outcomes", "graph", "session", "episodes",
)  # fmt: skip
# The most links about the entities that a question names.
_FACTS = 12
# The most past failures, which are searched for separately.
_WARNINGS = 3
# The largest shares of a budget: for the background before the other answers have their turn, and, while
# others want room, for the best answer and for any other piece.
_SHARE, _BEST, _EACH = 1 / 3, 1 / 3, 1 / 6
# No piece is shortened to fewer tokens than this.
_LEGIBLE = 120
# Only a text of more characters than this is shortened for others: what matters may be anywhere in it.
_LONG = 1000


def gather(
    memories: Memories,
    query: str | Recall,
    where: Filter | None = None,
    *,
    tiers: Sequence[Tier] = ANSWER_TIERS,
    expand: int = 0,
    budget: int | None = None,
    form: AnswerForm = PROMPT,
) -> Answer:
    """Return everything that answers a question, with the background.

    `query` may be a recall that was made already, with `where` narrowed by `filter_of_tiers`. Of `tiers`
    only; with none the hits alone, whatever their tier. With the `expand` turns before and after each found
    turn. A `budget` is in tokens of the page that `form` prints. Background alone is no answer: if nothing
    is found there are no pieces. Raises as `Memories.recall` does.
    """
    where = where or memories.within()
    recall = memories.recall(query, filter_of_tiers(where, tiers)) if isinstance(query, str) else query
    answer = Answer(recall.query, ALL_SPACES if where.spaces is None else memories.space, (), recall)
    around = _neighbours(memories, recall, expand, where.trusted) if expand else {}
    found = [
        Piece.of(hit.memory, found=True)._replace(hit=hit, around=around.get(hit.memory.id, ()))
        for hit in recall.hits
    ]
    if "graph" in tiers:
        found += _graph_facts(memories, recall.query, where._replace(past=recall.past or where.past))
    if found and "warnings" in tiers:
        found += _warnings(memories, recall, where, found)
    now = memories.now()
    found = [piece for piece in found if not tiers or piece.tier in tiers]
    found = [each._replace(past=is_past(each.memory, now)) if each.memory else each for each in found]
    if not found:
        return answer
    # The background is current; a question about a time only involves no constraint.
    coming = [tier for tier in tiers if recall.inquiry or tier != "constraints"]
    along = (
        [] if where.past_only else background_pieces(memories, coming, found, where.trusted, recall.inquiry)
    )
    whole = answer._replace(pieces=without_restated_constraints([*found, *along]))
    return fit_budget(memories, whole, budget, form)


def without_restated_constraints(pieces: Sequence[Piece]) -> list[Piece]:
    """Return the pieces without constraints that a policy among them states, too, with its conditions."""
    policies = [piece.text for piece in pieces if _is(piece, "policy") and piece.trusted]
    restated = {
        piece.id
        for piece in (pieces if policies else ())
        if piece.tier in ("constraints", "pinned") and _is(piece, "constraint")
        if any(_states_the_same(piece.text, each) for each in policies)
    }
    return [piece for piece in pieces if piece.id is None or piece.id not in restated]


def _is(piece: Piece, kind: str) -> bool:
    return piece.memory is not None and piece.memory.kind == kind


def _states_the_same(constraint: str, policy: str) -> bool:
    # Most share no words, and comparing word by word is slow.
    one, other = (set(text.casefold().split()) for text in (constraint, policy))
    if 2 * len(one & other) < min(len(one), len(other)):
        return False
    from memcli.text.comparison.duplicates import compare_texts

    # However similar in meaning, rules that differ in one telling word are two rules.
    return compare_texts(constraint, policy, 1.0).verdict == "same"


def filter_of_tiers(where: Filter, tiers: Sequence[Tier]) -> Filter:
    """Narrow a filter to the kinds of these tiers, unless it names kinds itself."""
    return where._replace(kinds=kinds_of_tiers(tiers)) if tiers and not where.kinds else where


def _neighbours(
    scope: Scope, recall: Recall, reach: int, trusted: bool | None
) -> Mapping[str, Sequence[Memory]]:
    """Return the turns up to `reach` around each hit, by its id; with `trusted` only trusted ones."""
    from memcli.recall.likeness import turns_around

    around = turns_around(scope.store, recall.hits, reach)
    return {hit: [turn for turn in turns if turn.trusted or not trusted] for hit, turns in around.items()}


def _graph_facts(scope: Scope, query: str, where: Filter) -> list[Piece]:
    """Return what the graph says of the entities that a question names, which is an answer in itself.

    Nothing if the filter asks for certain memories, since a link is none. For a time in the question, what
    was true then. With trusted ones only, links that rest on untrusted memories are left out.
    """
    of_memories = where._replace(
        spaces=(), at=None, trusted=None, past=None, past_only=False, since=None, until=None
    )
    if of_memories != Filter(spaces=()) or not scope.store.has_links(scope.space):
        return []
    from memcli.graph.links import is_trusted_link, link_statement
    from memcli.graph.questions import FartherLink, facts_about, mentioned_entities, one_hop_on
    from memcli.graph.walk import Graph, Lens

    now = scope.now()
    last = where.until or now
    since, until = where.past or (where.since or min(last, now), last)
    # For a past time, what is true now is shown beside what was.
    beside = where.past and not where.past_only
    lens = Lens(since, max(until, now) if beside else until, trusted=bool(where.trusted))
    graph = Graph(scope.store, scope.space, lens)
    entities = mentioned_entities(graph, query)
    near = facts_about(graph, entities, limit=_FACTS)
    links = [FartherLink(link, "") for link in near]
    links += one_hop_on(graph, entities, near, query) if near else []
    sources = graph.evidence([link for link, _ in links])
    return [
        Piece(
            "graph", link_statement(link), link.id, is_trusted_link(link, sources), found=True,
            past=link.valid_until is not None and link.valid_until <= now, via=via,
        )
        for link, via in links
    ]  # fmt: skip


def _warnings(memories: Memories, recall: Recall, where: Filter, known: Sequence[Piece]) -> list[Piece]:
    """Return past failures that bear on the question; searched separately, or better hits displace them."""
    failed = where._replace(kinds=("outcome",), tags=(*where.tags, FAILED_TAG))
    if not memories.store.count(failed) or recall.inquiry is None:
        return []
    from memcli.recall.recall import ask_again

    settings = memories.settings(limit=_WARNINGS, min_sure=0.0)
    settings = settings._replace(min_score=max(settings.min_score, CLEAR_SCORE))
    hits = ask_again(memories.store, recall.inquiry, failed._replace(at=recall.inquiry.now), settings)
    seen = {piece.id for piece in known}
    return [Piece.of(hit.memory, found=True) for hit in hits if hit.memory.id not in seen]


def fit_budget(memories: Memories, answer: Answer, budget: int | None, form: AnswerForm) -> Answer:
    """Return the answer with the pieces that fit into `budget` tokens of the page that `form` prints.

    The best answer has the first claim, then the background up to a third of the budget, then the other
    answers, then the rest; tiers take turns, each with its best first. A long text is shortened while
    others want room. Tokens are counted by the model's tokenizer if the model is open.
    """
    if budget is None:
        return answer
    count = memories.count_tokens or estimate_tokens
    pieces = [piece for piece in answer.pieces if form.takes(piece, answer)]
    items = [_item(piece, answer, form, _most(place, budget)) for place, piece in enumerate(pieces)]
    # Pieces in time order end with the newest, which has the first claim.
    found = [place for place, piece in enumerate(pieces) if piece.found]
    found.sort(key=lambda place: -place if pieces[place].timed else place)
    others = _in_turn(pieces, [place for place, piece in enumerate(pieces) if not piece.found])
    late = {
        others[row] for row in fit_page([items[row] for row in others], int(budget * _SHARE), count).dropped
    }
    early = [place for place in others if place not in late]
    rest = [place for place in others if place in late]
    order = [*found[:1], *early, *_in_turn(pieces, found[1:]), *rest]
    above, below = form.frame(answer)
    page = fit_page([items[place] for place in order], budget, count, [*above, *below])
    dropped = {order[place] for place in page.dropped}
    kept = [place for place in order if place not in dropped]
    shown = dict(zip(kept, page.items, strict=True))
    return answer._replace(
        pieces=[
            pieces[place] if item.text == items[place].text else pieces[place].shortened_to(item.body or "")
            for place, item in sorted(shown.items())
        ],
        cut=[pieces[place] for place in order if place in dropped],
        least=least_tokens(items[order[0]], count, [*above, *below]) if items and not page.items else 0,
    )


def _most(place: int, budget: int) -> int:
    """Return the most tokens that a piece takes before the others have had their turn."""
    return max(_LEGIBLE, int(budget * (_BEST if place == 0 else _EACH)))


def _in_turn(pieces: Sequence[Piece], places: Sequence[int]) -> list[int]:
    """Return these places with tiers taking turns: the first of each, then the second of each, and so on.

    Blocks and pinned memories come first: they are the owner's choice. Session turns are taken newest
    first.
    """
    turns: Counter[str] = Counter()
    rank: dict[int, tuple[int, int]] = {}
    newest = [place for place in places if pieces[place].tier == "session"][::-1]
    rest = [place for place in places if pieces[place].tier != "session"]
    for place in [*rest, *newest]:
        piece = pieces[place]
        group = "hit" if piece.hit else piece.tier
        rank[place] = (-1 if piece.tier in ("blocks", "pinned") else turns[group], place)
        turns[group] += 1
    return sorted(places, key=rank.__getitem__)


def _item(piece: Piece, answer: Answer, form: AnswerForm, most: int) -> Item:
    def shown(text: str) -> str:
        return form.line(piece.shortened_to(text), answer)

    def shorten(body: str, size: int) -> str:
        # Imported only if needed: most answers have nothing too long.
        if piece.memory and speaker_of(piece.memory) in OUTPUT_ROLES:
            from memcli.text.extraction.outputs import condense

            return condense(body, size)
        from memcli.prompt.excerpts import excerpt

        return excerpt(body, answer.query, size)

    body = form.body(piece)
    line, heading = form.line(piece, answer), form.heading(piece)
    if len(body) <= _LONG:
        return Item(line, heading, body, shown)
    return Item(line, heading, body, shown, most, shorten)
