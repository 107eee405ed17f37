"""Choice of the key that a store is to get: by the caller's options, else by the configuration."""

from __future__ import annotations

from pathlib import Path

from memcli.config.config import Config
from memcli.errors import BadInput, NoKey
from memcli.keys.key_command import run_key_command
from memcli.keys.key_file import make_key_file, read_key_file
from memcli.keys.keyring_entry import has_keyring
from memcli.keys.secret import Secret, new_secret
from memcli.keys.sources import ask_passphrase, can_ask
from memcli.named_tuple import NamedTuple
from memcli.system.places import expanded


class KeyOptions(NamedTuple):
    """The caller's options for keeping the new key; at most one of the first three."""

    file: Path | None = None
    command: str | None = None
    passphrase: bool = False
    keyring: bool = False
    """Keep the key in the OS keyring: alone a new one, else the one chosen (a passphrase's derived key)."""

    @property
    def any(self) -> bool:
        """True if one was given."""
        return bool(self.file or self.command or self.passphrase or self.keyring)


class Choice(NamedTuple):
    """A secret, and whether its key is to be stored in the keyring."""

    secret: Secret
    keep: bool
    made: Path | None = None
    """The key file, if it was made just now."""
    typed: bool = False
    """True if it is a passphrase, which a person knows."""


def choose_key(options: KeyOptions, config: Config | None) -> Choice:
    """Return the secret of the new key; a key file that does not exist is made.

    Without options: as `config` says, else a new key in the keyring, else a passphrase from the terminal.
    Raises BadInput, NoKey.
    """
    if sum(map(bool, options[:3])) > 1:
        raise BadInput("--key-file, --key-command and --passphrase exclude each other; give one of them")
    file, command = options.file, options.command
    if not options.any and config is not None:
        command = config["key_command"]
        file = None if command else config["key_file"]
    if command:
        return Choice(_repeatable(command), options.keyring)
    if file:
        file = expanded(file).absolute()
        if file.exists() or file.is_symlink():
            return Choice(read_key_file(file), options.keyring)
        return Choice(make_key_file(file), options.keyring, file)
    if options.passphrase or not (options.keyring or has_keyring()):
        if not can_ask():
            raise NoKey(
                "say where to keep the key",
                left="nothing was touched",
                by_hand=(
                    "give --key-file FILE, --key-command CMD or --keyring, or call it from a terminal for a "
                    "passphrase"
                ),
            )
        return Choice(ask_passphrase("New passphrase: ", twice=True), options.keyring, typed=True)
    return Choice(new_secret("the keyring"), keep=True)


def _repeatable(command: str) -> Secret:
    """Return what a command prints, if it prints the same again: else the store's key would be lost at once.

    Raises NoKey.
    """
    secret = run_key_command(command)
    if run_key_command(command).text != secret.text:
        raise NoKey(
            "the key_command printed another key when it was asked again",
            left="nothing was touched",
            by_hand="keep one key, and name a command that prints it; --key-file FILE makes one",
        )
    return secret
