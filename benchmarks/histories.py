"""Random histories of three machines, more of them than the suite lives through.

    python -m benchmarks.histories [--number 1000] [--seed 1] [--damage]

What an owner does on three machines whose clocks are up to a day wrong, syncs in between, of which half the
histories cut some off at the n-th thing that is written; in the end all must know the same, and no change
file may hold what was erased. With `--damage` change files are cut, emptied and flipped in between, in
half the histories encrypted ones, and no sync is cut off. Needs the test extra. Exits 1 where one ended
otherwise, and tells its seed.
"""

from __future__ import annotations

import random
import sys
import time

from benchmarks.command_line import parser_for
from tests.sync.damaged_histories import live_through_damage
from tests.sync.random_histories import live_through


def main() -> int:
    """Live through histories; 1 where one ended wrong."""
    parser = parser_for(__doc__)
    parser.add_argument("--number", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**31))
    parser.add_argument("--damage", action="store_true", help="damage change files in between")
    given = parser.parse_args()
    chance, began, wrong = random.Random(given.seed), time.monotonic(), 0
    print(f"seed {given.seed}", flush=True)
    for number in range(1, given.number + 1):
        seed, harder = chance.randrange(2**32), number % 2 == 0
        try:
            if given.damage:
                live_through_damage(seed, sealed=harder)
            else:
                live_through(seed, kills=harder)
        except Exception as error:
            wrong += 1
            how = "sealed" if given.damage else "kills"
            print(f"history {seed}, {how} {harder}: {type(error).__name__}: {error!s:.300}", flush=True)
        if number % 100 == 0:
            print(f"    {number:,} histories, {wrong} wrong, {time.monotonic() - began:,.0f} s", flush=True)
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
