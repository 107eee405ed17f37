"""`mem session`: start, show, end and export sessions of what was said and done."""

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from memcli import ids, times
from memcli.commands.terminal import options, output
from memcli.commands.terminal.consent import confirm_loss
from memcli.commands.terminal.store import opened_memories
from memcli.errors import BadInput
from memcli.memory_data import is_folded
from memcli.messages import Command, message
from memcli.model import Memory
from memcli.prompt import formats
from memcli.prompt.context import told_minute
from memcli.scope import Scope
from memcli.text import printable
from memcli.text.counting import counted
from memcli.tiers.sessions import episodes, sessions

EXAMPLES = """
mem session start release                   # the current one from now on
mem session list -n 5
mem session show friday --last 10
mem session messages friday --tokens 2000   # one JSON array, for an LLM's API
mem session messages friday --for anthropic | jq '{model: "…", max_tokens: 999} + .'
mem session export friday > friday.jsonl
mem session import chat.json --session spring
mem session end friday
mem session clear friday --yes              # softly: `mem restore`
"""

app = typer.Typer(add_completion=False, rich_markup_mode=None, no_args_is_help=True)

Name = Annotated[str | None, typer.Argument(metavar="[NAME]", help="The session. [default: the current one]")]
Session = Annotated[
    str | None,
    typer.Option("--session", metavar="NAME", help="The session, as an option instead of an argument."),
]


@app.callback()
def _session() -> None:
    """Start, list, show, end, move sessions, and print one as messages for an LLM."""


@app.command()
def start(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="The session's name. [default: made from the time]")
    ] = None,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Make a session the current one; an existing one is resumed."""
    with opened_memories(db, space, create=True) as memories:
        started, new = sessions.start_session(memories, name)
        configured = memories.config["session"]
    if configured and configured != started:
        output.to_stderr(f"MEMCLI_SESSION gives this terminal the session {configured} all the same")
    if json:
        output.to_stdout(printable.json_line({"session": started, "new": new}))
    elif output.stdout_is_terminal():
        output.to_stdout(f"{started}  {'started' if new else 'taken up again'}")
    else:
        output.to_stdout(started)


@app.command("list")
def list_(
    limit: Annotated[
        int | None, typer.Option("-n", "--limit", min=1, metavar="N", help="At most this many.")
    ] = None,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """List sessions, the last used first.

    The current one is marked. Exits 1 if there is none.
    """
    with opened_memories(db, space) as memories:
        found = sessions.list_sessions(memories)
    if not found:
        raise typer.Exit(1)
    for each in found[:limit]:
        if json:
            output.to_stdout(printable.json_line(_overview(each)))
            continue
        state = [counted(each.episodes, "episode")]
        state += ["summary"] if each.summarised else []
        state += [f"ended {times.local_time(each.ended_at)}"] if each.ended_at else []
        when = (
            formats.UNDATED if each.undated
            else f"{times.local_time(each.first_at)} to {times.local_time(each.last_at)}"
        )  # fmt: skip
        mark = "*" if each.current else " "
        state += [] if each.trusted else [formats.UNTRUSTED]
        output.to_stdout(f"{mark} {printable.one_line(each.session):<20} {when}  {', '.join(state)}")


@app.command()
def show(
    name: Name = None,
    session: Session = None,
    last: Annotated[int | None, typer.Option(min=1, metavar="N", help="Only the last N turns.")] = None,
    ended: options.Ended = False,
    trusted_only: options.TrustedOnly = False,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Show a session: its summary, then its turns in time order."""
    with opened_memories(db, space) as memories:
        chosen = _chosen(memories, name, session)
        record = episodes.require_session(memories, chosen, live=not ended, trusted_only=trusted_only)
    if last:
        record = record._replace(turns=record.turns[-last:])
    if json:
        for turn in record.whole:
            output.to_stdout(printable.json_line(turn.to_record()))
        return
    for summary in record.summaries:
        heading = formats.SUMMARY if summary.trusted else formats.UNTRUSTED_SUMMARY
        output.to_stdout(heading.format(number=episodes.turns_covered(summary)))
        output.to_stdout(_indented(summary.text))
    for turn in record.turns:
        folded = is_folded(turn) and record.summary_like(turn) is not None
        speaker, when = _said_by(turn, folded=folded), told_minute(turn)
        output.to_stdout(formats.SAID.format(id=ids.short_id(turn.id), minute=when, speaker=speaker))
        output.to_stdout(_indented(turn.text))


