"""Equal texts: group memories with the same text in one pass, without comparing pairs."""

from __future__ import annotations

from collections.abc import Iterable

from memcli.consolidation.mergeable import merge_key
from memcli.model import Memory
from memcli.text.comparison.duplicates import text_key


def equal_texts(memories: Iterable[Memory]) -> list[list[Memory]]:
    """Return groups (two or more) of mergeable memories that differ in case and punctuation at most.

    Groups and their members are in the order given. Texts are tokenised, which is slow, only if they have
    the same letters; the few that are written differently ("5 pm", "17:00") are found by their vectors.
    """
    by_letters: dict[tuple[object, ...], list[Memory]] = {}
    for memory in memories:
        letters = "".join(filter(str.isalnum, memory.text.casefold()))
        by_letters.setdefault((*merge_key(memory), letters), []).append(memory)
    found: list[list[Memory]] = []
    for some in by_letters.values():
        by_key: dict[str, list[Memory]] = {}
        for memory in some if len(some) > 1 else ():
            by_key.setdefault(text_key(memory.text), []).append(memory)
        found += [group for group in by_key.values() if len(group) > 1]
    return found
