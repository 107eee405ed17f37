"""Scan a text for all secrets: apply the rules, merge overlapping finds, and repeat until nothing is left.

An ordinary text is dismissed by looking for a few short literals, before any pattern is compiled. Zero-width
characters inside a token and full-width letters hide nothing: they are normalised first, and spans are given
in the original text.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cache

from memcli.named_tuple import NamedTuple
from memcli.text.secrets import (
    arguments,
    codes,
    credentials,
    national_ids,
    openings,
    passwords,
    payment,
    prose,
    provider_forms,
    tokens,
)
from memcli.text.secrets.places import present_literals


class Secret(NamedTuple):
    """A secret in a text, by the offsets of the value itself."""

    start: int
    end: int
    rule: str
    """A stable name: `github-token`."""
    name: str
    """For people: `GitHub token`."""


_MARK = r"\[redacted [^\[\]\n]{1,40}\]"
# The rest of a text beside a secret may look like another one: it is scanned so many times.
_ROUNDS = 4
# Conditions for applying rules at all: a digit; punctuation of credentials; five digits close together, or a
# word of capitals and digits; nine digits in a row, or the beginning of an identity number; symbols of
# passwords; letters and digits in one word; a word of 16 characters.
_DIGIT = r"[0-9]"
_MARKS = ("=", "://", ":", "@", " login ", "asic ", "earer ", "/")
_FIVE_DIGITS = r"\d(?:\D{0,2}\d){4}|(?<![A-Z0-9])[A-Z0-9]{7}"
_NUMBER = r"\d(?:[ ._/·,-]{0,3}\d){8}|[A-Z]{2} ?\d\d ?[A-Z0-9]{2}|\d{7}-?[A-Z]|\d{6} [A-Z]|[A-Z]\d{6}[\d(]|[A-Z]{5}\d{4}[A-Z]"
_INNER_SYMBOLS = "!&#$%*+?^~"
_MIXED = r"\d[A-Za-z]|[A-Za-z]\d"
_LONG = 16


def find_secrets(text: str) -> list[Secret]:
    """Return all secrets of a text in order, without overlaps."""
    folded, places = _fold(text)
    found: list[Secret] = []
    for turn in range(_ROUNDS):
        current = redact(folded, found)
        new = _back(_scan(current), found, current)
        if not new:
            break
        if turn == _ROUNDS - 1:
            new, found = [new[0]._replace(end=len(folded))], [secret for secret in found if secret < new[0]]
        found = sorted(found + new)
    return [secret._replace(start=places(secret.start), end=places(secret.end - 1) + 1) for secret in found]


def _back(new: list[Secret], found: list[Secret], current: str) -> list[Secret]:
    """Map new finds in the redacted text back to places in the original one.

    A find that touches a redaction mark is dropped.
    """
    marks = [mark.span() for mark in re.finditer(_MARK, current)]
    starts = [start for start, _ in marks]
    shifts: list[tuple[int, int]] = [(0, 0)]
    for secret in found:
        longer = len(f"[redacted {secret.name}]") - (secret.end - secret.start)
        shifts.append((secret.end + shifts[-1][1] + longer, shifts[-1][1] + longer))
    moved = []
    for secret in new:
        before = bisect_right(starts, secret.start) - 1
        if before >= 0 and marks[before][1] > secret.start:
            continue
        if before + 1 < len(starts) and starts[before + 1] < secret.end:
            continue
        shift = shifts[bisect_right(shifts, (secret.start, len(current) + 1)) - 1][1]
        moved.append(secret._replace(start=secret.start - shift, end=secret.end - shift))
    return moved


def redact(text: str, secrets: Sequence[Secret]) -> str:
    """Return the text with each of its secrets, as returned by `find_secrets`, replaced by its name."""
    parts, place = [], 0
    for start, end, _, name in secrets:
        parts += [text[place:start], f"[redacted {name}]"]
        place = end
    return "".join([*parts, text[place:]])


def _scan(text: str) -> list[Secret]:
    """Return what the rules find, overlapping finds merged under the name of the most specific rule."""
    united: list[tuple[int, Secret]] = []
    for order, found in sorted(enumerate(_finds(text)), key=lambda pair: (pair[1][0], pair[1][1])):
        start, end, rule, name = found
        new = Secret(start, end, rule, name)
        if united and new.start < united[-1][1].end:
            before, last = united[-1]
            best = new if order < before else last
            united[-1] = (min(order, before), best._replace(start=last.start, end=max(last.end, new.end)))
        elif end > start:
            united.append((order, new))
    return [secret for _, secret in united]


def _finds(text: str) -> Iterator[tuple[int, int, str, str]]:
    """Yield the finds of every rule, the most specific rules first."""
    text = _without_public_blocks(text)
    lower = _lower(text)
    long, digit = max(map(len, text.split()), default=0) >= _LONG, re.search(_DIGIT, text) is not None
    if long:
        yield from provider_forms.provider_secrets(text)
    if digit:
        yield from _numbers(text, lower)
    # Most prose lacks this punctuation, and then has no place for such credentials.
    if any(mark in text for mark in _MARKS) and (here := present_literals(credentials.LITERALS, lower)):
        yield from credentials.credential_secrets(text, here)
    if here := present_literals(arguments.LITERALS, lower):
        yield from arguments.argument_secrets(text, here)
    if here := present_literals(codes.LITERALS, lower):
        yield from codes.code_secrets(text, here)
    if any(word in lower for word in passwords.PASSWORD_TRIGGERS) or not text.isascii():
        yield from passwords.password_secrets(text, lower)
    if openings.may_hold_opening(text, lower):
        yield from openings.opening_secrets(text, lower)
    if digit or any(symbol in text for symbol in _INNER_SYMBOLS):
        yield from prose.prose_secrets(text)
    if long or (digit and re.search(_MIXED, text) and any(word in lower for word in tokens.TOKEN_TRIGGERS)):
        yield from tokens.token_secrets(text)


def _numbers(text: str, lower: str) -> Iterator[tuple[int, int, str, str]]:
    """Yield numbers of cards, accounts and people, in a text that has digits."""
    if re.search(_NUMBER, text):
        yield from payment.payment_secrets(text, lower)
        yield from national_ids.ids_by_form(text, lower)
    if re.search(_FIVE_DIGITS, text):
        yield from national_ids.ids_by_name(text, lower)
        yield from payment.account_secrets(text, lower)


def _without_public_blocks(text: str) -> str:
    """Return the text with public base64 blocks blanked out, at the same length."""
    if "-----BEGIN " not in text:
        return text
    return _public_blocks().sub(lambda block: re.sub(r"[A-Za-z0-9+/=]", " ", block.group()), text)


@cache
def _public_blocks() -> re.Pattern[str]:
    """Return the pattern of certificates, public keys, signatures and encrypted data in base64."""
    label = r"(?:[A-Z0-9 ]{0,30}PUBLIC KEY(?: BLOCK)?|(?:[A-Z0-9]{1,20} )?CERTIFICATE(?: REQUEST)?|X509 CRL|(?:DH|EC) PARAMETERS|PGP SIGNATURE|SSH SIGNATURE|PGP MESSAGE|AGE ENCRYPTED FILE|CMS|PKCS7)"
    return re.compile(
        rf"(?<=-----BEGIN ){label}-----(?:\s|\\[nr]|[A-Z][a-z]{{2,12}}: [^\n]{{0,80}}\n|[A-Za-z0-9+/=]{{1,100}}(?![A-Za-z0-9+/=_-])){{1,2000}}(?=-----END )"
    )


def _lower(text: str) -> str:
    """Return the text in lower case at the same length (lower-casing İ, for one, would change it)."""
    lower = text.lower()
    return (
        lower
        if len(lower) == len(text)
        else text.translate({letter: letter + 32 for letter in range(65, 91)})
    )


class _Places:
    """Maps offsets in a normalised text to the original text."""

    def __init__(self, offsets: list[int] | None) -> None:
        self._offsets = offsets

    def __call__(self, place: int) -> int:
        return place if self._offsets is None else self._offsets[place]


def _fold(text: str) -> tuple[str, _Places]:
    if text.isascii() or not _disguises().search(text):
        return text, _Places(None)
    letters: list[str] = []
    offsets: list[int] = []
    for offset, letter in enumerate(text):
        folded = letter if letter.isascii() else _folded(letter)
        letters.append(folded)
        offsets += [offset] * len(folded)
    return "".join(letters), _Places(offsets)


@cache
def _disguises() -> re.Pattern[str]:
    """Return the pattern of zero-width characters, special spaces, quotes and dashes, full-width letters."""
    return re.compile(
        "[\u00a0\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u2000-\u200f\u2010-\u201f\u2028-\u202f\u205f-\u206f"
        "\u2070-\u209c\u2100-\u214f\u2460-\u24ff\u3000\ufe00-\ufe0f\ufeff\uff01-\uffee\U0001d400-\U0001d7ff\U000e0000-\U000e01ef]"
    )


@cache
def _folded(letter: str) -> str:
    import unicodedata

    if letter in "‘’‚‛":
        return "'"
    if letter in "“”„‟":
        return '"'
    if letter in "‐‑‒–—―":
        return "-"
    if unicodedata.category(letter) in ("Cf", "Mn", "Me") and _disguises().match(letter):
        return ""
    plain = unicodedata.normalize("NFKC", letter)
    return plain if len(plain) == 1 else letter
