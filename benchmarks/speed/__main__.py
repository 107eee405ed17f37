"""Measuring the rows that are asked for, and printing the table."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path
from statistics import median

from benchmarks.command_line import add_cache
from benchmarks.speed.processes import Cost
from benchmarks.speed.rows import Bench, Row

# A slow row is run so often at most.
FEW_RUNS = 3


def main() -> None:
    """Measure the rows asked for and print them, each as soon as it is known."""
    parser = argparse.ArgumentParser("python -m benchmarks.speed", description="Speed and size of memcli.")
    parser.add_argument("--runs", type=int, default=10, help="runs of each row; 10")
    parser.add_argument("--rows", nargs="*", metavar="NAME", help="only these rows")
    parser.add_argument("--large", type=int, default=100_000, help="memories in the large store; 100000")
    parser.add_argument("--data", type=Path, help="folder of public data, for `batch`")
    add_cache(parser)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="memcli-speed-") as folder:
        bench = Bench(Path(folder), given.cache or Path(folder) / "cache", given.large, given.data)
        rows = bench.rows()
        if unknown := set(given.rows or ()) - rows.keys():
            parser.error(f"no row {', '.join(sorted(unknown))}; there are {', '.join(rows)}")
        bench.mem("model", "compile")
        print(f"median of {given.runs}, {os.cpu_count()} cores, Python {sys.version.split()[0]}\n")
        print("| what | ms | MB | against | ms | MB | ratio | by processor | at most |")
        print("|---|--:|--:|---|--:|--:|--:|--:|--:|")
        for name in given.rows or rows:
            print(line(rows[name], given.runs), flush=True)
        bench.close()


def line(row: Row, runs: int) -> str:
    """Measure a row, interleaved, and write it as a line of the table."""
    if not row.slow:
        # The first run of each writes bytecode and fills the page cache.
        row.baseline(), row.subject()
    pairs = [(row.baseline(), row.subject()) for _ in range(min(runs, FEW_RUNS) if row.slow else runs)]
    theirs, ours = (Cost(*map(median, zip(*costs, strict=True))) for costs in zip(*pairs, strict=True))
    by_processor = ours.processor / theirs.processor
    return (
        f"| {row.what} | {ours.seconds * 1000:,.0f} | {ours.megabytes:,.0f} "
        f"| {row.against} | {theirs.seconds * 1000:,.0f} | {theirs.megabytes:,.0f} "
        f"| {ours.seconds / theirs.seconds:.3g} | {by_processor:.3g} | {row.allowed:.3g} |"
    )


if __name__ == "__main__":
    main()
