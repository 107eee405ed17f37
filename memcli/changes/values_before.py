"""Values before a change: what keyed values were when a change touched them, for its undo.

Only memories have a history, and links carry their own record. For keyed values (blocks, tasks,
checkpoints, rules) a change that may be undone notes, in its own transaction, what each value was before;
an erasure covers these notes like any others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any

from memcli import times
from memcli.model import Change, State, new_state
from memcli.named_tuple import NamedTuple
from memcli.scope import Scope
from memcli.storage import Store, areas
from memcli.storage.ledger import StateName
from memcli.storage.states import read_state

# The fields of a note that describe the former value.
_BEFORE = {"value", "version", "created_at", "expires_at"}


class ValueBefore(NamedTuple):
    """A note on one value: what it was before a change, and the mark that it has since (see `_mark`).

    A note without area and key is about the change itself and says how far it reaches: one space, or
    EVERYWHERE.
    """

    change: str
    action: str
    undoes: str | None
    at: datetime
    space: str
    area: str
    key: str
    before: dict[str, Any] | None
    after: list[Any] | None
    actor: str | None = None
    """Who made the change; None in a note of an older memcli, which only the owner could make."""

    @property
    def is_of_change(self) -> bool:
        """True if the note is about the change itself."""
        return not self.area

    @property
    def name(self) -> StateName:
        """The name of the value."""
        return self.space, self.area, self.key

    @property
    def address(self) -> str:
        """The address of the value for people, `area/key`."""
        return f"{self.area}/{self.key}"

    @property
    def waits(self) -> bool:
        """True if the value is of an area that waits for the owner."""
        return areas.area_named(self.area).waits

    @property
    def waited(self) -> bool:
        """True if the value waited for the owner's answer before the change."""
        value = (self.before or {}).get("value")
        return self.waits and isinstance(value, dict) and not (value.get("rejected") or value.get("closed"))


def note_change(scope: Scope, change: Change, space: str, now: datetime) -> None:
    """Record that a change was made, which reaches as far as `space` and may have touched no memory."""
    _note(scope, change, (space, "", ""), None, None, now)


@contextmanager
def noting(scope: Scope, change: Change, names: Iterable[StateName]) -> Iterator[None]:
    """Inside the context, writes to these values are recorded as a part of `change`, and undone with it.

    Runs in the caller's transaction. If no value has changed, nothing is recorded.
    """
    found = {name: read_state(scope.store, *name) for name in names}
    yield
    now = scope.now()
    after = {name: read_state(scope.store, *name) for name in found}
    changed = [name for name, before in found.items() if _mark(before) != _mark(after[name])]
    if changed:
        note_change(scope, change, scope.space, now)
    for name in changed:
        _note(scope, change, name, found[name], after[name], now)


def replace_values(
    scope: Scope, change: Change, written: Iterable[State], dropped: Iterable[StateName], now: datetime
) -> int:
    """Write keyed values and drop others, as a part of `change`; in the caller's transaction.

    Of the written ones only value and expiry are used. Returns how many have changed.
    """
    store, changed = scope.store, 0
    for new in written:
        here = read_state(store, new.space, new.area, new.key)
        # Never reuse a version number: a compare-and-set with an old one would overwrite this.
        version = max(new.version, here.version if here else 0) + 1
        created = here.created_at if here else new.created_at
        after = new._replace(version=version, created_at=created, updated_at=now)
        _note(scope, change, (new.space, new.area, new.key), here, after, now)
        store.put_state(after)
        changed += 1
    for name in dropped:
        here = read_state(store, *name)
        if here is not None:
            _note(scope, change, name, here, None, now)
            store.drop_state(*name)
            changed += 1
    return changed


