"""Commands that a message names: as they have to be called to find what it speaks of."""

from __future__ import annotations

import shlex

from memcli.config.config import Config


def told_command(command: str, space: str) -> str:
    """A command of `mem` for what is in a space: with that space, if it would work in another."""
    return command if space == Config()["space"] else f"{command} --space {shlex.quote(space)}"
