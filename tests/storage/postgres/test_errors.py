"""What goes wrong between a store and its server is told in a line, which says what became of a change."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psycopg
import pytest

from memcli.config.location import read_location
from memcli.errors import BadInput, NotFound, ReadOnlyStore, StoreBusy, StoreFull, StoreUnusable
from memcli.model import EVERYWHERE, Change, Filter, Memory, State
from memcli.storage import Store
from memcli.storage.postgres import connection
from memcli.storage.postgres.errors import ConnectionLost, OutcomeUnknown, error_of_driver
from memcli.storage.stores import open_store
from tests.postgres_server import LOCKED, PASSWORD, Server, database_of, with_database, with_role

NOW = datetime(2026, 5, 3, 12, 0, tzinfo=UTC)
ADD = Change(action="add")


def state(key: str = "k") -> State:
    return State(EVERYWHERE, "a", key, 1, 1, NOW, NOW)


def opened(address: str, **options: bool) -> Store:
    return open_store(read_location(address), **options)


@pytest.fixture
def store(database: str) -> Iterator[Store]:
    with closing(opened(database)) as store:
        yield store


@pytest.mark.parametrize(
    ("change", "error", "said"),
    [
        (lambda a: with_database(a, "nowhere"), StoreUnusable, "no database 'nowhere'"),
        (lambda a: with_role(a, "nobody"), StoreUnusable, "no role 'nobody'"),
        (lambda a: with_role(a, LOCKED), StoreUnusable, "wants a password"),
        (lambda a: with_role(a, LOCKED, "hunter2"), StoreUnusable, "refuses this role with this password"),
        (lambda a: "postgresql://postgres:hunter2@/x?host=/nowhere", StoreUnusable, "cannot be reached"),
        (lambda a: f"{a}&colour=red", BadInput, "libpq does not know"),
    ],
)
def test_what_does_not_open_is_named_without_a_password(
    postgres: Server, database: str, change: Callable[[str], str], error: type[Exception], said: str
) -> None:
    if postgres.pid is None:
        pytest.skip("a server of others, whose roles are its own")
    with pytest.raises(error) as caught:
        opened(change(database))
    assert said in str(caught.value) and "hunter2" not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_password_opens_and_is_shown_nowhere(postgres: Server, database: str) -> None:
    if postgres.pid is None:
        pytest.skip("a server of others, whose roles are its own")
    with closing(opened(with_role(database, LOCKED, PASSWORD))) as store:
        assert LOCKED in store.location and "pa55" not in store.location
        assert store.put_state(state())


def test_a_database_without_a_store_is_no_store_unless_one_may_be_made(database: str) -> None:
    with pytest.raises(NotFound, match="no store there"):
        opened(database, create=False)
    opened(database).close()
    opened(database, create=False).close()


def test_a_role_that_may_not_make_the_store_is_told_what_is_wanted(postgres: Server, database: str) -> None:
    role = f"r{database_of(database)[:20]}"
    postgres.run(f"CREATE ROLE {role} LOGIN")
    try:
        with pytest.raises(StoreUnusable, match="CREATE EXTENSION vector"):
            opened(with_role(database, role))
        opened(database).close()
        postgres.run(f"GRANT USAGE ON SCHEMA memcli TO {role}", database)
        postgres.run(f"GRANT SELECT ON ALL TABLES IN SCHEMA memcli TO {role}", database)
        with closing(opened(with_role(database, role))) as reader:
            assert list(reader.states()) == [] and reader.count(Filter(spaces=None)) == []
            with pytest.raises(ReadOnlyStore, match="only be read by this role.*nothing was changed"):
                reader.put_state(state())
    finally:
        postgres.run(f"DROP OWNED BY {role}", database)
        postgres.run(f"DROP ROLE {role}")


def test_read_only_transactions_are_told_as_that(postgres: Server, database: str, store: Store) -> None:
    postgres.run(f'ALTER DATABASE "{database_of(database)}" SET default_transaction_read_only = on')
    with closing(opened(database)) as reader:
        assert list(reader.states()) == []
        with pytest.raises(ReadOnlyStore, match="default_transaction_read_only"):
            reader.put_state(state())


def test_where_transactions_only_read_no_store_is_begun(postgres: Server, database: str) -> None:
    postgres.run(f'ALTER DATABASE "{database_of(database)}" SET default_transaction_read_only = on')
    with pytest.raises(ReadOnlyStore, match="none can be made"):
        opened(database)


@pytest.mark.parametrize(("bound", "least"), [("LEAST_SERVER", 10**9), ("LEAST_VECTOR", (99, 0, 0))])
def test_with_what_is_too_old_no_store_is_opened(
    store: Store, database: str, monkeypatch: pytest.MonkeyPatch, bound: str, least: object
) -> None:
    monkeypatch.setattr(connection, bound, least)
    with pytest.raises(StoreUnusable, match="too old"):
        opened(database)


def test_a_store_of_a_newer_memcli_is_left_alone(postgres: Server, database: str, store: Store) -> None:
    postgres.run("INSERT INTO memcli.migrations (number, name) VALUES (99, 'later')", database)
    with pytest.raises(StoreUnusable, match="newer memcli"):
        opened(database)


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("53100", StoreFull), ("25006", ReadOnlyStore), ("42501", ReadOnlyStore), ("55P03", StoreBusy),
        ("40001", StoreBusy), ("40P01", StoreBusy), ("57P01", ConnectionLost), ("22021", BadInput),
        ("53300", StoreBusy), ("42P01", StoreUnusable),
    ],
)  # fmt: skip
def test_each_state_of_the_server_has_its_error(store: Store, code: str, error: type[Exception]) -> None:
    raised = psycopg.errors.lookup(code)("as the server says it")
    raised.sqlstate = code
    told = error_of_driver(store.location, raised)
    assert type(told) is error or isinstance(told, error)
    assert store.location in str(told)


def test_a_text_that_no_server_can_store_is_bad_input_and_changes_nothing(store: Store) -> None:
    one = Memory(
        id="01KQQ2J0000000000000000000", kind="fact", text="a\0b",
        happened_at=NOW, created_at=NOW, updated_at=NOW,
    )  # fmt: skip
    with pytest.raises(BadInput, match="nothing was changed"):
        store.put([one], ADD, NOW)
    assert store.count(Filter(spaces=None)) == []


def test_a_connection_lost_before_the_commit_changed_nothing(
    postgres: Server, database: str, store: Store
) -> None:
    with pytest.raises(ConnectionLost, match="nothing was changed"), store.writing():
        store.put_state(state())
        _end_connections(postgres, database)
        list(store.states())
    assert list(store.states()) == []  # over a new connection


def _end_connections(postgres: Server, database: str) -> None:
    postgres.run(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        f"WHERE datname = '{database_of(database)}' AND pid <> pg_backend_pid()"
    )


class _CutOff:
    """A connection whose answer to a commit gets lost, with the commit or without."""

    def __init__(self, db: Any, arrives: bool) -> None:
        self._db, self._arrives = db, arrives

    def __getattr__(self, name: str) -> object:
        return getattr(self._db, name)

    def execute(self, sql: bytes, *rest: object, **named: object) -> object:
        if not sql.endswith(b"COMMIT"):
            return self._db.execute(sql, *rest, **named)
        if self._arrives:
            self._db.execute(sql)
        self._db.close()
        raise psycopg.OperationalError("server closed the connection unexpectedly")


@pytest.mark.parametrize("arrives", [True, False])
def test_of_a_commit_without_an_answer_the_server_says_what_became_of_it(
    store: Store, arrives: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "_db", _CutOff(store._db, arrives))  # type: ignore[attr-defined]
    if arrives:
        assert store.put_state(state())
    else:
        with pytest.raises(ConnectionLost, match="nothing was changed"):
            store.put_state(state())
    assert len(list(store.states())) == arrives


def test_of_a_commit_without_an_answer_and_no_server_to_ask_it_is_said_that_nobody_knows(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memcli.storage.postgres.session._ASKED", 0.0)

    def unreachable(address: object) -> object:
        raise StoreUnusable("out of reach")

    monkeypatch.setattr("memcli.storage.postgres.session.connect", unreachable)
    monkeypatch.setattr(store, "_db", _CutOff(store._db, True))  # type: ignore[attr-defined]
    with pytest.raises(OutcomeUnknown, match="look .*before you do it again"):
        store.put_state(state())


_HOLDER = """
import sys, time
from memcli.config.location import read_location
from memcli.storage.stores import open_store
store = open_store(read_location(sys.argv[1]))
with store.writing():
    print("held", flush=True)
    time.sleep(60)