def undo_values(
    scope: Scope, notes: Sequence[ValueBefore], undone: Change, now: datetime, left: list[str]
) -> list[ValueBefore]:
    """Restore the values that a change touched, if nothing has changed them since; the rest goes to `left`.

    `undone` is the undoing change, which can itself be undone. Returns the notes of the restored values.
    """
    back, gone = [], []
    for note in notes:
        if note.is_of_change:
            note_change(scope, undone, note.space, now)
            continue
        here = read_state(scope.store, *note.name)
        if not _is_as_left(scope.store, note, here):
            left.append(f"{note.address} was changed again since")
        elif note.before is None:
            gone.append(note)
        else:
            back.append(note)
    replace_values(scope, undone, (_state(each, now) for each in back), (each.name for each in gone), now)
    return back + gone


def values_before(store: Store, spaces: Sequence[str] | None = None) -> Iterator[ValueBefore]:
    """Yield the notes of all changes, in these spaces or anywhere, without malformed ones."""
    for state in store.states(spaces, areas.VALUE_BEFORE.name):
        value = state.value if isinstance(state.value, dict) else {}
        fields = [value.get(name) for name in ("change", "action", "area", "key")]
        if all(isinstance(each, str) for each in fields):
            change, action, area, key = (str(each) for each in fields)
            before, after = value.get("before"), value.get("after")
            undoes, at = value.get("undoes"), state.created_at
            if before is not None and not (isinstance(before, dict) and before.keys() >= _BEFORE):
                continue
            actor = value.get("actor") if isinstance(value.get("actor"), str) else None
            yield ValueBefore(change, action, undoes, at, state.space, area, key, before, after, actor)


def _note(
    scope: Scope,
    change: Change,
    name: StateName,
    before: State | None,
    after: State | None,
    now: datetime,
) -> None:
    space, area, key = name
    value = {
        "change": change.id, "action": change.action, "undoes": change.undoes, "area": area, "key": key,
        "before": _record(before), "after": _mark(after), "actor": change.actor,
    }  # fmt: skip
    expires = now + timedelta(seconds=scope.config["purge_after"])
    scope.store.put_state(
        new_state(space, areas.VALUE_BEFORE.name, f"{change.id}/{area}/{key}", value, now, expires)
    )


def _is_as_left(store: Store, note: ValueBefore, here: State | None) -> bool:
    """True if a value is as a change left it: written then, or restored since by undoing later changes."""
    mark = _mark(here)
    if mark == note.after:
        return True
    notes = [each for each in values_before(store, (note.space,)) if each.name == note.name]
    by_change = {each.change: each for each in notes}
    undoes = [each for each in notes if each.undoes in by_change]
    while mark != note.after:
        undo = next((each for each in undoes if each.after == mark), None)
        if undo is None:
            return False
        undoes.remove(undo)
        before = by_change[str(undo.undoes)].before
        mark = [before["version"], before.get("updated_at")] if before else None
    return True


def _mark(state: State | None) -> list[Any] | None:
    """Return the mark by which a value is recognised as unchanged: its version and its time of writing."""
    return None if state is None else [state.version, times.to_iso(state.updated_at)]


def _record(state: State | None) -> dict[str, Any] | None:
    if state is None:
        return None
    expires = times.to_iso(state.expires_at) if state.expires_at else None
    created, updated = times.to_iso(state.created_at), times.to_iso(state.updated_at)
    return {
        "value": state.value, "version": state.version, "created_at": created, "updated_at": updated,
        "expires_at": expires,
    }  # fmt: skip


def _state(note: ValueBefore, now: datetime) -> State:
    """Return the former value; an expiry that has passed is renewed with the time it still had to live."""
    before = note.before or {}
    created = times.from_iso(before["created_at"])
    expires = times.from_iso(before["expires_at"]) if before["expires_at"] else None
    if expires and expires <= now:
        written = times.from_iso(before.get("updated_at") or before["created_at"])
        expires = now + max(expires - written, timedelta())
    return State(
        note.space, note.area, note.key, before["value"], before["version"], created, created, expires
    )
