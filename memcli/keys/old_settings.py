"""Settings that named a store's key before it got another one, or none: taken out, or said to stay."""

from __future__ import annotations

from pathlib import Path

from memcli.config.config import Config, SettingValue
from memcli.errors import BadInput, NoKey
from memcli.keys.secret import Secret

NAMES = ("key_command", "key_file")


def settings_of_key(key: bytes, salt: bytes) -> list[SettingValue]:
    """The settings that name where a key is; what gives no secret, or another one, is none of them."""
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
    """Take out of the config file what names a key that opens the store no more; a line for each.

    Where an `other` store is encrypted they stay: they may be its own. A variable is its owner's to unset.
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
    """A line for each setting that is asked in place of a passphrase, which nobody is asked for then."""
    found = map(Config().value, NAMES)
    return [
        f"{name} is set to {value} ({origin}): while it is, nobody is asked for the passphrase; unset it"
        for name, value, origin in found
        if value
    ]
