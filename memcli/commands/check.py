"""`mem check`: keep and run the owner's retrieval checks, which say what a recall must find."""

from typing import Annotated

import typer

from memcli import ids
from memcli.commands.terminal import options, output
from memcli.commands.terminal.store import opened_memories
from memcli.errors import BadInput
from memcli.messages import message
from memcli.text.printable import json_line, one_line
from memcli.upkeep import retrieval_checks
from memcli.upkeep.retrieval_checks import CheckResult

EXAMPLES = """
mem check add "where does Ann live?" --expects QP6W3B9Y
MEMCLI_RECALL_LOG=query mem recall "where does Ann live?" && mem check add --last   # what stood first
mem check run                            # after another model, a setting, a night
mem check run --json | jq 'select(.passed | not)'
mem check list
mem check remove "$(mem check list --json | jq -r .id | head -n 1)"
"""

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    no_args_is_help=True,
    help="Keep questions with the memories they must find, and check that they still do.",
)


@app.command()
def add(
    question: Annotated[
        list[str] | None, typer.Argument(metavar="QUESTION…", help="The question to ask.")
    ] = None,
    expects: Annotated[
        list[str] | None, typer.Option(metavar="ID", help="A memory that must be found (repeatable).")
    ] = None,
    last: Annotated[
        bool,
        typer.Option(
            "--last", help="Take the last recall's question; without --expects, expect what it ranked first."
        ),
    ] = False,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Add a check, and run it once; it is kept whether it passes or not."""
    if last == bool(question) or not (last or expects):
        raise BadInput("give a question and --expects ID, or --last")
    with opened_memories(db, space) as memories:
        if last and not expects:
            results = [retrieval_checks.add_last(memories)]
        else:
            asked = retrieval_checks.last_question(memories) if last else " ".join(question or ())
            expected = [memories.find(each) for each in expects or ()]
            results = [retrieval_checks.add_check(memories, asked, each) for each in expected]
    _tell_degraded(results)
    for result in results:
        output.to_stdout(json_line(result.to_record()) if json else result.check.id)
        if not result.passed:
            output.to_stderr(f"it fails at present: {result.why}")
        elif result.weak:
            output.to_stderr("the answer is weak at present; that is taken as enough")


@app.command("list")
def list_(space: options.Space = None, json: options.Json = False, db: options.Db = None) -> None:
    """List the checks of the space, oldest first; exits 1 if there is none."""
    with opened_memories(db, space) as memories:
        checks = list(retrieval_checks.retrieval_checks(memories))
    for check in checks:
        tail, memory = ids.short_id(check.id), ids.short_id(check.memory)
        line = f"{tail}  {_rank(check.rank):>4}  {memory}  {one_line(check.question)}"
        output.to_stdout(json_line(check.to_record()) if json else line)
    if not checks:
        raise typer.Exit(1)


@app.command()
def remove(
    fragment: Annotated[str, typer.Argument(metavar="CHECK", help="The check's id, or part of it.")],
    space: options.Space = None,
    db: options.Db = None,
) -> None:
    """Remove a check."""
    with opened_memories(db, space) as memories:
        retrieval_checks.remove_check(memories, fragment)


@app.command()
def run(space: options.Space = None, json: options.Json = False, db: options.Db = None) -> None:
    """Ask every question of the space again: which passed, which failed, rank then and now.

    A check passes if its memory is on the page that `mem recall` shows, and the
    answer is no weaker than when the check was made. Exits 1 if one failed.
    """
    with opened_memories(db, space) as memories:
        results = [
            retrieval_checks.run_check(memories, each) for each in retrieval_checks.retrieval_checks(memories)
        ]
    for result in results:
        output.to_stdout(json_line(result.to_record()) if json else _line(result))
    failed = sum(not result.passed for result in results)
    _tell_degraded(results)
    if not json:
        output.to_stderr(
            f"{len(results) - failed} passed, {failed} failed" if results else "there are no checks"
        )
    if failed:
        raise typer.Exit(1)


def _tell_degraded(results: list[CheckResult]) -> None:
    """Say why the vector search was incomplete: a check may have passed by its words alone."""
    reason = next((result.degraded for result in results if result.degraded), None)
    if reason:
        output.to_stderr(message("not all was searched by meaning: ", reason))


def _line(result: CheckResult) -> str:
    said = "passed" if result.passed else "failed"
    ranks = f"{_rank(result.check.rank):>4} -> {_rank(result.now):<4}"
    note = result.why or ("weak" if result.weak else "")
    why = f"  ({one_line(note)})" if note else ""
    return f"{said}  {ranks}  {ids.short_id(result.memory)}  {one_line(result.check.question)}{why}"


def _rank(rank: int | None) -> str:
    return "-" if rank is None else str(rank)
