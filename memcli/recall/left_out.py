"""Left-out candidates: add those to a page that a judge is surer of, or that alone hold a name asked for.

By similarity "I restore wooden boats" stands far above "Kittiwake, Mrs Hartnell's skiff, needs new ribs" for
a question whose boat Kittiwake is.
"""

from __future__ import annotations

from collections.abc import Sequence

from memcli.model import is_record
from memcli.recall.ranking.floor import Evidence
from memcli.recall.ranking.sureness import judged_sureness
from memcli.recall.results import RankingSettings, weak_limit
from memcli.recall.scoring import Ranking
from memcli.text.asking import capitalised_words, nouns_have_capitals

# The judge looks at so many of the best, if they have so large a share of the best one's total, and adds so
# many; a name is looked for in more. (Of 458 questions of sixty people, on whom the judge is trained, 391
# pages then hold what answers, before 385; one page in seven is longer by one. Measured on a looser rule than
# this.)
_JUDGED, _LEAST, _MOST = 5, 0.5, 2
_NAMED = 10
# If the first is as sure as this, no other can be much surer: none is judged.
_SURE = 0.95


def with_what_is_met(
    question: str,
    evidence: Evidence,
    ranking: Ranking,
    chosen: list[int],
    first: float,
    settings: RankingSettings,
) -> list[int]:
    """Return the rows of a page, then left-out rows that answer at least as surely as the `first`.

    `first` is the probability that the first row answers. Added are the rows with a higher one, and the best
    row that holds a name of the question that no row on the page holds. A weak page keeps its length: added
    rows take the place of less sure ones. A page that begins with a turn of a conversation is returned as it
    is.
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
    """Return the judge's probability that a row answers, for the rows that rank high enough."""
    found = {}
    for row in rows:
        if row < _JUDGED and ranking.parts[row] >= least:
            others = [hit for place, hit in enumerate(ranking.hits[:_NAMED]) if place != row]
            judged = [ranking.hits[row], *others]
            found[row] = judged_sureness(question, evidence, judged, settings.calibration)
    return found


def _named_alone(question: str, ranking: Ranking, chosen: Sequence[int], beside: Sequence[int]) -> list[int]:
    """Return the best row that holds a name of the question, if no row on the page holds that name."""
    if nouns_have_capitals(question):
        return []
    names = capitalised_words(question)
    texts = [ranking.hits[row].memory.text for row in chosen]
    names = [name for name in names if not any(name in text for text in texts)]
    return [row for row in beside if any(name in ranking.hits[row].memory.text for name in names)][:1]
