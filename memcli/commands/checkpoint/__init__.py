"""`mem checkpoint`: save and restore the state of long tasks, and run steps once."""

from collections.abc import Iterable
from typing import Annotated, Any, Literal

import typer

from memcli import times
from memcli.commands.checkpoint.run import (
    BeforeACommand,
    StepName,
    Task,
    Ttl,
    duration_option,
    run,
    step_record,
)
from memcli.commands.terminal import options, output
from memcli.commands.terminal.consent import confirm_loss
from memcli.commands.terminal.store import opened_memories
from memcli.doors import Deed
from memcli.errors import BadInput
from memcli.prompt import formats
from memcli.prompt.context import marked_text
from memcli.text import printable
from memcli.text.counting import counted
from memcli.tiers.tasks import checkpoints, steps

EXAMPLES = """
mem checkpoint run build pack --inputs lock.txt -- tar cf build.tar lock.txt   # again when it changed
mem checkpoint run build test --again -- make test                             # now, whatever is on record
mem checkpoint run pay invoice-7 --at-most-once -- echo paid
mem checkpoint show build
mem checkpoint show build test                                                 # with what it printed
mem checkpoint mark build test pending
mem checkpoint list
mem checkpoint clear build --yes
echo '{"page": 9}' | mem checkpoint save crawl                                 # prints the version
mem checkpoint restore crawl | jq .page
"""

app = typer.Typer(add_completion=False, rich_markup_mode=None, no_args_is_help=True)


@app.callback()
def _checkpoint() -> None:
    """Save the state of a long task, and run its steps once.

    `mem checkpoint run TASK STEP -- CMD …` in front of each line of a script
    makes it resumable: what is done already is skipped when it runs again.
    """


app.command(cls=BeforeACommand)(run)


