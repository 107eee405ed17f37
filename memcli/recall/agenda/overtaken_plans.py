"""Overtaken plans: find the later note that says that a listed plan is cancelled, moved or done.

The judge that compares two notes when one is written catches few of these, because the later note often
shares only a name with the plan ("the dentist rang"). Here the list is short, so everything said since can be
looked at. The result never removes anything from a list: see `replaced`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from memcli.model import Memory, is_record
from memcli.recall.agenda.due_dates import days_due, is_open_promise
from memcli.recall.ranking.replacement import may_replace
from memcli.text.dates.time_span import TimeSpan
from memcli.text.kinds import is_promise
from memcli.times import local

if TYPE_CHECKING:
    from memcli.text.semantics.plan_outcomes import Told

# At most so many plans are looked at, and later notes of at most so many characters: a whole page tells many
# things.
_MOST, _LONGEST = 80, 400
# At most so many of the newest notes since are looked at.
_LOOKED_AT = 2000


def overtaken(
    listed: Sequence[Memory],
    some: Iterable[Memory],
    both_hold: Callable[[str, str], bool],
    within: Sequence[TimeSpan] = (),
) -> dict[str, Memory]:
    """Return, by the id of each `listed` plan that is off, moved or done, the newest memory that says so.

    A weekly event is cancelled only for the time `within` which it is asked for. Pairs of ids for which
    `both_hold` is true, as their owner said, are left out.
    """
    # Without a plan there is nothing to look for.
    if not listed:
        return {}
    from memcli.text.semantics import plan_outcomes

    listed = listed[:_MOST]
    by_beginning: dict[str, list[Memory]] = {}
    for plan in listed:
        for beginning in {plan_outcomes.beginning_of(word) for word in plan_outcomes.words_of(_told(plan))}:
            by_beginning.setdefault(beginning, []).append(plan)
    errands = {each.id for each in listed if is_errand(each)}
    first = min(each.happened_at for each in listed)
    # Such news is often told in passing, so every later note counts; turns of conversations are left out
    # below.
    later = [each for each in some if each.happened_at > first and len(each.text) <= _LONGEST]
    found: dict[str, Memory] = {}
    later.sort(key=lambda each: (each.happened_at, each.id))
    for newer in later[-_LOOKED_AT:]:
        beginnings = plan_outcomes.beginnings_in(newer.text) & by_beginning.keys()
        if not beginnings or is_record(newer) or not plan_outcomes.may_tell_of_plan(newer.text):
            continue
        for plan in {each.id: each for beginning in beginnings for each in by_beginning[beginning]}.values():
            if (
                may_replace(newer, plan)
                and _overtakes(newer, plan, within, is_errand=plan.id in errands)
                and not both_hold(plan.id, newer.id)
            ):
                found[plan.id] = newer
    return found


def says_over(newer: Memory, plan: Memory) -> bool:
    """True if a newer memory says that all of a plan is off, or was done."""
    from memcli.text.semantics import plan_outcomes

    return not is_promise(newer.text) and plan_outcomes.says_over(_told(newer), _told(plan))


def is_errand(memory: Memory) -> bool:
    """True if something is to be done, as opposed to taking place on a day."""
    return is_open_promise(memory) or any(day.by for day in days_due(memory, memory.created_at))


def _overtakes(newer: Memory, plan: Memory, within: Sequence[TimeSpan], *, is_errand: bool) -> bool:
    from memcli.text.semantics import plan_outcomes

    new, old = _told(newer), _told(plan)
    if plan_outcomes.is_off(new, old, within) or plan_outcomes.is_moved(new, old):
        return True
    return is_errand and not is_promise(newer.text) and plan_outcomes.is_carried_out(new, old)


def _told(memory: Memory) -> Told:
    from memcli.text.semantics.plan_outcomes import Told

    return Told(memory.text, local(memory.happened_at))
