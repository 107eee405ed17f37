"""`mem checkpoint`: the state of long tasks, and steps that run once."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any, Literal, TextIO

import typer
from typer.core import TyperCommand

from memcli import checkpoints, output, steps, times
from memcli.commands import options
from memcli.errors import BadInput

# Where the command line of `run` is kept in typer's context.
_COMMAND = "memcli.command"

app = typer.Typer(add_completion=False, rich_markup_mode=None, no_args_is_help=True)


def _complete_task(ctx: typer.Context, incomplete: str) -> list[str]:
    db = ctx.params.get("db") or ctx.find_root().params.get("db")
    with options.opened(db, ctx.params.get("space")) as memories:
        return [task.name for task in checkpoints.tasks(memories) if task.name.startswith(incomplete)]


Task = Annotated[
    str, typer.Argument(metavar="TASK", autocompletion=_complete_task, help="The task, by any name.")
]
StepName = Annotated[str, typer.Argument(metavar="STEP", help="The step, by any name.")]
Ttl = Annotated[
    str | None,
    typer.Option(metavar="TIME", help="How long to keep the task from its last change; 30 days unless set."),
]


@app.callback()
def _checkpoint() -> None:
    """Save the state of a long task, and run its steps once.

    `mem checkpoint run TASK STEP -- CMD …` in front of each line of a script
    makes it resumable: what is done already is skipped when it runs again.
    """


@app.command()
def save(
    task: Task,
    file: Annotated[str, typer.Argument(metavar="[FILE|-]", help="A file of JSON; else stdin.")] = "-",
    ttl: Ttl = None,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Save a task's state, any JSON; prints the number of its version."""
    text, lives = _read(file), _length(ttl, "--ttl")
    with options.opened(db, space, create=True) as memories:
        kept, saved = checkpoints.save(memories, task, text, lives, where="stdin" if file == "-" else file)
    if json:
        output.to_stdout(output.json_line(kept.to_record()))
    elif output.for_people():
        until = times.local(kept.expires_at)
        output.to_stdout(f"{output.one_line(kept.name)}: version {saved.version}, kept until {until}")
    else:
        output.to_stdout(str(saved.version))


