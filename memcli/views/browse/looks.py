"""Looks: the screen's read queries, namely the current list, the detail of an entry, a text to edit."""

from __future__ import annotations

from memcli.memories import Memories
from memcli.views.browse import detail, listings
from memcli.views.browse.detail import Detail
from memcli.views.browse.listings import Entry, Listing


def read(view: str, query: str, limit: int, ended: bool, memories: Memories) -> tuple[Listing, str, int, int]:
    """Return a list, the space's name, its number of memories in force, and the number of entries waiting."""
    if view == "review":
        listing = listings.waiting(memories)
    elif view == "spaces":
        listing = listings.all_spaces(memories)
    elif view == "timeline":
        listing = listings.timeline(memories, query, limit, ended=ended)
    elif query:
        listing = listings.recalled(memories, query, ended=ended)
    else:
        listing = listings.newest(memories, limit, ended=ended)
    waits = len(listing.entries) if view == "review" else listings.number_waiting(memories)
    return listing, memories.space, listings.live_total(memories), waits


def details(entry: Entry, memories: Memories) -> Detail:
    """Return the detail of an entry."""
    return detail.detail_of(memories, entry)


def text_of(entry: Entry, memories: Memories) -> str:
    """Return the text of a memory, for editing."""
    return detail.whole_text(memories.find(entry.key))


def nothing(view: str) -> str:
    """Return the text shown in place of an empty list."""
    return {
        "review": "Nothing waits for you. What the write policy holds, and links that consolidation\n"
        "proposes, would stand here.",
    }.get(view, "Nothing here. Type other words, or E to look among ended memories, too.")
