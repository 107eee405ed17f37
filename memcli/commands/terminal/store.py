"""The store that a command works on: find, open and close it, and report problems first."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memcli.commands.terminal import output
from memcli.commands.terminal.values import instant_option
from memcli.config.config import Config
from memcli.config.location import Location, file_of
from memcli.errors import StoreFull, StoreUnusable
from memcli.memories import Memories, open_memories
from memcli.messages import Command, message
from memcli.model import DEFAULT_SPACE, Memory
from memcli.scope import Scope
from memcli.storage.states import is_erasure_cut_off

if TYPE_CHECKING:
    import typer

# The key in a command's context that says that --force was given.
FORCE = "memcli.force"
# At most so many damaged rows are named in one line.
_NAMED = 8


@contextmanager
def opened_memories(
    db: Location | None,
    space: str | None = None,
    *,
    create: bool = False,
    as_of: str | None = None,
    all_spaces: bool = False,
    dry_run: bool = False,
    shows_values: bool = False,
) -> Iterator[Memories]:
    """Open the store that a command works on, and close it at the end.

    With `as_of` it is the store as of then (of that space, or `all_spaces`); with `shows_values`, what is
    unknown about the blocks, tasks and rules of then is reported. With `dry_run`, a store that would be
    created is a temporary one. Without `create` the space must exist: raises NotFound for a named `space`
    that holds nothing, and reports one that comes from a setting.
    """
    with ExitStack() as stack:
        where = store_location(db)
        if create and dry_run and isinstance(where, Path) and not where.exists():
            from memcli.system.temporary import temporary_folder

            db = stack.enter_context(temporary_folder()) / "memory.db"
        memories = stack.enter_context(_opened(db, space, create))
        stack.callback(_tell_left_out, memories)
        if memories.config.new_key_note.exists():
            from memcli.upkeep.encryption import clear_stale_note

            clear_stale_note(memories.store)
        if is_erasure_cut_off(memories.store):
            _finish_erasure(memories)
        if not (create or all_spaces) and memories.space != DEFAULT_SPACE:
            _require_space(memories, named=space is not None, or_earlier=as_of is not None)
        if as_of is not None:
            from memcli.changes.time_travel import store_as_of

            now = memories.now()
            # A day means the state at its end.
            then = min(instant_option(as_of, now, end=True) or now, now)
            memories, incomplete = stack.enter_context(
                store_as_of(memories, then, all_spaces=all_spaces, names_values=shows_values)
            )
            if incomplete:
                output.to_stderr(incomplete)
        yield memories
        # Writers have already been warned.
        if isinstance(full := memories.store.hindrance, StoreFull):
            output.to_stderr(f"{memories.store.location}: {full.why}; it was read from a copy. Make room")


def store_location(db: Location | None) -> Location:
    """Return the location of the store that a command names, even if it cannot be opened."""
    location: Location = db or Config()["db"]
    return location


def store_file(db: Location | None, instead: str) -> Path:
    """Return the file of the store that a command names.

    Raises BadInput if it is on a server; `instead` tells what to do with such a store.
    """
    return file_of(store_location(db), instead)


def _opened(db: Location | None, space: str | None, create: bool) -> Memories:
    from typer._click.globals import get_current_context

    force = is_forced(get_current_context())
    return open_memories(db, space=space, create=create, notify=output.to_stderr, force=force)


def is_forced(context: Any) -> bool:
    """True if --force was given: a command's own, the one added to every command, or that of `mem`."""
    given = context.params.get("force") or context.meta.get(FORCE) or context.find_root().params.get("force")
    return bool(given)


def _tell_left_out(memories: Memories) -> None:
    """Name in one line the rows that could not be read."""
    if memories.store.left_out:
        named = some_names(list(memories.store.left_out))
        output.to_stderr(message(f"too damaged to be read, and left out: {named}; run ", Command("doctor")))


def some_names(names: Sequence[str]) -> str:
    """Return how many names there are, and the first of them."""
    return f"{len(names)} ({', '.join(names[:_NAMED])}{', …' if len(names) > _NAMED else ''})"


def _require_space(scope: Scope, *, named: bool, or_earlier: bool) -> None:
    """Report an empty space, or raise NotFound if named; with `or_earlier`, a space once used will do."""
    from memcli.storage.lookup import is_in_use, unknown_space

    if is_in_use(scope.store, scope.space):
        return
    if or_earlier:
        from memcli.changes.space_history import events_in_space

        # It may have been renamed since.
        if any(True for _ in events_in_space(scope, scope.store.history())):
            return
    if named:
        raise unknown_space(scope.store, scope.space)
    output.to_stderr(str(unknown_space(scope.store, scope.space)))


def _finish_erasure(scope: Memories) -> None:
    """Retry the unfinished parts of an erasure before anything else."""
    from memcli.changes.forgetting.unfinished import (
        closed_copies,
        finish_erasure,
        stale_change_files,
        unfinished_erasure,
    )

    try:
        was_left = finish_erasure(scope)
        where = "; nothing of it is left"
        if stale_change_files(scope) or closed_copies(scope):
            from memcli.sync.erasures.after_erasure import try_again

            if left := try_again(scope):
                raise unfinished_erasure(left)
            was_left, where = True, ", in the change files of a sync, too"
        # Another process may be finishing it.
        if was_left and not is_erasure_cut_off(scope.store):
            output.to_stderr(f"an erasure that was cut off is finished now{where}")
    except StoreUnusable as error:
        output.to_stderr(str(error))


def memory_by_id(scope: Scope, fragment: str, *, all_spaces: bool) -> Memory:
    """Return the memory with an id, in the current space or in all. Raises NotFound, BadInput."""
    return scope.find(fragment, scope.within(spaces=None) if all_spaces else None)


@contextmanager
def memories_to_complete(ctx: typer.Context) -> Iterator[Memories]:
    """Open the store and space that the words typed so far name, to complete the next word."""
    # No callback runs during completion, so a --db before the command is not in force yet.
    db = ctx.params.get("db") or ctx.find_root().params.get("db")
    # Completion does not wait long for another process's write.
    config = Config({**os.environ, "MEMCLI_BUSY_TIMEOUT": "0.2"})
    with open_memories(db, space=ctx.params.get("space"), config=config, create=False) as memories:
        yield memories