@app.command()
def restore(
    task: Task,
    version: Annotated[
        int | None, typer.Option(metavar="N", help="An earlier one; `mem checkpoint show` lists them.")
    ] = None,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Print a task's saved state, the JSON as it was saved.

    Exits 1 where there is none, or it has expired.
    """
    with options.opened(db, space) as memories:
        saved = checkpoints.restore(memories, task, version)
    if json:
        # Spliced in as text: numbers stay as they were written. Line ends stand between tokens only.
        head = output.json_line({"task": saved.task, **saved.to_record()})
        state = output.safe_json(saved.text).replace("\n", " ")
        output.to_stdout(f'{head[:-1]},"state":{state}}}')
    else:
        output.to_stdout(output.safe_json(saved.text) if output.for_people() else saved.text)


@app.command()
def show(
    task: Task,
    step: Annotated[
        str | None, typer.Argument(metavar="[STEP]", help="One step, with what it printed.")
    ] = None,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Show a task's steps (status, when, how long, exit status) and saved versions.

    Exits 1 where there is none, or it has expired.
    """
    with options.opened(db, space) as memories:
        found = checkpoints.need(memories, task)
        if step is not None:
            one = steps.step_of(memories, found, step)
            _show_step(found.name, one, steps.output_of(memories, found, one.name), json)
            return
        versions = [saved.to_record() for saved in checkpoints.saves(memories, found)]
        listed = steps.steps(memories, found)
    record = found.to_record() | {"versions": versions, "steps": [each.to_record() for each in listed]}
    output.to_stdout(output.json_line(record)) if json else _lines(_task_lines(found, versions, listed))


@app.command("list")
def list_tasks(space: options.Space = None, json: options.Json = False, db: options.Db = None) -> None:
    """List the checkpoints of the space, latest change first.

    Exits 1 where there is none.
    """
    with options.opened(db, space) as memories:
        found = checkpoints.tasks(memories)
        by_task = steps.steps_by_task(memories, found)
    for task in found:
        done = sum(step.status == "done" for step in by_task[task.id])
        total = len(by_task[task.id])
        if json:
            output.to_stdout(output.json_line(task.to_record() | {"steps": total, "steps_done": done}))
        else:
            version = f"version {task.version}" if task.version else "-"
            output.to_stdout(
                f"{times.local(task.updated_at)}  {done:>3} of {total:>3} steps  {version:<12}  "
                f"expires {times.local(task.expires_at)}  {output.one_line(task.name)}"
            )
    if not found:
        raise typer.Exit(1)


@app.command()
def clear(
    task: Task,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be removed.")] = False,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Remove a task's saved state and steps, for good; the next run starts anew.

    Exits 1 where there is none, 4 while one of its steps runs.
    """
    with options.opened(db, space) as memories:
        found = checkpoints.need(memories, task)
        held = f"{len(found.versions)} saved versions and {len(steps.steps(memories, found))} steps"
        if not dry_run:
            options.confirm(f"Remove {held} of {output.one_line(found.name)!r} for good?", yes)
            steps.clear(memories, task)
    verb = "would remove" if dry_run else "removed"
    if json:
        output.to_stdout(output.json_line(found.to_record() | {"removed": not dry_run}))
    else:
        output.to_stdout(f"{verb}: {output.one_line(found.name)}, {held}")


@app.command()
def mark(
    task: Task,
    step: StepName,
    state: Annotated[Literal["done", "pending"], typer.Argument(help="What it is.")],
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Say by hand that a step is done, or pending: that it shall run again."""
    with options.opened(db, space) as memories:
        steps.mark(memories, task, step, done=state == "done")
    if json:
        output.to_stdout(output.json_line({"task": task, "step": step, "status": state}))
    elif output.for_people():
        output.to_stdout(f"{output.one_line(step)}: {state}")


class _BeforeACommand(TyperCommand):
    """Our own arguments end at `--`; what stands behind it, options and all, is the command's."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse what stands before `--`, and lay the rest aside."""
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
        """Name the command among the arguments."""
        return [*super().collect_usage_pieces(ctx), "-- CMD…"]


@app.command(cls=_BeforeACommand)
def run(
    context: typer.Context,
    task: Task,
    step: StepName,
    inputs: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="Run again when its content changed (repeatable; a folder too)."),
    ] = None,
    any_command: Annotated[
        bool, typer.Option("--any-command", help="Done stays done, though the command line changes.")
    ] = False,
    at_most_once: Annotated[
        bool, typer.Option("--at-most-once", help="When it was cut off, refuse (exit 3) to repeat it.")
    ] = False,
    again: Annotated[bool, typer.Option("--again", help="Run it now, whatever is on record.")] = False,
    wait: Annotated[
        str | None, typer.Option(metavar="TIME", help="How long to wait for who runs it now; no limit.")
    ] = None,
    no_wait: Annotated[bool, typer.Option("--no-wait", help="Exit 4 at once where it is running.")] = False,
    timeout: Annotated[
        str | None, typer.Option(metavar="TIME", help="End the command then, with status 124.")
    ] = None,
    no_output: Annotated[
        bool, typer.Option("--no-output", help="Record no output; it keeps the terminal to itself.")
    ] = False,
    ttl: Ttl = None,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Run a command once: when it is done already, print what it printed, and exit 0.

    Done is what ended with status 0. A failed or killed step runs again, and
    so does one whose command line or --inputs changed. Exits with the
    command's own status (127: not found, 126: cannot be run, 124: timed out,
    128 + n: signal n). By default a step runs at least once: a kill between
    its effect and the record repeats it.
    """
    from memcli import run_once

    order = run_once.Order(
        context.meta[_COMMAND], tuple(inputs or ()), any_command, at_most_once, again,
        0.0 if no_wait else _seconds(wait, "--wait"), _seconds(timeout, "--timeout"),
        _length(ttl, "--ttl"), not no_output or json,
    )  # fmt: skip
    stdout, stderr = _sink(None if json else sys.stdout), _sink(sys.stderr)
    with options.opened(db, space, create=True) as memories:
        ran = run_once.run(memories, task, step, order, stdout=stdout, stderr=stderr, say=output.to_stderr)
    called = f"step {step!r} of {task!r}"
    if ran.skipped:
        if sys.stderr.isatty():
            output.to_stderr(f"{called} was done {times.local(ran.step.ended_at or ran.step.started_at)}")
        stdout(ran.output.stdout)
        stderr(ran.output.stderr)
        for name, size, kept in _cut_short(ran):
            output.to_stderr(f"{called}: of its {name}, {size:,} bytes, only the first {kept:,} are kept")
    elif ran.step.status != "done":
        held_back = ran.step.status == "interrupted" and ran.step.at_most_once
        then = "uncertain from now on" if held_back else "the next run repeats it"
        output.to_stderr(f"{called}: {ran.step.status} with status {ran.status}; {then}")
    if json:
        head = {"task": task, "step": step, "skipped": ran.skipped}
        output.to_stdout(output.json_line(head | _step_record(ran.step, ran.output)))
    raise typer.Exit(ran.status)


def _sink(stream: TextIO | None) -> Callable[[bytes], None]:
    """Writes bytes to a stream's descriptor at once; None takes them nowhere."""
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
            raise BadInput(f"the output cannot be written ({error.strerror})") from error

    return write


