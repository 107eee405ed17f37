"""What the judges say of a statement: its kind where nobody said one, and whether it lasts."""

from __future__ import annotations

from dataclasses import replace

from memcli.judgement.statements import State, StatementJudgement
from memcli.model import KNOWLEDGE
from memcli.write_policy.decision import Case
from memcli.write_policy.grounds import Grounds
from memcli.write_policy.rules.passing import keep_for_a_time

# The likeliest of these is named where a statement does not last.
_SOUNDS: dict[State, str] = {
    "passing": "it sounds passing",
    "undecided": "it sounds undecided",
    "trivial": "it hardly says anything to keep",
}


def judge_lasting(case: Case, grounds: Grounds, judgement: StatementJudgement) -> Case:
    """Keep for a time only what most likely is passing, undecided or trivial."""
    if case.memory.kind not in KNOWLEDGE or case.overrides or case.passing:
        return case
    unlasting = 1 - judgement.states["lasting"]
    if unlasting < grounds.settings.judge_unlasting:
        return case
    state = max(_SOUNDS, key=lambda each: judgement.states[each])
    case = case.judging(state, unlasting)
    why = f"{_SOUNDS[state]} ({unlasting:.0%})"
    return case.overriding(state, why) if grounds.options.force else keep_for_a_time(case, grounds, why)


def judge_kind(case: Case, grounds: Grounds, judgement: StatementJudgement) -> Case:
    """Of the kind that is likeliest, where one is likely enough; what is of none is a fact."""
    if case.passing or case.told.replaces is not None:
        return case
    kind = max(judgement.kinds, key=lambda each: judgement.kinds[each])
    likely = judgement.kinds[kind]
    if likely < grounds.settings.judge_kind:
        return case
    return replace(case.judging(f"kind: {kind}", likely), memory=replace(case.memory, kind=kind))
