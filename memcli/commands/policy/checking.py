"""`mem policy check` and `checks`: check whether an action is allowed, and list past checks."""

from typing import TYPE_CHECKING, Annotated

import typer

from memcli import times
from memcli.commands.terminal import options, output
from memcli.commands.terminal.store import opened_memories
from memcli.prompt.context import marked_text
from memcli.text import printable

if TYPE_CHECKING:
    from memcli.tiers.policies.checks import PolicyMatch


def check(
    action: Annotated[
        list[str] | None, typer.Argument(metavar="ACTION…", help="The action to check; '-' reads stdin.")
    ] = None,
    context: Annotated[
        list[str] | None,
        typer.Option(
            "--context",
            metavar="K=V",
            help="A circumstance that conditions and exceptions look at (repeatable).",
        ),
    ] = None,
    words: Annotated[
        bool, typer.Option("--words", help="Match patterns only, without loading the model.")
    ] = False,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Say whether an action is allowed: exits 0 if so (perhaps with warnings), 3 if it is blocked.

    Patterns decide. Similarity in meaning only warns; `--words` leaves it out.
    If the action has options with the same names, quote it or put `--` before it.
    """
    from memcli.commands.terminal.input import text_argument
    from memcli.tiers.policies.checks import check_action
    from memcli.tiers.policies.conditions import parse_circumstances

    asked = text_argument(action, "check")
    with opened_memories(db, space) as memories:
        decision = check_action(memories, asked, parse_circumstances(context or (), asked), words_only=words)
    if json:
        output.to_stdout(printable.json_line(decision.to_record()))
    else:
        output.to_stdout(decision.outcome)
        for finding in decision.findings:
            output.to_stderr(_said(finding))
        if decision.degraded:
            output.to_stderr(f"not all was compared by meaning: {decision.degraded}")
    if decision.outcome == "blocked":
        raise typer.Exit(3)


def checks(
    decision: Annotated[
        str | None,
        typer.Option("--decision", metavar="WHICH", help="Only checks that were allowed, warned or blocked."),
    ] = None,
    limit: Annotated[int, typer.Option("-n", "--limit", min=1, metavar="N", help="At most this many.")] = 50,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """List the checks on record, newest first; exits 1 if there is none."""
    from itertools import islice

    from memcli.text.checks import check_choice
    from memcli.tiers.policies.checks import recorded_checks

    if decision:
        check_choice("decision", decision, ("allowed", "warned", "blocked"))
    with opened_memories(db, space) as memories:
        found = list(islice(recorded_checks(memories, decision), limit))
    for state in found:
        if json:
            output.to_stdout(printable.json_line({"at": times.to_iso(state.created_at), **state.value}))
            continue
        named = ", ".join(f"{name} {effect}" for name, effect in state.value["policies"].items()) or "-"
        asked = marked_text(str(state.value.get("action", "")), trusted="origin" not in state.value)
        action = f"  {asked}" if "action" in state.value else ""
        when = times.local_time(state.created_at, seconds=True)
        output.to_stdout(printable.one_line(f"{when}  {state.value.get('decision')!s:<7}  {named}{action}"))
    if not found:
        raise typer.Exit(1)


def _said(finding: "PolicyMatch") -> str:
    says = finding.policy.says
    verb = {
        "blocks": "blocked by", "warns": "warning from", "permits": "allowed by", "excepted": "excepted from",
        "inactive": "not now:",
    }[finding.effect]  # fmt: skip
    parts = [f"{verb} {says.name!r} ({says.enforcement}): {says.rule.rstrip('.')}."]
    if finding.effect == "excepted":
        parts.append(f"The context meets '{finding.exception}'.")
    elif finding.effect == "inactive":
        parts.append(f"It holds when {' or '.join(says.when)}.")
    else:
        parts += [f"Why: {says.why.rstrip('.')}."] if says.why else []
        if finding.likeness is not None:
            parts.append(f"It is like the action in meaning ({finding.likeness:.2f}).")
    if finding.effect in ("blocks", "warns") and says.unless:
        # Not by repr, so that an expression is shown as it was written.
        exceptions = " or ".join(f"'{each}'" for each in says.unless)
        parts.append(f"Allowed with --context {exceptions}.")
    return " ".join(parts)
