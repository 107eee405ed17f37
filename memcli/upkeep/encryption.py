"""Encryption at rest: give a store a key, another one, or none; keep the key before and drop it after."""

from __future__ import annotations

import shlex
from contextlib import closing, nullcontext, suppress
from pathlib import Path
from typing import Any

from memcli.config.config import Config
from memcli.doors import ENCRYPTION, Deed
from memcli.errors import BadInput, MemcliError, StoreUnusable
from memcli.keys.choice import Choice, KeyOptions, choose_key
from memcli.keys.keyring_entry import drop_keyring, read_keyring, write_keyring
from memcli.keys.new_source import NewSource, drop_note, drop_stale_note
from memcli.keys.old_settings import asked_before_passphrase, drop_settings, settings_of_key
from memcli.messages import Command, message
from memcli.model import EVERYWHERE
from memcli.named_tuple import NamedTuple
from memcli.scope import require
from memcli.storage import Store, areas
from memcli.storage.encryption import (
    Converted,
    FileKey,
    convert_store,
    new_salt,
    opens_with,
    store_key,
    store_salt,
)
from memcli.storage.states import read_state
from memcli.storage.stores import open_store
from memcli.system.places import expanded


class Encrypted(NamedTuple):
    """The result; `key` says where the key is kept, None for a plain store."""

    location: Path
    key: str | None
    converted: Converted
    changed: bool = True
    remembered: tuple[str, ...] = ()
    """Lines on how later commands find the key, and which settings named the former one."""
    encrypts: bool = True
    """True if the store is to be encrypted from now on."""


def encrypt(location: Path, options: KeyOptions, config: Config) -> Encrypted:
    """Encrypt the store and its copies; if there is no store, create one.

    An encrypted store keeps its key: only copies that are plain, or have another key, are converted. A key
    that is given then must be the store's own, or one that such copies still have. Raises Refused for an
    untrusted origin, BadInput, StoreUnusable.
    """
    require(config, ENCRYPTION, Deed.CHANGE, "encrypting")
    _require_writable(location, config, create=True)
    if salt := store_salt(location):
        key = FileKey(store_key(location, salt), salt)
        if options.any and not _is_of_store_or_copies(options, location, key, config):
            raise BadInput(
                f"{location}: is encrypted already, and not by that key",
                by_hand=message(Command("rekey"), " gives it another key"),
            )
        plain = _plain_folders(location, config)
        again = convert_store(location, key, config["busy_timeout"])
        return Encrypted(location, None, again, changed=False, remembered=plain)
    choice = choose_key(options, config)
    # Determined before anything is changed, so that a failure changes nothing.
    plain = _plain_folders(location, config)
    done = _give_key(location, choice, config, _source(options, anew=False))
    return done._replace(remembered=(*done.remembered, *_unasked(choice), *plain))


def _is_of_store_or_copies(options: KeyOptions, location: Path, key: FileKey, config: Config) -> bool:
    """True if the given key is the store's, or opens copies of it, whose keys are then known.

    A key that would have to be created, or asked for, is a new one.
    """
    if options.passphrase or options.keyring or (options.file and not expanded(options.file).exists()):
        return False
    secret = choose_key(options, None).secret
    opened = False
    for copy in _copies(location, config):
        with suppress(StoreUnusable):  # said of each copy that is left
            if (bears := store_salt(copy)) and bears != key.salt:
                opened |= opens_with(copy, FileKey(secret.key(bears), bears))
    return opened or secret.key(key.salt) == key.key


def rekey(location: Path, options: KeyOptions, config: Config) -> Encrypted:
    """Give an encrypted store and its copies another key. Raises as `encrypt` does."""
    require(config, ENCRYPTION, Deed.CHANGE, "giving another key")
    _require_writable(location, config)
    salt = store_salt(location)
    if not salt:
        raise BadInput(f"{location}: is not encrypted", by_hand=message(Command("encrypt"), " does that"))
    kept = read_keyring(salt) is not None
    if not options.any and not kept:
        raise BadInput(
            "say where the new key shall be",
            by_hand="--key-file FILE, --key-command CMD, --passphrase, --keyring",
        )
    choice = choose_key(options if options.any else KeyOptions(keyring=True), None)
    old = store_key(location, salt)
    if choice.secret.key(salt) == old:
        raise BadInput(f"{choice.secret.source} holds the key in use; name another place for the new one")
    named = settings_of_key(old, salt)
    source = _source(options, anew=False)
    source = source and source._replace(anew=source.name in {each.name for each in named})
    done = _give_key(location, choice, config, source)
    if done.converted.left:
        return done
    drop_keyring(salt)
    dropped = drop_settings(named, _other_store(location, config))
    return done._replace(remembered=(*done.remembered, *dropped, *_unasked(choice)))


