"""`mem block`: set, show and delete blocks, the small texts that are in every prompt."""

from typing import Annotated

import typer

from memcli import times
from memcli.commands.terminal import options, output
from memcli.commands.terminal.consent import confirm_loss
from memcli.commands.terminal.store import memories_to_complete, opened_memories
from memcli.doors import BLOCK, Deed
from memcli.errors import BadInput
from memcli.messages import Command, message
from memcli.prompt import formats
from memcli.text import printable
from memcli.tiers.context.blocks import Block

EXAMPLES = """
mem block set persona 'Answers briefly' --description 'how to answer' --max-chars 500
mem block append persona "Never says 'certainly'"
mem block show persona
mem block list --deleted
mem block restore persona   # its last text; --version N, an earlier one
mem block delete persona
"""

app = typer.Typer(add_completion=False, rich_markup_mode=None, no_args_is_help=True)


def _complete_label(ctx: typer.Context, incomplete: str) -> list[str]:
    from memcli.tiers.context.blocks import blocks

    with memories_to_complete(ctx) as memories:
        return [block.label for block in blocks(memories) if block.label.startswith(incomplete)]


Label = Annotated[
    str, typer.Argument(metavar="LABEL", autocompletion=_complete_label, help="The block's label.")
]
Text = Annotated[
    list[str] | None, typer.Argument(metavar="[TEXT|-]", help="The text; '-' or nothing reads stdin.")
]
MaxChars = Annotated[
    int | None,
    typer.Option(
        "--max-chars", min=1, metavar="N", help="The most characters it may hold, now and from now on."
    ),
]
Description = Annotated[str | None, typer.Option(metavar="D", help="What it is for.")]


@app.callback()
def _block() -> None:
    """Keep small texts that always come along: who you are, how you like things done."""


@app.command()
def set(
    label: Label,
    text: Text = None,
    max_chars: MaxChars = None,
    description: Description = None,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Set a block's text; without a text, its cap or description.

    A text over the cap is refused, and nothing changes.
    """
    from memcli.tiers.context import blocks

    words = _words(text, needed=max_chars is None and description is None)
    with opened_memories(db, space, create=True) as memories:
        block = blocks.put_block(memories, label, words, max_chars=max_chars, description=description)
    _say(block, json)


@app.command()
def append(
    label: Label,
    text: Text = None,
    max_chars: MaxChars = None,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Add a line to a block, which is created if missing.

    A text over the cap is refused, and nothing changes.
    """
    from memcli.tiers.context import blocks

    with opened_memories(db, space, create=True) as memories:
        known = [each.label for each in blocks.blocks(memories)]
        block = blocks.put_block(memories, label, _words(text, needed=True), append=True, max_chars=max_chars)
    if block.label not in known:
        from memcli.text.spelling import did_you_mean

        if meant := did_you_mean(block.label, known):
            output.to_stderr(f"block {block.label!r} is a new one; {meant.strip()}")
    _say(block, json)


@app.command()
def show(
    label: Label,
    history: Annotated[
        bool, typer.Option("--history", help="Show its last few texts, newest first.")
    ] = False,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Print a block's text.

    Exits 1 if there is none.
    """
    from memcli.tiers.context import blocks

    with opened_memories(db, space) as memories:
        block = blocks.find_block(memories, label, deleted=history)
    if not history:
        text = block.text or ""
        shown = printable.printable(text) if output.stdout_is_terminal() else text
        output.to_stdout(printable.json_line(block.to_record()) if json else shown)
        return
    for version in reversed(block.versions):
        if json:
            output.to_stdout(printable.json_line({"label": block.label} | version.to_record()))
            continue
        size = "deleted" if version.text is None else f"{len(version.text):,} characters"
        output.to_stdout(f"version {version.number}  {times.local_time(version.at, seconds=True)}  {size}")
        for line in printable.printable(version.text or "").splitlines():
            output.to_stdout(f"    {line}")


@app.command("list")
def list_blocks(
    deleted: Annotated[bool, typer.Option("--deleted", help="Include deleted ones.")] = False,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """List the blocks of the space, by label.

    Exits 1 if there is none.
    """
    from memcli.tiers.context import blocks

    with opened_memories(db, space) as memories:
        found = blocks.blocks(memories, deleted=deleted)
    for block in found:
        if json:
            output.to_stdout(printable.json_line(block.to_record()))
            continue
        size = "deleted" if block.text is None else f"{len(block.text):,}/{block.max_chars:,}"
        about = printable.one_line(block.description or block.text or "", 90)
        name = printable.one_line(block.label)
        output.to_stdout(formats.BLOCK_LISTED.format(name=name, size=size, text=about))
    if not found:
        raise typer.Exit(1)


@app.command()
def delete(
    label: Label,
    erase: Annotated[
        bool, typer.Option("--erase", help="Remove it and its earlier texts for good; needs --yes.")
    ] = False,
    yes: options.Yes = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be deleted.")] = False,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Take a block out of use; `mem block restore` brings it back."""
    from memcli.tiers.context import blocks

    with opened_memories(db, space) as memories:
        block = blocks.find_block(memories, label, deleted=erase)
        if erase and not dry_run:
            memories.require(BLOCK, Deed.ERASE, f"block {block.label!r:.60}")
            confirm_loss(f"Erase block {block.label!r} with all its texts?", yes)
            blocks.erase_block(memories, label)
        elif not dry_run:
            block = blocks.delete_block(memories, label)
    verb = "erased" if erase else "deleted, restorable"
    if json:
        output.to_stdout(printable.json_line(block.to_record() | {"erased": erase and not dry_run}))
    elif output.stdout_is_terminal() or dry_run:
        output.to_stdout(f"{'would be ' if dry_run else ''}{verb}: {printable.one_line(block.label)}")
    else:
        output.to_stdout(block.label)


@app.command()
def restore(
    label: Label,
    version: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Which version; `mem block show --history` lists them."),
    ] = None,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Give a block its last text again, or an earlier one; a deleted one comes back."""
    from memcli.tiers.context import blocks

    with opened_memories(db, space) as memories:
        block = blocks.restore_block(memories, label, version)
    _say(block, json)


def _words(text: list[str] | None, *, needed: bool) -> str | None:
    """Return the text given, or None if there is none and none is needed."""
    from memcli.commands.terminal.input import stdin_is_empty, text_argument

    if not needed and not text and stdin_is_empty():
        return None
    given = text_argument(text, "set")
    if not given and needed:
        raise BadInput(message("the text is empty; to remove a block: ", Command("block delete")))
    return given or None


def _say(block: Block, json: bool) -> None:
    if json:
        output.to_stdout(printable.json_line(block.to_record()))
    elif output.stdout_is_terminal():
        size = f"{len(block.text or ''):,} of {block.max_chars:,} characters"
        output.to_stdout(f"{printable.one_line(block.label)}: {size}")
    else:
        output.to_stdout(block.label)
