"""What every test stands on. Nothing here reaches the tester's home or the network."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from compileall import compile_dir
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
from hypothesis import HealthCheck, settings

from memcli.config.config import Config
from memcli.config.location import Location, read_location
from memcli.config.settings import DEFAULT_MODEL
from memcli.embedding import Embedder, open_embedder
from memcli.memories import Memories
from memcli.storage.reports import Finding
from memcli.storage.stores import open_store
from memcli.system.places import forget_guarded, make_private_folder
from memcli.system.processors import usable_processors
from tests.network_guard.sitecustomize import NOTES, watch
from tests.not_on_postgres import reason_against
from tests.postgres_server import Server, database, postgres
from tests.standin import StandIn

# The fixtures of a PostgreSQL server, for every test.
__all__ = ("database", "postgres")

MEM = Path(sys.executable).with_name("mem.exe" if os.name == "nt" else "mem")
# No test fails because of timing, nor because each example has the same folder.
settings.register_profile(
    "memcli",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("memcli")

Run = Callable[..., subprocess.CompletedProcess[str]]
GUARD = str(Path(__file__).with_name("network_guard"))

if "sitecustomize" not in sys.modules or not hasattr(sys.modules["sitecustomize"], "NOTES"):
    watch()

# Programs under test are told to end; one that is started to ignore it (`nohup pytest`, a shell's
# background) would pass that on to every program that it starts.
for _name in ("SIGHUP", "SIGINT", "SIGQUIT"):
    if (_number := getattr(signal, _name, None)) and signal.getsignal(_number) is signal.SIG_IGN:
        signal.signal(_number, signal.default_int_handler if _name == "SIGINT" else signal.SIG_DFL)


STORES = ("sqlite", "postgres")
# Where a test's own store is in a database, what stands for the file in its home.
_in_database: dict[Path, Location] = {}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--store", choices=STORES, default=os.environ.get("MEMCLI_TEST_STORE", "sqlite"),
        help="where `mem` keeps what tests tell it: in a file, or in a database of a test's own",
    )  # fmt: skip
    parser.addoption(
        "--cold", action="store_true",
        help="have each call of `mem` start by itself; else a warm process takes over what it can",
    )  # fmt: skip


def pytest_configure(config: pytest.Config) -> None:
    """Have bytecode of the tests, and of what each `mem` of one imports: to compile it is half of its start.

    Python writes none where PYTHONDONTWRITEBYTECODE is set, as in many containers.
    """
    if hasattr(config, "workerinput"):
        return
    for folder in (Path(__file__).parent.parent / "memcli", GUARD):
        compile_dir(str(folder), quiet=2, workers=0)
    if config.getoption("numprocesses", None) and config.args_source is pytest.Config.ArgsSource.TESTPATHS:
        _rewrite_assertions()


def _rewrite_assertions() -> None:
    """Have pytest write the bytecode of the tests once: else each worker rewrites all their assertions."""
    here = Path(__file__).parent
    files = [each for each in here.rglob("*.py") if each.name.startswith("test_")]
    tag = f"{sys.implementation.cache_tag}-pytest-{pytest.__version__}"
    written = ((each, each.parent / "__pycache__" / f"{each.stem}.{tag}.pyc") for each in files)
    if all(pyc.exists() and pyc.stat().st_mtime >= each.stat().st_mtime for each, pyc in written):
        return
    settings = {name: text for name, text in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, "-m", "pytest", "--collect-only", "-qq", "-n", "0", "-p", "no:cacheprovider"]
    processes = [
        subprocess.Popen(
            [*command, *map(str, part)], env=settings, cwd=here.parent, stdout=subprocess.DEVNULL
        )
        for part in (files[number :: usable_processors()] for number in range(usable_processors()))
        if part
    ]
    # What is wrong with a test the run itself says.
    for process in processes:
        process.wait()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Twice as many as processors: almost half of a run is waiting for processes, locks and clocks."""
    return usable_processors() * 2


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """With workers have tests that wait run beside such as compute; skip what cannot hold on PostgreSQL.

    By their names they stand in heaps: those of the warm process, of agents, of texts.
    """
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: crc32(item.nodeid.partition("::")[0].encode()))
    if config.getoption("--store") == "postgres":
        for item in items:
            if reason := reason_against(item.nodeid):
                item.add_marker(pytest.mark.skip(reason=f"not on PostgreSQL: {reason}"))


