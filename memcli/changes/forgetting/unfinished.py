"""Unfinished erasures: track what is still to be cleaned, and finish it in later commands.

The rows are deleted in one transaction, together with a note of what is still to be cleaned. The note is
dropped only when all is proven clean; until then each command finds it, retries what is not yet proven, and
reports what is left.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from memcli.errors import ErasureUnfinished, StoreBusy, StoreUnusable
from memcli.messages import Command, message
from memcli.model import EVERYWHERE, new_state
from memcli.named_tuple import NamedTuple
from memcli.scope import Scope
from memcli.storage import Store, areas
from memcli.storage.errands import ERASING
from memcli.storage.reports import CopyErasure, Erasure
from memcli.storage.states import read_state, write_state

_KEY = "erasure"
# The key of the sync folders whose change files may still hold erased content, with the reason.
_CHANGE_FILES = "change-files"
# The key of the copies that could not be opened to search for erasures of other machines, with the reason.
_CLOSED_COPIES = "closed-copies"
# The reason for change files that nobody has tried to rewrite yet.
NOT_RENEWED = "not written anew yet"
# How long (seconds) a command that only finishes an erasure in passing waits for other processes.
_PATIENCE = 0.1


class Cleaning(NamedTuple):
    """The result of cleaning the files of a store and its copies."""

    copies: Sequence[CopyErasure] = ()
    traces: Sequence[str] = ()
    """Where something was still found: the path of a file, or a part of the store."""
    left: Sequence[str] = ()
    """A line for each file not proven clean, with the reason and the remedy; empty if all is clean."""


@contextmanager
def erasure_lock(scope: Scope, *, patience: float) -> Iterator[None]:
    """Hold the lock of erasures; raise StoreBusy if another process holds it for `patience` seconds."""
    busy = f"{scope.store.location}: another process is erasing"
    with scope.store.alone(ERASING, busy=busy, patience=patience):
        yield


def is_unfinished(scope: Scope) -> bool:
    """True if something was erased and is not yet proven gone from every file."""
    return any(scope.store.states((EVERYWHERE,), areas.ERASURE.name, _KEY))


def note_change_files(scope: Scope, left: Mapping[str, str]) -> None:
    """Record which sync folders may still hold erased content, with the reason; empty drops the record."""
    _note_places(scope, _CHANGE_FILES, left)


def stale_change_files(scope: Scope) -> dict[str, str]:
    """Return, by folder, why the change files there may still hold erased content."""
    return _noted(scope.store, _CHANGE_FILES)


def note_closed_copies(scope: Scope, left: Mapping[str, str]) -> None:
    """Record the copies that could not be searched for what other machines erased, with a line for each."""
    _note_places(scope, _CLOSED_COPIES, left)


def closed_copies(scope: Scope) -> list[str]:
    """Return a line for each copy that could not be searched for what other machines erased."""
    return list(_noted(scope.store, _CLOSED_COPIES).values())


def _note_places(scope: Scope, key: str, left: Mapping[str, str]) -> None:
    if left != _noted(scope.store, key):
        now = scope.now()
        if left:
            scope.store.put_state(new_state(EVERYWHERE, areas.ERASURE.name, key, dict(left), now))
        else:
            scope.store.drop_state(EVERYWHERE, areas.ERASURE.name, key)


def stale_lines(left: Mapping[str, str]) -> list[str]:
    """Return a line for each folder, with the command that resolves it."""
    return [
        message(
            f"change files in {folder}: {why} (",
            Command(f"sync --gone {shlex.quote(folder)}"),
            ", if that is no more)",
        )
        for folder, why in left.items()
    ]


def what_is_left(scope: Scope) -> list[str]:
    """Return a line for each file not clean at the last attempt; empty if interrupted, or all is clean."""
    return list(_note(scope.store).get("left", ()))


def record_unfinished(scope: Scope, erasure: Erasure) -> None:
    """Record, in the erasing transaction, what has still to be removed from copies and change files.

    Earlier records stay. Of rewritten rows only the ids are kept: their content is in the store. What was
    proven for an earlier erasure does not hold for this one.
    """
    asked, before = _asked(erasure), _note(scope.store)
    asked = {name: [*value, *before.get(name, ())] for name, value in asked.items()}
    _put_note(scope, {**asked, "found": before["found"]} if before.get("found") else asked)
    _mark_change_files(scope)


def _mark_change_files(scope: Scope) -> None:
    """Mark the change files of each sync folder as holding erased content until they are rewritten."""
    state = read_state(scope.store, EVERYWHERE, areas.SYNC.name, areas.SYNC_FOLDERS)
    folders: dict[str, dict[str, Any]] = state.value if state else {}
    if folders:
        marked = {
            name: each if each.get("stale") else {**each, "stale": True, "why": NOT_RENEWED}
            for name, each in folders.items()
        }
        write_state(scope.store, EVERYWHERE, areas.SYNC.name, areas.SYNC_FOLDERS, marked, scope.now())
        note_change_files(scope, {each["path"]: each.get("why", NOT_RENEWED) for each in marked.values()})


def clean_files(
    scope: Scope, erasure: Erasure, look: Callable[[], list[str]], *, patience: float | None = None
) -> Cleaning:
    """Clean the copies and the store's own files, and record what is proven; drop the record if all is.

    `record_unfinished` has recorded before that there is something to clean. `look` cleans the store's own
    files and returns where something is still found. Raises no StoreUnusable: errors become lines of what
    is left.
    """
    store, note = scope.store, _note(scope.store)
    is_known = bool(erasure.texts)
    if {name: note.get(name) for name in _asked(erasure)} != _asked(erasure):
        is_known = False
        erasure = _unfinished(store, note)._replace(texts=erasure.texts)  # an earlier one, too
    copies: Sequence[CopyErasure] = ()
    traces: Sequence[str] = ()
    clean, left = bool(note.get("clean")), list[str]()
    try:
        copies = store.erase_from_copies(
            erasure, proven=note.get("proven"), patience=patience,
            quoting=None if is_known else lambda path: _quoting(scope, path),
        )  # fmt: skip
    except StoreUnusable as error:
        left.append(str(error))
    left += [copy.error for copy in copies if copy.error]
    if not clean:
        try:
            traces = look()
        except StoreUnusable as error:
            left.append(str(error))
        else:
            own = set(traces) - {str(copy.path) for copy in copies}
            left += [f"{place}: still holds what was erased" for place in sorted(own)]
            clean = not own
    # A copy that still contains it after cleaning has it in other rows; it stays listed until it is deleted.
    there = {str(copy.path) for copy in copies}
    cleaned = {str(copy.path) for copy in copies if not copy.error}
    found = sorted(
        there & {*note.get("found", ())} | cleaned & {*traces}
        | {str(copy.path) for copy in copies if copy.found}
    )  # fmt: skip
    left += [f"{path}: still holds what was erased; rm removes that copy" for path in found]
    cleaning = Cleaning(copies, traces, list(dict.fromkeys(left)))
    proven = {str(copy.path): copy.state for copy in copies if not copy.error}
    came = {"proven": proven, "clean": clean, "found": found, "left": cleaning.left}
    try:
        if not left:
            clear_unfinished(scope)
        elif came != {name: note.get(name) for name in came}:
            _put_note(scope, {**_asked(erasure), **came})
    except StoreUnusable as error:
        return cleaning._replace(left=[*cleaning.left, str(error)])
    return cleaning


def _quoting(scope: Scope, path: Path) -> Erasure:
    from memcli.changes.forgetting.erased_things import quoted_in_copy

    return quoted_in_copy(scope.store, path, scope.config["busy_timeout"])


def clear_unfinished(scope: Scope) -> None:
    """Drop the record after all is clean, and scrub what it said from the log."""
    scope.store.drop_state(EVERYWHERE, areas.ERASURE.name, _KEY)
    with suppress(StoreUnusable):  # it named ids
        scope.store.scrub(patience=_PATIENCE)


def finish_erasure(scope: Scope) -> bool:
    """Finish an interrupted erasure; return False if there is none, or another process is at it.

    Raises ErasureUnfinished if that is not possible yet.
    """
    store = scope.store
    if not is_unfinished(scope):
        return False
    if store.hindrance:
        raise unfinished_erasure(what_is_left(scope) or [str(store.hindrance)])

    def rewrite() -> list[str]:
        _erase_again(scope, erasure.ids)
        store.scrub(thoroughly=True, patience=_PATIENCE)
        return []

    try:
        with erasure_lock(scope, patience=0):
            if not is_unfinished(scope):
                return False
            erasure = _unfinished(store, _note(store))
            cleaning = clean_files(scope, erasure, rewrite, patience=_PATIENCE)
    except StoreBusy:
        if is_being_erased(scope):
            return False
        raise
    if cleaning.left:
        raise unfinished_erasure(cleaning.left)
    return True


def _erase_again(scope: Scope, ids: Sequence[str]) -> None:
    """Erase rows that are back, as in a file that was put in the store's place.

    What was taken in again by `--force` since has a line of history that says so, and stays.
    """
    store = scope.store
    back = [each.id for each in store.get(ids) if not _was_written_again(store, each.id)]
    if back:
        store.erase(back, scope.change("erase", None), scope.now())


def _was_written_again(store: Store, memory_id: str) -> bool:
    actions = [event.action for event in store.history(memory_id)]
    return "erase" in actions and actions[-1] != "erase"


def unfinished_erasure(left: Sequence[str]) -> ErasureUnfinished:
    """Return the error that says in one line what is not proven clean."""
    more = message(f" (and {len(left) - 1} more: ", Command("doctor"), ")") if len(left) > 1 else ""
    return ErasureUnfinished(
        f"an erasure is not finished: {left[0]}{more}. Every command tries again until it is"
    )


def is_being_erased(scope: Scope) -> bool:
    """True if another process is erasing now."""
    return scope.store.is_under_way(ERASING)


def _note(store: Store) -> dict[str, Any]:
    return _noted(store, _KEY)


def _noted(store: Store, key: str) -> dict[str, Any]:
    state = next(iter(store.states((EVERYWHERE,), areas.ERASURE.name, key)), None)
    return dict(state.value) if state and isinstance(state.value, dict) else {}


def _put_note(scope: Scope, note: dict[str, Any]) -> None:
    now = scope.now()
    scope.store.put_state(new_state(EVERYWHERE, areas.ERASURE.name, _KEY, note, now))


def _asked(erasure: Erasure) -> dict[str, Any]:
    return {
        "ids": list(erasure.ids), "states": [list(each) for each in erasure.states],
        "spaces": list(erasure.spaces), "events": [event.number for event in erasure.events],
        "links": [link.id for link in erasure.links], "memories": [each.id for each in erasure.memories],
    }  # fmt: skip


def _unfinished(store: Store, asked: dict[str, Any]) -> Erasure:
    events, links = set(asked.get("events", ())), set(asked.get("links", ()))
    return Erasure(
        ids=asked.get("ids", ()),
        states=[(space, area, key) for space, area, key in asked.get("states", ())],
        spaces=asked.get("spaces", ()),
        events=[each for each in store.history() if each.number in events] if events else [],
        links=[each for each in store.links() if each.id in links] if links else [],
        memories=store.get(asked.get("memories", ())),
    )
