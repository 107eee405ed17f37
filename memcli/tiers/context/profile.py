"""The owner's picture: who they are and how they like things, put together from what is remembered."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from memcli.memories import Memories
from memcli.model import Memory
from memcli.tiers.context.answer import Piece
from memcli.tiers.context.background import background
from memcli.tiers.context.blocks import blocks
from memcli.tiers.context.start import strength

_MOST = 10
_HABIT = re.compile(
    r"\b(?:usually|always|every (?:day|morning|evening|night|week|month|year|\w+day)|tends? to|"
    r"each (?:day|morning|week)"
    r"|on \w+days|daily|weekly|never)\b",
    re.IGNORECASE,
)
_RELATIONSHIP = re.compile(
    r"\b(?:my|our|user's|owner's) (?:\w+ )?(?:wife|husband|partner|girlfriend|boyfriend|son|daughter|"
    r"child|children|kids?|mother|father|mom|mum|dad|parents?|sister|brother|friend|colleague|boss|manager|neighbou?r|cousin|"
    r"aunt|uncle|grand\w+|dog|cat)\b",
    re.IGNORECASE,
)
_GOAL = re.compile(
    r"\b(?:goal|plan(?:s|ning)? to|want(?:s|ed)? to|hope(?:s)? to|aim(?:s|ing)? (?:to|for)|would like to|"
    r"working towards|saving (?:up )?for|learning|training for|dream of)\b",
    re.IGNORECASE,
)


class Profile(NamedTuple):
    """The picture, part by part; memories the firmest first."""

    blocks: list[tuple[str, str]]
    preferences: list[Memory]
    constraints: list[Memory]
    habits: list[Memory]
    relationships: list[Memory]
    goals: list[Memory]
    now: list[Piece]


def profile(memories: Memories) -> Profile:
    """Put the picture together from the live memories of the space."""
    everything = sorted(memories.store.select(memories.within()), key=strength, reverse=True)
    about = [each for each in everything if each.kind in ("fact", "preference", "outcome")]

    def those(fits: Callable[[Memory], object]) -> list[Memory]:
        return [each for each in about if fits(each)][:_MOST]

    return Profile(
        blocks=[(each.label, each.text or "") for each in blocks(memories)],
        preferences=those(lambda each: each.kind == "preference"),
        constraints=[each for each in everything if each.kind == "constraint"],
        habits=those(lambda each: _HABIT.search(each.text)),
        relationships=those(lambda each: _RELATIONSHIP.search(each.text)),
        goals=those(lambda each: _GOAL.search(each.text)),
        now=background(memories, ["task", "session"]),
    )
