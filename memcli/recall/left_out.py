"""What answers far behind the best: a judge is surer of it, or it alone has a name of the question.

By likeness "I restore wooden boats" stands far above "Kittiwake, Mrs Hartnell's skiff, needs new ribs" where
it is asked whose boat Kittiwake is.
"""

from __future__ import annotations

from collections.abc import Sequence

from memcli.model import is_record
from memcli.recall.ranking.floor import Evidence
from memcli.recall.ranking.sureness import judged_sureness
from memcli.recall.results import RankingSettings, weak_limit
from memcli.recall.scoring import Ranking
from memcli.text.asking import capitalised_words, nouns_have_capitals

# So many of the best are looked at by the judge, with so much of the best one's total; a name is looked for
# in more. (Of 458 questions of sixty people, who teach the judge, 391 pages then hold what answers for 385;
# on one of seven stands one more. Measured on a looser rule than this.)
_JUDGED, _LEAST, _MOST = 5, 0.5, 2
_NAMED = 10
# Of what is as sure as this none is much surer.
_SURE = 0.95


def with_what_is_met(
    question: str,
    evidence: Evidence,
    ranking: Ranking,
    chosen: list[int],
    first: float,
    settings: RankingSettings,
) -> list[int]:
    """The rows of a page, and behind them those left out of which the judge is surer than of the `first`,
    and the best that has a name of the question which none on the page has; a weak page grows no longer.

    `first` is how likely the first answers. What was said in a conversation stands as it does.
    """
    hits = ranking.hits
    if not chosen or is_record(hits[chosen[0]].memory):
        return chosen
    beside = [row for row in range(min(ranking.above(settings), _NAMED)) if row not in chosen]
    if not beside:
        return chosen
    looked_at = beside if first < _SURE else ()
    likely = _likely(question, evidence, ranking, looked_at, settings)
    surer = [row for row, each in likely.items() if each >= max(first, settings.min_sure)]
    found = sorted(sorted(surer, key=lambda row: -likely[row])[:_MOST])
    found += [row for row in _named_alone(question, ranking, chosen, beside) if row not in found]
    if not (ranking.weak(settings) and found):
        return [*chosen, *found]
    # In the places of those of which it is less sure.
    likely |= _likely(question, evidence, ranking, chosen[1:], settings, least=0.0)
    rest = sorted([*chosen[1:], *found], key=lambda row: -likely.get(row, 1.0))
    return [chosen[0], *sorted(rest[: weak_limit(ranking.total) - 1])]


def _likely(
    question: str,
    evidence: Evidence,
    ranking: Ranking,
    rows: Sequence[int],
    settings: RankingSettings,
    least: float = _LEAST,
) -> dict[int, float]:
    """How likely each of some rows answers by the judge alone, of those that stand high enough."""
    found = {}
    for row in rows:
        if row < _JUDGED and ranking.parts[row] >= least:
            others = [hit for place, hit in enumerate(ranking.hits[:_NAMED]) if place != row]
            judged = [ranking.hits[row], *others]
            found[row] = judged_sureness(question, evidence, judged, settings.calibration)
    return found


def _named_alone(question: str, ranking: Ranking, chosen: Sequence[int], beside: Sequence[int]) -> list[int]:
    """The best that has a name of the question where none on the page has it."""
    if nouns_have_capitals(question):
        return []
    names = capitalised_words(question)
    texts = [ranking.hits[row].memory.text for row in chosen]
    names = [name for name in names if not any(name in text for text in texts)]
    return [row for row in beside if any(name in ranking.hits[row].memory.text for name in names)][:1]
