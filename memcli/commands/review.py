"""`mem review`: accept or reject what waits for its owner."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from memcli import ids, output
from memcli.commands import options
from memcli.commands.decisions import print_decision
from memcli.errors import BadInput

if TYPE_CHECKING:
    from memcli.memories import Memories
    from memcli.reviewing import Held

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    no_args_is_help=True,
    help="Accept or reject what waits for its owner.",
)
Some = Annotated[list[str] | None, typer.Argument(metavar="ID…", help="Ids, or their heads or tails.")]
All = Annotated[bool, typer.Option("--all", help="Everything that waits in the space.")]


@app.command("list")
def list_(space: options.Space = None, json: options.Json = False, db: options.Db = None) -> None:
    """List what the policy holds, and why; exits 1 where nothing waits."""
    from memcli.reviewing import held

    with options.opened(db, space) as memories:
        waiting = list(held(memories))
    for each in waiting:
        if json:
            record = {**each.memory.to_record(), "rule": each.rule, "reason": each.reason}
            output.to_stdout(output.json_line(record))
        else:
            text = output.one_line(each.memory.text)
            output.to_stdout(f"{ids.tail(each.memory.id)}  {each.memory.kind:<10}  {text}  ({each.reason})")
    if not waiting:
        raise typer.Exit(1)


@app.command()
def accept(
    fragments: Some = None,
    every: All = False,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Take in what was held; the approval is on record."""
    from memcli import reviewing

    with options.opened(db, space) as memories:
        decisions = reviewing.accept(memories, _chosen(memories, fragments, every))
    for decision in decisions:
        print_decision(decision, as_json=json)


@app.command()
def reject(
    fragments: Some = None,
    every: All = False,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Drop what was held."""
    from memcli import reviewing

    with options.opened(db, space) as memories:
        chosen = _chosen(memories, fragments, every)
        reviewing.reject(memories, chosen)
    for each in chosen:
        output.to_stdout(output.json_line({"rejected": each.memory.id}) if json else each.memory.id)


def _chosen(memories: Memories, fragments: list[str] | None, every: bool) -> list[Held]:
    from memcli import reviewing

    if bool(fragments) == every:
        raise BadInput("name ids, or --all")
    if every:
        return list(reviewing.held(memories))
    return [reviewing.find_held(memories, fragment) for fragment in dict.fromkeys(fragments or ())]
