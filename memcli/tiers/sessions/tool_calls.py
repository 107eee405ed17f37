"""Tool calls in a conversation: parsed from what APIs write, kept in a turn's data, told in its text."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from memcli.model import Memory
from memcli.named_tuple import NamedTuple

# The key in a turn's `data`.
_FIELD = "tool_calls"
# The result of a tool that printed nothing: no API accepts an empty one.
NO_OUTPUT = "(no output)"


class ToolCall(NamedTuple):
    """A call by an assistant; its arguments are JSON text. Without an `id` the name identifies its result."""

    id: str
    name: str
    arguments: str

    def to_text(self) -> str:
        """Return the call as text."""
        return f"[calls {self.name} {self.arguments}]"

    def to_object(self) -> dict[str, Any]:
        """Return the arguments as an object; other values under `arguments`."""
        try:
            value = json.loads(self.arguments or "{}")
        except (ValueError, RecursionError):
            value = self.arguments
        return value if isinstance(value, dict) else {"arguments": value}


def calls_text(calls: Sequence[ToolCall]) -> str:
    """Return calls as in a turn's text, a line each."""
    return "\n".join(call.to_text() for call in calls)


def calls_in_message(message: Mapping[str, Any]) -> list[ToolCall]:
    """Return the calls in a message: OpenAI's `tool_calls` and `function_call`, Anthropic's `tool_use`."""
    found = []
    for part in _parts(message.get("tool_calls")):
        called = part.get("function", part.get("custom"))
        if isinstance(called, Mapping):
            found.append(
                _call(part.get("id"), called.get("name"), called.get("arguments", called.get("input")))
            )
    if isinstance(called := message.get("function_call"), Mapping):
        found.append(_call("", called.get("name"), called.get("arguments")))
    for part in _parts(message.get("content")):
        if part.get("type") == "tool_use":
            found.append(_call(part.get("id"), part.get("name"), part.get("input")))
    return found


def split_results(message: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a message as messages with one content each: Anthropic's `tool_result`s, then the rest."""
    results = [part for part in _parts(message.get("content")) if part.get("type") == "tool_result"]
    named = {"id": message["id"]} if "id" in message else {}
    for part in results:
        rest = {name: value for name, value in message.items() if name not in ("id", "name", "content")}
        content = part.get("content") or NO_OUTPUT
        yield {**rest, **named, "role": "tool", "content": content, "tool_call_id": part.get("tool_use_id")}
        named = {}
    if not results:
        yield dict(message)
    elif others := [part for part in message["content"] if part not in results]:
        yield {**{n: v for n, v in message.items() if n != "id"}, **named, "content": others}


def calls_of_turn(turn: Memory) -> list[ToolCall]:
    """Return the calls that a turn made."""
    return [_call(*(part.get(name) for name in ToolCall._fields)) for part in _parts(turn.data.get(_FIELD))]


def said_beside_calls(turn: Memory) -> str:
    """Return the text of a turn without its calls."""
    return turn.text.removesuffix(calls_text(calls_of_turn(turn))).rstrip()


def calls_data(calls: Sequence[ToolCall]) -> dict[str, Any]:
    """Return calls as kept in a turn's data."""
    return {_FIELD: [call._asdict() for call in calls]} if calls else {}


def without_calls(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return a turn's data without its calls."""
    return {name: value for name, value in data.items() if name != _FIELD}


def _parts(value: Any) -> list[Mapping[str, Any]]:
    return [each for each in value if isinstance(each, Mapping)] if isinstance(value, list) else []


def _call(call_id: Any, name: Any, arguments: Any) -> ToolCall:
    told = arguments if isinstance(arguments, str) else json.dumps(arguments or {}, ensure_ascii=False)
    return ToolCall(str(call_id or ""), str(name or "tool"), told)
