"""`mem task push`, `note`, `set` …: change the content of a task other than its steps."""

from dataclasses import asdict
from typing import Annotated

import typer

from memcli import times
from memcli.commands.task.change import Which, Words, change, kept, overview_record, report, tell_redacted
from memcli.commands.terminal import options, output
from memcli.commands.terminal.input import text_argument
from memcli.commands.terminal.store import opened_memories
from memcli.errors import BadInput, NotFound
from memcli.prompt.context import marked_text
from memcli.text import printable
from memcli.text.counting import counted
from memcli.tiers.tasks import tasks
from memcli.tiers.tasks.tasks import Task


def push(
    subgoal: Words = None,
    task: Which = None,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Put a subgoal on the stack."""
    text = kept(text_argument(subgoal, "push"))
    change(db, space, task, json, lambda t: t.subgoals.append(text), f"subgoal: {text}")


def pop(
    task: Which = None, space: options.Space = None, json: options.Json = False, db: options.Db = None
) -> None:
    """Take the last subgoal off the stack, and print it.

    Exits 1 if there is none.
    """

    def take(held: Task) -> str:
        if not held.subgoals:
            raise NotFound(f"{held.name} has no subgoal")
        last = held.subgoals.pop()
        return marked_text(last, trusted=held.origin_of("subgoals", last) is None)

    with opened_memories(db, space) as memories:
        changed, subgoal = tasks.change_task(memories, task, take)
    output.to_stdout(printable.json_line(asdict(changed)) if json else printable.printable(subgoal))


def phase(
    name: Annotated[
        list[str] | None,
        typer.Argument(metavar="[PHASE]", help="The new phase; without one, the present one is printed."),
    ] = None,
    task: Which = None,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Set the phase, or print it; exits 1 if none is set."""
    if name:
        text = kept(" ".join(name))
        change(db, space, task, json, lambda t: setattr(t, "phase", text), f"phase: {text}")
        return
    with opened_memories(db, space) as memories:
        held = tasks.task_at_hand(memories, task)
    if held.task.phase is None:
        raise typer.Exit(1)
    said = marked_text(printable.printable(held.task.phase), trusted=held.task.origin_of("phase") is None)
    output.to_stdout(printable.json_line(overview_record(held)) if json else said)


def note(
    text: Words = None,
    task: Which = None,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Note something.

    Beyond 20 notes, the oldest are folded into a digest.
    """
    with opened_memories(db, space) as memories:
        held = tasks.note_in_task(memories, task, kept(text_argument(text, "note")))
    report(held, counted(len(held.notes), "note") + (f", {held.folded} folded" if held.folded else ""), json)


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
            raise BadInput(f"{pair!r:.60} is not K=V")
        values[name.strip()] = text_argument(["-"], "set") if value == "-" else value
    tell_redacted(values)
    change(db, space, task, json, lambda t: t.variables.update(values), f"set {', '.join(values)}")


def get(
    name: Annotated[str, typer.Argument(metavar="K", help="A variable, or the name of a result.")],
    default: Annotated[
        str | None, typer.Option(metavar="V", help="Print this if nothing is set, instead of exiting 1.")
    ] = None,
    untrusted: Annotated[
        bool, typer.Option("--untrusted", help="Print even what an untrusted origin set.")
    ] = False,
    task: Which = None,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Print a variable, or a result whole.

    Exits 1 if there is none, 3 where an untrusted origin set it.
    """
    from memcli.tiers.tasks.values import value_of

    with opened_memories(db, space) as memories:
        held = tasks.task_at_hand(memories, task).task
        value = value_of(memories, held, name, default, untrusted=untrusted)
    if value is None:
        from memcli.text.spelling import did_you_mean

        meant = did_you_mean(name, (*held.variables, *held.results))
        raise NotFound(f"{held.name} has no variable or result {name!r:.60}; {meant}--default gives one")
    # Print exactly the bytes that a script has set.
    shown = printable.printable(value) if output.stdout_is_terminal() else value
    output.to_stdout(printable.json_line({"name": name, "value": value}) if json else shown)


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
    made = {"question": kept(question), "answer": kept(answer), "why": why and kept(why)}

    def add(held: Task, at: str) -> None:
        held.decisions.append({**made, "at": at})

    with opened_memories(db, space) as memories:
        now = times.to_iso(memories.now())
        changed, _ = tasks.change_task(memories, task, lambda held: add(held, now))
    report(changed, f"decided: {question} {answer}", json)


def result(
    name: Annotated[str, typer.Argument(metavar="K", help="A name for the result.")],
    value: Words = None,
    task: Which = None,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Keep a result.

    A prompt gets the first and last parts of it, `get` all of it.
    """
    text = kept(text_argument(value, "keep"))
    change(db, space, task, json, lambda t: t.results.update({name: text}), f"result {name}")


def constraint(
    text: Words = None,
    task: Which = None,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Add a constraint that the task must keep to."""
    rule = kept(text_argument(text, "keep to"))
    change(db, space, task, json, lambda t: t.constraints.append(rule), f"constraint: {rule}")
