"""Options and arguments that several commands share, each declared once."""

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
    """Return the newest memories whose ids begin or end with what was typed."""
    typed = incomplete.upper()
    with memories_to_complete(ctx) as memories:
        spaces: dict[str, Any] = {"spaces": None} if ctx.params.get("all_spaces") else {}
        newest = memories.store.select(memories.within(**spaces, at=None, live=False), limit=200)
        found = [
            (memory.id if len(typed) > 8 or not memory.id[-8:].startswith(typed) else memory.id[-8:], memory)
            for memory in newest
            if memory.id.startswith(typed) or memory.id[-8:].startswith(typed)
        ]
        # Keep the letter case that was typed, because shells compare it.
        return [(incomplete + name[len(typed) :], printable.one_line(m.text, 50)) for name, m in found]


def _complete(choices: tuple[str, ...]) -> Callable[[str], list[str]]:
    return lambda incomplete: [choice for choice in choices if choice.startswith(incomplete)]


_db = typer.Option(
    "--db", metavar="STORE", click_type=PlaceType(), help="The store: a file path, or a database address."
)
if TYPE_CHECKING:
    Db = Annotated[Location | None, _db]
else:
    Db = Annotated[object, _db]  # typer takes no union
Json = Annotated[bool, typer.Option("--json", help="JSON Lines, one object a line.")]
Space = Annotated[str | None, typer.Option("--space", metavar="NAME", help="The space to work in.")]
AllSpaces = Annotated[bool, typer.Option("--all-spaces", help="Include all spaces.")]
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
    typer.Option("--since", metavar="TIME", help="Only what happened, or was true, from this time on."),
]
Until = Annotated[
    str | None,
    typer.Option("--until", metavar="TIME", help="Only what happened, or was true, until this time."),
]
MinConfidence = Annotated[
    float,
    typer.Option(
        "--min-confidence", min=0, max=1, metavar="0..1", help="Only memories with at least this confidence."
    ),
]
MinImportance = Annotated[
    float,
    typer.Option(
        "--min-importance", min=0, max=1, metavar="0..1", help="Only memories with at least this importance."
    ),
]
Reason = Annotated[str | None, typer.Option("--reason", metavar="TEXT", help="The reason, kept on record.")]
AsOf = Annotated[
    str | None,
    typer.Option(
        "--as-of", metavar="TIME", help="Ask the store as it was at this time: by what it knew then."
    ),
]
At = Annotated[
    str | None,
    typer.Option("--at", metavar="TIME", help="What was true at this time, by what the store knows now."),
]
TrustedOnly = Annotated[
    bool, typer.Option("--trusted-only", help="Leave out anything from untrusted sources.")
]
Llm = Annotated[
    str | None,
    typer.Option(
        "--llm", metavar="CMD", help="The LLM: a command that reads a prompt on stdin, or a server's address."
    ),
]
Ended = Annotated[bool, typer.Option("--ended", help="Include forgotten, superseded and expired ones.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")]
Id = Annotated[
    str,
    typer.Argument(metavar="ID", autocompletion=_complete_id, help="An id, or its first or last characters."),
]
MaybeId = Annotated[
    str | None,
    typer.Argument(
        metavar="[ID]", autocompletion=_complete_id, help="An id, or its first or last characters."
    ),
]
MaybeIds = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[ID…]", autocompletion=_complete_id, help="Ids, or their first or last characters."
    ),
]
Ids = Annotated[
    list[str],
    typer.Argument(
        metavar="ID…", autocompletion=_complete_id, help="Ids, or their first or last characters."
    ),
]
