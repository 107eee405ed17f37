"""Carried environment: the settings that a process started elsewhere and later needs in its environment."""

from __future__ import annotations

import os
from pathlib import Path

from memcli.commands.terminal import output
from memcli.config.config import Config
from memcli.config.location import Location, read_location
from memcli.config.settings import SETTINGS, environment_variable

_CONFIG = "MEMCLI_CONFIG"
# Settings whose paths are made absolute, since the process starts in another folder.
_PLACES = ("db", "cache_dir", "key_file")
# Settings of the current shell, which do not apply to later processes.
_OF_NOW = ("session", "task", "origin")


def carried_environment() -> dict[str, str]:
    """Return the `MEMCLI_*` variables whose values differ from what is in force without them.

    `--db` of `mem` itself is among them. Raises BadInput for a variable that cannot be parsed.
    """
    said = {name: value for name, value in os.environ.items() if value}
    unsaid = {name: value for name, value in said.items() if not name.startswith("MEMCLI_")}
    given = {}
    if _CONFIG in said:
        chosen = str(settled(read_location(said[_CONFIG])))
        if chosen != _settled_text(Config(unsaid).file):
            given[_CONFIG] = unsaid[_CONFIG] = chosen
    here, without = Config(said), Config(unsaid)
    for setting in SETTINGS:
        name = environment_variable(setting)
        if name not in said or setting in _OF_NOW:
            continue
        if setting in _PLACES:
            place = str(settled(here.value(setting).value))
            if place != _settled_text(without.value(setting).value):
                given[name] = place
        elif here.value(setting).value != without.value(setting).value:
            given[name] = said[name]
    return dict(sorted(given.items()))


def settled(place: Location) -> Location:
    """Return a place as other processes need it: an absolute path, or an address without password.

    A password that is left out is reported on stderr.
    """
    if isinstance(place, Path):
        return place.resolve()
    if place.holds_password:
        output.to_stderr(f"{place}: its password is not written down; put it into ~/.pgpass (chmod 600)")
    return place


def _settled_text(place: Location | None) -> str:
    return str(place.resolve() if isinstance(place, Path) else place)
