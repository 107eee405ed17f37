"""Decisions of the write policy, printed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from memcli import ids
from memcli.commands.terminal import output
from memcli.messages import message
from memcli.text import printable
from memcli.write_policy.decision import Decision

if TYPE_CHECKING:
    from memcli.scope import Scope

OVERRIDES = "--force overrides"
_SAID = {
    "take": "kept",
    "reinforce": "known already, confirmed",
    "supersede": "kept, superseding",
    "hold": "held for review",
    "refuse": "refused",
}


def print_decision(decision: Decision, scope: Scope, *, as_json: bool, dry_run: bool = False) -> None:
    """Print one decision: the memory on stdout, remarks on stderr.

    Raises Refused for a refusal; with `dry_run` a refusal is shown like other decisions, and only the exit
    status tells. `scope` is the space that the reader works in.
    """
    refused = decision.action == "refuse"
    if refused and not dry_run:
        raise decision.refusal(scope.by_force(OVERRIDES))
    memory = decision.memory
    if as_json:
        record = memory.to_record() if not refused else {}
        shown = {**record, "decision": decision.to_record()}
        output.to_stdout(printable.json_line({**shown, "dry_run": True} if dry_run else shown))
    else:
        if dry_run:
            about = f" {ids.short_id(decision.other)}" if decision.other else ""
            why = "; ".join(filter(None, (decision.reason, decision.by_hand)))
            output.to_stdout(f"would be {_SAID[decision.action]}{about}{why and f': {why}'}")
        elif output.stdout_is_terminal():
            output.to_stdout(f"{memory.id}  {memory.kind}  {printable.one_line(memory.text, 100)}")
        else:
            output.to_stdout(memory.id)
        print_explanation(decision, scope, dry_run=dry_run)
    if refused:
        raise typer.Exit(3)


def print_explanation(decision: Decision, scope: Scope, *, dry_run: bool = False) -> None:
    """Say on stderr what is out of the ordinary."""
    for note in decision.notes:
        output.to_stderr(note)
    if dry_run:
        return
    if decision.action != "take":
        output.to_stderr(outcome(decision, scope))


def outcome(decision: Decision, scope: Scope) -> str:
    """Return what was done with a text that was not simply kept, for its writer."""
    if decision.action == "refuse":
        return str(decision.refusal(scope.by_force(OVERRIDES)))
    if decision.action == "hold":
        from memcli.commands.terminal.call import command_in

        seen_by = command_in(decision.memory.space, "review list")
        return message("held for review: ", decision.reason, "; ", seen_by, " shows what waits")
    return message(decision.reason, f" ({decision.other})")
