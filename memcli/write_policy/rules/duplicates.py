"""Duplicate rules: a memory that says what is stored already confirms that one and is not stored again."""

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


# The fewest words of a text that can be said in other words: no tag, path or single word.
_WORDS = 2


def prolong_passing(case: Case, grounds: RuleContext, related: RelatedMemories) -> Case:
    """Prolong an expiring episode that is stated again before it has ended."""
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
    """Confirm the stored memory of the same kind that says the same."""
    # A memory valid in the past says nothing of the present.
    if grounds.options.carried or not is_statement(case.memory) or is_past(case.memory, grounds.now):
        return case
    beside = {each.id for each in case.told.both_hold}
    for near in related.nearest:
        if (
            near.memory.id in beside
            # A task done and the same task open again are two things.
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
    """Confirm the memory that the writer named as saying the same (`same_as`).

    Another stored memory that holds the new text word for word is merged into it.
    """
    known = told.told.same_as
    if known is None:
        return told
    kept = word_for_word(told, grounds, related, besides=known)
    why = f"the same as {quoted(known)}, as told; it is confirmed"
    case = _repeated(replace(told, notes=()), grounds, known, why)
    # If the known memory stays unchanged, nothing is merged into it.
    merged = kept.id if kept and case.verdict and case.verdict.memory is not known else None
    return _saying(case, told.memory.text, merged=merged)


def confirm_replacement(case: Case, grounds: RuleContext, related: RelatedMemories) -> Case:
    """Confirm a replacement that was made already with the same words, so that a call can be repeated.

    A caller that got no answer, after a timeout, names the replaced memory once more.
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
    """Confirm the memory that says the same as an ended one; by force the ended one is restored."""
    if grounds.options.force:
        return case.overriding("duplicate", _known_already(known, case.memory))
    return _repeated(case, grounds, known, f"{_known_already(known, case.memory)}; it is confirmed")


def word_for_word(
    case: Case, grounds: RuleContext, related: RelatedMemories, *, besides: Memory
) -> Memory | None:
    """Return a stored memory, as trusted as the new one, with the same text word for word; None if none."""
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
    """Confirm a memory that says the same, for certain or with the judges' probability `likely`.

    Other words may mean another thing after all, so both texts are shown or recorded.
    """
    why = f"{_known_already(known, case.memory, likely)}; it is confirmed"
    return _in_its_words(_repeated(case, grounds, known, why), known, case.memory)


def _known_already(known: Memory, new: Memory, likely: float | None = None) -> str:
    """Return the reason for a repetition; differing words are quoted, with the judges' probability."""
    if not is_reworded(known, new.text):
        return "known already"
    surely = "" if likely is None else f", {likely:.0%} likely"
    return f"known already in other words{surely}: {quoted(known)}"


def _unconfirmed(case: Case, known: Memory) -> Case:
    """Decide that a known memory stays unchanged, because an untrusted source repeats it."""
    why = f"{_known_already(known, case.memory)}; an untrusted source confirms nothing"
    return replace(case, memory=known).decided("reinforce", "duplicate", why, known.id)


def _in_its_words(case: Case, known: Memory, new: Memory) -> Case:
    """Return the decided case with the new text for the record, if its words differ."""
    return _saying(case, new.text) if is_reworded(known, new.text) else case


def _saying(case: Case, said: str, *, merged: str | None = None) -> Case:
    assert case.verdict  # noqa: S101 - just decided
    return replace(case, verdict=replace(case.verdict, said=said, merged=merged))


def _says_the_same(near: RelatedMemory, case: Case, grounds: RuleContext) -> bool:
    """True if a neighbour says the same: word for word, or a judge is sure and nothing exact contradicts.

    Judges are trained on wording; a number, an identifier, a "not", or who does what to whom they may
    overlook, so these are compared separately.
    """
    # A memory whose writer stated another kind is another thing.
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
    """True if a known memory may be confirmed by a new one that means the same.

    A trusted new text in other words does not confirm an untrusted memory: that would make words trusted
    which nobody trusted has said.
    """
    from memcli.text.comparison.duplicates import compare_texts

    return known.trusted or not new.trusted or compare_texts(new.text, known.text, None).verdict == "same"


def _repeated(case: Case, grounds: RuleContext, known: Memory, why: str) -> Case:
    new = case.memory
    if not grounds.may_change(known, new):
        return _unconfirmed(case, known)
    # A writer that only relates memories (`both_hold`) does not confirm the repeated one.
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
    """Return how the repetition changed a memory's validity or expiry, for the reason; may be empty."""
    told = ""
    if after.valid_until and after.valid_until != before.valid_until:
        told += f"; it holds until {after.valid_until:%Y-%m-%d}"
    if after.expires_at != before.expires_at:
        told += (
            f"; it is kept until {after.expires_at:%Y-%m-%d}" if after.expires_at else "; it is kept for good"
        )
    return told
