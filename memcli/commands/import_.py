"""`mem import`: take in an export, or what another program keeps."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memcli.commands.terminal import options, output
from memcli.commands.terminal.input import read_lines
from memcli.commands.terminal.progress import progress_bar
from memcli.errors import BadInput
from memcli.text import printable
from memcli.write_policy.settings import WriteOptions

if TYPE_CHECKING:
    from memcli.importers.records import Source

EXAMPLES = """
mem import all.jsonl                 # merges by id
mem import copy.age --identity ~/age.key
mem import notes.jsonl --untrusted   # from somebody whose word is no proof
echo '{"text": "The office has two lifts"}' | mem import -
mem import --from chatgpt export.zip --dry-run   # how much there is
mem import --from claude-code ~/.claude/projects
mem import --from obsidian ~/Notes
mem import memory.jsonl              # guessed, where the file tells
"""


def _complete_source(incomplete: str) -> list[str]:
    from memcli.importers.sources import MODULES

    return [name for name in MODULES if name.startswith(incomplete)]


def command(
    file: Annotated[
        str,
        typer.Argument(
            metavar="PATH|-", help="An export (jsonl, json), or another program's file or folder."
        ),
    ] = "-",
    source: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="NAME",
            autocompletion=_complete_source,
            help="Whose it is: chatgpt, claude, obsidian…; else guessed. An unknown name lists them all.",
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only count; for what is another program's.")
    ] = False,
    space: Annotated[
        str | None, typer.Option("--space", metavar="NAME", help="For what names no space.")
    ] = None,
    untrusted: Annotated[
        bool, typer.Option("--untrusted", help="It comes from somebody whose word is no proof.")
    ] = False,
    redact: Annotated[bool, typer.Option("--redact", help="Take secrets out instead of refusing.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Whatever the policy says; on record.")] = False,
    identity: Annotated[
        list[Path] | None,
        typer.Option("--identity", metavar="FILE", help="Decrypt an age file by this identity (repeatable)."),
    ] = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Take in an export, a file of memories, or what another program keeps.

    Of two versions of a memory the one updated later stays. What comes from
    elsewhere passes the write policy; conversations become sessions. The rest is taken
    in where a line could not be read (exits 2) or was refused by policy (exits 3).
    """
    how = WriteOptions(force=force, redact=redact)
    if found := _foreign(file, source):
        if identity:
            raise BadInput("--identity opens an export of memcli's; leave it out")
        _take_foreign(
            found, Path(file).expanduser(), how, space, json, db, untrusted=untrusted, dry_run=dry_run
        )
        return
    if dry_run:
        raise BadInput("--dry-run counts what another program keeps; say whose by --from")
    from memcli.upkeep.exchange.importing import Importer
    from memcli.upkeep.exchange.reading import read_records

    with options.opened_memories(db, space, create=True) as memories, progress_bar("importing") as progress:

        def decrypt(content: bytes) -> bytes:
            from memcli.keys import age
            from memcli.storage.encryption import own_salt

            return age.decrypt(content, file, identity or [], own_salt(memories.store))

        origin = "import:stdin" if file == "-" else f"import:{Path(file).name}"
        origin = memories.untrusted_origin or origin
        importer = Importer(
            memories, origin, progress, options=how, trusted=not (untrusted or memories.is_untrusted)
        )
        report = importer.take(read_records(read_lines(file, decrypt)))
    if json:
        output.to_stdout(printable.json_line(report.to_record()))
    else:
        output.to_stdout(
            f"{report.added:,} added, {report.updated:,} updated, {report.unchanged:,} unchanged, "
            f"{report.held:,} held for review, {len(report.refused):,} refused"
        )
    for reason in report.refused:
        output.to_stderr(f"{file}: {reason}")
    if report.refused:
        raise typer.Exit(2 if report.bad else 3)


def _foreign(file: str, source: str | None) -> Source | None:
    """Whose the file is, by name or by its look; None for memcli's own, and for what is read as its own."""
    from memcli.importers.sources import guess_source, source_named

    if source is not None:
        if file == "-":
            raise BadInput("--from reads a file or a folder; name one")
        return source_named(source)
    return None if file == "-" or not file.strip() else guess_source(Path(file).expanduser())


def _take_foreign(
    source: Source,
    path: Path,
    how: WriteOptions,
    space: str | None,
    as_json: bool,
    db: options.Db,
    *,
    untrusted: bool,
    dry_run: bool,
) -> None:
    from memcli.importers.carrier import Carrier

    with (
        options.opened_memories(db, space, create=True, dry_run=dry_run) as memories,
        progress_bar("importing") as progress,
    ):
        carrier = Carrier(
            memories, source, options=how, untrusted=untrusted, dry_run=dry_run, progress=progress
        )
        report = carrier.take(source.read(path))
    if report.is_empty:
        raise BadInput(f"nothing to import: {path} holds nothing that is kept")
    if report.gap:
        output.to_stderr(f"kept without vectors ({report.gap}); `mem reindex --missing` makes up for it")
    if as_json:
        output.to_stdout(printable.json_line({**report.to_record(), "dry_run": dry_run}))
    else:
        for line in report.lines(dry_run=dry_run):
            output.to_stdout(f"{source.name}: {line}")
    for named, number in ((report.problems, report.unreadable), (report.refused, report.refusals)):
        for reason in named:
            output.to_stderr(reason)
        if number > len(named):
            output.to_stderr(f"… and {number - len(named):,} more")
    if report.unreadable or report.refusals:
        raise typer.Exit(2 if report.unreadable else 3)
