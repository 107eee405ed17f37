"""What comes along whatever is asked: blocks, the task at hand, constraints, the session's latest turns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from memcli.prompt import formats
from memcli.prompt.sections import Tier
from memcli.recall import session_and_task
from memcli.scope import Scope
from memcli.storage import areas
from memcli.text.printable import one_line
from memcli.tiers.context.answer import Piece

# The latest turns of the session at hand that come along.
_TURNS = 5


def background_pieces(
    scope: Scope, tiers: Sequence[Tier], known: Sequence[Piece] = (), trusted: bool | None = None
) -> list[Piece]:
    """What there is in those of `tiers` that always come along, but for what is `known` already.

    With `trusted` only what is.
    """
    seen = {piece.id for piece in known}
    pieces = [piece for tier in tiers if tier in _ALWAYS for piece in _ALWAYS[tier](scope, trusted)]
    return [piece for piece in pieces if piece.id is None or piece.id not in seen]


def _blocks(scope: Scope, trusted: bool | None) -> Iterator[Piece]:
    if not any(scope.store.states((scope.space,), areas.BLOCK.name)):
        return
    # Most stores have none, and what keeps them costs a millisecond.
    from memcli.tiers.context.blocks import blocks

    for each in blocks(scope):
        yield Piece("blocks", formats.LABELLED.format(label=one_line(each.label), text=each.text))


def _task(scope: Scope, trusted: bool | None) -> Iterator[Piece]:
    """The task a part each, the goal first; indented, for it has headings of its own."""
    state = session_and_task.task_state(scope, scope.config["task"])
    if state is None:
        return
    # Most recalls know of no task, and these cost a few milliseconds.
    from memcli.tiers.tasks.context import task_parts
    from memcli.tiers.tasks.tasks import task_from_state, trusted_task

    task = task_from_state(state)
    for part in task_parts(shown) if (shown := trusted_task(task) if trusted else task) else ():
        yield Piece("task", "  " + part.text.replace("\n", "\n  "), trusted=part.trusted)


def _constraints(scope: Scope, trusted: bool | None) -> Iterator[Piece]:
    """All that hold by now, the most important first, whether or not they resemble the question."""
    now = scope.now()
    live = scope.store.select(scope.within(kinds=("constraint",), trusted=trusted))
    holding = [each for each in live if each.valid_from is None or each.valid_from <= now]
    for each in sorted(holding, key=lambda each: (not each.trusted, -each.importance)):
        yield Piece.of(each, "constraints")


def _session(scope: Scope, trusted: bool | None) -> Iterator[Piece]:
    session = session_and_task.session_at_hand(scope)
    where = scope.within(sessions=(session,), kinds=("episode",), trusted=trusted)
    for turn in list(scope.store.select(where, limit=_TURNS))[::-1]:
        # Among its neighbours a turn needs no session.
        yield Piece.of(replace(turn, session=None), "session")


_ALWAYS: dict[Tier, Callable[[Scope, bool | None], Iterable[Piece]]] = {
    "blocks": _blocks,
    "task": _task,
    "constraints": _constraints,
    "session": _session,
}
