"""What came into a store from outside, and no undo takes back: the last merge, restore and sync.

A plain undo means the last change that was made here. Where something came in after that, whoever asks
for the undo may well mean that instead.
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
# Linux's PATH_MAX; a name from elsewhere that is longer is no path.
_LONGEST_PATH = 4096
_CALLED: dict[str, str] = {
    "merge": "the merge of {name}", "restore": "the restore of {name}", "sync": "the sync with {name}",
}  # fmt: skip


class Arrival(NamedTuple):
    """What came in: how, from where, when, and after which line of history; `spaces`: of these alone."""

    kind: ArrivalKind
    name: str
    at: datetime
    number: int
    spaces: Sequence[str] | None = None

    def __str__(self) -> str:
        # Whole, however long: who is to look at a path needs all of it.
        called = _CALLED[self.kind].format(name=one_line(self.name, _LONGEST_PATH))
        return f"{called} of {times.local_time(self.at, seconds=True)}"


def note_arrival(
    store: Store, kind: ArrivalKind, name: str, now: datetime, spaces: Sequence[str] | None = None
) -> None:
    """Note what came in just now, in place of the last one of its kind."""
    with store.writing():
        newest = next(store.history(newest_first=True), None)
        noted = states.read_state(store, EVERYWHERE, areas.FOREIGN_LINES.name, _KEY)
        arrived = [name, times.to_iso(now), newest.number if newest else 0, spaces and [*spaces]]
        known = {**(noted.value if noted else {}), kind: arrived}
        states.write_state(store, EVERYWHERE, areas.FOREIGN_LINES.name, _KEY, known, now)


def check_reach(scope: Scope, change: str, action: str, events: Sequence[Event], at: datetime | None) -> str:
    """What came in by a sync after the last change, for who takes that back; empty where nothing did.

    Raises Refused where a merge or a restore came after it: whoever means that is not to lose something else.
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
    """What came into this space after a change, oldest first."""
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
