"""`mem recall`: find memories."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from memcli import output
from memcli.commands import options
from memcli.commands.reading import text_from

Format = Literal["table", "text", "jsonl", "prompt", "ids"]


def command(
    query: Annotated[
        list[str] | None,
        typer.Argument(metavar="QUERY…", help="What to look for; '-' or nothing reads stdin."),
    ] = None,
    limit: Annotated[
        int | None, typer.Option("-n", "--limit", min=1, metavar="N", help="At most this many; 10.")
    ] = None,
    kind: options.Kinds = None,
    tag: options.Tags = None,
    space: options.Space = None,
    all_spaces: options.AllSpaces = False,
    session: options.Sessions = None,
    source: options.Sources = None,
    since: options.Since = None,
    until: options.Until = None,
    min_score: Annotated[
        float | None,
        typer.Option(min=0, max=1, metavar="0..1", help="The floor under which nothing is relevant."),
    ] = None,
    min_confidence: options.MinConfidence = 0,
    min_importance: options.MinImportance = 0,
    words: Annotated[bool, typer.Option("--words", help="By words only; the model is not loaded.")] = False,
    no_touch: Annotated[bool, typer.Option("--no-touch", help="Leave no trace of this recall.")] = False,
    format: Annotated[
        Format | None,
        typer.Option("--format", "-f", help="On a terminal a table, in a pipe the prompt block."),
    ] = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Find memories by words and meaning.

    Exits 1 with nothing on stdout where nothing relevant is found.
    """
    asked = text_from(query, "look for")
    with options.opened(db, space) as memories:
        where = options.filters(
            memories, all_spaces=all_spaces, kinds=kind, tags=tag, sessions=session, sources=source,
            since=since, until=until, min_confidence=min_confidence, min_importance=min_importance,
        )  # fmt: skip
        answer = memories.recall(
            asked, where, limit=limit, min_score=min_score, words_only=words, touch=not no_touch
        )
        shown_in = memories.space
    if answer.degraded and not words:
        output.to_stderr(f"searched by words only: {answer.degraded}")
    if not answer.hits:
        raise typer.Exit(1)
    found = [hit.memory for hit in answer.hits]
    look = "jsonl" if json else format or ("table" if output.for_people() else "prompt")
    if look == "table":
        output.hits_table(answer)
    elif look == "jsonl":
        for hit in answer.hits:
            output.to_stdout(output.json_line(output.hit_record(hit, answer)))
    elif look == "prompt":
        for line in output.prompt_lines(answer, shown_in):
            output.to_stdout(line)
    elif look == "text":
        for line in output.text_lines(found, [hit.score for hit in answer.hits]):
            output.to_stdout(line)
    else:
        for memory in found:
            output.to_stdout(memory.id)
