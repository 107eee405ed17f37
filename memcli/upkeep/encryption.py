"""Encryption at rest: a store gets a key, another one, or none; its key is kept before and dropped after."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from memcli.config.config import Config
from memcli.doors import ENCRYPTION, Deed
from memcli.errors import BadInput, StoreUnusable
from memcli.keys.choice import Choice, KeyOptions, choose_key
from memcli.keys.keyring_entry import drop_keyring, read_keyring, write_keyring
from memcli.scope import require
from memcli.storage.encryption import Converted, FileKey, convert_store, new_salt, store_key, store_salt
from memcli.storage.stores import open_store
from memcli.system.places import expanded


class Encrypted(NamedTuple):
    """What was done; `key` says where the key is, None of a plain store."""

    location: Path
    key: str | None
    converted: Converted
    changed: bool = True


def encrypt(location: Path, options: KeyOptions, config: Config) -> Encrypted:
    """Encrypt the store and its copies; where there is no store, a new one.

    One that is encrypted keeps its key: only copies that are plain are converted.
    Raises Refused for an untrusted origin, BadInput, StoreUnusable.
    """
    require(config, ENCRYPTION, Deed.CHANGE, "encrypting")
    _require_writable(location, config, create=True)
    if salt := store_salt(location):
        if options.any:
            raise BadInput(f"{location}: is encrypted already; `mem rekey` gives it another key")
        key = FileKey(store_key(location, salt), salt)
        return Encrypted(location, None, convert_store(location, key, config["busy_timeout"]), changed=False)
    return _give_key(location, choose_key(options, config), config)


def rekey(location: Path, options: KeyOptions, config: Config) -> Encrypted:
    """Give an encrypted store and its copies another key. Raises as `encrypt` does."""
    require(config, ENCRYPTION, Deed.CHANGE, "giving another key")
    _require_writable(location, config)
    salt = store_salt(location)
    if not salt:
        raise BadInput(f"{location}: is not encrypted; `mem encrypt` does that")
    kept = read_keyring(salt) is not None
    if not options.any and not kept:
        raise BadInput(
            "say where the new key shall be: --key-file FILE, --key-command CMD, --passphrase, --keyring"
        )
    choice = choose_key(options if options.any else KeyOptions(keyring=True), None)
    if choice.secret.key(salt) == store_key(location, salt):
        raise BadInput(f"{choice.secret.source} holds the key in use; name another place for the new one")
    done = _give_key(location, choice, config)
    if not done.converted.left:
        drop_keyring(salt)
    return done


def decrypt(location: Path, config: Config) -> Encrypted:
    """Make the store and its copies plain files. Raises as `encrypt` does."""
    require(config, ENCRYPTION, Deed.CHANGE, "decrypting")
    _require_writable(location, config)
    salt = store_salt(location)
    if not salt:
        return Encrypted(location, None, Converted((), ()), changed=False)
    done = convert_store(location, None, config["busy_timeout"])
    if not done.left:
        drop_keyring(salt)
    return Encrypted(location, None, done)


def remember_source(options: KeyOptions, config: Config, *, anew: bool) -> str | None:
    """Have the next command find the key: put the option's place into the config file; a line about it.

    What another store may need there stays, unless `anew`.
    """
    name, place = ("key_file", options.file) if options.file else ("key_command", options.command)
    if not place:
        return None
    text = str(expanded(place).absolute()) if name == "key_file" else str(place)
    before = config.value(name)
    if str(before.value) == text:
        return None
    if before.value is None or (anew and before.origin == str(config.file)):
        try:
            config.set(name, text)
        except BadInput as error:
            return f"{error}; until then set MEMCLI_{name.upper()}"
        return f"{config.file}: {name} is {text} from now on"
    return f"{name} is {before.value} ({before.origin}); for this store set MEMCLI_{name.upper()}"


def _require_writable(location: Path, config: Config, *, create: bool = False) -> None:
    """Raise StoreUnusable, with the true cause, where the file cannot be replaced."""
    with closing(open_store(location, create=create, busy_timeout=config["busy_timeout"])) as store:
        if store.hindrance:
            raise store.hindrance


def _give_key(location: Path, choice: Choice, config: Config) -> Encrypted:
    salt = new_salt()
    key = FileKey(choice.secret.key(salt), salt)
    if choice.keep:
        write_keyring(salt, key.key)
    try:
        done = convert_store(location, key, config["busy_timeout"])
    except StoreUnusable:
        if choice.keep:
            drop_keyring(salt)
        raise
    return Encrypted(location, choice.secret.source, done)
