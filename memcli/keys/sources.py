"""Where the key of an encrypted file is looked for, and in which order."""

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

# Whole pages of this size are what an encrypted store is made of.
_PAGE = 16 * 1024


def find_key(path: Path, salt: bytes, opens: Callable[[bytes], bool], named: Path | None = None) -> bytes:
    """The first key, by the order of the sources, that `opens` the file which bears this salt.

    `named` is what its owner calls it, where `path` is a copy. Raises NoKey where no source has one (or
    one must not be trusted), WrongKey where none of theirs opens it.
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
    """The first of their keys that opens the file; the sources of the others are added to `tried`."""
    for secret in secrets:
        if opens(key := secret.key(salt)):
            return key
        tried.append(secret.source)
    return None


def _unasked_key(path: Path, salt: bytes, opens: Callable[[bytes], bool], tried: list[str]) -> bytes | None:
    """The key by what is configured, or by the note of a killed command, which is settled by its store alone.

    Raises NoKey where neither opens the file, and one of them gives no key.
    """
    without: list[NoKey] = []
    noted = noted_source()
    for secrets in (configured_secrets(salt), noted_secrets(noted)):
        try:
            if key := _opening_key(secrets, salt, opens, tried):
                # Not by a copy: it may have the new key while the store still has the old one.
                if noted and noted.is_for(path, salt):
                    noted.settle()
                return key
        except NoKey as error:  # the other key may be at hand
            without.append(error)
    if without:
        raise _told_together(without, tried)
    return None


def _told_together(without: list[NoKey], tried: list[str]) -> NoKey:
    """One error of the places that gave no key, and of what was `tried` beside them."""
    first, *others = without
    said = [first.what, *(each.what for each in others), *(f"not opened by {each}" for each in tried)]
    first.what = "; ".join(said)
    first.say_left(first.left)
    return first


def noted_secrets(noted: NewSource | None) -> Iterator[Secret]:
    """What the place of a new key gives that a killed command noted."""
    if noted:
        yield noted.secret()._replace(source=noted.said)


def configured_secrets(salt: bytes | None) -> Iterator[Secret]:
    """What the sources give that need nobody to ask, in their order; lazy, the keyring last."""
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
    """Whether somebody sits at a terminal who could type a passphrase; not while the shell completes."""
    if "_MEM_COMPLETE" in os.environ or not (sys.stderr and sys.stderr.isatty()):
        return False
    if sys.platform == "win32":
        return sys.stdin is not None and sys.stdin.isatty()
    return is_terminal_there()


def ask_passphrase(question: str, *, twice: bool = False) -> Secret:
    """A passphrase typed at the terminal, unseen. Raises NoKey for an empty one, or two that differ."""
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
