"""Page: choose, of the hits above the floor, those that are shown.

Whoever sets a limit gets up to that many. Otherwise the best are shown, down to where the scores drop off; a
weak answer is short. A question that several memories answer together gets a longer page, with the best of
each session and day that has a near hit.
"""

from __future__ import annotations

from collections.abc import Sequence

from memcli import ids
from memcli.recall.results import MISSES, Hit, Miss, MissReason, RankingSettings, few_of, weak_limit
from memcli.recall.scoring import Ranking

# The page ends before a hit that has less than the first share of the best one's total, or is further behind
# the one before it than the second. Chosen on LoCoMo 0-4, PrefEval-dev, FriendsQA-dev and six people's notes
# together (docs/measured.md): of ten hits 5 to 11 in 100 are evidence, of those that are left 7 to 39, and
# 2 to 5 in 100 pieces of evidence are left out.
_CLOSE, _DROP = 0.65, 0.20
# The share for questions that several memories answer together: each may stand far behind the best.
_TOGETHER = 0.5


def page_rows(ranking: Ranking, settings: RankingSettings) -> list[int]:
    """Return the row numbers of the hits that are shown, in order."""
    short = ranking.weak(settings) and not settings.whole and settings.min_score > 0
    limit = min(settings.limit, weak_limit(ranking.total)) if short else settings.limit
    rows = _without_the_many_rules(ranking.hits[: ranking.above(settings)], limit)
    # A search by words alone has no similarity by which a drop could be seen.
    whole = settings.whole or not settings.min_score or ranking.vectors is None
    chosen = _best(rows, ranking, settings, limit)
    if short or whole or not chosen:
        return chosen
    if ranking.several:
        return _covering(chosen, rows, ranking, settings.limit)
    few = few_of(ranking.total) if ranking.asking else settings.limit
    return _near(chosen, ranking, few)


def near_misses(ranking: Ranking, chosen: Sequence[int], settings: RankingSettings) -> list[Miss]:
    """Return the nearest hits that are not shown, each with the reason."""
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
    """Return the few best answers, and the constraints among the chosen, which rank high by form alone."""
    rules = [row for row in chosen if ranking.hits[row].memory.kind == "constraint"]
    answers = [row for row in chosen if row not in rules]
    # A question for who owes something asks for every debt.
    debts = sum(ranking.hits[row].parts.get("debt", -1.0) >= 0 for row in answers)
    near = _close(answers, _without_use(ranking))[: max(few, debts)] if answers else []
    rules = [row for row in rules if ranking.parts[row] >= _CLOSE]
    return sorted([*near, *rules], key=chosen.index)


def _without_use(ranking: Ranking) -> list[float]:
    """Return the shares without the bonus for use, by which what is shown once would push the rest off."""
    return [
        part * (1 - hit.parts.get("use", 0.0) / hit.total) if hit.total > 0 else part
        for part, hit in zip(ranking.parts, ranking.hits, strict=True)
    ]


def _close(chosen: list[int], parts: Sequence[float]) -> list[int]:
    """Return the first of the chosen, as long as each follows the one before it closely."""
    best = lowest = parts[chosen[0]]
    for place, row in enumerate(chosen[1:], start=1):
        if parts[row] < _CLOSE * best or lowest - parts[row] > _DROP:
            return chosen[:place]
        lowest = min(lowest, parts[row])
    return chosen


def _covering(chosen: list[int], rows: list[int], ranking: Ranking, more: int) -> list[int]:
    """Return the chosen that are near, and the best of each further session or day, up to `more` of these."""
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
    """Return the row numbers without constraints beyond a third of the limit, if others would fill the page.

    Many constraints on one subject hold the question's words and rank by their form above what answers it; as
    constraints they are added to the answer anyway.
    """
    rules = [row for row, hit in enumerate(hits) if hit.memory.kind == "constraint"]
    others = len(hits) - len(rules)
    kept = max(limit // 3, limit - others, 1)
    many = set(rules[kept:])
    return [row for row in range(len(hits)) if row not in many]
