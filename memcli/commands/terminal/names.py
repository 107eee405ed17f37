"""Names in the store, for completion: which kind of name each parameter takes, and the names of each kind.

A shell waits while it completes, so no model is loaded and the store is read for at most a tenth of a second.
If it is missing, locked or encrypted, there are no names and nothing is said.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import islice, takewhile
from typing import Any, TypeVar

from memcli import ids
from memcli.commands.terminal.store import memories_to_complete
from memcli.errors import MemcliError
from memcli.memories import Memories
from memcli.model import Filter
from memcli.named_tuple import NamedTuple
from memcli.storage import areas
from memcli.text.counting import counted
from memcli.text.printable import one_line

T = TypeVar("T")
# The most seconds spent reading rows, the most names offered, and the most characters of their help.
_PATIENCE = 0.1
_MOST = 500
_ABOUT = 60


class Name(NamedTuple):
    """A name and its help."""

    name: str
    about: str = ""


def names_for(asked: Any, context: Any, incomplete: str) -> list[Name]:
    """Return the names for a parameter that begin like this; if there are none, those in any letter case.

    [] if the parameter does not take names of the store.
    """
    known = NAMES.get(_what(asked, context) or "")
    if known is None:
        return []
    with suppress(MemcliError, OSError), memories_to_complete(context) as memories:
        # A name that would be displayed differently could not be told from others, so it is left out.
        found = [each for each in known(memories) if each.name and one_line(each.name) == each.name]
        found = list({each.name: each for each in reversed(found)}.values())[::-1]
        exactly = [each for each in found if each.name.startswith(incomplete)]
        typed = incomplete.casefold()
        return (exactly or [each for each in found if each.name.casefold().startswith(typed)])[:_MOST]
    return []


# Kinds of names: by option, by an option's metavar, and by command and an argument's metavar.
_OPTIONS = {"--space": "space", "--session": "session", "--task": "task", "--by": "procedure"}
_VALUES = {"TAG": "tag"}
_ARGUMENTS = {
    ("session", "NAME"): "session", ("space", "SPACE"): "space", ("space", "TO"): "space",
    ("task", "TASK"): "task", ("task", "NAME"): "task", ("policy", "NAME"): "policy",
    ("procedure", "NAME"): "procedure", ("rule", "NAME"): "rule", ("snapshot", "NAME"): "snapshot",
    ("snapshot", "A"): "snapshot", ("snapshot", "B"): "snapshot",
    ("review", "ID"): "waiting", ("undo", "CHANGE"): "change",
}  # fmt: skip
# Commands that take a new name.
_NEW = {"snapshot create"}


def _what(asked: Any, context: Any) -> str | None:
    """Return the kind of name that a parameter takes; None if it takes none."""
    stands = (getattr(asked, "metavar", None) or getattr(asked, "name", None) or "").strip("[]…").upper()
    if getattr(asked, "param_type_name", "") == "option":
        named = (_OPTIONS[each] for each in asked.opts if each in _OPTIONS)
        return _VALUES.get(stands) or next(named, None)
    path = context.command_path.split()[1:]
    return None if " ".join(path) in _NEW or not path else _ARGUMENTS.get((path[0], stands))


def _for_a_while(rows: Iterable[T]) -> Iterator[T]:
    end = time.monotonic() + _PATIENCE
    return takewhile(lambda _: time.monotonic() < end, rows)


def _keys(memories: Memories, area: areas.Area) -> Iterator[Name]:
    for state in _for_a_while(memories.store.states((memories.space,), area.name)):
        yield Name(state.key)


def _spaces(memories: Memories) -> Iterator[Name]:
    counts: dict[str, int] = {}
    for space, _, number in memories.store.count(Filter(spaces=None, live=False)):
        counts[space] = counts.get(space, 0) + number
    yield from (Name(space, counted(number, "memory", "memories")) for space, number in counts.items())
    for state in _for_a_while(memories.store.states()):
        if areas.area_named(state.area).in_spaces:
            yield Name(state.space)


def _tags(memories: Memories) -> Iterator[Name]:
    for memory in _for_a_while(memories.store.select(memories.within(at=None, live=False))):
        yield from (Name(tag) for tag in memory.tags)


def _sessions(memories: Memories) -> Iterator[Name]:
    yield from _keys(memories, areas.SESSION)
    episodes = memories.within(at=None, live=False, kinds=("episode",))
    for memory in _for_a_while(memories.store.select(episodes)):
        if memory.session:
            yield Name(memory.session)


def _tasks(memories: Memories) -> Iterator[Name]:
    from memcli.tiers.tasks.tasks import list_tasks

    return (Name(each.task.name, each.task.goal) for each in list_tasks(memories))


def _versioned(kind: Any) -> Callable[[Memories], Iterator[Name]]:
    def names(memories: Memories) -> Iterator[Name]:
        from memcli.tiers.versions import Versions, memory_name

        for memory in Versions(memories, kind).live():
            yield Name(memory_name(memory), str(memory.data.get("description") or memory.text[:_ABOUT]))

    return names


def _rules(memories: Memories) -> Iterator[Name]:
    from memcli.write_policy.stored_rules import rules_in_force

    return (Name(each.name) for each in rules_in_force(memories.store))


def _snapshots(memories: Memories) -> Iterator[Name]:
    from memcli.upkeep.copies.snapshots import snapshots

    return (Name(each.name) for each in snapshots(memories))


def _waiting(memories: Memories) -> Iterator[Name]:
    from memcli.graph.proposed_links import list_proposed_links
    from memcli.write_policy.review import list_held

    for held in list_held(memories):
        yield Name(ids.short_id(held.memory.id), held.memory.text[:_ABOUT])
    for link in list_proposed_links(memories):
        yield Name(ids.short_id(link.id), link.statement)


def _changes(memories: Memories) -> Iterator[Name]:
    from memcli.changes.space_history import events_in_space

    newest = _for_a_while(events_in_space(memories, memories.store.history(newest_first=True)))
    for event in islice(newest, _MOST):
        if event.change:
            yield Name(ids.short_id(event.change), f"{event.action} {ids.short_id(event.memory)}")


NAMES: dict[str, Callable[[Memories], Iterator[Name]]] = {
    "space": _spaces, "tag": _tags, "session": _sessions, "task": _tasks, "policy": _versioned("policy"),
    "procedure": _versioned("procedure"), "rule": _rules, "snapshot": _snapshots, "waiting": _waiting,
    "change": _changes,
}  # fmt: skip
