"""`mem page`: write the memories as one HTML page."""

from pathlib import Path
from typing import Annotated

import typer

from memcli.commands.terminal import filters, options, output
from memcli.commands.terminal.store import opened_memories
from memcli.commands.terminal.warnings import tell_damaged
from memcli.errors import BadInput, NotFound

EXAMPLES = """
mem page -o memories.html           # then open it: search, filters, timeline, graph
mem page --all-spaces --ended -o everything.html
mem page --kind preference --tag drinks > tea.html
"""


def command(
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE",
            help="The file to write, readable by you alone; '-' is stdout. [default in a pipe: stdout]",
        ),
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
    db: options.Db = None,
) -> None:
    """Make one HTML file of the memories: search, timeline, graph, filters.

    It needs no network, neither when it is made nor when it is opened. It shows
    the links of the space; if only some memories were chosen, the links that rest
    on one of them. Exits 1 if there is nothing to show.
    """
    from memcli.views.page import content, html

    if out is None and output.stdout_is_terminal():
        raise BadInput("a page is for a browser, not for a terminal: give -o memories.html, or pipe it")
    with opened_memories(db, space, as_of=as_of, all_spaces=all_spaces) as memories:
        where = filters.filter_options(
            memories, all_spaces=all_spaces, kinds=kind, tags=tag, sessions=session, sources=source,
            since=since, until=until, min_confidence=min_confidence, min_importance=min_importance,
            trusted_only=trusted_only, ended=ended, at=at,
        )  # fmt: skip
        chosen = (kind, tag, session, source, since, until, min_confidence, min_importance)
        shown = content.page_content(
            memories, where, ended=ended, narrowed=any(chosen),
            as_of=memories.now() if as_of else None,
        )  # fmt: skip
        damaged = tell_damaged(memories, where.spaces)
    if not (shown["memories"] or shown["graph"]["links"]):
        raise NotFound("nothing to show: no memory and no link fits; --ended lets in forgotten ones")
    output.bytes_to(out, html.memories_page(shown).encode("utf-8", "replace"))
    if damaged:
        raise typer.Exit(4)
