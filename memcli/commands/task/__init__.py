"""`mem task`: keep the working memory of the current task."""

from dataclasses import asdict
from typing import Annotated

import typer

from memcli import ids, times
from memcli.commands.task import content, steps
from memcli.commands.task.change import Which, Words, kept, overview_record, report
from memcli.commands.terminal import forms, options, output
from memcli.commands.terminal.input import text_argument
from memcli.commands.terminal.store import opened_memories
from memcli.errors import BadInput, NotFound
from memcli.prompt import formats
from memcli.prompt.context import marked_text
from memcli.text import printable
from memcli.text.counting import counted
from memcli.tiers.tasks import completion, tasks

EXAMPLES = """
mem task start "Plan the move" --name move --tag home
mem task switch billing
mem task push "copy the customers"
mem task pop
mem task phase implementation
mem task constraint "no downtime over 5 minutes"
mem task step add "dump the schema"
mem task step done copy   # by number, text or part of it
mem task step add "compare the counts" --done
mem task step pending 1
mem task decide "which driver?" psycopg --why "the team knows it"
mem task set host=db2
mem task get host --default localhost
make test 2>&1 | mem task result tests
mem task note "table 3 of 6 copied"
mem task show
mem task list
mem task end --success "cut over in 4 minutes" --learn
mem task drop move --why "we stay where we are"
"""

app = typer.Typer(add_completion=False, rich_markup_mode=None, no_args_is_help=True)


@app.callback()
def _task() -> None:
    """Keep the working memory of the task at hand."""


@app.command()
def start(
    goal: Words = None,
    name: Annotated[
        str | None, typer.Option(metavar="NAME", help="The task's name. [default: made from the goal]")
    ] = None,
    tag: Annotated[
        list[str] | None,
        typer.Option(
            "--tag", "-t", metavar="TAG", help="A tag that recall favours. [default: the name given]"
        ),
    ] = None,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Start a task and make it the one at hand; prints its name."""
    with opened_memories(db, space, create=True) as memories:
        task = tasks.start_task(memories, kept(text_argument(goal, "do")), name=name, tags=tag or ())
    output.to_stdout(printable.json_line(asdict(task)) if json else task.name)


@app.command()
def show(
    task: Which = None,
    format: Annotated[
        forms.TaskForm | None,
        typer.Option("--format", "-f", help="Default: text on a terminal, a context for a prompt in a pipe."),
    ] = None,
    trusted_only: options.TrustedOnly = False,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Show the task at hand: in a pipe as a context for a prompt."""
    from memcli.tiers.tasks.context import task_context, task_lines

    with opened_memories(db, space) as memories:
        held, worked_in = tasks.task_at_hand(memories, task), memories.space
    if trusted_only:
        left = tasks.trusted_task(held.task)
        if left is None:
            raise NotFound(f"the task {held.task.name!r:.60} is untrusted")
        held = held._replace(task=left)
    look = "json" if json else format or ("text" if output.stdout_is_terminal() else "prompt")
    # For one task, the line is the whole object.
    if look in ("json", "jsonl"):
        output.to_stdout(printable.json_line(overview_record(held)))
        return
    for line in task_lines(held.task, whole=True) if look == "text" else task_context(held.task, worked_in):
        output.to_stdout(line)


@app.command("list")
def list_(space: options.Space = None, json: options.Json = False, db: options.Db = None) -> None:
    """List the open tasks, the last changed first.

    The one at hand is marked. Exits 1 if there is none.
    """
    with opened_memories(db, space) as memories:
        found = tasks.list_tasks(memories)
    if not found:
        raise typer.Exit(1)
    for held in found:
        if json:
            output.to_stdout(printable.json_line(overview_record(held)))
        else:
            mark, when = "*" if held.current else " ", times.local_time(held.updated_at)
            name, goal = printable.one_line(held.task.name), printable.one_line(held.task.goal, 100)
            said = marked_text(goal, trusted=held.task.trusted)
            line = formats.TASK_LISTED.format(at_hand=mark, name=name, minute=when, text=said)
            output.to_stdout(line)


@app.command()
def switch(name: str, space: options.Space = None, json: options.Json = False, db: options.Db = None) -> None:
    """Make another task the one at hand."""
    with opened_memories(db, space) as memories:
        task = tasks.switch_task(memories, name)
    report(task, f"at hand: {task.name}", json)


app.command()(content.push)
app.command()(content.pop)
app.command()(content.phase)
app.command()(content.note)
app.command("set")(content.set_)
app.command()(content.get)
app.command()(content.decide)
app.command()(content.result)
app.command()(content.constraint)
app.add_typer(steps.app, name="step")


@app.command()
def end(
    outcome: Words = None,
    success: Annotated[bool, typer.Option("--success", help="The goal was reached.")] = False,
    failed: Annotated[
        bool, typer.Option("--failed", help="The goal was not reached (one of the two is required).")
    ] = False,
    learn: Annotated[
        bool,
        typer.Option(
            "--learn",
            help="Raise the confidence of what was recalled by 0.1; after a failure lower it by 0.2.",
        ),
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be kept.")] = False,
    task: Which = None,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """End the task: keep its outcome as a memory, clear the rest."""
    if success == failed:
        raise BadInput("say how it ended: give --success or --failed")
    with opened_memories(db, space) as memories:
        ended = completion.end_task(
            memories, task, text_argument(outcome, "keep"), success=success, learn=learn, dry_run=dry_run
        )
    moved = {memory.id: new for memory, new in ended.learned}
    if ended.learned and not learn:
        verb = "would move" if dry_run else "would have moved"
        number = counted(len(moved), "memory was", "memories were")
        output.to_stderr(f"{number} recalled for it; --learn {verb} their confidence")
    if json:
        record = {**ended.outcome.to_record(), "learned": moved if learn else {}}
        output.to_stdout(printable.json_line(record))
        return
    if learn or dry_run:
        for memory, new in ended.learned:
            text = printable.one_line(memory.text, 80)
            output.to_stderr(
                f"confidence {memory.confidence:g} to {new:g}: {ids.short_id(memory.id)}  {text}"
            )
    text = printable.one_line(ended.outcome.text)
    if dry_run:
        output.to_stdout(f"would keep: {text}")
    else:
        output.to_stdout(f"{ended.outcome.id}  {text}" if output.stdout_is_terminal() else ended.outcome.id)


@app.command()
def drop(
    name: Annotated[
        str | None, typer.Argument(metavar="[TASK]", help="The task's name. [default: the one at hand]")
    ] = None,
    why: Annotated[str | None, typer.Option(metavar="TEXT", help="The reason, kept on record.")] = None,
    task: Which = None,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Drop the task: it ends without an outcome, which is on record as an event."""
    if None not in (name, task) and name != task:
        raise BadInput(f"the task is {name!r:.60} or {task!r:.60}; name one")
    with opened_memories(db, space) as memories:
        event = completion.drop_task(memories, task if name is None else name, why and kept(why))
    if json:
        output.to_stdout(printable.json_line(event.to_record()))
    else:
        said = printable.one_line(event.text)
        output.to_stdout(f"{event.id}  {said}" if output.stdout_is_terminal() else event.id)
