"""Keyed statements, a key and its value: "STAGING_DB_HOST=10.0.4.12", "owner of billing-svc: team-sre"."""

from __future__ import annotations

from memcli.text.expressions import expression

# A colon within a word does not count (an address, a time of day), nor does a comparison.
_KEYED = expression(r"\s*([^:=<>!]{2,80}?)\s*(=(?!=)|:(?=\s))\s*(\S[^\n]{0,80}?)\s*")


def give_one_key_two_values(newer: str, older: str, most: int) -> bool:
    """True if two texts give the same key different values, each of at most `most` words.

    A key has two words, or is written as programs do: after a single word ("todo", "idea", "Ann") come
    members of a list, or what somebody said. Longer values rather state several things.
    """
    # Most texts have neither sign.
    if not (("=" in newer or ":" in newer) and ("=" in older or ":" in older)):
        return False
    new, old = _KEYED.fullmatch(newer), _KEYED.fullmatch(older)
    if not (new and old) or new[1].casefold() != old[1].casefold():
        return False
    is_key = new[2] == "=" or not new[1].isalpha()
    values = [match[3].casefold().rstrip(".").split() for match in (new, old)]
    return is_key and values[0] != values[1] and max(map(len, values)) <= most
