"""Background of an answer: blocks, pinned memories, the current task, constraints, the latest turns.

Blocks and pinned memories always come along; a constraint only if it bears on the question.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from memcli.model import Filter, Memory
from memcli.prompt import formats
from memcli.prompt.sections import PINNED_TAG, Tier
from memcli.recall import session_and_task
from memcli.scope import Scope
from memcli.storage import areas
from memcli.text.printable import one_line
from memcli.tiers.context.answer import Piece

if TYPE_CHECKING:
    from memcli.recall.results import Inquiry

# How many of the current session's latest turns come along.
_TURNS = 5
# The most constraints of untrusted origin.
_UNTRUSTED = 2


def background_pieces(
    scope: Scope,
    tiers: Sequence[Tier],
    known: Sequence[Piece] = (),
    trusted: bool | None = None,
    asked: Inquiry | None = None,
) -> list[Piece]:
    """Return the background in those of `tiers` that have any, without what is `known` already.

    With `trusted` only trusted pieces; of the constraints those that bear on what is `asked`, without a
    question all that are trusted.
    """
    seen = {piece.id for piece in known}
    pieces = []
    for piece in (each for tier in tiers if tier in _COMING for each in _COMING[tier](scope, trusted, asked)):
        if piece.id is None or piece.id not in seen:
            pieces.append(piece)
            seen.add(piece.id)
    return pieces


def _blocks(scope: Scope, trusted: bool | None, asked: Inquiry | None) -> Iterator[Piece]:
    if not any(scope.store.states((scope.space,), areas.BLOCK.name)):
        return
    # Imported only if needed: most stores have no blocks, and it costs a millisecond.
    from memcli.tiers.context.blocks import blocks

    for each in blocks(scope):
        yield Piece("blocks", formats.LABELLED.format(label=one_line(each.label), text=each.text))


def _task(scope: Scope, trusted: bool | None, asked: Inquiry | None) -> Iterator[Piece]:
    """Yield the task, one part each, the goal first; indented, since it has headings of its own."""
    state = session_and_task.task_state(scope, scope.config["task"])
    if state is None:
        return
    # Imported only if needed: most recalls have no task, and these cost a few milliseconds.
    from memcli.tiers.tasks.context import task_parts
    from memcli.tiers.tasks.tasks import task_from_state, trusted_task

    task = task_from_state(state)
    for part in task_parts(shown) if (shown := trusted_task(task) if trusted else task) else ():
        yield Piece("task", "  " + part.text.replace("\n", "\n  "), trusted=part.trusted)


def _pinned(scope: Scope, trusted: bool | None, asked: Inquiry | None) -> Iterator[Piece]:
    """Yield what the owner has pinned, most important first; a tag by anybody else does not count."""
    pinned = scope.store.select(scope.within(tags=(PINNED_TAG,), trusted=True))
    for each in sorted(pinned, key=lambda each: -each.importance):
        yield Piece.of(each, "pinned")


def _constraints(scope: Scope, trusted: bool | None, asked: Inquiry | None) -> Iterator[Piece]:
    """Yield the constraints in force, those that bear most on the question first; without one, by importance.

    Untrusted constraints do not bind: only a few come, last, if they bear on a question.
    """
    where = scope.within(kinds=("constraint",), trusted=True)
    if asked is None:
        some = sorted(_in_force(scope, scope.store.select(where)), key=lambda each: -each.importance)
    else:
        some = _bearing(scope, asked, where)
        # Searched for separately, so that they displace none of the others.
        some += [] if trusted else _bearing(scope, asked, where._replace(trusted=False))[:_UNTRUSTED]
    yield from (Piece.of(each, "constraints") for each in some)


def _bearing(scope: Scope, asked: Inquiry, where: Filter) -> list[Memory]:
    if not scope.store.count(where):
        return []
    from memcli.recall.standing_rules import bearing_memories

    return _in_force(scope, bearing_memories(scope.store, asked, where))


def _in_force(scope: Scope, some: Iterable[Memory]) -> list[Memory]:
    now = scope.now()
    return [each for each in some if each.valid_from is None or each.valid_from <= now]


def _session(scope: Scope, trusted: bool | None, asked: Inquiry | None) -> Iterator[Piece]:
    session = session_and_task.session_at_hand(scope)
    where = scope.within(sessions=(session,), kinds=("episode",), trusted=trusted)
    for turn in list(scope.store.select(where, limit=_TURNS))[::-1]:
        # Among turns of the same session, its name need not be printed.
        yield Piece.of(replace(turn, session=None), "session")


_COMING: dict[Tier, Callable[[Scope, bool | None, Inquiry | None], Iterable[Piece]]] = {
    "blocks": _blocks,
    "pinned": _pinned,
    "task": _task,
    "constraints": _constraints,
    "session": _session,
}
