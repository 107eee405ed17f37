"""The options that several commands share, each defined once."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memcli.commands.terminal import output
from memcli.commands.terminal.places import PlaceType
from memcli.config.config import Config
from memcli.config.location import Location, file_of
from memcli.errors import BadInput, Declined, NotFound, StoreFull, StoreUnusable
from memcli.memories import Memories, open_memories
from memcli.model import DEFAULT_SPACE, EVERYWHERE, KINDS, SOURCES, Memory
from memcli.scope import Scope
from memcli.storage import areas
from memcli.text import printable

# Where a command's context says that --force was given.
FORCE = "memcli.force"
# As many damaged rows are named in one line.
_NAMED = 8


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


@contextmanager
def opened_memories(
    db: Location | None,
    space: str | None = None,
    *,
    create: bool = False,
    as_of: str | None = None,
    all_spaces: bool = False,
    dry_run: bool = False,
) -> Iterator[Memories]:
    """The store that a command works on, closed at its end.

    With `as_of` it is as it stood then (of that space, or `all_spaces`); with
    `dry_run` a store that would be made is made in passing only. Where no space
    may begin (`create`) it must be there: NotFound for a `space` that holds nothing,
    a line for one that a setting names.
    """
    with ExitStack() as stack:
        where = store_location(db)
        if create and dry_run and isinstance(where, Path) and not where.exists():
            from tempfile import TemporaryDirectory

            db = Path(stack.enter_context(TemporaryDirectory(prefix="mem-"))) / "memory.db"
        memories = stack.enter_context(_opened(db, space, create))
        stack.callback(_tell_left_out, memories)
        if any(memories.store.states((EVERYWHERE,), areas.ERASURE.name)):
            _finish_erasure(memories)
        if not (create or all_spaces) and memories.space != DEFAULT_SPACE:
            _require_space(memories, named=space is not None)
        if as_of is not None:
            from memcli.changes.time_travel import store_as_of

            now = memories.now()
            # A day means what was known at its end.
            then = min(instant_option(as_of, now, end=True) or now, now)
            memories, incomplete = stack.enter_context(store_as_of(memories, then, all_spaces=all_spaces))
            if incomplete:
                output.to_stderr(incomplete)
        yield memories
        # Whoever had to write has been told.
        if isinstance(full := memories.store.hindrance, StoreFull):
            output.to_stderr(f"{memories.store.location}: {full.why}; it was read from a copy. Make room")


def store_location(db: Location | None) -> Location:
    """Where the store that a command names is, whether it can be opened or not."""
    location: Location = db or Config()["db"]
    return location


def store_file(db: Location | None, instead: str) -> Path:
    """The file of the store that a command names.

    Raises BadInput where a server keeps it; `instead` tells what to do with such a store.
    """
    return file_of(store_location(db), instead)


def _opened(db: Location | None, space: str | None, create: bool) -> Memories:
    from typer._click.globals import get_current_context

    force = is_forced(get_current_context())
    return open_memories(db, space=space, create=create, notify=output.to_stderr, force=force)


def is_forced(context: Any) -> bool:
    """Whether --force was given: one's own, that of any command (`command_line`), or `mem --force`."""
    given = context.params.get("force") or context.meta.get(FORCE) or context.find_root().params.get("force")
    return bool(given)


def _tell_left_out(memories: Memories) -> None:
    """Name in one line what could not be read."""
    if memories.store.left_out:
        named = some_names(list(memories.store.left_out))
        output.to_stderr(f"too damaged to be read, and left out: {named}; run `mem doctor`")


def some_names(names: Sequence[str]) -> str:
    """How many there are, and the first of them."""
    return f"{len(names)} ({', '.join(names[:_NAMED])}{', …' if len(names) > _NAMED else ''})"


def _require_space(scope: Scope, *, named: bool) -> None:
    from memcli.storage.lookup import is_in_use, unknown_space

    if is_in_use(scope.store, scope.space):
        return
    if named:
        raise NotFound(unknown_space(scope.store, scope.space))
    output.to_stderr(unknown_space(scope.store, scope.space))


