"""What agents hand over: the event of a hook, and messages of the Model Context Protocol."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.fuzz.foreign import FOREIGN
from benchmarks.fuzz.inputs import Input, Seeds
from benchmarks.fuzz.values import Literal, a_sentence, broken, hostile_value, mutated, written

_MESSAGES = 25
_EVENTS = ("start", "prompt", "compact", "end", "UserPromptSubmit", "afterAgent", "sessionEnd")
_AGENTS = ("claude", "codex", "gemini", "copilot", "cursor")
_EVENT: dict[str, Any] = {
    "session_id": "abc-1", "transcript_path": "transcript.jsonl", "cwd": "/x", "hook_event_name": "Stop",
    "source": "startup", "prompt": "Where does Ann live, and what is the rent?", "trigger": "auto",
    "stop_hook_active": False, "last_assistant_message": "In Rome", "prompt_response": "In Rome",
}  # fmt: skip
_TRANSCRIPTS = [valid for name, _, valid in FOREIGN if name in ("claude-code", "codex", "cursor")]


def a_hook(chance: random.Random, seeds: Seeds) -> Input:
    """An event of any agent, and the transcript that it names."""
    event: Any = _EVENT
    for _ in range(chance.choice((0, 1, 1, 2))):
        event = mutated(event, chance)
    data = written(event, chance).encode("utf-8", "surrogatepass")
    lines: list[Any] = [chance.choice(chance.choice(_TRANSCRIPTS)) for _ in range(chance.randint(0, 6))]
    said = [written(mutated(each, chance) if chance.random() < 0.6 else each, chance) for each in lines]
    transcript = "\n".join(said).encode("utf-8", "surrogatepass")
    if chance.random() < 0.2:
        data, transcript = broken(data, chance), broken(transcript, chance)
    typed = ["hook", chance.choice(_EVENTS), "--agent", chance.choice(_AGENTS)]
    return Input("hooks", typed, data, files=(("transcript.jsonl", transcript),))


_HELLO: dict[str, Any] = {"protocolVersion": "2025-06-18", "capabilities": {},
                          "clientInfo": {"name": "x", "version": "1"}}  # fmt: skip
_BEGUN = (
    {"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": _HELLO},
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
)


def messages(chance: random.Random, seeds: Seeds) -> Input:
    """Calls of every tool and of whatever else can be asked, behind the greeting of a client."""
    head = "".join(json.dumps(each) + "\n" for each in _BEGUN).encode()
    lines = tuple(_message(chance, seeds, number) for number in range(_MESSAGES))
    return Input("mcp messages", ["mcp", "--tools", "all"], head, lines=lines)


def _message(chance: random.Random, seeds: Seeds, number: int) -> bytes:
    message: Any = {"jsonrpc": "2.0", "id": number, **_asked(chance, seeds)}
    for _ in range(chance.choice((0, 1, 1, 2))):
        # What is handed over, rather than the frame around it.
        if chance.random() < 0.8 and isinstance(message, dict) and "params" in message:
            message = {**message, "params": mutated(message["params"], chance)}
        else:
            message = mutated(message, chance)
    line = written(message, chance).encode("utf-8", "surrogatepass")
    return broken(line, chance) if chance.random() < 0.1 else line


def _asked(chance: random.Random, seeds: Seeds) -> Mapping[str, Any]:
    way = chance.random()
    if way < 0.8:
        return {"method": "tools/call", "params": _call(chance, seeds)}
    if way < 0.9:
        name = chance.choice(
            ("memory://context", "memory://block/owner", f"memory://item/{chance.choice(seeds.ids)}")
        )
        return {"method": "resources/read", "params": {"uri": name}}
    if way < 0.95:
        return {
            "method": "prompts/get",
            "params": {"name": "recall", "arguments": {"query": "Where is Ann?"}},
        }
    method = chance.choice(
        ("tools/list", "resources/list", "resources/templates/list", "prompts/list", "ping")
    )
    return {"method": method, "params": {}}


def _call(chance: random.Random, seeds: Seeds) -> Mapping[str, Any]:
    from memcli.agents.mcp.start import chosen_tools

    tool = chance.choice(chosen_tools("all"))
    given = {
        each.name: _argument(chance, seeds, each.name, each.schema())
        for each in tool.parameters
        if each.required or chance.random() < 0.4
    }
    return {"name": tool.name, "arguments": given}


def _argument(chance: random.Random, seeds: Seeds, name: str, schema: Mapping[str, Any]) -> Any:
    """A value that a parameter takes, or now and then a hostile one."""
    if chance.random() < 0.15:
        evil = hostile_value(chance)
        return evil if not isinstance(evil, Literal) or chance.random() < 0.5 else str(evil)
    fits: Mapping[str, Sequence[Any]] = {
        "integer": (1, 5, 400),
        "boolean": (True, False),
        "array": ([*seeds.ids[:2]], [chance.choice(seeds.ids)]),
        "object": ({"environment": "staging", "n": 1}, {"page": [1, None]}),
        "string": (a_sentence(chance), "Ann", "deploy", "boat", "owner", "crawl", "s", "staging"),
    }
    if name in ("id", "same_as", "replaces", "resolves", "evidence") and schema["type"] == "string":
        return chance.choice(seeds.ids)
    if name in ("since", "until", "at"):
        return chance.choice(("2026-05-01", "2 weeks ago", "tomorrow"))
    return chance.choice(schema.get("enum", fits[schema["type"]]))
