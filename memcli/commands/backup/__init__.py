"""`mem backup`: make, list and verify backups of the whole store, and restore one."""

from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from memcli import times
from memcli.commands.backup.restore import known_backups, restore
from memcli.commands.terminal import options, output
from memcli.commands.terminal.store import opened_memories, store_file
from memcli.config.config import Config
from memcli.errors import NotFound
from memcli.messages import Command, message
from memcli.text import printable
from memcli.upkeep.copies.files import ON_SERVER

EXAMPLES = """
mem backup                          # beside the store, until you remove it
mem backup out                      # into a folder, or to a file of that name
mem backup create out/monday.db
mem backup list
mem backup verify                   # all of them; exits 4 if one is not sound
mem backup verify latest --json | jq .memories
mem backup restore latest --dry-run
mem backup restore latest --yes
"""


class _CreateByDefault(TyperGroup):
    """A group that runs `create` with its first word as destination, unless that word is a subcommand."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Insert `create` if the first word is not a subcommand."""
        if not args or (args[0] not in self.commands and args[0] not in ("-h", "--help")):
            args = ["create", *args]
        return super().parse_args(ctx, args)


app = typer.Typer(
    cls=_CreateByDefault,
    add_completion=False,
    rich_markup_mode=None,
    subcommand_metavar="[DEST] | COMMAND [ARGS]...",
)


@app.callback()
def _backup() -> None:
    """Back the store up now; list, verify and restore backups.

    `mem backup [DEST]` is `mem backup create [DEST]`.
    """


@app.command()
def create(
    dest: Annotated[
        Path | None,
        typer.Argument(metavar="[DEST]", help="A folder, or the file to write. [default: beside the store]"),
    ] = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Make a verified copy of the whole store, readable by you alone; others may keep writing.

    It is written beside the store, where the nightly ones are, or wherever you say, and stays
    until you remove it. Nothing is overwritten but an earlier backup of the same store. `forget --hard`
    reaches it wherever it is, or says that it could not.
    """
    from memcli.commands.terminal.progress import copying_bar, size_text
    from memcli.upkeep.copies.backups import make_backup
    from memcli.upkeep.copies.files import file_of_store

    if dest is not None and not str(dest).strip(" ."):
        dest = Path.cwd() if str(dest).strip() else None
    with opened_memories(db) as memories:
        with copying_bar("backing up", file_of_store(memories.store).stat().st_size) as progress:
            path = make_backup(memories, dest, progress)
        if dest is not None and memories.store.hindrance:
            output.to_stderr(
                "the store may only be read, so this backup is not on record: no erasure will reach it"
            )
    size = path.stat().st_size
    if json:
        output.to_stdout(printable.json_line({"path": str(path), "bytes": size}))
    elif output.stdout_is_terminal():
        output.to_stdout(f"backed up to {printable.one_line(str(path))} ({size_text(size)})")
    else:
        output.to_stdout(str(path))


@app.command("list")
def list_(json: options.Json = False, db: options.Db = None) -> None:
    """List the known backups, newest first, including those elsewhere; exits 1 if there are none."""
    from memcli.commands.terminal.progress import size_text

    found = known_backups(store_file(db, ON_SERVER))
    for each in found:
        if json:
            output.to_stdout(printable.json_line(each.to_record()))
            continue
        at = times.local_time(each.at) if each.at else "-"
        size = "not there" if each.size is None else size_text(each.size)
        output.to_stdout(f"{at:<16}  {size:>10}  {each.made_for:<18}  {printable.one_line(str(each.path))}")
    if not found:
        raise typer.Exit(1)


@app.command()
def verify(
    which: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[BACKUP…]", help="`latest`, a path, or part of a name. [default: all there are]"
        ),
    ] = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Verify backups: readable, of a known schema, and every row as it was written.

    Exits 4 if one is not sound, 1 if there is none.
    """
    from memcli.upkeep.copies import backups

    known, patience = known_backups(store_file(db, ON_SERVER)), Config()["busy_timeout"]
    if which:
        paths = [backups.find_backup(known, each) for each in which]
    else:
        paths = [each.path for each in known if each.size is not None and not each.is_set_aside]
    well = True
    for path in paths:
        verdict = backups.verify_copy(path, patience)
        well = well and verdict.ok
        if json:
            output.to_stdout(printable.json_line(verdict.to_record()))
            continue
        holds = ", ".join(f"{name} {number:,}" for name, number in verdict.counts.items())
        said = holds if verdict.ok else "; ".join(verdict.problems)
        output.to_stdout(f"{'ok  ' if verdict.ok else 'BAD '} {printable.one_line(f'{path}: {said}')}")
    if not paths:
        raise NotFound(message("there is no backup yet; ", Command("backup"), " makes one"))
    if not well:
        raise typer.Exit(4)


app.command()(restore)
