"""`mem backup restore`: replace the store by a backup."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memcli import times
from memcli.commands.terminal import options, output
from memcli.commands.terminal.consent import confirm_loss
from memcli.commands.terminal.store import opened_memories, store_file
from memcli.commands.terminal.warnings import tell_left_out
from memcli.config.config import Config
from memcli.doors import COPIES, Deed
from memcli.errors import MemcliError, NoKey, NotFound, WrongKey
from memcli.scope import require
from memcli.text import printable
from memcli.upkeep.copies.files import ON_SERVER

if TYPE_CHECKING:
    from memcli.upkeep.copies.backups import Backup


def restore(
    which: Annotated[str, typer.Argument(metavar="BACKUP", help="`latest`, a path, or part of a name.")],
    force: Annotated[
        bool,
        typer.Option("--force", help="Restore even if no key opens the present store, which is set aside."),
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only verify the backup.")] = False,
    yes: options.Yes = False,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Replace the store by a backup; the present store is first kept as a backup.

    All of it or nothing, even if the power fails; commands that have the store open see the change.
    A damaged, foreign or newer file is refused; an older one is brought up to date. What was
    forgotten for good since the backup was made does not come back.
    """
    from memcli.changes.forgetting.erased_things import left_out_addresses
    from memcli.upkeep.copies import backups

    location, config = store_file(db, ON_SERVER), Config()
    path = _find(location, which, force=force)
    verdict = backups.verify_copy(path, config["busy_timeout"])
    holds = ", ".join(f"{name} {number:,}" for name, number in verdict.counts.items())
    if dry_run and verdict.ok:
        record = {"would_restore": str(path), **verdict.counts}
        output.to_stdout(printable.json_line(record) if json else f"would restore {path}: {holds}")
        return
    require(config, COPIES, Deed.CHANGE, "restoring a backup")
    if verdict.ok:
        shown = printable.one_line(str(path))
        confirm_loss(f"Put {shown} ({holds}) in the place of the store {location}?", yes)
    done = backups.restore_backup(config, location, path, times.now(), force=force)
    kept = str(done.kept) if done.kept else None
    # Some of what the copy holds may be left out.
    try:
        has = backups.holdings(location, config["busy_timeout"])
    except MemcliError as error:
        before = f", and what was there before is kept: {kept}" if kept else ""
        error.say_left(f"{path} was restored{before}")
        raise
    left_out = left_out_addresses(done.left_out)
    if json:
        record = {
            "restored": str(path),
            "kept": kept,
            "was_damaged": done.was_damaged,
            "knows_erased": done.knows_erased,
            "left_out": left_out,
            **has,
        }
        output.to_stdout(printable.json_line(record))
        return
    holds = ", ".join(f"{name} {number:,}" for name, number in has.items())
    output.to_stdout(f"restored {printable.one_line(str(path))}: {holds}")
    tell_left_out(left_out)
    if kept:
        damaged = ", damaged," if done.was_damaged else ""
        output.to_stderr(f"the store as it was{damaged} is kept: {kept}")
    if not done.knows_erased:
        output.to_stderr(
            "the store before could not be asked what was forgotten for good since that backup; "
            "if something was, forget it again"
        )


def known_backups(location: Path, *, keyless: bool = True) -> "list[Backup]":
    """Return the backups of a store; if the store cannot be opened, those beside it, with a note on stderr.

    Raises NotFound if there is neither a store nor a backup; without `keyless`, NoKey and WrongKey if no key
    opens the store.
    """
    from memcli.upkeep.copies import backups

    try:
        with opened_memories(location) as memories:
            return backups.backups(memories)
    except MemcliError as error:
        beside = backups.backups_beside(location)
        if not beside or (not keyless and isinstance(error, NoKey | WrongKey)):
            raise
        if not isinstance(error, NotFound):
            output.to_stderr(error.in_passing())
        return beside


def _find(location: Path, which: str, *, force: bool) -> Path:
    """Return the backup that `which` names; a path needs no store, and with `force` it need not open."""
    from memcli.upkeep.copies import backups

    try:
        known = known_backups(location, keyless=force)
    except (NoKey, WrongKey):
        raise
    except MemcliError:
        known = []
    return backups.find_backup(known, which)