@pytest.fixture(scope="session")
def made_store(postgres: Server) -> str:
    """The address of an empty store, which every test's own is a copy of."""
    address = postgres.new_database()
    open_store(read_location(address)).close()
    return address


@pytest.fixture
def own_store(
    request: pytest.FixtureRequest, own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Location]:
    """Where the store of a test is that was asked for no other: a file, or with --store a database."""
    if request.config.getoption("--store") == "sqlite":
        yield own_home / "memory.db"
        return
    server: Server = request.getfixturevalue("postgres")
    address = server.new_database(request.getfixturevalue("made_store"))
    monkeypatch.setenv("MEMCLI_DB", address)
    _in_database[own_home / "memory.db"] = read_location(address)
    yield read_location(address)
    _in_database.clear()
    server.drop_database(address)


@pytest.fixture(scope="session")
def runtime_folder() -> Iterator[str]:
    """Where the keepers of this run listen. Short: the path of a socket has a hundred bytes."""
    with tempfile.TemporaryDirectory(prefix="mem-") as folder:
        yield folder


@pytest.fixture(scope="session")
def keeper_of_the_suite(
    request: pytest.FixtureRequest, runtime_folder: str, compiled_cache: Path
) -> Iterator[None]:
    """One that the calls of `mem` go to: whatever a test says of a call holds for both ways.

    Where the start itself is the subject a test asks for a cold call (`tests.warm.keepers.cold`).
    """
    if request.config.getoption("--cold") or os.name != "posix":
        yield
        return
    environment = {
        **{name: text for name, text in os.environ.items() if not name.startswith("MEMCLI_")},
        **{"XDG_RUNTIME_DIR": runtime_folder, "MEMCLI_CONFIG": os.devnull, "PYTHONPATH": _guarded_path()},
        "MEMCLI_CACHE_DIR": str(compiled_cache),
    }
    subprocess.run([MEM, "warm", "start", "--idle", "3h"], env=environment, check=True, timeout=120)
    yield
    subprocess.run([MEM, "warm", "stop"], env=environment, check=True, timeout=120)


def _guarded_path() -> str:
    return os.pathsep.join(filter(None, (GUARD, os.environ.get("PYTHONPATH"))))


@pytest.fixture(scope="session")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Folders of which no two tests have the same; pytest's own way looks through all that there are."""
    folder, numbers = tmp_path_factory.mktemp("homes"), count()
    return ((folder / str(number)) for number in numbers)


