"""Config: the settings in force, each with its origin."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memcli.config.file import ConfigFile, read_toml
from memcli.config.settings import NEVER_EMPTY, SETTINGS, environment_variable, find_setting, read_text
from memcli.errors import BadInput, StoreUnusable
from memcli.named_tuple import NamedTuple
from memcli.system.places import expanded, guard, guard_own, guard_settings

if TYPE_CHECKING:
    from typing import overload

    from memcli.config import setting_names as names
    from memcli.config.location import Location


class SettingValue(NamedTuple):
    """A setting's value and where it came from."""

    name: str
    value: Any
    origin: str


class Config:
    """The settings in force, each with its origin.

    `environment` and `file` are arguments for tests. Raises BadInput, naming file or variable, for a value
    that cannot be read.
    """

    def __init__(self, environment: Mapping[str, str] | None = None, file: Path | None = None) -> None:
        self._environment = os.environ if environment is None else environment
        self.file = file or _config_file(self._environment)
        self._settings_in_file = ConfigFile(self.file)
        guard_own(self.file)
        guard_settings(self.file, self._guard_places)

    @property
    def new_key_note(self) -> Path:
        """Return the file that notes where a store's new key is until the config file names it."""
        return self.file.with_name(f"{self.file.name}.new-key")

    def value(self, name: str) -> SettingValue:
        """Return the setting `name` and the origin of its value.

        Raises BadInput for a name that is not a setting.
        """
        return self._in_environment(name) or self._in_file(name) or self._by_default(name)

    def _in_environment(self, name: str) -> SettingValue | None:
        setting, variable = find_setting(name), environment_variable(name)
        text = _given(self._environment, variable, may_be_empty=name not in NEVER_EMPTY)
        return SettingValue(name, read_text(setting, text, variable), variable) if text else None

    def _in_file(self, name: str) -> SettingValue | None:
        in_file = self._settings_in_file.values()
        if name not in in_file:
            return None
        value = read_toml(find_setting(name), in_file[name], f"{self.file}: {name}")
        return SettingValue(name, value, str(self.file))

    def _by_default(self, name: str) -> SettingValue:
        default = DEFAULT_PLACES[name]() if name in DEFAULT_PLACES else find_setting(name).default
        return SettingValue(name, default, "default")

    def _guard_places(self) -> None:
        """Guard every store and key that a setting names, even if another source overrides it."""
        guard_own(self.new_key_note)
        for said in (self._in_environment, self._in_file, self._by_default):
            with suppress(BadInput, StoreUnusable):  # one that cannot be read names no place
                if (db := said("db")) and isinstance(db.value, Path):
                    guard(db.value)
            with suppress(BadInput, OSError):
                # A key file that does not exist may still be created.
                if (key := said("key_file")) and key.value and key.value.exists():
                    guard_own(key.value)

    if TYPE_CHECKING:
        # By the type of each setting's value; no other name is one.
        @overload
        def __getitem__(self, name: names.StrName) -> str: ...
        @overload
        def __getitem__(self, name: names.StrOrNoneName) -> str | None: ...
        @overload
        def __getitem__(self, name: names.IntName) -> int: ...
        @overload
        def __getitem__(self, name: names.FloatName) -> float: ...
        @overload
        def __getitem__(self, name: names.BoolName) -> bool: ...
        @overload
        def __getitem__(self, name: names.PathName) -> Path: ...
        @overload
        def __getitem__(self, name: names.PathOrNoneName) -> Path | None: ...
        @overload
        def __getitem__(self, name: names.LocationName) -> Location: ...

    def __getitem__(self, name: str) -> Any:
        return self.value(name).value

    def all(self) -> list[SettingValue]:
        """Return every setting, in the order in which they are documented."""
        return [self.value(name) for name in SETTINGS]

    def set(self, name: str, text: str | None) -> None:
        """Write one setting to the config file (None removes it), keeping the comments.

        Raises BadInput for an unknown name, a value that cannot be read, and a file that is not TOML or
        cannot be written.
        """
        setting = find_setting(name)
        if text is not None:
            read_text(setting, text, name)
        self._settings_in_file.put(name, text)


def _given(environment: Mapping[str, str], variable: str, *, may_be_empty: bool) -> str:
    """Return an environment variable's value, "" if it is unset; BadInput if it must not be empty but is."""
    text = environment.get(variable)
    if text == "" and not may_be_empty:
        raise BadInput(f"{variable} is empty; give it a value (an unset variable?), or unset it")
    return text or ""


def _config_file(environment: Mapping[str, str]) -> Path:
    if chosen := _given(environment, "MEMCLI_CONFIG", may_be_empty=False):
        return expanded(chosen)
    import platformdirs

    return _at_home(platformdirs.user_config_dir, "MEMCLI_CONFIG") / "config.toml"


def _default_db() -> Path:
    import platformdirs

    return _at_home(platformdirs.user_data_dir, "MEMCLI_DB") / "memory.db"


def _default_cache() -> Path:
    import platformdirs

    return _at_home(platformdirs.user_cache_dir, "MEMCLI_CACHE_DIR")


def _at_home(folder_of: Callable[..., str], variable: str) -> Path:
    """Return a folder of this user; BadInput if none is known: the working directory is never used."""
    try:
        folder = Path(folder_of("memcli", appauthor=False))
    except RuntimeError:
        folder = Path()
    if not folder.is_absolute():
        raise BadInput(f"there is no home folder here: set HOME, or name the place with {variable}")
    return folder


# Settings whose default depends on the machine.
DEFAULT_PLACES: dict[str, Callable[[], Path]] = {"db": _default_db, "cache_dir": _default_cache}
