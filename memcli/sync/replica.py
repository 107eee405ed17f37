"""Which replica a store is, and how far it has read and written each folder.

A replica's id names its files. It is bound to where the store lies: the machine with
the path, or the file itself (device and inode). A copy of a store has neither, and gets an id of its
own at its first sync, so that two stores never write in one place; what the copied one
has read and written already holds for both.
"""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

from memcli.model import EVERYWHERE
from memcli.scope import Scope
from memcli.storage import areas, states
from memcli.sync.records.registers import milliseconds

_REPLICA = "replica"
_SALTS = "salts"


def replica_id(scope: Scope) -> str:
    """This store's id as a replica, made where there is none, or where the store is a copy."""
    with scope.store.writing():
        here, value = _place(Path(scope.store.location)), _value(scope)
        if (value and (value["host"], value["path"]) == here[:2]) or (value and value["file"] == here[2]):
            if [value["host"], value["path"], value["file"]] != list(here):
                _write(scope, _REPLICA, {**value, **dict(zip(("host", "path", "file"), here, strict=True))})
            return str(value["id"])
        fresh = {"id": scope.new_id(scope.now()), "salt": os.urandom(16).hex()}
        _write(scope, _REPLICA, {**fresh, **dict(zip(("host", "path", "file"), here, strict=True))})
        return fresh["id"]


def own_salt(scope: Scope) -> str:
    """What the hashes of this replica's names of gone values are keyed by."""
    replica_id(scope)
    return str(_value(scope)["salt"])


def known_salts(scope: Scope) -> list[str]:
    """The own salt, and those that others' hashes of names of gone values are keyed by."""
    return [own_salt(scope), *(noted_value(scope, _SALTS) or ())]


def note_salt(scope: Scope, salt: str) -> None:
    """Note a salt that another replica uses."""
    own, *others = known_salts(scope)
    if salt not in (own, *others):
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


def _place(path: Path) -> tuple[str, str, str]:
    real = path.resolve()
    try:
        there = real.stat()
    except OSError:
        return platform.node(), str(real), ""
    return platform.node(), str(real), f"{there.st_dev}:{there.st_ino}"
