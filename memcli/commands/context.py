"""`mem context`: what an agent should know at the start of a session."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from memcli.commands.terminal import options, output
from memcli.commands.terminal.answers import print_block
from memcli.prompt.tiers import chosen
from memcli.text import printable
from memcli.tiers.context.start import TOLD, context


def command(
    tiers: Annotated[str | None, typer.Option(metavar="A,B", help=f"Only these: {', '.join(TOLD)}.")] = None,
    budget: Annotated[
        int | None, typer.Option(min=1, metavar="TOKENS", help="Print no more than this.")
    ] = None,
    format: Annotated[
        Literal["prompt", "jsonl"],
        typer.Option("--format", "-f", help="The block for prompts, or a line each."),
    ] = "prompt",
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Say what an agent should know at the start: blocks, task, rules, what is due or promised.

    Exits 1 where there is nothing to say.
    """
    with options.opened(db, space) as memories:
        pieces = context(memories, chosen(tiers, TOLD))
        if not pieces:
            raise typer.Exit(1)
        if json or format == "jsonl":
            for piece in pieces:
                record = {"tier": piece.tier, "id": piece.id, "text": piece.item.body or piece.item.text}
                output.to_stdout(printable.json_line(record))
        else:
            print_block(memories, "", [], pieces, budget)