@app.command()
def save(
    task: Task,
    file: Annotated[
        str | None, typer.Argument(metavar="[FILE|-]", help="A JSON file; '-' or nothing reads stdin.")
    ] = None,
    ttl: Ttl = None,
    force: Annotated[bool, typer.Option("--force", help="Save it even if it holds a secret.")] = False,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Save a task's state, any JSON; prints the number of its version.

    A state that holds a secret is refused (exit status 3) unless --force is given.
    What a command of `run` prints is kept as it is.
    """
    from memcli.commands.terminal.input import read_document

    brought, lives = read_document(file), duration_option(ttl, "--ttl")
    if brought is None:
        raise BadInput("nothing to save: name a file, or pipe JSON in")
    with opened_memories(db, space, create=True) as memories:
        kept, saved = checkpoints.save_checkpoint(
            memories, task, brought.text, lives, where=brought.where, force=force
        )
    if json:
        output.to_stdout(printable.json_line(kept.to_record()))
    elif output.stdout_is_terminal():
        until = times.local_time(kept.expires_at)
        output.to_stdout(f"{printable.one_line(kept.name)}: version {saved.version}, kept until {until}")
    else:
        output.to_stdout(str(saved.version))


@app.command()
def restore(
    task: Task,
    version: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="An earlier version; `mem checkpoint show` lists them."),
    ] = None,
    untrusted: Annotated[
        bool, typer.Option("--untrusted", help="Print even what an untrusted origin saved.")
    ] = False,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Print a task's saved state, the JSON as it was saved.

    Exits 1 if there is none, or it has expired, 3 if an untrusted origin saved it.
    """
    with opened_memories(db, space) as memories:
        saved = checkpoints.restore_checkpoint(memories, task, version, untrusted=untrusted)
    if json:
        # Inserted as text, so that numbers stay as written; line ends occur only between tokens.
        head = printable.json_line({"task": saved.task, **saved.to_record()})
        state = printable.safe_json(saved.text).replace("\n", " ")
        output.to_stdout(f'{head[:-1]},"state":{state}}}')
    else:
        output.to_stdout(printable.safe_json(saved.text) if output.stdout_is_terminal() else saved.text)


@app.command()
def show(
    task: Task,
    step: Annotated[
        str | None, typer.Argument(metavar="[STEP]", help="Show one step, with what it printed.")
    ] = None,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Show a task's steps (status, when, how long, exit status) and saved versions.

    Exits 1 if there is none, or it has expired.
    """
    with opened_memories(db, space) as memories:
        found = checkpoints.require_checkpoint(memories, task)
        if step is not None:
            one = steps.find_step(memories, found, step)
            _show_step(found.name, one, steps.step_output(memories, found, one.name), json)
            return
        versions = [saved.to_record() for saved in checkpoints.saved_states(memories, found)]
        listed = steps.task_steps(memories, found)
    record = found.to_record() | {"versions": versions, "steps": [each.to_record() for each in listed]}
    for line in [printable.json_line(record)] if json else _task_lines(found, versions, listed):
        output.to_stdout(line)


@app.command("list")
def list_tasks(space: options.Space = None, json: options.Json = False, db: options.Db = None) -> None:
    """List the checkpoints of the space, latest change first.

    Exits 1 if there is none.
    """
    with opened_memories(db, space) as memories:
        found = checkpoints.list_checkpoints(memories)
        by_task = steps.steps_by_checkpoint(memories, found)
    for task in found:
        done = sum(step.status == "done" for step in by_task[task.id])
        total = len(by_task[task.id])
        if json:
            output.to_stdout(printable.json_line(task.to_record() | {"steps": total, "steps_done": done}))
        else:
            version = f"version {task.version}" if task.version else "-"
            output.to_stdout(
                f"{times.local_time(task.updated_at)}  {done:>3} of {total:>3} steps  {version:<12}  "
                f"expires {times.local_time(task.expires_at)}  {printable.one_line(task.name)}"
                f"{formats.UNTRUSTED_MARK if task.origin else ''}"
            )
    if not found:
        raise typer.Exit(1)


@app.command()
def clear(
    task: Task,
    yes: options.Yes = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be removed.")] = False,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Remove a task's saved state and steps for good; the next run starts from scratch.

    Exits 1 if there is none, 4 while one of its steps runs.
    """
    with opened_memories(db, space) as memories:
        found = checkpoints.require_checkpoint(memories, task)
        of_task = steps.task_steps(memories, found)
        held = f"{counted(len(found.versions), 'saved version')} and {counted(len(of_task), 'step')}"
        if not dry_run:
            checkpoints.require_own(memories, found, Deed.END)
            confirm_loss(f"Remove {held} of {printable.one_line(found.name)!r} for good?", yes)
            steps.clear_checkpoint(memories, task)
    verb = "would remove" if dry_run else "removed"
    if json:
        output.to_stdout(printable.json_line(found.to_record() | {"removed": not dry_run}))
    else:
        output.to_stdout(f"{verb}: {printable.one_line(found.name)}, {held}")


@app.command()
def mark(
    task: Task,
    step: StepName,
    state: Annotated[Literal["done", "pending"], typer.Argument(help="What it is.")],
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Mark a step as done, or as pending, so that it runs again."""
    with opened_memories(db, space) as memories:
        steps.mark_step(memories, task, step, done=state == "done")
    if json:
        output.to_stdout(printable.json_line({"task": task, "step": step, "status": state}))
    elif output.stdout_is_terminal():
        output.to_stdout(f"{printable.one_line(step)}: {state}")


def _task_lines(
    task: checkpoints.Checkpoint, versions: list[dict[str, Any]], listed: list[steps.TaskStep]
) -> Iterable[str]:
    yield f"{'task':<12} {printable.one_line(task.name)}"
    if task.origin:
        yield f"{'origin':<12} {printable.one_line(task.origin)}{formats.UNTRUSTED_MARK}"
    yield f"{'changed':<12} {times.local_time(task.updated_at, seconds=True)}"
    yield f"{'expires':<12} {times.local_time(task.expires_at, seconds=True)}"
    for saved in versions:
        when = times.local_time(times.from_iso(saved["saved_at"]), seconds=True)
        mark = formats.UNTRUSTED_MARK if saved["origin"] else ""
        yield f"{'saved':<12} {when}  version {saved['version']}, {saved['bytes']:,} bytes{mark}"
    for step in listed:
        took = "" if step.seconds is None else f"{step.seconds:.1f} s"
        status = "" if step.exit_status is None else f"exit {step.exit_status}"
        when = times.local_time(step.started_at, seconds=True)
        name = marked_text(printable.one_line(step.name), trusted=step.origin is None)
        yield f"{step.status:<12} {when}  {took:>9}  {status:<8}  {name}"


def _show_step(task: str, step: steps.TaskStep, said: steps.StepOutput, json: bool) -> None:
    if json:
        output.to_stdout(printable.json_line({"task": task, "step": step.name} | step_record(step, said)))
        return
    import shlex

    record = step.to_record() | {"command": shlex.join(step.command)}
    record["inputs"] = ", ".join(step.inputs)
    for name, value in record.items():
        if value not in (None, "", False):
            shown = times.local_time(times.from_iso(value), seconds=True) if name.endswith("_at") else value
            output.to_stdout(f"{name:<12} {printable.one_line(str(shown))}")
    for text in (said.stdout, said.stderr):
        if text:
            output.to_stdout("" if step.origin is None else formats.UNTRUSTED_MARK.strip())
            output.to_stdout(printable.printable(text.decode("utf-8", "replace")).rstrip("\n"))
