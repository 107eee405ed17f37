"""Turns for tests, logged in one line."""

from __future__ import annotations

from typing import Any

from memcli.memories import Memories
from memcli.model import Memory
from memcli.tiers.sessions import sessions
from memcli.write_policy.drafts import Draft


def log(memories: Memories, text: str, role: str = "user", **about: Any) -> Memory:
    """Append a turn; `about` are a draft's fields, and `resolves`."""
    data = {"role": role, **about.pop("data", {})}
    resolves = about.pop("resolves", None)
    return sessions.append_turn(memories, Draft(text=text, data=data, **about), resolves=resolves).turn
