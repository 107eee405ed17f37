"""Keyed values as a change found them: what undoing it brings back.

History is of memories, and a link carries its own record. Of keyed values (blocks, tasks,
checkpoints, rules) a change that may be undone notes, in its own transaction and beside
each value, what it was before; an erasure reaches these notes like any other.
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

# What a note says of a value as it was.
_BEFORE = {"value", "version", "created_at", "expires_at"}


class ValueBefore(NamedTuple):
    """A note of one value: what it was before a change, and by what it is known since (see `_mark`).

    One without area and key is of the change itself, which reaches as far as the note's space: EVERYWHERE,
    or one space.
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
    """Who made the change; None in a note of an older memcli, which its owner made."""

    @property
    def is_of_change(self) -> bool:
        """Whether it is of the change itself."""
        return not self.area

    @property
    def name(self) -> StateName:
        """Which value it is of."""
        return self.space, self.area, self.key

    @property
    def address(self) -> str:
        """The value for people, `area/key`."""
        return f"{self.area}/{self.key}"

    @property
    def waits(self) -> bool:
        """Whether it is of a value that waits for its owner."""
        return areas.area_named(self.area).waits

    @property
    def waited(self) -> bool:
        """Whether the value waited for its owner's answer before the change."""
        value = (self.before or {}).get("value")
        return self.waits and isinstance(value, dict) and not (value.get("rejected") or value.get("closed"))


def note_change(scope: Scope, change: Change, space: str, now: datetime) -> None:
    """Note that a change was made, which may touch no memory, and that it reaches as far as `space`."""
    _note(scope, change, (space, "", ""), None, None, now)


@contextmanager
def noting(scope: Scope, change: Change, names: Iterable[StateName]) -> Iterator[None]:
    """Inside, what is written or dropped of these values is a part of `change`, and goes back with it.

    In the caller's transaction. Where none of them is another than before nothing is noted.
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
    """Write keyed values, and drop others, as a part of `change`; in the caller's transaction.

    Of those written value and expiry count. Returns how many are not as they were.
    """
    store, changed = scope.store, 0
    for new in written:
        here = read_state(store, new.space, new.area, new.key)
        # Never a number that somebody has read before: who insists on one would overwrite this.
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
    """Put back what a change found, where nothing else has touched it since; the rest goes to `left`.

    `undone` is the change that takes it back, which can itself be undone so. Returns the
    notes of what is as it was again.
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
    """The notes of all changes, in these spaces or anywhere; what an import or a hand spoilt is left out."""
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
    """Whether a value is as a change left it: written then, or put back since by undoing what came after."""
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
    """By what a value is known to be as it was left: its version and when it was written."""
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
    """The value as it was; what would have ended meanwhile lives as long again as it had still to live."""
    before = note.before or {}
    created = times.from_iso(before["created_at"])
    expires = times.from_iso(before["expires_at"]) if before["expires_at"] else None
    if expires and expires <= now:
        written = times.from_iso(before.get("updated_at") or before["created_at"])
        expires = now + max(expires - written, timedelta())
    return State(
        note.space, note.area, note.key, before["value"], before["version"], created, created, expires
    )
