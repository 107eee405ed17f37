"""`mem graph`: show entities and their links, paths between them, and aliases."""

import re
from collections.abc import Iterable
from contextlib import suppress
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from memcli.commands.terminal import forms, options, output
from memcli.commands.terminal.store import memories_to_complete, opened_memories
from memcli.commands.terminal.values import instant_option, span_option
from memcli.errors import BadInput, MemcliError, NotFound
from memcli.graph.walk import Direction, Graph, Lens, Walk
from memcli.prompt.context import marked_text
from memcli.scope import Scope
from memcli.text import printable
from memcli.text.counting import counted

EXAMPLES = """
mem graph Ann
mem graph show Ann --at 2022 --hops 1      # what was true then
mem graph path Ann Oslo
mem graph list -n 3
mem graph alias Ann "Ann Smith"; mem graph alias --remove Annie
mem graph Ann --format svg > ann.svg       # also html, canvas, mermaid, dot, json
mem graph --format html > all.html         # of all that is linked
"""

# Text that a shell takes as one word without quotes.
_PLAIN_WORD = re.compile(r"[\w.,:/@%+-]+")


class EntityGroup(TyperGroup):
    """A group whose first word may also be an entity: `mem graph Ann` is `mem graph show Ann`.

    A subcommand's name right after `graph` is the subcommand; an entity of that name is reached by `mem graph
    show path`.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Insert `show` if it was left out."""
        if args and args[0] not in (*self.commands, "--help", "-h"):
            args = ["show", *args]
        return super().parse_args(ctx, args)

    def shell_complete(self, ctx: Any, incomplete: str) -> Any:
        """Complete a subcommand's name, or an entity's."""
        from typer._click.shell_completion import CompletionItem

        known = super().shell_complete(ctx, incomplete)
        return [*known, *(CompletionItem(name) for name in _complete_entity(ctx, incomplete))]


