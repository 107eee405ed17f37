"""`mem space`: list, rename, move, export or forget the spaces of a store, and grant access to them."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memcli.commands.terminal import filters, options, output
from memcli.commands.terminal.consent import confirm_loss
from memcli.commands.terminal.store import opened_memories
from memcli.doors import SPACE, Deed
from memcli.errors import NotFound
from memcli.messages import Command, message
from memcli.text import printable
from memcli.text.counting import counted

if TYPE_CHECKING:
    from memcli.storage.walls import Walls

EXAMPLES = """
mem space list
mem space rename farm ranch
mem space move work QP6W3B9Y   # or --tag, --kind, --session
mem space export work -o work.jsonl
mem space forget ranch --yes
mem space grant work ann                  # exit 2: a file has no roles, see docs/postgresql.md
mem space grant work bot --as untrusted   # exit 2: the same
mem space grants                          # exit 2: the same
mem space revoke work ann                 # exit 2: the same
"""

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    no_args_is_help=True,
    help="List, rename, move, export or forget spaces; grant database roles access to them.",
)
Name = Annotated[str, typer.Argument(metavar="SPACE", help="A space.")]


@app.command("list")
def list_(json: options.Json = False, db: options.Db = None) -> None:
    """List the spaces with how many memories each holds."""
    from memcli.upkeep.spaces import spaces

    with opened_memories(db) as memories:
        found = spaces(memories)
    for space in found:
        line = f"{printable.one_line(space.name):<20}  {space.live:>7,} live  {space.total:>7,} in all"
        output.to_stdout(printable.json_line(space._asdict()) if json else line)
    if not found:
        raise typer.Exit(1)


@app.command()
def rename(
    old: Name,
    new: Annotated[str, typer.Argument(metavar="NEW", help="Its new name.")],
    db: options.Db = None,
) -> None:
    """Rename a space."""
    from memcli.upkeep import spaces

    with opened_memories(db) as memories:
        moved = spaces.rename_space(memories, old, new)
    number = counted(moved, "memory is", "memories are")
    output.to_stdout(f"{number} in {printable.one_line(new)} now")


@app.command()
def move(
    to: Annotated[str, typer.Argument(metavar="TO", help="The space to move them to.")],
    fragments: options.MaybeIds = None,
    tag: options.Tags = None,
    kind: options.Kinds = None,
    session: options.Sessions = None,
    everything: Annotated[bool, typer.Option("--all", help="Everything in the space.")] = False,
    space: options.Space = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would move.")] = False,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Move memories to another space: by id, or by tag, kind or session from the current space."""
    from memcli.changes.forgetting.selection import choose_memories
    from memcli.commands.terminal.changes import print_changed
    from memcli.errors import BadInput
    from memcli.upkeep import spaces

    if bool(fragments) == bool(tag or kind or session or everything):
        raise BadInput("name ids, or select them with --tag, --kind, --session or --all")
    with opened_memories(db, space) as memories:
        where = filters.filter_options(memories, tags=tag, kinds=kind, sessions=session, ended=True)
        chosen = choose_memories(memories, where, fragments or ())
        if not chosen:
            raise typer.Exit(1)
        if not dry_run:
            spaces.move_memories(memories, chosen, to)
            chosen = memories.store.get([memory.id for memory in chosen])
    print_changed(chosen, f"would move to {to}" if dry_run else f"moved to {to}", as_json=json)


@app.command()
def export(
    space: Name,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", metavar="FILE", help="The file to write, readable by you alone. [default: stdout]"
        ),
    ] = None,
    db: options.Db = None,
) -> None:
    """Export one space without loss, with its history, for `mem import`."""
    from memcli.commands import export

    export.command(space=space, out=out, history=True, db=db)


