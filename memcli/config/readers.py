"""Readers of settings: each turns a text into the value, or raises ValueError with what it must be."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import TypeVar

from memcli.config.location import Location, read_location
from memcli.system.places import expanded
from memcli.times import parse_duration

T = TypeVar("T")
# The largest integer of every backend; and the longest duration, which can still be added to today's dates.
_MOST = 2**31 - 1
_LONGEST = timedelta(days=1000 * 365)
# Half-lives of inferred memories. Events lose their use faster than facts.
HALF_LIVES = "fact=180d,preference=180d,outcome=90d,episode=60d,procedure=365d"


def text(text: str) -> str:
    """Read any text that is not blank."""
    if not text.strip():
        raise ValueError("must not be empty")
    return text


def space(name: str) -> str:
    """Read the name of one space."""
    if name.strip() == "*":
        raise ValueError("stands for all spaces; name one")
    return text(name)


def path(name: str) -> Path:
    """Read a path; `~` is a home folder. Raises BadInput if that does not exist."""
    return expanded(text(name))


def place(name: str) -> Location:
    """Read the location of a store: a path, or an address. Raises what `read_location` does."""
    return read_location(text(name))


def fraction(text: str) -> float:
    """Read a number from 0 to 1."""
    number = _number(text, float)
    if not 0 <= number <= 1:
        raise ValueError("must lie between 0 and 1")
    return number


def count(text: str) -> int:
    """Read a whole number of 1 or more."""
    return _whole(text, 1)


def limit(text: str) -> int:
    """Read a whole number of 0 or more."""
    return _whole(text, 0)


def seconds(text: str) -> float:
    """Read seconds, from a number of them or a duration (7d). Raises BadInput for anything else."""
    plain = text.isascii() and text.replace(".", "", 1).isdigit()
    seconds = float(text) if plain else parse_duration(text).total_seconds()
    if seconds > _LONGEST.total_seconds():
        raise ValueError("must be no longer than 1,000 years")
    return seconds


def length(seconds: float) -> str:
    """Return seconds in the form that `seconds` reads: in days, hours or minutes if these come out even."""
    for unit, name in ((86400, "d"), (3600, "h"), (60, "m")):
        if seconds and seconds % unit == 0 and (seconds > unit or unit < 86400):
            return f"{seconds / unit:.0f}{name}"
    return f"{seconds:.9f}".rstrip("0").rstrip(".") + "s" if seconds else "0"


def warmth(text: str) -> float:
    """Read a duration in seconds; 0 for `off`."""
    return 0.0 if text.lower() in ("off", "false") else seconds(text)


def flag(text: str) -> bool:
    """Read on or off."""
    if text.lower() not in ("on", "off", "true", "false"):
        raise ValueError("must be on or off")
    return text.lower() in ("on", "true")


def one_of(*choices: str) -> Callable[[str], str]:
    """Return a reader that accepts only these words."""

    def read(text: str) -> str:
        if text not in choices:
            raise ValueError(f"must be {', '.join(choices[:-1])} or {choices[-1]}")
        return text

    return read


def half_lives(text: str) -> dict[str, timedelta]:
    """Return the time in which memories of each kind fade by half; the default for kinds that are not named.

    Raises ValueError for a kind that does not fade, BadInput for an invalid duration.
    """
    lives: dict[str, timedelta] = {}
    for part in f"{HALF_LIVES},{text}".split(","):
        kind, _, length = part.strip().partition("=")
        if not part.strip():
            continue
        if f"{kind}=" not in HALF_LIVES:
            raise ValueError(f"{kind!r} does not fade; as in {HALF_LIVES}")
        lives[kind] = parse_duration(length)
        if not timedelta() < lives[kind] <= _LONGEST:
            raise ValueError("a half-life must be longer than nothing, and no longer than 1,000 years")
    return lives


def fading(text: str) -> str:
    """Read half-lives, unchanged after checking that `half_lives` accepts them."""
    half_lives(text)
    return text


def _number(text: str, kind: Callable[[str], T]) -> T:
    try:
        return kind(text)
    except ValueError:
        raise ValueError("must be a number") from None


def _whole(text: str, least: int) -> int:
    number = _number(text, int)
    if not least <= number <= _MOST:
        raise ValueError(f"must be {least} or more, and no more than {_MOST:,}")
    return number