"""


def test_a_writer_that_is_killed_holds_nobody_up(database: str, store: Store) -> None:
    holder = subprocess.Popen([sys.executable, "-c", _HOLDER, database], stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None and holder.stdout.readline() == "held\n"
    threading.Timer(0.3, holder.kill).start()
    began = time.monotonic()
    assert store.put_state(state())
    assert time.monotonic() - began < 10
    holder.wait()
    holder.stdout.close()


def test_one_errand_is_done_by_one_process_and_ends_with_it(database: str, store: Store) -> None:
    with closing(opened(database)) as other:
        with store.alone(".consolidating", busy="held"):
            assert other.is_under_way(".consolidating") and not other.is_under_way(".syncing")
            with (
                pytest.raises(StoreBusy, match="held"),
                other.alone(".consolidating", busy="held", patience=0),
            ):
                pass
            heard: list[str] = []
            with (
                pytest.raises(StoreBusy, match="held"),
                other.alone(".consolidating", busy="held", patience=0.05, waiting=heard.append),
            ):
                pass
            assert heard == ["held"]
            # Nobody who writes waits for it.
            assert other.put_state(state())
        # The server lets go of it soon, not at once.
        with other.alone(".consolidating", busy="held", patience=5):
            pass


def test_without_the_driver_it_is_said_how_to_install_it(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['psycopg'] = None\n"
        "from memcli.app import run\n"
        "sys.exit(run(['recall', 'tea', '--db', 'postgresql://user:hunter2@host/db']))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 4 and done.stderr.count("\n") == 1
    assert "pip install 'memcli[postgres]'" in done.stderr and "hunter2" not in done.stderr


def test_without_the_driver_no_address_is_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(StoreUnusable, match="driver is not installed"):
        opened("postgresql://user@host.invalid/db")


def test_a_file_is_opened_without_the_driver(tmp_path: Path) -> None:
    code = (
        "import sys\nfrom memcli.app import run\n"
        f"run(['list', '--db', {str(tmp_path / 'memory.db')!r}])\n"
        "print([name for name in sys.modules if 'psycopg' in name or 'postgres' in name])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_a_connection_that_nobody_used_and_is_gone_is_made_anew(
    postgres: Server, database: str, store: Store
) -> None:
    assert store.put_state(state())
    for again in (lambda: list(store.states()), lambda: store.put_state(state("other"))):
        _end_connections(postgres, database)
        assert again()
    assert len(list(store.states())) == 2
