"""Tend step: upkeep of derived data, and backups; nothing here changes a memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timedelta

from memcli.changes.open_questions import drop_settled_questions
from memcli.consolidation.step import StepContext, UpkeepStep
from memcli.errors import ModelUnusable, StoreBusy, StoreDamaged
from memcli.graph import proposed_links
from memcli.memories import Memories
from memcli.model import Filter
from memcli.scope import Scope
from memcli.storage import areas
from memcli.text.counting import counted
from memcli.tiers.tasks.expiry import let_go_of_expired
from memcli.times import local_time

# How many daily, weekly and monthly backups are kept.
DAILY, WEEKLY, MONTHLY = 7, 4, 12
# How many texts and windows are embedded at once, and how many steps of index upkeep one run makes.
_EMBEDDED, _WINDOWS = 64, 128
_STEPS = 200


class TendStep(UpkeepStep):
    """Upkeep of the store. Raises StoreUnusable if a backup fails; damage of the store is reported."""

    name = "tend"
    does = "fills gaps, drops what lived out, tidies indexes, and backs up"

    def tend(self, run: StepContext) -> Iterator[str]:
        """Fill missing vectors, drop expired state, tidy indexes, back up; yield a line for each."""
        memories, now = run.memories, run.memories.now()
        yield from _drop(memories, now)
        yield from _fill_gaps(memories, run.over)
        steps = 0
        while not run.over() and steps < _STEPS and memories.store.tend():
            steps += 1
        if steps:
            yield f"indexes tidied in {counted(steps, 'step')}"
        if not run.over():
            try:
                yield from _back_up(memories, now)
            except StoreDamaged as error:
                # Not raised: the earlier steps stand, and other spaces still have to be consolidated.
                run.report.damaged = str(error)


def _drop(scope: Scope, now: datetime) -> Iterator[str]:
    expiring = (areas.CONSOLIDATION, areas.SET_ASIDE, areas.RECALL_LOG, areas.VALUE_BEFORE)
    if dropped := sum(scope.store.drop_states(area.name, now) for area in expiring):
        yield f"{counted(dropped, 'expired note')} dropped"
    if expired := let_go_of_expired(scope):
        yield f"{counted(len(expired), 'expired task')} cleared"
    if settled := drop_settled_questions(scope):
        yield f"{counted(settled, 'question')} settled"
    if settled := proposed_links.drop_baseless_links(scope):
        yield f"{counted(settled, 'proposed link')} without evidence dropped"


def _fill_gaps(memories: Memories, out_of_time: Callable[[], bool]) -> Iterator[str]:
    # Read once: memories written without vectors meanwhile wait for the next run.
    waiting = memories.store.wanting(Filter(spaces=None, live=False))
    if not waiting:
        return
    from memcli.embedding.gaps import fill_gaps

    filled = 0
    try:
        while waiting and not out_of_time():
            some = waiting[:_EMBEDDED]
            done = fill_gaps(memories.store, memories.model, some, windows=_WINDOWS, rests=_WINDOWS)
            filled += len(done.whole)
            # Memories that others changed meanwhile wait, too.
            waiting = [ref for ref in waiting if ref not in (done.whole if done.windows else some)]
    except (ModelUnusable, StoreBusy) as error:
        yield f"vectors not filled: {error}"
    if filled:
        yield f"{filled} missing vectors filled"


def _back_up(scope: Scope, now: datetime) -> Iterator[str]:
    if scope.store.path is None:  # whoever runs the server backs it up
        return
    days = scope.config["backup_days"]
    made = scope.store.backups()
    last = max(made.values(), default=None)
    if not days or (last and now - last < timedelta(days=days)):
        return
    path = scope.store.back_up(now)
    yield f"backed up to {path}"
    kept = backups_to_keep({*made.values(), scope.store.backups()[path]})
    old = [each for each, at in scope.store.backups().items() if at not in kept]
    for each in old:
        scope.store.drop_copy(each)
    if old:
        yield f"{len(old)} old backups removed"


def backups_to_keep(made: Iterable[datetime]) -> set[datetime]:
    """Return which backups to keep: the newest of each of the last days, weeks and months that have one."""
    newest = sorted(made, reverse=True)
    kept: set[datetime] = set()
    periods: tuple[tuple[int, Callable[[datetime], str]], ...] = (
        (DAILY, lambda at: local_time(at)[:10]),
        (WEEKLY, lambda at: str(at.isocalendar()[:2])),
        (MONTHLY, lambda at: local_time(at)[:7]),
    )
    for number, period in periods:
        first: dict[str, datetime] = {}
        for at in newest:
            first.setdefault(period(at), at)
        kept.update(list(first.values())[:number])
    return kept


STEP = TendStep()
