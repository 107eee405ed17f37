"""Messages of a session for an LLM's API: a summary of what no longer fits, then the last turns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from memcli.errors import BadInput
from memcli.model import Memory
from memcli.named_tuple import NamedTuple
from memcli.prompt import formats
from memcli.prompt.budget import estimate_tokens
from memcli.prompt.context import marked, unclosing_text
from memcli.scope import Scope
from memcli.text.printable import json_line
from memcli.text.sentences import shorten
from memcli.tiers.sessions.episodes import SessionRecord, require_session, turns_covered
from memcli.tiers.sessions.extracts import SummaryRequest, extractive_summary
from memcli.tiers.sessions.folding import SUMMARY_SHARE
from memcli.tiers.sessions.requests import Api, Message, RequestPart, SummaryText, request_part
from memcli.tiers.sessions.tool_calls import without_calls

# The tokens of a summary's frame and a line or two in it.
_LEAST = 140


def session_request(
    scope: Scope,
    session: str,
    api: Api,
    *,
    last: int | None = None,
    tokens: int | None = None,
    trusted_only: bool = False,
) -> RequestPart:
    """Return what an API is sent of a session, within a budget (`session_budget` unless `tokens` is given).

    The turns since the last fold, or with `last` so many of the newest, are verbatim. If they exceed the
    budget's share for folding, as many of the newest stay as fit, and the summary covers the others: here
    only, the store is not changed. Untrusted turns are marked, and never in a system prompt; with
    `trusted_only` they are left out. Tokens are those of the messages as printed, by
    `prompt.budget.estimate_tokens`. Raises NotFound for an empty session, BadInput for a budget that holds
    no message at all.
    """
    budget = tokens or scope.config["session_budget"]
    record = require_session(scope, session, trusted_only=trusted_only)
    room = budget
    while room > 0:
        window = _window(scope, session, record, last, room)
        part = request_part(api, window.turns, window.summaries)
        # Pairs of calls and results, and the API's frames, may cost more than the turns alone.
        over = request_cost(part) - budget
        if over <= 0:
            return part
        room -= max(over, 1)
    raise _holds_nothing(budget)


def request_cost(part: RequestPart) -> int:
    """Return the tokens of what an API is sent, as printed."""
    system = estimate_tokens(json_line({"system": part.system})) if part.system else 0
    return messages_cost(part.messages) + system


def messages_cost(listed: Sequence[Message]) -> int:
    """Return the tokens of messages as printed, line ends counted."""
    return sum(estimate_tokens(json_line(each)) + 1 for each in listed)


class _Window(NamedTuple):
    """The visible part of a session: turns, and framed summaries of the others."""

    summaries: Sequence[SummaryText]
    turns: Sequence[Memory]


def _window(scope: Scope, session: str, record: SessionRecord, last: int | None, budget: int) -> _Window:
    turns = record.unfolded if last is None else record.turns[-last:]
    shown_before = {turn.id for turn in turns}
    hidden = [turn for turn in record.unfolded if turn.id not in shown_before]
    shown = [_as_asked(scope, turn) for turn in turns]
    whole = _Window(_summaries(session, record, hidden, budget), shown)
    few = len(turns) <= scope.config["fold_keep"]
    if _cost(*whole) <= (budget if few else int(budget * scope.config["fold_at"])):
        return whole
    reserve = min(max(int(budget * SUMMARY_SHARE), _LEAST), budget // 2)
    kept = _that_fit(shown, budget - reserve, int(budget * scope.config["fold_at"]) - reserve, scope)
    hidden += turns[: len(turns) - len(kept)]
    head = _summaries(session, record, hidden, budget - _cost((), kept))
    if not head:
        # Without a summary, its reserved room is free for turns.
        kept = _that_fit(shown, budget, budget, scope)
    if not kept and not head:
        raise _holds_nothing(budget)
    return _Window(head, kept)


def _as_asked(scope: Scope, turn: Memory) -> Memory:
    """Return a turn as shown to whoever asks: an untrusted origin sees its own turns without a mark."""
    return replace(turn, trusted=True) if turn.origin == scope.untrusted_origin else turn


def _holds_nothing(budget: int) -> BadInput:
    return BadInput(f"{budget} tokens hold no message", by_hand="--tokens takes more")


def _cost(summaries: Sequence[SummaryText], turns: Sequence[Memory]) -> int:
    # Each turn by itself: a result that is separated from its call costs no less.
    alone = sum(messages_cost(request_part("openai", [turn]).messages) for turn in turns)
    return alone + messages_cost(request_part("openai", [], summaries).messages)


def _that_fit(turns: Sequence[Memory], room: int, allowed: int, scope: Scope) -> list[Memory]:
    """Return the newest turns that fit into `allowed`; `fold_keep` of them may take all the `room`."""
    kept: list[Memory] = []
    spent = 0
    for turn in reversed(turns):
        spent += _cost((), [turn])
        few = len(kept) < scope.config["fold_keep"]
        if spent > (room if few else allowed):
            break
        kept.insert(0, turn)
    if not kept and turns:
        return _shortened(turns[-1], room)
    return kept


def _shortened(newest: Memory, room: int) -> list[Memory]:
    """Return the newest turn, head and tail of it; empty if not even that fits."""

    def cut(size: int) -> Memory:
        return replace(newest, text=shorten(newest.text, size), data=without_calls(newest.data))

    low, high = 0, len(newest.text)
    while low < high:
        middle = (low + high + 1) // 2
        if _cost((), [cut(middle)]) <= room:
            low = middle
        else:
            high = middle - 1
    return [cut(low)] if low else []


def _summaries(session: str, record: SessionRecord, hidden: Sequence[Memory], room: int) -> list[SummaryText]:
    """Return the summaries of what is not shown: trusted turns, and separately untrusted ones."""
    found: list[SummaryText] = []
    for trusted in (True, False):
        before = next((each for each in record.summaries if each.trusted == trusted), None)
        some = [turn for turn in hidden if turn.trusted == trusted]
        found += _summary(session, before, some, room - _cost(found, ()), trusted=trusted)
    return found


def _summary(
    session: str, before: Memory | None, hidden: Sequence[Memory], room: int, *, trusted: bool
) -> list[SummaryText]:
    """Return the framed summary of what is not shown; empty if nothing is hidden."""
    covered = turns_covered(before)
    if not hidden and before is None:
        return []
    turns = covered + len(hidden)
    text = before.text if before else ""
    empty = _cost([_framed(session, turns, "", trusted=trusted)], ())
    within = min(room - empty, max(int(room * SUMMARY_SHARE), estimate_tokens(text)))
    while within > 0:
        if hidden or estimate_tokens(text) > within:
            text = extractive_summary(SummaryRequest(before.text if before else "", covered, hidden, within))
        head = [_framed(session, turns, text, trusted=trusted)]
        # Escaped quotes and line ends take more room in JSON than in the text.
        if text and _cost(head, ()) <= room:
            return head
        within = min(within - 1, int(within * 0.9))
    return []


def _framed(session: str, turns: int, text: str, *, trusted: bool) -> SummaryText:
    about = {} if trusted else {"trust": formats.UNTRUSTED}
    opened, note, closed = marked("session-summary", session=session, turns=str(turns), **about)
    said = unclosing_text(text, "session-summary")
    return SummaryText("\n".join([opened, note, said, closed]), trusted)
