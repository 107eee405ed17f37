"""Demotion: rank texts that share a question's words but do not answer it below those that may.

"Who owes me money?": "I owe Ann 15" has the same words as "Tom owes me 20", "where do I live?" those of "Ann
says: I live in Ulm". If nothing else may answer, such a text keeps its place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from memcli.model import is_record
from memcli.recall.results import Hit

if TYPE_CHECKING:
    from memcli.text.semantics.roles import Role

# At most so many of the best are examined; hits with this share of the best one's total may be put above
# reported words.
_LOOKED_AT, _SHARE = 20, 0.5
# For debts more are examined: a question for debts wants all of them.
_DEBTS_LOOKED_AT = 100
# The share of the best total that suffices for a note in another language, which is far from the question.
_NAMED = 0.2
# The share of the best total that a note about somebody else keeps: enough to be still shown.
_OF_ANOTHER = 0.7
# The margin by which demoted hits are put below.
_BELOW = 1e-4
# The least share of the best total for a debt as asked, and the greatest for what is no answer.
_NEAR, _OFF = 0.8, 0.4


def demote(hits: Sequence[Hit], answers: Callable[[str], bool | None], part: str) -> list[Hit]:
    """Return the hits in their order, with totals that put non-answers among the best below possible answers.

    `answers` tells whether a text may answer; None means unknown, and moves nothing. `part` is the name of
    the change among the parts of a hit's total.
    """
    order = _best(hits, _LOOKED_AT)
    told = {row: answers(hits[row].memory.text) for row in order}
    least = _SHARE * hits[order[0]].total if order else 0.0
    may = [hits[row].total for row in order if told[row] and hits[row].total >= least]
    found = list(hits)
    if not may:
        return found
    below = min(may)
    for row in order:
        if told[row] is False and hits[row].total >= below:
            below -= _BELOW
            found[row] = _with_total(hits[row], below, part)
    return found


def named_first(question: str, hits: Sequence[Hit]) -> list[Hit]:
    """Return the hits in their order, with notes about others well below the best about the person named.

    "What is Mia allergic to?": "Mia ist allergisch gegen Nüsse" is far from it, "Tom is allergic to
    penicillin" near. Notes that name nobody stay where they are, and so do turns, in which people address
    each other by name. (Of 320 questions of f24 to f27 and f30 the right note is first in 202 for 201.)
    """
    from memcli.recall.ranking.sureness_rules.one_note import names_asked_of

    order = _best(hits, _LOOKED_AT)
    names_asked = names_asked_of(question, [hits[row].memory.text for row in order])
    if names_asked is None:
        return list(hits)
    named = {row: names_asked(hits[row].memory.text) for row in order if not is_record(hits[row].memory)}
    least = _NAMED * hits[order[0]].total
    best = max((hits[row].total for row, told in named.items() if told), default=0.0)
    found = list(hits)
    if best < least:
        return found
    below = _OF_ANOTHER * best
    for row in order:
        if named.get(row) is False and hits[row].total >= below:
            below -= _BELOW
            found[row] = _with_total(hits[row], below, "somebody else")
    return found


def to_do_first(hits: Sequence[Hit]) -> list[Hit]:
    """Return the hits in their order, records of deeds below what may still be to do."""
    from memcli.text.semantics.senses import tells_deed

    return demote(hits, lambda text: not tells_deed(text), "done")


def own_words_first(question: str, hits: Sequence[Hit]) -> list[Hit]:
    """Return the hits, in their order, with totals that put reported words below the owner's own answers."""
    from memcli.recall.ranking.sureness_rules.reported_words import is_of_another

    return demote(hits, lambda text: not is_of_another(question, text), "another's words")


def as_asked_first(question: str, hits: Sequence[Hit]) -> list[Hit]:
    """Return the hits in their order, with deeds in reversed roles below all with the roles as asked."""
    from memcli.recall.ranking.sureness_rules.who_to_whom import role_told
    from memcli.text.semantics.debts import debt_of, names_asked

    if debt_of(question):
        return _debts_first(hits, partial(role_told, question), lists_all=not names_asked(question))
    as_asked = {"asked": True, "turned": False, None: None}
    return demote(hits, lambda text: as_asked[role_told(question, text)], "turned")


def _debts_first(
    hits: Sequence[Hit], role_told: Callable[[str], Role | None], *, lists_all: bool
) -> list[Hit]:
    """Return the hits of a question for debts: those as asked near the top, reversed ones far below.

    In another language than the question's, the vector of a debt is no nearer than that of anything else. If
    the question names nobody it `lists_all`: all debts are asked for, and nothing else.
    """
    order = _best(hits, _DEBTS_LOOKED_AT)
    roles = {row: role_told(hits[row].memory.text) for row in order}
    found = list(hits)
    asked = [row for row in order if roles[row] == "asked"]
    if not asked:
        return found
    best = max(hits[asked[0]].total, _NEAR * hits[order[0]].total)
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


def _best(hits: Sequence[Hit], many: int) -> list[int]:
    """Return the indices of the `many` hits with the greatest totals, best first."""
    return sorted(range(len(hits)), key=lambda row: -hits[row].total)[:many]
