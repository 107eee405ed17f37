"""Who to whom: of memories of the same deed or debt, rank the one with the roles as asked first."""

from __future__ import annotations

from collections.abc import Sequence

from memcli.judgement.debts import debt_of, names_asked, told_debt
from memcli.judgement.roles import Role, role_played
from memcli.recall.results import Hit

# At most so many of the best are examined; a memory with the roles as asked counts with this share of the
# best total.
_LOOKED_AT, _SHARE = 20, 0.5
# For debts more are examined: a question for debts wants all of them.
_DEBTS_LOOKED_AT = 100
# The margin by which a memory with reversed roles is put below.
_BELOW = 1e-4
# The greatest sureness of a memory with reversed roles, and the least of a debt as asked: a model trained
# mostly on English is otherwise unsure of "wer schuldet mir Geld?".
_TURNED, _OF_DEBT = 0.05, 0.8
# The least share of the best total for a debt as asked, and the greatest for what is no answer.
_NEAR, _OFF = 0.8, 0.4


def _debts_first(question: str, hits: Sequence[Hit]) -> list[Hit]:
    """Return the hits of a question for debts: those as asked near the top, reversed ones far below.

    In another language than the question's, a debt is no nearer by meaning than anything else. If the
    question names nobody, it wants all debts and nothing else.
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
    """Return "asked" if a text has the roles as the question has, "turned" if reversed, else None."""
    return told_debt(question, text) if debt_of(question) else role_played(question, text)


def sureness_by_role(question: str, text: str, likely: float) -> float:
    """Return the sureness (0 to 1) of a text, adjusted from `likely` by whether its roles are as asked."""
    role = role_told(question, text)
    if role == "turned":
        return min(likely, _TURNED)
    return max(likely, _OF_DEBT) if role == "asked" and debt_of(question) else likely


def as_asked_first(question: str, hits: Sequence[Hit]) -> list[Hit]:
    """Return the hits in order, with totals that put reversed roles below all with the roles as asked.

    "Who owes me money?": "I owe Ann 15" has the same words as "Tom owes me 20". If no memory has the roles as
    asked, nothing moves.
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
