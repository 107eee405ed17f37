"""Judged rules: what the learned judges say of a statement: its kind if nobody stated it, and if it lasts."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING

from memcli.judgement.notes import CHANGE, CHANGED, DENIED, DUE, PROMISE, judged_denials, judged_notes
from memcli.judgement.statements import State, StatementJudgement
from memcli.judgement.thresholds import BY_WORDS
from memcli.model import Memory
from memcli.text.dates.ahead import days_ahead
from memcli.text.dates.ahead_short import spelt_out
from memcli.text.kinds import is_promise
from memcli.text.semantics.reported import attributed, is_anothers
from memcli.times import local
from memcli.write_policy.decision import Case
from memcli.write_policy.rule_context import RuleContext
from memcli.write_policy.rules.open_matters import closes, is_open_matter
from memcli.write_policy.rules.passing import keep_for_a_time

if TYPE_CHECKING:
    from memcli.write_policy.related.lookup import RelatedMemories
    from memcli.write_policy.settings import WriteSettings

# The states of a statement that does not last; the likeliest is named.
_SOUNDS: dict[State, str] = {
    "passing": "it sounds passing",
    "undecided": "it sounds undecided",
    "trivial": "it hardly says anything to keep",
}


def judge_lasting(case: Case, grounds: RuleContext, judgement: StatementJudgement) -> Case:
    """Mark knowledge that is probably passing, undecided or trivial, with the probability.

    An open matter is not marked: however it sounds, it is wanted until it is done.
    """
    if case.overrides or not judgement.tells_state:
        return case
    least = grounds.settings.judge_unlasting
    unlasting = 1 - judgement.states["lasting"]
    if unlasting < (least if judgement.by_model else max(least, BY_WORDS)):
        return case
    if is_open_matter(case.memory, case.judged, grounds.now):
        return case
    state = max(_SOUNDS, key=lambda each: judgement.states[each])
    return replace(case.judging(state, unlasting), unlasting=state)


def judge_kind(case: Case, grounds: RuleContext, judgement: StatementJudgement) -> Case:
    """Set the most probable kind, if it is probable enough; else the memory stays a fact."""
    if case.passing or case.unlasting or case.told.replaces is not None or not judgement.is_taught:
        return case
    kind = max(judgement.kinds, key=lambda each: judgement.kinds[each])
    likely = judgement.kinds[kind]
    # An episode of a session would count as a turn of it, and be folded into its summary.
    if likely < grounds.settings.judge_kind or (kind == "episode" and case.memory.session):
        return case
    if kind in ("constraint", "preference"):
        from memcli.judgement.kind_check import is_of_kind  # few are

        if not is_of_kind(kind, case.memory.text, local(case.memory.happened_at), judgement):
            return case
    return replace(case.judging(f"kind: {kind}", likely), memory=replace(case.memory, kind=kind))


def note_judged(case: Case, grounds: RuleContext, judgement: StatementJudgement) -> Case:
    """Note a promise, a due date, another person than the owner as subject, and a told change.

    No rule decides by this: `mem context`, `mem profile` and the order of a page of recall read it.
    """
    notes = notes_of(grounds.settings, case.memory, judgement)
    asked = grounds.settings.judge_update < inf and judgement.by_model and judgement.is_taught
    # The judge was not trained on texts that are no statements.
    if asked and judgement.states["lasting"] >= 1 / 2 and judgement.change >= CHANGED:
        notes[CHANGE] = judgement.change
    return replace(case, judged={**case.judged, **notes})


def notes_of(settings: WriteSettings, memory: Memory, judgement: StatementJudgement) -> dict[str, float]:
    """Return the judges' notes on a memory with their probabilities: see `judged_notes`, `judged_denials`."""
    if not judgement.is_taught:
        return {}
    promise, due = settings.judge_promise, settings.judge_due
    # "Henrik told me" resembles "I told Henrik I would": of reported speech only what was said is judged.
    others = attributed(memory.text).others if is_anothers(memory.text) else ""
    if others and not is_promise(others) and StatementJudgement(others).promise < max(promise, BY_WORDS):
        promise = inf
    notes = judged_notes(judgement, promise=promise, due=due, other=settings.judge_other)
    # Whether the judges deny a promise or date that the words show; not asked where they find one likely.
    forms = [PROMISE] if promise < inf and judgement.promise < DENIED and is_promise(memory.text) else []
    days = days_ahead(memory.text, memory.happened_at) if due < inf and judgement.due < DENIED else []
    # A text that names the day by which it is to be done is surer than a judge's denial; the model was not
    # trained on abbreviated days.
    told = any(day.certain or (day.by and not day.lasting) for day in days)
    if days and not told and spelt_out(memory.text) == memory.text:
        forms.append(DUE)
    return notes | judged_denials(judgement, forms)


def keep_unlasting(case: Case, grounds: RuleContext, related: RelatedMemories) -> Case:
    """Keep a statement that was judged not to last for a time only.

    Unless it updates one that lasts, or closes a matter that was still open.
    """
    if case.unlasting is None or related.updates(grounds.settings.judge_update):
        return case
    if closes(case.memory, (each.memory for each in related.nearest)):
        return case
    why = f"{_SOUNDS[case.unlasting]} ({case.judged[case.unlasting]:.0%})"
    if grounds.options.force:
        return case.overriding(case.unlasting, why)
    return keep_for_a_time(case, grounds, why, rule=case.unlasting)