@pytest.fixture(autouse=True)
def own_home(runtime_folder: str, homes: Iterator[Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """Every test has a home, a store and a config file of its own."""
    home = next(homes)
    home.mkdir(mode=0o700)
    for name in list(os.environ):
        if name.startswith(("MEMCLI_", "XDG_", "HF_", "PG")) and not name.startswith("MEMCLI_TEST_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_RUNTIME_DIR", runtime_folder)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("MEMCLI_DB", str(home / "data" / "memory.db"))
    monkeypatch.setenv("MEMCLI_CONFIG", str(home / "config.toml"))
    monkeypatch.setenv("MEMCLI_CACHE_DIR", str(home / "cache"))
    monkeypatch.setenv("TZ", "UTC")
    return home


@pytest.fixture(autouse=True)
def nothing_guarded() -> Iterator[None]:
    """No test is refused what a store, key or config file that an earlier one opened in this process guards.

    A command is a process of its own and forgets nothing of the kind: an encrypted store is known by how it
    begins, and one of a test's begins with zeros, as another test's file does.
    """
    yield
    forget_guarded()


@pytest.fixture(autouse=True)
def no_network(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """No test reaches for the network, nor does any program that it starts. See tests/network_guard."""
    notes = own_home.with_suffix(".network")
    monkeypatch.setenv(NOTES, str(notes))
    monkeypatch.setenv("PYTHONPATH", _guarded_path())
    yield notes
    assert not notes.exists(), notes.read_text()


@pytest.fixture(scope="session")
def compiled_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache with the real model compiled; MEMCLI_TEST_CACHE keeps one between runs."""
    kept = os.environ.get("MEMCLI_TEST_CACHE")
    cache = Path(kept) if kept else tmp_path_factory.mktemp("compiled")
    environment = {**os.environ, "MEMCLI_CACHE_DIR": str(cache), "MEMCLI_CONFIG": os.devnull}
    subprocess.run([MEM, "model", "compile"], env=environment, check=True, capture_output=True)
    return cache


@pytest.fixture
def mem(
    compiled_cache: Path, keeper_of_the_suite: None, own_store: Location, monkeypatch: pytest.MonkeyPatch
) -> Run:
    """Run `mem` as a shell would: a process of its own, no terminal, the real model."""
    monkeypatch.setenv("MEMCLI_CACHE_DIR", str(compiled_cache))

    def run(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
        given = {"stdin": subprocess.DEVNULL} if "input" not in options else {}
        return subprocess.run(
            [MEM, *arguments],
            **{"capture_output": True, "encoding": "utf-8", "timeout": 120, **given, **options},
        )

    return run


def faults(findings: Iterable[Finding]) -> list[Finding]:
    """What is found wrong with a store, but that the server of these tests may forget (`postgres_server`)."""
    return [each for each in findings if not each.ok and each.name != "durability"]


def told_faults(mem: Run, *arguments: str, **options: Any) -> list[str]:
    """The same by `mem doctor`, whose exit status fits what it says: each in its words."""
    done = mem("doctor", "--json", *arguments, **options)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert found and done.returncode == (0 if all(each["ok"] for each in found) else 4)
    return [each["detail"] for each in found if not each["ok"] and each["name"] != "durability"]


def door_of(origin: str) -> str:
    """The door of an origin, whoever signed it: with --store postgres the server's role does."""
    return origin.partition("@")[0]


class TickingClock:
    """A clock that moves one second a look, from a known instant."""

    def __init__(self) -> None:
        self.instant = datetime(2026, 5, 3, 12, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.instant += timedelta(seconds=1)
        return self.instant

    def advance(self, **length: float) -> None:
        self.instant += timedelta(**length)


@pytest.fixture
def clock() -> TickingClock:
    return TickingClock()


@pytest.fixture
def memories(own_store: Location, clock: TickingClock) -> Iterator[Memories]:
    """Memories over a real store, with the stand-in for a model and a known clock."""
    with make_memories(own_store, clock) as opened:
        yield opened


@pytest.fixture
def real_model(compiled_cache: Path) -> Callable[[str], Embedder]:
    """Opens the real model, whatever is asked for: where meaning is the subject of a test."""
    return lambda name: open_embedder(DEFAULT_MODEL, compiled_cache)


def make_memories(
    path: Location,
    clock: Callable[[], datetime],
    *,
    model: Callable[[str], Embedder] = StandIn,
    settings: Mapping[str, str] | None = None,
    **options: Any,
) -> Memories:
    """Memories over the store at `path`, with settings by name where the environment's are not meant.

    With --store postgres the file in a test's home is the database that it has. A new file is a copy of an
    empty store, which takes a tenth of the time that making one does.
    """
    path = _in_database.get(path, path) if isinstance(path, Path) else path
    if isinstance(path, Path) and not path.exists() and not path.is_symlink():
        make_private_folder(path.parent)
        path.touch(0o600)
        path.write_bytes(_empty_store())
    given = {f"MEMCLI_{name.upper()}": text for name, text in (settings or {}).items()}
    config = Config({**os.environ, **given} if given else None)
    return Memories(open_store(path), config, model, clock=clock, **options)


@cache
def _empty_store() -> bytes:
    """The file of a store in which nothing is yet."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "memory.db"
        open_store(path).close()
        return path.read_bytes()


# An origin that is not trusted.
AGENT = "mcp:robot"


@pytest.fixture
def agent(memories: Memories) -> Iterator[Memories]:
    """The same store, entered through an untrusted door."""
    config = Config({"MEMCLI_ORIGIN": AGENT, "MEMCLI_CONFIG": "/nowhere/config.toml"})
    store = open_store(read_location(memories.store.location))
    with Memories(store, config, StandIn, clock=memories.now) as opened:
        yield opened
