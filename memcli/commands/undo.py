"""`mem undo`: take back a change."""

from typing import Annotated

import typer

from memcli import ids
from memcli.commands.terminal import options, output
from memcli.commands.terminal.store import opened_memories
from memcli.errors import BadInput
from memcli.text import printable

EXAMPLES = """
mem undo                                                         # the last change, whole
mem undo "$(mem history C92GGS8B -n 1 --json | jq -r .change)"   # one that `mem history` names
"""


def command(
    change: Annotated[
        str | None,
        typer.Argument(metavar="[CHANGE]", help="A change as `mem history` names it; else the last one."),
    ] = None,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Take back the last change, or a named one; the undo is itself on record.

    What has been changed again since then stays as it is, and is named. What was
    forgotten for good cannot be brought back (exit status 3).
    """
    from memcli.changes.undo import undo_change
    from memcli.graph.links import link_statement

    if change is not None and not change.strip():
        raise BadInput("the change is empty; `mem history` shows them")
    with opened_memories(db, space) as memories:
        undone = undo_change(memories, change)
    if json:
        record = {
            "undone": undone.change, "action": undone.action, "left": undone.left,
            "memories": [memory.to_record() for memory in undone.memories], "withdrawn": undone.withdrawn,
            "links": [link.id for link in undone.links], "values": undone.values,
        }  # fmt: skip
        output.to_stdout(printable.json_line(record))
    else:
        for memory in undone.memories:
            text = printable.one_line(memory.text, 80)
            lives = "  (ended)" if memory.ended_at else "  (lives now)"
            output.to_stdout(f"undone: {ids.short_id(memory.id)}  {text}{lives}")
        for link in undone.links:
            output.to_stdout(
                f"undone: {ids.short_id(link.id)}  {printable.one_line(link_statement(link), 80)}"
            )
        for address in undone.values:
            output.to_stdout(f"undone: {printable.one_line(address)}")
        if undone.withdrawn:
            output.to_stdout(f"withdrawn: {len(undone.withdrawn)} that waited for you")
    for line in undone.left:
        output.to_stderr(f"left as it is: {line}")
    if not (undone.memories or undone.withdrawn or undone.links or undone.values):
        raise typer.Exit(1)
