"""`mem procedure`: what to do in which situation, in versions."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from memcli import ids, times
from memcli.commands.terminal import options, output
from memcli.errors import BadInput
from memcli.model import Memory
from memcli.prompt import formats
from memcli.prompt.budget import clip
from memcli.prompt.context import marked_text
from memcli.text import printable

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


def _complete_name(ctx: typer.Context, incomplete: str) -> list[tuple[str, str]]:
    from memcli.tiers.versions import Versions, memory_name

    with options.memories_to_complete(ctx) as memories:
        live = Versions(memories, "procedure").live()
    return [
        (memory_name(memory), printable.one_line(str(memory.data.get("description", "")))[:50])
        for memory in live
        if memory_name(memory).casefold().startswith(incomplete.casefold())
    ]


Name = Annotated[
    str, typer.Argument(metavar="NAME", autocompletion=_complete_name, help="A name, or part of an id.")
]
Note = Annotated[str | None, typer.Option("--note", metavar="TEXT", help="Why, for the record.")]


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
    """Keep a procedure, or its next version: from a file, a pipe, or your editor."""
    from memcli.commands.terminal.editor import edit_text
    from memcli.commands.terminal.input import read_document
    from memcli.text.yaml_text import write_yaml
    from memcli.tiers.procedures.document import TEMPLATE, document_format
    from memcli.tiers.procedures.procedures import Procedures

    text = read_document(file)
    with options.opened_memories(db, space, create=True) as memories:
        procedures = Procedures(memories)
        if text is not None:
            where = "stdin" if file in (None, "-") else str(file)
            written = procedures.add(name, text, document_format(text, where), where=where, note=note)
        else:
            template = TEMPLATE.format(name=write_yaml(name).strip().removesuffix("\n..."))
            with edit_text(template, "procedure.md") as document:
                if document == template:
                    raise BadInput("the template came back as it was; nothing was added")
                written = procedures.add(name, document, "markdown", where=name, note=note)
    _print_written(written.memory, json, "" if written.new else "unchanged")


@app.command()
def edit(
    name: Name, note: Note = None, space: options.Space = None, json: options.Json = False,
    db: options.Db = None,
) -> None:  # fmt: skip
    """Edit a procedure in $VISUAL or $EDITOR; what changed is its next version."""
    from memcli.commands.terminal.editor import edit_text
    from memcli.tiers.procedures.document import SUFFIXES
    from memcli.tiers.procedures.procedures import Procedures, stored_document, stored_format
    from memcli.tiers.versions import memory_name

    with options.opened_memories(db, space) as memories:
        procedures = Procedures(memories)
        memory = procedures.versions.find_in_force(name)
        before = stored_document(memory)
        form = stored_format(memory)
        with edit_text(before, f"procedure{SUFFIXES[form][0]}") as after:
            if after == before:
                _print_written(memory, json, "unchanged")
                return
            written = procedures.add(
                memory_name(memory), after, form, where=name, note=note, replaces=memory.id
            )
    _print_written(written.memory, json, "" if written.new else "unchanged")


@app.command()
def show(
    name: Name,
    version: Annotated[
        int | None, typer.Option("--version", min=1, metavar="N", help="Not the newest.")
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

    with options.opened_memories(db, space) as memories:
        memory = Procedures(memories).show(name, version)
    if json:
        output.to_stdout(printable.json_line(procedure_record(memory)))
        return
    files = len(file_manifest(memory))
    beside = f", {files} files beside it" if files else ""
    output.to_stderr(f"{_title(memory)}, {_success(memory)}{beside}")
    if memory.ended_at:
        output.to_stderr(f"no longer in force: {memory.ended_why or 'expired'}")
    if missing := missing_tools(memory):
        output.to_stderr(f"not on this machine: {', '.join(missing)}")
    if not memory.trusted:
        output.to_stdout(formats.UNTRUSTED_TEXT.format(text=f"from {printable.one_line(memory.origin)}"))
    output.to_stdout(printable.printable(stored_document(memory)).removesuffix("\n"))


@app.command("list")
def list_procedures(
    all: Annotated[bool, typer.Option("--all", "-a", help="Deprecated and forgotten ones too.")] = False,
    trusted_only: options.TrustedOnly = False,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """List procedures by name, with how they worked; exits 1 where there is none."""
    from memcli.tiers.procedures.procedures import Procedures, procedure_record

    with options.opened_memories(db, space) as memories:
        versions = Procedures(memories).versions
        found = versions.latest() if all else versions.live()
        found = [each for each in found if each.trusted or not trusted_only]
        nameless = len(versions.nameless())
    for memory in found:
        output.to_stdout(printable.json_line(procedure_record(memory)) if json else _line(memory))
    if nameless:
        output.to_stderr(f"{nameless} without a name, see `mem list --kind procedure`")
    if not found:
        raise typer.Exit(1)


@app.command()
def find(
    situation: Annotated[
        list[str] | None, typer.Argument(metavar="SITUATION…", help="What is at hand; '-' reads stdin.")
    ] = None,
    limit: Annotated[int, typer.Option("-n", "--limit", min=1, metavar="N", help="At most this many.")] = 5,
    words: Annotated[bool, typer.Option("--words", help="By words only; the model is not loaded.")] = False,
    trusted_only: options.TrustedOnly = False,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Find the procedure for a situation: by exact name first, then by meaning; exits 1 for none."""
    from memcli.commands.terminal.input import text_argument
    from memcli.tiers.procedures.procedures import Procedures, procedure_record

    asked = text_argument(situation, "look for")
    with options.opened_memories(db, space) as memories:
        answer = Procedures(memories).find(asked, limit, words_only=words, trusted=trusted_only or None)
    if answer.degraded and not words:
        output.to_stderr(f"searched by words only: {answer.degraded}")
    for memory, score in answer.found:
        if json:
            output.to_stdout(printable.json_line({"score": round(score, 4), **procedure_record(memory)}))
        else:
            output.to_stdout(f"{score:.2f}  {_line(memory)}")
    if not answer.found:
        raise typer.Exit(1)


