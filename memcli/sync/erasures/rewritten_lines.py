"""Rewritten lines: history lines changed by an erasure are sent again, and cleaned on other machines.

For example, a tag that quotes the erased text is removed from another memory's history. A machine that
receives that line only after the erasure cannot know by itself what to remove.
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
    """Yield lines that were sent before and rewritten since, each with all lines of the same name, as now.

    `told` is how many rewritten lines were sent already, `last` the number of the last line sent. `foreign`
    ranges came from the folder `via`, whose readers have them.
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
    """Remove from local lines what an erasure removed from the same lines elsewhere.

    In the caller's transaction; `via` is the folder that the lines come from. Copies are left to
    `remote_erasures`.
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
