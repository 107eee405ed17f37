"""`mem rekey`: change the key of an encrypted store."""

from memcli.commands.terminal import encryption, options
from memcli.commands.terminal.store import store_file
from memcli.config.config import Config

EXAMPLES = """
mem rekey --db sealed.db --keyring                       # a new key, kept in the OS keyring
mem rekey --db sealed.db --key-file ~/.config/memcli/key-2
"""


def command(
    key_file: encryption.KeyFile = None,
    key_command: encryption.KeyCommand = None,
    passphrase: encryption.Passphrase = False,
    keyring: encryption.Keyring = False,
    json: options.Json = False,
    db: options.Db = None,
) -> None:
    """Change the key of an encrypted store and its backups.

    The old key no longer opens anything. It must be at hand, as for any command; the
    options say where the new one is.
    """
    from memcli.keys.choice import KeyOptions
    from memcli.upkeep.encryption import rekey

    config = Config()
    chosen = KeyOptions(key_file, key_command, passphrase, keyring)
    done = rekey(store_file(db, encryption.ON_SERVER), chosen, config)
    encryption.print_encrypted(done, "encrypted by another key", json=json)
