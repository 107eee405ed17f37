"""Engines: whether a server gives the answers that a file gives.

    python -m benchmarks.engines --data PATH --server postgresql://user@host/database [--only locomo,beam]
                                 [--questions N] [--keep DIR] [--cache DIR]

Each conversation is imported into a file, copied to the server by the very call of `mem copy-store`, and
dropped there at the end: the database must hold no store. Every question, those without an answer too, is
asked of both by default settings, and once more without floor and for ten. Two answers are the same where
place by place the same memory stands, or two whose scores differ by less than TIE: a server keeps vectors
in 16 bits. R@10 is the share of a question's evidence among the first ten. `--questions` asks no more than
so many of each conversation, spread evenly.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from statistics import mean

from benchmarks.conversations import Question
from benchmarks.data import Built, arguments, opened
from memcli.config.config import Config
from memcli.config.location import Address, read_location
from memcli.memories import Memories
from memcli.recall.results import Hit
from memcli.storage.postgres.connection import drop_store
from memcli.storage.stores import open_store
from memcli.upkeep.moving.whole_store import copy_store

# What half a float may turn over, of scores up to 1.
TIE = 2e-3
FIRST = 10
SETTINGS: tuple[Mapping[str, float], ...] = ({}, {"limit": FIRST, "min_score": 0.0, "min_sure": 0.0})


def main() -> None:
    """Ask everything of both and print the table."""
    server = {"server": "address of an empty database"}
    given = arguments(__doc__ or "", server, {"questions": "of each conversation so many; all"})
    place = read_location(given.server)
    if not isinstance(place, Address):
        raise SystemExit(f"{place}: no address of a server")
    tallies: dict[str, Tally] = {}
    with opened(given) as builts:
        for built in builts:
            compare(built, place, tallies.setdefault(built.talk.data, Tally()), int(given.questions or 0))
    print("| data | questions | the same first ten | and their order | R@10 of the file | of the server |")
    print("|---|--:|--:|--:|--:|--:|")
    for data, tally in tallies.items():
        print(f"| {data} | {tally.line()} |")
    for each in (other for tally in tallies.values() for other in tally.different):
        print(f"other answers: {each}")


class Tally:
    """What was counted of the questions of one collection."""

    def __init__(self) -> None:
        self.asked = self.exact = 0
        self.different: list[str] = []
        self.found: tuple[list[float], list[float]] = ([], [])

    def line(self) -> str:
        """The columns of the table."""
        one, other = (f"{100 * mean(each):.2f}" if each else "" for each in self.found)
        same = self.asked - len(self.different)
        return f"{self.asked:,} | {same:,} | {self.exact:,} | {one} | {other}"


def compare(built: Built, place: Address, tally: Tally, most: int = 0) -> None:
    """Ask the questions of a conversation, all or so many, of the file and of a copy of it on a server."""
    path = built.memories.store.path
    assert path is not None
    copy_store(path, place, Config({"MEMCLI_CONFIG": str(path.with_suffix(".none"))}))
    try:
        with closing(open_store(place)) as store:
            there = Memories(store, built.memories.config, built.stores.opened)
            questions = [*built.talk.questions, *built.talk.unanswerable]
            for question in questions[:: max(1, len(questions) // most) if most else 1]:
                _ask(built, there, question, tally)
    finally:
        drop_store(place)


def _ask(built: Built, there: Memories, question: Question, tally: Tally) -> None:
    tally.asked += 1
    same, exact = True, True
    evidence = built.answers(question)
    for number, changes in enumerate(SETTINGS):
        answers = [
            memories.recall(question.text, touch=False, settings=memories.settings(**changes)).hits[:FIRST]
            for memories in (built.memories, there)
        ]
        same &= are_same(*answers)
        exact &= [hit.memory.id for hit in answers[0]] == [hit.memory.id for hit in answers[1]]
        if evidence and number:
            for hits, shares in zip(answers, tally.found, strict=True):
                shares.append(len(evidence & _ids(hits)) / len(evidence))
    tally.exact += exact
    if not same:
        tally.different.append(f"{built.talk.name}: {question.text}")


def are_same(one: Sequence[Hit], other: Sequence[Hit]) -> bool:
    """Whether two answers are the same up to ties."""
    return len(one) == len(other) and all(
        here.memory.id == there.memory.id or abs(here.score - there.score) < TIE
        for here, there in zip(one, other, strict=True)
    )


def _ids(hits: Iterable[Hit]) -> set[str]:
    return {hit.memory.id for hit in hits}


if __name__ == "__main__":
    main()