@app.command()
def forget(
    space: Name,
    hard: Annotated[bool, typer.Option("--hard", help="Erase for good, with a receipt.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be forgotten.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")] = False,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Forget everything in a space: memories and links end, blocks are deleted, tasks cleared.

    All but tasks can be brought back; checkpoints and logs stay, and are listed.
    With --hard nothing of it is left. Exits 1 if it is empty.
    """
    from memcli.commands.terminal.changes import print_forgotten
    from memcli.upkeep import spaces

    with opened_memories(db, space) as memories:
        held = spaces.space_contents(memories, ended=hard)
        if dry_run:
            print_forgotten(held.memories, "would forget", as_json=json)
            output.to_stderr(f"in {printable.one_line(space)}: {held}")
            return
        memories.require(SPACE, Deed.ERASE if hard else Deed.END, f"the space {space!r:.60}")
        how = "Erase for good" if hard else "Forget"
        confirm_loss(f"{how} space {printable.one_line(space)!r} ({held})?", yes)
        if hard:
            from memcli.changes.forgetting.targets import Targets
            from memcli.commands.terminal.receipts import print_receipt
            from memcli.sync.erasures.everywhere import erase_everywhere

            receipt = erase_everywhere(memories, Targets(held.memories), "forgotten", space=memories.space)
            print_receipt(receipt, as_json=json)
            return
        done = spaces.forget_space(memories, "forgotten")
    print_forgotten(done.memories, "forgotten, restorable", as_json=json)
    if done.links or done.blocks or done.tasks:
        output.to_stderr(
            message(
                f"links ended: {done.links:,}, blocks deleted (",
                Command("block restore"),
                f"): {done.blocks:,}, tasks cleared: {done.tasks:,}",
            )
        )
    if done.staying:
        stays = ", ".join(f"{area} {number:,}" for area, number in done.staying.items())
        output.to_stderr(f"still in the space: {stays}; --hard erases all")


Role = Annotated[str, typer.Argument(metavar="ROLE", help="A database role, of an agent or a person.")]
_OF_THE_FILE = (
    "a file has no roles: who may read it reads all of it (chmod), and spaces are kept apart by memcli"
)


@app.command()
def grant(
    space: Name,
    role: Role,
    reach: Annotated[
        str, typer.Option("--as", metavar="REACH", help="read, untrusted, or write (without erasing).")
    ] = "write",
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Grant a database role access to a space; in other spaces it finds nothing, whatever it asks.

    On PostgreSQL only, by forced row-level security. Only the owner of the tables can grant, and only to
    a role that row-level security holds. `untrusted` may do what an untrusted origin may. Granting again
    with another REACH replaces the first.
    """
    from memcli.storage.walls import Reach
    from memcli.text.checks import check_choice, check_space

    space = check_space(space)
    wanted = Reach(check_choice("--as", reach, tuple(each.value for each in Reach)))
    with _walls(db, f"letting {role} into a space") as walls:
        walls.grant(space, role, wanted)
    record = {"space": space, "role": role, "reach": wanted.value}
    said = f"{role} is let into {space} ({wanted.value}), and nowhere else by this"
    output.to_stdout(printable.json_line(record) if json else printable.one_line(said))


@app.command()
def revoke(space: Name, role: Role, json: options.Json = False, db: options.Db = None) -> None:
    """Revoke a database role's access to a space; exits 1 if it had none."""
    from memcli.text.checks import check_space

    space = check_space(space)
    with _walls(db, f"shutting {role} out") as walls:
        done = walls.revoke(space, role)
    if not done:
        raise NotFound(
            message(f"{role} was not let into {space}; ", Command("space grants"), " shows who is")
        )
    record = {"space": space, "role": role, "reach": None}
    output.to_stdout(
        printable.json_line(record)
        if json
        else printable.one_line(f"{role} is not let into {space} any more")
    )


@app.command()
def grants(json: options.Json = False, db: options.Db = None) -> None:
    """List which database roles have access to which spaces; exits 1 if there are none."""
    with _walls(db, "") as walls:
        found = walls.grants()
    for each in found:
        record = {"space": each.space, "role": each.role, "reach": each.reach.value}
        line = (
            f"{printable.one_line(each.space):<20}  {each.reach.value:<10}  {printable.one_line(each.role)}"
        )
        output.to_stdout(printable.json_line(record) if json else line)
    if not found:
        raise typer.Exit(1)


@contextmanager
def _walls(db: options.Db, deed: str) -> "Iterator[Walls]":
    """Yield the row-level security of a server's store, for its owner. Raises BadInput for a file."""
    from memcli.doors import SPACE, Deed
    from memcli.errors import BadInput

    with opened_memories(db, all_spaces=True) as memories:
        if deed:
            memories.require(SPACE, Deed.CHANGE, deed)
        if (walls := memories.store.walls()) is None:
            raise BadInput(f"{memories.store.location}: {_OF_THE_FILE}")
        yield walls
