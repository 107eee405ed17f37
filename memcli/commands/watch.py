"""`mem watch`: print changes of memories as they happen."""

import sys
from collections.abc import Iterable
from contextlib import suppress
from typing import Annotated, Any

import typer

from memcli.commands.terminal import options, output
from memcli.commands.terminal.store import opened_memories
from memcli.commands.terminal.values import instant_option
from memcli.text import printable

EXAMPLES = """
mem watch --after 3 | head -n 1 | jq -r .id    # goes on after the change that was taken care of last
sleep 1 | mem watch --since yesterday          # ends with its reader, its input, or by Ctrl-C
"""


def command(
    since: Annotated[
        str | None,
        typer.Option("--since", metavar="TIME", help="Start with the changes on record since this time."),
    ] = None,
    after: Annotated[
        int | None,
        typer.Option("--after", min=0, metavar="NUMBER", help="Start after the change with this number."),
    ] = None,
    space: options.Space = None,
    all_spaces: options.AllSpaces = False,
    json: Annotated[
        bool, typer.Option("--json", help="Accepted for uniformity: the output is JSON Lines in any case.")
    ] = False,
    db: options.Db = None,
) -> None:
    """Print changes of memories as they happen, one line of JSON each, until you stop it.

    A line has the change's `number` (for --after), the memory's id, kind and space, the action (add, edit,
    end …), the time, and which change of that memory it is (`version`). The text is not in it: `mem show ID`
    prints that. Ends with Ctrl-C, when its reader closes, and when stdin, if it is a pipe, does.
    """
    # If another file replaces the store, its changes are printed from then on.
    from memcli.changes.feed import Watch, last_number
    from memcli.system.waiting import wait_for_listener

    watch = None
    with suppress(KeyboardInterrupt):
        while watch is None or watch.is_replaced:
            with opened_memories(db, space, all_spaces=all_spaces) as memories:
                newest = last_number(memories)
                if watch:
                    watch = Watch(memories, min(watch.after, newest), all_spaces=all_spaces)
                else:
                    begin = 0 if since is not None else newest
                    watch = Watch(memories, begin if after is None else after, all_spaces=all_spaces)
                    if since is not None:
                        _tell(watch.told(instant_option(since, memories.now())))
                _tell(watch.follow(wait_for_listener, output.to_stderr))


def _tell(changes: Iterable[dict[str, Any]]) -> None:
    for change in changes:
        output.to_stdout(printable.json_line(change))
        sys.stdout.flush()
