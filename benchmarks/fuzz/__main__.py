"""See the package."""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks import fuzz
from benchmarks.fuzz.ground import Failure, Playground, playground
from benchmarks.fuzz.inputs import DOORS, Input

# So many inputs on one store, then it is read, and made anew.
_TOGETHER = 200
_ZONES = ("UTC", "Pacific/Kiritimati", "Etc/GMT+12", "America/New_York", "Asia/Kathmandu")
_READS = (
    ("recall", "Ann lives where"), ("recall", "Ann", "--json", "--explain"), ("list", "--ended"), ("list",
    "--json"), ("context",),
    ("history",), ("export", "--history", "--vectors"), ("export", "--format", "md"), ("export",
    "--format", "csv"),
    ("graph", "Ann"), ("graph", "list"), ("task", "show"), ("task", "list"), ("review", "list"),
    ("stats",), ("profile",),
    ("session", "list"), ("session", "show", "s"), ("session", "messages", "s"), ("checkpoint", "list"),
    ("checkpoint", "show", "build"),
    ("checkpoint", "restore", "crawl"), ("policy", "list"), ("policy", "check", "deploy"), ("policy",
    "export"), ("procedure", "list"),
    ("procedure", "show", "deploy"), ("block", "list"), ("block", "show", "owner"), ("rule", "list"),
    ("audit",),
    ("consolidate", "--dry-run"), ("remember", "Bob owns a red boat"), ("log", "one more", "--session",
    "s"), ("doctor",),
    ("undo", "--dry-run"), ("list", "--as-of", "2026-06-01"), ("recall", "Ann", "--at", "2026-05"),
    ("consolidate",), ("recall", "Ann"),
)  # fmt: skip


class Campaign:
    """Inputs 0, 1, … of a seed, their failures counted by kind and written down once each."""

    def __init__(self, seed: int, doors: Sequence[str], out: Path, ground: Playground) -> None:
        self._seed, self._doors, self._out, self._ground = seed, doors, out, ground
        self.kinds: Counter[str] = Counter()
        self.inputs: Counter[str] = Counter()

    def input_at(self, number: int) -> tuple[Input | None, str]:
        """The input of a number and the zone it runs in; None where its door is left out."""
        chance = random.Random(f"{self._seed}/{number}")
        door = chance.choice(list(DOORS))
        zone = random.Random(f"{self._seed}/{number // _TOGETHER}").choice(_ZONES)
        return (DOORS[door](chance, self._ground.seeds) if door in self._doors else None), zone

    def run(self, first: int, count: int) -> None:
        """Try the inputs from `first` on, a store for each few of them."""
        for start in range(first, first + count, _TOGETHER):
            self._ground.renew()
            some, zone = [], "UTC"
            for number in range(start, min(start + _TOGETHER, first + count)):
                given, zone = self.input_at(number)
                if given is None:
                    continue
                self.inputs[given.door] += 1
                some.append(given)
                if failure := self._ground.mem(given, zone).failure:
                    self._note(failure, [given], zone)
            if some and self.unreadable(zone):
                self._blame(some, zone)

    def unreadable(self, zone: str) -> tuple[Input, Failure] | None:
        """The first reading command that fails on the store as it is by now, and how; None if none does."""
        (Path.cwd() / "config.toml").unlink(missing_ok=True)
        for arguments in _READS:
            given = Input("reading", arguments)
            done = self._ground.mem(given, zone)
            if done.failure:
                return given, done.failure
        return None

    def _blame(self, some: Sequence[Input], zone: str) -> None:
        """Find out which of some inputs made the store unreadable; all, where none did by itself."""
        for each in [*([one] for one in some), list(some)]:
            self._ground.renew()
            for given in each:
                self._ground.mem(given, zone)
            if found := self.unreadable(zone):
                read, failure = found
                self._note(
                    failure._replace(
                        kind=f"after {each[-1].door}, {' '.join(read.arguments)}: {failure.kind}"
                    ),
                    each,
                    zone,
                )
                return

    def _note(self, failure: Failure, inputs: Sequence[Input], zone: str) -> None:
        self.kinds[failure.kind] += 1
        if self.kinds[failure.kind] > 1:
            return
        self._out.mkdir(parents=True, exist_ok=True)
        name = hashlib.sha256(failure.kind.encode()).hexdigest()[:12]
        record = {
            "kind": failure.kind, "seed": self._seed, "zone": zone,
            "inputs": [_to_record(each) for each in inputs],
            "told": failure.told,
        }  # fmt: skip
        (self._out / f"{name}.json").write_text(json.dumps(record, indent=1))


def _to_record(given: Input) -> dict[str, Any]:
    files = {name: data.decode("latin-1") for name, data in given.files}
    return {
        "door": given.door,
        "arguments": list(given.arguments),
        "stdin": given.stdin.decode("latin-1"),
        "files": files,
    }


def input_from_record(record: dict[str, Any]) -> Input:
    """An input as it was written down."""
    files = tuple((name, text.encode("latin-1")) for name, text in record["files"].items())
    return Input(record["door"], record["arguments"], record["stdin"].encode("latin-1"), files)


def main() -> int:
    """Run, or replay; exits 1 where anything failed."""
    parser = argparse.ArgumentParser(description=(fuzz.__doc__ or "").partition("\n")[0])
    parser.add_argument("--inputs", type=int, default=1_000_000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**31))
    parser.add_argument("--doors", default=",".join(DOORS))
    parser.add_argument("--out", type=Path, default=Path("fuzz-failures"))
    parser.add_argument("--replay", type=Path)
    given = parser.parse_args()
    out = given.out.absolute()
    if given.replay:
        record = json.loads(given.replay.read_text())
        with playground() as ground:
            ground.renew()
            done = [ground.mem(input_from_record(each), record["zone"]) for each in record["inputs"]]
            unreadable = Campaign(0, (), out, ground).unreadable(record["zone"])
        print(*done, unreadable, sep="\n")
        return int(any(each.failure for each in done) or unreadable is not None)
    print(f"seed {given.seed}", flush=True)
    started = time.monotonic()
    with playground() as ground:
        campaign = Campaign(given.seed, given.doors.split(","), out, ground)
        for first in range(given.first, given.first + given.inputs, 1000):
            campaign.run(first, min(1000, given.first + given.inputs - first))
            spent, tried = time.monotonic() - started, sum(campaign.inputs.values())
            print(f"{tried:>9,} inputs, {len(campaign.kinds)} kinds of failure, {spent:,.0f} s", flush=True)
    for kind, number in campaign.kinds.most_common():
        print(f"{number:>7,}  {kind}")
    print(" ".join(f"{door} {number:,}" for door, number in campaign.inputs.items()))
    return int(bool(campaign.kinds))


if __name__ == "__main__":
    sys.exit(main())
