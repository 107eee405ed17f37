"""See the package."""

from __future__ import annotations

import gc
import json
import random
import sys
import time
from pathlib import Path

from benchmarks import fuzz
from benchmarks.command_line import parser_for
from benchmarks.fuzz.campaign import READS_AND_NIGHT, TOGETHER, Campaign, input_from_record
from benchmarks.fuzz.doors import DOORS
from benchmarks.fuzz.ground import playground

# Seconds between two lines of progress.
_SHOWN = 60


def main() -> int:
    """Run, or replay; exits 1 where anything failed."""
    parser = parser_for(fuzz.__doc__)
    parser.add_argument("--inputs", type=int, default=1_000_000, help="so many inputs, or a few more")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="no longer than this")
    parser.add_argument("--first", type=int, default=0, help="the number of the first run")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**31))
    parser.add_argument("--doors", default=",".join(DOORS))
    parser.add_argument("--out", type=Path, default=Path("fuzz-failures"))
    parser.add_argument("--replay", type=Path)
    given = parser.parse_args()
    out = given.out.absolute()
    if given.replay:
        return _replay(given.replay, out)
    print(f"seed {given.seed}", flush=True)
    began, shown, first = time.monotonic(), 0.0, given.first
    with playground() as ground:
        # What was imported and made by now stays: none looks through it for garbage.
        gc.collect()
        gc.freeze()
        campaign = Campaign(given.seed, given.doors.split(","), out, ground)
        while (tried := campaign.inputs.total()) < given.inputs and time.monotonic() - began < given.seconds:
            if (spent := time.monotonic() - began) > shown + _SHOWN:
                shown = spent
                print(
                    f"{spent:>7,.0f} s  {tried:>9,} inputs  {len(campaign.kinds)} kinds of failure",
                    flush=True,
                )
            campaign.run(first, TOGETHER)
            first += TOGETHER
    _print_table(campaign, time.monotonic() - began)
    return int(bool(campaign.kinds))


def _print_table(campaign: Campaign, seconds: float) -> None:
    print(f"{'door':<20} {'runs':>9} {'inputs':>9} {'seconds':>8}")
    for door in campaign.inputs:
        spent = campaign.seconds[door]
        print(f"{door:<20} {campaign.runs[door]:>9,} {campaign.inputs[door]:>9,} {spent:>8,.0f}")
    reading = campaign.seconds["reading"]
    print(f"{'reading':<20} {'':>9} {'':>9} {reading:>8,.0f}")
    total, runs = campaign.inputs.total(), campaign.runs.total()
    print(f"{total:,} inputs by {runs:,} commands in {seconds:,.0f} s, {total / seconds:,.0f} a second")
    for kind, number in campaign.kinds.most_common():
        print(f"{number:>7,}  {kind}")


def _replay(file: Path, out: Path) -> int:
    record = json.loads(file.read_text())
    with playground() as ground:
        ground.renew()
        inputs = [input_from_record(each) for each in record["inputs"]]
        done = [ground.mem(each, record["zone"]) for each in inputs]
        inputs_in = sum(each.inputs for each in inputs)
        unreadable = Campaign(0, (), out, ground).unreadable(record["zone"], inputs_in, READS_AND_NIGHT)
    print(*done, unreadable, sep="\n")
    return int(any(each.failure for each in done) or unreadable is not None)


if __name__ == "__main__":
    sys.exit(main())
