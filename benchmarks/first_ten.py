"""The first ten of every question, written down by one version and compared by another.

    python -m benchmarks.first_ten --data PATH --save FILE [--only locomo,beam,…] [--keep DIR] [--cache DIR]
    python -m benchmarks.first_ten compare BEFORE AFTER [--shown]

The first asks every question with evidence of its own store, with `-n 10` and without a floor as well as
by all defaults, and writes a line a question: which records stood there, by their numbers, which are the
evidence. The second says of each collection on how many questions two such files agree, and what the
differences cost or gain: R@10 by each, and how many questions found more or less of their evidence.
`--shown` lists the questions that lost some.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.json_lines import read_json_lines

Line = dict[str, Any]


def main() -> None:
    """Write or compare, as asked."""
    if sys.argv[1:2] == ["compare"]:
        compare(*(read_json_lines(Path(each)) for each in sys.argv[2:4]), shown="--shown" in sys.argv)
    else:
        save()


def save() -> None:
    """Ask everything and write what stood on the first ten places, and on the page."""
    from benchmarks.data import arguments, opened

    given = arguments(__doc__ or "", {"save": "file to write to, a line a question"})
    with opened(given) as builts, Path(given.save).open("w", encoding="utf-8") as file:
        for built in builts:
            numbers = {each: number for number, each in enumerate(built.ids)}
            ten = built.memories.settings(limit=10, min_score=0.0)
            for question in built.talk.questions:
                answers = [
                    built.memories.recall(question.text, touch=False, settings=each) for each in (ten, None)
                ]
                first, page = ([numbers[hit.memory.id] for hit in each.hits] for each in answers)
                line = {
                    "data": built.talk.data, "store": built.talk.name, "question": question.text,
                    "evidence": sorted(numbers[each] for each in built.answers(question)),
                    "first": first, "page": page,
                }  # fmt: skip
                file.write(json.dumps(line, ensure_ascii=False) + "\n")


def compare(before: Sequence[Line], after: Sequence[Line], *, shown: bool) -> None:
    """Print, a collection a line, where the first ten are the same, and what changed for the evidence."""
    then = {_key(line): line for line in before}
    print("| data | questions | same ten | same order | R@10 before | now | found more | found less |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|")
    lost = []
    for data in dict.fromkeys(line["data"] for line in after):
        pairs = [(then[_key(n)], n) for n in after if n["data"] == data and _key(n) in then]
        if not pairs:
            continue
        shares = [(_share(old), _share(new)) for old, new in pairs]
        lost += [pair for pair, (was, now) in zip(pairs, shares, strict=True) if now < was]
        number = len(pairs)
        cells = [
            number,
            f"{100 * sum(set(old['first']) == set(new['first']) for old, new in pairs) / number:.0f} %",
            f"{100 * sum(old['first'] == new['first'] for old, new in pairs) / number:.0f} %",
            *(f"{100 * sum(each[side] for each in shares) / number:.1f}" for side in (0, 1)),
            sum(now > was for was, now in shares),
            sum(now < was for was, now in shares),
        ]
        print(f"| {data} | {' | '.join(map(str, cells))} |")
    for old, new in lost if shown else ():
        gone = set(old["evidence"]) & set(old["first"]) - set(new["first"])
        print(f"{new['store']}: {new['question']} (gone: {sorted(gone)})")


def _share(line: Line) -> float:
    return len(set(line["evidence"]) & set(line["first"])) / len(line["evidence"])


def _key(line: Line) -> tuple[str, str, tuple[int, ...]]:
    return line["store"], line["question"], tuple(line["evidence"])


if __name__ == "__main__":
    main()
