"""Which tests run which lines of memcli: recorded by coverage, programs that tests start included.

A file of tests is recorded by itself (`parts/`), again only when it changed, beside the sources as they
were (`sources/`): lines that have moved since are found by what they say. Of a file the tests that start no
program may be recorded alone (`IN_PROCESS`), quickly, beside what an older recording knows of the others.
"""

from __future__ import annotations

import ast
import difflib
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import NamedTuple

from benchmarks.mutations.mutants import Mutant
from benchmarks.mutations.scratch import TREE, copied

_CONFIG = """
[run]
branch = false
parallel = true
source = {source}
data_file = {folder}/coverage
context = ${{PYTEST_CURRENT_TEST-}}
patch = subprocess, _exit
disable_warnings = no-data-collected, module-not-imported, module-not-measured
"""


# The ending of a part in which only the tests that start no program are.
IN_PROCESS = "@in-process"
# The fixtures of tests that start programs, a server, or the real model.
PROGRAMS = {"mem", "postgres", "compiled_cache", "real_model"}


class _Part(NamedTuple):
    """What is kept of a file of tests: its digest then, and the sources that it ran."""

    digest: str
    sources: str


def record(folder: Path, tests: Sequence[str], workers: int, in_process: bool = False) -> None:
    """Run the tests once; keep in `folder` which of them run which lines, and how long each takes (s).

    With `in_process` those alone that start no `mem`.

    A file of tests is a process of its own, `workers` at once: coverage and pytest-xdist both want to be
    there when a process ends. What was recorded of a file that says the same still is kept, so a run that was
    broken off goes on.
    """
    kind = IN_PROCESS if in_process else ""
    wanted = [
        file
        for file in _files(tests)
        if _is_news(folder, file) and (not in_process or _is_news(folder, file + kind))
    ]
    print(f"{len(wanted)} files of tests to record", flush=True)
    (folder / "parts").mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        tree = copied(Path(scratch).resolve() / "tree")
        sources = hashlib.sha256(
            b"".join(each.read_bytes() for each in sorted((tree / "memcli").rglob("*.py")))
        ).hexdigest()[:12]
        if not (kept := folder / "sources" / sources).exists():
            shutil.copytree(tree / "memcli", kept / "memcli", ignore=shutil.ignore_patterns("__pycache__"))
        with ThreadPoolExecutor(workers) as pool:
            list(pool.map(lambda file: _record(tree, file, kind, folder, sources), wanted))


