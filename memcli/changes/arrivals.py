"""Arrivals: the last merge, restore and sync of a store, which no undo can take back.

A plain undo means the last change made here. If something arrived after that, the user may well mean the
arrival instead, so undo has to refuse or say so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Literal

from memcli import ids, times
from memcli.errors import Refused
from memcli.messages import Command, joined, message
from memcli.model import EVERYWHERE, Event
from memcli.named_tuple import NamedTuple
from memcli.scope import Scope
from memcli.storage import Store, areas, states
from memcli.text.printable import one_line, quoted

ArrivalKind = Literal["merge", "restore", "sync"]
_KEY = "arrivals"
# Linux's PATH_MAX: a longer name is no path, and is cut when it is shown.
_LONGEST_PATH = 4096
_CALLED: dict[str, str] = {
    "merge": "the merge of {name}", "restore": "the restore of {name}", "sync": "the sync with {name}",
}  # fmt: skip


class Arrival(NamedTuple):
    """An arrival: its kind, its source, when, and the newest line of history then; `spaces` if only these."""

    kind: ArrivalKind
    name: str
    at: datetime
    number: int
    spaces: Sequence[str] | None = None

    def __str__(self) -> str:
        # Not shortened: to look at a path one needs all of it.
        called = _CALLED[self.kind].format(name=one_line(self.name, _LONGEST_PATH))
        return f"{called} of {times.local_time(self.at, seconds=True)}"


def note_arrival(
    store: Store, kind: ArrivalKind, name: str, now: datetime, spaces: Sequence[str] | None = None
) -> None:
    """Record an arrival that has just happened, in place of the last one of its kind."""
    with store.writing():
        newest = next(store.history(newest_first=True), None)
        noted = states.read_state(store, EVERYWHERE, areas.FOREIGN_LINES.name, _KEY)
        arrived = [name, times.to_iso(now), newest.number if newest else 0, spaces and [*spaces]]
        known = {**(noted.value if noted else {}), kind: arrived}
        states.write_state(store, EVERYWHERE, areas.FOREIGN_LINES.name, _KEY, known, now)


def check_reach(scope: Scope, change: str, action: str, events: Sequence[Event], at: datetime | None) -> str:
    """Return a remark on a sync that came after the last change; empty if none did.

    Raises Refused if a merge or a restore came after it: whoever means that must not lose another change.
    """
    later = list(_later(scope, events, at))
    taken = [each for each in later if each.kind != "sync"]
    if not taken:
        return f"what {later[-1]} brought, which came later" if later else ""
    last = max(taken, key=lambda each: each.at)
    when = f" of {times.local_time(at, seconds=True)}" if at else ""
    first = (events[0].after or {}).get("text") or (events[0].before or {}).get("text") if events else ""
    what = f"{action}{when}" + (f", {quoted(str(first), 50)}" if first else "")
    ways = [message(Command(f"undo {ids.short_id(change)}"), f" takes back what was done before it ({what})")]
    if last.kind == "restore":
        ways.append(message(Command("backup list"), " shows the store that was replaced"))
    raise Refused(f"{last} came since, and no undo takes it back", by_hand=joined("; ", ways))


def _later(scope: Scope, events: Sequence[Event], at: datetime | None) -> Iterator[Arrival]:
    """Yield what arrived in this space after a change, oldest first."""
    noted = states.read_state(scope.store, EVERYWHERE, areas.FOREIGN_LINES.name, _KEY)
    arrivals = [
        Arrival(kind, name, times.from_iso(when), number, spaces)
        for kind, (name, when, number, spaces) in (noted.value if noted else {}).items()
    ]
    last = max((event.number for event in events), default=None)
    for each in sorted(arrivals, key=lambda arrival: arrival.at):
        before = last <= each.number if last is not None else at is None or at <= each.at
        if before and (each.spaces is None or scope.space in each.spaces):
            yield each
