"""Old settings: those that named a store's former key are removed, or reported where they have to stay."""

from __future__ import annotations

from pathlib import Path

from memcli.config.config import Config, SettingValue
from memcli.errors import BadInput, NoKey
from memcli.keys.secret import Secret

NAMES = ("key_command", "key_file")


def settings_of_key(key: bytes, salt: bytes) -> list[SettingValue]:
    """Return the settings that name a source of this key; one that gives no secret, or another, is not."""
    config = Config()
    found = (config.value(name) for name in NAMES)
    return [each for each in found if each.value and _gives(each, key, salt)]


def _gives(setting: SettingValue, key: bytes, salt: bytes) -> bool:
    try:
        return _secret(setting).key(salt) == key
    except NoKey:
        return False


def _secret(setting: SettingValue) -> Secret:
    if setting.name == "key_file":
        from memcli.keys.key_file import read_key_file

        return read_key_file(setting.value)
    from memcli.keys.key_command import run_key_command

    return run_key_command(setting.value)


def drop_settings(some: list[SettingValue], other: Path | None) -> list[str]:
    """Remove settings from the config file whose key no longer opens the store; return a line for each.

    They stay if an `other` store is encrypted: they may be its own. An environment variable is only
    reported.
    """
    config, lines = Config(), []
    for name, value, origin in some:
        if config.value(name) != (name, value, origin):
            continue
        if origin != str(config.file):
            lines.append(f"{origin} is set to {value}, which is not this store's key any more: unset it")
        elif other:
            lines.append(f"{config.file}: {name} stays {value}: {other} is encrypted, too")
        else:
            try:
                config.set(name, None)
            except BadInput as error:
                lines.append(f"{error}; {name} is not this store's key any more: {value}")
                continue
            stays = "; the file stays where it is" if name == "key_file" else ""
            lines.append(f"{config.file}: {name} is taken out, it was {value}{stays}")
    return lines


def asked_before_passphrase() -> list[str]:
    """Return a line for each setting that keeps the user from being asked for the passphrase."""
    found = map(Config().value, NAMES)
    return [
        f"{name} is set to {value} ({origin}): while it is, nobody is asked for the passphrase; unset it"
        for name, value, origin in found
        if value
    ]
