"""`mem task`: the working memory of the task at hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from memcli import ids, times
from memcli.commands.terminal import options, output
from memcli.commands.terminal.input import text_argument
from memcli.errors import BadInput, NotFound
from memcli.prompt.context import marked_text
from memcli.text import printable
from memcli.text.checks import check_text
from memcli.tiers.tasks import tasks
from memcli.tiers.tasks.tasks import Task

EXAMPLES = """
mem task start "Plan the move" --name move --tag home
mem task switch billing
mem task push "copy the customers"
mem task pop
mem task phase implementation
mem task constraint "no downtime over 5 minutes"
mem task step add "dump the schema"
mem task step done copy   # by number, text or part of it
mem task step pending 1
mem task decide "which driver?" psycopg --why "the team knows it"
mem task set host=db2
mem task get host --default localhost
make test 2>&1 | mem task result tests
mem task note "table 3 of 6 copied"
mem task show
mem task list
mem task end --success "cut over in 4 minutes" --learn
"""

app = typer.Typer(add_completion=False, rich_markup_mode=None, no_args_is_help=True)
step_app = typer.Typer(add_completion=False, rich_markup_mode=None, no_args_is_help=True)
app.add_typer(step_app, name="step")

Words = Annotated[list[str] | None, typer.Argument(metavar="TEXT…", help="'-' or nothing reads stdin.")]
Step = Annotated[
    list[str], typer.Argument(metavar="STEP…", help="A step's number, its text or part of it, or a new one.")
]
Which = Annotated[str | None, typer.Option("--task", metavar="NAME", help="The task; else the one at hand.")]


@app.callback()
def _task() -> None:
    """Keep the working memory of the task at hand."""


@app.command()
def start(
    goal: Words = None,
    name: Annotated[str | None, typer.Option(metavar="NAME", help="Else made from the goal.")] = None,
    tag: Annotated[
        list[str] | None,
        typer.Option("--tag", "-t", metavar="TAG", help="Recall favours it; else the name given."),
    ] = None,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Begin a task and put it at hand; prints its name."""
    with options.opened_memories(db, space, create=True) as memories:
        task = tasks.start_task(memories, _kept(text_argument(goal, "do")), name=name, tags=tag or ())
    output.to_stdout(printable.json_line(asdict(task)) if json else task.name)


