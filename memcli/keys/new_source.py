"""Where the new key of a store is: put into the config file for the commands to come, and noted before that.

A store is encrypted first and the config file written then. Killed in between, nobody
would know where the key is: so it stands in a note beside the config file meanwhile.
"""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from memcli.config.config import Config
from memcli.errors import BadInput, NoKey
from memcli.keys.secret import Secret
from memcli.system.files import write_private
from memcli.system.places import make_private_folder

_TAIL = ".new-key"


class NewSource(NamedTuple):
    """A place of a key: `key_file` or `key_command`, and its value; `anew`: in the place of what is set."""

    name: str
    value: str
    anew: bool

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

    def note(self) -> None:
        """Note the place, until it is settled. Raises BadInput where that cannot be written."""
        path = _note_file(Config())
        try:
            make_private_folder(path.parent)
            write_private(path, json.dumps(self._asdict()).encode(), own=True)
        except OSError as error:
            raise BadInput(
                f"{path}: cannot be written ({error.strerror})", left="nothing was changed"
            ) from error

    def settle(self) -> str | None:
        """Have the next command find the key by the config file; a line about it. The note goes.

        What another store may need there stays, unless `anew`.
        """
        config = Config()
        said = self._remembered(config)
        drop_note(config)
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
        noted = json.loads(_note_file(Config()).read_bytes())
        if noted["name"] in ("key_file", "key_command"):
            return NewSource(noted["name"], str(noted["value"]), bool(noted["anew"]))
    return None


def drop_note(config: Config) -> None:
    """There is no new key after all, or the config file knows where it is."""
    with suppress(OSError):
        _note_file(config).unlink()


def _note_file(config: Config) -> Path:
    return config.file.with_name(f"{config.file.name}{_TAIL}")
