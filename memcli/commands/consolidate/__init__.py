"""`mem consolidate`: run the nightly consolidation of the store, or plan, apply or schedule it."""

import math
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memcli.commands.terminal import options, output
from memcli.commands.terminal.carried import settled
from memcli.commands.terminal.consent import confirm_loss
from memcli.commands.terminal.store import opened_memories
from memcli.commands.terminal.values import instant_option
from memcli.consolidation import registry
from memcli.errors import BadInput, LlmFailed

if TYPE_CHECKING:
    from memcli.consolidation.proposals import Proposal
    from memcli.consolidation.report import RunReport
    from memcli.consolidation.run import RunOptions
    from memcli.memories import Memories

EXAMPLES = """
mem consolidate --dry-run                    # what it would do, and why
mem consolidate --max-seconds 30             # the next run goes on there
mem consolidate --only merge --only expire
mem consolidate --plan plan.jsonl; mem consolidate --apply plan.jsonl
mem consolidate --now 2027-06-01 --dry-run   # what will be due then
mem consolidate --install cron               # the line; --yes installs it
mem consolidate --history
"""

_STEPS = ", ".join(registry.STEP_NAMES)


def command(
    only: Annotated[
        list[str] | None, typer.Option(metavar="STEP", help=f"Only this step (repeatable): {_STEPS}.")
    ] = None,
    skip: Annotated[
        list[str] | None, typer.Option(metavar="STEP", help="All steps but this one (repeatable).")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be done.")] = False,
    plan: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Save to this file what would be done; change nothing."),
    ] = None,
    apply: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Do what a saved plan says, and nothing else.")
    ] = None,
    max_seconds: Annotated[
        float | None,
        typer.Option(min=0, metavar="S", help="Stop after this long; the next run goes on from there."),
    ] = None,
    max_tokens: Annotated[
        int | None, typer.Option(min=0, metavar="N", help="Stop after this many tokens of an LLM.")
    ] = None,
    llm: options.Llm = None,
    wait: Annotated[
        bool, typer.Option("--wait", help="Wait for another run to end instead of exiting.")
    ] = False,
    history: Annotated[bool, typer.Option("--history", help="Show what past runs did.")] = False,
    install: Annotated[
        str | None,
        typer.Option(metavar="SYSTEM", help="Print the schedule for cron, systemd, launchd or schtasks."),
    ] = None,
    then: Annotated[
        str | None, typer.Option("--now", metavar="TIME", help="Act as if it were this time, to look ahead.")
    ] = None,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="With --install: install it; with --now: do not ask first.")
    ] = False,
    space: options.Space = None,
    all_spaces: options.AllSpaces = False,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Expire, fold, distil, merge, fade, prune and tend; `mem undo RUN` takes a run back.

    Made for cron: it prints one line, or nothing if there is nothing to tell, and
    two never run at a time. Exits 3 if parts of a plan were refused, 4 if the
    store or a backup is not sound.
    """
    from memcli.commands.consolidate import report as run_report
    from memcli.consolidation import plan as plans
    from memcli.consolidation.run import RunOptions, carry_out_plan, consolidation_lock
    from memcli.doors import CONSOLIDATION, Deed

    _check(plan, apply, max_seconds, all_spaces=all_spaces)
    steps = _steps(only, skip)
    if install:
        if yes:
            _require_owner()
        given = {"space": space, "max-seconds": max_seconds, "max-tokens": max_tokens, "llm": llm}
        store = settled(db) if db else None
        arguments = _repeated(only, skip, {**given, "db": store}, all_spaces=all_spaces)
        run_report.print_schedule(install, arguments, store, llm, yes=yes, as_json=json)
        return
    wanted = RunOptions(steps, max_seconds, max_tokens, dry_run or plan is not None)
    with opened_memories(db, space) as opened:
        memories = opened
        instant = instant_option(then, memories.now(), ahead=True)
        if history:
            run_report.print_past_runs(memories, as_json=json)
            return
        memories = memories.at(instant) if instant else memories
        planned = _planned(memories, apply, space) if apply else None
        if instant and not wanted.dry_run:
            memories.require(CONSOLIDATION, Deed.CHANGE, "consolidating")
            confirm_loss(f"End and purge what would be due at {then}?", yes)
        with consolidation_lock(memories.store, wait=wait) as free:
            if not free:
                output.to_stderr("another consolidation is at work; --wait waits for it")
                return
            reports = (
                [carry_out_plan(memories.in_space(planned[0]), planned[1], dry_run=dry_run)]
                if planned
                else list(_reports(memories, wanted, llm, all_spaces=all_spaces))
            )
        if plan:
            plans.save_plan(reports[0], plan)
    for report in reports:
        run_report.print_run(report, as_json=json, dry=wanted.dry_run)
    _exit_where_damaged(reports)
    if apply and any(report.refused for report in reports):
        raise typer.Exit(3)


def _exit_where_damaged(reports: "Sequence[RunReport]") -> None:
    damaged = dict.fromkeys(report.damaged for report in reports if report.damaged)
    for line in damaged:
        output.to_stderr(line)
    if damaged:
        raise typer.Exit(4)


def _require_owner() -> None:
    from memcli.config.config import Config
    from memcli.doors import CONSOLIDATION, Deed
    from memcli.scope import require

    require(Config(), CONSOLIDATION, Deed.CHANGE, "the schedule")


def _check(plan: Path | None, apply: Path | None, max_seconds: float | None, *, all_spaces: bool) -> None:
    if max_seconds is not None and math.isnan(max_seconds):
        raise BadInput("--max-seconds nan is not a number; give a number of seconds")
    if plan and apply:
        raise BadInput("--plan makes a plan, --apply carries one out; not both")
    if plan and all_spaces:
        raise BadInput("a plan is of one space; name it with --space")


def _planned(memories: "Memories", file: Path, space: str | None) -> "tuple[str, Sequence[Proposal]]":
    """Return the space and the proposals of a plan file, checked; `space` is the one named by option."""
    from memcli.consolidation import plan as plans

    planned, proposals = plans.load_plan(file)
    if space and space != planned:
        raise BadInput(f"{file}: a plan of space {planned!r:.60}, not of {space!r:.60}")
    plans.check_plan_is_ours(memories, file, proposals)
    return planned, proposals


def _reports(
    memories: "Memories", wanted: "RunOptions", llm: str | None, *, all_spaces: bool
) -> "Iterator[RunReport]":
    from memcli.commands.terminal.progress import progress_bar
    from memcli.consolidation.reasoner_llm import open_reasoner
    from memcli.consolidation.run import consolidate
    from memcli.model import Filter

    spaces = [memories.space]
    if all_spaces:
        spaces = sorted({name for name, _, _ in memories.store.count(Filter(spaces=None, live=False))})
    reasoner, unheard = None, []
    try:
        reasoner = open_reasoner(llm, memories.config, wanted.max_tokens, wanted.max_seconds)
    except LlmFailed as error:
        # Run without the LLM rather than not at all.
        unheard.append(str(error))
    for space in spaces:
        with progress_bar(f"consolidating {space}", len(wanted.steps)) as progress:
            begun: list[str] = []

            def show(
                step: str, done: int, begun: list[str] = begun, progress: Callable[[int], None] = progress
            ) -> None:
                if step not in begun:
                    progress(len(begun))
                    begun.append(step)

            report = consolidate(memories.in_space(space), wanted, reasoner, show, _say_tokens)
            report.skipped += unheard
            yield report


def _say_tokens(tokens: int) -> None:
    if sys.stderr.isatty():
        output.to_stderr(f"asking the LLM about what was said: some {tokens:,} tokens")


def _steps(only: list[str] | None, skip: list[str] | None) -> list[str]:
    from memcli.text.checks import check_choice

    for each in (*(only or ()), *(skip or ())):
        check_choice("step", each, registry.STEP_NAMES)
    return [step for step in registry.STEP_NAMES if (not only or step in only) and step not in (skip or ())]


def _repeated(
    only: list[str] | None, skip: list[str] | None, given: Mapping[str, object], *, all_spaces: bool
) -> list[str]:
    """Return the options given here, for the scheduled command line."""
    said = [item for each in only or () for item in ("--only", each)]
    said += [item for each in skip or () for item in ("--skip", each)]
    said += ["--all-spaces"] if all_spaces else []
    for name, value in given.items():
        if value is not None:
            said += [f"--{name}", f"{value:g}" if isinstance(value, float) else str(value)]
    return said
