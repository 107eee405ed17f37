"""Connection to the database at an address: opened, checked, its schema migrated."""

from __future__ import annotations

import logging
from contextlib import closing
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

import psycopg

from memcli.errors import BadInput, NewerStore, NotFound, ReadOnlyStore, StoreUnusable
from memcli.messages import Command, message
from memcli.named_tuple import NamedTuple
from memcli.storage.postgres.errors import (
    error_of_connecting,
    error_of_driver,
    explained_errors,
    flagged_store,
)
from memcli.storage.postgres.policies import SIGNATURE, put_grant, standing_grants
from memcli.storage.postgres.schema import LEAST_SERVER, LEAST_VECTOR, SCHEMA_VERSION
from memcli.storage.walls import Role

if TYPE_CHECKING:
    from memcli.config.location import Address

Connection = psycopg.Connection[tuple[Any, ...]]

# memcli's own option in an address, which libpq never sees: into how many partitions, by space, the tables
# of a new store are divided.
PARTITIONS = "memcli_partitions"
_MOST_PARTITIONS = 1024
# In seconds: when a silent server counts as unreachable, and when each side notices that the other is gone.
_DEFAULTS = {
    "connect_timeout": "10", "keepalives_idle": "30", "keepalives_interval": "10", "keepalives_count": "3",
    "tcp_user_timeout": "60000", "fallback_application_name": "memcli", "client_encoding": "UTF8",
}  # fmt: skip
_FACTS = f"""
SELECT current_setting('server_version_num')::int, current_setting('server_version'),
       (SELECT extversion FROM pg_extension WHERE extname = 'vector'),
       to_regtype('halfvec') IS NOT NULL, to_regclass('memcli.writes') IS NOT NULL,
       pg_is_in_recovery(), current_setting('default_transaction_read_only')::bool,
       CASE WHEN to_regclass('memcli.writes') IS NULL -- the server reads a folder for it
            THEN EXISTS (SELECT 1 FROM pg_available_extensions WHERE name = 'vector') END,
       CASE WHEN to_regclass('memcli.writes') IS NOT NULL
            THEN has_any_column_privilege('memcli.writes', 'UPDATE') END,
       {SIGNATURE}, CASE WHEN to_regclass('memcli.writes') IS NULL THEN true ELSE (SELECT
            pg_has_role(relowner, 'USAGE') FROM pg_class WHERE oid = to_regclass('memcli.writes')) END
"""
_STANDING = "SELECT (SELECT max(number) FROM memcli.migrations), (SELECT count(*) FROM memcli.damage)"
# The driver's log messages (on an interrupted pipeline) are not shown; its errors are raised.
logging.getLogger("psycopg").addHandler(logging.NullHandler())


class Opened(NamedTuple):
    """A connection to a store whose schema is current, and the reason if nothing may be written."""

    db: Connection
    hindrance: ReadOnlyStore | None
    role: Role


class _Facts(NamedTuple):
    number: int
    version: str
    vector: str | None
    has_halfvec: bool
    is_store: bool
    is_standby: bool
    is_read_only: bool
    is_available: bool | None
    may_write: bool | None
    signature: str
    is_owner: bool


def connect(address: Address) -> Connection:
    """Return a connection in autocommit mode; sends no query yet. Raises StoreUnusable, NotFound."""
    location = str(address)
    url, _ = _own_options(address)
    try:
        given = psycopg.conninfo.conninfo_to_dict(url)
        # Environment variables (PGHOST, …) apply where the address leaves something open.
        return psycopg.connect(
            "",
            autocommit=True,
            prepare_threshold=None,
            **{**_DEFAULTS, **given},  # type: ignore[arg-type]
        )
    except psycopg.ProgrammingError as error:
        raise BadInput(f"{location}: libpq does not know an option of the address") from error
    except psycopg.Error as error:
        raise error_of_connecting(location, error) from error


def open_store_at(address: Address, *, create: bool, force: bool) -> Opened:
    """Connect, and create or migrate the schema.

    Raises NotFound without `create`, else StoreUnusable.
    """
    location = str(address)
    db = connect(address)
    try:
        with explained_errors(location):
            facts = _Facts(*db.execute(_FACTS).fetchall()[0])
            _check_server(location, facts)
            if not facts.is_store:
                if not create:
                    raise NotFound(
                        f"{location}: no store there",
                        by_hand=message(Command("remember"), " makes one, --db names another"),
                    )
                _check_may_make(location, facts)
                _migrate(db, location, _own_options(address)[1])
            [(version, damaged)] = db.execute(_STANDING).fetchall()
            if version > SCHEMA_VERSION:
                raise NewerStore(
                    f"{location}: written by a newer memcli (schema {version}, this one knows "
                    f"{SCHEMA_VERSION})",
                    advice="upgrade memcli",
                )
            if version < SCHEMA_VERSION:
                if not facts.is_owner:
                    raise StoreUnusable(
                        f"{location}: written by an older memcli (schema {version}); only the owner of its "
                        "tables can bring it up to date: run any `mem` command as that role"
                    )
                _migrate(db, location, 0)
        hindrance = _hindrance(location, facts)
        if hindrance is None and damaged and not force:
            hindrance = flagged_store(location)
        return Opened(db, hindrance, Role(facts.signature, facts.is_owner))
    except BaseException:
        db.close()
        raise


