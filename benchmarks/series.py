"""Statements of one form: is another member of a list told from a new value of the same thing?

    python -m benchmarks.series SERIES.jsonl [SERIES.jsonl ...] [--cache DIR] [--shown]

A line is `{"memories": [...], "relation", "lang"}`: two to eight statements, in the order in which they are
noted, which all hold ("list"), or of which each takes the place of the one before ("update"). Each line has
a store of its own, into which `mem remember` writes one after another; then `mem consolidate` runs. Counted
are the lines of which something was told when it was written, or ended or noted as updated by the night.
`--shown` lists what went wrong: not for examinations that are to be asked again.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from benchmarks.command_line import add_cache, parser_for
from benchmarks.json_lines import read_json_lines


class Outcome(NamedTuple):
    """What came of a series."""

    told: bool
    ended: bool
    noted: bool


def outcome(memories: list[str], cache: Path) -> Outcome:
    """Note some statements in a new store, let a night pass, and look."""
    with tempfile.TemporaryDirectory(prefix="memcli-benchmark-") as folder:
        settings = {"HOME": folder, "MEMCLI_DB": f"{folder}/m.db", "MEMCLI_CONFIG": f"{folder}/config.toml"}
        settings["MEMCLI_CACHE_DIR"] = str(cache)
        replies = [record for text in memories for record in _mem(settings, "remember", "--json", "--", text)]
        told = any(each.get("decision", {}).get("contradicts") for each in replies)
        _mem(settings, "consolidate", "--yes")
        left = [*_mem(settings, "list", "--json", "--ended")]
        return Outcome(
            told,
            ended=any(each.get("ended_at") for each in left),
            noted=any(each.get("data", {}).get("updated_by") for each in left),
        )


def _mem(settings: dict[str, str], *arguments: str) -> Iterator[dict[str, dict[str, object]]]:
    command = [sys.executable, "-m", "memcli", *arguments]
    # What is told is no failure of a benchmark's.
    done = subprocess.run(
        command, env={**os.environ, **settings}, capture_output=True, text=True, check=False
    )
    lines = (line for line in done.stdout.splitlines() if line.startswith("{"))
    return iter([json.loads(line) for line in lines])


def main() -> None:
    """Print a table: of each file and relation how many series there are, and of how many what came."""
    parser = parser_for(__doc__)
    parser.add_argument("series", type=Path, nargs="+")
    add_cache(parser)
    parser.add_argument("--shown", action="store_true")
    given = parser.parse_args()
    print(
        "| series | relation | lines | told | ended | noted | any of these |\n|---|---|--:|--:|--:|--:|--:|"
    )
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as several:
        cache = given.cache or Path(folder)
        for path in given.series:
            lines = read_json_lines(path)
            counts = {"list": Counter[str](), "update": Counter[str]()}
            found = several.map(lambda line: outcome(line["memories"], cache), lines)
            for line, each in zip(lines, found, strict=True):
                counts[line["relation"]].update(
                    lines=1, told=each.told, ended=each.ended, noted=each.noted, any=any(each)
                )
                if given.shown and any(each) is (line["relation"] == "list"):
                    print(f"  {line['relation']}: {' | '.join(line['memories'])}")
            for relation, count in counts.items():
                cells = " | ".join(str(count[name]) for name in ("lines", "told", "ended", "noted", "any"))
                print(f"| {path.parent.name} | {relation} | {cells} |")


if __name__ == "__main__":
    main()
