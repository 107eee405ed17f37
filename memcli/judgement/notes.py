"""What is noted of a statement when it is written, for whoever reads it later: nothing is judged then."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from memcli.judgement.thresholds import BY_WORDS
from memcli.model import OF_OTHER, Memory, judged_likely

if TYPE_CHECKING:
    from memcli.judgement.statements import StatementJudgement

PROMISE, DUE = "promise", "due"
# It tells of something that is otherwise than before; so likely at least that it is noted. (Cross-validated
# over authors: of what updates a statement 76 %, of what was so before 26 %, of what stands beside it 34 %.)
CHANGE, CHANGED = "tells of a change", 0.2
# What a form of words speaks for ("by Friday", "I will") and a judge denies.
NO_PROMISE, NOT_DUE = "no promise", "not due"
# Less likely than this it is denied. (By cross-validation over authors in five parts, benchmarks/labels: of
# what the forms find 73 and 71 % are right, of what is left of it 87 and 91. From 0.1 on 89.8 of the latter
# were, where 90 are asked for; 13 of 1,077 that fall due, and 2 of 143 promises, are denied more.)
DENIED = 0.15


def judged_notes(
    judgement: StatementJudgement, *, promise: float, due: float, other: float
) -> dict[str, float]:
    """How likely it promises something, tells of a day ahead, and is of somebody else than its owner.

    Only what is as likely as these thresholds ask for.
    """
    likely = {
        PROMISE: (judgement.promise, promise), DUE: (judgement.due, due),
        OF_OTHER: (judgement.about["other"], other),
    }  # fmt: skip
    floor = 0.0 if judgement.by_model else BY_WORDS
    return {what: share for what, (share, least) in likely.items() if share >= max(least, floor)}


def judged_denials(judgement: StatementJudgement, forms: Iterable[str]) -> dict[str, float]:
    """How surely it is none of what forms of words speak for, of PROMISE and DUE; by what it is then.

    Nothing where the words alone are judged.
    """
    found = {PROMISE: (NO_PROMISE, judgement.promise), DUE: (NOT_DUE, judgement.due)}
    return {
        denied: 1 - likely
        for denied, likely in (found[form] for form in forms if judgement.by_model)
        if likely < DENIED
    }


def told_change(memory: Memory) -> float:
    """How likely it tells of a change, as noted when it was written; 0 where that is less likely than noted.

    Its words are judged where nothing was noted then.
    """
    if "judged" in memory.data:
        return judged_likely(memory, CHANGE)
    from memcli.judgement.statements import StatementJudgement

    judged = StatementJudgement(memory.text)
    likely = judged.change if judged.is_taught else 0.0
    return likely if likely >= CHANGED else 0.0
