"""The texts of the benchmarks, made up and real, and stores full of them."""

from __future__ import annotations

import csv
import json
import random
from collections.abc import Iterator
from pathlib import Path

# So many of a store have vectors of the model.
EMBEDDED = 4_000

# fmt: off
_WHO = ("the staging server", "the build machine", "my sister", "our landlord", "the router", "the bakery",
        "the payroll system", "my bicycle", "the team", "the printer", "my dentist", "the database")
_DID = ("listens on", "was moved to", "prefers", "has asked for", "ran out of", "forgot", "sends mail about",
        "was delayed by", "is waiting for", "has paid for", "depends on", "never mentions")
_WHAT = ("a port", "green tea", "the spring timetable", "an old password", "two spare keys", "a quiet room",
         "the monthly invoice", "fresh bread", "the winter tyres", "a backup", "its licence", "a new release")
# fmt: on


def make_store(path: Path, cache: Path, size: int) -> None:
    """Fill a new store; see the module about its sentences and vectors."""
    import numpy as np

    from memcli.config.config import Config
    from memcli.memories import open_memories
    from memcli.model import Change
    from memcli.storage.batches import in_batches
    from memcli.write_policy.direct import put_embedded
    from memcli.write_policy.drafts import Draft, new_memory

    chance = np.random.default_rng(1)
    config = Config({"MEMCLI_CACHE_DIR": str(cache), "MEMCLI_CONFIG": str(path.with_suffix(".toml"))})
    with open_memories(path, config=config) as memories:
        texts = list(made_up(size))
        real = np.concatenate(list(memories.model.open().documents(texts[:EMBEDDED])))
        for numbers in in_batches(range(size), 2000):
            vectors = real[np.array(numbers) % len(real)]
            if numbers[0] >= len(real):
                vectors = vectors + chance.normal(0, 0.02, vectors.shape).astype(np.float32)
                vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
            kept = [new_memory(memories, Draft(text=texts[number])) for number in numbers]
            known = {one.id: [vector.tobytes()] for one, vector in zip(kept, vectors, strict=True)}
            put_embedded(memories, memories.model, kept, Change(action="add", actor="batch"), known)


def made_up(size: int) -> Iterator[str]:
    """Different sentences, always the same ones."""
    chance = random.Random(1)
    for number in range(size):
        who, did, what = (chance.choice(words) for words in (_WHO, _DID, _WHAT))
        yield f"{who[0].upper()}{who[1:]} {did} {what}, note {number}."


def sentences(data: Path) -> list[str]:
    """Distinct real sentences: turns of LoCoMo, then the STS benchmark."""
    talks = json.loads((data / "locomo-dev" / "locomo-0-4.json").read_text(encoding="utf-8"))
    sessions = (part for talk in talks for part in talk["conversation"].values() if isinstance(part, list))
    texts = [f"{turn['speaker']}: {turn['text']}" for session in sessions for turn in session]
    with (data / "sts" / "stsb-en-train.csv").open(encoding="utf-8", newline="") as file:
        texts += [text for first, second, _ in csv.reader(file) for text in (first, second)]
    return list(dict.fromkeys(" ".join(text.split()) for text in texts if text.strip()))
