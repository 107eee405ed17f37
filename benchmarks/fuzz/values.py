"""Values that somebody might forget to expect, and valid ones changed a little."""

from __future__ import annotations

import json
import random
from typing import Any


class Literal(str):
    """JSON as it is written, whatever Python makes of it: 1e999, NaN, 5,000 digits."""

    __slots__ = ()


_INSTANTS = (
    "0001-01-01T00:00:00+14:00", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999Z",
    "9999-12-31T23:59:59-12:00", "0001-01-01", "9999-12-31", "9999", "0001", "10000-01-01", "-0001-01-01",
    "2026-02-30", "2026-W53-7", "2026-05-03T14:07:00+23:59:59.999999", "tomorrow", "in 9999999999 years",
    "99999999999 days ago", "٢٠٢٦-٠٥-٠٣", "2026-05-03T24:00", "now", "last week", "P1D", "1h",
)  # fmt: skip
_TEXTS = (
    "", " ", "\0", "a\0b", "\ud800", "\udfff\ud800", "x" * 201, "x" * 70_000, "*", "\u202eabc", "\u061c",
    "\x1b[31m",
    "\n", "a\nb", "../../etc/passwd", "/", "-", "--", "'\"`$(x)", "%s%n{0}", "\ufeff", "\U000e0041", "İ" * 50,
    "1e999", "nan", "-1", "99999999999999999999", "1_000", "²", "true", "null", "[]", "{}", "a=b", ",",
    "(", "[", "\\",
    "ﷺ", "01J00000000000000000000000", "8ZZZZZZZZZZZZZZZZZZZZZZZZZ", "secret:x", "mcp:x", "7d", "fact",
    "default",
)  # fmt: skip
_NUMBERS: tuple[Any, ...] = (
    0, -1, 1, 0.5, 1.5, -0.0, 2**31, 2**53, 2**63 - 1, 2**63, -(2**63) - 1, 10**30, 10**400, 1e308, 5e-324,
    Literal("1e999"), Literal("-1e999"), Literal("NaN"), Literal("Infinity"), Literal("1" * 5000),
    Literal("1E-9999"),
)  # fmt: skip
_OTHERS: tuple[Any, ...] = (
    None, True, False, [], {}, [[]], [None], ["x"], [1], {"x": 1}, {"": ""}, {"x": {"x": []}},
    Literal("[" * 60 + "]" * 60), Literal("[" * 5000 + "]" * 5000), Literal('{"a":' * 900 + "1" + "}" * 900),
    Literal('{"a":1,"a":2}'), Literal('"\\ud800"'), Literal('"\\u0000"'), Literal("[1,]"), Literal("01"),
    Literal(""),
)  # fmt: skip

# What is said by many lines of one file, so that they are not one memory: names, places, numbers, days.
_SENTENCES = (
    "{who} lives in {where}", "{who} moved to {where} in May", "{who} no longer works at {where}",
    "The dentist is on Friday at {number}", "Pay {number} euros to {who} by tomorrow",
    "We decided on 2026-05-{day} to use {where}", "{who} ran the {where} job {number} days ago",
    "{who} prefers {where}",
    "I think {who} may be {number}", "Port {number} belongs to {where}", "{who} is allergic to {where} nuts",
    "Every {number} days {who} calls me", "Never send {where} to {who}",
    "I must ring {who} 3 days before the {day}th",
    "{who}: what is in {where}?", "From {where} to {who} it is {number} km", "- [ ] {who} mends {where}",
)  # fmt: skip
_NAMES = (
    "Ann",
    "Bob",
    "Chloé",
    "Dmitri",
    "Eve",
    "Femi",
    "Gül",
    "Hans",
    "Ines",
    "李雷",
    "O'Brien",
    "İsa",
    "my boss",
)
_PLACES = (
    "Rome",
    "Oslo",
    "Acme",
    "staging",
    "the quay",
    "São Paulo",
    "Türkiye",
    "pine",
    "hazel",
    "R2-D2",
    "北京",
)


def a_sentence(chance: random.Random) -> str:
    """Something that somebody may want to have remembered, rarely the same twice."""
    said = {"who": chance.choice(_NAMES), "where": chance.choice(_PLACES), "number": chance.randrange(10_000)}
    return chance.choice(_SENTENCES).format(day=f"{chance.randint(1, 31):02}", **said)


def hostile_value(chance: random.Random) -> Any:
    """A value that somebody might forget to expect."""
    return chance.choice(chance.choice((_INSTANTS, _TEXTS, _NUMBERS, _OTHERS)))


def written(value: Any, chance: random.Random | None = None) -> str:
    """JSON of a value; with `chance` a key may stand there twice."""
    if isinstance(value, Literal):
        return str(value)
    if isinstance(value, dict):
        pairs = [f"{json.dumps(key)}:{written(each, chance)}" for key, each in value.items()]
        if chance and pairs and chance.random() < 0.01:
            pairs.append(chance.choice(pairs))
        return "{" + ",".join(pairs) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(written(each, chance) for each in value) + "]"
    return json.dumps(value, ensure_ascii=chance is None or chance.random() < 0.9)


def mutated(value: Any, chance: random.Random) -> Any:
    """The value with one part of it, at any depth, dropped, exchanged, renamed or made hostile."""
    if chance.random() < 0.15 or not isinstance(value, dict | list) or not value:
        return _near(value, chance) if chance.random() < 0.4 else hostile_value(chance)
    if isinstance(value, list):
        place = chance.randrange(len(value))
        changed = list(value)
        if chance.random() < 0.2:
            changed.insert(place, hostile_value(chance))
        else:
            changed[place] = mutated(value[place], chance)
        return changed
    name, way = chance.choice(list(value)), chance.random()
    if way < 0.08:
        return {key: each for key, each in value.items() if key != name}
    if way < 0.12:
        return {**value, chance.choice(["x", "", "text", "id", "type", "data", "at"]): hostile_value(chance)}
    if way < 0.2:
        return {**value, name: value[chance.choice(list(value))]}
    return {**value, name: mutated(value[name], chance)}


def _near(value: Any, chance: random.Random) -> Any:
    """A value of the same type that is a little different."""
    if isinstance(value, str):
        place = chance.randrange(len(value) + 1)
        return value[:place] + chance.choice([*_TEXTS, "Z", "0", "-"]) + value[place + chance.randrange(3) :]
    if isinstance(value, int | float) and not isinstance(value, bool):
        return chance.choice([n for n in _NUMBERS if not isinstance(n, Literal)])
    return hostile_value(chance)


def broken(data: bytes, chance: random.Random) -> bytes:
    """Bytes cut, doubled, exchanged or sprinkled with what is no UTF-8."""
    for _ in range(chance.choice((0, 0, 1, 1, 2))):
        place, length = chance.randrange(len(data) + 1), chance.randrange(20)
        piece = chance.choice(
            (
                b"",
                b"\xff",
                b"\0",
                b"\xed\xa0\x80",
                b"\r",
                b"\n\n",
                b"\xef\xbb\xbf",
                b"{",
                b'"',
                data[place : place + length],
            )
        )
        data = data[:place] + piece + data[place + chance.choice((0, length)) :]
    return data
