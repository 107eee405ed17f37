"""Where fuzzing takes place: a store that is soon made anew, and `mem` run in this process."""

from __future__ import annotations

import io
import json
import os
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

from benchmarks.fuzz.inputs import PROCEDURES, Input, Seeds
from benchmarks.fuzz.told import untold
from memcli.errors import MemcliError

# Seconds of CPU that an input may take; by the clock, which others share, it may only not wait for ever.
PATIENCE = 2.0
# … and of many that come together each further one: a run that takes longer is taken apart.
_EACH = 0.04
# … and what goes through a whole store, of which the night looks at every pair: for each that came in.
_STORED = 0.005
_FOR_EVER = 120.0
_MADE = "made"
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
    ("policy", "add", "deploy", "--rule", "Never deploy on Mondays", "--pattern", "deploy", "--unless",
    "role=oncall"),
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
    """Two seconds of CPU are over, or it waits for what does not come."""


class Playground:
    """A folder with a store that is copied in anew, and `mem` run in it within this process."""

    def __init__(self, root: Path) -> None:
        self._stdin, self._stdout = os.dup(0), os.dup(1)
        self._is_set = False
        self._made, self._here, self._streams = root / "made", root / "here", root / "streams"
        for name in ("made", "here", "streams", "home", "cache", "empty"):
            (root / name).mkdir()
        kept = {name: value for name, value in os.environ.items() if name in ("LANG", "LC_ALL", "TMPDIR")}
        places = {
            "HOME": root / "home", "PATH": root / "empty", "MEMCLI_CACHE_DIR": root / "cache",
            "TMPDIR": root / "empty",
            "MEMCLI_DB": self._here / "memory.db", "MEMCLI_CONFIG": self._here / "config.toml",
        }  # fmt: skip
        self._environment = {
            **kept,
            "EDITOR": "false",
            "MEMCLI_RECALL_LOG": "query",
            "MEMCLI_HOOK_LOG": "on",
            **{n: str(p) for n, p in places.items()},
        }
        os.chdir(self._here)
        self.seeds = self._make()

    def _make(self) -> Seeds:
        for name, text in (("in/deploy.md", PROCEDURES[0]), ("in/ship/SKILL.md",
        PROCEDURES[0].replace("deploy", "ship")),
                           ("in/ship/run.sh", "true"), ("state", '{"page": 9}')):  # fmt: skip
            place = self._here / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text)
        for arguments in _MADE_BY:
            done = self.mem(Input(_MADE, arguments))
            if done.failure or done.status not in (0, 3):
                raise SystemExit(f"{arguments}: {done}")
        self.mem(Input(_MADE, ("consolidate", "--plan", "plan")))
        exported = self.mem(Input(_MADE, ("export", "--history", "--vectors"))).out
        turns = self.mem(Input(_MADE, ("session", "export", "s"))).out
        policies = self.mem(Input(_MADE, ("policy", "export"))).out
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

    def _clear_away(self, given: Input) -> None:
        """Take away what the input before this one found.

        Settings that were typed are there for one more: with a bad file of them all others would come to
        nothing.
        """
        for name in ("in", "plan", "transcript.jsonl", *(() if self._is_set else ("config.toml",))):
            place = self._here / name
            if place.is_dir() and not place.is_symlink():
                shutil.rmtree(place)
            else:
                place.unlink(missing_ok=True)
        self._is_set = list(given.arguments[:2]) == ["config", "set"]

    def _stream(self, name: str, data: bytes) -> io.TextIOWrapper:
        # A file, for what asks for its descriptor.
        (self._streams / name).write_bytes(data)
        return (self._streams / name).open("r+", encoding="utf-8")

    def mem(self, given: Input, zone: str = "UTC", *, after: int = 0) -> Outcome:
        """Carry one run out; of its files those of the run before are gone.

        It may take PATIENCE, and more for each of many inputs, and for those that came `after` each other
        into the store that it reads.
        """
        from memcli import app

        if given.door != _MADE:
            self._clear_away(given)
        for name, data in given.laid_down:
            (self._here / name).parent.mkdir(parents=True, exist_ok=True)
            (self._here / name).write_bytes(data)
        os.environ.clear()
        os.environ.update(self._environment, TZ=zone)
        time.tzset()
        streams = [
            self._stream(name, data) for name, data in (("in", given.piped), ("out", b""), ("err", b""))
        ]
        before, failure, status = (sys.stdin, sys.stdout, sys.stderr), None, -1
        sys.stdin, sys.stdout, sys.stderr = streams
        # What an agent starts reads and writes these by their numbers.
        os.dup2(streams[0].fileno(), 0)
        os.dup2(streams[1].fileno(), 1)
        swallowed.clear()
        try:
            with _patience(PATIENCE + _EACH * (given.inputs - 1) + _STORED * after):
                status = app.run(list(given.arguments))
        except _Hang as error:
            failure = _failed(error, "hang")
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            failure = _failed(error, "traceback")
        finally:
            sys.stdin, sys.stdout, sys.stderr = before
            os.dup2(self._stdin, 0)
            os.dup2(self._stdout, 1)
        for stream in streams:
            with suppress(ValueError):  # closed
                stream.close()
        out, err = ((self._streams / name).read_text(errors="replace") for name in ("out", "err"))
        if swallowed and not failure:
            failure = _failed(swallowed[0], "swallowed")
        return Outcome(status, out, err, failure or _misstated(given, status, out, err))


