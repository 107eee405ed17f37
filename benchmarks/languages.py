"""Memories in other languages than English: questions in and across six of them, by each model.

    python -m benchmarks.languages [--cache PATH] [--model NAME …]

Of the 25 things in `languages.txt` each is kept in one language at a time. *In*: six stores, one a
language, all of it asked in that language: 150 pairs. *Across*: one store in which each thing is
kept in one of the six in turn, asked in all of them: 150 pairs, 125 of which cross. Asked by
what `mem recall` runs, with its floor; the model calibrated on all 150 memories, as in a store of that size.
`first`, `three`: what is meant is first, or among three; `none`: nothing was shown. `cosine`: the
same first by cosine alone.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np

from memcli.config.config import Config
from memcli.embedding import Embedder, open_embedder
from memcli.embedding.models import DEFAULT_NAME, MULTILINGUAL_NAME
from memcli.memories import Memories
from memcli.model import Filter
from memcli.storage.stores import open_store
from memcli.times import now
from memcli.upkeep.calibrate import calibrate_floor
from memcli.write_policy.direct import put_embedded
from memcli.write_policy.drafts import Draft, new_memory

_PAIRS = Path(__file__).with_suffix(".txt")


class Pair(NamedTuple):
    """One thing in one language, as it is kept and as it is asked for."""

    language: str
    memory: str
    question: str


class Asked(NamedTuple):
    """A question, its language, that of the memory that is meant, and that memory's text."""

    question: str
    language: str
    kept_in: str
    meant: str


def read_things() -> list[list[Pair]]:
    """The things, each in every language."""
    blocks = _PAIRS.read_text(encoding="utf-8").split("\n\n")[1:]
    return [[_pair(line) for line in block.strip().splitlines()] for block in blocks]


def _pair(line: str) -> Pair:
    language, rest = line.split(" ", 1)
    memory, question = rest.split(" | ")
    return Pair(language, memory, question)


def stores(things: Sequence[Sequence[Pair]]) -> Iterator[tuple[str, list[str], list[Asked]]]:
    """(in or across, what is kept, what is asked) of each store."""
    for number in range(len(things[0])):
        pairs = [thing[number] for thing in things]
        asked = [Asked(pair.question, pair.language, pair.language, pair.memory) for pair in pairs]
        yield "in", [pair.memory for pair in pairs], asked
    kept = [thing[place % len(thing)] for place, thing in enumerate(things)]
    across = [
        Asked(pair.question, pair.language, one.language, one.memory)
        for one, thing in zip(kept, things, strict=True)
        for pair in thing
    ]
    yield "across", [one.memory for one in kept], across


def _filled(folder: Path, name: str, model: Embedder, texts: Sequence[str]) -> Memories:
    """A store with these texts just as they are, past the write policy."""
    own = {"MEMCLI_CONFIG": str(folder / "none"), "MEMCLI_MODEL": model.identity.name}
    memories = Memories(open_store(folder / f"{name}.db"), Config(own), lambda _: model)
    drafts = [new_memory(memories, Draft(text=text)) for text in texts]
    put_embedded(memories, memories.model, drafts, memories.change("import"))
    return memories


def measure(model: Embedder, folder: Path) -> dict[tuple[str, str], list[tuple[bool, bool, bool, bool]]]:
    """Of each question, by kind of store and by language: first, among three, none shown, first by cosine."""
    things = read_things()
    every = [pair.memory for pair in chain.from_iterable(things)]
    with _filled(folder, "all", model, every) as whole:
        if model.identity.name != DEFAULT_NAME:
            calibrate_floor(whole)
        fitted = whole.settings()
    found: dict[tuple[str, str], list[tuple[bool, bool, bool, bool]]] = {}
    for number, (kind, texts, asked) in enumerate(stores(things)):
        vectors = np.concatenate([each[:1] for each in model.documents(texts)])
        with _filled(folder, f"{number}", model, texts) as memories:
            for each in asked:
                hits = memories.recall(each.question, Filter(at=now()), settings=fitted, touch=False).hits
                shown = [hit.memory.text for hit in hits]
                nearest = texts[int((vectors @ model.queries([each.question])[0]).argmax())]
                crosses = "the same" if each.language == each.kept_in else "crossing"
                row = (shown[:1] == [each.meant], each.meant in shown[:3], not shown, nearest == each.meant)
                for what in (each.language, crosses, "all"):
                    found.setdefault((kind, what), []).append(row)
    return found


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--cache", type=Path, default=Config()["cache_dir"])
    parser.add_argument("--model", nargs="+", default=[DEFAULT_NAME, MULTILINGUAL_NAME])
    given = parser.parse_args()
    print("| model | | questions | first | three | none | cosine |\n|---|---|--:|--:|--:|--:|--:|")
    for name in given.model:
        with tempfile.TemporaryDirectory() as folder:
            found = measure(open_embedder(name, given.cache, print), Path(folder))
        for (kind, what), rows in sorted(found.items()):
            if (kind, what) in (("in", "the same"),):
                continue
            figures = " | ".join(f"{100 * value:.0f}" for value in np.mean(rows, axis=0))
            print(f"| {name} | {kind}: {what} | {len(rows)} | {figures} |")


if __name__ == "__main__":
    main()
