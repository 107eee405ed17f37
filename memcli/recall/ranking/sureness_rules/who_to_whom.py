"""Who does it to whom: whether a memory tells a deed the way it is asked, or the other way round."""

from __future__ import annotations

from memcli.text.semantics.debts import debt_of, told_debt
from memcli.text.semantics.roles import Role, role_played

# So likely does what tells it the other way round answer at most, and what tells of a debt as asked at least:
# a model that knows English best is otherwise unsure of "wer schuldet mir Geld?".
_TURNED, _OF_DEBT = 0.05, 0.8


def role_told(question: str, text: str) -> Role | None:
    """Whether a text tells it as it is asked, or the other way round; of what is owed, whatever the verb."""
    return told_debt(question, text) if debt_of(question) else role_played(question, text)


def sureness_by_role(question: str, text: str, likely: float) -> float:
    """How likely a text answers (0 to 1) of which that is `likely` whatever role its speaker has in it."""
    role = role_told(question, text)
    if role == "turned":
        return min(likely, _TURNED)
    return max(likely, _OF_DEBT) if role == "asked" and debt_of(question) else likely
