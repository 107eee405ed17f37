"""Pairs of one author's statements that merely stand near each other.

Who writes pairs for a judge writes hard ones. A store is full of easy ones, which share a weekday, a name or
a subject, and each new statement is judged beside its nearest. A judge that has seen none of them takes one
of seven for an update (docs/measured.md). And where one person's notes are dense ("I avoid …" a dozen
times), the nearest are near indeed, and hold all the same: those are written as whole stores.
"""

from __future__ import annotations

import json
import random
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.judges.labels import UNRELATED, Pair
from benchmarks.judges.model import Model

# So near (cosine) are those that are judged at all and share no more than a subject. What is nearer still may
# be a repetition that its author did not think of.
_NEAR, _TOO_NEAR = 0.2, 0.7
# Of each statement the nearest, and one more of so many.
_AMONG = 40
_SEED = 5
# Taught are so many. With 4,000 a judge finds more updates (48 % at a precision of 80 among the pairs of
# authors, 36 with 12,000) and takes more that is unrelated for one (2.3 %, 0.7).
_MOST = 6000
# Of each note of a store so many of the nearest.
_NEAREST = 3
# Of each turn of a conversation so many of the nearest before it, and so many of them all.
_NEAREST_TURNS, _MOST_TURNS = 2, 6000


def stated_pairs(folder: Path, model: Model) -> list[Pair]:
    """Of all authors in a folder statements that stand near each other, two at a time; both hold."""
    return [*_unrelated(folder, model), *_pairs_of_stores(folder, model), *_pairs_of_talk(folder, model)]


def _unrelated(folder: Path, model: Model) -> list[Pair]:
    """Two of an author's statements at a time."""
    chance = random.Random(_SEED)
    found = {}
    for author in sorted(folder.iterdir()):
        for newer, older in _near(*_statements(author), model, chance):
            found[newer, older] = Pair(newer, older, author.name.split(".")[0], UNRELATED, "both")
    return chance.sample(list(found.values()), _MOST)


def _pairs_of_stores(folder: Path, model: Model) -> list[Pair]:
    """Two near notes of one person at a time, of stores whose notes all hold at once; each once."""
    chance = random.Random(_SEED)
    found: dict[frozenset[str], Pair] = {}
    for author in sorted(folder.iterdir()):
        stores = defaultdict(list)
        for record in _records(author / "store.jsonl"):
            stores[record["person"]].append(record["text"])
        for notes in stores.values():
            vectors, _ = model.read(notes)
            cosines = vectors @ vectors.T
            np.fill_diagonal(cosines, -1)
            for row, note in enumerate(notes):
                for other in np.argsort(-cosines[row])[:_NEAREST]:
                    newer, older = chance.sample([note, notes[other]], 2)
                    pair = Pair(newer, older, author.name, UNRELATED, "both")
                    found.setdefault(frozenset({newer, older}), pair)
    return list(found.values())


def _pairs_of_talk(folder: Path, model: Model) -> list[Pair]:
    """Two near turns of one conversation at a time: who talks thanks and praises in the same words again.

    What a turn repeats or changes of an earlier one its author says, and such pairs are left out.
    """
    chance = random.Random(_SEED)
    found: dict[frozenset[str], Pair] = {}
    for author in sorted(folder.iterdir()):
        for turns, related in _conversations(author):
            vectors, _ = model.read(turns)
            cosines = vectors @ vectors.T
            for row, turn in enumerate(turns):
                before = [each for each in np.argsort(-cosines[row, :row]) if cosines[row, each] >= _NEAR]
                for other in before[:_NEAREST_TURNS]:
                    if (row, int(other)) not in related and turns[other] != turn:
                        pair = Pair(turn, turns[other], author.name, UNRELATED, "both")
                        found.setdefault(frozenset({turn, turns[other]}), pair)
    return chance.sample(list(found.values()), min(_MOST_TURNS, len(found)))


def _conversations(author: Path) -> Iterator[tuple[list[str], set[tuple[int, int]]]]:
    """The turns of each conversation, and which of two places says or changes what the other says.

    Of a chat with an assistant its user's alone. Every other conversation names its speakers.
    """
    chats = defaultdict(list)
    for record in _records(author / "chats.jsonl"):
        if record["role"] == "user":
            chats[str(record["chat"])].append(record["text"])
    for turns in chats.values():
        yield turns, set()
    talks = defaultdict(list)
    for record in _records(author / "talk.jsonl"):
        talks[int(record["talk"])].append(record)
    for number, records in talks.items():
        named = number % 2 == 1
        turns = [f"{each['speaker']}: {each['text']}" if named else each["text"] for each in records]
        yield (
            turns,
            {
                (place, int(other))
                for place, each in enumerate(records)
                for other in (*each["repeats"], *each["changes"])
            },
        )


def _statements(author: Path) -> tuple[list[str], dict[str, set[str]]]:
    """What an author states for good; and of each text that is in a pair, the others of its pairs."""
    partners = defaultdict(set)
    for record in _records(author / "pairs.jsonl"):
        partners[record["a"]].add(record["b"])
        partners[record["b"]].add(record["a"])
    stated = [each["text"] for each in _records(author / "statements.jsonl") if each["state"] == "lasting"]
    return list(dict.fromkeys([*partners, *stated])), partners


def _near(
    texts: list[str], partners: dict[str, set[str]], model: Model, chance: random.Random
) -> Iterator[tuple[str, str]]:
    vectors, _ = model.read(texts)
    cosines = vectors @ vectors.T
    np.fill_diagonal(cosines, -1)
    for row, text in enumerate(texts):
        near = [
            texts[other]
            for other in np.argsort(-cosines[row])[:_AMONG]
            if _NEAR <= cosines[row, other] <= _TOO_NEAR and texts[other] not in partners.get(text, ())
        ]
        for other in (*near[:1], *chance.sample(near[1:], min(1, len(near[1:])))):
            yield (text, other) if chance.random() < 0.5 else (other, text)


def _records(file: Path) -> Iterator[dict[str, Any]]:
    if file.exists():
        yield from map(json.loads, file.read_text(encoding="utf-8").splitlines())
