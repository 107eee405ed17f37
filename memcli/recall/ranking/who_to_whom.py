"""Who does it to whom: of two memories of one deed the one that tells it the way it is asked stands first."""

from __future__ import annotations

from collections.abc import Sequence

from memcli.recall.results import Hit
from memcli.text.semantics.debts import debt_of, names_asked, told_debt
from memcli.text.semantics.roles import Role, role_played

# So many of the best are looked at, and of those that tell it as asked those with this share of the best.
_LOOKED_AT, _SHARE = 20, 0.5
# Of debts more are: whoever is asked for all of them is not helped by the nearest.
_DEBTS_LOOKED_AT = 100
# So far below it the other way round stands.
_BELOW = 1e-4
# So likely does what tells it the other way round answer at most, and what tells of a debt as asked at least:
# a model that knows English best is otherwise unsure of "wer schuldet mir Geld?".
_TURNED, _OF_DEBT = 0.05, 0.8
# Of the best one's total a debt that is told as asked has so much at least, what is no answer at most.
_NEAR, _OFF = 0.8, 0.4


def _debts_first(question: str, hits: Sequence[Hit]) -> list[Hit]:
    """The hits of a question for debts: those told as asked near the top, the other way round far below.

    Asked in another language than it was noted in, a debt is no nearer by meaning than anything else is.
    Where nobody is named all are asked for, and nothing else is.
    """
    order = sorted(range(len(hits)), key=lambda row: -hits[row].total)[:_DEBTS_LOOKED_AT]
    roles = {row: role_told(question, hits[row].memory.text) for row in order}
    found = list(hits)
    asked = [row for row in order if roles[row] == "asked"]
    if not asked:
        return found
    best = max(hits[asked[0]].total, _NEAR * hits[order[0]].total)
    lists_all = not names_asked(question)
    for place, row in enumerate(asked):
        total = max(hits[row].total, best * (_NEAR + (1 - _NEAR) / (place + 1)))
        found[row] = _with_total(hits[row], total, "debt")
    for row in order:
        strange = roles[row] is None and (lists_all or not hits[row].words)
        if (strange or roles[row] == "turned") and hits[row].total > _OFF * best:
            part = "no debt" if strange else "turned"
            found[row] = _with_total(hits[row], _OFF * best - _BELOW * order.index(row), part)
    return found


def _with_total(hit: Hit, total: float, part: str) -> Hit:
    return hit._replace(parts=hit.parts | {part: total - hit.total}, total=total)


def role_told(question: str, text: str) -> Role | None:
    """Whether a text tells it as it is asked, or the other way round; of what is owed, whatever the verb."""
    return told_debt(question, text) if debt_of(question) else role_played(question, text)


def sureness_by_role(question: str, text: str, likely: float) -> float:
    """How likely a text answers (0 to 1) of which that is `likely` whatever role its speaker has in it."""
    role = role_told(question, text)
    if role == "turned":
        return min(likely, _TURNED)
    return max(likely, _OF_DEBT) if role == "asked" and debt_of(question) else likely


def as_asked_first(question: str, hits: Sequence[Hit]) -> list[Hit]:
    """The hits, in their order; what tells of a deed the other way round below all that tell it as asked.

    "Who owes me money?": "I owe Ann 15" has the same words as "Tom owes me 20". Alone it keeps its place.
    """
    if debt_of(question):
        return _debts_first(question, hits)
    order = sorted(range(len(hits)), key=lambda row: -hits[row].total)[:_LOOKED_AT]
    roles = {row: role_told(question, hits[row].memory.text) for row in order}
    least = _SHARE * hits[order[0]].total if order else 0.0
    asked = [hits[row].total for row in order if roles[row] == "asked" and hits[row].total >= least]
    found = list(hits)
    if not asked:
        return found
    below = min(asked)
    for row in order:
        hit = hits[row]
        if roles[row] == "turned" and hit.total >= below:
            below -= _BELOW
            parts = hit.parts | {"turned": below - hit.total}
            found[row] = hit._replace(parts=parts, total=below)
    return found
