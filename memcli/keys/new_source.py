"""New source of a store's key: a note of where the new key is, then the setting that names it.

A store is encrypted first and the config file written then. If the process were killed in between, nobody
would know where the key is: so meanwhile a note beside the config file says it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from memcli.config.config import Config
from memcli.errors import BadInput, NoKey, StoreBusy, StoreUnusable
from memcli.keys.secret import Secret
from memcli.named_tuple import NamedTuple
from memcli.system.files import write_private
from memcli.system.locks import hold_lock
from memcli.system.places import make_private_folder

_LOCK = ".lock"


class NewSource(NamedTuple):
    """A source of a new key: `key_file` or `key_command`, and its value; `anew`: replace the setting.

    One that was noted also names its `store`, and the `salt` that the store has once it uses the new key.
    """

    name: str
    value: str
    anew: bool
    store: str = ""
    salt: bytes = b""

    @property
    def said(self) -> str:
        """Return the name of this source for messages."""
        return f"the new key's {self.name.removeprefix('key_')} ({self.value})"

    def secret(self) -> Secret:
        """Return the secret from this source. Raises NoKey."""
        if self.name == "key_file":
            from memcli.keys.key_file import read_key_file

            return read_key_file(Path(self.value))
        from memcli.keys.key_command import run_key_command

        return run_key_command(self.value)

    @contextmanager
    def noted(self, store: Path, salt: bytes) -> Iterator[None]:
        """Note this source as that of the key by which `store` gets this salt, until it is settled.

        Inside this context the note is locked, so that no other process takes it for one that a killed
        process left. Raises BadInput if it cannot be written, StoreBusy if another store is getting its key
        just now.
        """
        path = Config().new_key_note
        told = self._replace(store=os.path.realpath(store))._asdict() | {"salt": salt.hex()}
        with ExitStack() as holding:
            try:
                make_private_folder(path.parent)
                holding.enter_context(_note_lock(path))
                write_private(path, json.dumps(told).encode(), own=True)
            except StoreBusy:
                raise
            except (OSError, StoreUnusable) as error:
                why = getattr(error, "strerror", error)
                raise BadInput(f"{path}: cannot be written ({why})", left="nothing was changed") from error
            yield

    def is_for(self, file: Path, salt: bytes) -> bool:
        """True if this file is the noted store and has its new key; a copy may have it before the store."""
        return salt == self.salt and os.path.realpath(file) == self.store

    def settle(self) -> str | None:
        """Set the source in the config file and drop the note; return a line about it.

        A setting that another store may need is kept, unless `anew`.
        """
        config = Config()
        said = self._remembered(config)
        _drop(config, lambda noted: (noted["name"], noted["value"]) == (self.name, self.value))
        return said

    def _remembered(self, config: Config) -> str | None:
        before = config.value(self.name)
        if str(before.value) == self.value:
            return None
        if before.value is None or (self.anew and before.origin == str(config.file)):
            try:
                config.set(self.name, self.value)
            except BadInput as error:
                return f"{error}; until then set MEMCLI_{self.name.upper()}"
            return f"{config.file}: {self.name} is {self.value} from now on"
        return (
            f"{self.name} is {before.value} ({before.origin}); for this store set MEMCLI_{self.name.upper()}"
        )


def noted_source() -> NewSource | None:
    """Return the noted source of a new key, if there is one that was never settled."""
    with suppress(OSError, ValueError, TypeError, KeyError, NoKey):
        noted = json.loads(Config().new_key_note.read_bytes())
        if noted["name"] in ("key_file", "key_command"):
            salt = bytes.fromhex(noted["salt"])
            return NewSource(
                noted["name"], str(noted["value"]), bool(noted["anew"]), str(noted["store"]), salt
            )
    return None


def drop_stale_note(config: Config, store: Path, is_in_use: Callable[[bytes], bool]) -> None:
    """Drop the note that a killed process left about a new key of this store, unless its salt is in use.

    A note about another store is kept, and so is one whose writer is still running.
    """
    path = config.new_key_note
    with suppress(OSError, ValueError, TypeError, KeyError, StoreUnusable), _note_lock(path):
        noted = json.loads(path.read_bytes())
        if noted["store"] == os.path.realpath(store) and not is_in_use(bytes.fromhex(noted["salt"])):
            path.unlink()


def drop_note(config: Config, salt: bytes) -> None:
    """Drop the note about the key by which a store was to get this salt: that key was never used."""
    _drop(config, lambda noted: noted["salt"] == salt.hex())


def _drop(config: Config, is_meant: Callable[[dict[str, Any]], bool]) -> None:
    """Drop the note if it is the one that is meant: another store's key may be noted by now."""
    path = config.new_key_note
    with suppress(OSError, ValueError, TypeError, KeyError):
        if is_meant(json.loads(path.read_bytes())):
            path.unlink()
    if path.with_name(f"{path.name}{_LOCK}").exists():
        with suppress(StoreUnusable), _note_lock(path):
            pass  # Taking and releasing the lock removes its file, unless somebody holds it.


def _note_lock(path: Path) -> AbstractContextManager[int]:
    busy = "another store gets its key just now"
    return hold_lock(path.with_name(f"{path.name}{_LOCK}"), busy=busy, patience=0)
