"""The server that tests of PostgreSQL stand on."""

from __future__ import annotations

import psycopg
import pytest

from tests.postgres_server import LOCKED, OTHER_SERVER, PASSWORD, Server, with_role


def test_the_server_is_new_enough_and_has_vectors(postgres: Server, database: str) -> None:
    [(version,)] = postgres.run("SELECT current_setting('server_version_num')::int")
    assert version >= 160000
    postgres.run("CREATE EXTENSION vector", database)
    [(length,)] = postgres.run("SELECT vector_norm('[3,4]')", database)
    assert length == 5


def test_each_test_has_a_database_of_its_own(postgres: Server, database: str) -> None:
    postgres.run("CREATE TABLE one (a int)", database)
    copy = postgres.new_database(database)
    assert postgres.run("SELECT count(*) FROM one", copy) == [(0,)]
    postgres.drop_database(copy)


def test_a_role_with_a_password_is_let_in_by_it_alone(
    postgres: Server, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if postgres.pid is None:
        pytest.skip(f"{OTHER_SERVER} names a server whose roles are its own")
    assert postgres.run("SELECT 1", with_role(database, LOCKED, PASSWORD)) == [(1,)]
    with pytest.raises(psycopg.OperationalError, match="password"):
        postgres.connect(with_role(database, LOCKED, "wrong"))
