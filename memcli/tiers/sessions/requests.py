"""Requests to an LLM's API: turns in the form of OpenAI's chat completions or Anthropic's messages.

What both require: a tool's result follows the call that it answers, by id; nothing is empty. OpenAI's tool
messages without a call get one. Anthropic takes the system's text separately, and alternating roles, the
user's first; a result without its call becomes a note, since a call would need its tool defined. Untrusted
turns are marked, have calls only as text, and never speak for the system.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal

from memcli import ids
from memcli.model import NOTE_ROLES, TURN_ROLES, Memory
from memcli.named_tuple import NamedTuple
from memcli.prompt import formats
from memcli.tiers.sessions.episodes import turn_role
from memcli.tiers.sessions.tool_calls import ToolCall, calls_of_turn, calls_text, said_beside_calls

Api = Literal["openai", "anthropic"]
Message = dict[str, Any]
# Matches what is not allowed in a function's name or a call's id: both are `^[a-zA-Z0-9_-]{1,64}$`.
_NO_NAME = re.compile(r"[^a-zA-Z0-9_-]+")
_LONGEST_NAME = 64


class RequestPart(NamedTuple):
    """`messages`, and, where an API takes it separately, the text of `system`."""

    messages: list[Message]
    system: str = ""


class _Said(NamedTuple):
    """One utterance: its role (`note`: nobody's), the calls it makes, the call that it answers."""

    role: str
    text: str
    name: str = ""
    calls: Sequence[ToolCall] = ()
    answers: str = ""
    trusted: bool = True


class SummaryText(NamedTuple):
    """The summary of turns, framed, and whether all of them were trusted."""

    text: str
    trusted: bool = True


def request_part(api: Api, turns: Iterable[Memory], summaries: Iterable[SummaryText] = ()) -> RequestPart:
    """Return the turns, in time order, for an API, after the `summaries` of what went before."""
    head = [
        _Said("system" if each.trusted else "note", each.text, trusted=each.trusted) for each in summaries
    ]
    return _FORMS[api](_paired([*head, *map(_said, turns)]))


def _said(turn: Memory) -> _Said:
    role, name = turn_role(turn), turn.data.get("name")
    name = name if isinstance(name, str) else ""
    if role in NOTE_ROLES or (not turn.trusted and (role == "system" or role not in TURN_ROLES)):
        return _Said("note", _noted(turn, role), trusted=turn.trusted)
    if role not in TURN_ROLES:
        return _Said("user", formats.SAID_BY.format(speaker=role, text=turn.text))
    answers = turn.data.get("tool_call_id")
    answers = answers if isinstance(answers, str) else ""
    if not turn.trusted:
        # A call has no place for a mark, so it stays text.
        return _Said(role, _noted(turn, role), name, (), answers, trusted=False)
    text = said_beside_calls(turn) if role == "assistant" else turn.text
    calls = calls_of_turn(turn) if role == "assistant" else ()
    return _Said(role, text, name, calls, answers)


def _noted(turn: Memory, role: str) -> str:
    about = [
        f"{name}: {value}"
        for name in ("context", "actions", "outcome")
        if isinstance(value := turn.data.get(name), str)
    ]
    if isinstance(error := turn.data.get("resolves"), str):
        about.append(f"resolves {ids.short_id(error)}")
    if "resolved_by" in turn.data:
        about.append("resolved")
    mark = role if turn.trusted else formats.FROM_OUTSIDE.format(speaker=role)
    told = formats.NOTED.format(speaker=mark, text=turn.text)
    return told + (formats.NOTED_ABOUT.format(rest="; ".join(about)) if about else "")


def _paired(said: Sequence[_Said]) -> list[_Said]:
    """Return the messages with each tool's result right after its call, under a unique id.

    A call without a result becomes text; a result without its call is an `orphan`.
    """
    given: set[str] = set()
    taken: set[int] = set()
    found: list[_Said] = []
    for place, each in enumerate(said):
        if place in taken:
            continue
        if each.role == "tool":
            found.append(each._replace(role="orphan", answers=_unused(each.answers or "call", given)))
            continue
        calls, results, unanswered = [], [], []
        for call in each.calls:
            answer = _answer(call, said, place, taken)
            if answer is None:
                unanswered.append(call)
                continue
            taken.add(answer)
            call_id = _unused(call.id or "call", given)
            calls.append(call._replace(id=call_id, name=_plain(call.name)))
            results.append(said[answer]._replace(answers=call_id))
        words = [each.text, calls_text(unanswered)]
        found.append(each._replace(text="\n".join(filter(None, words)), calls=calls))
        found += results
    return found


def _answer(call: ToolCall, said: Sequence[_Said], place: int, taken: set[int]) -> int | None:
    """Return where the result of a call is: the first after it with its id; without an id, with its name."""
    for later in range(place + 1, len(said)):
        each = said[later]
        if any(other.id == call.id and call.id for other in each.calls):
            return None
        answers = each.answers == call.id if call.id else not each.answers and each.name == call.name
        if each.role == "tool" and later not in taken and answers:
            return later
    return None


def _plain(name: str) -> str:
    return _NO_NAME.sub("_", name)[:_LONGEST_NAME] or "tool"


def _unused(wanted: str, given: set[str]) -> str:
    plain, number = _plain(wanted), 1
    call_id = plain
    while call_id in given:
        number += 1
        call_id = f"{plain[: _LONGEST_NAME - 8]}-{number}"
    given.add(call_id)
    return call_id


def _for_openai(said: Sequence[_Said]) -> RequestPart:
    messages: list[Message] = []
    for each in said:
        if each.role in ("tool", "orphan"):
            if each.role == "orphan":
                call = ToolCall(each.answers, _plain(each.name or "tool"), "{}")
                messages.append({"role": "assistant", "content": None, "tool_calls": [_openai_call(call)]})
            messages.append({"role": "tool", "content": each.text, "tool_call_id": each.answers})
            continue
        role = each.role if each.role != "note" else "system" if each.trusted else "user"
        message: Message = {"role": role, "content": each.text or None}
        if each.name and _plain(each.name) == each.name:
            message["name"] = each.name
        elif each.name and each.text:
            message["content"] = formats.SAID_BY.format(speaker=each.name, text=each.text)
        if each.calls:
            message["tool_calls"] = [_openai_call(call) for call in each.calls]
        messages.append(message)
    return RequestPart(messages)


def _openai_call(call: ToolCall) -> dict[str, Any]:
    return {
        "id": call.id,
        "type": "function",
        "function": {"name": call.name, "arguments": call.arguments or "{}"},
    }


def _for_anthropic(said: Sequence[_Said]) -> RequestPart:
    system = [each.text for each in said if each.role == "system"]
    messages: list[Message] = []
    for each in said:
        role, blocks = _anthropic_blocks(each)
        if not blocks:
            continue
        if not messages and role == "assistant":
            messages.append({"role": "user", "content": [_text_block(formats.GOES_ON)]})
        if messages and messages[-1]["role"] == role:
            messages[-1]["content"] += blocks
        else:
            messages.append({"role": role, "content": blocks})
    messages = messages or [{"role": "user", "content": [_text_block(formats.GOES_ON)]}]
    for message in messages:
        [block, *more] = message["content"]
        if not more and block["type"] == "text":
            message["content"] = block["text"]
    return RequestPart(messages, "\n\n".join(system))


def _anthropic_blocks(each: _Said) -> tuple[str, list[dict[str, Any]]]:
    if each.role == "system":
        return "system", []
    if each.role == "tool":
        return "user", [{"type": "tool_result", "tool_use_id": each.answers, "content": each.text}]
    text = each.text.strip()
    if each.role == "orphan" and each.trusted:
        text = formats.NOTED.format(speaker=each.name or "tool", text=text)
    elif each.name and text:
        text = formats.SAID_BY.format(speaker=each.name, text=text)
    blocks = [_text_block(text)] if text else []
    blocks += [
        {"type": "tool_use", "id": call.id, "name": call.name, "input": call.to_object()}
        for call in each.calls
    ]
    return "assistant" if each.role == "assistant" else "user", blocks


def _text_block(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


_FORMS: dict[Api, Callable[[Sequence[_Said]], RequestPart]] = {
    "openai": _for_openai,
    "anthropic": _for_anthropic,
}
