"""The options and arguments that several commands share, each declared once."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memcli.commands.terminal.places import PlaceType
from memcli.commands.terminal.store import memories_to_complete
from memcli.config.location import Location
from memcli.model import KINDS, SOURCES
from memcli.text import printable


def _complete_id(ctx: typer.Context, incomplete: str) -> list[tuple[str, str]]:
    """The newest memories whose id begins or ends with what was typed so far."""
    typed = incomplete.upper()
    with memories_to_complete(ctx) as memories:
        spaces: dict[str, Any] = {"spaces": None} if ctx.params.get("all_spaces") else {}
        newest = memories.store.select(memories.within(**spaces, at=None, live=False), limit=200)
        found = [
            (memory.id if len(typed) > 8 or not memory.id[-8:].startswith(typed) else memory.id[-8:], memory)
            for memory in newest
            if memory.id.startswith(typed) or memory.id[-8:].startswith(typed)
        ]
        # What was typed stays as it was typed: shells compare case.
        return [(incomplete + name[len(typed) :], printable.one_line(m.text, 50)) for name, m in found]


def _complete(choices: tuple[str, ...]) -> Callable[[str], list[str]]:
    return lambda incomplete: [choice for choice in choices if choice.startswith(incomplete)]


_db = typer.Option("--db", metavar="STORE", click_type=PlaceType(), help="The store: a file, or an address.")
if TYPE_CHECKING:
    Db = Annotated[Location | None, _db]
else:
    Db = Annotated[object, _db]  # typer takes no union
Json = Annotated[bool, typer.Option("--json", help="JSON Lines, one object a line.")]
Space = Annotated[str | None, typer.Option("--space", metavar="NAME", help="The space to work in.")]
AllSpaces = Annotated[bool, typer.Option("--all-spaces", help="Look across all spaces.")]
Kinds = Annotated[
    list[str] | None,
    typer.Option(
        "--kind", "-k", metavar="KIND", autocompletion=_complete(KINDS),
        help=f"Only this kind (repeatable): {', '.join(KINDS)}.",
    ),
]  # fmt: skip
Tags = Annotated[
    list[str] | None,
    typer.Option("--tag", "-t", metavar="TAG", help="Only with this tag (repeatable)."),
]
Sessions = Annotated[
    list[str] | None,
    typer.Option("--session", metavar="NAME", help="Only of this session (repeatable)."),
]
Sources = Annotated[
    list[str] | None,
    typer.Option(
        "--source", metavar="SOURCE", autocompletion=_complete(SOURCES),
        help=f"Only from this source (repeatable): {', '.join(SOURCES)}.",
    ),
]  # fmt: skip
Since = Annotated[
    str | None,
    typer.Option("--since", metavar="TIME", help="Only what happened, or was true, since then."),
]
Until = Annotated[
    str | None,
    typer.Option("--until", metavar="TIME", help="Only what happened, or was true, until then."),
]
MinConfidence = Annotated[
    float,
    typer.Option("--min-confidence", min=0, max=1, metavar="0..1", help="Only at least this sure."),
]
MinImportance = Annotated[
    float,
    typer.Option("--min-importance", min=0, max=1, metavar="0..1", help="Only at least this important."),
]
Reason = Annotated[str | None, typer.Option("--reason", metavar="TEXT", help="Why, for the record.")]
AsOf = Annotated[
    str | None,
    typer.Option("--as-of", metavar="TIME", help="As the store stood then: what it knew, not what was."),
]
At = Annotated[
    str | None,
    typer.Option("--at", metavar="TIME", help="What was true then, as the store knows now."),
]
TrustedOnly = Annotated[
    bool, typer.Option("--trusted-only", help="Leave out what came from untrusted sources.")
]
Llm = Annotated[
    str | None,
    typer.Option("--llm", metavar="CMD", help="The LLM: a command that reads a prompt, or an address."),
]
Ended = Annotated[bool, typer.Option("--ended", help="Forgotten, superseded and expired ones too.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]
Id = Annotated[
    str,
    typer.Argument(metavar="ID", autocompletion=_complete_id, help="An id, or the head or tail of one."),
]
MaybeId = Annotated[
    str | None,
    typer.Argument(metavar="[ID]", autocompletion=_complete_id, help="An id, or the head or tail of one."),
]
MaybeIds = Annotated[
    list[str] | None,
    typer.Argument(metavar="[ID…]", autocompletion=_complete_id, help="Ids, or their heads or tails."),
]
Ids = Annotated[
    list[str],
    typer.Argument(metavar="ID…", autocompletion=_complete_id, help="Ids, or their heads or tails."),
]
