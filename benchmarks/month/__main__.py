"""A month of one person's notes: what questions about them find, and what is told as they are written.

    python -m benchmarks.month [PERSON ...] [--cache DIR] [--shown]

The notes of each person (a folder) are kept by the days on which they were written, with a night after the
13th and one after the last. A note says which lines it `replaces`, and which it `settles`; Marlene's do not.
A question has the patterns of what answers it (each of several, of a list), none where no note does, and one
of what is stale by then.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.command_line import add_cache, parser_for
from benchmarks.json_lines import read_json_lines
from benchmarks.updates import run_mem
from memcli.config.config import Config
from memcli.memories import open_memories
from memcli.recall.results import Hit

HERE = Path(__file__).parent
PEOPLE = ("marlene", "declan", "ilse")
VERDICTS = ("right", "right, weak", "lower", "in part", "wrong, weak", "wrong, sure", "refused")
_FIRST_NIGHT, _DAYS = 13, 30


class Told(NamedTuple):
    """How many notes were told to contradict an earlier one as they were written."""

    notes: int
    rightly: int
    """Of these, such as replace or settle just that one."""
    replacing: int
    """All that replace one."""


def main() -> None:
    """Keep the notes, ask the questions, print what came of them by kind."""
    parser = parser_for(__doc__)
    parser.add_argument(
        "people", nargs="*", metavar="PERSON", help=f"of {', '.join(PEOPLE)}; all if none is named"
    )
    add_cache(parser)
    parser.add_argument("--shown", action="store_true", help="list what was not right first and sure")
    given = parser.parse_args()
    for person in given.people or PEOPLE:
        with tempfile.TemporaryDirectory(prefix="memcli-benchmark-") as folder:
            settings = {
                "HOME": folder,
                "MEMCLI_DB": f"{folder}/m.db",
                "MEMCLI_CONFIG": f"{folder}/config.toml",
            }
            settings["MEMCLI_CACHE_DIR"] = str(given.cache or f"{folder}/cache")
            told = keep(HERE / person, settings)
            counts: dict[str, Counter[str]] = {}
            for question, verdict, hits in asked(HERE / person, settings):
                counts.setdefault(question["kind"], Counter())[verdict] += 1
                if given.shown and verdict != "right":
                    best = [hit.memory.text[:70] for hit in hits[:3]]
                    print(f"{verdict}: {question['question']} {question['wanted']} -> {best}")
        print(f"\n{person}: {told.notes} told to contradict another, {told.rightly} rightly; ", end="")
        print(f"{told.replacing} replace one\n\n| kind | {' | '.join(VERDICTS)} |")
        print(f"|---|{'--:|' * len(VERDICTS)}")
        counts["all"] = sum(counts.values(), Counter())
        for kind, each in counts.items():
            print(f"| {kind} | {' | '.join(str(each[verdict]) for verdict in VERDICTS)} |", flush=True)


def keep(folder: Path, settings: dict[str, str]) -> Told:
    """Write the notes, each day's together, with two nights; what was told of them."""
    notes = read_json_lines(folder / "notes.jsonl")
    begin = datetime.now(UTC) - timedelta(days=_DAYS)
    told = rightly = 0
    line_of: dict[str, int] = {}
    for day in sorted({note["day"] for note in notes}):
        when = (begin + timedelta(days=day - 1)).isoformat()
        lines = [number for number, note in enumerate(notes, 1) if note["day"] == day]
        typed = [{"text": notes[number - 1]["text"], "happened_at": when} for number in lines]
        said = run_mem(settings, "remember", "--batch", "--json", typed=typed)
        for number, answer in zip(lines, map(json.loads, said.splitlines()), strict=True):
            if "id" in answer:  # else it was refused
                line_of.setdefault(answer["id"], number)
            against = {line_of.get(each) for each in (answer.get("decision") or {}).get("contradicts", ())}
            note = notes[number - 1]
            told += bool(against)
            rightly += not against.isdisjoint([*note.get("replaces", ()), *note.get("settles", ())])
        if day == _FIRST_NIGHT:
            run_mem(settings, "consolidate", "--yes")
    run_mem(settings, "consolidate", "--yes")
    return Told(told, rightly, sum(bool(note.get("replaces")) for note in notes))


def asked(folder: Path, settings: dict[str, str]) -> Iterator[tuple[dict[str, Any], str, Sequence[Hit]]]:
    """Each question with what came of it and what was shown."""
    with open_memories(config=Config(settings), create=False) as memories:
        for question in read_json_lines(folder / "questions.jsonl"):
            answer = memories.recall(question["question"], touch=False)
            yield question, verdict_of(question, answer.hits, is_weak=answer.weak), answer.hits


def verdict_of(question: dict[str, Any], hits: Sequence[Hit], *, is_weak: bool) -> str:
    """What came of a question; of one that nothing answers to be refused is right."""
    texts = [hit.memory.text for hit in hits]
    if not texts:
        return "refused" if question["wanted"] else "right"
    wrong = "wrong, weak" if is_weak else "wrong, sure"
    places = [_place(pattern, texts) for pattern in question["wanted"]]
    found = [place for place in places if place is not None]
    stale = _place(question["stale"], texts) if question["stale"] else None
    if not found or (stale is not None and stale < found[0]):
        return wrong
    if len(found) < len(places):
        return "in part"
    if len(places) == 1 and found[0]:
        return "lower"
    return "right, weak" if is_weak else "right"


def _place(pattern: str, texts: Sequence[str]) -> int | None:
    return next((place for place, text in enumerate(texts) if re.search(pattern, text, re.IGNORECASE)), None)


if __name__ == "__main__":
    main()
