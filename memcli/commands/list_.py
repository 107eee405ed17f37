"""`mem list`: list the memories in the store."""

from collections.abc import Iterable
from datetime import datetime
from itertools import chain
from typing import Annotated

import typer

from memcli.commands.terminal import filters, forms, options, output, tables
from memcli.commands.terminal.store import opened_memories
from memcli.memories import Memories
from memcli.model import Filter, Memory
from memcli.recall import records
from memcli.text import printable

EXAMPLES = """
mem list -n 20 --kind preference
mem list --tag ops --since 2026-01-01
mem list --ended --json | jq -r 'select(.ended_at) | .text'
mem list --tag ops --format ids | xargs mem forget
mem list --format tsv | cut -f 4    # columns: id, kind, day, text
mem list --at 2026-11 --kind fact   # what was true then
mem list --as-of yesterday          # what the store knew then
"""


def command(
    limit: Annotated[
        int | None, typer.Option("-n", "--limit", min=1, metavar="N", help="At most this many.")
    ] = None,
    kind: options.Kinds = None,
    tag: options.Tags = None,
    space: options.Space = None,
    all_spaces: options.AllSpaces = False,
    session: options.Sessions = None,
    source: options.Sources = None,
    since: options.Since = None,
    until: options.Until = None,
    min_confidence: options.MinConfidence = 0,
    min_importance: options.MinImportance = 0,
    ended: options.Ended = False,
    trusted_only: options.TrustedOnly = False,
    at: options.At = None,
    as_of: options.AsOf = None,
    format: Annotated[
        forms.ListForm | None,
        typer.Option(
            "--format",
            "-f",
            help="Default: a table on a terminal, else text. json is one array.",
        ),
    ] = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """List memories, newest first.

    Exits 1 if there is none, and says so on stderr.
    """
    with opened_memories(db, space, as_of=as_of, all_spaces=all_spaces) as memories:
        where = filters.filter_options(
            memories, all_spaces=all_spaces, kinds=kind, tags=tag, sessions=session, sources=source,
            since=since, until=until, min_confidence=min_confidence, min_importance=min_importance,
            trusted_only=trusted_only,
            ended=ended, at=at,
        )  # fmt: skip
        found = memories.store.select(where, limit=limit)
        first = next(found, None)
        if first is None:
            _tell_that_none_fits(memories, where)
            raise typer.Exit(1)
        _print(chain((first,), found), _look(format, json), memories.now())


def _look(format: forms.ListForm | None, json: bool) -> forms.ListForm:
    return "jsonl" if json else format or ("table" if output.stdout_is_terminal() else "text")


def _print(found: Iterable[Memory], format: forms.ListForm, now: datetime) -> None:
    if format == "table":
        tables.memories_table(found, now)
        return
    lines: Iterable[str]
    if format == "ids":
        lines = (memory.id for memory in found)
    elif format == "tsv":
        lines = map(records.tabbed_line, found)
    elif format in ("json", "jsonl"):
        lines = (printable.json_line(memory.to_record()) for memory in found)
        lines = printable.json_array(lines) if format == "json" else lines
    else:
        lines = records.memory_lines(found, now)
    for line in lines:
        output.to_stdout(line)


def _tell_that_none_fits(memories: Memories, where: Filter) -> None:
    """Say that no memory fits, unless unknown names in the filter were reported already."""
    if not filters.has_unknown_names(memories, where):
        some = memories.store.total(where.spaces)
        output.to_stderr("no memory fits" if some else "nothing is remembered here yet")
