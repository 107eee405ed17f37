"""Start of a session: what an agent should know without having asked anything."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from memcli import ids
from memcli.changes.open_questions import unsettled_pairs
from memcli.memories import Memories
from memcli.model import Filter, Memory, is_past
from memcli.prompt import formats
from memcli.prompt.sections import TIERS, Tier, tier_of
from memcli.recall.agenda.due_dates import (
    days_due,
    due_at,
    is_overdue,
    listed_as_promised,
    next_on,
    only_names_coming_day,
)
from memcli.recall.agenda.errands import open_errands_of
from memcli.recall.agenda.replaced import below_the_newer, newest_of
from memcli.recall.agenda.summary_lines import with_lines_of_summaries
from memcli.recall.closed_questions import ClosedQuestions
from memcli.text.printable import one_line
from memcli.tiers.context.answer import PROMPT, Answer, AnswerForm, Piece
from memcli.tiers.context.background import background_pieces
from memcli.tiers.context.gather import fit_budget, without_restated_constraints
from memcli.tiers.policies.policies import Policies
from memcli.write_policy.review import list_held

# How many preferences come along, the strongest first.
_PREFERENCES = 10
_WARNINGS = 5
# How many open questions come along, and how many characters of each text.
_QUESTIONS, _QUESTIONED = 5, 160
# How many of the newest memories are searched for due items and promises.
_LOOKED_OVER = 5000
# The most untrusted pieces in a tier. Untrusted constraints are left out entirely: without a question there
# is nothing that one could bear on.
_UNTRUSTED = 3
_BOUNDED: tuple[Tier, ...] = ("warnings", "due", "promised", "open", "preferences")


# The tiers for the start of a session; the others answer a question.
START_TIERS: tuple[Tier, ...] = (
    "blocks", "pinned", "task", "policies", "constraints", "warnings", "due", "promised", "open",
    "preferences", "session",
)  # fmt: skip


# The tiers that exist for a past time; blocks and tasks are only known as of now.
PAST_TIERS: tuple[Tier, ...] = ("policies", "constraints", "warnings", "due", "promised", "preferences")


def answer_at_start(
    memories: Memories,
    tiers: Sequence[Tier] = START_TIERS,
    *,
    past: tuple[datetime, datetime] | None = None,
    budget: int | None = None,
    form: AnswerForm = PROMPT,
    trusted: bool | None = None,
) -> Answer:
    """Return an answer without a question: what there is in each tier, the session's latest turns last.

    With `past` what was true, due or promised then, of PAST_TIERS. A `budget` is in tokens of the page that
    `form` prints. With `trusted` only trusted pieces.
    """
    pieces = _pieces_of_past(memories, tiers, past, trusted) if past else _pieces(memories, tiers, trusted)
    answer = Answer("", memories.space, without_restated_constraints(list(_bounded(pieces))))
    return fit_budget(memories, answer, budget, form)


def _bounded(pieces: Sequence[Piece]) -> Iterator[Piece]:
    """Yield the pieces without untrusted ones beyond the limit of their tier."""
    seen: Counter[Tier] = Counter()
    for piece in pieces:
        if not piece.trusted and piece.tier in _BOUNDED:
            seen[piece.tier] += 1
            if seen[piece.tier] > _UNTRUSTED:
                continue
        yield piece


def _newest(memories: Memories, where: Filter) -> list[Memory]:
    """Return the newest memories, trusted ones first; untrusted ones displace none of these."""
    newest = list(memories.store.select(where, limit=_LOOKED_OVER))
    trusted = [each for each in newest if each.trusted]
    others = [each for each in newest if not each.trusted]
    if others and len(newest) == _LOOKED_OVER:
        trusted = list(memories.store.select(where._replace(trusted=True), limit=_LOOKED_OVER))
    return trusted + others


def _pieces(memories: Memories, tiers: Sequence[Tier], trusted: bool | None) -> list[Piece]:
    found = background_pieces(memories, [tier for tier in tiers if tier != "session"], trusted=trusted)
    newest = _newest(memories, memories.within(trusted=trusted))
    now = memories.now()
    errands = open_errands_of(newest, now, ClosedQuestions(memories.store, (memories.space,)).holds)
    updates = errands.updates
    due = _due_pieces(errands.due, updates, now)
    preferences = sorted((each for each in newest if each.kind == "preference"), key=_trusted_first)
    by_tier: dict[Tier, Sequence[Memory]] = {
        "policies": [each.memory for each in Policies(memories).live() if each.memory.trusted],
        "warnings": [each for each in newest if tier_of(each) == "warnings"][:_WARNINGS],
        "preferences": preferences[:_PREFERENCES],
    }
    promised = [_piece(*each, "promised") for each in below_the_newer(errands.promised, updates)]
    promised = [_dated(piece, now) for piece in promised]
    for tier in TIERS:
        if tier == "due" and tier in tiers:
            # A rule that falls due ("Bis Freitag muss …") is listed under the due items; not if done.
            over = {each.id for plan in errands.closed for each in (plan, newest_of(plan, updates))}
            falling = {piece.id for piece in due} | over
            found = [piece for piece in found if piece.tier != "constraints" or piece.id not in falling]
            found = [_dated(piece, now) if piece.tier == "constraints" else piece for piece in found]
        known = {piece.id for piece in found}
        if tier in ("due", "promised") and tier in tiers:
            dated = due if tier == "due" else promised
            found += [piece for piece in dated if piece.id not in known]
            if tier == "due":
                found += _named_beside(newest, [*dated, *map(Piece.of, errands.closed)], now)
            if errands.closed and tier == ("due" if "due" in tiers else "promised"):
                found.append(Piece(tier, formats.MORE_CLOSED.format(count=len(errands.closed))))
        elif tier in tiers and tier in by_tier:
            found += [Piece.of(each, tier) for each in by_tier[tier] if each.id not in known]
    if "open" in tiers:
        found += _open_questions(memories, newest, trusted)
        of_others = memories.within(kinds=("constraint",), trusted=False)
        left_out = sum(number for _, _, number in memories.store.count(of_others))
        if left_out and not trusted:
            found += [Piece("open", formats.UNTRUSTED_CONSTRAINTS.format(count=left_out))]
        if waiting := sum(1 for _ in list_held(memories)):
            found += [Piece("open", formats.WAITING.format(count=waiting))]
    return [
        *found,
        *background_pieces(memories, [tier for tier in tiers if tier == "session"], found, trusted),
    ]


def _piece(memory: Memory, newer: str | None, tier: Tier) -> Piece:
    return Piece.of(memory, tier)._replace(updated_by=newer)


def _dated(piece: Piece, now: datetime) -> Piece:
    """Return a piece that is not listed as due, with the later day on which it falls due, if any."""
    return piece._replace(due=_next_day(piece.memory, now)) if piece.memory else piece


def _due_pieces(
    due: Sequence[tuple[datetime, Memory]], updates: Mapping[str, Memory], now: datetime
) -> list[Piece]:
    """Return due memories with their days; each that may be replaced is below its update."""
    falling = {each.id: when for when, each in due}
    pieces = [_piece(*each, "due") for each in below_the_newer([each for _, each in due], updates)]
    return [
        piece._replace(due=falling.get(piece.id) or _next_day(piece.memory, now))
        for piece in pieces
        if piece.id and piece.memory
    ]


def _named_beside(memories: Sequence[Memory], listed: Sequence[Piece], now: datetime) -> Iterator[Piece]:
    """Yield a line on how many more memories only name one of these days, if any."""
    shown = {piece.id for piece in listed}
    count = sum(1 for each in memories if each.id not in shown and only_names_coming_day(each, now))
    if count:
        yield Piece("due", formats.MORE_NAMED.format(count=count))


def _next_day(memory: Memory, now: datetime) -> datetime | None:
    coming = (next_on(day, now) for day in days_due(memory, now))
    return min((when for when in coming if not is_overdue(when, now)), default=None)


def _open_questions(memories: Memories, newest: Sequence[Memory], trusted: bool | None) -> Iterator[Piece]:
    """Yield the newest contradictions that nobody has decided on."""
    pairs = [
        each
        for each in unsettled_pairs(memories, newest)
        if not trusted or (each.older.trusted and each.newer.trusted)
    ]
    for each in pairs[:_QUESTIONS]:
        text = formats.OPEN_QUESTION.format(
            asked=each.asked,
            older=one_line(each.older.text, _QUESTIONED), id=ids.short_id(each.older.id),
            newer=one_line(each.newer.text, _QUESTIONED), other=ids.short_id(each.newer.id),
        )  # fmt: skip
        yield Piece("open", text, trusted=each.older.trusted and each.newer.trusted)
    if len(pairs) > _QUESTIONS:
        yield Piece("open", formats.MORE_QUESTIONS.format(count=len(pairs) - _QUESTIONS))


def _trusted_first(memory: Memory) -> tuple[bool, float, int]:
    believed, confirmed, _ = firmness(memory)
    return not memory.trusted, -believed, -confirmed


def _pieces_of_past(
    memories: Memories, tiers: Sequence[Tier], past: tuple[datetime, datetime], trusted: bool | None
) -> list[Piece]:
    where = memories.within(past=past, past_only=True, trusted=trusted)
    true_then = _newest(memories, where)
    now = memories.now()
    told_then = with_lines_of_summaries(true_then)
    due = sorted(
        (when, each.id, each) for each in told_then if (when := due_at(each, past[1], overdue=False))
    )
    by_tier: dict[Tier, Sequence[Memory]] = {
        "policies": [each for each in true_then if each.kind == "policy" and each.trusted],
        "constraints": sorted(
            (each for each in true_then if each.kind == "constraint" and each.trusted),
            key=lambda each: -each.importance,
        ),
        "warnings": [each for each in true_then if tier_of(each) == "warnings"][:_WARNINGS],
        "due": [each for _, _, each in due],
        "promised": listed_as_promised(told_then, past[1]),
        "preferences": sorted((each for each in true_then if each.kind == "preference"), key=_trusted_first)[
            :_PREFERENCES
        ],
    }
    found: dict[str, Piece] = {}
    for tier in tiers:
        for each in by_tier.get(tier, ()):
            found.setdefault(each.id, Piece.of(each, tier)._replace(past=is_past(each, now)))
    return list(found.values())


def firmness(memory: Memory) -> tuple[float, int, str]:
    """Return how firmly something is held: confidence times importance, then confirmations (a sort key)."""
    return (memory.confidence * memory.importance, memory.confirm_count, memory.id)
