"""Runner of hooks: by its deadline a hook has said what there is to say, or it says nothing."""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from memcli import times
from memcli.agents.hooks.agents import AGENTS, Agent, Event, event_called
from memcli.agents.hooks.payload import Payload, read_payload
from memcli.config.config import Config
from memcli.config.settings import SETTINGS, environment_variable
from memcli.errors import MemcliError

if TYPE_CHECKING:
    from pathlib import Path

    from memcli.agents.hooks.lateness import Stage

_DEFAULT = float(SETTINGS["hook_deadline"].default)
# Our own detached command, which logs the turns that a hook was passed.
LOG = "log-turns"


def run_hook(called: str, name: str) -> None:
    """Run the hook of an event, by any of its names, for an agent, and print what it has to say.

    If anything is wrong with the names, stdin, the store or the model, nothing is printed.
    """
    event, agent = event_called(called), AGENTS.get(name)
    # If stdin was closed at the start, its number may belong to another file by now.
    if agent is None or event is None or sys.__stdin__ is None:
        return
    said: list[str] = []
    patience = [_DEFAULT]
    waits = _Waits()
    known = threading.Event()
    began = time.monotonic()

    def work() -> None:
        # In the thread, because reading the settings may hang, too.
        config = _config(agent)
        patience[:] = [_deadline(config)]
        known.set()
        waits.for_("agent", config)
        said.extend(_said(event, agent, config, waits))

    working = threading.Thread(target=work, daemon=True)
    working.start()
    known.wait(_DEFAULT)
    working.join(max(0.0, began + patience[0] - time.monotonic()))
    late = working.is_alive() and not said
    if sys.__stdout__ is not None:
        _print(said[0] if said else agent.nothing)
    if late:
        from memcli.agents.hooks.lateness import LateHook, note_late

        note_late(waits.cache, agent, LateHook(times.now(), event, waits.stage, patience[0]))


class _Waits:
    """What a hook is waiting for at the moment, and the cache folder once it is known."""

    def __init__(self) -> None:
        self.stage: Stage = "settings"
        self.cache: Path | None = None

    def for_(self, stage: Stage, config: Config | None = None) -> None:
        """Set what it is waiting for from now on."""
        self.stage = stage
        if config:
            with suppress(MemcliError):
                self.cache = config["cache_dir"]


def log_turns(name: str) -> None:
    """Log the turns passed by a hook, in the process that the hook detached for it."""
    agent = AGENTS.get(name)
    if agent is None:
        return
    with suppress(Exception):
        payload = read_payload(0)
        config = _config(agent)
        if payload and config["hook_log"]:
            from memcli.agents.hooks import turns
            from memcli.memories import open_memories

            with open_memories(config=config) as memories:
                turns.log_turns(memories, agent.name, payload)


def _config(agent: Agent) -> Config:
    """Return the settings, with this agent as the origin."""
    return Config({**os.environ, environment_variable("origin"): f"agent:{agent.name}"})


def _deadline(config: Config) -> float:
    """Return how long the agent waits, in seconds; the default if the settings cannot be read."""
    try:
        return config["hook_deadline"]
    except MemcliError:
        return _DEFAULT


def _said(event: Event, agent: Agent, config: Config, waits: _Waits) -> list[str]:
    """Return what there is to say, in the agent's envelope; nothing on any error."""
    with suppress(Exception):
        payload = read_payload(0)
        waits.for_("answer")
        if payload is None or not payload.is_of_the_session_itself:
            return []
        if event == "end":
            if config["hook_log"]:
                _detach(agent, payload)
            return []
        hooked = [each for each in agent.events.get(event, ()) if each.envelope]
        if not hooked:
            return []
        from memcli.agents.hooks.answers import answer

        text = answer(event, payload, config).encode("utf-8", "replace").decode("utf-8")
        if text and hooked[0].envelope:
            envelope = hooked[0].envelope(hooked[0].name, text)
            # In ASCII, which is the same in every code page that the agent may use.
            return [envelope if isinstance(envelope, str) else json.dumps(envelope)]
    return []


def _print(text: str) -> None:
    if text:
        with suppress(OSError):
            rest = memoryview(text.encode("utf-8") + b"\n")
            while rest:
                rest = rest[os.write(1, rest) :]


def _detach(agent: Agent, payload: Payload) -> None:
    """Start a separate process to log the turns, for which the agent does not wait."""
    import subprocess
    import tempfile

    with tempfile.TemporaryFile() as handed:
        handed.write(json.dumps(payload.fields).encode())
        handed.seek(0)
        # Without -P a folder `memcli` in the working directory, which may be anybody's, would be run.
        subprocess.Popen(
            [sys.executable, "-P", "-m", "memcli", "hook", LOG, "--agent", agent.name],
            stdin=handed,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            creationflags=getattr(subprocess, "DETACHED_PROCESS", 0),
        )
