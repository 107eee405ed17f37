"""The console blocks of the documentation, run again and compared, or written anew.

    python -m tests.docs.replay [--update] [PAGE…]

A block of ```console is a terminal: `$ ` begins a command line (which goes on after a `\\` at its end,
and to the end of a here-document), what follows is what it printed, stdout and stderr as they came. A
page begins with an empty home and store, on a Saturday, 2026-11-21 14:00 UTC; each line is a minute
later. Lines run in a real bash, `mem` is `tests.docs.warm`. What a reader need not see stands in a
comment that begins `<!-- replay`: it must succeed, and its output is not compared.
`$ later 8d` lets time pass.

Numbers may differ by one in their last digit (another processor adds otherwise), lengths of time freely.
`--update` writes down what was printed instead. Ids that it sees change in the output are changed
in the lines below, too; so while writing a page any eight signs do for an id.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import NamedTuple, Self

from memcli import times
from tests.docs import warm

ROOT = Path(__file__).parents[2]
FURNISHED = Path(__file__).with_name("furnished.md")
STANDINS = Path(__file__).parent / "programs"
BEGIN = datetime(2026, 11, 21, 14, 0, tzinfo=UTC)
# Where the owner of the examples lives, wherever the test does.
HOME = "/home/ann"

# Programs that a line may call and a machine may lack.
_OTHERS = ("jq", "sqlite3")
_OPEN, _CLOSE = re.compile(r"\s*(?:```console|<!-- replay)\s*"), re.compile(r"\s*(?:```|-->)\s*")
_HERE = re.compile(r"<<'?(\w+)'?")
_ID = re.compile(r"\b[0-9A-HJKMNP-TV-Z]{26}\b|\b(?=[A-Z]*\d)[0-9A-HJKMNP-TV-Z]{8}\b")
_NUMBER = re.compile(r"\d+\.\d+")
_LENGTH = re.compile(r"(?<![\d.])\d+(?:\.\d+)? s\b")


class Line(NamedTuple):
    """A command line of a page, and what it is said to print."""

    number: int
    """Where the command begins on the page, from 0."""
    command: str
    printed: list[str]
    hidden: bool
    output: slice
    """The lines of the page that are its output."""


class Difference(NamedTuple):
    """What a line printed, where that is not what the page says."""

    line: Line
    printed: list[str]
    status: int

    def __str__(self) -> str:
        said, was = "\n".join(self.line.printed), "\n".join(self.printed)
        return (
            f"line {self.line.number + 1}: $ {self.line.command}\n--- the page says\n{said}\n"
            f"--- it printed (exit {self.status})\n{was}\n"
        )


def lines_of(page: str) -> Iterator[Line]:
    """The command lines of a page's console blocks, in order."""
    rows, at, hidden = page.split("\n"), 0, False
    while at < len(rows):
        if not _OPEN.fullmatch(rows[at]):
            at += 1
            continue
        hidden, at = "<!--" in rows[at], at + 1
        while at < len(rows) and not _CLOSE.fullmatch(rows[at]):
            if not rows[at].startswith("$ "):
                raise ValueError(f"line {at + 1} of a console block belongs to no command: {rows[at]!r}")
            begin = at
            at = _end_of_command(rows, at)
            command = "\n".join(rows[begin:at])[2:]
            first = at
            while at < len(rows) and not rows[at].startswith("$ ") and not _CLOSE.fullmatch(rows[at]):
                at += 1
            yield Line(begin, command, rows[first:at], hidden, slice(first, at))
        at += 1


def _end_of_command(rows: Sequence[str], at: int) -> int:
    here = _HERE.search(rows[at])
    while rows[at].endswith("\\"):
        at += 1
        here = here or _HERE.search(rows[at])
    if here:
        while rows[at] != here[1]:
            at += 1
    return at + 1


def runnable(command: str) -> bool:
    """Whether the programs of others that a line calls are here; a line that cannot run is passed by."""
    return all(shutil.which(each) for each in _OTHERS if re.search(rf"\b{each}\b", command))


def same(said: Sequence[str], printed: Sequence[str]) -> bool:
    """Whether two outputs are the same but for what may differ."""
    return len(said) == len(printed) and all(
        _close(*(_LENGTH.sub("# s", line).rstrip() for line in pair))
        for pair in zip(said, printed, strict=True)
    )


def _close(a: str, b: str) -> bool:
    return _NUMBER.sub("#", a) == _NUMBER.sub("#", b) and all(
        len(x) == len(y) and abs(float(x) - float(y)) < 1.5 * 10.0 ** -len(x.partition(".")[2])
        for x, y in zip(_NUMBER.findall(a), _NUMBER.findall(b), strict=True)
    )