@app.command()
def show(
    task: Which = None,
    format: Annotated[
        Literal["text", "prompt", "json"] | None,
        typer.Option("--format", "-f", help="On a terminal text, in a pipe the context for a prompt."),
    ] = None,
    trusted_only: options.TrustedOnly = False,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Show the task at hand: in a pipe as a context for a prompt."""
    from memcli.tiers.tasks.context import task_context, task_lines

    with options.opened_memories(db, space) as memories:
        held, worked_in = tasks.task_at_hand(memories, task), memories.space
    if trusted_only:
        left = tasks.trusted_task(held.task)
        if left is None:
            raise NotFound(f"the task {held.task.name!r:.60} is untrusted")
        held = held._replace(task=left)
    look = "json" if json else format or ("text" if output.stdout_is_terminal() else "prompt")
    if look == "json":
        output.to_stdout(printable.json_line(_record(held)))
        return
    for line in task_lines(held.task, whole=True) if look == "text" else task_context(held.task, worked_in):
        output.to_stdout(line)


@app.command("list")
def list_(space: options.Space = None, json: options.Json = False, db: options.Db = None) -> None:
    """List the tasks alive, the last changed first.

    The one at hand is marked. Exits 1 where there is none.
    """
    with options.opened_memories(db, space) as memories:
        found = tasks.list_tasks(memories)
    if not found:
        raise typer.Exit(1)
    for held in found:
        if json:
            output.to_stdout(printable.json_line(_record(held)))
        else:
            mark, when = "*" if held.current else " ", times.local_time(held.updated_at)
            goal = printable.one_line(held.task.goal)[:100]
            said = marked_text(goal, trusted=held.task.trusted)
            output.to_stdout(f"{mark} {printable.one_line(held.task.name):<24} {when}  {said}")


@app.command()
def switch(name: str, space: options.Space = None, json: options.Json = False, db: options.Db = None) -> None:
    """Put another task at hand."""
    with options.opened_memories(db, space) as memories:
        task = tasks.switch_task(memories, name)
    _report(task, f"at hand: {task.name}", json)


@app.command()
def push(
    subgoal: Words = None,
    task: Which = None,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Put a subgoal on the stack."""
    text = _kept(text_argument(subgoal, "push"))
    _change(db, space, task, json, lambda t: t.subgoals.append(text), f"subgoal: {text}")


@app.command()
def pop(
    task: Which = None, space: options.Space = None, json: options.Json = False, db: options.Db = None
) -> None:
    """Take the last subgoal off the stack, and print it.

    Exits 1 where there is none.
    """

    def take(held: Task) -> str:
        if not held.subgoals:
            raise NotFound(f"{held.name} has no subgoal")
        last = held.subgoals.pop()
        return marked_text(last, trusted=held.origin_of("subgoals", last) is None)

    with options.opened_memories(db, space) as memories:
        changed, subgoal = tasks.change_task(memories, task, take)
    output.to_stdout(printable.json_line(asdict(changed)) if json else printable.printable(subgoal))


@app.command()
def phase(
    name: Annotated[list[str] | None, typer.Argument(metavar="[PHASE]", help="Left out: print it.")] = None,
    task: Which = None,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Set the phase, or print it; exits 1 where none is set."""
    if name:
        text = _kept(" ".join(name))
        _change(db, space, task, json, lambda t: setattr(t, "phase", text), f"phase: {text}")
        return
    with options.opened_memories(db, space) as memories:
        held = tasks.task_at_hand(memories, task)
    if held.task.phase is None:
        raise typer.Exit(1)
    said = marked_text(printable.printable(held.task.phase), trusted=held.task.origin_of("phase") is None)
    output.to_stdout(printable.json_line(_record(held)) if json else said)


@app.command()
def note(
    text: Words = None,
    task: Which = None,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Note something.

    Of more than 20 notes the oldest are folded into a digest.
    """
    with options.opened_memories(db, space) as memories:
        held = tasks.note_in_task(memories, task, _kept(text_argument(text, "note")))
    _report(held, f"{len(held.notes)} notes" + (f", {held.folded} folded" if held.folded else ""), json)


@app.command("set")
def set_(
    pairs: Annotated[list[str], typer.Argument(metavar="K=V…", help="Variables; 'K=-' reads stdin.")],
    task: Which = None,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Set variables."""
    values: dict[str, str] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name.strip():
            raise BadInput(f"{pair!r:.60} is no K=V")
        values[name.strip()] = text_argument(["-"], "set") if value == "-" else value
    _tell_redacted(values)
    _change(db, space, task, json, lambda t: t.variables.update(values), f"set {', '.join(values)}")


@app.command()
def get(
    name: Annotated[str, typer.Argument(metavar="K", help="A variable, or the name of a result.")],
    default: Annotated[
        str | None, typer.Option(metavar="V", help="Printed where it is not set; else exit 1.")
    ] = None,
    untrusted: Annotated[
        bool, typer.Option("--untrusted", help="Even what an untrusted origin set.")
    ] = False,
    task: Which = None,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Print a variable, or a result whole.

    Exits 1 where there is none, 3 where an untrusted origin set it.
    """
    from memcli.tiers.tasks.values import value_of

    with options.opened_memories(db, space) as memories:
        held = tasks.task_at_hand(memories, task).task
        value = value_of(memories, held, name, default, untrusted=untrusted)
    if value is None:
        raise NotFound(f"{held.name} has no variable or result {name!r:.60}; --default gives one")
    # A script gets what it set, to the byte.
    shown = printable.printable(value) if output.stdout_is_terminal() else value
    output.to_stdout(printable.json_line({"name": name, "value": value}) if json else shown)


@app.command()
def decide(
    question: str,
    answer: str,
    why: Annotated[str | None, typer.Option(metavar="TEXT", help="The reason.")] = None,
    task: Which = None,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Record a decision, with its reason."""
    made = {"question": _kept(question), "answer": _kept(answer), "why": why and _kept(why)}

    def add(held: Task, at: str) -> None:
        held.decisions.append({**made, "at": at})

    with options.opened_memories(db, space) as memories:
        now = times.to_iso(memories.now())
        changed, _ = tasks.change_task(memories, task, lambda held: add(held, now))
    _report(changed, f"decided: {question} {answer}", json)


@app.command()
def result(
    name: Annotated[str, typer.Argument(metavar="K", help="What it is the result of.")],
    value: Words = None,
    task: Which = None,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Keep a result.

    A prompt gets its first and last parts, `get` all of it.
    """
    text = _kept(text_argument(value, "keep"))
    _change(db, space, task, json, lambda t: t.results.update({name: text}), f"result {name}")


@app.command()
def constraint(
    text: Words = None,
    task: Which = None,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Add a constraint that the task must keep to."""
    rule = _kept(text_argument(text, "keep to"))
    _change(db, space, task, json, lambda t: t.constraints.append(rule), f"constraint: {rule}")


@step_app.callback()
def _step() -> None:
    """Add steps, mark them done or pending."""


@step_app.command()
def add(
    text: Words = None,
    task: Which = None,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Add a pending step."""
    step = _kept(text_argument(text, "add"))
    _change(db, space, task, json, lambda t: t.add_step(step), f"pending: {step}")


@step_app.command()
def done(
    step: Step,
    task: Which = None,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Mark a step done; one that is new is added as done."""
    _mark(db, space, task, json, " ".join(step), True)


@step_app.command()
def pending(
    step: Step,
    task: Which = None,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Mark a step pending again; one that is new is added."""
    _mark(db, space, task, json, " ".join(step), False)


@app.command()
def end(
    outcome: Words = None,
    success: Annotated[bool, typer.Option("--success", help="It was reached.")] = False,
    failed: Annotated[bool, typer.Option("--failed", help="It was not; one of both is needed.")] = False,
    learn: Annotated[
        bool, typer.Option("--learn", help="Be surer (+0.1), or less sure (-0.2), of what was recalled.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be kept.")] = False,
    task: Which = None,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """End the task: keep its outcome as a memory, clear the rest."""
    if success == failed:
        raise BadInput("say how it ended: --success or --failed, one of them")
    with options.opened_memories(db, space) as memories:
        ended = tasks.end_task(
            memories, task, text_argument(outcome, "keep"), success=success, learn=learn, dry_run=dry_run
        )
    moved = {memory.id: new for memory, new in ended.learned}
    if ended.learned and not learn:
        verb = "would move" if dry_run else "would have moved"
        output.to_stderr(f"{len(moved)} memories were recalled for it; --learn {verb} their confidence")
    if json:
        record = {**ended.outcome.to_record(), "learned": moved if learn else {}}
        output.to_stdout(printable.json_line(record))
        return
    if learn or dry_run:
        for memory, new in ended.learned:
            line = (
                f"confidence {memory.confidence:g} to {new:g}: {ids.short_id(memory.id)}  {memory.text[:80]}"
            )
            output.to_stderr(line)
    text = printable.one_line(ended.outcome.text)
    if dry_run:
        output.to_stdout(f"would keep: {text}")
    else:
        output.to_stdout(f"{ended.outcome.id}  {text}" if output.stdout_is_terminal() else ended.outcome.id)


def _change(
    db: Path | None, space: str | None, name: str | None, json: bool, edit: Callable[[Task], Any], said: str
) -> None:
    with options.opened_memories(db, space) as memories:
        changed, _ = tasks.change_task(memories, name, edit)
    _report(changed, said, json)


def _mark(db: Path | None, space: str | None, name: str | None, json: bool, wanted: str, done: bool) -> None:
    kept = _kept(wanted)
    with options.opened_memories(db, space) as memories:
        changed, step = tasks.change_task(memories, name, lambda t: t.step(kept, done))
    _report(changed, f"{'done' if done else 'pending'}: {step['text']}", json)


def _report(task: Task, said: str, json: bool) -> None:
    if json:
        output.to_stdout(printable.json_line(asdict(task)))
    elif output.stdout_is_terminal():
        output.to_stdout(printable.one_line(f"{task.name}: {said}")[:200])


def _kept(text: str) -> str:
    check_text(text, tasks.MAX_TASK_BYTES)
    _tell_redacted(text)
    return text


def _tell_redacted(given: Any) -> None:
    """Say which secrets are not kept."""
    from memcli.text.secrets.redaction import secret_kinds_in

    if names := secret_kinds_in(given):
        output.to_stderr(f"redacted: {', '.join(names)}")


def _record(held: tasks.TaskOverview) -> dict[str, Any]:
    return {
        **asdict(held.task),
        "trusted": held.task.trusted,
        "current": held.current,
        "updated_at": times.to_iso(held.updated_at),
        "expires_at": times.to_iso(held.expires_at) if held.expires_at else None,
    }