def _complete_entity(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return the entities whose names begin as typed, without those that need quotes."""
    from memcli.text.naming import names

    with suppress(MemcliError), memories_to_complete(ctx) as memories:
        graph = Graph(memories.store, memories.space, Lens.at(memories.now()))
        return [
            incomplete + entity.name[len(incomplete) :]
            for entity in graph.entities()
            if names.spelling_key(entity.name).startswith(names.spelling_key(incomplete))
            and _PLAIN_WORD.fullmatch(entity.name)
        ]
    return []


app = typer.Typer(add_completion=False, rich_markup_mode=None, no_args_is_help=True, cls=EntityGroup)

Entity = Annotated[str, typer.Argument(metavar="ENTITY", autocompletion=_complete_entity)]
Hops = Annotated[
    int, typer.Option("--hops", min=1, max=100, metavar="N", help="At most this many links away.")
]
MaybeEntity = Annotated[str | None, typer.Argument(metavar="[ENTITY]", autocompletion=_complete_entity)]
MaybeHops = Annotated[
    int | None,
    typer.Option("--hops", min=1, max=100, metavar="N", help="At most this many links away. [default: 2]"),
]
Relations = Annotated[
    list[str] | None,
    typer.Option("--relation", "-r", metavar="RELATION", help="Only by this relation (repeatable)."),
]
At = Annotated[
    str | None,
    typer.Option(
        "--at", metavar="TIME", help="What was true at this time: a day, month or year (default: now)."
    ),
]
AsOf = Annotated[
    str | None,
    typer.Option("--as-of", metavar="TIME", help="What the store knew at this time; also sets --at."),
]
Ways = Annotated[
    Direction,
    typer.Option("--direction", help="Follow links forwards (out), backwards (in), or both ways."),
]
Ended = Annotated[
    bool, typer.Option("--ended", help="Include links that were removed or are no longer true.")
]
Format = Annotated[
    forms.GraphForm,
    typer.Option(
        "--format", "-f", help="svg and html are pictures; canvas is for Obsidian, dot for Graphviz."
    ),
]


@app.callback()
def _graph() -> None:
    """Show links: around an entity, between two, or all; manage aliases.

    `mem graph ENTITY` is short for `mem graph show ENTITY`, which also reaches
    an entity that is named path, alias, list or show. With options alone it
    shows all that is linked.
    """


@app.command()
def show(
    entity: MaybeEntity = None,
    hops: MaybeHops = None,
    relation: Relations = None,
    at: At = None,
    as_of: AsOf = None,
    direction: Ways = "both",
    ended: Ended = False,
    trusted_only: options.TrustedOnly = False,
    format: Format = "tree",
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Show what is linked to an entity; without one, all links.

    Each link stands once, where it is nearest; (*) marks an entity whose own
    links stand elsewhere in the tree. Exits 1 if there is nothing.
    """
    with opened_memories(db, space) as memories:
        graph = _graph_of(memories, relation, at, as_of, direction, ended, trusted_only)
        if entity is None and hops is not None:
            raise BadInput("--hops counts from an entity; name one, or leave it out for all that is linked")
        walk = graph.whole() if entity is None else graph.walk_from(graph.find_entity(entity), hops or 2)
        if not walk.hops:
            whose = "link" if entity is None else f"link of {entity!r:.60}"
            raise NotFound(f"no {whose} fits; --ended shows unlinked and no longer true ones")
        _print(graph, walk, "jsonl" if json else format)


@app.command()
def path(
    start: Annotated[str, typer.Argument(metavar="A", autocompletion=_complete_entity)],
    goal: Annotated[str, typer.Argument(metavar="B", autocompletion=_complete_entity)],
    hops: Hops = 10,
    relation: Relations = None,
    at: At = None,
    as_of: AsOf = None,
    direction: Ways = "both",
    ended: Ended = False,
    trusted_only: options.TrustedOnly = False,
    format: Format = "tree",
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Show a shortest connection between two entities, on one line.

    Exits 1 if there is none. For the links of an entity that is named "path" use
    `mem graph show path`.
    """
    with opened_memories(db, space) as memories:
        graph = _graph_of(memories, relation, at, as_of, direction, ended, trusted_only)
        walk = graph.path(graph.find_entity(start), graph.find_entity(goal), hops)
        if walk is None:
            raise NotFound(
                f"no connection of {start!r:.60} and {goal!r:.60} within {counted(hops, 'link')}; "
                "--hops N looks further"
            )
        _print(graph, walk, "jsonl" if json else "line" if format == "tree" else format)


@app.command()
def alias(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="NAME ALIAS…", help="An entity, and its other names.")
    ] = None,
    remove: Annotated[
        list[str] | None, typer.Option("--remove", metavar="ALIAS", help="Remove this alias (repeatable).")
    ] = None,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Give an entity other names; with NAME alone, or with nothing, list aliases.

    Links stay as they were written, so an alias can be removed again.
    """
    from memcli.graph import aliases

    name, others = (names[0], names[1:]) if names else (None, [])
    with opened_memories(db, space, create=bool(others)) as memories:
        if remove:
            if names:
                raise BadInput("--remove takes only the aliases; leave the entity out")
            aliases.remove_aliases(memories, remove)
            return
        for had in aliases.add_aliases(memories, name, others) if name and others else ():
            output.to_stderr(f"{had} had links of its own: they count as those of {name} now")
        known = aliases.list_aliases(memories, name)
    if not known:
        raise typer.Exit(1)
    for main, other in known:
        if json:
            output.to_stdout(printable.json_line({"entity": main, "alias": other}))
        else:
            output.to_stdout(f"{printable.one_line(other)} → {printable.one_line(main)}")


@app.command("list")
def list_entities(
    limit: Annotated[int | None, typer.Option("-n", "--limit", min=1, metavar="N")] = None,
    relation: Relations = None,
    at: At = None,
    as_of: AsOf = None,
    ended: Ended = False,
    trusted_only: options.TrustedOnly = False,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """List entities with how many links they have, those with most first.

    Exits 1 if there is none.
    """
    with opened_memories(db, space) as memories:
        found = _graph_of(memories, relation, at, as_of, "both", ended, trusted_only).entities()[:limit]
    if not found:
        raise typer.Exit(1)
    for each in found:
        if json:
            record = {"entity": each.name, "links": each.links, "out": each.out, "in": each.into}
            output.to_stdout(
                printable.json_line({**record, "aliases": each.aliases, "trusted": each.trusted})
            )
        else:
            also = f" (also {', '.join(map(printable.one_line, each.aliases))})" if each.aliases else ""
            name = marked_text(printable.one_line(each.name), trusted=each.trusted)
            output.to_stdout(f"{each.links:>6}  {name}{also}")


def _graph_of(
    scope: Scope,
    relations: Iterable[str] | None,
    at: str | None,
    as_of: str | None,
    direction: Direction,
    ended: bool,
    trusted_only: bool,
) -> Graph:
    """Return the graph as these options select it."""
    from memcli.text.naming import names

    now = scope.now()
    known = instant_option(as_of, now, end=True)
    since, until = span_option(at, now) or (known or now, known or now)
    lens = Lens(
        since=since,
        until=until,
        as_of=known,
        relations=frozenset(map(names.spelling_key, relations or ())),
        direction=direction,
        ended=ended,
        trusted=trusted_only,
    )
    return Graph(scope.store, scope.space, lens)


def _print(graph: Graph, walk: Walk, format: str) -> None:
    from memcli.graph import drawing

    told = graph.evidence(step.link for step in walk.hops)
    lines: Iterable[str]
    if format == "jsonl":
        lines = (printable.json_line(record) for record in drawing.hop_records(walk, told))
    elif format == "json":
        lines = [printable.json_line(drawing.graph_document(walk, told))]
    elif format == "svg":
        from memcli.views.picture.svg import draw_svg

        lines = draw_svg(walk, told)
    elif format == "canvas":
        from memcli.views.picture.canvas import canvas_document

        lines = [canvas_document(walk, told)]
    elif format == "html":
        from memcli.views.page import content, html

        name = drawing.shown_name(walk, walk.roots[0]) if len(walk.roots) == 1 else "Graph"
        shown = {"graph": content.graph_content([(graph.space, graph, walk)])}
        lines = [html.graph_page(shown, name).removesuffix("\n")]
    elif format == "line":
        lines = [drawing.draw_path(walk, told)]
    else:
        lines = {"tree": drawing.draw_tree, "dot": drawing.draw_dot, "mermaid": drawing.draw_mermaid}[format](
            walk, told
        )
    for line in lines:
        output.to_stdout(line)
