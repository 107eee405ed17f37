"""The owner's picture: who they are and how they like things, put together from what is remembered."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from memcli.memories import Memories
from memcli.model import Memory
from memcli.text.kinds import is_goal, is_habit, names_relationship
from memcli.tiers.context.answer import Piece
from memcli.tiers.context.background import background_pieces
from memcli.tiers.context.blocks import blocks
from memcli.tiers.context.start import firmness

_MOST = 10


class Profile(NamedTuple):
    """The picture, part by part; memories the firmest first, untrusted ones last."""

    blocks: list[tuple[str, str]]
    preferences: list[Memory]
    constraints: list[Memory]
    habits: list[Memory]
    relationships: list[Memory]
    goals: list[Memory]
    now: list[Piece]


def profile(memories: Memories, *, trusted: bool | None = None) -> Profile:
    """Put the picture together from the live memories of the space; with `trusted` from those that are."""
    found = memories.store.select(memories.within(trusted=trusted))
    everything = sorted(found, key=lambda each: (each.trusted, firmness(each)), reverse=True)
    about = [each for each in everything if each.kind in ("fact", "preference", "outcome")]

    def those(fits: Callable[[Memory], object]) -> list[Memory]:
        return [each for each in about if fits(each)][:_MOST]

    return Profile(
        blocks=[(each.label, each.text or "") for each in blocks(memories)],
        preferences=those(lambda each: each.kind == "preference"),
        constraints=[each for each in everything if each.kind == "constraint"],
        habits=those(lambda each: is_habit(each.text)),
        relationships=those(lambda each: names_relationship(each.text)),
        goals=those(lambda each: is_goal(each.text)),
        now=background_pieces(memories, ["task", "session"], trusted=trusted),
    )
