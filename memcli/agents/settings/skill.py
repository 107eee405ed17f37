"""Skill that tells an agent how and when to use `mem`: one file in the folder of its skills."""

from __future__ import annotations

import os
from importlib.resources import files
from pathlib import Path

from memcli.agents.settings.files import FileChange, read, settings_root
from memcli.agents.settings.servers import Client
from memcli.errors import BadInput
from memcli.messages import Command, message

_OURS = "name: memcli\n"


def skill_of(client: Client) -> Path:
    """Return the file of the skill. Raises BadInput for a client without skills."""
    if client.skills is None:
        raise BadInput(
            f"{client.title} reads no skills",
            by_hand=message(Command(f"init {client.name} --mcp"), " registers the server"),
        )
    root = settings_root(client.moved_by)
    moved = client.moved_by and os.environ.get(client.moved_by[0])
    return root / ("skills" if moved else client.skills) / "memcli" / "SKILL.md"


def write_skill(client: Client) -> FileChange:
    """Return the change that writes the skill. Raises BadInput if another skill of that name exists."""
    path = skill_of(client)
    before = read(path)
    _check_ours(path, before)
    text = files("memcli.agents").joinpath("skill.md").read_text(encoding="utf-8")
    return FileChange(
        path, before, text.replace("{agent}", client.name), settings_root(client.moved_by), ours=True
    )


def remove_skill(client: Client) -> FileChange:
    """Return the change that removes it. Raises BadInput if it is not ours."""
    path = skill_of(client)
    before = read(path)
    _check_ours(path, before)
    return FileChange(path, before, None, settings_root(client.moved_by), ours=True)


def _check_ours(path: Path, text: str | None) -> None:
    if text is not None and _OURS not in text.replace("\r\n", "\n")[:500]:
        raise BadInput(f"{path}: not memcli's skill", left="nothing was changed", advice="move it away")