@app.command()
def end(
    name: Name = None,
    session: Session = None,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Fold a whole session into its summary, print that, and end the session."""
    with opened_memories(db, space) as memories:
        chosen = _chosen(memories, name, session)
        summary = sessions.end_session(memories, chosen)
    if json:
        record = {"session": chosen, "summary": summary.to_record() if summary else None}
        output.to_stdout(printable.json_line(record))
    elif summary:
        output.to_stdout(printable.printable(summary.text))


@app.command()
def clear(
    name: Name = None,
    session: Session = None,
    yes: options.Yes = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be forgotten.")] = False,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Forget a session, softly: `mem restore` brings it back."""
    with opened_memories(db, space) as memories:
        chosen = _chosen(memories, name, session)
        found = episodes.require_session(memories, chosen).whole
        if not dry_run:
            sessions.require_own(memories, chosen, found)
            confirm_loss(f"forget {counted(len(found), 'episode')} of the session {chosen}?", yes)
            found = sessions.clear_session(memories, chosen)
    for episode in found:
        output.to_stdout(printable.json_line(episode.to_record()) if json else episode.id)
    if not json:
        verb = (
            "would be forgotten"
            if dry_run
            else message("forgotten; ", Command("restore"), " takes their ids")
        )
        output.to_stderr(message(f"{len(found):,} ", verb))


@app.command()
def export(
    name: Name = None,
    session: Session = None,
    ended: options.Ended = False,
    space: options.Space = None,
    db: options.Db = None,
) -> None:
    """Export a session as JSON Lines of role, content, time."""
    from memcli.tiers.sessions import transcripts

    with opened_memories(db, space) as memories:
        chosen = _chosen(memories, name, session)
        lines = list(transcripts.export_transcript(memories, chosen, live=not ended))
    for line in lines:
        output.to_stdout(printable.json_line(line))


@app.command("import")
def import_(
    file: Annotated[
        str, typer.Argument(metavar="FILE|-", help="JSON Lines, or an array, of role, content, time.")
    ] = "-",
    session: Annotated[
        str | None,
        typer.Option(
            "--session",
            metavar="NAME",
            help="The session to add to. [default: the file's name; for stdin, the current one]",
        ),
    ] = None,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Import a transcript: one of ours, or any with role, content, time.

    What is imported does not expire. Exits 2 if a line could not be read, 3 if one was
    refused by policy; the others are taken in.
    """
    from memcli.commands.terminal.input import read_lines
    from memcli.commands.terminal.progress import progress_bar
    from memcli.commands.terminal.record_files import check_records, told_reasons
    from memcli.tiers.sessions.transcripts import import_transcript
    from memcli.upkeep.exchange.record_reader import read_records

    check_records(
        file,
        taken="JSON Lines, or a JSON array, of role, content and time",
    )
    named = Path(file).stem if session is None and file != "-" else session
    origin = "import:stdin" if file == "-" else f"import:{Path(file).name}"
    with opened_memories(db, space, create=True) as memories, progress_bar("importing") as progress:
        origin = memories.untrusted_origin or origin
        chosen = sessions.session_named(memories, named)
        taken = import_transcript(memories, chosen, read_records(read_lines(file)), origin, progress)
    if not (taken.added or taken.known or taken.refused):
        raise BadInput(f"nothing to import: {'stdin' if file == '-' else file} holds no turn")
    if taken.gap:
        output.to_stderr(
            message(
                "kept without vectors (",
                taken.gap,
                "); ",
                Command("reindex --missing"),
                " adds what is missing",
            )
        )
    counts = {"session": chosen, "added": taken.added, "known": taken.known, "refused": len(taken.refused)}
    if json:
        output.to_stdout(printable.json_line({**counts, "reasons": taken.refused}))
    else:
        output.to_stdout(
            f"{printable.one_line(chosen)}: {taken.added:,} added, {taken.known:,} known, "
            f"{len(taken.refused):,} refused"
        )
    for reason in told_reasons(taken.refused, taken.bad, some_taken=taken.added + taken.known > 0):
        output.to_stderr(f"{'stdin' if file == '-' else file}: {reason}")
    if taken.refused:
        raise typer.Exit(2 if taken.bad else 3)


@app.command()
def messages(
    name: Name = None,
    session: Session = None,
    last: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="The last N turns, folded or not.")
    ] = None,
    tokens: Annotated[
        int | None,
        typer.Option(min=1, metavar="TOKENS", help="Print at most this many tokens. [default: 8,000]"),
    ] = None,
    api: Annotated[
        Literal["openai", "anthropic"],
        typer.Option("--for", help="Whose API the messages are for."),
    ] = "openai",
    trusted_only: options.TrustedOnly = False,
    space: options.Space = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Print a session as messages for an LLM's API.

    One JSON array, or with --json JSON Lines; for Anthropic an object of
    `system` and `messages`. First the summary of what no longer fits, then the
    last turns verbatim.
    """
    from memcli.tiers.sessions import messages

    with opened_memories(db, space) as memories:
        chosen = _chosen(memories, name, session)
        part = messages.session_request(
            memories, chosen, api, last=last, tokens=tokens, trusted_only=trusted_only
        )
    lines = [printable.json_line(message) for message in part.messages]
    if api == "anthropic":
        system = printable.json_line({"system": part.system})[1:-1] + "," if part.system else ""
        joined = (",\n" if not json else ",").join(lines)
        output.to_stdout(f'{{{system}"messages":[{joined}]}}')
    elif json:
        for line in lines:
            output.to_stdout(line)
    else:
        output.to_stdout("[" + ",\n".join(lines) + "]")


def _chosen(scope: Scope, name: str | None, session: str | None) -> str:
    if None not in (name, session) and name != session:
        raise BadInput(f"two sessions, {name!r:.40} and {session!r:.40}; name one")
    return sessions.session_named(scope, session if name is None else name)


def _said_by(turn: Memory, *, folded: bool) -> str:
    about = [] if turn.trusted else [formats.UNTRUSTED]
    about += [
        f"{n}: {turn.data[n]}" for n in ("context", "actions", "outcome", "sentiment") if n in turn.data
    ]
    about += [f"resolves {ids.short_id(str(turn.data['resolves']))}"] if "resolves" in turn.data else []
    about += (
        [f"resolved by {ids.short_id(str(turn.data['resolved_by']))}"] if "resolved_by" in turn.data else []
    )
    about += ["folded"] if folded else []
    role = printable.one_line(episodes.turn_role(turn))
    return f"{role}  ({printable.one_line('; '.join(about))})" if about else role


def _indented(text: str) -> str:
    return "\n".join(
        formats.INDENTED.format(text=line) for line in printable.printable(text).strip().splitlines()
    )


def _overview(each: sessions.SessionOverview) -> dict[str, Any]:
    return {
        **each._asdict(),
        "first_at": times.to_iso(each.first_at),
        "last_at": times.to_iso(each.last_at),
        "ended_at": times.to_iso(each.ended_at) if each.ended_at else None,
    }
