"""Sources of the key of an encrypted file, and the order in which they are asked."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from memcli.config.config import Config
from memcli.errors import NoKey, WrongKey
from memcli.keys.new_source import NewSource, noted_source
from memcli.keys.secret import Secret
from memcli.keys.typed import kept_secrets, note_key
from memcli.messages import Command, message
from memcli.system.terminal import ask_unseen, is_terminal_there

# Page size in bytes of an encrypted store: its file is a whole number of pages.
_PAGE = 16 * 1024


def find_key(path: Path, salt: bytes, opens: Callable[[bytes], bool], named: Path | None = None) -> bytes:
    """Return the first key, in the order of the sources, that `opens` the file with this salt.

    `named` is the path to show, if `path` is a copy. Raises NoKey if no source has a key (or its source is
    not safe), WrongKey if none of the keys opens the file, or it is no memcli store.
    """
    named = named or path
    tried: list[str] = []
    if key := _unasked_key(path, salt, opens, tried):
        return key
    if not _looks_encrypted(path):
        raise WrongKey(
            f"{named}: is not a memcli store, or it is encrypted",
            left="nothing was touched",
            by_hand="name another file with --db or MEMCLI_DB",
        )
    if key := _opening_key(kept_secrets(), salt, opens, tried):
        return key
    if not tried and can_ask():
        typed = ask_passphrase(f"Passphrase of {named}: ")
        if key := _opening_key([typed], salt, opens, tried):
            note_key(key)
            return key
    if tried:
        raise WrongKey(
            f"{named}: encrypted, and not opened by {' or by '.join(tried)}: it has another key, "
            "or its first page is damaged",
            left="nothing was touched",
        )
    raise NoKey(
        f"{named}: encrypted, and no key was found",
        left="nothing was touched",
        by_hand=message(
            "name it by key_file or key_command (MEMCLI_KEY_FILE, MEMCLI_KEY_COMMAND), or call it from a "
            "terminal; or its first page is damaged: ",
            Command("backup restore latest"),
        ),
    )


def _opening_key(
    secrets: Iterable[Secret], salt: bytes, opens: Callable[[bytes], bool], tried: list[str]
) -> bytes | None:
    """Return the first of their keys that opens the file; the sources of the others are added to `tried`."""
    for secret in secrets:
        if opens(key := secret.key(salt)):
            return key
        tried.append(secret.source)
    return None


def _unasked_key(path: Path, salt: bytes, opens: Callable[[bytes], bool], tried: list[str]) -> bytes | None:
    """Return the key from the configured sources, or from the note of a killed command, asking nobody.

    Only the noted store itself settles the note. Raises NoKey if neither opens the file, and one gives no
    key.
    """
    without: list[NoKey] = []
    noted = noted_source()
    for secrets in (configured_secrets(salt), noted_secrets(noted)):
        try:
            if key := _opening_key(secrets, salt, opens, tried):
                # A copy does not settle it: it may have the new key while the store still has the old one.
                if noted and noted.is_for(path, salt):
                    noted.settle()
                return key
        except NoKey as error:  # the next source may have the key
            without.append(error)
    if without:
        raise _told_together(without, tried)
    return None


def _told_together(without: list[NoKey], tried: list[str]) -> NoKey:
    """Merge into one error the sources that gave no key and those `tried` that did not open the file."""
    first, *others = without
    said = [first.what, *(each.what for each in others), *(f"not opened by {each}" for each in tried)]
    first.what = "; ".join(said)
    first.say_left(first.left)
    return first


def noted_secrets(noted: NewSource | None) -> Iterator[Secret]:
    """Yield the secret from the source of a new key that a killed command noted."""
    if noted:
        yield noted.secret()._replace(source=noted.said)


def configured_secrets(salt: bytes | None) -> Iterator[Secret]:
    """Yield the secrets of the sources that need nobody to answer, in order; lazy, the keyring last."""
    config = Config()
    if command := config["key_command"]:
        from memcli.keys.key_command import run_key_command

        yield run_key_command(command)
    if file := config["key_file"]:
        from memcli.keys.key_file import read_key_file

        yield read_key_file(file)
    if salt is not None:
        from memcli.keys.keyring_entry import read_keyring

        if kept := read_keyring(salt):
            yield kept


def can_ask() -> bool:
    """True if somebody at a terminal could type a passphrase; not during shell completion."""
    if "_MEM_COMPLETE" in os.environ or not (sys.stderr and sys.stderr.isatty()):
        return False
    if sys.platform == "win32":
        return sys.stdin is not None and sys.stdin.isatty()
    return is_terminal_there()


def ask_passphrase(question: str, *, twice: bool = False) -> Secret:
    """Return a passphrase typed at the terminal, not echoed. Raises NoKey if empty, or if the two differ."""
    try:
        typed = ask_unseen(question)
        again = ask_unseen("The same once more: ") if twice and typed else typed
    except EOFError:
        typed = again = ""
    if not typed:
        raise NoKey("no passphrase was given", left="nothing was touched")
    if typed != again:
        raise NoKey("the two passphrases differ", left="nothing was touched")
    return Secret(typed, "the passphrase")


def _looks_encrypted(path: Path) -> bool:
    try:
        size = path.stat().st_size
    except OSError:
        return False
    return size > 0 and size % _PAGE == 0
