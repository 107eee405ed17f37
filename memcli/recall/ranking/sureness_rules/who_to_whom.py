"""Who to whom: tell whether a memory has the roles of a deed or debt as asked, or reversed."""

from __future__ import annotations

from memcli.text.semantics.debts import debt_of, told_debt
from memcli.text.semantics.roles import Role, role_played

# The greatest sureness of a memory with reversed roles, and the least of a debt as asked: a model trained
# mostly on English is otherwise unsure of "wer schuldet mir Geld?".
_TURNED, _OF_DEBT = 0.05, 0.8


def role_told(question: str, text: str) -> Role | None:
    """Return "asked" if a text has the roles as the question has, "turned" if reversed, else None."""
    return told_debt(question, text) if debt_of(question) else role_played(question, text)


def sureness_by_role(question: str, text: str, likely: float) -> float:
    """Return the sureness (0 to 1) of a text, adjusted from `likely` by whether its roles are as asked."""
    role = role_told(question, text)
    if role == "turned":
        return min(likely, _TURNED)
    return max(likely, _OF_DEBT) if role == "asked" and debt_of(question) else likely
