"""Random histories of three machines whose change files a medium or a program cuts, empties or changes."""

from __future__ import annotations

import os
import random
import tempfile
from pathlib import Path

import pytest

from memcli.errors import MemcliError
from memcli.sync.files.folder import Folder
from memcli.sync.files.segments import Sealing
from tests.sync.machines import Machine, all_told, closing, knowledge
from tests.sync.random_histories import act


def damage(path: Path, dice: random.Random) -> None:
    """Cut a file, empty it, or flip a bit of it: seldom with its time kept, as a medium does it."""
    content, status = bytearray(path.read_bytes()), path.stat()
    if not content:
        return
    at, how = dice.randrange(len(content)), dice.choice(["cut", "flip", "flip", "empty", "rot"])
    if how in ("flip", "rot"):
        content[at] ^= 1 << dice.randrange(8)
    path.write_bytes(content[: {"cut": at, "empty": 0}.get(how, len(content))])
    if how == "rot":
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def files(folder: Folder) -> list[Path]:
    return sorted(folder.path.rglob("*.changes*"))


def live_through_damage(seed: int, *, sealed: bool) -> None:
    """Live through the history of a seed. Raises AssertionError where the machines end apart."""
    dice = random.Random(seed)
    with tempfile.TemporaryDirectory() as home:
        machines = [Machine(Path(home), name) for name in "abc"]
        if sealed:
            pyrage = pytest.importorskip("pyrage")
            sealing = Sealing(str(pyrage.x25519.Identity.generate()))
            for each in machines:
                each.folder = Folder(each.folder.path, sealing)
        for _ in range(dice.randint(5, 30)):
            machine, roll = dice.choice(machines), dice.random()
            if roll < 0.35:
                machine.sync()
            elif roll < 0.6 and (there := files(machine.folder)):
                damage(dice.choice(there), dice)
            else:
                try:
                    act(machine, dice)
                except MemcliError:
                    continue
        all_told(machines)
        told = [knowledge(each.memories) for each in machines]
        assert told[1] == told[0] and told[2] == told[0], (seed, sealed)
        for each in machines:
            report = each.sync()
            assert not report.told and not report.taken and not report.unread and not report.notes
        closing(machines)
