"""Speed of the graph, in process: a space of 5,000 entities and 20,000 links.

    python -m benchmarks.graph [--entities 5000] [--links 20000] [--runs 20]

Each row is the median of so many runs, each with a graph that has read nothing
yet, in CPU time (neighbours on the machine count less); `read` is the part of
SQLite and of decoding. It asserts nothing. In one space links end anywhere, in
the other at hubs (drawn with weight 1 / rank), so that four hops reach nearly
all. Stores are made in a temporary directory.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from itertools import accumulate
from pathlib import Path
from statistics import median

from memcli import ids
from memcli.graph import drawing
from memcli.graph.questions import facts_about, mentioned_entities
from memcli.graph.walk import Graph, Lens
from memcli.model import Link
from memcli.storage import Store
from memcli.storage.stores import open_store
from memcli.views.picture.svg import draw_svg

NOW = datetime(2026, 5, 3, tzinfo=UTC)
RELATIONS = ("knows", "works_at", "lives_in", "part_of", "depends_on", "owns", "made", "likes")
SPACE = "default"


def main() -> None:
    """Make the store, measure each row, print the table."""
    parser = argparse.ArgumentParser("python -m benchmarks.graph", description="Speed of the graph.")
    parser.add_argument("--entities", type=int, default=5_000)
    parser.add_argument("--links", type=int, default=20_000)
    parser.add_argument("--runs", type=int, default=20)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="memcli-graph-") as folder:
        store, empty = open_store(Path(folder) / "graph.db"), open_store(Path(folder) / "empty.db")
        store.put_links(links(given.entities, given.links))
        even = open_store(Path(folder) / "even.db")
        even.put_links(links(given.entities, given.links, even=True))
        thousand = open_store(Path(folder) / "thousand.db")
        thousand.put_links(links(1_000, 1_500))
        print(f"median of {given.runs}, {os.cpu_count()} cores, Python {sys.version.split()[0]}\n")
        print("| what | links seen | CPU ms | of it read |\n|---|--:|--:|--:|")
        for what, work in rows(store, even, empty, thousand, given.entities).items():
            print(line(what, work, given.runs), flush=True)


def rows(
    store: Store, even: Store, empty: Store, thousand: Store, entities: int
) -> dict[str, Callable[[], tuple[int, float]]]:
    """What is measured: each gives the links it came to and the seconds spent reading."""
    usual, rare, last = f"entity {entities // 20}", f"entity {entities // 2}", f"entity {entities - 1}"

    def around(name: str, hops: int, *, within: Store = store, drawn: bool = False) -> tuple[int, float]:
        graph = Timed(within)
        walk = graph.walk_from(graph.key(name), hops)
        if drawn:
            sum(len(each) for each in drawing.draw_tree(walk, {}))
        return len(walk.hops), graph.seconds

    def path(start: str, goal: str) -> tuple[int, float]:
        graph = Timed(store)
        walk = graph.path(graph.key(start), graph.key(goal), 10)
        return len(walk.hops) if walk else 0, graph.seconds

    def recalled(asked: Store, query: str) -> tuple[int, float]:
        graph = Timed(asked)
        return len(facts_about(graph, mentioned_entities(graph, query))), graph.seconds

    def listed() -> tuple[int, float]:
        graph = Timed(store)
        return len(graph.entities()), graph.seconds

    def pictured() -> tuple[int, float]:
        graph = Timed(thousand)
        walk = graph.whole()
        sum(len(each) for each in draw_svg(walk, {}))
        return len(walk.hops), graph.seconds

    query = f"which of the three cities did {rare} live in before they moved?"
    return {
        "links drawn evenly: around one, 3 hops": lambda: around(usual, 3, within=even),
        "the same, 4 hops": lambda: around(usual, 4, within=even),
        "with hubs: around the greatest, 1 hop": lambda: around("entity 0", 1),
        "around one, 2 hops": lambda: around(usual, 2),
        "around one, 3 hops": lambda: around(usual, 3),
        "around one, 4 hops": lambda: around(usual, 4),
        "the same, drawn as a tree": lambda: around(usual, 4, drawn=True),
        "path between two of few links": lambda: path(rare, last),
        "list of all entities": listed,
        "facts of who is named in a query": lambda: recalled(store, query),
        "the same, no links in the store": lambda: recalled(empty, query),
        "1,000 entities, laid out and drawn as SVG": pictured,
    }


class Timed(Graph):
    """A graph that knows how long it read."""

    def __init__(self, store: Store) -> None:
        self.seconds = 0.0
        super().__init__(store, SPACE, Lens.at(NOW))

    def _store_links(self, keys: object) -> list[Link]:
        started = time.process_time()
        try:
            return super()._store_links(keys)  # type: ignore[arg-type]
        finally:
            self.seconds += time.process_time() - started


def links(entities: int, number: int, *, even: bool = False) -> list[Link]:
    """Links between numbered entities, always the same ones: to any of them, or rather to hubs."""
    chance = random.Random(5)
    new_id = ids.id_source()
    names = [f"entity {rank}" for rank in range(entities)]
    weights = list(accumulate(1.0 if even else 1 / (rank + 10) for rank in range(entities)))
    made = []
    for number_ in range(number):
        subject = names[number_ % entities]  # everybody has some
        [obj] = chance.choices(names, cum_weights=weights)
        relation = chance.choice(RELATIONS)
        made.append(
            Link(new_id(NOW), SPACE, subject, relation, obj, None, 1.0, None, None, NOW, None, {})
        )  # fmt: skip
    return made


def line(what: str, work: Callable[[], tuple[int, float]], runs: int) -> str:
    """One row of the table."""
    seen, seconds, reading = 0, [], []
    for _ in range(runs):
        started = time.process_time()
        seen, read = work()
        seconds.append(time.process_time() - started)
        reading.append(read)
    return f"| {what} | {seen:,} | {median(seconds) * 1000:.1f} | {median(reading) * 1000:.1f} |"


if __name__ == "__main__":
    main()
