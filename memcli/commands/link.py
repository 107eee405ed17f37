"""`mem link`: link two entities by a relation."""

from typing import Annotated

import typer

from memcli.commands.terminal import options, output
from memcli.commands.terminal.store import opened_memories
from memcli.commands.terminal.values import instant_option
from memcli.text import printable

EXAMPLES = """
mem link Bob works_at Globex --since 2024
mem link Bob knows Mira --confidence 0.6
mem link Ann works_at Globex --since 2026-11 --replaces --from RRCSMEM0
mem link Bob lives_in Oslo --until 2026-10   # true no longer
"""


def command(
    subject: Annotated[str, typer.Argument(metavar="A", help="An entity: a person, a thing, a place.")],
    relation: Annotated[str, typer.Argument(metavar="RELATION", help="How it is related: works_at, knows.")],
    obj: Annotated[str, typer.Argument(metavar="B", help="Another entity.")],
    since: Annotated[
        str | None, typer.Option("--since", metavar="TIME", help="Since when it is true.")
    ] = None,
    until: Annotated[
        str | None, typer.Option("--until", metavar="TIME", help="Until when it is true.")
    ] = None,
    evidence: Annotated[
        str | None, typer.Option("--from", metavar="ID", help="The memory that says so.")
    ] = None,
    confidence: Annotated[
        float | None,
        typer.Option(
            metavar="0..1", help="How sure it is. [default: as sure as the memory of --from, else 1]"
        ),
    ] = None,
    replaces: Annotated[
        bool, typer.Option("--replaces", help="What A had by RELATION until now is no longer true.")
    ] = False,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Link two entities: `mem link Ann works_at Acme --since 2024`.

    A link that is there already is confirmed, an unlinked one revived. Other
    links of A stay true, unless --replaces is given. In a pipe the id is printed.
    """
    from memcli.graph import walk
    from memcli.graph.drawing import link_record
    from memcli.graph.link_changes import link_entities
    from memcli.graph.links import link_statement

    with opened_memories(db, space, create=True) as memories:
        now = memories.now()
        made = link_entities(
            memories, subject, relation, obj,
            since=instant_option(since, now),
            until=instant_option(until, now, end=True, ahead=True),
            evidence=None if evidence is None else memories.find(evidence),
            confidence=confidence, replaces=replaces,
        )  # fmt: skip
        told = walk.evidence_memories(memories.store, [made.link, *made.replaced])
    if json:
        replaced = [link_record(each, told) for each in made.replaced]
        record = {"outcome": made.outcome, **link_record(made.link, told), "replaced": replaced}
        output.to_stdout(printable.json_line(record))
        return
    for each in made.replaced:
        output.to_stderr(f"true no longer: {link_statement(each)}")
    if output.stdout_is_terminal():
        output.to_stdout(f"{made.outcome}: {printable.one_line(link_statement(made.link))}")
    else:
        output.to_stdout(made.link.id)
