"""Hooks of memcli in an agent's settings: install, remove and list them."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from memcli.agents.hooks.agents import Agent, Event, event_called
from memcli.agents.settings import jsonc
from memcli.agents.settings.files import FileChange, planned_change, read, reverting_change, settings_root
from memcli.config.config import Config
from memcli.config.settings import environment_variable
from memcli.errors import BadInput
from memcli.named_tuple import NamedTuple

_START = "hooks"
_DB = environment_variable("db")


class InstalledHook(NamedTuple):
    """A hook of ours in a file: the agent's event, its command, and if that program exists."""

    event: str
    command: str
    runs: bool


def settings_of(agent: Agent) -> Path:
    """Return the file with an agent's hooks: below the home folder, or where the agent is told to look."""
    root = settings_root(agent.moved_by)
    moved = agent.moved_by and os.environ.get(agent.moved_by[0])
    return root / (agent.moved_by[1] if agent.moved_by and moved else agent.settings)


def install(agent: Agent, environment: Mapping[str, str]) -> FileChange:
    """Return the change by which an agent calls `mem hook` at its events, and no others. Raises BadInput.

    `environment`: the `MEMCLI_*` variables for the hooks. At the end of turns only if `hook_log` is on,
    because nothing else is done there.
    """
    logs = Config()["hook_log"]
    events = [event for event in agent.events if event != "end" or logs]
    return planned_change(
        settings_of(agent),
        settings_root(agent.moved_by),
        lambda text: _with_hooks(text, agent, events, environment),
    )


def remove(agent: Agent) -> FileChange:
    """Return the change that removes our hooks from an agent's settings, and no others. Raises BadInput."""
    path = settings_of(agent)
    some = installed(agent)
    here = {event_called(hook.event) for hook in some}
    events = [event for event in agent.events if event in here]
    root = settings_root(agent.moved_by)
    environment = _told_apart(_words(some[0].command))[0] if some else {}
    return reverting_change(
        path, root, lambda text: _with_hooks(text, agent, events, environment), _without_hooks
    )


def installed(agent: Agent) -> list[InstalledHook]:
    """Return our hooks in an agent's settings. Raises BadInput."""
    path = settings_of(agent)
    try:
        found = list(_ours(jsonc.parse(read(path) or "")))
    except jsonc.NotJson as error:
        raise BadInput(f"{path}: {error}; mend it first") from error
    return [InstalledHook(str(where[1]), command, _is_there(command)) for where, command in found]


def _with_hooks(text: str, agent: Agent, events: Sequence[Event], environment: Mapping[str, str]) -> str:
    wanted = [
        (hooked.name, _entry(agent, event, environment))
        for event in events
        for hooked in agent.events.get(event, ())
    ]
    here = [(str(where[1]), command) for where, command in _ours(jsonc.parse(text))]
    if sorted(here) == sorted((name, _command(agent, entry)) for name, entry in wanted):
        return text
    text = _without_hooks(text)
    if agent.version is not None and jsonc.find(jsonc.parse(text), ["version"]) is None:
        text = jsonc.put(text, ["version"], agent.version)
    for name, entry in wanted:
        text = jsonc.append(text, [_START, name], entry)
    return text


def _without_hooks(text: str) -> str:
    while ours := next(_ours(jsonc.parse(text)), None):
        text = jsonc.remove(text, ours[0])
    return text


def _entry(agent: Agent, event: Event, environment: Mapping[str, str]) -> dict[str, Any]:
    """Return the entry for an event in the agent's settings."""
    line = command_line(event, agent.name, environment)
    if agent.name == "copilot":
        run: dict[str, Any] = {
            "type": "command",
            "bash": line,
            "powershell": f"& {line}" if os.name == "nt" else line,
        }
    elif agent.name == "cursor":
        return {"command": line}
    else:
        run = {"type": "command", "command": line}
    name, length = agent.timeout
    run[name] = length
    return run if agent.flat else {_START: [run]}


def _command(agent: Agent, entry: dict[str, Any]) -> str:
    run = entry if agent.flat else entry[_START][0]
    return str(run.get("command") or run.get("bash"))


def command_line(event: str, agent: str, environment: Mapping[str, str]) -> str:
    """Return the command line of a hook, with the program's full path: an agent's PATH may be another.

    Without `env` (Windows), only the store is passed, as `--db`: see `left_behind`.
    """
    call = ["hook", event, "--agent", agent]
    if os.name == "nt":
        store = ["--db", environment[_DB]] if _DB in environment else []
        return " ".join(f'"{word}"' if " " in word else word for word in [*program(), *store, *call])
    return shlex.join([*in_environment(environment), *program(), *call])


def in_environment(environment: Mapping[str, str]) -> list[str]:
    """Return the words by which a shell sets these variables for a command; none without variables."""
    return ["env", *(f"{name}={value}" for name, value in environment.items())] if environment else []


def left_behind(environment: Mapping[str, str]) -> list[str]:
    """Return those of the variables that the command line of a hook cannot set on this system."""
    return sorted(environment.keys() - {_DB}) if os.name == "nt" else []


def program() -> list[str]:
    """Return `mem` by its full path, as it was called or as it is found; else by this interpreter."""
    called = Path(sys.argv[0])
    if called.stem in ("mem", "memcli") and called.is_file():
        return [str(called.absolute())]
    found = shutil.which("mem")
    return [str(Path(found).absolute())] if found else [sys.executable, "-P", "-m", "memcli"]


def _ours(root: jsonc.Node) -> Iterator[tuple[list[str | int], str]]:
    """Yield the path of each of our hooks and its command; of whole groups if nothing else is in them."""
    events = jsonc.find(root, [_START])
    for event in events.parts if events and isinstance(events.value, dict) else ():
        for group in event.node.parts:
            path: list[str | int] = [_START, event.key, group.key]
            if command := _ours_in(group.node.value):
                yield path, command
                continue
            hooks = jsonc.find(group.node, [_START])
            for hook in hooks.parts if hooks else ():
                if command := _ours_in(hook.node.value):
                    alone = hooks is not None and len(hooks.parts) == 1
                    yield (path if alone else [*path, _START, hook.key]), command


def _ours_in(entry: Any) -> str | None:
    """Return the command of an entry that runs `mem hook EVENT --agent NAME` and nothing else; else None."""
    if not isinstance(entry, dict):
        return None
    line = entry.get("command") or entry.get("bash")
    if not isinstance(line, str):
        return None
    words = _told_apart(_words(line))[1]
    if len(words) < 5 or words[-4] != "hook" or words[-2] != "--agent" or event_called(words[-3]) is None:
        return None
    return line if re.split(r"[/\\]", words[-5])[-1] in ("mem", "memcli", "mem.exe", "memcli.exe") else None


def _told_apart(words: list[str]) -> tuple[dict[str, str], list[str]]:
    """Return the `MEMCLI_*` variables that a command line sets, and the line without them."""
    environment: dict[str, str] = {}
    rest = list(words)
    if rest[:1] == ["env"]:
        del rest[0]
        while rest and re.match(r"MEMCLI_[A-Z_]+=", rest[0]):
            name, _, value = rest.pop(0).partition("=")
            environment[name] = value
    if "--db" in rest[:-4]:
        at = rest.index("--db")
        environment[_DB] = rest[at + 1]
        del rest[at : at + 2]
    return environment, rest


def _words(line: str) -> list[str]:
    try:
        return [each.strip('"') for each in shlex.split(line, posix=os.name != "nt")]
    except ValueError:
        return []


def _is_there(line: str) -> bool:
    words = _told_apart(_words(line))[1]
    return bool(words) and shutil.which(words[0]) is not None
