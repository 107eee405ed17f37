"""What is noted of a statement when it is written, for whoever reads it later: nothing is judged then."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcli.judgement.thresholds import BY_WORDS

if TYPE_CHECKING:
    from memcli.judgement.statements import StatementJudgement

PROMISE, DUE, OTHER = "promise", "due", "about: other"


def judged_notes(
    judgement: StatementJudgement, *, promise: float, due: float, other: float
) -> dict[str, float]:
    """How likely it promises something, tells of a day ahead, and is of somebody else than its owner.

    Only what is as likely as these thresholds ask for.
    """
    likely = {
        PROMISE: (judgement.promise, promise), DUE: (judgement.due, due),
        OTHER: (judgement.about["other"], other),
    }  # fmt: skip
    floor = 0.0 if judgement.by_model else BY_WORDS
    return {what: share for what, (share, least) in likely.items() if share >= max(least, floor)}
