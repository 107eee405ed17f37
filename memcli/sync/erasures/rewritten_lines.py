"""Lines of history that an erasure rewrote: told again, and rewritten in turn where they are as they were.

A tag, say, that only the erased text explains goes from the history of another memory. A machine that
gets that line after the erasure has it whole, for nothing tells it by then what the erased text was.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from memcli.changes import foreign_lines
from memcli.changes.forgetting.twice_rewritten import left_by_both
from memcli.memories import Memories
from memcli.model import Event
from memcli.scope import Scope
from memcli.sync.erasures import pending


def rewritten_since(
    scope: Scope, told: int, last: int, foreign: Sequence[foreign_lines.Range], via: str
) -> Iterator[list[Event]]:
    """Lines that were told before and rewritten since, each with those of its name, as they are now.

    Of the rewritten ones so many were `told`, of all lines those up to the number `last`, but for
    `foreign` ones, which came from the folder `via`, whose readers are told.
    """
    noted = foreign_lines.read_rewritten(scope)
    numbers = {
        number
        for number, by in noted[told if told <= len(noted) else 0 :]
        if (not via or by != via) and (number <= last or foreign_lines.is_among(number, foreign))
    }
    seen: set[tuple[str, ...]] = set()
    for number in sorted(numbers):
        event = next(scope.store.history(after=number - 1), None)
        if event is None or event.number != number or event.name in seen:
            continue
        seen.add(event.name)
        yield [each for each in scope.store.history(event.memory) if each.name == event.name]


def take_out_as_told(memories: Memories, told: Sequence[Event], via: str) -> None:
    """Take out of lines that are here what an erasure took out where they are told.

    In the transaction of who calls; `via` is the folder they come from. Copies are for `remote_erasures`.
    """
    by_name: dict[tuple[str, ...], list[Event]] = defaultdict(list)
    for event in told:
        by_name[event.name].append(event)
    rewritten = []
    for memory in dict.fromkeys(event.memory for event in told):
        for ours in memories.store.history(memory):
            if alike := by_name.get(ours.name):
                less = left_by_both(ours, alike.pop(0))
                rewritten += [less] if less != ours else []
    memories.store.rewrite_history(rewritten)
    foreign_lines.note_rewritten(memories, rewritten, via)
    pending.note_lines(memories, rewritten)
