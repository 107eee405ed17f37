"""Random histories of three machines: what an owner does on each, syncs in between, some of them killed."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any
from unittest.mock import patch

from memcli.changes.forgetting.hard import erase
from memcli.changes.forgetting.targets import Targets
from memcli.changes.revision import edit_memory
from memcli.changes.undo import undo_change
from memcli.errors import MemcliError
from memcli.graph.link_changes import link_entities
from memcli.memories import Memories
from memcli.model import Memory
from memcli.storage import areas
from memcli.storage.sqlite.session import SqliteSession
from memcli.storage.states import write_state
from memcli.sync.files.folder import Folder
from memcli.write_policy.drafts import Draft
from tests.sync.machines import Machine, all_told, closing, knowledge

WORDS = ["amber", "birch", "cedar", "dune", "ember", "fjord", "grove", "heron", "inlet", "jetty"]
BLOCKS = ("owner", "style")
DEEDS = [
    "remember", "remember", "edit", "tag", "untag", "end", "restore", "block", "drop", "link", "erase",
    "erase-block", "undo", "touch",
]  # fmt: skip


class Killed(BaseException):
    """What a kill looks like from inside."""


@contextmanager
def killed_at(number: int) -> Iterator[None]:
    """Die at the n-th thing that is written, be it a commit or a file."""
    left = [number]

    def counted(real: Any) -> Any:
        def call(self: Any, *given: Any, **options: Any) -> Any:
            sql = given[0] if given and isinstance(given[0], str) else "COMMIT"
            if sql == "COMMIT":
                left[0] -= 1
                if left[0] == 0:
                    raise Killed
            return real(self, *given, **options)

        return call

    with (
        patch.object(SqliteSession, "_run", counted(SqliteSession._run)),
        patch.object(Folder, "write", counted(Folder.write)),
        patch.object(Folder, "remove", counted(Folder.remove)),
    ):
        yield


def block(text: str) -> dict[str, Any]:
    """The value of a block that says that."""
    version = {"version": 1, "at": "2026-05-01T09:00:00.000Z", "text": text}
    return {"description": "", "max_chars": 2000, "versions": [version]}


def act(machine: Machine, dice: random.Random) -> str:
    """Something that an owner does."""
    memories = machine.memories
    store, known = memories.store, machine.ids()
    what = dice.choice(DEEDS)
    if what == "remember":
        memories.remember(Draft(text=" ".join(dice.sample(WORDS, 6)), kind="fact"))
    elif what == "block":
        write_state(
            store,
            "default",
            areas.BLOCK.name,
            dice.choice(BLOCKS),
            block(dice.choice(WORDS)),
            memories.now(),
        )
    elif what == "drop":
        store.drop_state("default", areas.BLOCK.name, dice.choice(BLOCKS))
    elif what == "link":
        link_entities(memories, dice.choice(WORDS), "knows", dice.choice(WORDS) + "s")
    elif what == "erase-block":
        label = dice.choice(BLOCKS)
        if any(store.states(("default",), areas.BLOCK.name, label)):
            erase(memories, Targets(values=frozenset({("default", areas.BLOCK.name, label)})))
    elif what == "undo":
        undo_change(memories)
    elif known:
        change(memories, what, store.get([dice.choice(known)])[0], dice)
    return what


def change(memories: Memories, what: str, chosen: Memory, dice: random.Random) -> None:
    """Something that an owner does to a memory."""
    if what == "edit":
        edit_memory(memories, chosen, importance=dice.randint(0, 10) / 10)
    elif what == "tag":
        edit_memory(memories, chosen, tags=[dice.choice(WORDS)])
    elif what == "untag" and chosen.tags:
        edit_memory(memories, chosen, without_tags=[dice.choice(chosen.tags)])
    elif what == "end":
        memories.end([chosen.id], "not wanted")
    elif what == "restore":
        memories.restore([chosen.id])
    elif what == "touch":
        memories.store.touch([chosen.id], memories.now())
    elif what == "erase":
        erase(memories, Targets([chosen]))


def live_through(seed: int, *, kills: bool) -> None:
    """Live through the history of a seed. Raises AssertionError where the machines end apart."""
    dice = random.Random(seed)
    with tempfile.TemporaryDirectory() as home:
        wrong = [timedelta(hours=dice.choice([-24, -3, 0, 3, 24])) for _ in "abc"]
        machines = [Machine(Path(home), name, off) for name, off in zip("abc", wrong, strict=True)]
        erased: set[str] = set()
        for _ in range(dice.randint(5, 40)):
            machine = dice.choice(machines)
            if dice.random() < 0.3:
                if kills and dice.random() < 0.7:
                    with killed_at(dice.randint(1, 12)):
                        try:
                            machine.sync()
                        except Killed:
                            machine.reopen()
                else:
                    machine.sync()
                continue
            before = set(machine.ids())
            try:
                what = act(machine, dice)
            except MemcliError:
                continue
            if what == "erase":
                erased |= before - set(machine.ids())
        all_told(machines)
        told = [knowledge(each.memories) for each in machines]
        for other in told[1:]:
            for part in told[0]:
                assert other[part] == told[0][part], (seed, kills, part)
        assert not erased & told[0]["memories"].keys()
        # And again: nothing to tell, nothing new.
        for each in machines:
            report = each.sync()
            assert not report.told and not report.taken and not report.left and not report.unread
        files = b"".join(path.read_bytes() for path in (Path(home) / "folder").rglob("*.changes"))
        assert not [each for each in erased if f'"key":"{each}"'.encode() in files]
        closing(machines)
