"""`mem log`: log a turn, tool output, decision or error to the current session."""

from typing import Annotated

import typer

from memcli import times
from memcli.commands.terminal import options, output
from memcli.commands.terminal.input import text_argument
from memcli.commands.terminal.store import opened_memories
from memcli.commands.terminal.values import instant_option
from memcli.errors import BadInput
from memcli.messages import Command, message
from memcli.model import ROLES
from memcli.text import printable
from memcli.tiers.sessions.sessions import append_turn
from memcli.write_policy.drafts import Draft

EXAMPLES = """
mem log "Why does staging answer 502?"     # role user, unless the first word is a role
make test 2>&1 | mem log tool              # a long output is kept in extract
mem log decision "staging keeps port 8443" --tag ops --keep
mem log note "reloaded nginx" --outcome "200 again" --resolves MJYXDW9X
mem log --role user -- "$(cat note.txt)"   # for any text
mem log --later "hello"                    # without its vector: for hooks
"""


def command(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[ROLE] TEXT…", help=f"What to keep; '-' reads stdin. ROLE: {', '.join(ROLES)}."
        ),
    ] = None,
    role: Annotated[
        str | None, typer.Option(metavar="ROLE", help="The role; all words are then text. [default: user]")
    ] = None,
    session: Annotated[
        str | None, typer.Option("--session", metavar="NAME", help="The session. [default: the current one]")
    ] = None,
    keep: Annotated[bool, typer.Option("--keep", help="Keep this turn for good: it never expires.")] = False,
    ttl: Annotated[
        str | None, typer.Option(metavar="LENGTH", help="Expire after this, folded or not: 24h, 7d.")
    ] = None,
    at: Annotated[str | None, typer.Option(metavar="TIME", help="When it happened. [default: now]")] = None,
    resolves: Annotated[
        str | None, typer.Option(metavar="ID", help="The logged error that this resolves.")
    ] = None,
    context: Annotated[str | None, typer.Option(metavar="TEXT", help="What the situation was.")] = None,
    actions: Annotated[str | None, typer.Option(metavar="TEXT", help="What was done.")] = None,
    outcome: Annotated[str | None, typer.Option(metavar="TEXT", help="What the result was.")] = None,
    sentiment: Annotated[str | None, typer.Option(metavar="WORD", help="The mood, in a word.")] = None,
    tag: Annotated[
        list[str] | None, typer.Option("--tag", "-t", metavar="TAG", help="A tag (repeatable).")
    ] = None,
    later: Annotated[
        bool,
        typer.Option("--later", help="Do not embed it yet, which halves the time; the next recall does."),
    ] = False,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Append a turn, a tool's output, a decision or an error to the current session.

    The first word is the role if it is one; `--role` says so beyond doubt.
    """
    if keep and ttl:
        raise BadInput("--keep never expires, --ttl does; give one of them")
    if role is None and words and words[0] in ROLES:
        role, *words = words
    about = {"context": context, "actions": actions, "outcome": outcome, "sentiment": sentiment}
    data = {"role": role or "user", **{name: value for name, value in about.items() if value}}
    with opened_memories(db, space, create=True) as memories:
        draft = Draft(
            text=text_argument(words, "log"),
            session=session,
            tags=tuple(tag or ()),
            happened_at=instant_option(at, memories.now()),
            ttl=None if ttl is None else times.parse_duration(ttl),
            data={**data, **({"keep": True} if keep else {})},
        )
        logged = append_turn(memories, draft, resolves=resolves, later=later)
    for note in logged.notes:
        output.to_stderr(note)
    if logged.gap and not later:
        output.to_stderr(
            message(
                "kept without a vector (",
                logged.gap,
                "); ",
                Command("reindex --missing"),
                " adds what is missing",
            )
        )
    if json:
        output.to_stdout(printable.json_line(logged.turn.to_record()))
    elif output.stdout_is_terminal():
        turn = logged.turn
        output.to_stdout(
            f"{turn.id}  {printable.one_line(turn.session or '')}  {data['role']}  "
            f"{printable.one_line(turn.text, 100)}"
        )
    else:
        output.to_stdout(logged.turn.id)
