"""The two lists kept beside: guards, each to be turned around by hand, and mutants that mean the same."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.mutations.mutants import Mutant, located, mutants, places
from benchmarks.mutations.scratch import TREE

_HERE = Path(__file__).parent
# A statement that does nothing but refuse: by their names they are found everywhere.
_REFUSING = re.compile(r"(?:\w+\.)*_?(?:require|check|refuse)_?\w*\(")


def guards(only: Sequence[str] | None = None) -> list[tuple[str, Mutant]]:
    """Every guard turned around, of the files or folders `only`: of `guards.toml`, and calls that refuse.

    Raises ValueError where the list is out of date.
    """
    wanted = tuple(only or ("",))
    return [each for each in (*listed_guards(), *_calls_that_refuse(wanted)) if each[0].startswith(wanted)]


def listed_guards() -> list[tuple[str, Mutant]]:
    """Those of `guards.toml`. Raises ValueError where it is out of date."""
    listed = tomllib.loads((_HERE / "guards.toml").read_text(encoding="utf-8"))["guard"]
    return [_guard(**each) for each in listed]


def _guard(file: str, keeps: str, written: str, turned: str) -> tuple[str, Mutant]:
    """A guard turned around. `written` stands once in its file, as it is there; `keeps` is for readers."""
    source = (TREE / file).read_text(encoding="utf-8")
    if source.count(written) != 1:
        raise ValueError(f"guards.toml: {source.count(written)} times in {file}: {written!r} ({keeps})")
    start = source.index(written)
    # The line of what differs, not of what only makes the place unmistakable.
    same = next((n for n, (a, b) in enumerate(zip(written, turned, strict=False)) if a != b), 0)
    line = source.count("\n", 0, start + same) + 1
    changed = source[:start] + turned + source[start + len(written) :]
    compile(changed, file, "exec")
    return file, located(Mutant(line, written, turned, changed), places(source))


def _calls_that_refuse(wanted: tuple[str, ...]) -> Iterator[tuple[str, Mutant]]:
    for path in sorted((TREE / "memcli").rglob("*.py")):
        file, source = str(path.relative_to(TREE)), path.read_text(encoding="utf-8")
        # To make every mutant of a file takes time.
        if file.startswith(wanted) and _REFUSING.search(source):
            for mutant in mutants(source):
                if mutant.after == "pass" and _REFUSING.match(mutant.before):
                    yield file, mutant


def equivalents() -> set[tuple[str, str, str, str]]:
    """The mutants of `equivalent.toml`: file, function, what was there and what was put there."""
    listed = tomllib.loads((_HERE / "equivalent.toml").read_text(encoding="utf-8"))
    return {
        (each["file"], each["within"], each["before"], each["after"]) for each in listed.get("mutant", ())
    }
