"""What is planned or to be done, and which later note says that it is off, moved or done: of what is listed.

A judge that compares two notes as one is written knows little of these: the later one often shares but a name
with the earlier ("the dentist rang"). Here few are listed, and all that was said since is looked at. On that
nothing is left out: see `replaced`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from memcli.model import Memory, is_record
from memcli.recall.due_dates import days_due, is_open_promise
from memcli.recall.ranking.replacement import may_replace
from memcli.text.dates.time_span import TimeSpan
from memcli.text.kinds import is_promise
from memcli.text.words import fold_case
from memcli.times import local

if TYPE_CHECKING:
    from memcli.judgement.plans import Told

# So many letters tell which notes are worth comparing; so many listed are looked at.
_LETTERS, _MOST = 4, 60


def overtaken(
    listed: Sequence[Memory],
    some: Iterable[Memory],
    both_hold: Callable[[str, str], bool],
    within: Sequence[TimeSpan] = (),
) -> dict[str, Memory]:
    """By the ids of what is `listed` the newest of `some` that says that it is off, moved or done.

    What is so every week is off `within` some time, and else not. Not where `both_hold`, by id.
    """
    # Without a plan there is nothing to look for.
    if not listed:
        return {}
    from memcli.judgement import plans

    listed = listed[:_MOST]
    beginnings = {word[:_LETTERS] for each in listed for word in plans.words_of(_told(each))}
    if not beginnings:
        return {}
    any_of_them = re.compile(rf"\b(?:{'|'.join(sorted(beginnings))})")
    first = min(each.happened_at for each in listed)
    later = [
        each
        for each in some
        if each.happened_at > first
        # What soon is over is told in passing.
        and not is_record(each)
        and any_of_them.search(fold_case(each.text))
    ]
    later.sort(key=lambda each: (each.happened_at, each.id))
    found: dict[str, Memory] = {}
    for plan in listed:
        is_errand = is_open_promise(plan) or any(day.by for day in days_due(plan, plan.created_at))
        for newer in later:
            if (
                may_replace(newer, plan)
                and _overtakes(newer, plan, within, is_errand=is_errand)
                and not both_hold(plan.id, newer.id)
            ):
                found[plan.id] = newer
    return found


def _overtakes(newer: Memory, plan: Memory, within: Sequence[TimeSpan], *, is_errand: bool) -> bool:
    from memcli.judgement import plans

    new, old = _told(newer), _told(plan)
    if plans.is_off(new, old, within) or plans.is_moved(new, old):
        return True
    return is_errand and not is_promise(newer.text) and plans.is_carried_out(new, old)


def _told(memory: Memory) -> Told:
    from memcli.judgement.plans import Told

    return Told(memory.text, local(memory.happened_at))
