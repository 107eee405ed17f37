"""The key of a folder's encrypted segments: an age identity in a private file, the same on all machines."""

from __future__ import annotations

import os
from pathlib import Path

from memcli.errors import BadInput, WrongKey
from memcli.system.files import write_private
from memcli.system.places import make_private_folder


def read_or_make_key(path: Path, *, make: bool) -> str:
    """The identity in a file, made with `make` where there is none.

    Raises WrongKey where others may read the file, BadInput where there is none or it cannot be read.
    """
    if make and not path.exists():
        identity = _fresh_identity()
        try:
            make_private_folder(path.parent)
            write_private(path, f"{identity}\n".encode())
        except OSError as error:
            raise BadInput(f"{path}: the key cannot be written ({error.strerror})") from error
        return identity
    try:
        mode = path.stat().st_mode
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no text"
        raise BadInput(f"{path}: the key cannot be read ({why})") from error
    if os.name != "nt" and mode & 0o077:
        raise WrongKey(f"{path}: others can read this key: chmod 600 {path}")
    # As age-keygen writes it, with comments.
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
