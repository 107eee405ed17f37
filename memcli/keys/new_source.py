"""Where the new key of a store is: put into the config file for the commands to come, and noted before that.

A store is encrypted first and the config file written then. Killed in between, nobody
would know where the key is: so it stands in a note beside the config file meanwhile.
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
    """A place of a key: `key_file` or `key_command`, and its value; `anew`: in the place of what is set.

    One that was noted tells the `store` it is for, and the `salt` that the store has once the key is its own.
    """

    name: str
    value: str
    anew: bool
    store: str = ""
    salt: bytes = b""

    @property
    def said(self) -> str:
        """How messages name this source."""
        return f"the new key's {self.name.removeprefix('key_')} ({self.value})"

    def secret(self) -> Secret:
        """What the place gives. Raises NoKey."""
        if self.name == "key_file":
            from memcli.keys.key_file import read_key_file

            return read_key_file(Path(self.value))
        from memcli.keys.key_command import run_key_command

        return run_key_command(self.value)

    @contextmanager
    def noted(self, store: Path, salt: bytes) -> Iterator[None]:
        """Note the place, until it is settled, as that of the key by which `store` gets this salt.

        While this holds nobody takes the note for one that a killed process left. Raises BadInput
        where it cannot be written, StoreBusy where another store gets its key just now.
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
        """Whether this file is the noted store and has its new key: a copy may have it before the store."""
        return salt == self.salt and os.path.realpath(file) == self.store

    def settle(self) -> str | None:
        """Have the next command find the key by the config file; a line about it. The note goes.

        What another store may need there stays, unless `anew`.
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
    """The place of a new key that was noted, and never settled."""
    with suppress(OSError, ValueError, TypeError, KeyError, NoKey):
        noted = json.loads(Config().new_key_note.read_bytes())
        if noted["name"] in ("key_file", "key_command"):
            salt = bytes.fromhex(noted["salt"])
            return NewSource(
                noted["name"], str(noted["value"]), bool(noted["anew"]), str(noted["store"]), salt
            )
    return None


def drop_stale_note(config: Config, store: Path, is_in_use: Callable[[bytes], bool]) -> None:
    """Drop the note that a killed process left of a new key of this store, unless the salt with it is in use.

    A note of another store stays, and so does one whose writer is at work.
    """
    path = config.new_key_note
    with suppress(OSError, ValueError, TypeError, KeyError, StoreUnusable), _note_lock(path):
        noted = json.loads(path.read_bytes())
        if noted["store"] == os.path.realpath(store) and not is_in_use(bytes.fromhex(noted["salt"])):
            path.unlink()


def drop_note(config: Config, salt: bytes) -> None:
    """Drop the note of the key by which a store was to get this salt: there is no such key after all."""
    _drop(config, lambda noted: noted["salt"] == salt.hex())


def _drop(config: Config, is_meant: Callable[[dict[str, Any]], bool]) -> None:
    """Drop the note if it is the one that is meant: another store's key may be noted by now."""
    path = config.new_key_note
    with suppress(OSError, ValueError, TypeError, KeyError):
        if is_meant(json.loads(path.read_bytes())):
            path.unlink()
    if path.with_name(f"{path.name}{_LOCK}").exists():
        with suppress(StoreUnusable), _note_lock(path):
            pass  # With a lock that nobody holds its file goes.


def _note_lock(path: Path) -> AbstractContextManager[int]:
    busy = "another store gets its key just now"
    return hold_lock(path.with_name(f"{path.name}{_LOCK}"), busy=busy, patience=0)
