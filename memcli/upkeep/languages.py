"""Languages of a store: advise another model if most memories are not in the default model's language."""

from __future__ import annotations

from memcli.embedding.models import DEFAULT_NAME, MULTILINGUAL_NAME
from memcli.memories import Memories
from memcli.messages import Command, message
from memcli.model import Filter
from memcli.text.asking import is_foreign

# How many of the newest memories are looked at, and the fewest for which advice is given.
_NEWEST, FEWEST = 60, 10
ADVICE = message(
    f"{DEFAULT_NAME} learned English alone; in other languages {MULTILINGUAL_NAME} finds more: "
    "pip install 'memcli[multilingual]', then ",
    Command(f"model use {MULTILINGUAL_NAME}"),
)


def wants_another_model(memories: Memories) -> bool:
    """True if most of the newest memories are not in English, and the model is the English default one."""
    bound = memories.store.model()
    if bound is None or not bound.is_default:
        return False
    texts = [memory.text for memory in memories.store.select(Filter(spaces=None), limit=_NEWEST)]
    return len(texts) >= FEWEST and 2 * sum(map(is_foreign, texts)) > len(texts)


def crosses(before: int, after: int) -> bool:
    """True if a write brings a store to the size at which advice is given, so that it is given once."""
    return before < FEWEST <= after
