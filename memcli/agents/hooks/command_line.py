"""Command line of a hook: recognise an agent's call before anything else of it is parsed."""

from __future__ import annotations

import os
from collections.abc import Sequence

# Words after `mem hook` that people type.
_FOR_PEOPLE = {"install", "remove", "status", "-h", "--help"}


def is_hook(arguments: Sequence[str]) -> bool:
    """True if an agent's hook is called, with any arguments; False for installing hooks, or help."""
    if "hook" not in arguments[:4] or "_MEM_COMPLETE" in os.environ:
        return False
    words = [
        each
        for number, each in enumerate(arguments)
        if not each.startswith("-") and (number == 0 or arguments[number - 1] != "--db")
    ]
    return words[0] == "hook" and not _FOR_PEOPLE & {
        *words[1:2],
        *(each for each in arguments if each.startswith("-")),
    }
