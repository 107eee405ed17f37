"""Servers: the entry of our MCP server in an agent's own list: add it, and remove it again.

JSON is edited in place (`jsonc`), TOML by tomlkit, which keeps what it does not change.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from memcli.agents.settings import jsonc
from memcli.agents.settings.files import FileChange, planned_change, read, reverting_change, settings_root
from memcli.agents.settings.hooks import program
from memcli.errors import BadInput
from memcli.messages import Command, message
from memcli.named_tuple import NamedTuple

# The name of the entry.
NAME = "memcli"
_OTHERS = message(
    f"a server {NAME!r} stands there that ",
    Command("init"),
    " did not write as it is; rename it or take it out",
)


class Client(NamedTuple):
    """A program that starts MCP servers: the file in which it lists them, and the key.

    `file` is given the home folder; `moved_by` is a variable that names another folder, and the file there.
    """

    name: str
    title: str
    file: Callable[[Path], Path]
    key: str = "mcpServers"
    more: Mapping[str, Any] = {}
    moved_by: tuple[str, str] | None = None
    skills: str | None = None
    """The folder of its skills, below the home folder; None if it has none."""


def _application(home: Path, *names: str) -> Path:
    """Return a file of an application's settings, in the platform's folder for these."""
    if sys.platform == "darwin":
        return home.joinpath("Library", "Application Support", *names)
    if os.name == "nt":
        return Path(os.environ.get("APPDATA") or home / "AppData" / "Roaming").joinpath(*names)
    return Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config").joinpath(*names)


CLIENTS = {
    each.name: each
    for each in (
        Client(
            "claude", "Claude Code", lambda home: home / ".claude.json", more={"type": "stdio"},
            moved_by=("CLAUDE_CONFIG_DIR", ".claude.json"), skills=".claude/skills",
        ),
        Client(
            "claude-desktop", "Claude Desktop",
            lambda home: _application(home, "Claude", "claude_desktop_config.json"),
        ),
        Client(
            "codex", "Codex", lambda home: home / ".codex" / "config.toml", "mcp_servers",
            moved_by=("CODEX_HOME", "config.toml"), skills=".codex/skills",
        ),
        Client(
            "gemini", "Gemini CLI", lambda home: home / ".gemini" / "settings.json", skills=".gemini/skills"
        ),
        Client("cursor", "Cursor", lambda home: home / ".cursor" / "mcp.json", skills=".cursor/skills"),
        Client(
            "copilot", "Copilot CLI", lambda home: home / ".copilot" / "mcp-config.json",
            more={"type": "local", "tools": ["*"]}, moved_by=("COPILOT_HOME", "mcp-config.json"),
            skills=".copilot/skills",
        ),
        Client(
            "vscode", "VS Code", lambda home: _application(home, "Code", "User", "mcp.json"), "servers",
            more={"type": "stdio"},
        ),
    )
}  # fmt: skip


def find_client(name: str) -> Client:
    """Return the client of that name; raise BadInput if there is none."""
    try:
        return CLIENTS[name.strip().lower()]
    except KeyError:
        raise BadInput(f"no agent {name!r:.60}; there are {', '.join(CLIENTS)}") from None


def servers_of(client: Client) -> Path:
    """Return the file in which a client lists its servers."""
    if client.moved_by and os.environ.get(client.moved_by[0]):
        return settings_root(client.moved_by) / client.moved_by[1]
    return client.file(Path.home())


def register(client: Client, environment: Mapping[str, str]) -> FileChange:
    """Return the change that adds `mem mcp`, with these variables, to a client's servers.

    Raises BadInput.
    """
    return planned_change(
        servers_of(client),
        settings_root(client.moved_by),
        lambda text: _with_server(text, client, environment),
    )


def unregister(client: Client) -> FileChange:
    """Return the change that removes it from that list. Raises BadInput."""
    path = servers_of(client)
    environment = _environment_there(read(path) or "", client)
    return reverting_change(
        path,
        settings_root(client.moved_by),
        lambda text: _with_server(text, client, environment),
        lambda text: _without_server(text, client),
    )


def command_words(client: Client) -> list[str]:
    """Return the command that a client starts."""
    return [*program(), "mcp", "--name", client.name]


def _with_server(text: str, client: Client, environment: Mapping[str, str]) -> str:
    command, *arguments = command_words(client)
    entry = {**client.more, "command": command, "args": arguments}
    if environment:
        entry["env"] = dict(environment)
    if client.key == "mcp_servers":
        return _with_table(text, entry)
    there = jsonc.find(jsonc.parse(text), [client.key, NAME])
    if there and there.value == entry:
        return text
    if there and not _is_ours(there.value):
        raise BadInput(_OTHERS)
    return jsonc.put(text, [client.key, NAME], entry)


def _without_server(text: str, client: Client) -> str:
    if client.key == "mcp_servers":
        return _with_table(text, None)
    there = jsonc.find(jsonc.parse(text), [client.key, NAME])
    return jsonc.remove(text, [client.key, NAME]) if there and _is_ours(there.value) else text


def _environment_there(text: str, client: Client) -> dict[str, str]:
    """Return the variables of the listed server; none if it is not listed, or not ours."""
    with suppress(jsonc.NotJson, ValueError, RecursionError):  # told by who edits it
        if client.key == "mcp_servers":
            import tomlkit

            said = tomlkit.parse(text).unwrap()
        else:
            said = jsonc.parse(text).value
        listed = said.get(client.key) if isinstance(said, dict) else None
        entry = listed.get(NAME) if isinstance(listed, dict) else None
        return dict(entry.get("env", {})) if isinstance(entry, dict) and _is_ours(entry) else {}
    return {}


def _is_ours(entry: Any) -> bool:
    """True if an entry starts `mem mcp --name …` and has no settings of its owner's.

    In the environment only `MEMCLI_*` is ours: `init` copies what its own environment has of these.
    """
    if not isinstance(entry, dict) or not entry.keys() <= {"type", "tools", "command", "args", "env"}:
        return False
    given = entry.get("env", {"MEMCLI_": ""})
    if not isinstance(given, dict) or not given or not all(name.startswith("MEMCLI_") for name in given):
        return False
    words = [entry.get("command"), *(entry["args"] if isinstance(entry.get("args"), list) else ())]
    if (
        len(words) < 4
        or not all(isinstance(word, str) for word in words)
        or words[-3:-1] != ["mcp", "--name"]
    ):
        return False
    return re.split(r"[/\\]", words[-4])[-1] in ("mem", "memcli", "mem.exe", "memcli.exe")


def _with_table(text: str, entry: Mapping[str, Any] | None) -> str:
    """Return Codex's settings with our table at the end, or without it."""
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        document: Any = tomlkit.parse(text)
        servers: Any = document.get("mcp_servers")
        if servers is not None and not isinstance(servers, dict):
            raise BadInput("mcp_servers is not a table")
        here = None if servers is None else servers.get(NAME)
        if (here is None and entry is None) or (here is not None and here.unwrap() == entry):
            return text
        if here is not None and not _is_ours(here.unwrap()):
            if entry is None:
                return text
            raise BadInput(_OTHERS)
        if entry is None:
            del document["mcp_servers"][NAME]
            if not document["mcp_servers"]:
                del document["mcp_servers"]
        elif servers is None:
            # As people write it: without a separate header for the table above.
            above = tomlkit.table(is_super_table=True)
            above[NAME] = entry
            document["mcp_servers"] = above
        else:
            servers[NAME] = entry
        return tomlkit.dumps(document)
    except (TOMLKitError, ValueError, RecursionError, AttributeError) as error:
        raise BadInput(f"not valid TOML ({error})"[:200]) from error
