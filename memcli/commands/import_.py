"""`mem import`: import memcli's own exports, or another program's data."""

import errno
import os
import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memcli.commands.terminal import options, output
from memcli.commands.terminal.input import read_lines, read_sealed
from memcli.commands.terminal.progress import progress_bar
from memcli.commands.terminal.store import opened_memories
from memcli.errors import BadInput
from memcli.messages import Command, message
from memcli.text import printable
from memcli.write_policy.settings import WriteOptions

if TYPE_CHECKING:
    from memcli.config.location import Location
    from memcli.importers.by_space import SpacedCarrier
    from memcli.importers.own_words import OwnWords
    from memcli.importers.records import Record
    from memcli.importers.report import CarriedReport
    from memcli.importers.source import Source
    from memcli.importers.survey import Part, Survey
    from memcli.memories import Memories

EXAMPLES = """
mem import all.jsonl                 # merges by id
mem import copy.age --identity ~/age.key
mem import notes.jsonl --untrusted   # from somebody whose word is no proof
echo '{"text": "The office has two lifts"}' | mem import -
mem import --from chatgpt export.zip --dry-run   # how much there is
mem import --from claude-code ~/.claude/projects
mem import --from obsidian ~/Notes
mem import memory.jsonl              # guessed, where the file tells
mem import --from claude-code today/*.jsonl   # several
ssh desk cat logs.jsonl | mem import --from codex -
"""


def _complete_source(incomplete: str) -> list[str]:
    from memcli.importers.register import MODULES

    return [name for name in MODULES if name.startswith(incomplete)]


def command(
    files: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PATH… | -", help="Exports (jsonl, json), or another program's files or folders."
        ),
    ] = None,
    source: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="NAME",
            autocompletion=_complete_source,
            help="The program it comes from: chatgpt, claude, obsidian… (default: detected). "
            "An unknown name lists them all.",
        ),
    ] = None,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Only count what would be imported (for other programs' files)."),
    ] = False,
    space: Annotated[
        str | None, typer.Option("--space", metavar="NAME", help="For what names no space.")
    ] = None,
    untrusted: Annotated[
        bool, typer.Option("--untrusted", help="Mark it as coming from an untrusted source.")
    ] = False,
    redact: Annotated[
        bool, typer.Option("--redact", help="Remove secrets instead of refusing what holds them.")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Override the write policy; this goes on record.")
    ] = False,
    identity: Annotated[
        list[Path] | None,
        typer.Option(
            "--identity", metavar="FILE", help="Decrypt an age file with this identity (repeatable)."
        ),
    ] = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Import an export, a file of memories, or what another program keeps.

    Of two versions of a memory the one updated later stays. What comes from another
    program passes the write policy; conversations become sessions. In a folder each
    file is read as what it is; files that are not recognised are named. A line that cannot
    be read (exits 2) or is refused by policy (exits 3) keeps nothing else out.
    """
    how = _How(
        WriteOptions(force=force, redact=redact), space, db, identity or [],
        untrusted=untrusted, dry_run=dry_run, as_json=json,
    )  # fmt: skip
    paths = files or ["-"]
    if paths.count("-") > 1:
        raise BadInput("stdin is named twice (-), and can be read once; name it once")
    results = [_take(file, source, how, alone=len(paths) == 1) for file in paths]
    _tell_doubts(how.counted, how.space)
    # Unreadable input takes precedence over a refusal in the exit status.
    if status := next((each for each in (2, 3) if each in results), 0):
        raise typer.Exit(status)


@dataclass(slots=True)
class _Counted:
    """Totals over all files: imported memories that may contradict others, and those not compared."""

    doubtful: int = 0
    uncompared: int = 0


@dataclass(frozen=True, slots=True)
class _How:
    """The options of the call, which apply to every file."""

    options: WriteOptions
    space: str | None
    db: "Location | None"
    identities: list[Path]
    untrusted: bool
    dry_run: bool
    as_json: bool
    counted: _Counted = field(default_factory=_Counted)


def _tell_doubts(counted: _Counted, space: str | None) -> None:
    """Say once how many imported memories deserve a look, and which command shows them."""
    from memcli.commands.terminal.call import command_in

    audit = command_in(space, "audit") if space else Command("audit")
    if number := counted.doubtful:
        perhaps = "perhaps updates or contradicts" if number == 1 else "perhaps update or contradict"
        output.to_stderr(
            message(
                f"{number:,} of what came in {perhaps} what is there, or one another; ", audit, " shows them"
            )
        )
    elif counted.uncompared:
        output.to_stderr(message("what came in was not compared with what is there; ", audit, " does that"))


def _take(file: str, source: str | None, how: _How, *, alone: bool) -> int:
    """Import one file; return 0, or 2 if some of it could not be read, 3 if something was refused.

    If one of several files cannot be read at all, the others are imported all the same.
    """
    from memcli.importers.register import source_named

    try:
        chosen = source_named(source) if source is not None else None
        path = file if file == "-" else str(Path(file).expanduser())
        may_be = not chosen if file == "-" else file.strip() != "" and Path(path).is_file()
        sealed = read_sealed(path) if may_be else None
        if sealed is not None:
            return _take_sealed(file, sealed, chosen, how)
        return _take_open(file, chosen, how)
    except BadInput as error:
        if alone:
            raise
        output.to_stderr(str(error))
        return 2


def _take_open(file: str, chosen: "Source | None", how: _How) -> int:
    """Import a file that is not in the age format, a folder, or stdin."""
    from memcli.importers.register import check_chosen, check_open
    from memcli.importers.survey import survey

    if file == "-" and chosen:
        from memcli.commands.terminal.spool import spooled_stdin

        with spooled_stdin(chosen.suffix) as path:
            return _take_foreign(path, survey(path, chosen), how, shown="stdin")
    if file != "-" and file.strip():
        path = Path(file).expanduser()
        if chosen:
            check_chosen(path)
        found = survey(path, chosen)
        if found.parts:
            return _take_foreign(path, found, how)
        if path.is_dir():
            raise _nothing_of(path, found)
        check_open(path)
        if not path.exists():
            raise BadInput(f"{path}: cannot be read ({os.strerror(errno.ENOENT)})")
    if how.dry_run:
        raise _not_counted(file)
    return _take_own(file, how)


def _not_counted(file: str) -> BadInput:
    """Return the error why --dry-run cannot count a file that is not another program's."""
    from memcli.upkeep.exchange.importer import is_turn, no_memory
    from memcli.upkeep.exchange.record_reader import read_records

    with suppress(BadInput):
        place, record = next(read_records(read_lines(file)), ("", ""))
        if isinstance(record, dict) and is_turn(record):
            return BadInput(f"{'stdin' if file == '-' else file}: {place}: {no_memory(record)}")
    return BadInput("--dry-run counts what another program keeps; say whose by --from")


