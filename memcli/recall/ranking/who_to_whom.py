"""Who does it to whom: of two memories of one deed the one that tells it the way it is asked stands first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from memcli.judgement.debts import debt_of, told_debt
from memcli.judgement.roles import Role, role_played
from memcli.recall.results import Hit

# So many of the best are looked at, and of those that tell it as asked those with this share of the best.
_LOOKED_AT, _SHARE = 20, 0.5
# So far below it the other way round stands.
_BELOW = 1e-4
# So likely does what tells it the other way round answer at most, and what tells of a debt as asked at least:
# a model that knows English best is otherwise unsure of "wer schuldet mir Geld?".
_TURNED, _OF_DEBT = 0.05, 0.8


def _above_strangers(found: list[Hit], order: Sequence[int], roles: Mapping[int, Role | None]) -> None:
    """Put what tells of a debt as asked above what has neither a debt nor a word of the question in it.

    Asked in another language than it was noted in, a debt is no nearer by meaning than anything else is.
    """
    strange = [found[row].total for row in order if roles[row] is None and not found[row].words]
    above = max(strange, default=0.0)
    for row in reversed(order):
        hit = found[row]
        if roles[row] == "asked" and hit.total <= above:
            above += _BELOW
            found[row] = hit._replace(parts=hit.parts | {"debt": above - hit.total}, total=above)


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
    order = sorted(range(len(hits)), key=lambda row: -hits[row].total)[:_LOOKED_AT]
    roles = {row: role_told(question, hits[row].memory.text) for row in order}
    least = _SHARE * hits[order[0]].total if order else 0.0
    asked = [hits[row].total for row in order if roles[row] == "asked" and hits[row].total >= least]
    found = list(hits)
    if not asked:
        return found
    if debt_of(question):
        _above_strangers(found, order, roles)
    below = min(asked)
    for row in order:
        hit = hits[row]
        if roles[row] == "turned" and hit.total >= below:
            below -= _BELOW
            parts = hit.parts | {"turned": below - hit.total}
            found[row] = hit._replace(parts=parts, total=below)
    return found
