"""`mem edit`: change a memory's tags, importance, confidence or validity."""

from dataclasses import replace
from typing import Annotated, Any

import typer

from memcli import ids, times
from memcli.commands.terminal import options, output
from memcli.commands.terminal.changes import lifted_remarks, print_changed
from memcli.commands.terminal.store import opened_memories
from memcli.commands.terminal.values import instant_option
from memcli.errors import BadInput
from memcli.messages import Command, message
from memcli.model import Kind
from memcli.text import printable

EXAMPLES = """
mem edit QP6W3B9Y --tag home --untag people --importance 0.8
mem edit QP6W3B9Y --until 2027-01-01   # true until then; `never` takes that back
"""


def command(
    fragment: options.Id,
    tag: Annotated[
        list[str] | None, typer.Option("--tag", "-t", metavar="TAG", help="Add this tag (repeatable).")
    ] = None,
    untag: Annotated[
        list[str] | None, typer.Option(metavar="TAG", help="Remove this tag (repeatable).")
    ] = None,
    kind: Annotated[Kind | None, typer.Option("--kind", "-k", help="The new kind.")] = None,
    importance: Annotated[float | None, typer.Option(metavar="0..1", help="How important it is.")] = None,
    confidence: Annotated[float | None, typer.Option(metavar="0..1", help="How sure it is.")] = None,
    since: Annotated[str | None, typer.Option(metavar="TIME", help="Since when it is true.")] = None,
    until: Annotated[
        str | None, typer.Option(metavar="TIME", help="Until when it is true; 'never' for no end.")
    ] = None,
    trust: Annotated[
        bool | None, typer.Option("--trusted/--untrusted", help="Whether its source is trusted.")
    ] = None,
    reason: options.Reason = None,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Change tags, importance, confidence or validity of a memory.

    `--until never` also lifts a time to live, and so does a new kind of what was kept
    for a time only. To change what it says, use `mem correct`.
    """
    from memcli.changes import revision
    from memcli.write_policy.rules.dates import past_remark

    with opened_memories(db, space) as memories, memories.store.writing():
        now = memories.now()
        memory = memories.find(fragment)
        fields: dict[str, Any] = {
            "kind": kind, "importance": importance, "confidence": confidence, "trusted": trust,
        }  # fmt: skip
        fields = {name: value for name, value in fields.items() if value is not None}
        if since is not None:
            fields["valid_from"] = None if since == "never" else instant_option(since, now)
        if until is not None:
            fields["valid_until"] = (
                None if until == "never" else instant_option(until, now, end=True, ahead=True)
            )
            if until == "never":
                fields["expires_at"] = None
        if not (fields or tag or untag):
            raise BadInput("nothing to change: give --tag, --untag, --importance, --until, …")
        after = revision.edit_memory(
            memories, memory, tags=tag or (), without_tags=untag or (), reason=reason, **fields
        )
    if until is not None and (remark := past_remark(after.valid_until, now)):
        output.to_stderr(remark)
    for line in lifted_remarks(replace(memory, valid_until=None), after):
        output.to_stderr(line)
    if kind is not None and after.expires_at:
        output.to_stderr(f"it still expires {times.local_time(after.expires_at)}; --until never lifts that")
    if after.ended_at and (kind is not None or until is not None):
        back = Command(f"restore {ids.short_id(after.id)}")
        output.to_stderr(
            message(f"it has ended ({printable.one_line(after.ended_why or '')}); ", back, " brings it back")
        )
    print_changed([after], "edited", as_json=json)
