"""Turns for tests, logged in one line."""

from __future__ import annotations

from typing import Any

from memcli import sessions
from memcli.drafts import Draft
from memcli.memories import Memories
from memcli.model import Memory


def log(memories: Memories, text: str, role: str = "user", **about: Any) -> Memory:
    """Append a turn; `about` are a draft's fields, and `resolves`."""
    data = {"role": role, **about.pop("data", {})}
    resolves = about.pop("resolves", None)
    return sessions.append(memories, Draft(text=text, data=data, **about), resolves=resolves).turn
