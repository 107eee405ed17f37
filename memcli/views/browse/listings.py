"""Listings: the data in the screen's lists, namely memories, a timeline, what waits for review, spaces."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from heapq import nlargest
from itertools import groupby
from typing import Literal

from memcli import times
from memcli.memories import Memories
from memcli.model import Filter, Memory, is_past
from memcli.named_tuple import NamedTuple
from memcli.prompt import formats
from memcli.prompt.context import told_day
from memcli.text.counting import counted
from memcli.text.printable import one_line

Sort = Literal["memory", "held", "link", "question", "space", "heading"]
# The most characters in a line of a list, however wide the terminal is.
_LONGEST = 400
# The most hits of a recall; hits far behind the best are left out, as in `mem recall`.
_FOUND = 50


class Entry(NamedTuple):
    """A line of a list: what it is (`sort`, `key`), its time or number (`head`), its kind, and its text.

    `key` is an id (both ids for a question), or a name. `marks` are remarks; `faint`: it is true no longer,
    or is a weak hit; `ended`: it is out of every recall.
    """

    sort: Sort
    key: str
    head: str
    kind: str
    text: str
    marks: str = ""
    faint: bool = False
    ended: bool = False


class Listing(NamedTuple):
    """A list, a remark about it in a line, and whether there is `more` than was asked for."""

    entries: list[Entry]
    note: str = ""
    more: bool = False


def newest(memories: Memories, limit: int, *, ended: bool) -> Listing:
    """Return the newest memories of the space; with `ended`, also those out of every recall."""
    where = memories.within(live=not ended)
    found = list(memories.store.select(where, limit=limit + 1))
    total = sum(number for _, _, number in memories.store.count(where))
    entries = [_entry(memories, each, told_day(each)) for each in found[:limit]]
    return Listing(entries, counted(total, "memory", "memories"), len(found) > limit)


def recalled(memories: Memories, query: str, *, ended: bool) -> Listing:
    """Return the answers to a query, best first, as `mem recall` finds them, without recording a use."""
    settings = memories.settings()
    answer = memories.recall(
        query,
        memories.within()._replace(live=not ended),
        touch=False,
        settings=settings._replace(limit=max(settings.limit, _FOUND)),
    )
    weak = answer.weak
    entries = [_entry(memories, hit.memory, f"{hit.score:.2f}")._replace(faint=weak) for hit in answer.hits]
    note = counted(len(entries), "found", "found") if entries else "nothing answers that"
    if weak:
        note += "; near, but nothing surely answers"
    if answer.degraded:
        how = "in part by words" if answer.partly else "by words only"
        note += f"; {how}: {one_line(answer.degraded)}"
    return Listing(entries, note)


def timeline(memories: Memories, query: str, limit: int, *, ended: bool) -> Listing:
    """Return what happened, newest first under its days; with a query, its answers."""
    if query:
        found = recalled(memories, query, ended=ended)
        known = {each.id: each for each in memories.store.get([entry.key for entry in found.entries])}
        listed, note = list(known.values()), found.note
        more = False
    else:
        where = memories.within(live=not ended)
        listed = nlargest(limit + 1, memories.store.select(where), key=_instant)
        more, listed = len(listed) > limit, listed[:limit]
        total = sum(number for _, _, number in memories.store.count(where))
        note = counted(total, "memory", "memories")
    listed.sort(key=_instant, reverse=True)
    return Listing(list(_by_day(memories, listed)), note, more)


def waiting(memories: Memories) -> Listing:
    """Return what waits for its owner: held memories, proposed links, and open questions."""
    from memcli.changes.open_questions import open_questions
    from memcli.graph.proposed_links import list_proposed_links
    from memcli.write_policy.review import list_held

    entries = []
    for held in list_held(memories):
        entry = _entry(memories, held.memory, times.local_day(held.memory.created_at))
        entries.append(entry._replace(sort="held"))
    for link in list_proposed_links(memories):
        marks = "" if link.trusted else formats.UNTRUSTED_MARK.strip()
        said = one_line(link.statement)
        entries.append(Entry("link", link.id, f"{link.confidence:.0%} sure", "link", said, marks))
    for asked in open_questions(memories):
        key = f"{asked.older.id} {asked.newer.id}"
        said = f"{one_line(asked.older.text)[:_LONGEST]} / {one_line(asked.newer.text)[:_LONGEST]}"
        entries.append(Entry("question", key, "both hold?", asked.asked, said))
    return Listing(entries, f"{len(entries):,} waiting for you" if entries else "nothing waits for you")


def all_spaces(memories: Memories) -> Listing:
    """Return every space with its number of memories."""
    from memcli.upkeep.spaces import spaces

    entries = [
        Entry(
            "space", each.name, f"{each.live:,}", "at hand" if each.name == memories.space else "",
            one_line(each.name), f"{each.total - each.live:,} ended" if each.total > each.live else "",
        )
        for each in spaces(memories)
    ]  # fmt: skip
    return Listing(entries, counted(len(entries), "space", "spaces"))


def number_waiting(memories: Memories) -> int:
    """Return how many entries `waiting` has."""
    return len(waiting(memories).entries)


def live_total(memories: Memories) -> int:
    """Return how many memories are in force in the space."""
    where: Filter = memories.within()
    return sum(number for _, _, number in memories.store.count(where))


def _by_day(memories: Memories, listed: Iterable[Memory]) -> Iterator[Entry]:
    for day, some in groupby(listed, key=lambda each: times.local_day(each.happened_at)):
        of_day = list(some)
        name = f"{day}  {times.local(of_day[0].happened_at):%A}"
        yield Entry("heading", f"day {day}", name, "", str(len(of_day)))
        for each in of_day:
            yield _entry(memories, each, times.local_time(each.happened_at)[11:])


def _entry(memories: Memories, memory: Memory, head: str) -> Entry:
    past = is_past(memory, memories.now())
    marks = [
        mark.strip()
        for mark, holds in (
            (formats.PAST_MARK, past),
            (formats.ENDED_MARK, memory.ended_at and not past),
            (formats.UNTRUSTED_MARK, not memory.trusted),
        )
        if holds
    ]
    marks += [one_line(formats.TAG.format(tag=tag)) for tag in memory.tags]
    ended = memory.ended_at is not None
    text = one_line(memory.text[: 4 * _LONGEST])[:_LONGEST]
    return Entry("memory", memory.id, head, memory.kind, text, " ".join(marks), past or ended, ended)


def _instant(memory: Memory) -> tuple[object, str]:
    return memory.happened_at, memory.id
