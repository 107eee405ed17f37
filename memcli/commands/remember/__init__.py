"""`mem remember`: keep a memory."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Annotated

import typer

from memcli import times
from memcli.changes.settled_writes import write_draft
from memcli.commands.terminal import options, output
from memcli.commands.terminal.decisions import print_decision
from memcli.commands.terminal.input import text_argument
from memcli.commands.terminal.store import opened_memories
from memcli.commands.terminal.values import instant_option
from memcli.errors import BadInput
from memcli.memories import Memories
from memcli.model import Kind, Source
from memcli.write_policy.drafts import Draft
from memcli.write_policy.settings import WriteOptions

EXAMPLES = """
mem remember The VPN needs a token from the blue phone
mem remember "Never deploy on Mondays" --tag ops --importance 0.9
echo "fix: retry the payment webhook (#412)" | mem remember --kind outcome --tag release
mem remember "Rent is 900 a month" --valid-from 2026-01-01 --valid-until 2026-12-31
mem remember "The build is red" --ttl 24h --session friday    # expires
mem remember "We met in Rome" --at 2024-05-03                 # when it happened
mem remember "Bob may be moving to Oslo" --source inferred    # confidence 0.7 unless said
mem remember "Ann lives in Paris now" --supersedes QP6W3B9Y   # replaces it in one step
mem remember "Ann rents in Rome" --both-hold QP6W3B9Y         # both are true: nobody asks again
mem remember "Paris is Ann's home" --same-as QP6W3B9Y         # confirms it, and keeps nothing new
mem remember --batch --tag office < facts.txt                 # one memory a line, or JSON Lines
mem remember --extract --llm llm < note.txt                   # an LLM finds what is worth keeping
mem remember "The gate code changes every May" --dry-run      # what would be decided, and why
"""


def command(
    text: Annotated[
        list[str] | None,
        typer.Argument(metavar="TEXT…", help="What to keep; '-' or nothing reads stdin."),
    ] = None,
    kind: Annotated[
        Kind | None,
        typer.Option("--kind", "-k", help="[default: judged from the wording, else fact]"),
    ] = None,
    tag: Annotated[
        list[str] | None, typer.Option("--tag", "-t", metavar="TAG", help="A tag (repeatable).")
    ] = None,
    confidence: Annotated[
        float | None,
        typer.Option(metavar="0..1", help="How sure it is. [default: 1.0, or 0.7 if inferred]"),
    ] = None,
    importance: Annotated[
        float | None, typer.Option(metavar="0..1", help="How important it is. [default: 0.5]")
    ] = None,
    source: Annotated[
        Source | None, typer.Option(help="How it came to be known. [default: explicit]")
    ] = None,
    at: Annotated[str | None, typer.Option(metavar="TIME", help="When it happened. [default: now]")] = None,
    valid_from: Annotated[str | None, typer.Option(metavar="TIME", help="Since when it is true.")] = None,
    valid_until: Annotated[str | None, typer.Option(metavar="TIME", help="Until when it is true.")] = None,
    ttl: Annotated[str | None, typer.Option(metavar="LENGTH", help="Expire after this: 24h, 7d.")] = None,
    space: options.Space = None,
    session: Annotated[str | None, typer.Option(metavar="NAME", help="The session it belongs to.")] = None,
    supersedes: Annotated[
        str | None,
        typer.Option(
            "--supersedes",
            "--replaces",
            metavar="ID",
            help="The memory that this one replaces, which is then ended.",
        ),
    ] = None,
    both_hold: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ID",
            help="A memory that stays true beside this one: you are not asked about the two (repeatable).",
        ),
    ] = None,
    same_as: Annotated[
        str | None,
        typer.Option(
            metavar="ID", help="The memory that already says this: it is confirmed, and nothing new is kept."
        ),
    ] = None,
    untrusted: Annotated[
        bool, typer.Option("--untrusted", help="Mark it as coming from an untrusted source.")
    ] = False,
    redact: Annotated[bool, typer.Option("--redact", help="Keep it, with its secrets removed.")] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Keep it whatever the policy says; this goes on record.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what would be decided; change nothing.")
    ] = False,
    batch: Annotated[
        bool, typer.Option("--batch", help="Read many memories from stdin: JSON Lines, or one per line.")
    ] = False,
    extract: Annotated[
        bool,
        typer.Option("--extract", help="Have an LLM find what is worth keeping in a note or transcript."),
    ] = False,
    llm: options.Llm = None,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Keep a memory: from words, a pipe, or a bulk file.

    The write policy decides whether it is kept, confirms what is known already,
    waits for `mem review`, or is refused (exit status 3).
    """
    with (
        opened_memories(db, space, create=True, dry_run=dry_run) as memories,
        _hinting_at_another_model(memories),
    ):
        now = memories.now()
        draft = Draft(
            text="",
            kind=kind,
            tags=tuple(tag or ()),
            confidence=confidence,
            importance=importance,
            source=source,
            origin=memories.origin,
            trusted=not untrusted,
            session=session,
            supersedes=supersedes,
            both_hold=tuple(both_hold or ()),
            same_as=same_as,
            happened_at=instant_option(at, now),
            valid_from=instant_option(valid_from, now),
            valid_until=instant_option(valid_until, now, end=True, ahead=True),
            ttl=None if ttl is None else times.parse_duration(ttl),
        )
        how = WriteOptions(force=force, redact=redact)
        if llm and not extract:
            raise BadInput("--llm is for --extract; give both")
        if (extract or batch) and (both_hold or (supersedes, same_as) != (None, None)):
            several = "--extract finds" if extract else "--batch reads"
            raise BadInput(f"{several} several memories; leave --replaces, --both-hold and --same-as out")
        if extract and batch:
            raise BadInput("--extract finds several memories in one text; leave --batch out")
        if batch:
            if text and text != ["-"]:
                raise BadInput("--batch reads stdin; leave the words out")
            from memcli.commands.remember.batch import remember_lines

            remember_lines(memories, draft, how, json, dry_run=dry_run)
            return
        words = text_argument(text, "remember")
        if extract:
            from memcli.commands.remember.extract import remember_extracted

            remember_extracted(memories, draft, words, llm, how, json, dry_run=dry_run)
            return
        decision = write_draft(memories, replace(draft, text=words), how, dry_run=dry_run)
    print_decision(decision, memories, as_json=json, dry_run=dry_run)


@contextmanager
def _hinting_at_another_model(memories: Memories) -> Iterator[None]:
    """When the store gets its tenth memory, say once on a terminal if its languages need another model."""
    if not sys.stderr.isatty():
        yield
        return
    from memcli.upkeep.languages import ADVICE, crosses, wants_another_model

    before = memories.store.total(None)
    yield
    if crosses(before, memories.store.total(None)) and wants_another_model(memories):
        output.to_stderr(ADVICE)
