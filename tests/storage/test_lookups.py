"""Looking up an SQLite store: the shorter ways find the same, and are taken."""

from __future__ import annotations

import random
from dataclasses import replace

from memcli.memories import Memories
from memcli.model import Filter, Ref
from memcli.storage import Word
from memcli.storage.sqlite.store import SqliteStore
from memcli.storage.sqlite.words import _highest, _highest_of_all, _highest_of_combinations
from memcli.write_policy.drafts import Draft


def _some(chance: random.Random) -> tuple[dict[Word, float], dict[Word, frozenset[Ref]]]:
    """Words with their weights, some of none or alike, and who holds them."""
    words: list[Word] = [((f"word{number}",),) for number in range(chance.randint(2, 8))]
    raw = [chance.choice((0.0, 1.0, chance.random())) for _ in words]
    size = chance.choice((20, 200, 900))
    held = {word: frozenset(chance.sample(range(size), chance.randint(0, size))) for word in words}
    return {word: each / (sum(raw) or 1.0) for word, each in zip(words, raw, strict=True)}, held


def test_the_highest_are_the_same_by_combinations_as_by_each_holder() -> None:
    chance = random.Random(4)
    for case in range(300):
        asked, held = _some(chance)
        rarest = sorted(asked, key=lambda word: len(held[word]))
        sums: dict[Ref, float] = {}
        for word in rarest:
            for ref in held[word]:
                sums[ref] = sums.get(ref, 0.0) + asked[word]
        for size in (1, 7, 400):
            best = sorted(((total, ref) for ref, total in sums.items()), reverse=True)[:size]
            for way in (_highest_of_all, _highest_of_combinations):
                assert way(rarest, asked, held, size) == best, (case, size, way)
            assert _highest(asked, held, size) == best


def test_only_what_has_a_tag_is_looked_at_for_it(memories: Memories) -> None:
    pinned = memories.remember(Draft(text="the pinned one", tags=("pinned",)))
    store = memories.store
    assert isinstance(store, SqliteStore)
    notes = (
        replace(pinned, id=memories.new_id(memories.now()), text=f"note {number}", tags=())
        for number in range(500)
    )
    store.put(notes, None, memories.now())
    where = Filter(spaces=("default",), tags=("pinned",))
    for search in (
        lambda: list(store.select(where)),
        lambda: store.count(where),
        lambda: store._meant(where),
    ):
        steps = [0]

        def count(steps: list[int] = steps) -> int:
            steps[0] += 1
            return 0

        store._db.set_progress_handler(count, 1)
        assert len(search()) == 1
        store._db.set_progress_handler(None, 0)
        assert 0 < steps[0] < 500
