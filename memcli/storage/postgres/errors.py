"""What a server or the driver says, turned into the errors of memcli: each names the store and the way out.

By SQLSTATE (https://www.postgresql.org/docs/current/errcodes-appendix.html), which is the same in every
language. Only of a connection that was not made nothing but words are known: those of libpq and of a
server that speaks English are read, others are passed on. No message quotes an address, so none a password.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import psycopg

from memcli.errors import (
    BadInput,
    MemcliError,
    ReadOnlyStore,
    StoreBusy,
    StoreDamaged,
    StoreFull,
    StoreUnreachable,
    StoreUnusable,
)
from memcli.text.printable import one_line

NOTHING_CHANGED = "nothing was changed"
# Somebody else's transaction was in the way, and the same again may well succeed.
_AGAIN = ("40001", "40P01")
_BUSY = ("55P03", "57014", "53300", "25P03", *_AGAIN)
_FULL = ("53100", "53400", "54023")
_LOST = ("57P01", "57P02", "57P03", "57P05", "08000", "08001", "08003", "08004", "08006")
_MISSING = ("42P01", "3F000", "42703", "42883")

_MIGRATE = "ask the database's owner to run any `mem` command once"


class Conflict(StoreBusy):
    """The server undid a transaction for the sake of another one; done again it may well succeed."""


class ConnectionLost(StoreUnreachable):
    """The server, or the way to it, was lost: nothing of the transaction at hand was kept."""


class OutcomeUnknown(StoreUnusable):
    """The connection was lost while a transaction was committed, and the server could not be asked since."""

    code = "outcome_unknown"


@contextmanager
def explained_errors(location: str, kept: Callable[[], str] = lambda: NOTHING_CHANGED) -> Iterator[None]:
    """Inside, what the driver raises is raised as an error of memcli; `kept` tells what became of it all."""
    try:
        yield
    except psycopg.Error as error:
        raise explained(location, error, kept()) from error


def explained(  # noqa: PLR0911 - one return a state
    location: str, error: psycopg.Error, kept: str = NOTHING_CHANGED
) -> MemcliError:
    """The error of memcli for one of the driver, on an open connection."""
    state, said = error.sqlstate or "", _said(error)
    if state in _AGAIN:
        return Conflict(f"{location}: others wrote the same at once; {kept}, try again")
    if state in _BUSY:
        return StoreBusy(f"{location}: {_busy(state)}; {kept}")
    if state in _FULL:
        return StoreFull(f"{location}: no space left on the server ({said}); {kept}")
    if state == "25006":
        why = "may only be read: the server is a standby, or its transactions are read-only"
        return ReadOnlyStore(f"{location}: {why}; {kept}", why)
    if state == "42501" and "row-level security" in said:
        return walled_off(location, kept)
    if state == "42501":
        why = f"this role lacks the right ({said})"
        return ReadOnlyStore(f"{location}: {why}; {kept}. Its owner grants it: `mem space grant`", why)
    if state in _LOST or (not state and isinstance(error, psycopg.OperationalError | psycopg.InterfaceError)):
        return ConnectionLost(f"{location}: the connection to the server was lost; {kept}")
    if state in _MISSING:
        return StoreUnusable(f"{location}: is no store, or an unfinished one ({said}); {_MIGRATE}")
    if state in ("XX001", "XX002"):
        return StoreDamaged(f"{location}: the server finds it damaged ({said}); ask its operator")
    if state[:2] == "22" or (not state and isinstance(error, psycopg.DataError | ValueError)):
        return BadInput(f"{location}: a text that the server cannot store ({said}); {kept}")
    return StoreUnusable(f"{location}: {said}; {kept}")


def walled_off(location: str, kept: str = NOTHING_CHANGED) -> MemcliError:
    """The error of memcli for a write that the policies of a space keep from this role."""
    why = "the walls of the server keep this role from changing that"
    return ReadOnlyStore(
        f"{location}: {why}; {kept}. Its owner lets it in by `mem space grant`; one let in as untrusted "
        "adds what it says as an agent does (MEMCLI_ORIGIN=agent:NAME), and changes its own alone",
        why,
    )


def _busy(state: str) -> str:
    if state == "53300":
        return "the server has no connection left; close some, or put a pooler before it"
    if state == "57014":
        return "the server cancelled a statement (its statement_timeout, or its operator)"
    return "another process writes to it for longer than we wait (MEMCLI_BUSY_TIMEOUT)"


def unconnected(location: str, error: psycopg.Error) -> MemcliError:  # noqa: PLR0911 - one a reason
    """The error of memcli for a connection that was not made."""
    said = _said(error)
    if "no password supplied" in said:
        return StoreUnusable(
            f"{location}: the server wants a password, and none is known: put it in ~/.pgpass "
            "(mode 0600), a service file or PGPASSWORD"
        )
    if "password authentication failed" in said:
        return StoreUnusable(
            f"{location}: the server refuses this role with this password; look at ~/.pgpass, PGPASSWORD or "
            "the address"
        )
    if found := re.search(r'database "([^"]*)" does not exist', said):
        return StoreUnusable(
            f"{location}: the server has no database {found[1]!r}; `createdb {found[1]}` makes one"
        )
    if found := re.search(r'role "([^"]*)" does not exist', said):
        return StoreUnusable(
            f"{location}: the server knows no role {found[1]!r}; name another in the address"
        )
    if "authentication failed" in said:
        return StoreUnusable(f"{location}: the server does not let this role in ({said})")
    if "closed the connection unexpectedly" in str(error):
        return StoreUnreachable(f"{location}: the server closed the connection; look whether it runs")
    if "no pg_hba.conf entry" in said:
        return StoreUnusable(f"{location}: the server lets this role in from nowhere here ({said})")
    if "too many clients" in said or "remaining connection slots" in said:
        return StoreBusy(f"{location}: {_busy('53300')}")
    if "certificate" in said or "SSL" in said:
        return StoreUnusable(f"{location}: no TLS as the address asks for it ({said})")
    if "starting up" in said or "shutting down" in said or "in recovery mode" in said:
        return StoreUnreachable(f"{location}: the server is starting or shutting down; try again in a moment")
    return StoreUnreachable(
        f"{location}: the server cannot be reached ({said}); look whether it runs, and where"
    )


def _said(error: psycopg.Error) -> str:
    """The first line of what was said, without what names the parts of the connection again."""
    primary = error.diag.message_primary if error.diag else None
    lines = [line for line in (primary or str(error)).splitlines() if line.strip()]
    text = lines[-1] if primary is None and lines else (lines or ["no reason given"])[0]
    return one_line(re.sub(r"^(connection (to server )?|failed: |FATAL: |ERROR: )+", "", text.strip()))[:200]
