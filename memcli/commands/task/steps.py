"""`mem task step`: add a task's steps, and mark them done or pending."""

from typing import Annotated

import typer

from memcli.commands.task.change import Which, Words, change, kept, report
from memcli.commands.terminal import options
from memcli.commands.terminal.input import text_argument
from memcli.commands.terminal.store import opened_memories
from memcli.tiers.tasks import tasks

app = typer.Typer(add_completion=False, rich_markup_mode=None, no_args_is_help=True)
Step = Annotated[list[str], typer.Argument(metavar="STEP…", help="A step's number, its text, or part of it.")]


@app.callback()
def _step() -> None:
    """Add steps, mark them done or pending."""


@app.command()
def add(
    text: Words = None,
    done: Annotated[bool, typer.Option("--done", help="It is done already.")] = False,
    task: Which = None,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Add a step, pending or done."""
    step = kept(text_argument(text, "add"))
    said = f"{'done' if done else 'pending'}: {step}"
    change(db, space, task, json, lambda t: t.add_step(step, done=done), said)


@app.command()
def done(
    step: Step,
    task: Which = None,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Mark a step done; exits 1 if the task has none like it."""
    _mark(db, space, task, json, " ".join(step), done=True)


@app.command()
def pending(
    step: Step,
    task: Which = None,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Mark a step pending again; exits 1 if the task has none like it."""
    _mark(db, space, task, json, " ".join(step), done=False)


def _mark(
    db: options.Db, space: str | None, name: str | None, json: bool, wanted: str, *, done: bool
) -> None:
    text = kept(wanted)
    with opened_memories(db, space) as memories:
        changed, step = tasks.change_task(memories, name, lambda t: t.step(text, done=done))
    report(changed, f"{'done' if done else 'pending'}: {step['text']}", json)
