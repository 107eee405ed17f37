"""Page codes (HMACs) of an encrypted file, rewritten where a page no longer matches its own.

SQLCipher returns no page whose code is wrong, nor any later one in that connection: one bit would cost the
whole store. With a new code the page is decrypted, damaged in the 16 bytes of the changed block and in a
bit of the next one (AES-CBC), and the rows' digests tell what that hit. Used only on a copy from which is
salvaged.

A page is its ciphertext, 16 bytes IV, then HMAC-SHA512 of both and of the page's number (4 bytes,
little-endian); the first begins with the salt, which the code does not cover. The key of the code is
PBKDF2-HMAC-SHA512 of the file's key, by the salt with each byte XOR 0x3a, in 2 rounds
(https://www.zetetic.net/sqlcipher/design/).
"""

from __future__ import annotations

import hashlib
import hmac
from pathlib import Path

from memcli.storage.sqlite.file.opening import PAGE_SIZE, SALT_SIZE

_CODE_SIZE = 64


def seal_pages(copy: Path, key: bytes) -> list[int]:
    """Write the right code into each page of a closed file that is encrypted with `key` (32 bytes).

    Returns the numbers of the pages that had a wrong one.
    """
    found = []
    with copy.open("r+b") as file:
        salt = file.read(SALT_SIZE)
        mask = bytes(each ^ 0x3A for each in salt)
        seal = hashlib.pbkdf2_hmac("sha512", key, mask, 2, 32)
        file.seek(0)
        number = 1
        while page := file.read(PAGE_SIZE):
            page = page.ljust(PAGE_SIZE, b"\0")
            content = page[SALT_SIZE if number == 1 else 0 : -_CODE_SIZE]
            code = hmac.digest(seal, content + number.to_bytes(4, "little"), "sha512")
            if code != page[-_CODE_SIZE:]:
                found.append(number)
                file.seek((number - 1) * PAGE_SIZE)
                file.write(page[:-_CODE_SIZE] + code)
            number += 1
    return found
