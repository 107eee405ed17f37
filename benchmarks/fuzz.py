"""Fuzzing: hostile inputs through every door, in one process, each on a store that is soon made anew.

    python -m benchmarks.fuzz [--inputs 1000000] [--seed N] [--doors import,plans] [--out FOLDER]
    python -m benchmarks.fuzz --replay FILE

Counts what no input may do: a traceback, more than two seconds of CPU, an exit status that is
none of a sound store's (0 to 3; 4 and 5 where an argument names another store or model), an error of which
stderr says nothing. After some inputs on the same store others are read through `recall`, `list`, `context`, `export` and
more: no value that was let in may make these fail. The seed is printed, and a failing input is written to FOLDER,
with which `--replay` runs it alone. Input n of a seed is the same whichever doors are left out.

The model is the tests' stand-in, the store is of temporary files, PATH, HOME and the working folder are empty: nothing
that an input says reaches anything else. Runs on POSIX (CPU time is measured by signals).
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.fuzz_inputs import DOORS, PROCEDURES, Input, Seeds

PATIENCE = 2.0
# So many inputs on one store, then it is read, and made anew.
_TOGETHER = 50
_ZONES = ("UTC", "Pacific/Kiritimati", "Etc/GMT+12", "America/New_York", "Asia/Kathmandu")
_MADE_BY = (
    ("remember", "Ann lives in Rome", "--tag", "a", "--at", "2026-05-03"),
    ("remember", "Ann lives in Paris now", "--importance", "0.9"),
    ("remember", "Rent is 900 a month", "--valid-from", "2026-01-01", "--valid-until", "2026-12-31"),
    ("remember", "I think Bob may move", "--source", "inferred", "--confidence", "0.5"),
    ("link", "Ann", "works_at", "Acme", "--since", "2024"),
    ("graph", "alias", "Annie", "Ann"),
    ("log", "hello there, we deploy on Friday", "--session", "s"),
    ("log", "fine", "--role", "assistant", "--session", "s"),
    ("block", "set", "owner", "I am Ann"),
    ("rule", "add", "never", "diary", "--pattern", r"\bdiary\b", "--why", "no"),
    ("policy", "add", "deploy", "--rule", "Never deploy on Mondays", "--pattern", "deploy", "--unless", "role=oncall"),
    ("policy", "check", "deploy now"),
    ("procedure", "import", "in"),
    ("checkpoint", "run", "build", "fetch", "--", sys.executable, "-c", "print(1)"),
    ("checkpoint", "save", "crawl", "state"),
    ("recall", "Ann"),
    ("consolidate",),
    ("task", "start", "Mend the boat", "--name", "boat"),
    ("task", "note", "it leaks"),
    ("task", "step", "add", "sand it"),
    ("task", "decide", "which glue", "epoxy", "--why", "it holds"),
    ("task", "set", "a=b"),
    ("remember", "Ann lives in Oslo now"),
    ("recall", "Ann"),
)  # fmt: skip
_READS = (
    ("recall", "Ann lives where"), ("recall", "Ann", "--json", "--explain"), ("list", "--ended"), ("list", "--json"), ("context",),
    ("history",), ("export", "--history", "--vectors"), ("export", "--format", "md"), ("export", "--format", "csv"),
    ("graph", "Ann"), ("graph", "list"), ("task", "show"), ("task", "list"), ("review", "list"), ("stats",), ("profile",),
    ("session", "list"), ("session", "show", "s"), ("session", "messages", "s"), ("checkpoint", "list"), ("checkpoint", "show", "build"),
    ("checkpoint", "restore", "crawl"), ("policy", "list"), ("policy", "check", "deploy"), ("policy", "export"), ("procedure", "list"),
    ("procedure", "show", "deploy"), ("block", "list"), ("block", "show", "owner"), ("rule", "list"), ("audit",),
    ("consolidate", "--dry-run"), ("remember", "Bob owns a red boat"), ("log", "one more", "--session", "s"), ("doctor",),
    ("undo", "--dry-run"), ("list", "--as-of", "2026-06-01"), ("recall", "Ann", "--at", "2026-05"), ("consolidate",), ("recall", "Ann"),
)  # fmt: skip


class Failure(NamedTuple):
    """What an input did that none may; `kind` is one for all that fail in the same place."""

    kind: str
    told: str


class Outcome(NamedTuple):
    """How one run of `mem` ended."""

    status: int
    out: str
    err: str
    failure: Failure | None


class _Hang(BaseException):
    """Two seconds of CPU are over."""


class Playground:
    """A folder with a store that is copied in anew, and `mem` run in it within this process."""

    def __init__(self, root: Path) -> None:
        self._made, self._here, self._streams = root / "made", root / "here", root / "streams"
        for name in ("made", "here", "streams", "home", "cache", "empty"):
            (root / name).mkdir()
        kept = {name: value for name, value in os.environ.items() if name in ("LANG", "LC_ALL", "TMPDIR")}
        places = {
            "HOME": root / "home", "PATH": root / "empty", "MEMCLI_CACHE_DIR": root / "cache", "TMPDIR": root / "empty",
            "MEMCLI_DB": self._here / "memory.db", "MEMCLI_CONFIG": self._here / "config.toml",
        }  # fmt: skip
        self._environment = {
            **kept,
            "EDITOR": "false",
            "MEMCLI_RECALL_LOG": "query",
            **{n: str(p) for n, p in places.items()},
        }
        os.chdir(self._here)
        self.seeds = self._make()

    def _make(self) -> Seeds:
        for name, text in (("in/deploy.md", PROCEDURES[0]), ("in/ship/SKILL.md", PROCEDURES[0].replace("deploy", "ship")),
                           ("in/ship/run.sh", "true"), ("state", '{"page": 9}')):  # fmt: skip
            place = self._here / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text)
        for arguments in _MADE_BY:
            done = self.mem(Input("made", arguments))
            if done.failure or done.status not in (0, 3):
                raise SystemExit(f"{arguments}: {done}")
        self.mem(Input("made", ("consolidate", "--plan", "plan")))
        exported = self.mem(Input("made", ("export", "--history", "--vectors"))).out
        turns = self.mem(Input("made", ("session", "export", "s"))).out
        policies = self.mem(Input("made", ("policy", "export"))).out
        plan = (self._here / "plan").read_text()
        records, said, planned = (
            [json.loads(line) for line in text.splitlines()] for text in (exported, turns, plan)
        )
        for name in ("memory.db", "memory.db-wal"):
            if (self._here / name).exists():
                shutil.copyfile(self._here / name, self._made / name)
        found = [each["id"] for each in records if "id" in each]
        return Seeds(records, said, planned, policies, found)

    def renew(self) -> None:
        """Begin anew: nothing but the store as it was made."""
        for each in self._here.iterdir():
            shutil.rmtree(each) if each.is_dir() and not each.is_symlink() else each.unlink()
        for each in self._made.iterdir():
            shutil.copyfile(each, self._here / each.name)
            (self._here / each.name).chmod(0o600)

    def _stream(self, name: str, data: bytes) -> io.TextIOWrapper:
        # A file, for what asks for its descriptor.
        (self._streams / name).write_bytes(data)
        return (self._streams / name).open("r+", encoding="utf-8")

    def mem(self, given: Input, zone: str = "UTC") -> Outcome:
        """Run one input; of its files those of the run before are gone."""
        from memcli import app

        for name in ("in", "config.toml", "plan"):
            place = self._here / name
            if given.files and place.exists():
                shutil.rmtree(place) if place.is_dir() else place.unlink()
        for name, data in given.files:
            (self._here / name).parent.mkdir(parents=True, exist_ok=True)
            (self._here / name).write_bytes(data)
        os.environ.clear()
        os.environ.update(self._environment, TZ=zone)
        time.tzset()
        streams = [
            self._stream(name, data) for name, data in (("in", given.stdin), ("out", b""), ("err", b""))
        ]
        before, failure, status = (sys.stdin, sys.stdout, sys.stderr), None, -1
        sys.stdin, sys.stdout, sys.stderr = streams
        try:
            with _patience():
                status = app.run(list(given.arguments))
        except _Hang as error:
            failure = _failed(error, "hang")
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001 - what fuzzing is for
            failure = _failed(error, "traceback")
        finally:
            sys.stdin, sys.stdout, sys.stderr = before
        for stream in streams:
            with suppress(ValueError):  # closed
                stream.close()
        out, err = ((self._streams / name).read_text(errors="replace") for name in ("out", "err"))
        return Outcome(status, out, err, failure or _misstated(given, status, err))


@contextmanager
def _patience() -> Iterator[None]:
    def over(*_: object) -> None:
        raise _Hang

    signal.signal(signal.SIGVTALRM, over)
    signal.setitimer(signal.ITIMER_VIRTUAL, PATIENCE)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def _failed(error: BaseException, what: str) -> Failure:
    frames = [each for each in traceback.extract_tb(error.__traceback__) if "memcli" in each.filename]
    place = f"{Path(frames[-1].filename).name}:{frames[-1].name}" if frames else "?"
    told = "".join(traceback.format_exception(error))
    return Failure(f"{what} {type(error).__name__} in {place}", told[-6000:])


def _misstated(given: Input, status: int, err: str) -> Failure | None:
    """An exit status that does not fit, or an error that says nothing."""
    # What doctor finds is that the real model is not compiled here.
    elsewhere = given.door in ("arguments", "settings") or given.arguments[0] == "doctor"
    allowed = {0, 1, 2, 3} | ({4, 5} if elsewhere else set())
    if status not in allowed:
        return Failure(f"status {status} of {given.arguments[0]}", err)
    if status == 2 and not err.strip():
        return Failure(f"status 2 without a word of {given.arguments[0]}", "")
    if "malformed (" in err:
        return Failure(f"what is wrong is not named by {given.arguments[0]}", err)
    if "Traceback" in err:
        return Failure("a traceback on stderr", err)
    return None


class Campaign:
    """Inputs 0, 1, … of a seed, their failures counted by kind and written down once each."""

    def __init__(self, seed: int, doors: Sequence[str], out: Path, ground: Playground) -> None:
        self._seed, self._doors, self._out, self._ground = seed, doors, out, ground
        self.kinds: Counter[str] = Counter()
        self.inputs: Counter[str] = Counter()

    def input_at(self, number: int) -> tuple[Input | None, str]:
        """The input of a number and the zone it runs in; None where its door is left out."""
        chance = random.Random(f"{self._seed}/{number}")
        door = chance.choice(list(DOORS))
        zone = random.Random(f"{self._seed}/{number // _TOGETHER}").choice(_ZONES)
        return (DOORS[door](chance, self._ground.seeds) if door in self._doors else None), zone

    def run(self, first: int, count: int) -> None:
        """Try the inputs from `first` on, a store for each few of them."""
        number = first
        while number < first + count:
            some = []
            self._ground.renew()
            for number in range(number, min(number + _TOGETHER, first + count)):
                given, zone = self.input_at(number)
                if given is None:
                    continue
                self.inputs[given.door] += 1
                some.append(given)
                if failure := self._ground.mem(given, zone).failure:
                    self._note(failure, [given], zone)
            number += 1
            if some and self._unreadable(zone):
                self._blame(some, zone)

    def _unreadable(self, zone: str) -> tuple[Input, Failure] | None:
        (Path.cwd() / "config.toml").unlink(missing_ok=True)
        for arguments in _READS:
            given = Input("reading", arguments)
            done = self._ground.mem(given, zone)
            if done.failure:
                return given, done.failure
        return None

    def _blame(self, some: Sequence[Input], zone: str) -> None:
        """Find out which of some inputs made the store unreadable; all, where none did by itself."""
        for each in [*([one] for one in some), list(some)]:
            self._ground.renew()
            for given in each:
                self._ground.mem(given, zone)
            if found := self._unreadable(zone):
                read, failure = found
                self._note(
                    failure._replace(
                        kind=f"after {each[-1].door}, {' '.join(read.arguments)}: {failure.kind}"
                    ),
                    each,
                    zone,
                )
                return

    def _note(self, failure: Failure, inputs: Sequence[Input], zone: str) -> None:
        self.kinds[failure.kind] += 1
        if self.kinds[failure.kind] > 1:
            return
        self._out.mkdir(parents=True, exist_ok=True)
        name = hashlib.sha256(failure.kind.encode()).hexdigest()[:12]
        record = {
            "kind": failure.kind, "seed": self._seed, "zone": zone, "inputs": [_to_record(each) for each in inputs],
            "told": failure.told,
        }  # fmt: skip
        (self._out / f"{name}.json").write_text(json.dumps(record, indent=1))


def _to_record(given: Input) -> dict[str, Any]:
    files = {name: data.decode("latin-1") for name, data in given.files}
    return {
        "door": given.door,
        "arguments": list(given.arguments),
        "stdin": given.stdin.decode("latin-1"),
        "files": files,
    }


def input_from_record(record: dict[str, Any]) -> Input:
    """An input as it was written down."""
    files = tuple((name, text.encode("latin-1")) for name, text in record["files"].items())
    return Input(record["door"], record["arguments"], record["stdin"].encode("latin-1"), files)


@contextmanager
def playground() -> Iterator[Playground]:
    """A place to fuzz in, with the stand-in for a model; the process is as before when it ends."""
    import memcli.embedding
    from memcli import app
    from tests.standin import StandIn

    opened, before, folder = memcli.embedding.open_embedder, dict(os.environ), Path.cwd()
    loaded = app.load_command
    app.load_command = cache(loaded)  # half of the time otherwise
    memcli.embedding.open_embedder = lambda name, cache, notify=print: StandIn()
    memory = "/dev/shm"  # noqa: S108 - files that are never written to a disk
    try:
        with tempfile.TemporaryDirectory(
            prefix="fuzz-", dir=memory if os.access(memory, os.W_OK) else None
        ) as root:
            yield Playground(Path(root))
            os.chdir(folder)
    finally:
        memcli.embedding.open_embedder, app.load_command = opened, loaded
        os.environ.clear()
        os.environ.update(before)
        os.chdir(folder)
        time.tzset()


def main() -> int:
    """Run, or replay; exits 1 where anything failed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--inputs", type=int, default=1_000_000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**31))
    parser.add_argument("--doors", default=",".join(DOORS))
    parser.add_argument("--out", type=Path, default=Path("fuzz-failures"))
    parser.add_argument("--replay", type=Path)
    given = parser.parse_args()
    out = given.out.absolute()
    if given.replay:
        record = json.loads(given.replay.read_text())
        with playground() as ground:
            ground.renew()
            done = [ground.mem(input_from_record(each), record["zone"]) for each in record["inputs"]]
            unreadable = Campaign(0, (), out, ground)._unreadable(record["zone"])
        print(*done, unreadable, sep="\n")
        return int(any(each.failure for each in done) or unreadable is not None)
    print(f"seed {given.seed}", flush=True)
    started = time.monotonic()
    with playground() as ground:
        campaign = Campaign(given.seed, given.doors.split(","), out, ground)
        for first in range(given.first, given.first + given.inputs, 1000):
            campaign.run(first, min(1000, given.first + given.inputs - first))
            spent = time.monotonic() - started
            print(
                f"{sum(campaign.inputs.values()):>9,} inputs, {len(campaign.kinds)} kinds of failure, {spent:,.0f} s",
                flush=True,
            )
    for kind, number in campaign.kinds.most_common():
        print(f"{number:>7,}  {kind}")
    print(" ".join(f"{door} {number:,}" for door, number in campaign.inputs.items()))
    return int(bool(campaign.kinds))


if __name__ == "__main__":
    sys.exit(main())
