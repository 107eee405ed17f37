"""See the package."""

from __future__ import annotations

import argparse
import json
import os
import random
import shlex
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from benchmarks import faults
from benchmarks.command_line import parser_for
from benchmarks.faults import check, process
from benchmarks.faults.commands import TABLE, Command, lose_index, make_store
from benchmarks.faults.process import Fault
from memcli.errors import MemcliError
from memcli.storage.stores import open_store
from memcli.system.files import write_private

# How often each is tried; a crowd is eight processes.
_KINDS = {
    "kill": 28,
    "torn": 14,
    "full": 14,
    "broken": 14,
    "unread": 10,
    "instant": 8,
    "flip": 10,
    "crowd": 2,
}
# Faults between two lines of progress.
_SHOWN = 100
# How a command may end that nothing befalls; `doctor` also says what it finds of other things than the store.
_FINE, _FINE_DAMAGED = (0, 1), (0, 1, 4)
_PRELOADED = "MEMCLI_FAULTS_PRELOADED"


class Rounds:
    """A template of the store, and rounds that break copies of it."""

    def __init__(
        self, folder: Path, chance: random.Random, only: str, kinds: Sequence[str], keep: Path | None
    ) -> None:
        self._folder, self._chance, self._keep = folder, chance, keep
        self._kinds = kinds
        self._table = [each for each in TABLE if not only or each.words[0] == only]
        write_private(folder / "key", os.urandom(32).hex().encode())
        write_private(folder / "next", os.urandom(32).hex().encode())
        os.environ["MEMCLI_KEY_FILE"] = str(folder / "key")
        # Whichever of the two a store has after `rekey`, it opens.
        os.environ["MEMCLI_KEY_COMMAND"] = f"cat {shlex.quote(str(folder / 'next'))}"
        self._template = folder / "template"
        (self._template / "home" / "shared").mkdir(parents=True)
        make_store(
            self._template,
            lambda *words, stdin="": (
                process.call(_placed(words, self._template), self._template, stdin)[0].status
            ),
        )
        self._before = check.read(self._template / "home" / "memory.db")
        self._beginnings: dict[Command, check.Content] = {}
        # Of each command what it makes of the store, and in how many calls, when nothing befalls it.
        self._after: dict[Command, tuple[check.Content, process.Calls, float]] = {}
        self.tried: Counter[str] = Counter()
        self.wrong: Counter[str] = Counter()

    def next(self) -> None:
        """One fault."""
        [kind] = self._chance.choices(self._kinds, [_KINDS[each] for each in self._kinds])
        command = self._chance.choice(self._table)
        if kind in ("flip", "crowd") and (command.first or command.damaged):
            return
        work = self._copy("work", command)
        found = getattr(self, f"_{kind}")(work, command)
        self.tried[kind] += 1
        if found:
            self.wrong[kind] += 1
            print(f"{kind}  mem {' '.join(command.words)}\n    " + "\n    ".join(found), flush=True)
            if self._keep:
                shutil.copytree(work, self._keep / f"{kind}-{self.tried.total()}", dirs_exist_ok=True)

    def _copy(self, name: str, command: Command) -> Path:
        """The store that the command is run on, in a folder of its own."""
        work = self._folder / name
        shutil.rmtree(work, ignore_errors=True)
        shutil.copytree(self._begun(command), work)
        return work

    def _begun(self, command: Command) -> Path:
        """The template, once all has befallen it that comes before the command."""
        if not (command.first or command.damaged):
            return self._template
        begun = self._folder / f"begun-{TABLE.index(command)}"
        if not begun.exists():
            shutil.copytree(self._template, begun)
            for words in command.first:
                outcome, _ = process.call(self._words(Command(words), begun), begun)
                if outcome.status:
                    raise SystemExit(f"{words} does not run here: {outcome}")
            if command.damaged:
                lose_index(begun / "home" / "memory.db")
        return begun

    def _content(self, command: Command) -> check.Content:
        """What the store holds when the command begins: what was lost before it must come back."""
        if command.damaged or not command.first:
            return self._before
        if command not in self._beginnings:
            self._beginnings[command] = check.read(self._begun(command) / "home" / "memory.db")
        return self._beginnings[command]

    def _words(self, command: Command, work: Path) -> tuple[str, ...]:
        """The command line, with ids of the template's memories for @0, @1, @ended, and a place for OUT."""
        live = [each for each, record in self._before.memories.items() if record["ended_at"] is None]
        ended = [each for each in self._before.memories if each not in live]
        places = {f"@{n}": each for n, each in enumerate(live)}
        places |= {
            "@ended": ended[0],
            "KEY": os.environ["MEMCLI_KEY_FILE"],
            "NEXT": str(self._folder / "next"),
        }
        return _placed(tuple(places.get(word, word) for word in command.words), work)

    def _unharmed(self, command: Command) -> tuple[check.Content, process.Calls, float]:
        if command not in self._after:
            work = self._copy("unharmed", command)
            began = time.monotonic()
            outcome, calls = process.call(self._words(command, work), work, command.stdin)
            if (
                outcome.status not in (_FINE_DAMAGED if command.damaged else _FINE)
                or "Traceback" in outcome.stderr
            ):
                raise SystemExit(f"{command.words} does not run here: {outcome}")
            seconds = time.monotonic() - began
            self._after[command] = (check.read(work / "home" / "memory.db"), calls, seconds)
        return self._after[command]

    def _struck(self, work: Path, command: Command, fault: Fault) -> list[str]:
        after, calls, _ = self._unharmed(command)
        at = self._chance.randint(1, max(calls.reading if fault is Fault.UNREAD else calls.writing, 1))
        outcome, _ = process.call(self._words(command, work), work, command.stdin, fault, at)
        return [*self._checked(work, command, after, outcome), *self._goes_on(work)]

    def _checked(
        self, work: Path, command: Command, after: check.Content, outcome: check.Outcome
    ) -> list[str]:
        home = work / "home"
        if command.damaged:
            again, _ = process.call(self._words(command, work), work)
            left = [each.name for each in home.iterdir() if ".repair-" in each.name]
            if again.status not in _FINE_DAMAGED or left:
                return [f"once more: {again}; left: {left}"]
            outcome = again
        found = check.faults_in(home / "memory.db", command, self._content(command), after, outcome)
        if outcome.status and "othing was changed" in outcome.stderr and not command.damaged:
            found += check.files_changed(self._begun(command) / "home", home)
        return found

    def _goes_on(self, work: Path) -> list[str]:
        """The next command works, whatever the last one left."""
        outcome, _ = process.call(("remember", "the next day is calm"), work)
        if outcome.status:
            return [f"the next command: {outcome}"]
        store = open_store(work / "home" / "memory.db", create=False)
        try:
            journal = next(each for each in store.check() if each.name == "journal")
            return [] if journal.ok else [f"then: journal {journal.detail}"]
        finally:
            store.close()

    def _kill(self, work: Path, command: Command) -> list[str]:
        return self._struck(work, command, Fault.KILL)

    def _torn(self, work: Path, command: Command) -> list[str]:
        return self._struck(work, command, Fault.TORN)

    def _full(self, work: Path, command: Command) -> list[str]:
        return self._struck(work, command, Fault.FULL)

    def _broken(self, work: Path, command: Command) -> list[str]:
        return self._struck(work, command, Fault.BROKEN)

    def _unread(self, work: Path, command: Command) -> list[str]:
        return self._struck(work, command, Fault.UNREAD)

    def _instant(self, work: Path, command: Command) -> list[str]:
        after, _, seconds = self._unharmed(command)
        when = self._chance.uniform(0, seconds)
        outcome, _ = process.call(self._words(command, work), work, command.stdin, kill_after=when)
        return [*self._checked(work, command, after, outcome), *self._goes_on(work)]

    def _flip(self, work: Path, command: Command) -> list[str]:
        """A flipped bit is told, or changes nothing that is read; never silently a memory."""
        path = work / "home" / "memory.db"
        sqlite3.connect(path).execute("PRAGMA wal_checkpoint(TRUNCATE)").connection.close()
        content = bytearray(path.read_bytes())
        place = self._chance.randrange(len(content))
        content[place] ^= 1 << self._chance.randrange(8)
        path.write_bytes(content)
        try:
            store = open_store(path, create=False)
            try:
                told = [each for each in store.check() if not each.ok]
            finally:
                store.close()
            now = check.read(path)
        except MemcliError:
            return []
        except Exception as error:  # a value that nobody expected is what is looked for
            return [f"byte {place}: dies with {error!r}"]
        unnoticed = now != self._before and not told
        return [f"byte {place}: changed, and nobody says so"] if unnoticed else []

    def _crowd(self, work: Path, command: Command) -> list[str]:
        """Eight writers, a night, an export, one of them killed: what was acknowledged is there, once."""
        texts = [f"writer {n} saw {self._chance.randrange(10**6)} gulls" for n in range(8)]
        calls = [("remember", text) for text in texts] + [("consolidate",), ("export", "-o", os.devnull)]
        self._chance.shuffle(calls)
        children = []
        for number, words in enumerate(calls):
            child = os.fork()
            if child == 0:
                own = self._folder / f"own-{number}"
                own.mkdir(exist_ok=True)
                (own / "home").symlink_to(work / "home") if not (own / "home").exists() else None
                killed = self._chance.uniform(0, 0.3) if number == 0 else None
                outcome, _ = process.call(words, own, kill_after=killed)
                os._exit(0 if outcome.status == 0 else 1)
            children.append((child, words))
        acknowledged = [words[-1] for child, words in children if os.waitpid(child, 0)[1] == 0]
        now = check.read(work / "home" / "memory.db")
        there = Counter(str(record["text"]) for record in now.memories.values())
        return [f"{text!r} is there {there[text]} times" for text in acknowledged
                if text in texts and there[text] != 1]  # fmt: skip