def _cut_short(ran: Any) -> Iterable[tuple[str, int, int]]:
    for name, size in (("stdout", ran.step.stdout_bytes), ("stderr", ran.step.stderr_bytes)):
        kept = len(getattr(ran.output, name))
        if kept < size:
            yield name, size, kept


def _task_lines(
    task: checkpoints.Task, versions: list[dict[str, Any]], listed: list[steps.Step]
) -> Iterable[str]:
    yield f"{'task':<12} {output.one_line(task.name)}"
    yield f"{'changed':<12} {times.local(task.updated_at, seconds=True)}"
    yield f"{'expires':<12} {times.local(task.expires_at, seconds=True)}"
    for saved in versions:
        when = times.local(times.from_text(saved["saved_at"]), seconds=True)
        yield f"{'saved':<12} {when}  version {saved['version']}, {saved['bytes']:,} bytes"
    for step in listed:
        took = "" if step.seconds is None else f"{step.seconds:.1f} s"
        status = "" if step.exit_status is None else f"exit {step.exit_status}"
        when = times.local(step.started_at, seconds=True)
        yield f"{step.status:<12} {when}  {took:>9}  {status:<8}  {output.one_line(step.name)}"


def _show_step(task: str, step: steps.Step, said: steps.Output, json: bool) -> None:
    if json:
        output.to_stdout(output.json_line({"task": task, "step": step.name} | _step_record(step, said)))
        return
    import shlex

    record = step.to_record() | {"command": shlex.join(step.command)}
    record["inputs"] = ", ".join(step.inputs)
    for name, value in record.items():
        if value not in (None, "", False):
            shown = times.local(times.from_text(value), seconds=True) if name.endswith("_at") else value
            output.to_stdout(f"{name:<12} {output.one_line(str(shown))}")
    for text in (said.stdout, said.stderr):
        if text:
            output.to_stdout("")
            output.to_stdout(output.plain(text.decode("utf-8", "replace")).rstrip("\n"))


def _step_record(step: steps.Step, said: steps.Output) -> dict[str, Any]:
    record = step.to_record()
    del record["name"]
    return record | {"stdout": _shown(said.stdout), "stderr": _shown(said.stderr)}


def _shown(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _lines(lines: Iterable[str]) -> None:
    for line in lines:
        output.to_stdout(line)


def _read(file: str) -> str:
    from memcli.commands.reading import decode

    if file != "-":
        try:
            return decode(Path(file).expanduser().read_bytes(), file)
        except OSError as error:
            raise BadInput(f"{file}: cannot be read ({error.strerror})") from error
    if sys.stdin is None or sys.stdin.isatty():
        raise BadInput("nothing to save: name a file, or pipe JSON in")
    return decode(sys.stdin.buffer.read(), "stdin")


def _length(text: str | None, option: str) -> timedelta | None:
    if text is None:
        return None
    try:
        return times.parse_duration(f"{text}s" if text.replace(".", "", 1).isdigit() else text)
    except BadInput as error:
        raise BadInput(f"{option}: {error}") from error


def _seconds(text: str | None, option: str) -> float | None:
    if text == "0":
        return 0.0
    length = _length(text, option)
    return None if length is None else length.total_seconds()
