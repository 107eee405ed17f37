"""`mem forget`: take memories out of every recall, or out of every byte."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

import typer

from memcli import ids
from memcli.changes.forgetting.hard import erase_memories
from memcli.changes.forgetting.receipt import ErasureReceipt
from memcli.changes.forgetting.selection import choose_memories, preview_code
from memcli.changes.forgetting.soft import forget_memories
from memcli.commands.terminal import options, output
from memcli.errors import BadInput
from memcli.model import Memory
from memcli.text import printable
from memcli.write_policy.review import drop_held

EXAMPLES = """
mem forget Z29YK0QK --reason "moved on"
mem forget --tag scratch --before 2027-01-01 --dry-run   # shows which, and a code for just these
mem forget --query "the staging server" --yes
mem forget --hard B0NV1PBM                               # erased, with a receipt
"""


def command(
    fragments: options.MaybeIds = None,
    query: Annotated[
        str | None, typer.Option("--query", "-q", metavar="TEXT", help="What this recalls.")
    ] = None,
    tag: options.Tags = None,
    session: options.Sessions = None,
    kind: options.Kinds = None,
    source: options.Sources = None,
    before: Annotated[
        str | None, typer.Option(metavar="TIME", help="What happened, or was true, before then.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Everything in the space.")] = False,
    space: options.Space = None,
    hard: Annotated[
        bool, typer.Option("--hard", help="Erase for good, from every index, log and backup, with a receipt.")
    ] = False,
    reason: Annotated[str, typer.Option(help="Why, for the record.")] = "forgotten",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be forgotten.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    preview: Annotated[
        str | None, typer.Option(metavar="CODE", help="Only if it is just what --dry-run showed.")
    ] = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Take memories out of every recall; `restore` brings them back. With --hard they are gone.

    All or none: an id that is unknown or ambiguous leaves every one as it was.
    Exits 1 where nothing fits.
    """
    by_filter = any((tag, session, kind, source, before))
    if fragments and (by_filter or query or everything):
        raise BadInput("name ids, or say which by --query, --tag, …; not both")
    if not (fragments or by_filter or query or everything):
        raise BadInput("forget what? Name ids, or --query, --tag, --session, --kind, --before, --all")
    with options.opened_memories(db, space) as memories:
        where = options.filter_options(
            memories, kinds=kind, tags=tag, sessions=session, sources=source, until=before, ended=hard
        )
        # What has expired is still there, and may be meant.
        chosen = choose_memories(memories, replace(where, at=None), fragments or (), query)
        if not chosen:
            raise typer.Exit(1)
        fuzzy = query is not None or everything or (hard and not fragments)
        if dry_run or not _sure(chosen, preview, yes=yes, fuzzy=fuzzy, hard=hard):
            _preview(chosen, as_json=json)
            output.to_stderr(
                f"{len(chosen)} memories; to forget just these: --preview {preview_code(chosen)}"
            )
            return
        if everything:
            # What waits for review stands in the space, too.
            drop_held(memories)
        if hard:
            print_receipt(erase_memories(memories, chosen, reason), as_json=json)
            return
        chosen = forget_memories(memories, chosen, reason)
    print_forgotten(chosen, "forgotten, restorable", as_json=json)


def _preview(chosen: Sequence[Memory], *, as_json: bool) -> None:
    """Print what would be forgotten, a line each with its text: nobody knows a memory by its id."""
    from memcli.recall.records import memory_lines

    if as_json or output.stdout_is_terminal():
        print_forgotten(chosen, "would forget", as_json=as_json)
        return
    for line in memory_lines(chosen):
        output.to_stdout(line)


def _sure(chosen: Sequence[Memory], preview: str | None, *, yes: bool, fuzzy: bool, hard: bool) -> bool:
    """Whether to go on: asked on a terminal, insisted on elsewhere."""
    if preview is not None:
        if preview != preview_code(chosen):
            raise BadInput(f"--preview {preview:.20}: something else would be forgotten now; look again")
        return True
    if yes or not (fuzzy or hard):
        return True
    if sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty():
        for memory in chosen:
            output.to_stderr(f"{ids.short_id(memory.id)}  {printable.one_line(memory.text)[:90]}")
        how = "Erase for good" if hard else "Forget"
        return typer.confirm(f"{how} these {len(chosen)}?", err=True)
    if fuzzy:
        raise BadInput(
            f"that is {len(chosen)} memories: look with --dry-run, then --yes, "
            f"or --preview {preview_code(chosen)}"
        )
    return True


def print_forgotten(chosen: Sequence[Memory], verb: str, *, as_json: bool) -> None:
    """Print which memories these are: in full as JSON, in a line each for people, else by id."""
    for memory in chosen:
        if as_json:
            output.to_stdout(printable.json_line(memory.to_record()))
        elif output.stdout_is_terminal():
            output.to_stdout(f"{verb}: {ids.short_id(memory.id)}  {printable.one_line(memory.text)[:100]}")
        else:
            output.to_stdout(memory.id)


def print_receipt(receipt: ErasureReceipt, *, as_json: bool) -> None:
    """Print what was erased and how that was checked; exits 4 where something is still found."""
    if as_json:
        output.to_stdout(printable.json_line(receipt.to_record()))
    else:
        for line in _lines(receipt):
            output.to_stdout(line)
    if not receipt.verified:
        raise typer.Exit(4)


def _lines(receipt: ErasureReceipt) -> list[str]:
    lines = [f"erased {memory_id}" for memory_id in receipt.memories]
    lines += [f"erased {memory_id} (an earlier version)" for memory_id in receipt.earlier_versions]
    lines += [f"erased {memory_id} (quoted it)" for memory_id in receipt.derived]
    lines += [f"rebuilt as {memory_id}, without it" for memory_id in receipt.rebuilt]
    lines += [f"dropped {key}" for key in receipt.states]
    lines += [f"erased link {link_id}" for link_id in receipt.links]
    lines += [f"erased all of {area}: {number}" for area, number in receipt.space.items()]
    if receipt.rows:
        lines.append("rows: " + ", ".join(f"{part} {rows}" for part, rows in receipt.rows.items()))
    lines += [f"backup {path}: {verdict}" for path, verdict in receipt.backups.items()]
    lines += [f"stays, and says it too: {memory_id}" for memory_id in receipt.shared]
    if receipt.shared_outside:
        lines.append("another space says it too, and keeps it")
    looked = ", ".join(f"{number} {what}" for what, number in receipt.checks.items())
    if receipt.traces:
        lines += [f"STILL FOUND in {place}" for place in receipt.traces]
    else:
        lines.append(f"checked: {looked}; none of it is left in any index or file of the store")
    return lines