class Shell:
    """A home of its own in which lines are run, one after the other, at told instants."""

    def __init__(self, home: Path, programs: Path, cache: Path, at: datetime = BEGIN) -> None:
        self._home, self._at, self._times = home, at, Counter[str]()
        (home / "work").mkdir(parents=True, exist_ok=True)
        plain = {
            k: v for k, v in os.environ.items() if not k.startswith(("MEMCLI_", "XDG_", "HF_", "PYTHON"))
        }
        self._environment = {
            **plain,
            "HOME": str(home),
            # `mem warm` starts a process of its own, which finds the same program, beside nobody's else.
            "PYTHONPATH": str(ROOT),
            "XDG_RUNTIME_DIR": str(home),
            "PATH": os.pathsep.join([str(programs), str(STANDINS), os.environ["PATH"]]),
            "TZ": "UTC",
            "LC_ALL": "C.UTF-8",
            "EDITOR": "touch",
            "PYTHON_KEYRING_BACKEND": "tests.file_keyring.FileKeyring",
            "REPLAY_PYTHON": sys.executable,
            "REPLAY_LLM": str(ROOT / "tests" / "fake_llm.py"),
            "MEMCLI_CACHE_DIR": str(cache),
            # As for somebody who types: what programs write in one session has a limit.
            "MEMCLI_SESSION_WRITES": "0",
        }

    def run(self, command: str) -> tuple[list[str], int]:
        """What a command line prints, stdout and stderr as they come, and its exit status."""
        if command.startswith("later "):
            self._at += times.parse_duration(command.removeprefix("later "))
            return [], 0
        self._at += timedelta(minutes=1)
        self._times[command] += 1
        steering = {
            "REPLAY_AT": times.to_iso(self._at),
            "REPLAY_LINE": f"{command} #{self._times[command]}",
        }
        done = subprocess.run(
            ["bash", "-c", command], cwd=self._home / "work", env=self._environment | steering, timeout=120,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        printed = done.stdout.decode("utf-8", "replace").replace(str(self._home), HOME)
        return [line.rstrip() for line in printed.splitlines()], done.returncode


class Replay:
    """A warm `mem`, and shells that call it."""

    def __init__(self, cache: Path) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="replay-")
        self._cache = cache
        self.folder = Path(self._folder.name)
        self._programs = self.folder / "bin"

    def __enter__(self) -> Self:
        path = self.folder / "mem.socket"
        self._programs.mkdir()
        client = self._programs / "mem"
        client.write_text(warm.CLIENT.format(python=sys.executable, path=str(path)), encoding="utf-8")
        client.chmod(0o755)
        self._server = subprocess.Popen(
            [sys.executable, "-m", "tests.docs.warm", str(path)],
            cwd=ROOT, stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(ROOT), "MEMCLI_CACHE_DIR": str(self._cache)},
        )  # fmt: skip
        assert self._server.stdout is not None
        if not self._server.stdout.readline():
            raise RuntimeError("tests.docs.warm did not start; see its stderr")
        return self

    def __exit__(self, *_: object) -> None:
        self._server.terminate()
        self._server.communicate()
        self._folder.cleanup()

    @contextmanager
    def shell(self, *, furnished: bool = False) -> Iterator[Shell]:
        """A shell in a new home; or in a copy of the one that furnished.md furnishes."""
        with tempfile.TemporaryDirectory(dir=self.folder) as home:
            if furnished:
                shutil.copytree(self._furnished, home, dirs_exist_ok=True)
            begin = BEGIN + timedelta(days=int(furnished))
            yield Shell(Path(home), self._programs, self._cache, begin)

    @cached_property
    def _furnished(self) -> Path:
        home = self.folder / "furnished"
        shell = Shell(home, self._programs, self._cache)
        for line in lines_of(FURNISHED.read_text("utf-8")):
            printed, status = shell.run(line.command)
            assert status == 0, Difference(line, printed, status)
        return home

    def failing(self, examples: Iterable[str]) -> Iterator[str]:
        """Run a command's examples: those that do not end as their comment says, and what they print."""
        with self.shell(furnished=True) as shell:
            for example in filter(runnable, examples):
                said = re.search(r"# exit (\d+)", example)
                printed, status = shell.run(example)
                if status != (int(said[1]) if said else 0):
                    yield "\n".join([f"$ {example}", *printed, f"exit {status}"])

    def differences(self, page: str) -> Iterator[Difference]:
        """Replay a page: the lines that do not print what it says."""
        with self.shell() as shell:
            for line in lines_of(page):
                printed, status = shell.run(line.command)
                if not (status == 0 if line.hidden else same(line.printed, printed)):
                    yield Difference(line, printed, status)

    def updated(self, page: str) -> str:
        """The page with what its lines print now."""
        renamed: dict[str, str] = {}
        rows = page.split("\n")
        new: list[tuple[Line, list[str]]] = []
        with self.shell() as shell:
            for line in lines_of(page):
                command = re.sub(r"\w+", lambda word: renamed.get(word[0], word[0]), line.command)
                printed, status = shell.run(command)
                if line.hidden and status:
                    raise SystemExit(str(Difference(line, printed, status)))
                renamed.update(_renamed(line.printed, printed))
                kept = line.hidden or same(line.printed, printed)
                new.append((line._replace(command=command), line.printed if kept else printed))
        for line, printed in reversed(new):
            rows[line.number : line.output.stop] = [*f"$ {line.command}".split("\n"), *printed]
        return "\n".join(rows)


def _renamed(said: Sequence[str], printed: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Ids of the page and what they are now, whole and by their tails.

    Told only where as many stand in both, or the page has but one (the first, then).
    """
    before, after = (_ID.findall("\n".join(lines)) for lines in (said, printed))
    if len(before) in (1, len(after)):
        for old, new in zip(before, after, strict=False):
            yield old, new[-len(old) :]
            yield old[-8:], new[-8:]


def pages() -> list[Path]:
    """The pages that are written by hand: README.md and docs/*.md."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def main(arguments: Sequence[str]) -> int:
    """Replay the pages named, else all; exit 1 where one is not as it says."""
    named = [Path(each).resolve() for each in arguments if not each.startswith("-")] or pages()
    cache = os.environ.get("MEMCLI_TEST_CACHE")
    if not cache:
        sys.exit("set MEMCLI_TEST_CACHE to a folder where the compiled model may be kept")
    wrong = 0
    with Replay(Path(cache).resolve()) as replay:
        for path in named:
            page = path.read_text("utf-8")
            if "--update" in arguments:
                path.write_text(replay.updated(page), encoding="utf-8")
                continue
            for each in replay.differences(page):
                wrong += 1
                sys.stdout.write(f"{path.name}: {each}\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
