"""`mem snapshot`: name states of the whole store, compare them, and go back to one."""

from typing import Annotated

import typer

from memcli import times
from memcli.commands.snapshot.compare import diff, rollback
from memcli.commands.terminal import options, output
from memcli.commands.terminal.consent import confirm_loss
from memcli.commands.terminal.store import opened_memories
from memcli.doors import COPIES, Deed
from memcli.text import printable

EXAMPLES = """
mem snapshot create monday --note "all is well"
mem snapshot list
mem snapshot show before-cleanup
mem snapshot diff before-cleanup              # what is another since
mem snapshot diff before-cleanup --json | jq -r .how
mem snapshot rollback before-cleanup --dry-run
mem snapshot rollback before-cleanup --yes    # `mem undo` takes it back
mem snapshot drop before-cleanup --yes
"""

app = typer.Typer(add_completion=False, rich_markup_mode=None, no_args_is_help=True)
Name = Annotated[str, typer.Argument(metavar="NAME", help="A snapshot.")]


@app.callback()
def _snapshot() -> None:
    """Name a state of the whole store, see what has changed since, go back to it."""


@app.command()
def create(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="The snapshot's name. [default: the time]")
    ] = None,
    note: Annotated[str | None, typer.Option("--note", metavar="TEXT", help="What it is for.")] = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Save the whole store as it is now, all spaces, under a name; it stays until you drop it."""
    from memcli.commands.terminal.progress import copying_bar
    from memcli.upkeep.copies.files import file_of_store
    from memcli.upkeep.copies.snapshots import create_snapshot

    with (
        opened_memories(db) as memories,
        copying_bar("snapshot", file_of_store(memories.store).stat().st_size) as progress,
    ):
        made = create_snapshot(memories, name, note, progress)
    output.to_stdout(printable.json_line(made.to_record()) if json else printable.one_line(made.name))


@app.command("list")
def list_(json: options.Json = False, db: options.Db = None) -> None:
    """List the snapshots, oldest first: when, how large, how many memories; exits 1 if there are none."""
    from memcli.commands.terminal.progress import size_text
    from memcli.upkeep.copies.snapshots import snapshots

    with opened_memories(db) as memories:
        found = snapshots(memories)
    for each in found:
        if json:
            output.to_stdout(printable.json_line(each.to_record()))
            continue
        at = times.local_time(each.at) if each.at else "-"
        holds = (
            "-"
            if each.memories is None
            else f"{each.memories:,} {'memory' if each.memories == 1 else 'memories'}"
        )
        note = f"  ({printable.one_line(each.note)})" if each.note else ""
        note = note if each.size else "  BAD: the file is empty"
        name = printable.one_line(each.name)
        output.to_stdout(f"{name:<20}  {at:<16}  {size_text(each.size):>10}  {holds}{note}")
    if not found:
        raise typer.Exit(1)


@app.command()
def show(name: Name, json: options.Json = False, db: options.Db = None) -> None:
    """Show what a snapshot holds, and whether it is sound; exits 4 if it is not."""
    from memcli.commands.terminal.progress import size_text
    from memcli.model import Filter
    from memcli.upkeep.copies.backups import verify_copy
    from memcli.upkeep.copies.snapshots import find_snapshot, opened_snapshot

    by_space: dict[str, dict[str, int]] = {}
    with opened_memories(db) as memories:
        found = find_snapshot(memories, name)
        verdict = verify_copy(found.path, memories.config["busy_timeout"])
        if verdict.ok:
            with opened_snapshot(memories, found) as store:
                for space, kind, number in store.count(Filter(spaces=None, live=False)):
                    by_space.setdefault(space, {})[kind] = number
    if json:
        problems = {"ok": verdict.ok, "problems": verdict.problems}
        output.to_stdout(printable.json_line({**found.to_record(), "spaces": by_space, **problems}))
    else:
        at = times.local_time(found.at) if found.at else "-"
        output.to_stdout(f"name      {printable.one_line(found.name)}")
        output.to_stdout(f"made      {at}{f', {printable.one_line(found.note)}' if found.note else ''}")
        output.to_stdout(f"file      {printable.one_line(str(found.path))} ({size_text(found.size)})")
        for space, kinds in by_space.items():
            held = ", ".join(f"{kind} {number:,}" for kind, number in kinds.items())
            output.to_stdout(f"space     {printable.one_line(space)}: {held}")
        output.to_stdout("sound" if verdict.ok else f"BAD: {printable.one_line('; '.join(verdict.problems))}")
    if not verdict.ok:
        raise typer.Exit(4)


@app.command()
def drop(
    names: Annotated[list[str], typer.Argument(metavar="NAME…", help="Snapshots.")],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be dropped.")] = False,
    yes: options.Yes = False,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Remove snapshots for good; the store stays as it is."""
    from memcli.upkeep.copies.snapshots import drop_snapshot, find_snapshot

    with opened_memories(db) as memories:
        found = list(
            {each.label: each for each in (find_snapshot(memories, name) for name in names)}.values()
        )
        shown = ", ".join(printable.one_line(each.name) for each in found)
        if not dry_run:
            memories.require(COPIES, Deed.ERASE, "dropping a snapshot")
            confirm_loss(f"Drop {shown}?", yes)
        for each in found:
            if not dry_run:
                drop_snapshot(memories, each)
            record = {"would_drop" if dry_run else "dropped": each.name, "bytes": each.size}
            said = f"{'would drop' if dry_run else 'dropped'} {printable.one_line(each.name)}"
            output.to_stdout(printable.json_line(record) if json else said)


app.command()(diff)
app.command()(rollback)
