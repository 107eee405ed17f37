"""A session as messages for an LLM's API: a summary of what no longer fits, then the last turns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from memcli import ids
from memcli.errors import BadInput
from memcli.model import NOTE_ROLES, TURN_ROLES, Memory
from memcli.prompt import formats
from memcli.prompt.budget import estimate_tokens
from memcli.prompt.context import marked, unclosing_text
from memcli.scope import Scope
from memcli.text.printable import json_line
from memcli.text.sentences import shorten
from memcli.tiers.sessions.episodes import SessionRecord, require_session, turn_role, turns_covered
from memcli.tiers.sessions.extracts import SummaryRequest, extractive_summary
from memcli.tiers.sessions.folding import SUMMARY_SHARE

# Role and content, in the order of the session; a tool's message also names its call.
Message = dict[str, Any]

# The frame of a summary and a line or two in it, in tokens.
_LEAST = 140


def session_messages(
    scope: Scope,
    session: str,
    *,
    last: int | None = None,
    tokens: int | None = None,
    trusted_only: bool = False,
) -> list[Message]:
    """The messages of a session within a budget (`session_budget` unless `tokens` is given).

    Verbatim are the turns since the last fold, or with `last` so many of the
    newest. Where they pass the budget's part for folding, as many of the
    newest stay as fit, and the summary takes in the others: here only, the
    store is not changed. What is untrusted is marked, and nobody's system prompt; with
    `trusted_only` it is left out. Tokens are those of the messages as printed, by
    `prompt.budget.estimate_tokens`. Raises NotFound for an empty session, BadInput
    for a budget that holds no message at all.
    """
    budget = tokens or scope.config["session_budget"]
    record = require_session(scope, session, trusted_only=trusted_only)
    turns = record.unfolded if last is None else record.turns[-last:]
    shown_before = {turn.id for turn in turns}
    hidden = [turn for turn in record.unfolded if turn.id not in shown_before]
    whole = [*_summaries(session, record, hidden, budget), *(_spoken(scope, turn) for turn in turns)]
    few = len(turns) <= scope.config["fold_keep"]
    if messages_cost(whole) <= (budget if few else int(budget * scope.config["fold_at"])):
        return whole
    reserve = min(max(int(budget * SUMMARY_SHARE), _LEAST), budget // 2)
    kept = _that_fit(turns, budget - reserve, int(budget * scope.config["fold_at"]) - reserve, scope)
    hidden += turns[: len(turns) - len(kept)]
    head = _summaries(session, record, hidden, budget - messages_cost(kept))
    if not head:
        # What was held free for a summary is free for turns.
        kept = _that_fit(turns, budget, budget, scope)
    if not kept and not head:
        raise BadInput(f"{budget} tokens hold no message; --tokens takes more")
    return [*head, *kept]


def turn_message(turn: Memory) -> Message:
    """One turn as a message; what is no turn comes as a system's note, and a person by name.

    What is untrusted is marked, and comes from no system.
    """
    role = turn_role(turn)
    if role in TURN_ROLES:
        named = ((name, turn.data.get(name)) for name in ("name", "tool_call_id"))
        said = turn.text if turn.trusted else _noted(turn, role)
        return {
            "role": _shown_role(role, trusted=turn.trusted), "content": said,
            **{n: v for n, v in named if isinstance(v, str)},
        }  # fmt: skip
    if role in NOTE_ROLES or not turn.trusted:
        return {"role": _shown_role("system", trusted=turn.trusted), "content": _noted(turn, role)}
    return {"role": "user", "content": formats.SAID_BY.format(speaker=role, text=turn.text)}


def _shown_role(role: str, *, trusted: bool) -> str:
    return "user" if role == "system" and not trusted else role


def _spoken(scope: Scope, turn: Memory) -> Message:
    """A turn as a message to whoever asks: to itself an untrusted origin speaks without a mark."""
    own = turn.origin == scope.untrusted_origin
    return turn_message(replace(turn, trusted=True) if own else turn)


def messages_cost(listed: Sequence[Message]) -> int:
    """Tokens of messages as printed, line ends counted."""
    return sum(estimate_tokens(json_line(each)) + 1 for each in listed)


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


def _that_fit(turns: Sequence[Memory], room: int, allowed: int, scope: Scope) -> list[Message]:
    """The newest turns that fit into `allowed`, verbatim; `fold_keep` of them may take all the `room`."""
    kept: list[Message] = []
    spent = 0
    for turn in reversed(turns):
        each = _spoken(scope, turn)
        spent += messages_cost([each])
        few = len(kept) < scope.config["fold_keep"]
        if spent > (room if few else allowed):
            break
        kept.insert(0, each)
    if not kept and turns:
        newest = _spoken(scope, turns[-1])
        return _shortened(newest, room, least=len(newest["content"]) - len(turns[-1].text))
    return kept


def _shortened(newest: Message, room: int, least: int) -> list[Message]:
    """The newest message, head and tail of it; none where not even what stands before its text fits."""
    low, high = 0, len(newest["content"])
    while low < high:
        middle = (low + high + 1) // 2
        if messages_cost([{**newest, "content": shorten(newest["content"], middle)}]) <= room:
            low = middle
        else:
            high = middle - 1
    return [{**newest, "content": shorten(newest["content"], low)}] if low > 2 * least else []


def _summaries(session: str, record: SessionRecord, hidden: Sequence[Memory], room: int) -> list[Message]:
    """What is not shown in short: what is trusted, and apart from it what is not."""
    trusted = next((each for each in record.summaries if each.trusted), None)
    other = next((each for each in record.summaries if not each.trusted), None)
    head = _summary(session, trusted, [turn for turn in hidden if turn.trusted], room)
    left = room - messages_cost(head)
    return head + _summary(session, other, [turn for turn in hidden if not turn.trusted], left, trusted=False)


def _summary(
    session: str, before: Memory | None, hidden: Sequence[Memory], room: int, *, trusted: bool = True
) -> list[Message]:
    """The system's message with the summary of what is not shown; none where nothing is hidden."""
    covered = turns_covered(before)
    if not hidden and before is None:
        return []
    turns = covered + len(hidden)
    text = before.text if before else ""
    empty = messages_cost([_framed(session, turns, "", trusted=trusted)])
    within = min(room - empty, max(int(room * SUMMARY_SHARE), estimate_tokens(text)))
    while within > 0:
        if hidden or estimate_tokens(text) > within:
            text = extractive_summary(SummaryRequest(before.text if before else "", covered, hidden, within))
        head = [_framed(session, turns, text, trusted=trusted)]
        # Quotes and line ends take more room in JSON than in the text.
        if text and messages_cost(head) <= room:
            return head
        within = min(within - 1, int(within * 0.9))
    return []


def _framed(session: str, turns: int, text: str, *, trusted: bool) -> Message:
    about = {} if trusted else {"trust": formats.UNTRUSTED}
    opened, note, closed = marked("session-summary", session=session, turns=str(turns), **about)
    said = unclosing_text(text, "session-summary")
    return {
        "role": _shown_role("system", trusted=trusted),
        "content": "\n".join([opened, note, said, closed]),
    }
