"""`mem procedure diff`, `rollback`, `used` …: the versions of a procedure, and its outcomes."""

from typing import Annotated

import typer

from memcli import ids, times
from memcli.commands.procedure.look import Name, Note, print_written, success_line, title
from memcli.commands.terminal import options, output
from memcli.commands.terminal.store import opened_memories
from memcli.errors import BadInput
from memcli.messages import Command, message
from memcli.text import printable


def diff(
    name: Name,
    old: Annotated[int | None, typer.Argument(metavar="A", min=1, help="The version before.")] = None,
    new: Annotated[int | None, typer.Argument(metavar="B", min=1, help="[default: the newest]")] = None,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Show what changed between two versions; by default, in the last one."""
    from memcli.tiers.procedures.procedures import Procedures

    with opened_memories(db, space) as memories:
        lines = list(Procedures(memories).diff(name, old, new))
    if json:
        output.to_stdout(printable.json_line({"name": name, "diff": "".join(f"{line}\n" for line in lines)}))
        return
    for line in lines:
        output.to_stdout(printable.printable(line))


def rollback(
    name: Name,
    version: Annotated[
        int | None, typer.Argument(metavar="VERSION", min=1, help="[default: the one before]")
    ] = None,
    note: Note = None,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Put an earlier version in force again, as a new one; a deprecated procedure comes back."""
    from memcli.tiers.procedures.procedures import Procedures

    with opened_memories(db, space) as memories:
        written = Procedures(memories).rollback(name, version, note)
    print_written(written.memory, json, "" if written.new else "unchanged: it says the same")


def used(
    name: Name,
    ok: Annotated[bool, typer.Option("--ok", help="It worked.")] = False,
    failed: Annotated[
        bool, typer.Option("--failed", help="It did not work (one of the two is required).")
    ] = False,
    note: Note = None,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Report how using a procedure went; recall ranks by it."""
    from memcli.tiers.procedures.procedures import Procedures, procedure_record
    from memcli.tiers.versions import version_number

    if ok == failed:
        raise BadInput("say how it went: give --ok or --failed")
    with opened_memories(db, space) as memories:
        procedures = Procedures(memories)
        memory = procedures.report(name, ok=ok, note=note)
        better = procedures.better_earlier_version(memory)
        uncounted = memory.trusted and memories.is_untrusted
    if uncounted:
        output.to_stderr("noted, but not counted: the procedure is trusted, and whoever reports is not")
    output.to_stdout(
        printable.json_line(procedure_record(memory)) if json else f"{title(memory)}: {success_line(memory)}"
    )
    if better:
        number = version_number(better)
        output.to_stderr(
            message(
                f"version {number} worked better, {success_line(better)}: ",
                Command(f"procedure rollback {name} {number}"),
            )
        )


def deprecate(
    name: Name,
    by: Annotated[str | None, typer.Option("--by", metavar="NAME", help="What to use instead.")] = None,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Keep a procedure out of every recall; `rollback` or `mem restore` brings it back."""
    from memcli.tiers.procedures.procedures import Procedures

    with opened_memories(db, space) as memories:
        memory = Procedures(memories).deprecate(name, by)
    print_written(memory, json, str(memory.ended_why))


def versions(
    name: Name, space: options.Space = None, json: options.Json = False, db: options.Db = None
) -> None:
    """List the versions of a procedure, oldest first, with their notes and outcomes."""
    from memcli.tiers.procedures.procedures import Procedures, procedure_record
    from memcli.tiers.versions import memory_name, version_number

    with opened_memories(db, space) as memories:
        procedures = Procedures(memories)
        found = procedures.versions.versions_of(memory_name(procedures.show(name)))
    for memory in found:
        if json:
            output.to_stdout(printable.json_line(procedure_record(memory)))
            continue
        mark = " " if memory.ended_at else "*"
        note = printable.one_line(str(memory.data.get("note") or ""))
        when = times.local_time(memory.created_at)
        version = f"{mark} {version_number(memory):>3}  {when}  {ids.short_id(memory.id)}"
        output.to_stdout(f"{version}  {success_line(memory):<28}  {note}".rstrip())


def history(
    name: Name, space: options.Space = None, json: options.Json = False, db: options.Db = None
) -> None:
    """List everything that happened to a procedure: changes, and uses with their notes."""
    from memcli.tiers.procedures.procedures import Procedures

    with opened_memories(db, space) as memories:
        events = Procedures(memories).history(name)
    for number, event in events:
        if json:
            record = {"version": number, **event._asdict(), "at": times.to_iso(event.at)}
            output.to_stdout(printable.json_line(record))
        else:
            when = times.local_time(event.at, seconds=True)
            reason = printable.one_line(event.reason or "")
            output.to_stdout(f"{when}  version {number:<3}  {event.action:<8}  {reason}".rstrip())