@contextmanager
def _patience(seconds: float) -> Iterator[None]:
    def over(*_: object) -> None:
        raise _Hang

    limits = (
        (signal.ITIMER_VIRTUAL, signal.SIGVTALRM, seconds),
        (signal.ITIMER_REAL, signal.SIGALRM, _FOR_EVER),
    )
    # A test's own limit runs by the same clock.
    before = [
        (timer, number, signal.signal(number, over), signal.setitimer(timer, limit))
        for timer, number, limit in limits
    ]
    try:
        yield
    finally:
        for timer, number, handler, left in before:
            signal.setitimer(timer, 0)
            signal.signal(number, handler)
            signal.setitimer(timer, *left)


def _failed(error: BaseException, what: str) -> Failure:
    frames = [each for each in traceback.extract_tb(error.__traceback__) if "memcli" in each.filename]
    place = f"{Path(frames[-1].filename).name}:{frames[-1].name}" if frames else "?"
    told = "".join(traceback.format_exception(error))
    return Failure(f"{what} {type(error).__name__} in {place}", told[-6000:])


def _misstated(given: Input, status: int, out: str, err: str) -> Failure | None:
    """An exit status that does not fit, or an error that says nothing, or not of which line it is."""
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
    if left := untold(given, out, err):
        return Failure(f"{given.door}: {left}", f"{err[-3000:]}\n{out[-2000:]}")
    return None


# What was raised where all exceptions are taken for nothing to say.
swallowed: list[BaseException] = []


class _noting(suppress):
    """`suppress`, but what no owner can be told of is noted."""

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> bool:
        hidden = super().__exit__(kind, error, trace)
        if hidden and error is not None and not isinstance(error, MemcliError | OSError):
            swallowed.append(error)
        return bool(hidden)


@contextmanager
def playground() -> Iterator[Playground]:
    """A place to fuzz in, with the stand-in for a model; the process is as before when it ends."""
    before, folder = dict(os.environ), Path.cwd()
    memory = "/dev/shm"
    try:
        with (
            _within_one_process(),
            tempfile.TemporaryDirectory(
                prefix="fuzz-", dir=memory if os.access(memory, os.W_OK) else None
            ) as root,
        ):
            yield Playground(Path(root))
            os.chdir(folder)
    finally:
        os.environ.clear()
        os.environ.update(before)
        os.chdir(folder)
        time.tzset()


@contextmanager
def _within_one_process() -> Iterator[None]:
    """Have everything here that a command would start, wait for, or end with its process."""
    import typer

    import memcli.app
    import memcli.embedding
    from memcli.agents.hooks import runner
    from memcli.agents.mcp import server, wire
    from memcli.system import waiting
    from tests.standin import StandIn

    def logged_here(agent: Any, payload: Any) -> None:
        # What would be detached reads on stdin what the hook was handed.
        with tempfile.TemporaryFile() as handed:
            handed.write(json.dumps(payload.fields).encode())
            handed.seek(0)
            os.dup2(handed.fileno(), 0)
            runner.log_turns(agent.name)

    deadline = runner._deadline  # noqa: SLF001
    with ExitStack() as stack:
        for where, name, value in (
            # The group of all is built once: that is most of the time otherwise.
            (typer.main, "get_command", cache(typer.main.get_command)),
            (memcli.embedding, "open_embedder", lambda *_, **__: StandIn()),
            # Nobody listens: what goes on until its reader is gone (`watch`) ends.
            (waiting, "wait_for_listener", lambda seconds, descriptor=None: False),
            # It ends its process some seconds after its client is gone: that would be this one.
            (server, "_end_soon", lambda: None),
            # Its copies of the descriptors would stay with this process.
            (wire, "take_wire", lambda: wire.Wire(0, 1)),
            (runner, "_detach", logged_here),
            # On a busy machine it would say nothing, and be at work when the next input comes.
            (runner, "_deadline", lambda config: max(deadline(config), _FOR_EVER)),
            (runner, "suppress", _noting),
            (memcli.app, "suppress", _noting),
        ):
            stack.enter_context(patch.object(where, name, value))
        yield