def drop_store(address: Address) -> None:
    """Drop a whole store, if it never came into use. Raises StoreUnusable."""
    with closing(connect(address)) as db, explained_errors(str(address)):
        db.execute("DROP SCHEMA memcli CASCADE")


def _own_options(address: Address) -> tuple[str, int]:
    """Return an address for libpq, and the number of partitions of a new store (0: none)."""
    if PARTITIONS not in address.url:
        return address.url, 0
    parts = urlsplit(address.url)
    options = parse_qsl(parts.query, keep_blank_values=True)
    [*_, number] = [value for name, value in options if name == PARTITIONS] or ["0"]
    if not (number.isascii() and number.isdigit() and int(number) <= _MOST_PARTITIONS):
        raise BadInput(f"{address}: {PARTITIONS} is a number from 0 to {_MOST_PARTITIONS}")
    left = urlencode([option for option in options if option[0] != PARTITIONS])
    return urlunsplit(parts._replace(query=left)), int(number)


def _check_server(location: str, facts: _Facts) -> None:
    if facts.number < LEAST_SERVER:
        raise StoreUnusable(
            f"{location}: PostgreSQL {facts.version} is too old; memcli needs "
            f"{LEAST_SERVER // 10000} or newer"
        )
    least = ".".join(map(str, LEAST_VECTOR))
    if facts.vector is None and (facts.is_store or not facts.is_available):
        raise StoreUnusable(
            f"{location}: the server has no pgvector",
            advice=(
                f"install {least} or newer (https://github.com/pgvector/pgvector), then `CREATE "
                "EXTENSION vector` in this database"
            ),
        )
    if facts.vector is not None:
        from memcli.storage.postgres.schema import vector_version

        if vector_version(facts.vector) < LEAST_VECTOR:
            raise StoreUnusable(
                f"{location}: pgvector {facts.vector} is too old",
                advice=f"install {least} or newer, then `ALTER EXTENSION vector UPDATE` in this database",
            )
        if not facts.has_halfvec:
            raise StoreUnusable(
                f"{location}: pgvector is in a schema that is not in this role's search_path",
                advice="`ALTER ROLE … SET search_path` to it",
            )


def _check_may_make(location: str, facts: _Facts) -> None:
    if facts.is_standby or facts.is_read_only:
        raise ReadOnlyStore(f"{location}: no store there, and none can be made: it may only be read")


def _hindrance(location: str, facts: _Facts) -> ReadOnlyStore | None:
    why = ""
    if facts.is_standby:
        why = "may only be read: the server is a standby; name the primary"
    elif facts.is_read_only:
        why = "may only be read: its transactions are read-only (default_transaction_read_only)"
    elif facts.is_store and not facts.may_write:
        why = message("may only be read by this role; ", Command("space grant"), " lets it write")
    return ReadOnlyStore(f"{location}: {why}", why, left="nothing was changed") if why else None


def _migrate(db: Connection, location: str, partitions: int) -> None:
    """Migrate the schema, one process at a time; a new one is created as a whole or not at all."""
    from memcli.storage.postgres.schema import migrations

    try:
        # An advisory lock, since there may be no table to lock yet.
        with db.transaction():
            db.execute("SELECT pg_advisory_xact_lock(hashtextextended('memcli.migrations', 0))")
            [(there,)] = db.execute("SELECT to_regclass('memcli.migrations') IS NOT NULL").fetchall()
            done = 0
            if there:
                [(done,)] = db.execute("SELECT coalesce(max(number), 0) FROM memcli.migrations").fetchall()
            for step in migrations(partitions):
                if step.number <= done:
                    continue
                if not step.number - 1:
                    db.execute("CREATE EXTENSION IF NOT EXISTS vector")
                for statement in step.statements:
                    db.execute(statement.encode())
                if step.renews_walls and done:
                    for grant in standing_grants(db):
                        put_grant(db, grant)
                db.execute(
                    "INSERT INTO memcli.migrations (number, name) VALUES (%s, %s)", (step.number, step.name)
                )
    except psycopg.errors.InsufficientPrivilege as error:
        raise StoreUnusable(
            f"{location}: this role may not make the store ({error.diag.message_primary}): it wants "
            "CREATE on the database, and somebody to run `CREATE EXTENSION vector` there"
        ) from error
    except psycopg.Error as error:
        raise error_of_driver(location, error) from error
