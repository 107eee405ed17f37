"""Agents with hooks: their names for events, the envelopes they accept, and where their settings are.

Sources, of November 2026: `sdk.d.ts` of @anthropic-ai/claude-agent-sdk 0.3.330; codex-rs/hooks/schema of
openai/codex; docs/hooks/reference.md of google-gemini/gemini-cli; hooks-reference.md of github/docs;
cursor.com/docs/hooks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Literal

from memcli.errors import BadInput
from memcli.named_tuple import NamedTuple

Event = Literal["start", "prompt", "compact", "end"]
Name = Literal["claude", "codex", "gemini", "copilot", "cursor"]
Envelope = Callable[[str, str], str | dict[str, Any]]

# All agents' names for events, letters only.
_CALLED: dict[str, Event] = {
    "start": "start", "sessionstart": "start",
    "prompt": "prompt", "userpromptsubmit": "prompt", "beforeagent": "prompt",
    "userpromptsubmitted": "prompt", "beforesubmitprompt": "prompt",
    "compact": "compact", "precompact": "compact", "precompress": "compact",
    "end": "end", "stop": "end", "sessionend": "end", "agentstop": "end", "afteragent": "end",
}  # fmt: skip


def event_called(name: str) -> Event | None:
    """Return the event that a name means, ours or any agent's; None for any other name."""
    return _CALLED.get(re.sub(r"[^a-z]", "", name.lower()))


class HookedEvent(NamedTuple):
    """An event of an agent: its name there, and its envelope for what is said (None: nothing can be said)."""

    name: str
    envelope: Envelope | None = None


class Agent(NamedTuple):
    """An agent with hooks.

    `events` are the events at which memcli is called, by our names. `settings` is the file with its hooks,
    below the home folder or, if the variable in `moved_by` is set, below that. `timeout` is how long it waits
    for a hook, with the key and in the unit that it uses. `nothing` is printed if there is nothing to say.
    """

    name: Name
    title: str
    events: Mapping[Event, tuple[HookedEvent, ...]]
    settings: str
    timeout: tuple[str, int]
    moved_by: tuple[str, str] | None = None
    nothing: str = ""
    flat: bool = False
    """True if the hooks of an event are a list of commands, not of groups with matchers."""
    version: int | None = None
    """The `version` in its file; None if it has none."""


def _context_of(event: str, text: str) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}


def _plain(event: str, text: str) -> str:
    return text


# Seconds that an agent waits for a hook: more than our own deadline, less than a user's patience.
_SECONDS = 5
CLAUDE = Agent(
    "claude", "Claude Code",
    {
        "start": (HookedEvent("SessionStart", _context_of),),
        "prompt": (HookedEvent("UserPromptSubmit", _context_of),),
        # What it prints is added to the instructions of the summary.
        "compact": (HookedEvent("PreCompact", _plain),),
        "end": (HookedEvent("Stop"), HookedEvent("SessionEnd")),
    },
    ".claude/settings.json", ("timeout", _SECONDS), ("CLAUDE_CONFIG_DIR", "settings.json"),
)  # fmt: skip
CODEX = Agent(
    "codex", "Codex",
    {
        "start": (HookedEvent("SessionStart", _context_of),),
        "prompt": (HookedEvent("UserPromptSubmit", _context_of),),
        "end": (HookedEvent("Stop"),),
    },
    ".codex/hooks.json", ("timeout", _SECONDS), ("CODEX_HOME", "hooks.json"),
)  # fmt: skip
GEMINI = Agent(
    "gemini", "Gemini CLI",
    {
        "start": (HookedEvent("SessionStart", _context_of),),
        "prompt": (HookedEvent("BeforeAgent", _context_of),),
        "end": (HookedEvent("AfterAgent"),),
    },
    ".gemini/settings.json", ("timeout", _SECONDS * 1000),
)  # fmt: skip
COPILOT = Agent(
    "copilot", "Copilot CLI",
    {
        "start": (HookedEvent("sessionStart", lambda event, text: {"additionalContext": text}),),
        "end": (HookedEvent("agentStop"),),
    },
    ".copilot/hooks/memcli.json", ("timeoutSec", _SECONDS), ("COPILOT_HOME", "hooks/memcli.json"),
    flat=True, version=1,
)  # fmt: skip
CURSOR = Agent(
    "cursor", "Cursor",
    {
        "start": (HookedEvent("sessionStart", lambda event, text: {"additional_context": text}),),
        "end": (HookedEvent("stop"),),
    },
    ".cursor/hooks.json", ("timeout", _SECONDS), nothing="{}", flat=True, version=1,
)  # fmt: skip
AGENTS: dict[str, Agent] = {each.name: each for each in (CLAUDE, CODEX, GEMINI, COPILOT, CURSOR)}


def find_agent(name: str) -> Agent:
    """Return the agent of that name; raise BadInput if there is none."""
    try:
        return AGENTS[name.strip().lower()]
    except KeyError:
        raise BadInput(f"no agent {name!r:.60} that has hooks; there are {', '.join(AGENTS)}") from None