def _placed(words: tuple[str, ...], work: Path) -> tuple[str, ...]:
    """A command line with the places in a folder of the store's home."""
    places = {"OUT": "out", "SHARED": "shared", "OTHER": "other.db"}
    return tuple(str(work / "home" / places[word]) if word in places else word for word in words)


def main() -> None:
    """Break things until the time or the number is over; print the table; exit 1 where anything was wrong."""
    parser = parser_for(faults.__doc__)
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--faults", type=int, default=10**9)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--only", default="", help="one command")
    parser.add_argument("--kinds", default=",".join(_KINDS), help="only these kinds of fault")
    parser.add_argument("--keep", type=Path, help="keep the folders of what went wrong here")
    given = parser.parse_args()
    if _PRELOADED not in os.environ:
        sys.exit(_conduct(given))
    with tempfile.TemporaryDirectory(prefix="memcli-faults-") as folder:
        process.warm_up(Path(folder))
        rounds = Rounds(
            Path(folder), random.Random(given.seed), given.only, given.kinds.split(","), given.keep
        )
        deadline = time.monotonic() + given.seconds
        while time.monotonic() < deadline and rounds.tried.total() < given.faults:
            rounds.next()
            if rounds.tried.total() % _SHOWN == 0:
                print(dict(rounds.tried), file=sys.stderr, flush=True)
    Path(os.environ[_PRELOADED]).write_text(json.dumps([rounds.tried, rounds.wrong]))


def _conduct(given: argparse.Namespace) -> int:
    """Start the workers with the shim loaded into them, and add up what they found."""
    tried: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        shim = process.build_shim(Path(folder))
        workers = []
        for number in range(given.workers):
            told = Path(folder) / str(number)
            share = [*sys.argv[1:], "--seed", str(given.seed * 100 + number)]
            share += ["--faults", str(-(-given.faults // given.workers))]
            environment = {**os.environ, "LD_PRELOAD": str(shim), _PRELOADED: str(told)}
            command = [sys.executable, "-m", "benchmarks.faults", *share]
            workers.append((subprocess.Popen(command, env=environment), told))
        for worker, told in workers:
            if worker.wait() or not told.exists():
                return 1
            for counter, more in zip((tried, wrong), json.loads(told.read_text()), strict=True):
                counter.update(more)
    print(f"\n{'fault':10}{'tried':>8}{'wrong':>8}")
    for kind in _KINDS:
        print(f"{kind:10}{tried[kind]:8}{wrong[kind]:8}")
    print(f"{'all':10}{tried.total():8}{wrong.total():8}")
    print(f"{time.monotonic() - began:.0f} s, seed {given.seed}")
    return int(wrong.total() > 0)


if __name__ == "__main__":
    main()