def _nothing_of(path: Path, found: "Survey") -> BadInput:
    """Return the error why nothing is imported from a folder, after reporting what is in it."""
    _tell_passed_over(found)
    if not any(path.iterdir()):
        return BadInput("is an empty folder; nothing is in it to import", about=path)
    texts = any(each.why == "plain text" for each in found.passed_over)
    way = Command(f"import --from text {shlex.quote(str(path))}") if texts else ""
    return BadInput(
        "is not recognised as the data of any program", about=path,
        by_hand=message(way, " takes its text files as notes") if way else "name the program by --from",
    )  # fmt: skip


def _take_sealed(file: str, sealed: bytes, chosen: "Source | None", how: _How) -> int:
    """Import an export in the age format, decrypted in memory, according to its contents."""
    from memcli.importers.sealed import document_in
    from memcli.importers.survey import Survey
    from memcli.keys import age
    from memcli.storage.encryption import own_salt

    with opened_memories(how.db, how.space, create=True, dry_run=how.dry_run) as memories:
        plain = age.decrypt(sealed, file, how.identities, own_salt(memories.store))
    shown = Path("stdin" if file == "-" else file)
    part = document_in(plain, shown)
    if chosen and not (part and part.source.name == chosen.name):
        raise BadInput(
            f"encrypted, and not with what {chosen.name} keeps: only memcli's own exports are decrypted",
            about=shown, by_hand="leave --from out, or decrypt it first",
        )  # fmt: skip
    if part:
        return _take_foreign(shown, Survey((part,), ()), replace(how, identities=[]))
    if how.dry_run:
        raise _not_counted(file)
    return _take_own(file, how, plain)


def _take_own(file: str, how: _How, plain: bytes | None = None) -> int:
    """Import lines of records; `plain` is the decrypted contents of the file, if it was encrypted."""
    from memcli.commands.terminal.record_files import check_records, told_reasons
    from memcli.upkeep.exchange.importer import Importer
    from memcli.upkeep.exchange.record_reader import read_records
    from memcli.write_policy.said_again import ALL_BY, told

    if plain is None:
        check_records(file)
    with (
        opened_memories(how.db, how.space, create=True) as memories,
        progress_bar("importing") as progress,
    ):
        origin = "import:stdin" if file == "-" else f"import:{Path(file).name}"
        origin = memories.untrusted_origin or origin
        trusted = not (how.untrusted or memories.is_untrusted)
        importer = Importer(memories, origin, progress, options=how.options, trusted=trusted)
        report = importer.take(read_records(read_lines(file, plain)))
    how.counted.doubtful += report.doubtful
    how.counted.uncompared += report.uncompared
    if how.as_json:
        output.to_stdout(printable.json_line(report.to_record()))
    else:
        output.to_stdout(
            f"{report.added:,} added, {report.updated:,} updated, {report.unchanged:,} unchanged, "
            f"{report.held:,} held for review, {len(report.refused):,} refused"
        )
    some = report.added + report.updated + report.unchanged + report.held
    for reason in told_reasons(report.refused, report.bad, some_taken=some > 0):
        output.to_stderr(f"{'stdin' if file == '-' else file}: {reason}")
    for line in told(report.taken_for, file, all_by=memories.by_force(ALL_BY)):
        output.to_stderr(line)
    _tell_ended(report.ended, "unchanged")
    if not any(report.to_record().values()):
        output.to_stderr(f"{'stdin' if file == '-' else file}: nothing is in it to import")
    return 0 if not report.refused else 2 if report.bad else 3


