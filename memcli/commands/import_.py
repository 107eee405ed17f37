"""`mem import`: take in an export."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from memcli.commands.terminal import options, output
from memcli.commands.terminal.input import read_lines
from memcli.commands.terminal.progress import progress_bar
from memcli.text import printable
from memcli.write_policy.settings import WriteOptions

EXAMPLES = """
mem import all.jsonl                 # merges by id
mem import copy.age --identity ~/age.key
mem import notes.jsonl --untrusted   # from somebody whose word is no proof
echo '{"text": "The office has two lifts"}' | mem import -
"""


def command(
    file: Annotated[
        str,
        typer.Argument(metavar="FILE|-", help="An export (jsonl, json), or objects with 'text'."),
    ] = "-",
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
    """Take in an export, or a file of memories, merging by id.

    Of two versions of a memory the one updated later stays. What comes from
    elsewhere passes the write policy. The rest is taken in where a line could
    not be read (exits 2) or was refused by policy (exits 3).
    """
    from memcli.upkeep.exchange.importing import Importer
    from memcli.upkeep.exchange.reading import read_records

    with options.opened_memories(db, space, create=True) as memories, progress_bar("importing") as progress:

        def decrypt(content: bytes) -> bytes:
            from memcli.keys import age
            from memcli.storage.encryption import store_salt

            return age.decrypt(content, file, identity or [], store_salt(Path(memories.store.location)))

        origin = "import:stdin" if file == "-" else f"import:{Path(file).name}"
        origin = memories.untrusted_origin or origin
        how = WriteOptions(force=force, redact=redact)
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
