"""`mem encrypt`: encrypt the store with a key."""

from memcli.commands.terminal import encryption, options
from memcli.commands.terminal.store import store_file
from memcli.config.config import Config

EXAMPLES = """
mem encrypt                                # a new key, kept in the OS keyring; else a passphrase
mem encrypt --db work.db --key-file ~/.config/memcli/work.key
mem encrypt --db cron.db --key-command 'pass show memcli'
"""


def command(
    key_file: encryption.KeyFile = None,
    key_command: encryption.KeyCommand = None,
    passphrase: encryption.Passphrase = False,
    keyring: encryption.Keyring = False,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Encrypt the store and its backups in place.

    Other commands wait until it is done. If it is interrupted, the store is either still as it was or
    already encrypted. Keep a copy of the key in a safe place: without it nobody can read the store again.
    """
    from memcli.keys.choice import KeyOptions
    from memcli.upkeep.encryption import encrypt

    config = Config()
    chosen = KeyOptions(key_file, key_command, passphrase, keyring)
    done = encrypt(store_file(db, encryption.ON_SERVER), chosen, config)
    encryption.print_encrypted(done, "encrypted" if done.changed else "is encrypted already", json=json)
