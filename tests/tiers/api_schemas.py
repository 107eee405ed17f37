"""What two APIs take as messages, checked as their own clients' types and documentation state it.

OpenAI, chat completions: `ChatCompletionMessageParam` of the client library openai 3.54.0
(openai/types/chat/chat_completion_{system,user,assistant,tool}_message_param.py,
chat_completion_message_function_tool_call_param.py), and the reference
https://platform.openai.com/docs/api-reference/chat/create: a message of the role `tool` answers
a call of the assistant's message before it, and every call is answered there.

Anthropic, messages: `MessageParam` and its blocks of the client library anthropic 2.12.0
(anthropic/types/{message,text_block,tool_use_block,tool_result_block}_param.py), and the reference
https://docs.anthropic.com/en/api/messages: roles in turn, the first the user's, no text is empty, the
last assistant's does not end in white space, each `tool_use` is answered by the next message, whose
`tool_result`s come first; ids are unique and `^[a-zA-Z0-9_-]+$`.

Both clients and what they need would be fifty times what is checked here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
# Required keys, then optional ones, by role.
_OPENAI: dict[str, tuple[set[str], set[str]]] = {
    "system": ({"role", "content"}, {"name"}),
    "user": ({"role", "content"}, {"name"}),
    "assistant": ({"role"}, {"content", "name", "tool_calls"}),
    "tool": ({"role", "content", "tool_call_id"}, set()),
}


def check_openai(messages: Sequence[Mapping[str, Any]]) -> None:
    """Assert that these are messages of a request for a chat completion."""
    assert messages
    open_calls: list[str] = []
    for message in messages:
        required, optional = _OPENAI[message["role"]]
        assert required <= set(message) <= required | optional
        if message["role"] == "tool":
            open_calls.remove(message["tool_call_id"])
        else:
            assert open_calls == []
        calls = message.get("tool_calls", [])
        content = message.get("content")
        assert (content is None and calls) or (isinstance(content, str) and content.strip())
        assert "name" not in message or _NAME.fullmatch(message["name"])
        assert "tool_calls" not in message or calls
        for call in calls:
            assert set(call) == {"id", "type", "function"} and call["type"] == "function" and call["id"]
            assert set(call["function"]) == {"name", "arguments"}
            assert _NAME.fullmatch(call["function"]["name"]) and isinstance(
                call["function"]["arguments"], str
            )
            open_calls.append(call["id"])
        assert len({*open_calls}) == len(open_calls)
    assert open_calls == []


def check_anthropic(part: Mapping[str, Any]) -> None:
    """Assert that this is the part of a request that creates a message: `messages`, and maybe `system`."""
    assert {"messages"} <= set(part) <= {"messages", "system"}
    assert isinstance(part.get("system", "x"), str) and part.get("system", "x").strip()
    messages = part["messages"]
    assert messages and [each["role"] for each in messages] == [
        ("user", "assistant")[place % 2] for place in range(len(messages))
    ]
    open_calls: set[str] = set()
    ids: set[str] = set()
    for message in messages:
        assert set(message) == {"role", "content"}
        content = message["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        assert blocks
        kinds = [block["type"] for block in blocks]
        results = [block for block in blocks if block["type"] == "tool_result"]
        assert {block["tool_use_id"] for block in results} == open_calls and len(results) == len(open_calls)
        assert kinds[: len(results)] == ["tool_result"] * len(results)
        open_calls = set()
        for block in blocks:
            if block["type"] == "text":
                assert set(block) == {"type", "text"} and block["text"].strip()
            elif block["type"] == "tool_result":
                assert set(block) == {"type", "tool_use_id", "content"} and message["role"] == "user"
                assert isinstance(block["content"], str) and block["content"].strip()
            else:
                assert set(block) == {"type", "id", "name", "input"} and block["type"] == "tool_use"
                assert message["role"] == "assistant" and isinstance(block["input"], dict)
                assert _NAME.fullmatch(block["id"]) and _NAME.fullmatch(block["name"])
                assert block["id"] not in ids
                ids.add(block["id"])
                open_calls.add(block["id"])
    assert not open_calls
    last = messages[-1]
    if last["role"] == "assistant":
        text = last["content"] if isinstance(last["content"], str) else last["content"][-1].get("text", "x")
        assert text == text.rstrip()
    json.dumps(part)
