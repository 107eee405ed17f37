"""`mem sync`: sync the store with other machines through a folder."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memcli.commands.terminal import options, output
from memcli.commands.terminal.progress import progress_bar
from memcli.commands.terminal.store import opened_memories
from memcli.errors import BadInput
from memcli.messages import Command, joined, message
from memcli.system.places import expanded
from memcli.text import printable
from memcli.text.counting import counted
from memcli.write_policy.decision import quoted

if TYPE_CHECKING:
    from memcli.sync.files.folder import Folder
    from memcli.sync.report import SyncReport
    from memcli.sync.taken import Taken

# At most so many ignored files are named on stderr: a wrong folder may hold thousands.
_NAMED = 8

EXAMPLES = """
mem sync ~/Sync/memory               # on each machine, whenever; cron will do
mem sync --dry-run ~/Sync/memory
mem sync ~/Sync/sealed --encrypted --key-file ~/.config/memcli/sync.key
mem sync --lost                      # exit 1 where nothing was changed on two machines
"""


def command(
    folder: Annotated[
        Path | None,
        typer.Argument(
            metavar="[FOLDER]", help="A folder that all your machines can reach, if not at the same time."
        ),
    ] = None,
    space: Annotated[
        list[str] | None,
        typer.Option("--space", metavar="NAME", help="Only this space (repeatable); else all of them."),
    ] = None,
    encrypted: Annotated[
        bool,
        typer.Option(
            "--encrypted", help="Encrypt what is written (age); what is read may be encrypted or not."
        ),
    ] = False,
    plain: Annotated[
        bool, typer.Option("--plain", help="Write unencrypted files although the store is encrypted.")
    ] = False,
    key_file: Annotated[
        Path | None,
        typer.Option(
            "--key-file", metavar="FILE", help="The folder's key, an age identity; created if missing."
        ),
    ] = None,
    vectors: Annotated[
        bool,
        typer.Option("--vectors", help="Write vectors too: larger files, but other machines need not embed."),
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Take in even what the policy refuses.")] = False,
    lost: Annotated[
        bool,
        typer.Option(
            "--lost", help="Show what was changed on two machines, and which change was replaced here."
        ),
    ] = False,
    gone: Annotated[
        bool,
        typer.Option(
            "--gone", help="The folder is gone for good: forget it, and what was still to be erased there."
        ),
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be done.")] = False,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Exchange changes with your other machines through a folder: synced, shared, or on a stick.

    Each machine writes its own files there and reads those of the others. For each
    field the later change wins; what was ended stays ended, what was erased is erased
    everywhere. Exits 2 if a file could not be read or is not whole, or a record is damaged, 3 if the
    policy refused something, 4 if a key is missing.
    """
    if lost:
        _show_lost(db, space, as_json=json)
        return
    if folder is None:
        raise BadInput(message("name the folder: ", Command("sync", "FOLDER", bare=True)))
    from memcli.sync.report import SyncOptions
    from memcli.sync.run import drop_folder, sync_folder

    if gone:
        with opened_memories(db) as memories:
            if not drop_folder(memories, expanded(folder)):
                raise BadInput(f"{folder}: this store was never synced there")
        return
    opened = _folder(expanded(folder), encrypted, key_file, dry_run=dry_run)
    with (
        opened_memories(db, create=True, dry_run=dry_run) as memories,
        progress_bar("syncing") as progress,
    ):
        wanted = SyncOptions(
            spaces=checked_spaces(space), vectors=vectors, force=force, dry_run=dry_run, plain=plain
        )
        report = sync_folder(memories, opened, wanted, progress=progress)
    if json:
        output.to_stdout(printable.json_line(report.to_record()))
    else:
        for line in _lines(report, dry_run=dry_run):
            output.to_stdout(line)
        tell_problems(report)
    raise_for(report)


def tell_problems(report: "SyncReport") -> None:
    """Say on stderr what was ignored, what could not be read, and what was refused."""
    for note in report.notes:
        output.to_stderr(note)
    _tell_corrections(report)
    for name, why in report.left[:_NAMED]:
        output.to_stderr(f"left alone: {printable.one_line(name)}: {why}")
    if more := report.left[_NAMED:]:
        output.to_stderr(f"left alone: {len(more):,} more; --json names all")
    for name, why in report.unread:
        output.to_stderr(f"cannot be read: {printable.one_line(name)}: {why}")
    for reason in report.taken.refused:
        output.to_stderr(f"refused: {printable.one_line(reason)}")
    for receipt in report.erased.receipts:
        for place in receipt.traces:
            output.to_stderr(
                message(
                    f"STILL FOUND in {place}: what was erased elsewhere; ", Command("doctor"), " says more"
                )
            )
        for why in receipt.unfinished:
            output.to_stderr(
                f"the erasure is not ended: {printable.one_line(why)}; each command tries it again"
            )
    for why in report.still_held:
        output.to_stderr(
            f"may still hold what was erased: {printable.one_line(why)}; each sync tries it again"
        )


