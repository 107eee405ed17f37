"""`mem snapshot diff` and `rollback`: compare states of the store, and go back to one."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memcli import ids
from memcli.commands.terminal import options, output
from memcli.commands.terminal.consent import confirm_loss
from memcli.commands.terminal.store import opened_memories
from memcli.commands.terminal.warnings import tell_left_out
from memcli.messages import Command, message
from memcli.text import printable
from memcli.text.changed_fields import field_changes

if TYPE_CHECKING:
    from memcli.upkeep.copies.difference import Difference
    from memcli.upkeep.copies.rollback import RollbackReport

_Space = Annotated[
    str | None, typer.Option("--space", metavar="NAME", help="Only this space; else all of them.")
]
# Fields that are not listed, since the line itself tells when and how something ended.
_TOLD = ("ended_at", "ended_why", "ended_as", "replaced_by")


def diff(
    old: Annotated[str, typer.Argument(metavar="A", help="The earlier snapshot.")],
    new: Annotated[
        str | None,
        typer.Argument(metavar="[B]", help="The later snapshot. [default: the store as it is now]"),
    ] = None,
    space: _Space = None,
    limit: Annotated[
        int,
        typer.Option("-n", "--limit", min=0, metavar="N", help="At most this many per kind; 0 for all."),
    ] = 20,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Show what was added, ended, changed and restored from A to B: by kind, then line by line.

    Exits 1 if nothing differs.
    """
    from memcli.upkeep.copies.snapshots import snapshot_differences

    with opened_memories(db) as memories:
        found = snapshot_differences(memories, old, new, space)
    if json:
        for each in found:
            output.to_stdout(printable.json_line(each.to_record()))
    else:
        _print_differences(found, limit, one_space=space is not None)
    if not found:
        raise typer.Exit(1)


def rollback(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The snapshot to go back to.")],
    space: _Space = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would change.")] = False,
    yes: options.Yes = False,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Go back to a snapshot: the whole store, or one space, as one change that `mem undo` takes back.

    What was learned since is ended, what ended since is in force again, blocks, tasks, checkpoints
    and links are as they were. Nothing that was forgotten for good comes back.
    """
    from memcli.upkeep.copies.difference import counts
    from memcli.upkeep.copies.rollback import roll_back
    from memcli.upkeep.copies.snapshots import find_snapshot, opened_snapshot, require_space

    with opened_memories(db) as memories:
        found = find_snapshot(memories, name)
        with opened_snapshot(memories, found) as then:
            require_space(memories, then, space)
            report = roll_back(memories, then, found.name, space, dry_run=True)
            if not dry_run and report.differences:
                what = f"space {printable.one_line(space)!r}" if space else "the whole store"
                number = len(report.differences)
                confirm_loss(
                    f"Take {what} back to {printable.one_line(found.name)!r} ({number:,} differences)?", yes
                )
                report = roll_back(memories, then, found.name, space)
    if json:
        output.to_stdout(
            printable.json_line(_record(found.name, report, counts(report.differences), dry_run))
        )
    else:
        _print_differences(report.differences, 20, one_space=space is not None)
        if report.change:
            undo = output.printed(message(Command(f"undo {report.change}", bare=True)))
            output.to_stdout(f"rolled back to {printable.one_line(found.name)}: {undo}")
        elif not report.differences:
            other = "everything else" if report.left_out or report.left else "everything"
            output.to_stderr(f"nothing to roll back: {other} is as in {printable.one_line(found.name)}")
    tell_left_out(report.left_out)
    for line in report.left:
        output.to_stderr(f"left as it is: {line}")
    if not (report.differences if dry_run else report.change):
        raise typer.Exit(1)


def _record(
    name: str, report: "RollbackReport", counted: dict[str, dict[str, int]], dry_run: bool
) -> dict[str, Any]:
    return {
        "snapshot": name, "change": report.change, "dry_run": dry_run, "memories": report.memories,
        "links": report.links, "values": report.values, "differences": counted, "left": report.left,
        "left_out": report.left_out,
    }  # fmt: skip


def _print_differences(found: "Sequence[Difference]", limit: int, *, one_space: bool) -> None:
    from memcli.upkeep.copies.difference import counts

    for what, counted in counts(found).items():
        output.to_stdout(f"{what}: {', '.join(f'{number:,} {how}' for how, number in counted.items())}")
        some = [each for each in found if each.what == what]
        for each in some[: limit or None]:
            for line in _lines(each, one_space=one_space):
                output.to_stdout(line)
        if limit and len(some) > limit:
            output.to_stderr(f"{len(some) - limit:,} more of {what}: --limit 0 shows all")


def _lines(each: "Difference", *, one_space: bool) -> Iterable[str]:
    address = ids.short_id(each.address) if ids.is_id(each.address) else each.address
    if each.what == "link":
        address = ids.short_id(each.address)
    where = "" if one_space or not each.space else f"  ({printable.one_line(each.space)})"
    text = printable.one_line(each.text, 100)
    yield f"  {each.how.value:<8} {printable.one_line(address)}  {text}{where}".rstrip()
    for name, (old, new) in each.fields.items():
        if name not in _TOLD and not (name == "text" and old is None):
            for field, before, after in field_changes(name, old, new):
                yield f"           {field}: {before} -> {after}"
    if "ended_why" in each.fields and (why := each.fields["ended_why"][1]):
        yield f"           why: {printable.one_line(str(why), 60)}"
