"""`mem history`: show who changed what, when and why."""

from collections.abc import Iterator
from itertools import islice
from typing import Annotated

import typer

from memcli import ids, times
from memcli.changes.story import event_line
from memcli.commands.terminal import options, output
from memcli.commands.terminal.store import memory_by_id, opened_memories
from memcli.model import Event
from memcli.scope import Scope
from memcli.text import printable

EXAMPLES = """
mem history -n 5
mem history C92GGS8B   # of one memory
mem history --action correct --json | jq -r .reason
"""


def command(
    fragment: options.MaybeId = None,
    limit: Annotated[
        int | None, typer.Option("-n", "--limit", min=1, metavar="N", help="At most this many, the newest.")
    ] = None,
    action: Annotated[
        str | None,
        typer.Option(metavar="ACTION", help="Only this action: add, correct, edit, end, undo, erase …"),
    ] = None,
    change: Annotated[
        str | None,
        typer.Option(metavar="CHANGE", help="Only this change, such as one run of consolidate."),
    ] = None,
    space: options.Space = None,
    all_spaces: options.AllSpaces = False,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Show who changed what, when and why: newest first, one line per change.

    Of one memory, or of all in the space. A memory that was forgotten for good leaves only that fact.
    """
    from memcli.changes.space_history import events_in_space

    with opened_memories(db, space) as memories:
        events = _events(memories, _id(memories, fragment, all_spaces), change)
        known = events if all_spaces else events_in_space(memories, events)
        shown = 0
        chosen = (event for event in known if action in (None, event.action))
        for event in islice(chosen, limit):
            shown += 1
            output.to_stdout(printable.json_line(event_record(event)) if json else event_line(event))
    if not shown:
        raise typer.Exit(1)


def _events(scope: Scope, memory: str | None, change: str | None) -> Iterator[Event]:
    """Return the selected events, newest first."""
    if change is None:
        return scope.store.history(memory, newest_first=True)
    from memcli.changes.past_changes import events_of_change

    _, events = events_of_change(scope, change)
    return (event for event in reversed(events) if memory in (None, event.memory))


def event_record(event: Event) -> dict[str, object]:
    """Return an event of the history as JSON types."""
    return {**event._asdict(), "at": times.to_iso(event.at)}


def _id(scope: Scope, fragment: str | None, all_spaces: bool) -> str | None:
    """Return the id of a memory, also of an erased one that only the history still names."""
    if fragment is None:
        return None
    whole = fragment.strip().upper()
    if ids.is_id(whole) and not scope.store.get([whole]):
        return whole
    return memory_by_id(scope, fragment, all_spaces=all_spaces).id
