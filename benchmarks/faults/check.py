"""What must hold of a store after a fault, whatever it was."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.faults.commands import SECRET, Command
from memcli.errors import MemcliError
from memcli.model import Filter
from memcli.storage import Store
from memcli.storage.reports import UNREAD
from memcli.storage.stores import open_store

_ALL = Filter(spaces=None, live=False)
_STORE = ("memory.db", "memory.db-wal", "memory.db-shm")
# What every recall counts up, and what holds instants of its own.
_PASSING = ("access_count", "accessed_at", "updated_at")


class Content(NamedTuple):
    """What a store holds: each memory by id, and all without ids and instants, which differ by run."""

    memories: dict[str, dict[str, Any]]
    shape: Counter[tuple[object, ...]]


class Outcome(NamedTuple):
    """How the command ended: its exit status (negative: by that signal), what it wrote to stderr."""

    status: int
    stderr: str


def read(path: Path) -> Content:
    """Raises MemcliError where the store cannot be read."""
    store = open_store(path, create=False)
    try:
        memories = {each.id: each.to_record() for each in store.select(_ALL)}
        shape: Counter[tuple[object, ...]] = Counter(
            (
                each["space"],
                each["kind"],
                each["text"],
                each["ended_as"],
                tuple(each["tags"]),
                each["confidence"],
            )
            for each in memories.values()
        )
        shape.update(
            ("link", link.space, link.subject, link.relation, link.object, link.ended_at is None)
            for link in store.links()
        )
        shape.update(
            ("state", state.space, state.area, state.key if state.area == "block" else "")
            for state in store.states()
            if state.area in ("block", "task", "checkpoint")
        )
    finally:
        store.close()
    for each in memories.values():
        for name in _PASSING:
            each.pop(name, None)
    return Content(memories, shape)


def faults_in(path: Path, command: Command, before: Content, after: Content, outcome: Outcome) -> list[str]:
    """Everything that does not hold; `after` is what the command makes of the store unharmed."""
    found = _faults_of_stderr(outcome)
    try:
        now = read(path)
        store = open_store(path, create=False)
        try:
            # The log comes back with the next command that writes.
            found += [f"check: {each}" for each in unsound(store) if not each.startswith("journal")]
        finally:
            store.close()
    except MemcliError as error:
        return [*found, f"cannot be opened: {error}"]
    found += _broken_promises(command, before, now, after, outcome)
    found += _harmed_memories(command, before, now, after)
    doubled = now.shape - (before.shape | after.shape)
    if any(number > 1 for number in doubled.values()):
        found.append(f"doubled: {doubled}")
    if command.erases and outcome.status == 0:
        found += [f"erased, and still in {each}" for each in _holding(path.parent, SECRET.encode())]
    return found


# What the line of a file says in which something is left.
_LEFT = ("stays as it was", "what it was before may still be found")


def _faults_of_stderr(outcome: Outcome) -> list[str]:
    """A traceback, or an error that takes more than a line; each file with something left in it has one."""
    found = [f"stderr: {outcome.stderr[-300:]}"] if "Traceback" in outcome.stderr else []
    lines = [line for line in outcome.stderr.strip().splitlines() if not any(each in line for each in _LEFT)]
    if outcome.status > 0 and len(lines) > 3:
        found.append(f"more than a line: {outcome.stderr[:300]}")
    return found


def _broken_promises(
    command: Command, before: Content, now: Content, after: Content, outcome: Outcome
) -> list[str]:
    """Where the store as a whole is not what the command said, or is changed in part."""
    found = []
    # What a sync could not read it has named; the next one takes it in.
    if outcome.status == 0 and now.shape != after.shape and "left alone: " not in outcome.stderr:
        found.append(f"acknowledged, and not there: {_difference(now, after)}")
    if command.whole and now.shape not in (before.shape, after.shape):
        found.append(f"in part: not before {_difference(now, before)}; not after {_difference(now, after)}")
    if "othing was changed" in outcome.stderr and now.shape != before.shape:
        found.append(f"said that nothing was changed: {_difference(now, before)}")
    return found


def _harmed_memories(command: Command, before: Content, now: Content, after: Content) -> list[str]:
    """Memories that the command would have left as they were, and that are lost or changed."""
    found = []
    for each, record in before.memories.items():
        if each not in now.memories:
            if each in after.memories:
                found.append(f"lost: {each} {record['text']!r}")
        elif command.whole and record == after.memories.get(each) != now.memories[each]:
            found.append(f"changed: {each} {record['text']!r}")
    return found


def unsound(store: Store) -> list[str]:
    """What doctor says against it; what came in and was not read by the model yet is read later."""
    return [f"{each.name} {each.detail}" for each in store.check() if not (each.ok or each.name == UNREAD)]


def files_changed(before: Path, now: Path) -> list[str]:
    """What lies beside a store otherwise than before, though its command said that nothing was changed.

    Empty files (locks) say nothing, a log may be read into its store, and what a conversion had begun to
    write is removed by the next command.
    """
    then, left = ({each.relative_to(home): each.read_bytes() for each in home.rglob("*")
                   if each.is_file() and each.stat().st_size and each.name not in _STORE
                   and ".conver" not in each.suffix}
                  for home in (before, now))  # fmt: skip
    return [f"said that nothing was changed: {name}" for name in sorted(then.keys() | left.keys())
            if then.get(name) != left.get(name)]  # fmt: skip


def _holding(folder: Path, needle: bytes) -> list[str]:
    return [each.name for each in folder.rglob("*") if each.is_file() and needle in each.read_bytes()]


def _difference(one: Content, other: Content) -> str:
    return f"+{dict(one.shape - other.shape)} -{dict(other.shape - one.shape)}"[:600]
