"""Randomness: whether a value in the place of a secret is random, a placeholder, a word, or code."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

# Placeholders that people write in the place of a secret; a repeated letter is one, too, see below.
_STAND_INS = frozenset(
    """
    changeme change_me change-me changeit replaceme replace_me replace-me todo tbd fixme redacted removed hidden masked
    none null nil undefined nan true false yes no on off empty blank unset optional required mandatory
    string str text bytes byte int integer number bool boolean varchar char object array list dict any unknown
    password passwd passphrase passcode pass pwd pw token key apikey api_key value default
    user username login email name input field form label placeholder type model schema self this
    kennwort passwort parola senha contraseña
    """.split()
)
_PLACEHOLDER = (
    r"^[<\[{(%$#@&]?(?:&lt;|\{\{|<|\$\{|\$\(|\$\{\{|%\(|#\{|\[)"  # <your key>, ${VAR}, {{ var }}, #{var}, [key]
    r"|^\$[A-Za-z_{(]\w{0,60}[})]?$|^%[A-Za-z_]\w{0,60}%$|^%[sdrv]$|^\{\w{0,40}\}"
    r"|^(?:your|my|some|the|an?|insert|enter|add|put|paste|fill|replace|dummy|sample|example|fake|test)[-_ ][A-Za-z_ -]*\d{0,3}$"
    r"|^your[A-Za-z]|(?:here|placeholder|example)$"
    r"|\.\.\.|…|(?:\*{3}|•{3}|●{3})|[xX]{5}|^[xX]{3,}[-_.]?|<[\w ./-]{1,40}>"
)
_CODE = (
    r"^[A-Za-z_$@][\w$]{0,60}(?:(?:\??\.|->|::)[A-Za-z_$][\w$]{0,60}|[(\[]|\(\)$)"
    r"|^(?:new|await|lambda|return|function|async|def|not|if|f[\"']|b[\"'])\b|^[(\[{]|[({]$|\)$|=>|^[&|=!+]"
)
_FILLED = r"[xX]{8}|\*{4}|\.{4}|0{24}|\b(?:your|my)[-_]|[-_]here\b|placeholder"
_INSTANT = r"\d{4}-?\d\d-?\d\d(?:[T_-]?\d\d(?:[:-]?\d\d){0,2}(?:\.\d{1,9})?)?Z?"
_UUID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_NO_DIGITS = dict.fromkeys(map(ord, "0123456789"))
_PARTS = r"[^A-Za-z0-9]+"
_TURNS = r"[A-Za-z](?=\d)|\d(?=[A-Za-z])"
_CAMEL = r"[A-Z]?[a-z]+|[A-Z]+"
_VOWEL, _UNSPOKEN = r"[aeiouyAEIOUY]", r"[b-df-hj-np-tv-xz]{5}"
_LONGEST_WORD = 20
# Letters and digits in order, or in keyboard order.
_IN_ORDER = ("abcdefghijklmnopqrstuvwxyz", "01234567890123456789", "qwertyuiopasdfghjklzxcvbnm")


def is_placeholder(value: str) -> bool:
    """True if a value stands in for a secret: `<your-key>`, `${VAR}`, `xxxx`, `changeme`, `******`."""
    bare = value.strip().strip("\"'`")
    if len(set(bare.casefold())) <= 1 and (len(bare) < 8 or bare[0] in "xX*.-_0#?•"):
        return True
    return bare.casefold() in _STAND_INS or bool(re.search(_PLACEHOLDER, bare[:200], re.IGNORECASE))


def is_stand_in(token: str) -> bool:
    """True if a token of a known form is filled with one letter or symbol: ghp_xxxxxxxxxxxx."""
    return bool(re.search(_FILLED, token, re.IGNORECASE)) or len(set(token)) <= 4


def is_code(value: str, following: str = "") -> bool:
    """True if an unquoted value is an expression of a program: a call, an attribute, a variable."""
    return bool(re.search(_CODE, value[:200])) or following[:1] in ("(", "[")


def is_path(value: str) -> bool:
    """True if slashes separate the value into names, as in a path or the rest of a URL."""
    parts = re.split(r"[/\\]", value)
    named = sum(re.fullmatch(r"[A-Z]?[a-z_.-]{2,30}\d{0,3}|[A-Z]{2,12}", part) is not None for part in parts)
    return value.startswith(("./", "../", "~/")) or (len(parts) > 1 and named >= max(2, len(parts) / 2))


def is_random(value: str) -> bool:
    """True if a value is probably machine-made: letters and digits that alternate, or no word.

    Words joined by punctuation, CamelCase names, versions, dates and names with a number at the end are not
    random. UUIDs are; whether they are secret is decided by context.
    """
    value = value[:4000]
    if re.fullmatch(_UUID, value, re.IGNORECASE):
        return True
    if re.fullmatch(_INSTANT, value):
        return False
    if is_path(value):
        return False
    parts = [part for part in re.split(_PARTS, value) if part]
    if any(map(_is_random_part, parts)):
        return True
    # In groups like licence keys; or base64, which its + and / often split.
    if len(value) >= 16 and _in_groups(parts):
        return True
    kinds = [sum(map(test, value)) for test in (str.isupper, str.islower, str.isdigit)]
    return len(value) >= _LONGEST_WORD and min(kinds) >= 2 and _alternates(value)


def in_order(value: str) -> bool:
    """True if at least half of a value is a run of letters or digits in order."""
    value = value.lower()
    half = max(8, len(value) // 2)
    starts = (value[place : place + 8] for place in range(0, max(1, len(value) - 7), 4))
    return (
        half <= 26
        and any(row.find(start) >= 0 for start in starts for row in _IN_ORDER if len(start) == 8)
        and any(
            value[place : place + half] in row for place in range(len(value) - half + 1) for row in _IN_ORDER
        )
    )


def _is_random_part(part: str) -> bool:
    """True if letters and digits without symbols between them are random by themselves."""
    size = len(part)
    if part.isdigit():
        # Longer than any number that people write; 20 digits can hold 2**64.
        return size >= _LONGEST_WORD
    if size >= _LONGEST_WORD and not _is_words(part.translate(_NO_DIGITS)):
        return True
    turns = len(re.findall(_TURNS, part))
    return (size >= 8 and turns >= 3) or (size >= 16 and turns >= 1 and sum(map(str.isdigit, part)) >= 4)


def _in_groups(parts: Sequence[str]) -> bool:
    """True if a value is written in groups of letters and digits, like licence keys.

    Two names with a number (chacha20-poly1305) are no groups.
    """
    groups = [part for part in parts if len(part) >= 4 and sum(map(str.isdigit, part)) >= 2]
    turns = [len(re.findall(_TURNS, part)) for part in groups]
    clear = [part for part, turn in zip(groups, turns, strict=True) if turn > 1 or (turn and part.isupper())]
    return len(clear) >= 2 or sum(map(bool, turns)) >= 3


def _is_words(part: str) -> bool:
    """True if CamelCase divides these letters into pieces as long as words."""
    pieces = re.findall(_CAMEL, part)
    spoken = all(re.search(_VOWEL, piece) for piece in pieces if len(piece) > 3) and not re.search(
        _UNSPOKEN, part
    )
    long = 4.2 if not spoken else 3.3
    return max(map(len, pieces)) < _LONGEST_WORD and len(part) >= long * len(pieces)


def _alternates(value: str) -> bool:
    """True if capitals, lower case and digits alternate as in a random value."""
    kinds = ["A" if c.isupper() else "a" if c.islower() else "1" if c.isdigit() else "-" for c in value]
    return sum(a != b for a, b in pairwise(kinds)) >= len(value) / 3
