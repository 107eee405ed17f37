"""Folder key: the age identity, in a private file, that encrypts a folder's segments on all machines."""

from __future__ import annotations

from pathlib import Path

from memcli.errors import BadInput
from memcli.keys.key_file import read_private
from memcli.system.files import write_private
from memcli.system.places import make_private_folder


def read_or_make_key(path: Path, folder: Path, *, make: bool) -> str:
    """Return the identity in a file, created with `make` if there is none.

    Raises NoKey if others may read the file, or there is none; BadInput if it holds none, and if it lies in
    the `folder`, so that the key would travel with the segments.
    """
    if path.resolve().is_relative_to(folder.resolve()):
        raise BadInput(
            f"{path}: lies in the folder that it locks, and would go wherever that goes; nothing was written",
            by_hand="keep the key elsewhere, such as ~/.config/memcli/sync.key",
        )
    if make and not path.exists():
        identity = _fresh_identity()
        try:
            make_private_folder(path.parent)
            write_private(path, f"{identity}\n".encode())
        except OSError as error:
            raise BadInput(f"{path}: the key cannot be written ({error.strerror})") from error
        return identity
    try:
        lines = read_private(path).decode("utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise BadInput(f"{path}: the key cannot be read (it is no text)") from error
    # age-keygen writes comments beside the key.
    found = [line.strip() for line in lines if line.strip().startswith("AGE-SECRET-KEY-")]
    if not found:
        raise BadInput(f"{path}: holds no age identity (a line AGE-SECRET-KEY-1…)")
    return found[0]


def _fresh_identity() -> str:
    try:
        import pyrage
    except ImportError as error:
        raise BadInput("encrypted change files need the package pyrage: pip install 'memcli[age]'") from error
    return str(pyrage.x25519.Identity.generate())
