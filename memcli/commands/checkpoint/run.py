"""`mem checkpoint run`: run a command once. Also declares arguments shared with the other subcommands."""

import os
import sys
from collections.abc import Callable, Iterable
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer
from typer.core import TyperCommand

from memcli import times
from memcli.commands.terminal import options, output
from memcli.commands.terminal.store import memories_to_complete, opened_memories
from memcli.errors import BadInput
from memcli.text import printable
from memcli.tiers.tasks import checkpoints

if TYPE_CHECKING:
    from memcli.tiers.tasks.run_once import StepRun
    from memcli.tiers.tasks.steps import StepOutput, TaskStep

# The key of the command line to run, in Typer's context.
_COMMAND = "memcli.command"


def _complete_task(ctx: typer.Context, incomplete: str) -> list[str]:
    with memories_to_complete(ctx) as memories:
        return [
            task.name for task in checkpoints.list_checkpoints(memories) if task.name.startswith(incomplete)
        ]


Task = Annotated[str, typer.Argument(metavar="TASK", autocompletion=_complete_task, help="The task's name.")]
StepName = Annotated[str, typer.Argument(metavar="STEP", help="The step's name.")]
Ttl = Annotated[
    str | None,
    typer.Option(metavar="TIME", help="How long to keep the task after its last change. [default: 30 days]"),
]


class BeforeACommand(TyperCommand):
    """A command whose own arguments end at `--`; everything after it belongs to the command to run."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse what comes before `--`, and keep the rest in the context."""
        cut = args.index("--") if "--" in args else len(args)
        ctx.meta[_COMMAND] = args[cut + 1 :]
        ours = args[:cut]
        if cut == len(args) and sum(not arg.startswith("-") for arg in ours) > 2:
            ctx.fail("put -- before the command: mem checkpoint run TASK STEP -- CMD …")
        rest = super().parse_args(ctx, ours)
        if not (ctx.meta[_COMMAND] or ctx.resilient_parsing):
            ctx.fail("no command to run: mem checkpoint run TASK STEP -- CMD …")
        return rest

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Add the command to the usage line."""
        return [*super().collect_usage_pieces(ctx), "-- CMD…"]


def run(
    context: typer.Context,
    task: Task,
    step: StepName,
    inputs: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="Run again if this file or folder has changed (repeatable)."),
    ] = None,
    any_command: Annotated[
        bool,
        typer.Option("--any-command", help="Treat a done step as done even if the command line changes."),
    ] = False,
    at_most_once: Annotated[
        bool, typer.Option("--at-most-once", help="If it was interrupted, refuse to repeat it (exit 3).")
    ] = False,
    again: Annotated[
        bool, typer.Option("--again", help="Run it now, even if it is done or uncertain.")
    ] = False,
    wait: Annotated[
        str | None,
        typer.Option(
            metavar="TIME", help="How long to wait while another process runs it. [default: no limit]"
        ),
    ] = None,
    no_wait: Annotated[
        bool, typer.Option("--no-wait", help="Exit 4 at once if it is already running.")
    ] = False,
    timeout: Annotated[
        str | None, typer.Option(metavar="TIME", help="Stop the command after this long, with status 124.")
    ] = None,
    no_output: Annotated[
        bool,
        typer.Option("--no-output", help="Record no output; the command writes straight to the terminal."),
    ] = False,
    ttl: Ttl = None,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Run a command once: if it is already done, print what it printed and exit 0.

    Done is what ended with status 0. A failed or killed step runs again, and
    so does one whose command line or --inputs changed. Exits with the
    command's own status (127: not found, 126: cannot be run, 124: timed out,
    128 + n: signal n). By default a step runs at least once: a kill between
    its effect and the record repeats it.
    """
    from memcli.tiers.tasks import run_once

    if json and no_output:
        raise BadInput("--json prints what was recorded; leave out --no-output")
    order = run_once.StepOrder(
        command=context.meta[_COMMAND],
        inputs=inputs or (),
        any_command=any_command,
        at_most_once=at_most_once,
        again=again,
        wait=0.0 if no_wait else _seconds(wait, "--wait"),
        timeout=_seconds(timeout, "--timeout"),
        ttl=duration_option(ttl, "--ttl"),
        keep_output=not no_output,
    )
    sinks = run_once.StepSinks(
        _sink(None if json else sys.stdout), _sink(sys.stderr, needed=False), output.to_stderr
    )
    with opened_memories(db, space, create=True) as memories:
        ran = run_once.run_step(memories, task, step, order, sinks)
    called = f"step {step!r} of {task!r}"
    if ran.skipped:
        if sys.stderr.isatty():
            output.to_stderr(
                f"{called} was done {times.local_time(ran.step.ended_at or ran.step.started_at)}"
            )
        sinks.stdout(ran.output.stdout)
        sinks.stderr(ran.output.stderr)
        for name, size, kept in _cut_short(ran):
            output.to_stderr(f"{called}: of its {name}, {size:,} bytes, only the first {kept:,} are kept")
    elif ran.step.status != "done":
        held_back = ran.step.status == "interrupted" and ran.step.at_most_once
        then = "uncertain from now on" if held_back else "the next run repeats it"
        output.to_stderr(f"{called}: {ran.step.status} with status {ran.status}; {then}")
    if json:
        head = {"task": task, "step": step, "skipped": ran.skipped}
        output.to_stdout(printable.json_line(head | step_record(ran.step, ran.output)))
    raise typer.Exit(ran.status)


def _sink(stream: TextIO | None, *, needed: bool = True) -> Callable[[bytes], None]:
    """Return a function that writes bytes to a stream at once; it discards them if there is no stream.

    If the stream cannot be written to, it raises BadInput if `needed`.
    """
    if stream is None:
        return lambda data: None
    descriptor = stream.fileno()

    def write(data: bytes) -> None:
        try:
            while data:
                data = data[os.write(descriptor, data) :]
        except BrokenPipeError:
            raise
        except OSError as error:
            if not needed:
                return
            raise BadInput(f"the output cannot be written ({error.strerror})") from error

    return write


def _cut_short(ran: "StepRun") -> Iterable[tuple[str, int, int]]:
    for name, size in (("stdout", ran.step.stdout_bytes), ("stderr", ran.step.stderr_bytes)):
        kept = len(getattr(ran.output, name))
        if kept < size:
            yield name, size, kept


def step_record(step: "TaskStep", said: "StepOutput") -> dict[str, Any]:
    """Return a step as JSON types with its output, decoded as text for JSON."""
    record = step.to_record()
    del record["name"]
    return record | {"stdout": _shown(said.stdout), "stderr": _shown(said.stderr)}


def _shown(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def duration_option(text: str | None, option: str) -> timedelta | None:
    """Return an option's duration, a bare number being seconds; None if it was not given."""
    if text is None:
        return None
    try:
        return times.parse_duration(f"{text}s" if text.replace(".", "", 1).isdecimal() else text)
    except BadInput as error:
        raise BadInput(f"{option}: {error}") from error


def _seconds(text: str | None, option: str) -> float | None:
    if text == "0":
        return 0.0
    given = duration_option(text, option)
    return None if given is None else given.total_seconds()
