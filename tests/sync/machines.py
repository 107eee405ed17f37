"""Machines that sync: stores with clocks of their own, and what they have in common when all is told."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from memcli.memories import Memories
from memcli.model import Filter
from memcli.storage import areas
from memcli.sync.files.folder import Folder
from memcli.sync.records.registers import link_registers, memory_registers
from memcli.sync.report import SyncOptions, SyncReport
from memcli.sync.run import sync_folder
from memcli.times import to_iso
from tests.conftest import make_memories

ALL = Filter(spaces=None, live=False)
BEGIN = datetime(2026, 5, 3, 12, 0, tzinfo=UTC)
TRACES = (areas.FORGOTTEN.name, areas.FORGOTTEN_TRACE.name)


class Machine:
    """One machine: its store, and a clock that may be wrong; it ticks with all others'."""

    ticks = 0

    def __init__(self, home: Path, name: str, wrong: timedelta = timedelta(0)) -> None:
        self.path = home / name / "memory.db"
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.wrong = wrong
        self.memories = make_memories(self.path, self.now)
        self.folder = Folder(home / "folder")
        self.folder.path.mkdir(exist_ok=True)

    def now(self) -> datetime:
        Machine.ticks += 1
        return BEGIN + timedelta(seconds=Machine.ticks) + self.wrong

    def sync(self, **options: Any) -> SyncReport:
        return sync_folder(self.memories, self.folder, SyncOptions(**options))

    def reopen(self) -> None:
        self.memories.close()
        self.memories = make_memories(self.path, self.now)

    def ids(self) -> list[str]:
        return [each.id for each in self.memories.store.select(ALL, order="oldest")]


def knowledge(memories: Memories) -> dict[str, Any]:
    """All that machines have in common once they have synced; marks of erasures are keyed by each."""
    store = memories.store
    memory = {}
    for each in store.select(ALL):
        memory[each.id] = memory_registers(each)
    states = {
        (each.space, each.area, each.key): json.dumps([each.value, to_iso(each.updated_at)], sort_keys=True)
        for each in store.states()
        if areas.area_named(each.area).syncs and each.area not in TRACES
    }
    # What a machine erased because another did is on its own record only.
    history = sorted(
        (to_iso(each.at), each.memory, each.action, each.change or "", json.dumps(each.after, sort_keys=True))
        for each in store.history()
        if each.actor != "sync"
    )
    links = {each.id: link_registers(each) for each in store.links()}
    return {"memories": memory, "links": links, "states": states, "history": history}


def all_told(machines: list[Machine]) -> None:
    """Sync until nobody has news: twice around, and once more for what an erasure tells."""
    for _ in range(3):
        for each in machines:
            each.sync()


def closing(machines: list[Machine]) -> None:
    for each in machines:
        each.memories.close()
