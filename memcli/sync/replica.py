"""Replica identity of a store, and how far it has read and written each sync folder.

A replica's id names its files. It is bound to the store's place: the machine and path, or the file itself
(device and inode). A copy of a store matches neither, and gets a new id at its first sync, so that two
stores never write to one subfolder; what the original has written counts as read. A copy that is put in the
place of a store becomes the replica that the store was.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from hashlib import blake2b
from typing import Any

from memcli.model import EVERYWHERE
from memcli.scope import Scope
from memcli.storage import areas, states
from memcli.sync.records.registers import milliseconds

_REPLICA = "replica"
_SALTS = "salts"
# The record of each folder by id: its path, the own files, and by view how far it was read and sent.
FOLDERS = areas.SYNC_FOLDERS
# The name of the pending erasures, see `memcli.sync.erasures.pending`.
PENDING = "pending"


def replica_id(scope: Scope) -> str:
    """Return this store's id as a replica, created if there is none, or if the store is a copy."""
    with scope.store.writing():
        settle_restored(scope)
        here, value = scope.store.place(), _value(scope)
        if value and _is_same(value, here):
            if any(value.get(name) != each for name, each in here.items()):
                _write(scope, _REPLICA, {**value, **here})
            return str(value["id"])
        if value:
            _disown(scope, value)
        fresh = {"id": scope.new_id(scope.now()), "salt": os.urandom(16).hex()}
        _write(scope, _REPLICA, {**fresh, **here})
        return fresh["id"]


def settle_restored(scope: Scope) -> None:
    """After a copy was restored in place of this store, keep the replica's identity and folders.

    What it had read and written since the copy was made is missing from it and is read again, its own files
    included.
    """
    noted = {
        state.key.removeprefix(areas.BEFORE_RESTORE): state.value
        for state in scope.store.states((EVERYWHERE,), areas.SYNC.name)
        if state.key.startswith(areas.BEFORE_RESTORE)
    }
    if not noted:
        return
    with scope.store.writing():
        own, before = _value(scope), noted.get(_REPLICA)
        if before:
            if own and own["id"] != before["id"]:
                _disown(scope, own)
            _write(scope, _REPLICA, before)
        for salt in noted.get(_SALTS) or ():
            note_salt(scope, salt)
        folders = noted_value(scope, FOLDERS) or {}
        for name, each in (noted.get(FOLDERS) or {}).items():
            known = folders.get(name, {"own": [], "views": {}})
            stale = {"stale": True} if each.get("stale") else {}
            folders[name] = {**known, **stale, "path": each["path"]}
        if folders:
            _write(scope, FOLDERS, folders)
        if before_pending := noted.get(PENDING):
            known = noted_value(scope, PENDING) or {}
            things = sorted({*known.get("things", ()), *before_pending["things"]})
            absent = sorted({*known.get("absent", ()), *before_pending["absent"]})
            gone = {**before_pending["memories"], **known.get("memories", {})}
            _write(scope, PENDING, {"memories": gone, "things": things, "absent": absent})
        for key in noted:
            scope.store.drop_state(EVERYWHERE, areas.SYNC.name, f"{areas.BEFORE_RESTORE}{key}")


def _disown(scope: Scope, other: dict[str, Any]) -> None:
    """Turn the files of the replica that this store is a copy of from own files into read ones."""
    note_value(scope, _SALTS, sorted({*(noted_value(scope, _SALTS) or ()), str(other["salt"])}))
    if folders := noted_value(scope, FOLDERS):
        for each in folders.values():
            for view in each["views"].values():
                view["read"] |= dict.fromkeys(each["own"], 0)
            each["own"] = []
            each.pop("stale", None)
        _write(scope, FOLDERS, folders)


def own_salt(scope: Scope) -> str:
    """Return the salt that keys this replica's hashes of the names of deleted values."""
    replica_id(scope)
    return str(_value(scope)["salt"])


def known_salts(scope: Scope) -> list[str]:
    """Return the own salt, and those of other replicas."""
    return [own_salt(scope), *(noted_value(scope, _SALTS) or ())]


def note_salt(scope: Scope, salt: str) -> None:
    """Record a salt that another replica uses."""
    others = noted_value(scope, _SALTS) or []
    if salt not in (_value(scope).get("salt"), *others):
        note_value(scope, _SALTS, [*others, salt])


def next_revision(scope: Scope) -> int:
    """Return the revision for clocks that are written now.

    The first one is the current time: if the clocks were lost (a salvaged store), the new ones are later
    than all that was sent before.
    """
    return scope.store.clock_revision() + 1 if scope.store.clock_revision() else milliseconds(scope.now())


def note_value(scope: Scope, name: str, value: Any) -> None:
    """Store a value of the sync by name, or with None drop it."""
    if value is None:
        scope.store.drop_state(EVERYWHERE, areas.SYNC.name, name)
    else:
        _write(scope, name, value)


def noted_value(scope: Scope, name: str) -> Any:
    """Return the value stored by that name; None if there is none."""
    state = states.read_state(scope.store, EVERYWHERE, areas.SYNC.name, name)
    return state.value if state else None


def view(folder: str, spaces: Sequence[str] | None) -> str:
    """Return the name of a folder as synced with these spaces only: a wider view has to read it anew."""
    return (
        folder
        if spaces is None
        else f"{folder} {blake2b(json.dumps(sorted(spaces)).encode(), digest_size=6).hexdigest()}"
    )


def _value(scope: Scope) -> dict[str, Any]:
    state = states.read_state(scope.store, EVERYWHERE, areas.SYNC.name, _REPLICA)
    return dict(state.value) if state else {}


def _write(scope: Scope, key: str, value: Any) -> None:
    states.write_state(scope.store, EVERYWHERE, areas.SYNC.name, key, value, scope.now())


def _is_same(value: dict[str, Any], here: dict[str, str]) -> bool:
    """True if the store that recorded this is the one here: by its file, or its path on this machine."""
    if value["file"] == here["file"]:
        return True
    machines = {value.get("machine", ""), here["machine"]} - {""}
    return (value["host"], value["path"]) == (here["host"], here["path"]) and len(machines) < 2
