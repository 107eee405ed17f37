"""Key file: a key in a file that only its owner can read."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

from memcli.errors import BadInput, NoKey
from memcli.keys.secret import KEY_SIZE, Secret, new_secret
from memcli.system.files import check_target
from memcli.system.places import guard_own, make_private_folder

# Bytes that are read at most: no key is longer, and a device never ends.
_MOST = 16 * 1024


def read_key_file(path: Path) -> Secret:
    """Return the secret in a file: 64 hex digits, 32 raw bytes, or a passphrase in its first line.

    Raises NoKey if the file is missing or empty, if others can read it, or if somebody else owns it.
    """
    return Secret(_text(path, read_private(path)), f"the key file {path}")


def read_private(path: Path) -> bytes:
    """Return the content of a file that only its owner can read. Raises NoKey as above."""
    guard_own(path)
    try:
        # Non-blocking: opening a pipe without a writer would wait for ever.
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        with os.fdopen(descriptor, "rb") as file:
            _check(path, os.fstat(descriptor))
            content = file.read(_MOST + 1)
    except OSError as error:
        raise NoKey(
            f"{path}: the key file cannot be read ({error.strerror})",
            left="nothing was touched",
            by_hand="name the file with the key by key_file (MEMCLI_KEY_FILE), or put it back",
        ) from error
    if len(content) > _MOST:
        raise NoKey(
            f"{path}: is not a key file: it holds more than {_MOST} bytes", left="nothing was touched"
        )
    return content


def make_key_file(path: Path) -> Secret:
    """Write a new random key into a new file (0600) and return it.

    Raises BadInput if that fails, and also if the path is one that a store uses or would use for a file of
    its own: it would be overwritten or removed, and the key with it.
    """
    secret = new_secret(f"the key file {path}")
    try:
        check_target(path)
        make_private_folder(path.parent)
        descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(secret.text + "\n")
            file.flush()
            os.fsync(descriptor)
    except OSError as error:
        raise BadInput(f"{path}: the key file cannot be made ({error.strerror}); name another") from error
    return secret


def _check(path: Path, there: os.stat_result) -> None:
    if not stat.S_ISREG(there.st_mode):
        raise NoKey(f"{path}: is not a file", left="nothing was touched")
    if sys.platform == "win32":
        return  # access is decided by the folder's ACL there
    if there.st_mode & 0o077:
        raise NoKey(
            f"{path}: others can read this key file (mode {stat.S_IMODE(there.st_mode):04o})",
            left="nothing was touched",
            advice=f"`chmod 600 {path}`",
        )
    if there.st_uid not in (0, os.geteuid()):
        raise NoKey(f"{path}: the key file belongs to somebody else", left="nothing was touched")


def _text(path: Path, content: bytes) -> str:
    if len(content) == KEY_SIZE and not content.strip(b"\r\n").isascii():
        return content.hex()
    line = content.split(b"\n", 1)[0].rstrip(b"\r").decode("utf-8", "surrogateescape")
    if not line.strip():
        raise NoKey(f"{path}: the key file is empty", left="nothing was touched")
    return line.strip() if Secret(line.strip(), "").is_key else line
