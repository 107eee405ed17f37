"""Which replica a store is, and how far it has read and written each folder.

A replica's id names its files. It is bound to where the store lies: the machine with
the path, or the file itself (device and inode). A copy of a store has neither, and gets an id of its
own at its first sync, so that two stores never write in one place; what the copied one
has written it has read. A copy that is put in the place of a store becomes the replica that that was.
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
# By an id what is noted of each folder: where it is, the own files, and by view how far it was read and told.
FOLDERS = areas.SYNC_FOLDERS
# What others have erased, see `memcli.sync.erasures.pending`.
PENDING = "pending"


def replica_id(scope: Scope) -> str:
    """This store's id as a replica, made where there is none, or where the store is a copy."""
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
    """Where a copy was put in the place of this store: it stays the replica that it was, with its folders.

    What it had read and written since the copy was made is not in it: it is read again, from
    its own files, too.
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
    """What the replica wrote that this store is a copy of is not its own, but it has read all of it."""
    note_value(scope, _SALTS, sorted({*(noted_value(scope, _SALTS) or ()), str(other["salt"])}))
    if folders := noted_value(scope, FOLDERS):
        for each in folders.values():
            for view in each["views"].values():
                view["read"] |= dict.fromkeys(each["own"], 0)
            each["own"] = []
            each.pop("stale", None)
        _write(scope, FOLDERS, folders)


def own_salt(scope: Scope) -> str:
    """What the hashes of this replica's names of gone values are keyed by."""
    replica_id(scope)
    return str(_value(scope)["salt"])


def known_salts(scope: Scope) -> list[str]:
    """The own salt, and those that others' hashes of names of gone values are keyed by."""
    return [own_salt(scope), *(noted_value(scope, _SALTS) or ())]


def note_salt(scope: Scope, salt: str) -> None:
    """Note a salt that another replica uses."""
    others = noted_value(scope, _SALTS) or []
    if salt not in (_value(scope).get("salt"), *others):
        note_value(scope, _SALTS, [*others, salt])


def next_revision(scope: Scope) -> int:
    """The revision of what is noted now in clocks.

    The first one is the time: where the clocks were lost (a store that was salvaged), what
    is noted anew is later than all that was told by them.
    """
    return scope.store.clock_revision() + 1 if scope.store.clock_revision() else milliseconds(scope.now())


def note_value(scope: Scope, name: str, value: Any) -> None:
    """Keep something beside, by its name, or with None drop it."""
    if value is None:
        scope.store.drop_state(EVERYWHERE, areas.SYNC.name, name)
    else:
        _write(scope, name, value)


def noted_value(scope: Scope, name: str) -> Any:
    """What is kept by that name; None where nothing is."""
    state = states.read_state(scope.store, EVERYWHERE, areas.SYNC.name, name)
    return state.value if state else None


def view(folder: str, spaces: Sequence[str] | None) -> str:
    """The name of a folder as it is seen with these spaces only: what was left out then is news to all."""
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
    """Whether the store that noted this is the one here: by its file, or by its name on the same machine."""
    if value["file"] == here["file"]:
        return True
    machines = {value.get("machine", ""), here["machine"]} - {""}
    return (value["host"], value["path"]) == (here["host"], here["path"]) and len(machines) < 2
