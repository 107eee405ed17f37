"""Updates in other words: after a night, does the newer value stand before the older, and what else moves.

    python -m benchmarks.updates PAIRS.jsonl [PAIRS.jsonl ...] [--cache DIR] [--shown]

A line of the labels is `{"a": older, "b": newer, "question", "relation", "lang"}`; the relation is
"update" (asked is today's value, the newer gives it) or "both" (the newer is near, and replaces nothing). The
older ones of a file are noted by `mem remember --batch`, a month later the newer ones, `mem consolidate`
runs, and every question is asked with the defaults of `mem recall`. Told is which of the two stands first,
how many were told when they were noted, and how many others were brought onto a page or moved up on it for
nothing. `--shown` lists what went wrong: not for examinations that are to be asked again.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

from benchmarks.command_line import add_cache, parser_for
from benchmarks.json_lines import read_json_lines
from memcli.config.config import Config
from memcli.memories import Memories, open_memories
from memcli.recall.ranking import currentness
from memcli.recall.ranking.vectors import Floats
from memcli.recall.results import Hit

Line = dict[str, Any]
HEAD = """\
| pairs | questions | told | newer first | older first | neither | others moved |
|---|--:|--:|--:|--:|--:|--:|"""
_OLD, _NEW = timedelta(days=31), timedelta(days=1)


class Page(NamedTuple):
    """A question, its page before the newer ones were put first, and what might have come along."""

    line: Line
    page: Sequence[Hit]
    others: Sequence[Hit]
    vectors: Floats | None
    answered: list[Hit]


def main() -> None:
    """Note, consolidate, ask and count."""
    parser = parser_for(__doc__)
    parser.add_argument("labels", type=Path, nargs="+")
    add_cache(parser)
    parser.add_argument("--shown", action="store_true", help="list what went wrong")
    given = parser.parse_args()
    print(HEAD)
    for path in given.labels:
        counts: dict[str, Counter[str]] = {}
        for page in asked(read(path), given.cache):
            count(page, counts.setdefault(page.line["relation"], Counter()), shown=given.shown)
        for relation, each in counts.items():
            print(row(f"{path.parent.name}, {relation}", each))


def row(name: str, counts: Counter[str]) -> str:
    """The row of a table with `HEAD`: what was counted."""
    first = [counts[each] for each in ("newer", "older", "neither")]
    cells = " | ".join(map(str, (sum(first), counts["told"], *first, counts["moved"])))
    return f"| {name} | {cells} |"


def read(path: Path) -> list[Line]:
    """The lines of a file, if any is asked about; the others are noted beside."""
    lines = read_json_lines(path)
    return lines if any(line.get("question") for line in lines) else []


def asked(lines: Sequence[Line], cache: Path | None, *, judged: bool = True) -> Iterator[Page]:
    """Note the older and the newer ones of some lines in one store, let a night pass, and ask.

    Not `judged`, no pair is: the newer ones stay where they are.
    """
    really = currentness.newer_first
    seen: list[tuple[Sequence[Hit], Sequence[Hit], Floats | None]] = []

    def spy(
        page: Sequence[Hit],
        others: Sequence[Hit],
        vectors: Floats | None,
        room: int,
        least: float,
        both_hold: Callable[[str, str], bool],
    ) -> list[Hit]:
        seen.append((page, others, vectors))
        return really(page, others, vectors, room, least, both_hold) if judged else list(page)

    with (
        noted(lines, cache, judged=judged) as (memories, told),
        mock.patch.object(currentness, "newer_first", spy),
    ):
        for line in (each for each in lines if each.get("question")):
            seen.clear()
            hits = memories.recall(line["question"], touch=False).hits
            page, others, vectors = seen[0] if seen else (hits, [], None)
            yield Page({**line, "told": line["b"] in told}, page, others, vectors, hits)


@contextmanager
def noted(
    lines: Sequence[Line], cache: Path | None, *, judged: bool = True
) -> Iterator[tuple[Memories, set[str]]]:
    """The store of some lines after a night, and the newer ones of which something was told.

    A line may be an older one (`a`) alone. `cache` keeps the compiled model. Not `judged`, no pair is.
    """
    with tempfile.TemporaryDirectory(prefix="memcli-benchmark-") as folder:
        settings = {"HOME": folder, "MEMCLI_DB": f"{folder}/m.db", "MEMCLI_CONFIG": f"{folder}/config.toml"}
        settings["MEMCLI_CACHE_DIR"] = str(cache or f"{folder}/cache")
        if not judged:
            settings |= dict.fromkeys(
                ("MEMCLI_JUDGE_SAME", "MEMCLI_JUDGE_UPDATE", "MEMCLI_JUDGE_REPLACED"), "1"
            )
        now, told = datetime.now(UTC), set[str]()
        for field, ago in (("a", _OLD), ("b", _NEW)):
            when = (now - ago).isoformat()
            notes = [{"text": line[field], "happened_at": when} for line in lines if line.get(field)]
            said = run_mem(settings, "remember", "--batch", "--json", "--force", typed=notes)
            records = map(json.loads, said.splitlines())
            told |= {each["text"] for each in records if each.get("decision", {}).get("contradicts")}
        run_mem(settings, "consolidate", "--yes")
        with open_memories(config=Config(settings), create=False) as memories:
            yield memories, told


def run_mem(settings: dict[str, str], *arguments: str, typed: Sequence[Line] = ()) -> str:
    """What `mem` prints under these settings, given `typed` as JSON lines; its status tells nothing."""
    command = [sys.executable, "-m", "memcli", *arguments]
    lines = "".join(json.dumps(each) + "\n" for each in typed)
    # What is refused or told is no failure of a benchmark's.
    done = subprocess.run(
        command, input=lines, env={**os.environ, **settings}, capture_output=True, text=True, check=False
    )
    return done.stdout


def count(page: Page, counts: Counter[str], *, shown: bool) -> None:
    """Count what came of a question: which of the two stands first, what was told, what else moved."""
    before = [hit.memory.text for hit in page.page]
    texts = [hit.memory.text for hit in page.answered]
    old, new = (texts.index(page.line[field]) if page.line[field] in texts else None for field in "ab")
    first = "neither"
    if old is not None or new is not None:
        first = "newer" if old is None or (new is not None and new < old) else "older"
    counts[first] += 1
    counts["told"] += page.line["told"]
    standing = [text for text in texts if text in before]
    moved = [text for text in texts if text not in before]
    moved += [a for a, b in zip(standing, before, strict=False) if a != b][:1]
    counts["moved"] += sum(text != page.line["b"] for text in moved)
    if shown and first == ("older" if page.line["relation"] == "update" else "newer"):
        print(f"  {page.line['a']} | {page.line['b']} | {page.line['question']}")


if __name__ == "__main__":
    main()
