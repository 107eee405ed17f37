"""Statements that are a key and its value: "STAGING_DB_HOST=10.0.4.12", "owner of billing-svc: team-sre"."""

from __future__ import annotations

from memcli.text.expressions import expression

# A colon within a word is none of these: an address, a time of day. Nor is a comparison an assignment.
_KEYED = expression(r"\s*([^:=<>!]{2,80}?)\s*(=(?!=)|:(?=\s))\s*(\S[^\n]{0,80}?)\s*")


def give_one_key_two_values(newer: str, older: str, most: int) -> bool:
    """Whether two texts give the same key another value each, of `most` words at most.

    A key is of two words, or written as programs do; before a single word ("todo", "idea", "Ann") stand
    the members of a list, and what somebody said. Longer values tell of several things rather.
    """
    # Most texts have neither of the signs.
    if not (("=" in newer or ":" in newer) and ("=" in older or ":" in older)):
        return False
    new, old = _KEYED.fullmatch(newer), _KEYED.fullmatch(older)
    if not (new and old) or new[1].casefold() != old[1].casefold():
        return False
    is_key = new[2] == "=" or not new[1].isalpha()
    values = [match[3].casefold().rstrip(".").split() for match in (new, old)]
    return is_key and values[0] != values[1] and max(map(len, values)) <= most