def _finish_erasure(scope: Memories) -> None:
    """What an erasure left to do is tried again before anything else."""
    from memcli.changes.forgetting.unfinished import (
        finish_erasure,
        stale_change_files,
        stale_lines,
        unfinished_erasure,
    )

    try:
        if finish_erasure(scope):
            output.to_stderr("an erasure was not finished; it is now, and nothing of it is left")
        if not stale_change_files(scope):
            return
        from memcli.sync.erasures.after_erasure import ERASED, renew_folders

        verdicts = renew_folders(scope)
        left = {folder: verdict for folder, verdict in verdicts.items() if verdict != ERASED}
        if left:
            raise unfinished_erasure(stale_lines(left))
        output.to_stderr("an erasure was not finished; it is now, in the change files of a sync, too")
    except StoreUnusable as error:
        output.to_stderr(str(error))


def memory_by_id(scope: Scope, fragment: str, *, all_spaces: bool) -> Memory:
    """The memory that an id means, in the space at hand or in all. Raises NotFound, BadInput."""
    return scope.find(fragment, scope.within(spaces=None) if all_spaces else None)


@contextmanager
def memories_to_complete(ctx: typer.Context) -> Iterator[Memories]:
    """The store and space that the words typed so far name, to complete the next one from."""
    # Nothing is called while completing, so the --db before the command is not in force yet.
    db = ctx.params.get("db") or ctx.find_root().params.get("db")
    # Whoever waits for a name does not wait for a neighbour's write.
    config = Config({**os.environ, "MEMCLI_BUSY_TIMEOUT": "0.2"})
    with open_memories(db, space=ctx.params.get("space"), config=config, create=False) as memories:
        yield memories


def owner_only(what: str) -> None:
    """Refuse an untrusted origin where no store is opened; `what` is what its owner alone sets."""
    from memcli.doors import SETTING, Deed
    from memcli.scope import require

    require(Config(), SETTING, Deed.CHANGE, what)


def confirm_loss(question: str, yes: bool) -> None:
    """Ask before something is lost; without a terminal only `--yes` will do. Raises BadInput, Declined."""
    if yes:
        return
    if not (sys.stdin and sys.stdin.isatty()):
        raise BadInput(f"{question} nobody to ask here: give --yes, or look first with --dry-run")
    ask(question)


def ask(question: str) -> None:
    """Ask on the terminal; raises Declined for a no, Abort where nobody answers (Ctrl-C, Ctrl-D)."""
    if not typer.confirm(question, err=True):
        raise Declined("not done, as you said: nothing was changed")


def instant_option(
    text: str | None, now: datetime, *, end: bool = False, ahead: bool = False
) -> datetime | None:
    """An option's time, or None where it was not given; BadInput for none at all: an empty variable."""
    if text is None:
        return None
    # Most commands are given no time.
    from memcli.text.dates.instants import read_instant

    return read_instant(text, now, end=end, ahead=ahead)


def span_option(text: str | None, now: datetime) -> tuple[datetime, datetime] | None:
    """The first and the last instant of what an option's time names: a day, a month, last week."""
    first, last = instant_option(text, now), instant_option(text, now, end=True)
    return (first, last) if first and last else None


def period_options(
    since: str | None, until: str | None, now: datetime
) -> tuple[datetime | None, datetime | None]:
    """The instants of --since and --until; BadInput where the first is the later one."""
    first, last = instant_option(since, now), instant_option(until, now, end=True)
    if first and last and first > last:
        raise BadInput(f"--since {since} lies after --until {until}; swap them")
    return first, last


def bounded_limit(limit: int | None) -> int | None:
    """A number of results that any backend can count to; what is larger means all."""
    return None if limit is None else min(limit, 2**31 - 1)


def fraction_option(option: str, value: float | None) -> float | None:
    """An option's number from 0 to 1, as it came; BadInput for any other, and for nan."""
    if value is not None and not 0 <= value <= 1:
        raise BadInput(f"{option} {value:g} is out of range; give a number from 0 to 1")
    return value
