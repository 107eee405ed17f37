"""What may become one memory: what holds alike, and says the same."""

from __future__ import annotations

from collections.abc import Sequence

from memcli.model import KNOWLEDGE, Memory
from memcli.text.comparison.duplicates import compare_texts, text_key
from memcli.text.task_items import is_over

# No threshold of cosine is safe by itself; from here on the texts differ by little more than spelling.
NEARLY_IDENTICAL = 0.97


def merge_key(memory: Memory) -> tuple[object, ...]:
    """What memories have in common that may be merged, whatever they say.

    Their kind, their trust, when they are true, and whether what is to be done is done.
    """
    return (memory.kind, memory.trusted, memory.valid_from, memory.valid_until, is_over(memory.tags))


def are_mergeable(some: Sequence[Memory]) -> bool:
    """Whether these may become one: a plan may say so and be wrong."""
    return len(set(map(merge_key, some))) == 1 and some[0].kind in KNOWLEDGE and all_alike(some)


def all_alike(some: Sequence[Memory]) -> bool:
    """Whether of a group each says the same as each: likeness does not add up. Of equal texts one is read."""
    texts = list({text_key(text): text for text in dict.fromkeys(each.text for each in some)}.values())
    return all(_alike(one, other) for one in texts for other in texts if one is not other)


def _alike(one: str, other: str) -> bool:
    return compare_texts(one, other, NEARLY_IDENTICAL).verdict == "same"
