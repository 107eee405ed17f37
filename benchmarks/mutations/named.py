"""Tests that somebody names for a line, where no record tells which of them run it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from benchmarks.mutations.mutants import Mutant
from benchmarks.mutations.recorded import programs_of
from benchmarks.mutations.scratch import TREE

# Of a test nobody has timed: a limit is made of it that no sound test comes near.
_SECONDS = 10.0


class Named:
    """Every test of some files, folders or `file::test`, for whatever mutant; in place of a `Record`."""

    def __init__(self, tests: Sequence[str]) -> None:
        """Raises ValueError where a name stands for no test."""
        self._tests = list(dict.fromkeys(each for name in tests for each in _of(name)))

    def tests(self, file: str, mutant: Mutant, budget: float) -> list[str]:
        """All of them: who names few means each."""
        return self._tests

    def seconds(self, test: str) -> float:
        """How long a test takes at the most (s)."""
        return _SECONDS

    def starts_programs(self, test: str) -> bool:
        """Whether a test starts programs, which know of a change only what stands in a file."""
        return test.rpartition("::")[2] in programs_of(TREE / test.partition("::")[0])

    def files(self) -> list[str]:
        """The files of all of them."""
        return list(dict.fromkeys(each.partition("::")[0] for each in self._tests))


class Noted:
    """The one test that is noted for each mutant, run as a program would be: with the change in a file."""

    def __init__(self, tests: Mapping[tuple[str, Mutant], str]) -> None:
        self._tests = tests

    def tests(self, file: str, mutant: Mutant, budget: float) -> list[str]:
        """It alone."""
        return [self._tests[file, mutant]]

    def seconds(self, test: str) -> float:
        """How long a test takes at the most (s)."""
        return _SECONDS

    def starts_programs(self, test: str) -> bool:
        """Each is run as if it did."""
        return True

    def files(self) -> list[str]:
        """None to be collected beforehand."""
        return []


def _of(name: str) -> list[str]:
    place, _, wanted = name.partition("::")
    files = [TREE / place] if place.endswith(".py") else sorted((TREE / place).rglob("test_*.py"))
    found = [
        f"{file.relative_to(TREE)}::{test}"
        for file in files
        for test in _functions(ast.parse(file.read_text(encoding="utf-8")))
        if wanted in ("", test)
    ]
    if not found:
        raise ValueError(f"no test: {name}")
    return found


def _functions(module: ast.Module) -> Iterator[str]:
    for each in module.body:
        if isinstance(each, ast.FunctionDef) and each.name.startswith("test_"):
            yield each.name