def _tell_corrections(report: "SyncReport") -> None:
    """Name memories corrected on one machine, and corrected or erased on another."""
    for twice in report.taken.corrected:
        stand = ", ".join(f"{quoted(each)} ({each.id})" for each in twice.stand)
        ways = [Command("forget", each.id, bare=True) for each in twice.stand]
        output.to_stderr(
            message(
                f"corrected on two machines, both stand: {stand}; drop what is wrong: ", joined(", or ", ways)
            )
        )
    for each in report.outlived:
        output.to_stderr(
            f"erased on one machine, corrected on another: {quoted(each.stands)} ({each.stands.id}) stays; "
            f"to erase it, too: {each.command}"
        )


def raise_for(report: "SyncReport") -> None:
    """Raise the exit for a report: 4 for a missing key or proof, 2 for unreadable data, 3 for refusals."""
    if report.locked or not report.verified:
        raise typer.Exit(4)
    if report.unread or report.taken.bad or report.damaged:
        raise typer.Exit(2)
    if report.taken.refused:
        raise typer.Exit(3)


def taken_lines(taken: "Taken", *, dry_run: bool = False) -> list[str]:
    """Return what was merged in, as lines for people."""
    parts = []
    for kind, one, many in (
        ("memory", "memory", "memories"),
        ("link", "link", "links"),
        ("state", "block, task or the like", "blocks, tasks and the like"),
        ("erasure", "mark of an erasure", "marks of erasures"),
    ):
        for verb, numbers in (("added", taken.added), ("changed", taken.changed)):
            if numbers[kind]:
                parts.append(f"{counted(numbers[kind], one, many)} {verb}")
    if taken.gone:
        parts.append(f"{taken.gone:,} dropped")
    if taken.events:
        parts.append(f"{counted(taken.events, 'line')} of history")
    verb = "would come in" if dry_run else "came in"
    lines = [f"{verb}: {', '.join(parts) or 'nothing new'}"]
    if taken.lost:
        shown = ", ".join(map(printable.one_line, taken.lost[:5])) + (", …" if len(taken.lost) > 5 else "")
        lines.append(
            message(
                f"changed on both, the later one stands: {shown}; ",
                Command("sync --lost"),
                " shows the other",
            )
        )
    return lines


def _lines(report: "SyncReport", *, dry_run: bool) -> list[str]:
    lines = taken_lines(report.taken, dry_run=dry_run)
    verb = "would be told" if dry_run else "told"
    files = f" in {counted(report.files, 'file')}" if report.files else ""
    others = f"; {counted(report.others, 'other machine')} in the folder"
    lines.append(
        f"{verb}: {counted(report.told, 'change') + files if report.told else 'nothing new'}{others}"
    )
    if report.would_erase:
        lines.append(f"would be erased, as they were elsewhere: {report.would_erase:,}")
    if report.erased:
        proof = "" if report.verified else ", but not proven: see below"
        what = f"{report.erased.number:,}" if report.erased.number else "from copies of the store"
        lines.append(f"erased for good, as they were elsewhere: {what}{proof}")
    if report.renewed:
        lines.append("own change files written anew, without what was erased")
    if report.sealed:
        lines.append(f"own change files that were not encrypted, and are now: {report.sealed:,}")
    return lines


def checked_spaces(named: list[str] | None) -> list[str] | None:
    """Return the spaces that options name; None means all. Raises BadInput."""
    if not named:
        return None
    from memcli.text.checks import check_space

    return [check_space(each) for each in named]


def _folder(path: Path, encrypted: bool, key_file: Path | None, *, dry_run: bool) -> "Folder":
    from memcli.sync.files.folder import Folder

    if encrypted and key_file is None:
        raise BadInput(
            "--encrypted needs --key-file FILE, which is created if missing; copy it to the other machines"
        )
    if key_file is None:
        return Folder(path)
    from memcli.sync.files.folder_key import read_or_make_key
    from memcli.sync.files.segments import Sealing

    if make := encrypted and not dry_run:
        # If the folder is mistyped, no key is created, which the next call would take for the folder's own.
        Folder(path).check()
    sealing = Sealing(read_or_make_key(expanded(key_file), path, make=make))
    return Folder(path, sealing, seals=encrypted)


def _show_lost(db: options.Db, spaces: list[str] | None, *, as_json: bool) -> None:
    from memcli import times
    from memcli.sync.lost import lost_values

    with opened_memories(db, all_spaces=True) as memories:
        every: list[dict[str, Any]] = [
            {**each._asdict(), "written": times.to_iso(each.written), "replaced": times.to_iso(each.replaced)}
            for each in lost_values(memories, spaces)
        ]
    for each in every:
        if as_json:
            output.to_stdout(printable.json_line(each))
        else:
            value = printable.one_line(printable.json_line(each["value"]))
            written = times.local_time(times.from_iso(each["written"]))
            output.to_stdout(f"{written}  {each['space']}  {each['area']}/{each['key']}  {value}")
    if not every:
        raise typer.Exit(1)