def decrypt(location: Path, config: Config) -> Encrypted:
    """Make the store and its copies plain files. Raises as `encrypt` does."""
    require(config, ENCRYPTION, Deed.CHANGE, "decrypting")
    _require_writable(location, config)
    salt = store_salt(location)
    if not salt:
        return Encrypted(location, None, Converted((), ()), changed=False, encrypts=False)
    named = settings_of_key(store_key(location, salt), salt)
    done = convert_store(location, None, config["busy_timeout"])
    if done.left:
        return Encrypted(location, None, done, encrypts=False)
    drop_keyring(salt)
    lines = drop_settings(named, _other_store(location, config))
    with closing(open_store(location, create=False, busy_timeout=config["busy_timeout"])) as store:
        clear_stale_note(store)
    return Encrypted(location, None, done, remembered=tuple(lines), encrypts=False)


def _other_store(location: Path, config: Config) -> Path | None:
    """Return the configured store, if it is another one and encrypted."""
    configured = config["db"]
    if not isinstance(configured, Path):
        return None
    try:
        return configured if not configured.samefile(location) and store_salt(configured) else None
    except (StoreUnusable, OSError):
        return None


def _require_writable(location: Path, config: Config, *, create: bool = False) -> None:
    """Raise StoreUnusable, with the true cause, if the file cannot be replaced."""
    with closing(open_store(location, create=create, busy_timeout=config["busy_timeout"])) as store:
        if store.hindrance:
            raise store.hindrance
        clear_stale_note(store)


def _source(options: KeyOptions, *, anew: bool) -> NewSource | None:
    """Return the place of the key that an option names, and that the config file is to name from now on."""
    if options.file:
        return NewSource("key_file", str(expanded(options.file).absolute()), anew)
    return NewSource("key_command", options.command, anew) if options.command else None


def _give_key(location: Path, choice: Choice, config: Config, source: NewSource | None) -> Encrypted:
    _learn_keys_of_copies(location, config)
    salt = new_salt()
    key = FileKey(choice.secret.key(salt), salt)
    try:
        if choice.keep:
            write_keyring(salt, key.key)
        with source.noted(location, salt) if source else nullcontext():
            done = convert_store(location, key, config["busy_timeout"])
    except MemcliError:
        # If it failed late, a copy may be encrypted with the key already.
        if not _any_bears(location, salt, config):
            _take_back(choice, salt, config)
        raise
    settled = source.settle() if source else None
    return Encrypted(location, choice.secret.source, done, remembered=(settled,) if settled else ())


def _learn_keys_of_copies(location: Path, config: Config) -> None:
    """Cache the key of each copy: the note of it that a killed command left gives way to a new one."""
    for copy in _copies(location, config):
        with suppress(StoreUnusable):  # said of each copy that is left
            if bears := store_salt(copy):
                store_key(copy, bears)


def _copies(location: Path, config: Config) -> list[Path]:
    with closing(open_store(location, create=False, busy_timeout=config["busy_timeout"])) as store:
        return [copy.path for copy in store.copies()]


def _plain_folders(location: Path, config: Config) -> tuple[str, ...]:
    """Return a line for each sync folder in which this store's change files are not encrypted."""
    with closing(open_store(location, create=False, busy_timeout=config["busy_timeout"])) as store:
        return tuple(
            message(
                f"{folder}: this store's change files there are not encrypted; ",
                Command(f"sync {shlex.quote(folder)} --encrypted --key-file FILE"),
                " encrypts them",
            )
            for folder in plain_change_files(store)
        )


def plain_change_files(store: Store) -> list[str]:
    """Return the sync folders in which the store knows own change files that are not encrypted."""
    noted = read_state(store, EVERYWHERE, areas.SYNC.name, areas.SYNC_FOLDERS)
    folders: dict[str, dict[str, Any]] = noted.value if noted else {}
    return sorted(
        each["path"] for each in folders.values() if any(not name.endswith(".age") for name in each["own"])
    )


def _unasked(choice: Choice) -> list[str]:
    """Return lines on settings that keep later commands from asking for the passphrase."""
    return asked_before_passphrase() if choice.typed and not choice.keep else []


def _any_bears(location: Path, salt: bytes, config: Config) -> bool:
    """True if the store or a copy is encrypted under this salt, or if that cannot be told."""
    try:
        if store_salt(location) == salt:
            return True
        with closing(open_store(location, create=False, busy_timeout=config["busy_timeout"])) as store:
            return any(store_salt(copy.path) == salt for copy in store.copies())
    except (StoreUnusable, OSError):
        return True


def clear_stale_note(store: Store) -> None:
    """Drop a key that a killed `encrypt` or `rekey` noted and that encrypts nothing of this store."""
    if path := store.path:
        files = [path, *(copy.path for copy in store.copies())]
        drop_stale_note(Config(), path, lambda salt: any(store_salt(each) == salt for each in files))


def _take_back(choice: Choice, salt: bytes, config: Config) -> None:
    """Remove every trace of a key that encrypts nothing."""
    drop_note(config, salt)
    if choice.keep:
        drop_keyring(salt)
    if choice.made:
        with suppress(OSError):
            choice.made.unlink()
