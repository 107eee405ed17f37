"""Snapshots: named states of the whole store, each a copy beside it.

A snapshot's name and size are recorded in the store, by the label of its file; since that is written before
the copy, also in the file itself. So a snapshot whose record is lost can still be identified.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Any

from memcli.changes.forgetting.erased_things import ErasedThings
from memcli.doors import COPIES, Deed
from memcli.errors import BadInput, NotFound, StoreUnusable
from memcli.ids import instant_of_id, is_id
from memcli.messages import Command, message
from memcli.model import EVERYWHERE, Filter, State
from memcli.named_tuple import NamedTuple
from memcli.scope import Scope
from memcli.storage import Store, areas, states
from memcli.storage.known_copies import CopyKind
from memcli.storage.lookup import is_in_use, unknown_space
from memcli.storage.stores import open_copy
from memcli.storage.upkeep import Progress
from memcli.text.checks import check_name
from memcli.times import from_iso, local_time, to_iso
from memcli.upkeep.copies.difference import Difference, differences
from memcli.upkeep.copies.files import file_of_store
from memcli.upkeep.copies.sides import Side, read_side, without_erased


class Snapshot(NamedTuple):
    """One snapshot. `memories` counts all it held when it was made; None if that is unknown."""

    name: str
    label: str
    at: datetime | None
    path: Path
    size: int
    memories: int | None = None
    note: str | None = None

    def to_record(self) -> dict[str, Any]:
        """Return the snapshot as JSON types."""
        at = to_iso(self.at) if self.at else None
        return {
            "name": self.name, "at": at, "bytes": self.size, "memories": self.memories, "note": self.note,
            "path": str(self.path),
        }  # fmt: skip


def create_snapshot(
    scope: Scope, name: str | None = None, note: str | None = None, progress: Progress | None = None
) -> Snapshot:
    """Make a snapshot of the current store; the default name is the time.

    Raises BadInput for a name that is taken and if a server keeps the store, Refused for a secret in the
    name and for an untrusted origin; StoreUnusable if it cannot be made, and then nothing is left of it.
    """
    from memcli.text.secrets.redaction import refuse_secret_names, refuse_secrets

    scope.require(COPIES, Deed.ADD, "a snapshot")
    file_of_store(scope.store)
    now = scope.now()
    name = check_name("name", local_time(now) if name is None else name)
    refuse_secret_names([name], "the name of a snapshot")
    refuse_secrets(note or "", "the note of a snapshot")
    label = scope.new_id(now)
    with scope.store.writing():
        _drop_stale_records(scope)
        if any(each.name == name for each in snapshots(scope)):
            raise BadInput(
                f"there is a snapshot {name!r} already",
                by_hand=message(Command("snapshot drop"), ", or give another name"),
            )
        total = sum(number for _, _, number in scope.store.count(Filter(spaces=None, live=False)))
        value = {"name": name, "at": to_iso(now), "memories": total, "note": note}
        states.write_state(scope.store, EVERYWHERE, areas.SNAPSHOT.name, label, value, now)
    try:
        path = scope.store.make_copy(CopyKind.SNAPSHOT, label, now, progress)
    except BaseException:
        with suppress(StoreUnusable):
            scope.store.drop_state(EVERYWHERE, areas.SNAPSHOT.name, label)
        raise
    return Snapshot(name, label, now, path, path.stat().st_size, total, note)


def snapshots(scope: Scope) -> list[Snapshot]:
    """Return the existing snapshots, oldest first. Raises BadInput if a server keeps the store."""
    file_of_store(scope.store)
    known = {state.key: state for state in scope.store.states((EVERYWHERE,), areas.SNAPSHOT.name)}
    found = []
    for copy in scope.store.copies():
        if copy.kind is CopyKind.SNAPSHOT and copy.whole and copy.path.exists():
            state = known.get(copy.label) or _own_record(copy.path, copy.label)
            found.append(_snapshot(copy.path, copy.label, state))
    return sorted(found, key=lambda each: (each.at is not None, each.at, each.label))


def find_snapshot(scope: Scope, name: str) -> Snapshot:
    """Return the snapshot of that name. Raises NotFound, with similar names."""
    name = check_name("name", name)
    every = snapshots(scope)
    for each in every:
        if name in (each.name, each.label):
            return each
    from memcli.text.spelling import did_you_mean

    meant = did_you_mean(name, [each.name for each in every])
    raise NotFound(
        f"no snapshot {name!r:.60}", advice=meant, by_hand=message(Command("snapshot list"), " shows them")
    )


@contextmanager
def opened_snapshot(scope: Scope, snapshot: Snapshot) -> Iterator[Store]:
    """Open a snapshot as a store, for reading."""
    with closing(open_copy(snapshot.path, busy_timeout=scope.config["busy_timeout"])) as store:
        yield store


def drop_snapshot(scope: Scope, snapshot: Snapshot) -> None:
    """Delete a snapshot for good. Raises Refused, StoreUnusable.

    The file goes first, since that makes room on a full disk. If only the record remains, the error says
    so, and the next snapshot that is made or dropped removes it.
    """
    scope.require(COPIES, Deed.ERASE, "dropping a snapshot")
    try:
        scope.store.drop_copy(snapshot.path)
        _drop_stale_records(scope)
    except StoreUnusable as error:
        if snapshot.path.exists():
            raise
        error.say_left(f"the snapshot {snapshot.name!r} is gone, and only its name is still on record")
        raise


def _drop_stale_records(scope: Scope) -> None:
    """Drop the records of snapshots whose files are gone."""
    there = {copy.label for copy in scope.store.copies() if copy.kind is CopyKind.SNAPSHOT}
    for state in list(scope.store.states((EVERYWHERE,), areas.SNAPSHOT.name)):
        if state.key not in there:
            scope.store.drop_state(EVERYWHERE, areas.SNAPSHOT.name, state.key)


def _own_record(path: Path, label: str) -> State | None:
    """Return a snapshot's record from its own file."""
    with suppress(StoreUnusable, NotFound), closing(open_copy(path)) as store:
        return states.read_state(store, EVERYWHERE, areas.SNAPSHOT.name, label)
    return None


def _snapshot(path: Path, label: str, state: State | None) -> Snapshot:
    value = state.value if state and isinstance(state.value, dict) else {}
    name, at, total, note = (value.get(each) for each in ("name", "at", "memories", "note"))
    made = instant_of_id(label) if is_id(label) else None
    with suppress(ValueError, TypeError):
        made = from_iso(str(at))
    return Snapshot(
        name if isinstance(name, str) else label, label, made, path, path.stat().st_size,
        total if isinstance(total, int) else None, note if isinstance(note, str) else None,
    )  # fmt: skip


def snapshot_differences(scope: Scope, old: str, new: str | None, space: str | None) -> list[Difference]:
    """Return the differences from one snapshot to another, or to the current store; of one space, or all.

    Nothing that was erased since is shown. Raises NotFound.
    """
    erased = ErasedThings(scope.store)
    spaces = None if space is None else (space,)
    now_is = read_side(scope.store, spaces)

    def side(name: str) -> Side:
        with opened_snapshot(scope, find_snapshot(scope, name)) as store:
            require_space(scope, store, space)
            return without_erased(read_side(store, spaces), now_is, erased)

    return differences(side(old), side(new) if new is not None else now_is)


def require_space(scope: Scope, then: Store, space: str | None) -> None:
    """Raise NotFound for a space that is neither in the store nor in its copy."""
    if space is not None and not (is_in_use(scope.store, space) or is_in_use(then, space)):
        raise unknown_space(scope.store, space)
