"""Carrying an erasure to its end, whatever happens in between.

The rows go in one transaction, together with a note of what is still to be
cleaned. Only when all is proven clean the note goes; until then each command
finds it, tries again what is not yet proven, and tells what is left.
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
# Where change files of a sync may still hold what was erased, by folder, with why.
_CHANGE_FILES = "change-files"
# Which copies stay closed to who looks in them for what others erased, by path, with why.
_CLOSED_COPIES = "closed-copies"
# Why they may, where nobody has tried yet.
NOT_RENEWED = "not written anew yet"
# A command that does something else waits no longer (seconds) for who is in its way.
_PATIENCE = 0.1


class Cleaning(NamedTuple):
    """What came of cleaning the files of a store and its copies."""

    copies: Sequence[CopyErasure] = ()
    traces: Sequence[str] = ()
    """Where something was still found: a file by its path, or a part of the store."""
    left: Sequence[str] = ()
    """A line for each that is not proven clean, which says why and what to do; empty when all is."""


@contextmanager
def erasure_lock(scope: Scope, *, patience: float) -> Iterator[None]:
    """Erase as the only process that does; StoreBusy where another is at it for `patience` seconds."""
    busy = f"{scope.store.location}: another process is erasing"
    with scope.store.alone(ERASING, busy=busy, patience=patience):
        yield


def is_unfinished(scope: Scope) -> bool:
    """Whether something was erased and is not yet proven gone from every file."""
    return any(scope.store.states((EVERYWHERE,), areas.ERASURE.name, _KEY))


def note_change_files(scope: Scope, left: Mapping[str, str]) -> None:
    """Note which folders of a sync may still hold what was erased, with why; by none there is no note."""
    _note_places(scope, _CHANGE_FILES, left)


def stale_change_files(scope: Scope) -> dict[str, str]:
    """By folder, why the change files there may still hold what was erased."""
    return _noted(scope.store, _CHANGE_FILES)


def note_closed_copies(scope: Scope, left: Mapping[str, str]) -> None:
    """Note which copies could not be looked through for what others erased, with a line for each."""
    _note_places(scope, _CLOSED_COPIES, left)


def closed_copies(scope: Scope) -> list[str]:
    """A line for each copy that could not be looked through for what others erased."""
    return list(_noted(scope.store, _CLOSED_COPIES).values())


def _note_places(scope: Scope, key: str, left: Mapping[str, str]) -> None:
    if left != _noted(scope.store, key):
        now = scope.now()
        if left:
            scope.store.put_state(new_state(EVERYWHERE, areas.ERASURE.name, key, dict(left), now))
        else:
            scope.store.drop_state(EVERYWHERE, areas.ERASURE.name, key)


def stale_lines(left: Mapping[str, str]) -> list[str]:
    """A line for each folder, with the way out."""
    return [
        message(
            f"change files in {folder}: {why} (",
            Command(f"sync --gone {shlex.quote(folder)}"),
            ", if that is no more)",
        )
        for folder, why in left.items()
    ]


def what_is_left(scope: Scope) -> list[str]:
    """A line for each that was not clean when last tried; none where that was cut off, or all is clean."""
    return list(_note(scope.store).get("left", ()))


def record_unfinished(scope: Scope, erasure: Erasure) -> None:
    """Note, in the transaction that erases, what has still to go from copies and from the change files of a
    sync; what was noted stays.

    Of what is rewritten only which: what it says by now the store says. What was
    proven of an earlier erasure says nothing of this one.
    """
    asked, before = _asked(erasure), _note(scope.store)
    asked = {name: [*value, *before.get(name, ())] for name, value in asked.items()}
    _put_note(scope, {**asked, "found": before["found"]} if before.get("found") else asked)
    _mark_change_files(scope)


def _mark_change_files(scope: Scope) -> None:
    """Note that the change files of each folder of a sync hold what is erased till they are renewed."""
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
    """Clean the copies and the store's own files, and note what is proven; the note goes when all is.

    That there is something to clean was noted before (`record_unfinished`). `look` cleans the
    store's own files and returns where something is still found.
    Raises no StoreUnusable: what went wrong is what is left.
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
    # Cleaned, and yet it says it: in words that are nowhere else. It stays found until the copy goes.
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
    """All is clean: drop the note, and what it said from the log."""
    scope.store.drop_state(EVERYWHERE, areas.ERASURE.name, _KEY)
    with suppress(StoreUnusable):  # it named ids
        scope.store.scrub(patience=_PATIENCE)


def finish_erasure(scope: Scope) -> bool:
    """Finish an erasure that was cut off; False where there is none, or it is somebody else's.

    Raises ErasureUnfinished where that is not possible yet.
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
    """Erase the rows of memories that are there once more, as in a file that was put in the store's place.

    What was taken in again since it was erased (`--force`) has a line of history that says so, and stays.
    """
    store = scope.store
    back = [each.id for each in store.get(ids) if not _was_written_again(store, each.id)]
    if back:
        store.erase(back, scope.change("erase", None), scope.now())


def _was_written_again(store: Store, memory_id: str) -> bool:
    actions = [event.action for event in store.history(memory_id)]
    return "erase" in actions and actions[-1] != "erase"


def unfinished_erasure(left: Sequence[str]) -> ErasureUnfinished:
    """The error that tells in one line what is not proven clean."""
    more = message(f" (and {len(left) - 1} more: ", Command("doctor"), ")") if len(left) > 1 else ""
    return ErasureUnfinished(
        f"an erasure is not finished: {left[0]}{more}. Every command tries again until it is"
    )


def is_being_erased(scope: Scope) -> bool:
    """Whether another process is erasing now."""
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