def _record(tree: Path, file: str, kind: str, folder: Path, sources: str) -> None:
    kept = _part(folder, file + kind)
    # Beside what there is, which a run may be reading.
    part = folder / "begun" / kept.name
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    (part / "notes").touch()
    config = part / "coveragerc"
    config.write_text(_CONFIG.format(source=tree / "memcli", folder=part))
    environment = {
        **os.environ, "PYTHONPATH": str(tree), "MEMCLI_MUTATIONS_NOTES": str(part / "notes"),
        "MEMCLI_MUTATIONS_IN_PROCESS": kind,
        "COVERAGE_RCFILE": str(config), "COVERAGE_PROCESS_START": str(config),
    }  # fmt: skip
    coverage = [sys.executable, "-m", "coverage"]
    pytest = [
        "-m",
        "pytest",
        "-q",
        "-n",
        "0",
        "-p",
        "benchmarks.mutations.contexts",
        "-p",
        "no:cacheprovider",
    ]
    # A test may fail under coverage; what ran is known all the same.
    subprocess.run(
        [*coverage, "run", f"--rcfile={config}", *pytest, "--timeout=1200", file],
        cwd=tree, env=environment, check=False, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    combined = subprocess.run(
        [*coverage, "combine", "-q", f"--rcfile={config}"], cwd=tree, env=environment, check=False
    )
    done = not combined.returncode
    if done:
        (part / "about").write_text(json.dumps([_digest(tree / file), sources]))
        shutil.rmtree(kept, ignore_errors=True)
        part.rename(kept)
    print(f"{'' if done else 'not '}recorded {file}{kind}", flush=True)


def _files(tests: Sequence[str]) -> list[str]:
    return [
        str(file.relative_to(TREE))
        for each in tests
        for file in ([TREE / each] if each.endswith(".py") else sorted((TREE / each).rglob("test_*.py")))
    ]


def _is_news(folder: Path, file: str) -> bool:
    about = _part(folder, file) / "about"
    digest = _digest(TREE / file.removesuffix(IN_PROCESS))
    return not about.exists() or _Part(*json.loads(about.read_text())).digest != digest


def _part(folder: Path, file: str) -> Path:
    return folder / "parts" / file.replace("/", ".")


def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


class Record:
    """What `record` kept; of some files or folders of tests only, where they are given."""

    def __init__(self, folder: Path, tests: Sequence[str] = ("",)) -> None:
        from coverage import CoverageData

        self._folder = folder
        self._parts: list[tuple[str, str, CoverageData, dict[str, str]]] = []
        self._seconds: dict[str, float] = defaultdict(float)
        failed: set[str] = set()
        # The older first: what the newer tells of a test's time and end stands.
        for about in sorted(folder.glob("parts/*/about"), key=lambda each: each.stat().st_mtime):
            data = CoverageData(basename=str(about.parent / "coverage"))
            data.read()
            by_name = {name[name.rindex("/memcli/") + 1 :]: name for name in data.measured_files()}
            name = about.parent.name.removesuffix(IN_PROCESS).removesuffix(".py")
            test_file = name.replace(".", "/") + ".py"
            self._parts.append((test_file, _Part(*json.loads(about.read_text())).sources, data, by_name))
            took: dict[str, float] = defaultdict(float)
            for line in (about.parent / "notes").read_text().splitlines():
                test, seconds, passed = json.loads(line)
                took[_function(test)] += seconds
                if not passed:
                    failed.add(_function(test))
            self._seconds |= took
        self._usable = {
            name
            for name in self._seconds
            if name.startswith(tuple(tests)) and name not in failed and _exists(name)
        }
        self._contexts: dict[tuple[int, str], dict[int, list[str]]] = {}

    def seconds(self, test: str) -> float:
        """How long a test took under coverage (s)."""
        return self._seconds[test]

    def starts_programs(self, test: str) -> bool:
        """Whether a test starts programs, which know of a change only what stands in a file."""
        return test.rpartition("::")[2] in programs_of(TREE / test.partition("::")[0])

    def files(self) -> list[str]:
        """The files of all tests that are known."""
        return sorted({each.partition("::")[0] for each in self._usable})

    def tests(self, file: str, mutant: Mutant, budget: float) -> list[str]:
        """The tests that run a mutant's line, as many as take `budget` seconds (see `within_budget`), or one.

        Where the line decides which way to go, those come first that go the rarer one; after those of the
        line those of the other lines of its statement; each time those first whose file names the module,
        then those of its own room and of guards, and quick ones. What runs at import alone (a constant, a
        default) is run by those that name it, or run a line which does.
        """
        first = self._running(file, (mutant.line,)) if not mutant.names else set()
        rare = min((self._running(file, (each,)) for each in mutant.branches), key=len, default=set())
        others = self._running(file, mutant.lines) - first
        for other, lines in _mentions(mutant.names) if mutant.names else ():
            others |= self._running(other, lines)
        first |= {each for each in self._usable if _says(TREE / each.partition("::")[0], each, mutant.names)}
        programs = set[str]() if mutant.names else self._starting(file, mutant.lines)
        own = (f"tests/{file.split('/')[1]}/", "tests/guards/")
        groups = [self._quick_first(each, own, Path(file).stem) for each in (rare, first, others, programs)]
        return within_budget(groups, self.seconds, budget)

    def _starting(self, file: str, lines: Iterable[int]) -> set[str]:
        """The tests that start `mem`, of the files of tests where a program that knew no test ran a line."""
        found = {
            test_file
            for test_file, contexts, moved in self._recorded(file)
            for line in lines
            if "" in contexts.get(moved.get(line, 0), ())
        }
        return {
            name
            for name in self._usable
            if name.partition("::")[0] in found
            and name.rpartition("::")[2] in programs_of(TREE / name.partition("::")[0])
        }

    def _quick_first(self, names: Collection[str], own: tuple[str, ...], module: str) -> list[str]:
        """Some tests, those whose file names the module first, then those of some folders."""
        word = re.compile(rf"\b{re.escape(module)}\b")
        naming = {
            file for file in {each.partition("::")[0] for each in names} if word.search(_text(TREE / file))
        }
        return sorted(
            names,
            key=lambda each: (
                each.partition("::")[0] not in naming, not each.startswith(own), self._seconds[each], each
            ),
        )  # fmt: skip

    def _running(self, file: str, lines: Iterable[int]) -> set[str]:
        return self._usable & {
            _function(each)
            for _, contexts, moved in self._recorded(file)
            for line in lines
            for each in contexts.get(moved.get(line, 0), ())
        }

    def _recorded(self, file: str) -> Iterator[tuple[str, dict[int, list[str]], dict[int, int]]]:
        """Of each file of tests that ran a file: who ran which line then, and where a line of now stood."""
        for number, (test_file, sources, data, by_name) in enumerate(self._parts):
            if file not in by_name:
                continue
            if (number, file) not in self._contexts:
                self._contexts[number, file] = data.contexts_by_lineno(by_name[file])
            moved = _moved(self._folder / "sources" / sources / file, TREE / file)
            yield test_file, self._contexts[number, file], moved


def within_budget(
    groups: Sequence[Sequence[str]], seconds: Callable[[str], float], budget: float
) -> list[str]:
    """Of groups of tests as many as take `budget` seconds, in their order; one, where none is so quick.

    First a group has half of what is left, so that a few long tests of the first leave time for quick ones of
    the others; what is left then goes to whoever fits.
    """
    chosen: dict[str, None] = {}
    for share in (1 / 2, 1.0):
        for group in groups:
            left = share * (budget - sum(map(seconds, chosen)))
            for name in group:
                if name not in chosen and seconds(name) <= left:
                    chosen[name] = None
                    left -= seconds(name)
    return [*chosen] or list(dict.fromkeys(name for group in groups for name in group))[:1]


def _function(context: str) -> str:
    """`tests/x.py::test_y[param] (call)` is the test `tests/x.py::test_y`."""
    return context.partition("[")[0].partition(" ")[0]


def _exists(test: str) -> bool:
    file, _, name = test.partition("::")
    return (TREE / file).exists() and f"def {name.rpartition('::')[2]}(" in _text(TREE / file)


@cache
def programs_of(file: Path) -> set[str]:
    """The tests of a file that start `mem`, or open the model, be it by way of a fixture."""
    asked = {
        each.name: {argument.arg for argument in each.args.args}
        for each in ast.walk(ast.parse(_text(file)))
        if isinstance(each, ast.FunctionDef)
    }
    found = {*PROGRAMS}
    while more := {name for name, wanted in asked.items() if wanted & found} - found:
        found |= more
    return found


def _says(file: Path, test: str, names: Sequence[str]) -> bool:
    """Whether a test names one of these itself."""
    return bool(names) and not _words(file).get(test.rpartition("::")[2], frozenset()).isdisjoint(names)


@cache
def _words(file: Path) -> dict[str, frozenset[str]]:
    """The names that stand in each function of a file."""
    found = {}
    for function in ast.walk(ast.parse(_text(file))):
        if isinstance(function, ast.FunctionDef):
            inside = [*ast.walk(function)]
            named = {each.id for each in inside if isinstance(each, ast.Name)}
            found[function.name] = frozenset(named | {e.attr for e in inside if isinstance(e, ast.Attribute)})
    return found


@cache
def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8")


@cache
def _moved(before: Path, after: Path) -> dict[int, int]:
    """From a line now to the line that said the same when it was recorded."""
    matcher = difflib.SequenceMatcher(
        a=_text(before).splitlines(), b=_text(after).splitlines(), autojunk=False
    )
    return {
        block.b + each + 1: block.a + each + 1
        for block in matcher.get_matching_blocks()
        for each in range(block.size)
    }


@cache
def _mentions(names: tuple[str, ...]) -> list[tuple[str, list[int]]]:
    """Where these names stand in memcli: a file, and lines of it."""
    pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, names))})\b")
    found = []
    for file in sorted((TREE / "memcli").rglob("*.py")):
        if lines := [n for n, line in enumerate(_text(file).splitlines(), 1) if pattern.search(line)]:
            found.append((str(file.relative_to(TREE)), lines))
    return found
