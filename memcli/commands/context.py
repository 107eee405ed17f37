"""`mem context`: print what an agent should know at the start of a session."""

from typing import Annotated

import typer

from memcli.commands.terminal import forms, options
from memcli.commands.terminal.answers import (
    check_budget,
    chosen_budget,
    form_of,
    print_answer,
)
from memcli.commands.terminal.store import opened_memories
from memcli.commands.terminal.values import span_option
from memcli.prompt.sections import chosen_tiers
from memcli.tiers.context.answer import PROMPT
from memcli.tiers.context.start import PAST_TIERS, START_TIERS, answer_at_start

EXAMPLES = """
mem context                # what an agent should know at the start
mem context --budget 500   # no more tokens than that
mem context --tiers due,promised
mem context --at 2026-11 --tiers constraints,preferences   # what held then
"""


def command(
    tiers: Annotated[
        str | None, typer.Option(metavar="A,B", help=f"Only these tiers: {', '.join(START_TIERS)}.")
    ] = None,
    budget: Annotated[
        int | None,
        typer.Option(
            min=0,
            metavar="TOKENS",
            help="Print at most this many tokens; 0 for all. [default in a pipe: 1,500 (context_budget)]",
        ),
    ] = None,
    format: Annotated[
        forms.ContextForm,
        typer.Option("--format", "-f", help="jsonl is an object a line, json one array."),
    ] = "prompt",
    at: options.At = None,
    trusted_only: options.TrustedOnly = False,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Say what an agent should know at the start: blocks, task, rules, what is due or promised.

    Exits 1 if there is nothing to report.
    """
    with opened_memories(db, space) as memories:
        look: forms.ContextForm = "jsonl" if json else format
        room = chosen_budget(budget, memories.config)
        # Without --budget a program gets the same selection: the prompt text is counted, not its JSON frame.
        form = form_of(look) if budget else PROMPT
        then = span_option(at, memories.now())
        chosen = chosen_tiers(tiers, PAST_TIERS if then else START_TIERS)
        answer = answer_at_start(
            memories, chosen, past=then, budget=room and room.tokens, form=form, trusted=trusted_only or None
        )
    check_budget(answer, room)
    print_answer(answer, look, budget=room)
    if not answer.relevant:
        raise typer.Exit(1)