@app.command()
def diff(
    name: Name,
    old: Annotated[int | None, typer.Argument(metavar="A", min=1, help="The version before.")] = None,
    new: Annotated[int | None, typer.Argument(metavar="B", min=1, help="The newest.")] = None,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Show what changed between two versions; by default, in the last one."""
    from memcli.tiers.procedures.procedures import Procedures

    with options.opened_memories(db, space) as memories:
        lines = list(Procedures(memories).diff(name, old, new))
    if json:
        output.to_stdout(printable.json_line({"name": name, "diff": "".join(f"{line}\n" for line in lines)}))
        return
    for line in lines:
        output.to_stdout(printable.printable(line))


@app.command()
def rollback(
    name: Name,
    version: Annotated[int | None, typer.Argument(metavar="VERSION", min=1, help="The one before.")] = None,
    note: Note = None,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Put an earlier version in force again, as a new one; a deprecated procedure comes back."""
    from memcli.tiers.procedures.procedures import Procedures

    with options.opened_memories(db, space) as memories:
        written = Procedures(memories).rollback(name, version, note)
    _print_written(written.memory, json, "" if written.new else "unchanged: it says the same")


@app.command()
def used(
    name: Name,
    ok: Annotated[bool, typer.Option("--ok", help="It worked.")] = False,
    failed: Annotated[bool, typer.Option("--failed", help="It did not; one of both is needed.")] = False,
    note: Note = None,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Report how using a procedure went; recall ranks by it."""
    from memcli.tiers.procedures.procedures import Procedures, procedure_record
    from memcli.tiers.versions import version_number

    if ok == failed:
        raise BadInput("say how it went: --ok or --failed, one of them")
    with options.opened_memories(db, space) as memories:
        procedures = Procedures(memories)
        memory = procedures.report(name, ok=ok, note=note)
        better = procedures.replace_if_better(memory)
        uncounted = memory.trusted and memories.is_untrusted
    if uncounted:
        output.to_stderr("on record, not counted: it is trusted, and whoever reports is not")
    output.to_stdout(
        printable.json_line(procedure_record(memory)) if json else f"{_title(memory)}: {_success(memory)}"
    )
    if better:
        number = version_number(better)
        output.to_stderr(
            f"version {number} worked better, {_success(better)}: `mem procedure rollback {name} {number}`"
        )


@app.command()
def deprecate(
    name: Name,
    by: Annotated[str | None, typer.Option("--by", metavar="NAME", help="What to use instead.")] = None,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Take a procedure out of every recall; `rollback` or `mem restore` brings it back."""
    from memcli.tiers.procedures.procedures import Procedures

    with options.opened_memories(db, space) as memories:
        memory = Procedures(memories).deprecate(name, by)
    _print_written(memory, json, str(memory.ended_why))


@app.command()
def versions(
    name: Name, space: options.Space = None, json: options.Json = False, db: options.Db = None
) -> None:
    """List the versions of a procedure, oldest first, with their notes and outcomes."""
    from memcli.tiers.procedures.procedures import Procedures, procedure_record
    from memcli.tiers.versions import memory_name, version_number

    with options.opened_memories(db, space) as memories:
        procedures = Procedures(memories)
        found = procedures.versions.versions_of(memory_name(procedures.show(name)))
    for memory in found:
        if json:
            output.to_stdout(printable.json_line(procedure_record(memory)))
            continue
        mark = " " if memory.ended_at else "*"
        note = printable.one_line(str(memory.data.get("note") or ""))
        when = times.local_time(memory.created_at)
        version = f"{mark} {version_number(memory):>3}  {when}  {ids.short_id(memory.id)}"
        output.to_stdout(f"{version}  {_success(memory):<28}  {note}".rstrip())


@app.command()
def history(
    name: Name, space: options.Space = None, json: options.Json = False, db: options.Db = None
) -> None:
    """List everything that happened to a procedure: changes, and uses with their notes."""
    from memcli.tiers.procedures.procedures import Procedures

    with options.opened_memories(db, space) as memories:
        events = Procedures(memories).history(name)
    for number, event in events:
        if json:
            record = {"version": number, **event._asdict(), "at": times.to_iso(event.at)}
            output.to_stdout(printable.json_line(record))
        else:
            when = times.local_time(event.at, seconds=True)
            reason = printable.one_line(event.reason or "")
            output.to_stdout(f"{when}  version {number:<3}  {event.action:<8}  {reason}".rstrip())


@app.command("export")
def export_folder(
    folder: Annotated[Path, typer.Argument(metavar="DIR")],
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Write every procedure in force into a folder, one file each; skills as their SKILL.md folders."""
    from memcli.tiers.procedures.folder import export_procedures

    with options.opened_memories(db, space) as memories:
        exported = export_procedures(memories, folder)
    if exported.untrusted:
        names = ", ".join(map(printable.one_line, exported.untrusted))
        output.to_stderr(f"left out, untrusted: {names}; look at it, then `mem edit ID --trusted`")
    if json:
        record = {
            "written": [str(path) for path in exported.written], "unchanged": len(exported.unchanged),
            "untrusted": exported.untrusted,
        }  # fmt: skip
        output.to_stdout(printable.json_line(record))
        return
    for path in exported.written:
        output.to_stdout(str(path))
    output.to_stderr(f"{len(exported.written)} written, {len(exported.unchanged)} unchanged")


@app.command("import")
def import_folder(
    folder: Annotated[Path, typer.Argument(metavar="DIR|FILE")],
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Take in a folder of procedures or skills, or one file; exits 2 if anything was refused."""
    from memcli.tiers.procedures.folder import LeftOut, import_procedures

    new = same = refused = 0
    with options.opened_memories(db, space, create=True) as memories:
        for file, written in import_procedures(memories, folder):
            if isinstance(written, LeftOut):
                named = folder.is_file()
                refused += named or written.refused
                output.to_stderr(f"{folder if named else folder / file}: {written.why}")
                continue
            new, same = new + written.new, same + (not written.new)
            if written.new:
                _print_written(written.memory, json)
    output.to_stderr(f"{new} new or changed, {same} unchanged, {refused} refused")
    if refused:
        raise typer.Exit(2)


def _print_written(memory: Memory, json: bool, remark: str = "") -> None:
    from memcli.tiers.procedures.procedures import procedure_record

    if json:
        output.to_stdout(printable.json_line(procedure_record(memory)))
    else:
        said = f" ({printable.one_line(remark)})" if remark else ""
        output.to_stdout(f"{ids.short_id(memory.id)}  {_title(memory)}{said}")


def _title(memory: Memory) -> str:
    from memcli.tiers.versions import memory_name, version_number

    name = printable.one_line(memory_name(memory)) or ids.short_id(memory.id)
    return f"{name} version {version_number(memory)}"


def _line(memory: Memory) -> str:
    says = clip(printable.one_line(str(memory.data.get("description") or memory.text)), 100)
    state = f"({printable.one_line(memory.ended_why or 'expired')}) " if memory.ended_at else ""
    name = printable.one_line(str(memory.data.get("name") or ids.short_id(memory.id)))
    return f"{name:<24}  {_success(memory):<28}  {state}{marked_text(says, trusted=memory.trusted)}"


def _success(memory: Memory) -> str:
    from memcli.recall.ranking.success import outcome_counts, success_bound

    ok, failed = outcome_counts(memory.data)
    if not ok + failed:
        return "never reported"
    return f"worked {ok} of {ok + failed} (at least {success_bound(ok, failed):.0%})"
