"""Mergeable memories: equal in kind, trust and validity, and saying the same."""

from __future__ import annotations

from collections.abc import Sequence

from memcli.model import KNOWLEDGE, Memory
from memcli.text.comparison.duplicates import compare_texts, text_key
from memcli.text.task_items import is_over

# No cosine is safe by itself; from this one on texts differ by little more than spelling.
NEARLY_IDENTICAL = 0.97


def merge_key(memory: Memory) -> tuple[object, ...]:
    """Return what mergeable memories have in common, besides what they say.

    That is the kind, the trust, the validity, and whether a task is over.
    """
    return (memory.kind, memory.trusted, memory.valid_from, memory.valid_until, is_over(memory.tags))


def are_mergeable(some: Sequence[Memory]) -> bool:
    """True if these may be merged; a plan may be wrong about it."""
    return len(set(map(merge_key, some))) == 1 and some[0].kind in KNOWLEDGE and all_alike(some)


def all_alike(some: Sequence[Memory]) -> bool:
    """True if each says the same as each other: similarity is not transitive. Equal texts are read once."""
    texts = list({text_key(text): text for text in dict.fromkeys(each.text for each in some)}.values())
    return all(_alike(one, other) for one in texts for other in texts if one is not other)


def _alike(one: str, other: str) -> bool:
    return compare_texts(one, other, NEARLY_IDENTICAL).verdict == "same"
