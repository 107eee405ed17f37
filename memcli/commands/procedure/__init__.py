"""`mem procedure`: keep procedures in versions, find them by situation, and count outcomes."""

from typing import Annotated

import typer

from memcli.commands.procedure import folder, versions
from memcli.commands.procedure.look import Name, Note, print_written, procedure_line, success_line, title
from memcli.commands.terminal import options, output
from memcli.commands.terminal.store import opened_memories
from memcli.errors import BadInput
from memcli.messages import Command, message
from memcli.prompt import formats
from memcli.text import printable
from memcli.text.counting import counted

EXAMPLES = """
mem procedure add deploy deploy.md --note "back to one test run"
mem procedure show deploy
mem procedure list --all
mem procedure find "a new version must go live"
mem procedure diff deploy
mem procedure used deploy --ok --note "on a Monday"
mem procedure versions deploy
mem procedure history deploy
mem procedure rollback deploy
mem procedure edit deploy   # in $VISUAL or $EDITOR
mem procedure deprecate rollback --by deploy
mem procedure export out
mem procedure import skills
"""

app = typer.Typer(add_completion=False, rich_markup_mode=None, no_args_is_help=True)


@app.callback()
def _procedure() -> None:
    """Keep procedures in versions, find them by situation, count how they worked."""


@app.command()
def add(
    name: Annotated[str, typer.Argument(metavar="NAME")],
    file: Annotated[
        str | None, typer.Argument(metavar="FILE|-", help="YAML, or Markdown with front matter.")
    ] = None,
    note: Note = None,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Add a procedure, or its next version: from a file, a pipe, or your editor."""
    from memcli.commands.terminal.editor import edit_text
    from memcli.commands.terminal.input import read_document
    from memcli.text.yaml_text import write_yaml
    from memcli.tiers.procedures.document import TEMPLATE, document_format
    from memcli.tiers.procedures.procedures import Procedures
    from memcli.tiers.versions import VersionOptions

    brought = read_document(file)
    with opened_memories(db, space, create=True) as memories:
        procedures = Procedures(memories)
        if brought:
            form = document_format(*brought)
            written = procedures.add(name, brought.text, form, VersionOptions(note=note), where=brought.where)
        else:
            template = TEMPLATE.format(name=write_yaml(name).strip().removesuffix("\n..."))
            with edit_text(template, "procedure.md") as document:
                if document == template:
                    raise BadInput("the template was not changed; nothing was added")
                written = procedures.add(name, document, "markdown", VersionOptions(note=note), where=name)
    print_written(written.memory, json, "" if written.new else "unchanged")


@app.command()
def edit(
    name: Name, note: Note = None, space: options.Space = None, json: options.Json = False,
    db: options.Db = None,
) -> None:  # fmt: skip
    """Edit a procedure in $VISUAL or $EDITOR; what changed is its next version."""
    from memcli.commands.terminal.editor import edit_text
    from memcli.tiers.procedures.document import SUFFIXES
    from memcli.tiers.procedures.procedures import Procedures, stored_document, stored_format
    from memcli.tiers.versions import VersionOptions, memory_name

    with opened_memories(db, space) as memories:
        procedures = Procedures(memories)
        memory = procedures.versions.find_in_force(name)
        before = stored_document(memory)
        form = stored_format(memory)
        with edit_text(before, f"procedure{SUFFIXES[form][0]}") as after:
            if after == before:
                print_written(memory, json, "unchanged")
                return
            edited = VersionOptions(note=note, replaces=memory.id)
            written = procedures.add(memory_name(memory), after, form, edited, where=name)
    print_written(written.memory, json, "" if written.new else "unchanged")


@app.command()
def show(
    name: Name,
    version: Annotated[
        int | None,
        typer.Option("--version", min=1, metavar="N", help="An earlier version. [default: the newest]"),
    ] = None,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Print a procedure; on stderr its version, how it worked, and which tools are missing here."""
    from memcli.tiers.procedures.files import file_manifest
    from memcli.tiers.procedures.procedures import (
        Procedures,
        missing_tools,
        procedure_record,
        stored_document,
    )

    with opened_memories(db, space) as memories:
        memory = Procedures(memories).show(name, version)
    if json:
        output.to_stdout(printable.json_line(procedure_record(memory)))
        return
    files = len(file_manifest(memory))
    beside = f", {counted(files, 'file')} beside it" if files else ""
    output.to_stderr(f"{title(memory)}, {success_line(memory)}{beside}")
    if memory.ended_at:
        output.to_stderr(f"no longer in force: {memory.ended_why or 'expired'}")
    if missing := missing_tools(memory):
        output.to_stderr(f"not on this machine: {', '.join(missing)}")
    if not memory.trusted:
        output.to_stdout(formats.UNTRUSTED_TEXT.format(text=f"from {printable.one_line(memory.origin)}"))
    output.to_stdout(printable.printable(stored_document(memory)).removesuffix("\n"))


@app.command("list")
def list_procedures(
    all: Annotated[bool, typer.Option("--all", "-a", help="Include deprecated and forgotten ones.")] = False,
    trusted_only: options.TrustedOnly = False,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """List procedures by name, with how they worked; exits 1 if there is none."""
    from memcli.tiers.procedures.procedures import Procedures, procedure_record

    with opened_memories(db, space) as memories:
        versions = Procedures(memories).versions
        found = versions.latest() if all else versions.live()
        found = [each for each in found if each.trusted or not trusted_only]
        nameless = len(versions.nameless())
    for memory in found:
        output.to_stdout(printable.json_line(procedure_record(memory)) if json else procedure_line(memory))
    if nameless:
        output.to_stderr(message(f"{nameless} without a name, see ", Command("list --kind procedure")))
    if not found:
        raise typer.Exit(1)


@app.command()
def find(
    situation: Annotated[
        list[str] | None, typer.Argument(metavar="SITUATION…", help="The situation; '-' reads stdin.")
    ] = None,
    limit: Annotated[int, typer.Option("-n", "--limit", min=1, metavar="N", help="At most this many.")] = 5,
    words: Annotated[
        bool, typer.Option("--words", help="Search by words only, without loading the model.")
    ] = False,
    trusted_only: options.TrustedOnly = False,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Find the procedure for a situation: by exact name first, then by meaning; exits 1 if there are none."""
    from memcli.commands.terminal.answers import print_degraded, print_nothing_found
    from memcli.commands.terminal.input import text_argument
    from memcli.recall.records import degraded_fields
    from memcli.tiers.procedures.procedures import Procedures, procedure_record

    asked = text_argument(situation, "look for")
    with opened_memories(db, space) as memories:
        answer = Procedures(memories).find(asked, limit, words_only=words, trusted=trusted_only or None)
    if not words:
        print_degraded(answer.degraded, partly=answer.partly)
    for memory, score in answer.found:
        if json:
            shown = {"score": round(score, 4), **procedure_record(memory), **degraded_fields(answer.degraded)}
            output.to_stdout(printable.json_line(shown))
        else:
            output.to_stdout(f"{score:.2f}  {procedure_line(memory)}")
    if not answer.found:
        print_nothing_found(None if words else answer.degraded, "jsonl" if json else "text")
        raise typer.Exit(1)


app.command()(versions.diff)
app.command()(versions.rollback)
app.command()(versions.used)
app.command()(versions.deprecate)
app.command()(versions.versions)
app.command()(versions.history)
app.command("export")(folder.export_folder)
app.command("import")(folder.import_folder)
