"""Answers: of questions about somebody's notes, which are refused, answered weakly, answered as sure.

    python -m benchmarks.answers --data PATH [--people 2] [--cache DIR] [--shown]

`PATH` is a folder with a pair of files a person: `notes-NAME.jsonl` ({text}) and
`questions-NAME.jsonl` ({text, answer}: the place of the note that answers, from 0,
a list of places, or null where none does; a statement such as "I'm setting up the
CI" is answered by the note that bears on it). Each store holds the notes of
`--people` people (every choice of so many), and is asked

    answerable    their questions that a note answers
    unanswerable  their questions that none does: of what the notes do not tell of them
    foreign       everybody else's answerable questions

through `Memories.recall`, by default settings. `held` is the share of the
answerable ones that have an answering note among the hits shown. `--shown`
lists the answerable that are refused and the unanswerable that are sure.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.command_line import add_cache, parser_for
from benchmarks.conversations import Conversation, Question, Record
from benchmarks.data import Built, Stores
from benchmarks.json_lines import read_json_lines

GROUPS = ("answerable", "unanswerable", "foreign")
OUTCOMES = ("refused", "weak", "sure")


class Person(NamedTuple):
    """Somebody's notes, and what is asked of them."""

    name: str
    notes: Sequence[Record]
    questions: Sequence[dict[str, Any]]


def main() -> None:
    """Ask everything and print the table."""
    parser = parser_for(__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of notes and questions")
    parser.add_argument("--people", type=int, default=2, help="people whose notes share a store")
    add_cache(parser)
    parser.add_argument("--shown", action="store_true", help="list what went wrong")
    given = parser.parse_args()
    people = list(load(given.data))
    if len(people) < given.people:
        raise SystemExit(f"{given.data}: {len(people)} people's notes lie there")
    counts: Counter[tuple[str, str]] = Counter()
    wrong: Counter[str] = Counter()
    with tempfile.TemporaryDirectory(prefix="memcli-benchmark-") as folder:
        stores = Stores(Path(folder), given.cache or Path(folder) / "cache")
        for some in combinations(people, given.people):
            built = stores.build(_together(some))
            others = [each for each in people if each not in some]
            for group, question in _questions(built, others):
                outcome, held = ask(built, question)
                counts[group, outcome] += 1
                counts[group, "held"] += held
                if (group, outcome) in (("answerable", "refused"), ("unanswerable", "sure")):
                    wrong[f"{outcome}: {question.text}"] += 1
            built.memories.close()
    _print(counts)
    for said, times in wrong.most_common() if given.shown else ():
        print(f"{times} x {said}")


def load(folder: Path) -> Iterator[Person]:
    """Everybody whose notes and questions lie in a folder, by name."""
    for path in sorted(folder.glob("notes-*.jsonl")):
        name = path.stem.removeprefix("notes-")
        yield Person(name, read_json_lines(path), read_json_lines(folder / f"questions-{name}.jsonl"))


def _together(people: Sequence[Person]) -> Conversation:
    """The notes of these people as one store's records, with their questions."""
    talk = Conversation("notes-" + "-".join(each.name for each in people), "notes")
    for person in people:
        first = len(talk.records)
        talk.records += [{"text": note["text"]} for note in person.notes]
        for asked in person.questions:
            evidence = frozenset(first + place for place in _places(asked["answer"]))
            question = Question(asked["text"], evidence, person.name)
            (talk.questions if evidence else talk.unanswerable).append(question)
    return talk


def _places(answer: int | list[int] | None) -> list[int]:
    return [] if answer is None else [answer] if isinstance(answer, int) else answer


def _questions(built: Built, others: Sequence[Person]) -> Iterator[tuple[str, Question]]:
    yield from (("answerable", question) for question in built.talk.questions)
    yield from (("unanswerable", question) for question in built.talk.unanswerable)
    for person in others:
        asked = (each["text"] for each in person.questions if each["answer"] is not None)
        yield from (("foreign", Question(text, frozenset(), person.name)) for text in asked)


def ask(built: Built, question: Question) -> tuple[str, bool]:
    """What becomes of a question, and whether a note that answers it is shown."""
    answer = built.memories.recall(question.text, touch=False)
    shown = {hit.memory.id for hit in answer.hits}
    outcome = "refused" if not shown else "weak" if answer.weak else "sure"
    return outcome, bool(shown & built.answers(question))


def _print(counts: Counter[tuple[str, str]]) -> None:
    print(f"| questions | asked | {' | '.join(f'{each} %' for each in (*OUTCOMES, 'held'))} |")
    print("|---|--:|" + "--:|" * (len(OUTCOMES) + 1))
    for group in GROUPS:
        asked = sum(counts[group, outcome] for outcome in OUTCOMES)
        shares = [100 * counts[group, each] / max(asked, 1) for each in (*OUTCOMES, "held")]
        print(f"| {group} | {asked} | {' | '.join(f'{share:.1f}' for share in shares)} |")


if __name__ == "__main__":
    main()
