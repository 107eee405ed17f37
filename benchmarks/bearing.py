"""Standing rules: which come along with the questions that they govern, and with those that they do not.

    python -m benchmarks.bearing [--cache DIR] [--shown]

`bearing.txt` has rules of eight languages, each with a question that it governs and one that it does
not, often of the same things. The rules of a set share a store, and each of its questions is asked
there. `others` are the other rules of the store that came along, a question: most of these are
nobody's label. On the set `chosen` the lines were drawn (`Calibration.bearing` and what follows it),
the set `kept` was measured beside it and chose nothing. `--shown` lists what went wrong.
"""

from __future__ import annotations

import tempfile
from collections import defaultdict
from pathlib import Path

from benchmarks.command_line import add_cache, parser_for
from benchmarks.data import Stores
from memcli.memories import Memories
from memcli.model import Memory
from memcli.recall.standing_rules import bearing_memories

_PAIRS = Path(__file__).with_suffix(".txt")


def main() -> None:
    """Ask everything and print a line a set."""
    parser = parser_for(__doc__)
    add_cache(parser)
    parser.add_argument("--shown", action="store_true", help="list what went wrong")
    given = parser.parse_args()
    sets: dict[str, list[tuple[str, str, str]]] = defaultdict(list)
    for line in _PAIRS.read_text("utf-8").splitlines():
        if not line.startswith("#"):
            name, rule, governed, other = line.split(" | ")
            sets[name].append((rule, governed, other))
    with tempfile.TemporaryDirectory(prefix="memcli-benchmark-") as folder:
        stores = Stores(Path(folder), given.cache or Path(folder) / "cache")
        for name, some in sets.items():
            records = [{"text": rule, "kind": "constraint"} for rule, _, _ in some]
            with stores.fill(Path(folder) / f"{name}.db", records) as memories:
                _measure(memories, name, some, shown=given.shown)


def _measure(memories: Memories, name: str, some: list[tuple[str, str, str]], *, shown: bool) -> None:
    right = wrong = others = 0
    for rule, governed, other in some:
        for question, bears in ((governed, True), (other, False)):
            came = [each.text for each in _coming(memories, question)]
            right += bears and rule in came
            wrong += not bears and rule in came
            others += len(came) - (rule in came)
            if shown and bears != (rule in came):
                print(f"{'missed' if bears else 'came'}: {rule} | {question}")
    print(
        f"{name}: {right} of {len(some)} that govern come along, {wrong} of {len(some)} that do not; "
        f"others a question {others / (2 * len(some)):.2f}"
    )


def _coming(memories: Memories, question: str) -> list[Memory]:
    where = memories.within(kinds=("constraint",))
    recall = memories.recall(question, where, settings=memories.settings(min_score=0.0), touch=False)
    return bearing_memories(memories.store, recall.inquiry, where) if recall.inquiry else []


if __name__ == "__main__":
    main()
