"""`mem remember`: keep a memory."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from memcli import output, times
from memcli.commands import options
from memcli.commands.reading import text_from
from memcli.drafts import Draft
from memcli.errors import BadInput
from memcli.model import Kind, Source


def command(
    text: Annotated[
        list[str] | None,
        typer.Argument(metavar="TEXT…", help="What to keep; '-' or nothing reads stdin."),
    ] = None,
    kind: Annotated[
        Kind | None,
        typer.Option("--kind", "-k", help="Left out: judged by the text's form, else fact."),
    ] = None,
    tag: Annotated[
        list[str] | None, typer.Option("--tag", "-t", metavar="TAG", help="A tag (repeatable).")
    ] = None,
    confidence: Annotated[
        float | None,
        typer.Option(metavar="0..1", help="How sure; 1.0, or 0.7 for what was inferred."),
    ] = None,
    importance: Annotated[float | None, typer.Option(metavar="0..1", help="How important; 0.5.")] = None,
    source: Annotated[Source | None, typer.Option(help="How it came to be known; explicit.")] = None,
    at: Annotated[str | None, typer.Option(metavar="TIME", help="When it happened; now.")] = None,
    valid_from: Annotated[str | None, typer.Option(metavar="TIME", help="Since when it is true.")] = None,
    valid_until: Annotated[str | None, typer.Option(metavar="TIME", help="Until when it is true.")] = None,
    ttl: Annotated[str | None, typer.Option(metavar="LENGTH", help="Expires after this: 24h, 7d.")] = None,
    space: options.Space = None,
    session: Annotated[str | None, typer.Option(metavar="NAME", help="The session it belongs to.")] = None,
    batch: Annotated[
        bool, typer.Option("--batch", help="Read many from stdin: JSON Lines, or one a line.")
    ] = False,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Keep a memory: from words, a pipe, or a bulk file."""
    with options.opened(db, space, create=True) as memories:
        now = memories.now()
        draft = Draft(
            text="",
            kind=kind,
            tags=tuple(tag or ()),
            confidence=confidence,
            importance=importance,
            source=source,
            session=session,
            happened_at=options.instant(at, now),
            valid_from=options.instant(valid_from, now),
            valid_until=options.instant(valid_until, now, end=True),
            ttl=times.parse_duration(ttl) if ttl else None,
        )
        if batch:
            if text and text != ["-"]:
                raise BadInput("--batch reads stdin; leave the words out")
            from memcli.commands.bulk import remember_lines

            remember_lines(memories, draft, json)
            return
        memory = memories.remember(replace(draft, text=text_from(text, "remember")))
    if json:
        output.to_stdout(output.json_line(memory.to_record()))
    elif output.for_people():
        output.to_stdout(f"{memory.id}  {memory.kind}  {output.one_line(memory.text)[:100]}")
    else:
        output.to_stdout(memory.id)
