"""Look of procedures when printed: a version's title, its outcomes, and what was written."""

from typing import Annotated

import typer

from memcli import ids
from memcli.commands.terminal import output
from memcli.commands.terminal.store import memories_to_complete
from memcli.model import Memory
from memcli.prompt import formats
from memcli.prompt.context import marked_text
from memcli.text import printable


def _complete_name(ctx: typer.Context, incomplete: str) -> list[tuple[str, str]]:
    from memcli.tiers.versions import Versions, memory_name

    with memories_to_complete(ctx) as memories:
        live = Versions(memories, "procedure").live()
    return [
        (memory_name(memory), printable.one_line(str(memory.data.get("description", "")), 50))
        for memory in live
        if memory_name(memory).casefold().startswith(incomplete.casefold())
    ]


Name = Annotated[
    str, typer.Argument(metavar="NAME", autocompletion=_complete_name, help="A name, or part of an id.")
]
Note = Annotated[str | None, typer.Option("--note", metavar="TEXT", help="The reason, kept on record.")]


def print_written(memory: Memory, json: bool, remark: str = "") -> None:
    """Print a new version, with a remark."""
    from memcli.tiers.procedures.procedures import procedure_record

    if json:
        output.to_stdout(printable.json_line(procedure_record(memory)))
    else:
        said = f" ({printable.one_line(remark)})" if remark else ""
        output.to_stdout(f"{ids.short_id(memory.id)}  {title(memory)}{said}")


def title(memory: Memory) -> str:
    """Return its name and version."""
    from memcli.tiers.versions import memory_name, version_number

    name = printable.one_line(memory_name(memory)) or ids.short_id(memory.id)
    return f"{name} version {version_number(memory)}"


def procedure_line(memory: Memory) -> str:
    """Return a procedure as a line of a list."""
    says = printable.one_line(str(memory.data.get("description") or memory.text), 100)
    state = f"({printable.one_line(memory.ended_why or 'expired')}) " if memory.ended_at else ""
    name = printable.one_line(str(memory.data.get("name") or ids.short_id(memory.id)))
    said = f"{state}{marked_text(says, trusted=memory.trusted)}"
    return formats.PROCEDURE_LISTED.format(name=name, success=success_line(memory), text=said)


def success_line(memory: Memory) -> str:
    """Return how often it worked, in words."""
    from memcli.model import outcome_counts
    from memcli.recall.ranking.success import success_bound

    ok, failed = outcome_counts(memory.data)
    if not ok + failed:
        return "never reported"
    return f"worked {ok} of {ok + failed} (at least {success_bound(ok, failed):.0%})"
