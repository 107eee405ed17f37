"""`mem decrypt`: turn an encrypted store into a plain one."""

from memcli.commands.terminal import encryption, options
from memcli.commands.terminal.store import store_file
from memcli.config.config import Config

EXAMPLES = """
mem decrypt
mem decrypt --db sealed.db
"""


def command(json: options.Json = False, db: options.Db = None) -> None:
    """Make an encrypted store and its backups plain files again.

    Other commands wait until it is done.
    """
    from memcli.upkeep.encryption import decrypt

    done = decrypt(store_file(db, encryption.ON_SERVER), Config())
    encryption.print_encrypted(done, "decrypted" if done.changed else "is not encrypted", json=json)
