"""Keyring entry: a key in the OS keyring, one entry per store, named by the salt in the head of its file.

So it is found wherever the file lies, and for its backups, which share the salt. The `keyring` library (the
extra `memcli[keyring]`) is imported only for an encrypted store.
"""

from __future__ import annotations

from typing import Any

from memcli.errors import NoKey
from memcli.keys.secret import Secret

_SERVICE = "memcli"
_MISSING = "the keyring library is not installed; pip install 'memcli[keyring]'"


def read_keyring(salt: bytes) -> Secret | None:
    """Return the key kept for files with this salt; None if there is none, or no keyring."""
    try:
        kept = _library().get_password(_SERVICE, salt.hex())
    except Exception:  # each backend raises its own errors, and without a keyring the next source is asked
        return None
    return Secret(kept, "the keyring") if kept else None


def write_keyring(salt: bytes, key: bytes) -> None:
    """Store a key, and read it back to verify. Raises NoKey if the keyring cannot be used."""
    try:
        library = _library()
        library.set_password(_SERVICE, salt.hex(), key.hex())
        kept = library.get_password(_SERVICE, salt.hex())
    except ImportError:
        raise NoKey(_MISSING, left="nothing was touched") from None
    except Exception as error:
        # The error's message and cause may hold the key, so neither is shown.
        raise NoKey(
            f"the keyring cannot keep the key ({type(error).__name__})",
            left="nothing was touched",
            by_hand="--key-file names a file for it",
        ) from None
    if kept != key.hex():
        raise NoKey(
            "the keyring does not return the key that was stored in it",
            by_hand="keep the key in a file with --key-file",
        )


def drop_keyring(salt: bytes) -> None:
    """Remove the entry, if there is one and the keyring is available."""
    try:
        library = _library()
        if library.get_password(_SERVICE, salt.hex()) is not None:
            library.delete_password(_SERVICE, salt.hex())
    except Exception:
        return  # an entry that stays does no harm: its key opens nothing any more


def has_keyring() -> bool:
    """True if there is a keyring that could keep a key."""
    try:
        return float(_library().get_keyring().priority) > 0
    except Exception:
        return False


def _library() -> Any:
    import keyring

    return keyring
