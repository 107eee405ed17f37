"""Changed fields: a short display of what changed, by key in nested data and by place in long texts."""

from __future__ import annotations

from collections.abc import Iterator
from json import dumps as json_text

from memcli.text.printable import CUT, one_line

# The most characters of each side that are shown, and how many of them are common context before the
# difference.
_MOST, _COMMON = 60, 15


def field_changes(name: str, before: object, after: object) -> Iterator[tuple[str, str, str]]:
    """Yield each change in a field: its path (`data.judged.due`) and both sides, shortened; "-" for none."""
    if isinstance(before, dict | None) and isinstance(after, dict | None) and (before or after):
        old, new = before or {}, after or {}
        for key in dict.fromkeys([*old, *new]):
            if old.get(key) != new.get(key):
                yield from field_changes(f"{name}.{_key(key)}", old.get(key), new.get(key))
    else:
        yield one_line(name), *_sides(_line(before), _line(after))


def _key(key: str) -> str:
    """Return a key as in a jq path: quoted unless it is a plain word."""
    return key if key.isidentifier() else json_text(key, ensure_ascii=False)


def _line(value: object) -> str:
    said = "-" if value is None else value if isinstance(value, str) else json_text(value, ensure_ascii=False)
    return one_line(said)


def _sides(before: str, after: str) -> tuple[str, str]:
    """Shorten both sides so that they differ visibly: from just before the difference if it is far in."""
    start = 0
    if before != after and one_line(before, _MOST) == one_line(after, _MOST):
        alike = next(
            (n for n, (a, b) in enumerate(zip(before, after, strict=False)) if a != b),
            min(len(before), len(after)),
        )
        start = max(0, alike - _COMMON)
    lead = CUT if start else ""
    shown = (one_line(lead + side[start:], _MOST) for side in (before, after))
    return next(shown), next(shown)
