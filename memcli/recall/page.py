"""What stands on the page: of all that is above the floor, what bears on the question.

Who says by a limit how many they want gets up to that many. Everybody else gets the best,
as far down as hits follow it closely; a weak answer is short. A question that several memories
answer together gets a longer page, on which every session and day that has a near one stands.
"""

from __future__ import annotations

from collections.abc import Sequence

from memcli import ids
from memcli.recall.results import MISSES, Hit, Miss, MissReason, RankingSettings, few_of, weak_limit
from memcli.recall.scoring import Ranking

# The page ends before a hit that has less than this part of the best one's total, or follows the one
# before it by more than this part of it. Chosen on LoCoMo 0-4, PrefEval-dev, FriendsQA-dev and six
# people's notes together (docs/measured.md): of ten hits 5 to 11 in 100 are evidence, of those
# that are left 7 to 39, and 2 to 5 in 100 pieces of evidence are left out.
_CLOSE, _DROP = 0.65, 0.20
# Of several memories that answer together each may stand far behind the best.
_TOGETHER = 0.5


def page_rows(ranking: Ranking, settings: RankingSettings) -> list[int]:
    """Which hits are shown, by place, in order."""
    short = ranking.weak(settings) and not settings.whole and settings.min_score > 0
    limit = min(settings.limit, weak_limit(ranking.total)) if short else settings.limit
    rows = _without_the_many_rules(ranking.hits[: ranking.above(settings)], limit)
    # What is searched by words alone has no likeness by which it could be close.
    whole = settings.whole or not settings.min_score or ranking.vectors is None
    chosen = _best(rows, ranking, settings, limit)
    if short or whole or not chosen:
        return chosen
    if ranking.several:
        return _covering(chosen, rows, ranking, settings.limit)
    few = few_of(ranking.total) if ranking.asking else settings.limit
    return _near(chosen, ranking, few)


def near_misses(ranking: Ranking, chosen: Sequence[int], settings: RankingSettings) -> list[Miss]:
    """The nearest hits that are not shown, and why."""
    shown, above, weak = set(chosen), ranking.above(settings), ranking.weak(settings)
    last = ranking.hits[chosen[-1]].total if chosen else 0.0
    misses = []
    for row in [row for row in range(len(ranking.hits)) if row not in shown][:MISSES]:
        reason = MissReason("beyond the limit")
        if row >= above:
            reason = MissReason("below the floor")
        elif ranking.vectors is not None and chosen and ranking.hits[row].total > last:
            alike = ranking.vectors[list(chosen)] @ ranking.vectors[row]
            twin = ranking.hits[chosen[int(alike.argmax())]].memory.id
            reason = MissReason("nearly the same as a better one", ids.short_id(twin))
        elif len(chosen) < settings.limit and not weak:
            reason = MissReason("far behind the best", f"{ranking.parts[row]:.2f} of it; -n takes more")
        misses.append(Miss(ranking.hits[row], reason))
    return misses


def _best(rows: list[int], ranking: Ranking, settings: RankingSettings, limit: int) -> list[int]:
    if not settings.diverse or ranking.vectors is None:
        return rows[:limit]
    from memcli.recall.ranking.diversity import diversify

    return diversify(rows, [hit.total for hit in ranking.hits], ranking.vectors, limit)


def _near(chosen: list[int], ranking: Ranking, few: int) -> list[int]:
    """The few that answer, and the rules among them, which stand by their form above what answers."""
    rules = [row for row in chosen if ranking.hits[row].memory.kind == "constraint"]
    answers = [row for row in chosen if row not in rules]
    # Who asks who owes them something asks for all of them.
    debts = sum(ranking.hits[row].parts.get("debt", -1.0) >= 0 for row in answers)
    near = _close(answers, _without_use(ranking))[: max(few, debts)] if answers else []
    rules = [row for row in rules if ranking.parts[row] >= _CLOSE]
    return sorted([*near, *rules], key=chosen.index)


def _without_use(ranking: Ranking) -> list[float]:
    """The shares without what use adds: else whatever is shown pushes the rest off, ever further."""
    return [
        part * (1 - hit.parts.get("use", 0.0) / hit.total) if hit.total > 0 else part
        for part, hit in zip(ranking.parts, ranking.hits, strict=True)
    ]


def _close(chosen: list[int], parts: Sequence[float]) -> list[int]:
    """The first of these, as long as each follows the one before it closely."""
    best = lowest = parts[chosen[0]]
    for place, row in enumerate(chosen[1:], start=1):
        if parts[row] < _CLOSE * best or lowest - parts[row] > _DROP:
            return chosen[:place]
        lowest = min(lowest, parts[row])
    return chosen


def _covering(chosen: list[int], rows: list[int], ranking: Ranking, more: int) -> list[int]:
    """These as far as they are near, and the best of each further session or day; up to `more` of those."""
    page = [row for row in chosen if ranking.parts[row] >= _TOGETHER]
    told = {_when(ranking.hits[row]) for row in page}
    for row in rows:
        if len(page) >= len(chosen) + more or ranking.parts[row] < _TOGETHER:
            break
        if row not in page and (when := _when(ranking.hits[row])) not in told:
            told.add(when)
            page.append(row)
    return page


def _when(hit: Hit) -> str:
    return hit.memory.session or f"{hit.memory.happened_at:%Y-%m-%d}"


def _without_the_many_rules(hits: Sequence[Hit], limit: int) -> list[int]:
    """The places of hits, but for constraints beyond a third of the limit where others would fill the page.

    Many rules of one subject hold the question's words and stand by their form above what
    answers it; as rules they come along anyway.
    """
    rules = [row for row, hit in enumerate(hits) if hit.memory.kind == "constraint"]
    others = len(hits) - len(rules)
    kept = max(limit // 3, limit - others, 1)
    many = set(rules[kept:])
    return [row for row in range(len(hits)) if row not in many]
