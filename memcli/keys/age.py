"""Files in the age encryption format (https://age-encryption.org/v1), by pyrage: the extra `memcli[age]`.

They are encrypted to recipients (age or SSH public keys), or by a passphrase: the secret from the sources
of the store's own key, else one that is typed. Content is held in memory, never in a temporary file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from memcli.errors import BadInput, NoKey, StoreUnusable, WrongKey
from memcli.keys.key_file import read_private
from memcli.keys.sources import ask_passphrase, can_ask, configured_secrets
from memcli.system.places import expanded

_ARMOR = b"-----BEGIN AGE ENCRYPTED FILE-----"
# pyrage's messages for a key that does not fit; any other message is about the file.
_OF_THE_KEY = ("No matching keys", "Decryption failed", "Excessive work")


class Sealer:
    """Encrypts for `recipients` (public keys, or files of them), or without any by a passphrase.

    Everything that may be wrong is raised on construction, before there is anything to encrypt: BadInput
    for an invalid recipient, NoKey without a passphrase.
    """

    def __init__(self, recipients: Sequence[str], salt: bytes | None, *, armoured: bool = False) -> None:
        self._pyrage = _library()
        self._armoured = armoured
        self._recipients = [each for text in recipients for each in _recipients(self._pyrage, text)]
        self._passphrase = None if self._recipients else _own_passphrase(salt)

    def encrypt(self, content: bytes) -> bytes:
        """Return the content as an age file; by a passphrase it takes a second (scrypt)."""
        if self._passphrase is None:
            sealed: bytes = self._pyrage.encrypt(content, self._recipients, armored=self._armoured)
        else:
            sealed = self._pyrage.passphrase.encrypt(content, self._passphrase, armored=self._armoured)
        return sealed


def decrypt(content: bytes, name: str, identities: Sequence[Path], salt: bytes | None) -> bytes:
    """Return the content of an age file, by these identity files, else by the passphrases at hand.

    Raises NoKey if there is none, WrongKey if none opens it, StoreUnusable if the file is damaged.
    """
    pyrage = _library()
    if identities:
        try:
            plain: bytes = pyrage.decrypt(
                content, [each for file in identities for each in _identities(pyrage, file)]
            )
        except pyrage.DecryptError as error:
            _check_whole(name, error)
            raise WrongKey(
                f"{name}: encrypted, and no identity given opens it", left="nothing was changed"
            ) from None
        return plain
    if not (b"-> scrypt " in content[:200] or content.startswith(_ARMOR)):
        raise NoKey(
            f"{name}: encrypted",
            left="nothing was changed",
            by_hand="name the file with its identity by --identity",
        )
    tried = False
    for passphrase in _passphrases(name, salt):
        tried = True
        try:
            plain = pyrage.passphrase.decrypt(content, passphrase)
        except pyrage.DecryptError as error:
            _check_whole(name, error)
            continue
        return plain
    if tried:
        raise WrongKey(f"{name}: encrypted, and no key at hand opens it", left="nothing was changed")
    raise NoKey(
        f"{name}: encrypted",
        left="nothing was changed",
        by_hand=(
            "name its key by --identity, key_file or key_command (MEMCLI_KEY_FILE, "
            "MEMCLI_KEY_COMMAND), or call it from a terminal"
        ),
    )


def _check_whole(name: str, error: Exception) -> None:
    """Raise StoreUnusable if decryption failed because the file is damaged, and not because of the key."""
    if not str(error).startswith(_OF_THE_KEY):
        raise StoreUnusable(
            f"{name}: encrypted, and damaged: it was cut off or changed ({str(error).splitlines()[0]})",
            left="nothing was changed",
            advice="take another copy of it",
        ) from None


def _own_passphrase(salt: bytes | None) -> str:
    for secret in configured_secrets(salt):
        return secret.text
    if can_ask():
        return ask_passphrase("Passphrase of the export: ", twice=True).text
    raise NoKey(
        "no key to encrypt the export with",
        left="nothing was written",
        by_hand=("give --recipient KEY (age-keygen makes one), or name one by key_file or key_command"),
    )


def _passphrases(name: str, salt: bytes | None) -> Iterator[str]:
    for secret in configured_secrets(salt):
        yield secret.text
    if can_ask():
        yield ask_passphrase(f"Passphrase of {name}: ").text


def _recipients(pyrage: Any, text: str) -> Iterator[Any]:
    """Yield one recipient, or those of a file, one per line."""
    lines = [text]
    if not text.startswith(("age1", "ssh-")):
        try:
            lines = expanded(text).read_text("utf-8").splitlines()
        except (OSError, UnicodeDecodeError):
            raise BadInput(
                f"--recipient {text!r:.60} is neither an age or SSH public key nor a file of them"
            ) from None
    for line in lines:
        if line.strip() and not line.startswith("#"):
            kind = pyrage.ssh if line.startswith("ssh-") else pyrage.x25519
            try:
                yield kind.Recipient.from_str(line.strip())
            except pyrage.RecipientError:
                raise BadInput(f"--recipient {line.strip()!r:.60} is not an age or SSH public key") from None


def _identities(pyrage: Any, file: Path) -> Iterator[Any]:
    content = read_private(file)
    try:
        if b"PRIVATE KEY" in content:
            yield pyrage.ssh.Identity.from_buffer(content)
            return
        for line in content.decode("utf-8").splitlines():
            if line.strip() and not line.startswith("#"):
                yield pyrage.x25519.Identity.from_str(line.strip())
    except (pyrage.IdentityError, UnicodeDecodeError):
        raise NoKey(f"{file}: holds no age or SSH identity that can be read") from None


def _library() -> Any:
    try:
        import pyrage
    except ImportError:
        raise BadInput("encrypted exports need the pyrage library; pip install 'memcli[age]'") from None
    return pyrage