def _take_foreign(path: Path, found: "Survey", how: _How, shown: str | None = None) -> int:
    """Import other programs' files, with a report for each source; `shown` replaces the path in messages."""
    from memcli.importers.own_words import OwnWords

    if how.identities:
        raise BadInput("--identity opens an export of memcli's; leave it out")
    by_source: dict[str, list[Part]] = {}
    for part in found.parts:
        by_source.setdefault(part.source.name, []).append(part)
    with (
        opened_memories(how.db, how.space, create=True, dry_run=how.dry_run) as memories,
        progress_bar("importing") as progress,
    ):
        done = 0
        reports = []
        bad = False
        for parts in by_source.values():
            carrier = _carrier(memories, parts[0].source, how, lambda number: progress(done + number))  # noqa: B023
            own_words = None if how.options.force else OwnWords(memories, carrier.report)
            try:
                reports.append(carrier.take(_records(parts, own_words)))
            except KeyboardInterrupt as error:
                came = done + carrier.carried
                raise typer.Abort(
                    f"interrupted: {came:,} came in or were known; the same command goes on"
                ) from error
            except BadInput as error:
                if len(by_source) == 1:
                    _tell_passed_over(found)
                    raise
                bad = True
                output.to_stderr(str(error))
            done += carrier.carried
    told = [report for report in reports if not report.is_empty]
    if told:
        told[0].passed_over = [each.to_record() for each in found.passed_over]
    for report in told:
        how.counted.doubtful += report.doubtful
        _print(report, path, how, shown, memories)
    _tell_passed_over(found)
    if not told and not bad:
        raise BadInput(f"nothing to import: {shown or path} holds nothing that is kept")
    unread = bad or any(report.unreadable or report.times_unread for report in told)
    return 2 if unread else 3 if any(report.refusals for report in told) else 0


def _carrier(
    memories: "Memories", source: "Source", how: _How, progress: Callable[[int], None]
) -> "SpacedCarrier":
    from memcli.importers.by_space import SpacedCarrier

    return SpacedCarrier(
        memories, source, options=how.options, untrusted=how.untrusted, dry_run=how.dry_run, progress=progress
    )


def _records(parts: "list[Part]", own_words: "OwnWords | None") -> "Iterator[Record]":
    from memcli.importers.own_words import records_of

    for part in parts:
        yield from records_of(part.source, part.path, part.only, own_words)


def _print(report: "CarriedReport", path: Path, how: _How, shown: str | None, scope: "Memories") -> None:
    from memcli.write_policy.said_again import ALL_BY, told

    if report.gap:
        output.to_stderr(
            message(
                "kept without vectors (",
                report.gap,
                "); ",
                Command("reindex --missing"),
                " adds what is missing",
            )
        )
    if how.as_json:
        output.to_stdout(printable.json_line({**report.to_record(), "dry_run": how.dry_run}))
    else:
        for line in report.lines(dry_run=how.dry_run):
            output.to_stdout(f"{report.source}: {line}")
    for named, number in ((report.problems, report.unreadable), (report.refused, report.refusals)):
        for reason in named:
            output.to_stderr(reason.replace(str(path), shown) if shown else reason)
        if number > len(named):
            output.to_stderr(f"… and {number - len(named):,} more")
    for line in told(report.taken_for, all_by=scope.by_force(ALL_BY)):
        output.to_stderr(line.replace(str(path), shown) if shown else line)
    _tell_ended(report.ended, "known")
    if said := report.times_told():
        output.to_stderr(said.replace(str(path), shown) if shown else said)


def _tell_ended(ended: Sequence[str], called: str) -> None:
    """Say how many of the imported records had been ended here since, and how to restore them."""
    if ended:
        number = len(ended)
        back = Command(f"restore {ended[0] if number == 1 else 'ID'}")
        what = f"{number:,} of the {called} {'was' if number == 1 else 'were'} ended here since; "
        output.to_stderr(message(what, back, " brings it back" if number == 1 else " brings one back"))


def _tell_passed_over(found: "Survey") -> None:
    for each in found.passed_over:
        output.to_stderr(each.told)
