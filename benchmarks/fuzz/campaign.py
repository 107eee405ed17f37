"""Inputs one after the other on stores that are read and made anew; what fails is made small and kept."""

from __future__ import annotations

import hashlib
import json
import random
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

from benchmarks.fuzz.doors import input_at
from benchmarks.fuzz.ground import Failure, Playground
from benchmarks.fuzz.inputs import Input
from benchmarks.fuzz.shrinking import Place, places_of, runs_with, smallest

_Commands: TypeAlias = Sequence[Sequence[str]]
# So many runs on one store, then it is read, and made anew.
TOGETHER = 200
_ZONES = ("UTC", "Pacific/Kiritimati", "Etc/GMT+12", "America/New_York", "Asia/Kathmandu")
_READS = (
    ("recall", "Ann lives where"), ("recall", "Ann", "--json", "--explain"), ("list", "--ended"),
    ("list", "--json"), ("context",), ("history",), ("export", "--history", "--vectors"),
    ("export", "--format", "md"), ("export", "--format", "csv"), ("graph", "Ann"), ("graph", "list"),
    ("task", "show"), ("task", "list"), ("review", "list"), ("stats",), ("profile",), ("session", "list"),
    ("session", "show", "s"), ("session", "messages", "s"), ("checkpoint", "list"),
    ("checkpoint", "show", "build"), ("checkpoint", "restore", "crawl"), ("policy", "list"),
    ("policy", "check", "deploy"), ("policy", "export"), ("procedure", "list"),
    ("procedure", "show", "deploy"), ("block", "list"), ("block", "show", "owner"), ("rule", "list"),
    ("audit",), ("remember", "Bob owns a red boat"), ("log", "one more", "--session", "s"), ("doctor",),
    ("undo", "--dry-run"), ("list", "--as-of", "2026-06-01"), ("recall", "Ann", "--at", "2026-05"),
)  # fmt: skip
# A night takes longer than all of these: every third store has one.
_NIGHT = (("consolidate", "--dry-run"), ("consolidate",), ("recall", "Ann"), ("context",), ("audit",))
_NIGHTS = 3

READS_AND_NIGHT = (*_READS, *_NIGHT)


class Campaign:
    """Runs 0, 1, … of a seed, their failures counted by kind; of each kind the first is kept, made small.

    `inputs`, `runs` and `seconds` are by door; what the store is read by counts as the door `reading`.
    """

    def __init__(self, seed: int, doors: Sequence[str], out: Path, ground: Playground) -> None:
        self._seed, self._doors, self._out, self._ground = seed, doors, out, ground
        self.kinds: Counter[str] = Counter()
        self.inputs: Counter[str] = Counter()
        self.runs: Counter[str] = Counter()
        self.seconds: dict[str, float] = defaultdict(float)

    def run(self, first: int, count: int) -> None:
        """Carry out the runs from `first` on, a store for each few of them."""
        for start in range(first, first + count, TOGETHER):
            zone = random.Random(f"{self._seed}/zone/{start // TOGETHER}").choice(_ZONES)
            numbers = range(start, min(start + TOGETHER, first + count))
            runs = [input_at(self._seed, number, self._ground.seeds) for number in numbers]
            reads = _READS if start // TOGETHER % _NIGHTS else READS_AND_NIGHT
            self._together([each for each in runs if each.door in self._doors], zone, reads)

    def _together(self, runs: Sequence[Input], zone: str, reads: _Commands) -> None:
        self._ground.renew()
        failed: list[tuple[int, Failure]] = []
        for number, given in enumerate(runs):
            began = time.monotonic()
            failure = self._ground.mem(given, zone).failure
            self.runs[given.door] += 1
            self.inputs[given.door] += given.inputs
            self.seconds[given.door] += time.monotonic() - began
            if failure:
                failed.append((number, failure))
        began = time.monotonic()
        unreadable = self.unreadable(zone, _inputs_of(runs), reads) if runs else None
        self.seconds["reading"] += time.monotonic() - began
        # Only now: it takes the store that the others were meant for.
        for number, failure in failed:
            self._note(failure.kind, failure, runs[: number + 1], zone, ())
        if unreadable:
            number, failure = unreadable
            kind = f"then {' '.join(reads[number - 1])}: {failure.kind}"
            self._note(kind, failure, runs, zone, reads[:number])

    def unreadable(self, zone: str, inputs: int, reads: _Commands) -> tuple[int, Failure] | None:
        """How many of these commands it took until one failed on the store, and how; None if none does.

        So many inputs have come into the store.
        """
        for number, arguments in enumerate(reads, start=1):
            if failure := self._ground.mem(Input("reading", arguments), zone, after=inputs).failure:
                return number, failure
        return None

    def _note(self, kind: str, failure: Failure, runs: Sequence[Input], zone: str, reads: _Commands) -> None:
        """Count a failure; the first of its kind is made small and written down."""
        self.kinds[kind] += 1
        if self.kinds[kind] > 1:
            return

        def fails(places: Sequence[Place]) -> bool:
            self._ground.renew()
            some = runs_with(runs, places)
            done = [self._ground.mem(each, zone).failure for each in some]
            if reads:
                found = self.unreadable(zone, _inputs_of(some), reads)
                return found is not None and found[1].kind == failure.kind
            return any(each is not None and each.kind == failure.kind for each in done)

        places = places_of(runs)
        last = [each for each in places if each[0] == len(runs) - 1]
        # Most fail whatever came before.
        small = runs_with(runs, smallest(last if not reads and fails(last) else places, fails))
        self._out.mkdir(parents=True, exist_ok=True)
        record = {
            "kind": kind, "seed": self._seed, "zone": zone, "inputs": [_to_record(each) for each in small],
            "told": failure.told,
        }  # fmt: skip
        name = hashlib.sha256(kind.encode()).hexdigest()[:12]
        (self._out / f"{name}.json").write_text(json.dumps(record, indent=1))


def _inputs_of(runs: Sequence[Input]) -> int:
    return sum(each.inputs for each in runs)


def _to_record(given: Input) -> dict[str, Any]:
    return {
        "door": given.door,
        "arguments": list(given.arguments),
        "stdin": given.stdin.decode("latin-1"),
        "lines": [each.decode("latin-1") for each in given.lines],
        "files": {name: data.decode("latin-1") for name, data in given.files},
        "documents": {name: data.decode("latin-1") for name, data in given.documents},
    }


def input_from_record(record: dict[str, Any]) -> Input:
    """An input as it was written down."""
    files, documents = (
        tuple((name, text.encode("latin-1")) for name, text in record.get(which, {}).items())
        for which in ("files", "documents")
    )
    lines = tuple(each.encode("latin-1") for each in record.get("lines", ()))
    stdin = record["stdin"].encode("latin-1")
    return Input(record["door"], record["arguments"], stdin, files, lines, documents)
