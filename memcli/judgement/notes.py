"""Notes of judgements: what is noted with a statement at writing, so that no reader judges it anew."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from memcli.judgement.thresholds import BY_WORDS
from memcli.model import OF_OTHER, Memory, judged_likely

if TYPE_CHECKING:
    from memcli.judgement.statements import StatementJudgement

PROMISE, DUE = "promise", "due"
# The note that a statement tells of a change, and the least probability at which it is noted.
# (Cross-validated over authors: noted of 76 % of updates, of 26 % of updated statements, of 34 % of pairs
# that both hold.)
CHANGE, CHANGED = "tells of a change", 0.2
# The notes that a judge denies what a wording suggests ("by Friday", "I will").
NO_PROMISE, NOT_DUE = "no promise", "not due"
# Below this probability it is denied. (By five-fold cross-validation over authors, benchmarks/labels: of what
# the wordings find 73 and 71 % are right, of what is left of it 87 and 91. At 0.1 it was 89.8 of the latter,
# where 90 are asked for; at 0.15, 13 more of 1,077 that fall due, and 2 of 143 promises, are denied.)
DENIED = 0.15


def judged_notes(
    judgement: StatementJudgement, *, promise: float, due: float, other: float
) -> dict[str, float]:
    """Return the probabilities that a statement is a promise, names a day ahead, and is about somebody else.

    Only those that reach the thresholds `promise`, `due` and `other`.
    """
    likely = {
        PROMISE: (judgement.promise, promise), DUE: (judgement.due, due),
        OF_OTHER: (judgement.about["other"], other),
    }  # fmt: skip
    floor = 0.0 if judgement.by_model else BY_WORDS
    return {what: share for what, (share, least) in likely.items() if share >= max(least, floor)}


def judged_denials(judgement: StatementJudgement, forms: Iterable[str]) -> dict[str, float]:
    """Return the notes that deny what the wordings `forms` (PROMISE, DUE) suggest, with their probabilities.

    Empty if only the words are judged.
    """
    found = {PROMISE: (NO_PROMISE, judgement.promise), DUE: (NOT_DUE, judgement.due)}
    return {
        denied: 1 - likely
        for denied, likely in (found[form] for form in forms if judgement.by_model)
        if likely < DENIED
    }


def told_change(memory: Memory) -> float:
    """Return the probability that a memory tells of a change, as noted at writing; 0 if it was not noted.

    If nothing was noted with the memory, its words are judged.
    """
    if "judged" in memory.data:
        return judged_likely(memory, CHANGE)
    from memcli.judgement.statements import StatementJudgement

    judged = StatementJudgement(memory.text)
    likely = judged.change if judged.is_taught else 0.0
    return likely if likely >= CHANGED else 0.0
