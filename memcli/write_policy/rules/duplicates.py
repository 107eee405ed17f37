"""What is there already is confirmed, not kept twice."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memcli.ids import short_id
from memcli.messages import Command, message
from memcli.model import Memory, is_past, is_record, is_statement
from memcli.text.task_items import is_over
from memcli.write_policy.decision import Case, quoted
from memcli.write_policy.repetitions import confirmed_memory, later_end, reinforced_memory
from memcli.write_policy.rule_context import RuleContext
from memcli.write_policy.said_again import is_reworded

if TYPE_CHECKING:
    from memcli.write_policy.related.lookup import RelatedMemories, RelatedMemory


# Less than this says nothing in other words: a tag, a path, a single word.
_WORDS = 2


def prolong_passing(case: Case, grounds: RuleContext, related: RelatedMemories) -> Case:
    """A passing statement, said again before it has ended, is kept for longer."""
    if not case.passing or is_record(case.memory):
        return case
    known = related.passing
    if known is None or not _may_stand_for(known, case.memory):
        return case
    if not grounds.may_change(known, case.memory):
        return _in_its_words(_unconfirmed(replace(case, notes=()), known), known, case.memory)
    again = reinforced_memory(known, case.memory, grounds.now)
    reason = f"{_known_already(known, case.memory)}; it is kept until {again.expires_at:%Y-%m-%d}"
    keeps = message(Command(f"edit {short_id(again.id)} --kind fact"), " keeps it for good")
    notes = () if grounds.is_untrusted(case.memory) else (keeps,)
    prolonged = replace(case, memory=again, notes=notes).decided("reinforce", "duplicate", reason, again.id)
    return _in_its_words(prolonged, known, case.memory)


def confirm_duplicate(case: Case, grounds: RuleContext, related: RelatedMemories) -> Case:
    """Knowledge that says the same as what is there, of the same kind, makes that surer."""
    # What was true says nothing of what is.
    if grounds.options.carried or not is_statement(case.memory) or is_past(case.memory, grounds.now):
        return case
    beside = {each.id for each in case.told.both_hold}
    for near in related.nearest:
        if (
            near.memory.id in beside
            # What is to be done again is not what was done.
            or is_over(near.memory.tags) != is_over(case.memory.tags)
            or not _says_the_same(near, case, grounds)
            or not _may_stand_for(near.memory, case.memory)
        ):
            continue
        likely = None if near.verdict == "same" else near.judgement.same
        if likely is not None:
            case = case.judging(f"same: {near.memory.id}", likely)
        if grounds.options.force:
            return case.overriding("duplicate", _known_already(near.memory, case.memory))
        if known := grounds.reader.unchanged(near.memory):
            return _confirmed(case, grounds, known, likely)
    return case


def confirm_named(told: Case, grounds: RuleContext, related: RelatedMemories) -> Case:
    """Confirm what its writer says it is the same as; one that was kept for it is merged into that."""
    known = told.told.same_as
    if known is None:
        return told
    kept = word_for_word(told, grounds, related, besides=known)
    why = f"the same as {quoted(known)}, as told; it is confirmed"
    case = _repeated(replace(told, notes=()), grounds, known, why)
    # What confirms nothing ends nothing either.
    merged = kept.id if kept and case.verdict and case.verdict.memory is not known else None
    return _saying(case, told.memory.text, merged=merged)


def confirm_replacement(case: Case, grounds: RuleContext, related: RelatedMemories) -> Case:
    """Confirm what took a memory's place already with the same words: so a call may be made once more.

    A caller that heard no answer, after a timeout, names the memory that it named before.
    """
    old, new = case.told.replaces, case.memory
    if old is None or grounds.options.force or new.supersedes in (None, old.id):
        return case
    from memcli.text.comparison.duplicates import compare_texts

    other_kind = old.kind != new.kind and not case.kind_is_open
    other_time = (old.valid_from, old.valid_until) != (new.valid_from, new.valid_until)
    if other_kind or other_time or compare_texts(new.text, old.text, None).verdict != "same":
        return case
    why = f"{_known_already(old, new)} in the place of {new.supersedes}; it is confirmed"
    return _repeated(replace(case, notes=()), grounds, old, why)


def confirm_repetition(case: Case, grounds: RuleContext, known: Memory) -> Case:
    """What says an ended memory again is confirmed in its place; it is brought back only by force."""
    if grounds.options.force:
        return case.overriding("duplicate", _known_already(known, case.memory))
    return _repeated(case, grounds, known, f"{_known_already(known, case.memory)}; it is confirmed")


def word_for_word(
    case: Case, grounds: RuleContext, related: RelatedMemories, *, besides: Memory
) -> Memory | None:
    """What holds a text by itself already, as trusted as it is now; None where nothing does."""
    from memcli.text.comparison.duplicates import compare_texts

    new = case.memory
    if not is_statement(new) or grounds.options.carried:
        return None
    for near in related.nearest:
        known = near.memory
        if known.id == besides.id or known.trusted != new.trusted or not grounds.may_change(known, new):
            continue
        if compare_texts(new.text, known.text, None).verdict == "same":
            return grounds.reader.unchanged(known)
    return None


def _confirmed(case: Case, grounds: RuleContext, known: Memory, likely: float | None) -> Case:
    """Confirm what says the same, for certain or as `likely` as a judge holds.

    In other words it may be another thing after all: so both texts are shown or on record.
    """
    why = f"{_known_already(known, case.memory, likely)}; it is confirmed"
    return _in_its_words(_repeated(case, grounds, known, why), known, case.memory)


def _known_already(known: Memory, new: Memory, likely: float | None = None) -> str:
    """That a new memory is known, for certain or as likely as a judge holds; other words are shown."""
    if not is_reworded(known, new.text):
        return "known already"
    surely = "" if likely is None else f", {likely:.0%} likely"
    return f"known already in other words{surely}: {quoted(known)}"


def _unconfirmed(case: Case, known: Memory) -> Case:
    """What an untrusted source repeats stays as it is."""
    why = f"{_known_already(known, case.memory)}; an untrusted source confirms nothing"
    return replace(case, memory=known).decided("reinforce", "duplicate", why, known.id)


def _in_its_words(case: Case, known: Memory, new: Memory) -> Case:
    """The decided case, with the words in which it was said, where they are others: they go on record."""
    return _saying(case, new.text) if is_reworded(known, new.text) else case


def _saying(case: Case, said: str, *, merged: str | None = None) -> Case:
    assert case.verdict  # noqa: S101 - just decided
    return replace(case, verdict=replace(case.verdict, said=said, merged=merged))


def _says_the_same(near: RelatedMemory, case: Case, grounds: RuleContext) -> bool:
    """Whether a neighbour says it already: word for word, or a judge is sure and nothing exact contradicts.

    Other words are what the judge was taught to read; a number, an identifier, a "not", or
    who does it to whom it may overlook.
    """
    # What its writer says to be of another kind is another thing.
    if near.memory.kind != case.memory.kind and not case.kind_is_open:
        return False
    from memcli.judgement.pair_forms import (
        done_in_one_alone,
        exact_values_apart,
        one_denies,
        roles_may_differ,
    )
    from memcli.text.comparison.duplicates import is_question, reword_each_other
    from memcli.text.semantics.distinct import begin_with_others, one_is_to_be_done, one_is_wanted

    texts = case.memory.text, near.memory.text
    if near.verdict == "same" and not (near.judged_by_model and reword_each_other(*texts)):
        return True
    # A wrong "same" loses what was said: words alone are not enough.
    worded = all(len(each.text.split()) >= _WORDS for each in (case.memory, near.memory))
    alike = worded and near.judged_by_model and near.judgement.same >= grounds.settings.judge_same
    if not alike:
        return False
    asked = {is_question(each) for each in texts}
    if len(asked) > 1 or one_denies(*texts) or exact_values_apart(*texts) or done_in_one_alone(*texts):
        return False
    if begin_with_others(*texts) or one_is_to_be_done(*texts) or one_is_wanted(*texts):
        return False
    return not roles_may_differ(*texts, near.cosine)


def _may_stand_for(known: Memory, new: Memory) -> bool:
    """Whether what is known may be confirmed by something new that means the same.

    What a trusted source says in other words vouches for no untrusted text: that
    would be trusted for what nobody trusted has said.
    """
    from memcli.text.comparison.duplicates import compare_texts

    return known.trusted or not new.trusted or compare_texts(new.text, known.text, None).verdict == "same"


def _repeated(case: Case, grounds: RuleContext, known: Memory, why: str) -> Case:
    new = case.memory
    if not grounds.may_change(known, new):
        return _unconfirmed(case, known)
    # Who says what another memory is to it says it for that, and no second time.
    if case.told.both_hold and not case.told.same_as:
        why = _known_already(known, new)
        return replace(case, memory=known).decided("reinforce", "duplicate", why, known.id)
    surer = replace(
        confirmed_memory(known, grounds.now),
        importance=max(known.importance, new.importance),
        tags=tuple(sorted({*known.tags, *new.tags})),
        trusted=known.trusted or new.trusted,
        expires_at=later_end(known, new),
        valid_until=new.valid_until or known.valid_until,
    )
    why += _told_end(known, surer)
    return replace(case, memory=surer).decided("reinforce", "duplicate", why, known.id)


def _told_end(before: Memory, after: Memory) -> str:
    """What saying it again has changed of how long a memory holds, or is kept."""
    told = ""
    if after.valid_until and after.valid_until != before.valid_until:
        told += f"; it holds until {after.valid_until:%Y-%m-%d}"
    if after.expires_at != before.expires_at:
        told += (
            f"; it is kept until {after.expires_at:%Y-%m-%d}" if after.expires_at else "; it is kept for good"
        )
    return told
