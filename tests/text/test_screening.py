"""Pairs that need no reading are told by bounds, and no finding is lost by it."""

from __future__ import annotations

import random
from pathlib import Path

import benchmarks
from memcli.text.comparison.duplicates import compare_texts, text_key
from memcli.text.comparison.screening import TextSketch, may_be_same

LISTS = ("changes.txt", "contradictions.txt", "everyday.txt")


def pairs() -> list[tuple[str, str, float]]:
    """What stands side by side in the lists, each way round, and as many pairs drawn from all of them."""
    chance = random.Random(1)
    found = []
    for path in map(Path(benchmarks.__file__).with_name, LISTS):
        for line in path.read_text(encoding="utf-8").splitlines():
            parts = [part.strip() for part in line.split("|") if part.strip()]
            if not line.startswith("#"):
                found += [(a, b) for a in parts for b in parts if a != b]
    texts = [text for pair in found for text in pair]
    found += [(chance.choice(texts), chance.choice(texts)) for _ in range(len(found))]
    return [(a, b, chance.uniform(0.25, 1.0)) for a, b in found]


def test_no_pair_that_says_the_same_is_screened_out() -> None:
    lost, passed, every = [], 0, pairs()
    for new, old, cosine in every:
        same = may_be_same(TextSketch(new), TextSketch(old), cosine)
        passed += same
        if not same and compare_texts(new, old, cosine).verdict == "same":
            lost.append((new, old, cosine))
    assert lost == []
    assert len(every) > 1000 and passed < len(every)


def test_the_key_of_a_text_is_its_own_whatever_its_case_spacing_and_punctuation() -> None:
    assert text_key("The shop closes at 5 pm.") == text_key("the  shop closes at 17:00")
    different = ["The shop closes", "The shop closes?", "C", "C++", "-5", "5", "`ruff`", "ruff", "!", ""]
    assert len({text_key(text) for text in different}) == len(different)
