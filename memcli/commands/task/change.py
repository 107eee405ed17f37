"""Task changes: options and helpers that the commands of `mem task` share."""

from collections.abc import Callable
from dataclasses import asdict
from typing import Annotated, Any

import typer

from memcli import times
from memcli.commands.terminal import options, output
from memcli.commands.terminal.store import opened_memories
from memcli.text import printable
from memcli.text.checks import check_text
from memcli.tiers.tasks import tasks
from memcli.tiers.tasks.tasks import Task

Words = Annotated[list[str] | None, typer.Argument(metavar="TEXT…", help="'-' or nothing reads stdin.")]
Which = Annotated[
    str | None, typer.Option("--task", metavar="NAME", help="The task. [default: the one at hand]")
]


def change(
    db: options.Db, space: str | None, name: str | None, json: bool, edit: Callable[[Task], Any], said: str
) -> None:
    """Change a task, and say so on a terminal. Raises what `edit` raises, NotFound, BadInput."""
    with opened_memories(db, space) as memories:
        changed, _ = tasks.change_task(memories, name, edit)
    report(changed, said, json)


def report(task: Task, said: str, json: bool) -> None:
    """Print a task as JSON, or on a terminal what was done to it."""
    if json:
        output.to_stdout(printable.json_line(asdict(task)))
    elif output.stdout_is_terminal():
        output.to_stdout(printable.one_line(f"{task.name}: {said}", 200))


def kept(text: str) -> str:
    """Return a text for a task after checking it, and report secrets that are left out. Raises BadInput."""
    check_text(text, tasks.MAX_TASK_BYTES)
    tell_redacted(text)
    return text


def tell_redacted(given: Any) -> None:
    """Say on stderr which secrets are not kept."""
    from memcli.text.secrets.redaction import secret_kinds_in

    if names := secret_kinds_in(given):
        output.to_stderr(f"redacted: {', '.join(names)}")


def overview_record(held: tasks.TaskOverview) -> dict[str, Any]:
    """Return a task and its times as JSON types."""
    return {
        **asdict(held.task),
        "trusted": held.task.trusted,
        "current": held.current,
        "updated_at": times.to_iso(held.updated_at),
        "expires_at": times.to_iso(held.expires_at) if held.expires_at else None,
    }
