"""Freshness: does the current statement stand before the outdated one, and at what price.

    python -m benchmarks.freshness --data PATH [--only beam,locomo]
                                   [--keep DIR] [--cache DIR]

The stores of benchmarks.quality are copied, `mem consolidate` (without an LLM)
runs on each copy, two days later so that sessions are closed, and every
question is asked of both. BEAM's questions about updated knowledge name an
original and an updated statement: told is in how many of them the updated one
stands first (a question whose two are the same message says nothing and is
left out), and the recall of all questions. Nothing may be ended that is still
true: each memory that was ended is printed.
"""

from __future__ import annotations

import tempfile
import time
from datetime import timedelta
from pathlib import Path

import numpy as np

from benchmarks.conversations import Question
from benchmarks.data import Built, arguments, opened
from benchmarks.quality import MEASURES, Rows, ask, ids, measure
from memcli.consolidation.run import consolidate


def main() -> None:
    """Ask before and after, and print both."""
    with opened(arguments(__doc__ or "")) as builts, tempfile.TemporaryDirectory() as folder:
        rows: dict[tuple[str, str], Rows] = {}
        first: dict[str, list[bool]] = {"before": [], "after": []}
        for built in builts:
            whole = [each for each in built.ids if not each.startswith("lost")]
            copy = built.cut(Path(folder) / f"{built.talk.name}.db", whole)
            later = copy.memories.now() + timedelta(days=2)
            started = time.perf_counter()
            report = consolidate(copy.memories.at(later))
            took = time.perf_counter() - started
            print(f"{built.talk.name}: {len(built.ids)} memories, {took:.1f} s,", report.counts(), flush=True)
            for outcome in report.outcomes:
                if outcome.done and outcome.proposal.action in ("end", "merge"):
                    print(f"  {outcome.proposal.action}: {outcome.proposal.why}")
            for when, asked in (("before", built), ("after", copy)):
                for question in built.talk.questions:
                    ranked = ids(ask(asked, question))
                    row = measure(ranked, built.answers(question))
                    rows.setdefault((built.talk.data, when), []).append(row)
                    if question.current and not question.current & question.outdated:
                        first[when].append(_current_first(built, question, ranked))
            copy.memories.close()
    print("\n| data | when | questions | " + " | ".join(MEASURES) + " |")
    print("|---|---|--:|" + "--:|" * len(MEASURES))
    for (data, when), some in rows.items():
        cells = " | ".join(f"{100 * value:.1f}" for value in np.mean(some, axis=0))
        print(f"| {data} | {when} | {len(some)} | {cells} |")
    for when, each in first.items():
        if each:
            print(f"{when}: the current statement stands first in {sum(each)} of {len(each)}", end="; ")
            print(f"{100 * np.mean(each):.0f} %")


def _current_first(built: Built, question: Question, ranked: list[str]) -> bool:
    """Whether an updated statement stands before every original one."""
    places = {each: place for place, each in enumerate(ranked)}
    current, outdated = (
        min(places.get(built.ids[number], len(ranked)) for number in numbers)
        for numbers in (question.current, question.outdated)
    )
    return current < outdated


if __name__ == "__main__":
    main()
