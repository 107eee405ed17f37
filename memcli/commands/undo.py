"""`mem undo`: undo the last change, or a named one."""

from typing import TYPE_CHECKING, Annotated

import typer

from memcli import ids, times
from memcli.commands.terminal import options, output
from memcli.commands.terminal.call import command_in
from memcli.commands.terminal.store import opened_memories
from memcli.errors import BadInput
from memcli.messages import Command, message
from memcli.text import printable
from memcli.text.counting import counted

if TYPE_CHECKING:
    from memcli.changes.undo import UndoResult

EXAMPLES = """
mem undo                                                         # the last change, whole
mem undo "$(mem history C92GGS8B -n 1 --json | jq -r .change)"   # one that `mem history` names
"""


# At most so many remarks on single memories are printed.
_REMARKS = 5


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

    A second undo takes back the change before, and says so. To undo an undo, name
    it: what had waited for you waits again. What has been changed again since then
    stays as it is, and is named. What was forgotten for good cannot be brought back
    (exit status 3).
    """
    from memcli.changes.undo import undo_change

    if change is not None and not change.strip():
        raise BadInput(message("the change is empty; ", Command("history"), " shows them"))
    with opened_memories(db, space) as memories:
        undone = undo_change(memories, change)
    if json:
        record = {
            "undone": undone.change, "action": undone.action, "left": undone.left,
            "memories": [memory.to_record() for memory in undone.memories], "withdrawn": undone.withdrawn,
            "waiting": undone.waiting, "links": [link.id for link in undone.links], "values": undone.values,
            "at": undone.at and times.to_iso(undone.at), "earlier": undone.is_earlier, "undo": undone.undo,
            "passed": undone.passed, "remarks": undone.remarks,
        }  # fmt: skip
        output.to_stdout(printable.json_line(record))
    else:
        _print(undone)
    for line in undone.passed:
        output.to_stderr(f"passed over, as nothing of it is left to undo: {line}")
    for line in undone.left:
        output.to_stderr(f"left as it is: {line}")
    for line in undone.remarks[:_REMARKS]:
        output.to_stderr(line)
    if len(undone.remarks) > _REMARKS:
        output.to_stderr(f"and {len(undone.remarks) - _REMARKS} more that came back so; --json names all")
    if not undone.is_any:
        if not undone.left:
            output.to_stderr(f"nothing of it is left to undo: {_change(undone)}")
        elif change is None:
            output.to_stderr(message("the next ", Command("undo"), " goes further back"))
        output.to_stderr(
            message(
                Command("undo CHANGE"), " takes an earlier change back, ", Command("history"), " shows them"
            )
        )
        raise typer.Exit(1)
    output.to_stderr(_told(undone, memories.space, again=not memories.is_untrusted or bool(undone.memories)))


def _print(undone: "UndoResult") -> None:
    """Print what was undone, a line each."""
    from memcli.graph.links import link_statement

    for memory in undone.memories:
        text = printable.one_line(memory.text, 80)
        lives = "  (ended)" if memory.ended_at else "  (lives now)"
        output.to_stdout(f"undone: {ids.short_id(memory.id)}  {text}{lives}")
    for link in undone.links:
        output.to_stdout(f"undone: {ids.short_id(link.id)}  {printable.one_line(link_statement(link), 80)}")
    for address in undone.values:
        output.to_stdout(f"undone: {printable.one_line(address)}")
    if undone.withdrawn:
        output.to_stdout(f"withdrawn: {len(undone.withdrawn)} that waited for you")
    if undone.waiting:
        verb = "waits" if len(undone.waiting) == 1 else "wait"
        output.to_stdout(f"back: {len(undone.waiting)} that {verb} for you")


def _change(undone: "UndoResult") -> str:
    """Return the change in a few words: what it was, when, and its id."""
    when = f" of {times.local_time(undone.at, seconds=True)}" if undone.at else ""
    return f"{undone.action}{when} ({ids.short_id(undone.change)})"


def _told(undone: "UndoResult", space: str, *, again: bool) -> str:
    """Return which change was undone, when it was made, and (`again`) how to redo it."""
    head = "also undone, an earlier change" if undone.is_earlier else "undone"
    beside = [f"{len(undone.withdrawn)} that waited"] if undone.withdrawn else []
    beside += [f"{len(undone.waiting)} that wait again"] if undone.waiting else []
    some = [counted(len(undone.memories), "memory", "memories")] if undone.memories or not beside else []
    told = f"{head}: {_change(undone)}, {' and '.join(some + beside)}"
    # An undo of links alone leaves no event that could be undone.
    if again and (undone.memories or beside or undone.values):
        told = message(told, "; ", command_in(space, f"undo {ids.short_id(undone.undo)}"), " does it again")
    return told
