"""Kills: a night that is killed at any instant, again and again, and what is lost by it: nothing.

    python -m benchmarks.kills [--kills 200] [--seed 5] [--memories 300]

A store in which every step has something to do (duplicates, contradictions,
what expired and faded, closed sessions, statements, relations, what is past
its grace, a backup that is due). `consolidate` runs in a process of its own
and gets SIGKILL at a random instant between its start and its end; once a run
gets through, the store is filled anew. After each kill the store must pass its
check, hold every explicit memory (live, or merged into one that says the same,
or ended for a reason that its text bears out), and lie unlocked; at the end
the run goes through, and one after it finds nothing left to do.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from memcli.config.config import Config
from memcli.consolidation.report import RunReport
from memcli.consolidation.run import consolidate, consolidation_lock
from memcli.memories import Memories
from memcli.model import Filter, Memory
from memcli.storage.lookup import current_version
from memcli.storage.stores import open_store
from memcli.write_policy.direct import put_embedded
from memcli.write_policy.drafts import Draft, new_memory
from tests.standin import StandIn

ALL = Filter(spaces=None, live=False)
START = datetime(2026, 1, 5, 3, tzinfo=UTC)
NAMES = ("Ada", "Bo", "Cleo", "Dev", "Esa", "Flo", "Gus", "Hana", "Ida", "Jun")
# The variable that tells the processes when the benchmark began.
_BEGAN = "MEMCLI_KILLS_BEGAN"
_CHILD = "import sys; from pathlib import Path; from benchmarks.kills import night; night(Path(sys.argv[1]))"


class _Clock:
    """So many days after the start of the benchmark's year; it goes on from process to process."""

    def __init__(self, days: int) -> None:
        began = float(os.environ.setdefault(_BEGAN, str(time.time())))
        self._since = START + timedelta(days=days, seconds=-began)

    def __call__(self) -> datetime:
        return self._since + timedelta(seconds=time.time())


def opened(path: Path, days: int) -> Memories:
    """The store at a path, so many days after its start, with the tests' stand-in for a model."""
    return Memories(open_store(path), Config({}, path.with_name("none")), StandIn, clock=_Clock(days))


def night(path: Path) -> RunReport:
    """One consolidation of the store, as `mem consolidate` does it; says when it begins."""
    with opened(path, 120) as memories, consolidation_lock(memories.store, wait=False) as free:
        print("up" if free else "locked", flush=True)
        return consolidate(memories)


def fill(path: Path, number: int) -> set[str]:
    """Make the store; gives the ids of the explicit memories that nobody ended."""
    with opened(path, 0) as memories:
        some: list[Memory] = []
        for n in range(number):
            name, other = NAMES[n % 10], NAMES[(n * 7 + 3) % 10]
            turn = {"session": f"s{n // 16}", "data": {"role": "user"}}
            texts: tuple[tuple[str, str, dict[str, Any]], ...] = (
                (f"note {n // 8} about {n // 8 * 37 % 101} apples", "fact", {}),
                (f"note {n // 8} about {n // 8 * 37 % 101} apples.", "fact", {}),
                (f"{name} works at {other}corp {n // 40}", "fact", {}),
                (f"{name} may like shade {n}", "fact", {"source": "inferred", "confidence": 0.35}),
                (f"the fair {n} is open", "fact", {"valid_until": START + timedelta(days=9)}),
                (f"I live in {other}ville {n}.", "episode", turn),
                (f"We talked about shed {n} and its roof", "episode", turn),
                (f"to go {n}", "fact", {"source": "inferred"}),
            )  # fmt: skip
            text, kind, fields = texts[n % 8]
            some.append(replace(new_memory(memories, Draft(text=text, kind=kind)), **fields))
        put_embedded(memories, memories.model, some, memories.change("import"))
        gone = [each.id for each in some if each.text.startswith("to go")]
        memories.end(gone, "forgotten")
        return {each.id for each in some if each.source == "explicit"}


def lost(memories: Memories, explicit: set[str]) -> list[str]:
    """What of the explicit memories is neither there nor accounted for."""
    here = {memory.id: memory for memory in memories.store.select(ALL)}
    found = []
    for each in sorted(explicit):
        memory = here.get(each)
        if memory is None:
            found.append(f"{each} is gone")
        elif memory.ended_at and not _accounted_for(memories, memory):
            found.append(f"{each} {memory.text!r} ended: {memory.ended_why}")
    return found


def _accounted_for(memories: Memories, memory: Memory) -> bool:
    if memory.ended_as == "merged":
        later = current_version(memories.store, memory)
        return later.ended_at is None and later.text.rstrip(".") == memory.text.rstrip(".")
    timed = memory.valid_until is not None or "folded" in memory.data
    return timed and memory.ended_as == "expired"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark; 1 where anything was lost or damaged."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--memories", type=int, default=300)
    given = parser.parse_args(arguments)
    chance = random.Random(given.seed)
    with tempfile.TemporaryDirectory() as folder:
        return _run(Path(folder) / "memory.db", given.kills, given.memories, chance)


def _run(path: Path, kills: int, number: int, chance: random.Random) -> int:
    explicit = fill(path, number)
    longest, killed, through, wrong = 3.0, 0, 0, 0
    while killed < kills:
        with subprocess.Popen(
            [sys.executable, "-c", _CHILD, path], stdout=subprocess.PIPE, text=True
        ) as child:
            assert child.stdout
            if child.stdout.readline() != "up\n":
                wrong += 1
                print("the lock of a killed run was not free")
            began = time.monotonic()
            try:
                child.wait(chance.uniform(0, longest))
            except subprocess.TimeoutExpired:
                child.send_signal(getattr(signal, "SIGKILL", signal.SIGTERM))
        finished = child.returncode == 0
        killed += not finished
        through += finished
        with opened(path, 120) as memories:
            bad = [finding.detail for finding in memories.store.check() if not finding.ok]
            for line in [*bad, *lost(memories, explicit)]:
                wrong += 1
                print(f"after kill {killed}: {line}")
        if finished:
            # So that the instants lie all over a run, and not behind its end.
            longest = max(0.05, (longest + time.monotonic() - began) / 2)
            for each in path.parent.glob("memory.db*"):
                each.unlink()
            explicit = fill(path, number)
    with opened(path, 120) as memories:
        last = consolidate(memories)
        again = consolidate(memories)
        bad = [finding.detail for finding in memories.store.check() if not finding.ok]
        for line in [*bad, *lost(memories, explicit), *map(str, again.counts())]:
            wrong += 1
            print(f"at the end: {line}")
    print(f"{killed} kills, {through} runs got through in between; {wrong} wrong")
    print(f"the last run did {last.counts()}")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
