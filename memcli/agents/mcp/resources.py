"""Resources that a client may read by address: the context, the blocks, a memory."""

from __future__ import annotations

from urllib.parse import quote, unquote

from memcli.errors import NotFound
from memcli.memories import Memories
from memcli.named_tuple import NamedTuple

CONTEXT_URI = "memory://context"
_BLOCK, _ITEM = "memory://block/", "memory://item/"
TEMPLATES = {
    f"{_BLOCK}{{name}}": ("block", "A small text that always comes along, by its label."),
    f"{_ITEM}{{id}}": ("memory", "A memory with all its fields as JSON, by its id or the tail of it."),
}


class Contents(NamedTuple):
    """A text and its media type."""

    text: str
    type: str = "text/plain"


class Listed(NamedTuple):
    """A resource in a list."""

    uri: str
    name: str
    help: str


CONTEXT = Listed(CONTEXT_URI, "context", "What to know at the start of a session.")


def listed(memories: Memories) -> list[Listed]:
    """Return what can be read by name: the context, and each block."""
    from memcli.tiers.context.blocks import blocks

    return [
        CONTEXT,
        *(
            Listed(_BLOCK + quote(each.label, safe=""), each.label, each.description or "A block.")
            for each in blocks(memories)
        ),
    ]


def read(memories: Memories, uri: str) -> Contents:
    """Return what is at an address. Raises NotFound, BadInput."""
    from memcli.text.printable import json_line

    if uri == CONTEXT_URI:
        from memcli.tiers.context.start import answer_at_start

        return Contents(
            answer_at_start(memories, budget=memories.config["context_budget"] or None).to_prompt()
        )
    if uri.startswith(_BLOCK):
        from memcli.tiers.context.blocks import find_block

        return Contents(find_block(memories, unquote(uri.removeprefix(_BLOCK))).text or "")
    if uri.startswith(_ITEM):
        memory = memories.find(unquote(uri.removeprefix(_ITEM)))
        return Contents(json_line(memory.to_record()), "application/json")
    raise NotFound(f"no resource {uri!r:.100}; there are {CONTEXT_URI}, {', '.join(TEMPLATES)}")
