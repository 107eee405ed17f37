"""Errors of the server or driver, turned into memcli's errors, which name the store and the way out.

By SQLSTATE (https://www.postgresql.org/docs/current/errcodes-appendix.html), which is independent of the
language. For a connection that was not made there are only words: those of libpq and of an English server
are recognised, others are passed on. No message quotes an address, so none quotes a password.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import psycopg

from memcli.errors import (
    BadInput,
    FlaggedStore,
    MemcliError,
    ReadOnlyStore,
    StoreBusy,
    StoreDamaged,
    StoreFull,
    StoreUnreachable,
    StoreUnusable,
)
from memcli.messages import Command, message
from memcli.text.printable import one_line

NOTHING_CHANGED = "nothing was changed"
# Conflicts with another transaction: a retry may well succeed.
_AGAIN = ("40001", "40P01")
_BUSY = ("55P03", "57014", "53300", "25P03", *_AGAIN)
_FULL = ("53100", "53400", "54023")
_READ_ONLY, _NO_RIGHT = "25006", "42501"
_NOT_ALLOWED = (_READ_ONLY, _NO_RIGHT)
_LOST = ("57P01", "57P02", "57P03", "57P05", "08000", "08001", "08003", "08004", "08006")
_MISSING = ("42P01", "3F000", "42703", "42883")

_NO_CONNECTION_LEFT = "the server has no connection left; close some, or put a pooler before it"
_MIGRATE = "ask the database's owner to run any `mem` command once"


class Conflict(StoreBusy):
    """Raised if the server rolled a transaction back because of another one; a retry may succeed."""


class ConnectionLost(StoreUnreachable):
    """Raised if the connection was lost: nothing of the current transaction was kept."""


class OutcomeUnknown(StoreUnusable):
    """Raised if the connection was lost during a commit, and the server could not be asked since."""

    code = "outcome_unknown"


@contextmanager
def explained_errors(location: str, kept: Callable[[], str] = lambda: NOTHING_CHANGED) -> Iterator[None]:
    """Inside, errors of the driver are raised as memcli's; `kept` returns what became of the changes."""
    try:
        yield
    except psycopg.Error as error:
        raise error_of_driver(location, error, kept()) from error


def error_of_driver(  # noqa: PLR0911 - one return a state
    location: str, error: psycopg.Error, kept: str = NOTHING_CHANGED
) -> MemcliError:
    """Return memcli's error for one of the driver, on an open connection."""
    state, said = error.sqlstate or "", _said(error)
    if state in _AGAIN:
        return Conflict(f"{location}: others wrote the same at once", left=kept, advice="try again")
    if state in _BUSY:
        return StoreBusy(f"{location}: {_busy(state)}", left=kept)
    if state in _FULL:
        return StoreFull(f"{location}: no space left on the server ({said})", left=kept)
    if state in _NOT_ALLOWED:
        return _not_allowed(location, state, said, kept)
    if state in _LOST or (not state and isinstance(error, psycopg.OperationalError | psycopg.InterfaceError)):
        return ConnectionLost(f"{location}: the connection to the server was lost", left=kept)
    if state in _MISSING:
        return StoreUnusable(f"{location}: is not a store, or an unfinished one ({said})", by_hand=_MIGRATE)
    if state in ("XX001", "XX002"):
        return StoreDamaged(f"{location}: the server finds it damaged ({said})", advice="ask its operator")
    if state[:2] == "22" or (not state and isinstance(error, psycopg.DataError | ValueError)):
        return BadInput(f"{location}: a text that the server cannot store ({said})", left=kept)
    return StoreUnusable(f"{location}: {said}", left=kept)


def _not_allowed(location: str, state: str, said: str, kept: str) -> MemcliError:
    """Return memcli's error for a write that the server does not allow this role."""
    if state == _READ_ONLY:
        why = "may only be read: the server is a standby, or its transactions are read-only"
        return ReadOnlyStore(f"{location}: {why}", why, left=kept)
    if "row-level security" in said:
        return error_of_walls(location, kept)
    why = f"this role lacks the right ({said})"
    return ReadOnlyStore(
        f"{location}: {why}", why, left=kept, by_hand=message("its owner grants it: ", Command("space grant"))
    )


def flagged_store(location: str) -> FlaggedStore:
    """Return the error that a damaged store is not written to, with the way out."""
    return FlaggedStore(
        message(f"{location}: ", Command("doctor"), " found it damaged, and nothing is written to it"),
        by_hand=message(Command("doctor"), " says what is damaged; --force writes all the same"),
    )


def error_of_walls(location: str, kept: str = NOTHING_CHANGED) -> MemcliError:
    """Return memcli's error for a write that the policies of a space do not allow this role."""
    why = "the walls on the server do not let this role change that"
    return ReadOnlyStore(
        f"{location}: {why}",
        why,
        left=kept,
        by_hand=message(
            "its owner lets it in by ",
            Command("space grant"),
            "; one let in as untrusted adds what it "
            "says as an agent does (MEMCLI_ORIGIN=agent:NAME), and changes its own alone",
        ),
    )


def _busy(state: str) -> str:
    if state == "53300":
        return _NO_CONNECTION_LEFT
    if state == "57014":
        return "the server cancelled a statement (its statement_timeout, or its operator)"
    return "another process writes to it for longer than we wait (MEMCLI_BUSY_TIMEOUT)"


_CLOSED = "closed the connection unexpectedly"
# Errors of connecting: a pattern of the message, the error to raise, and advice. The first match counts.
_UNCONNECTED: tuple[tuple[str, type[StoreUnusable], str], ...] = (
    (
        "no password supplied", StoreUnusable,
        "the server wants a password, and none is known: put it in ~/.pgpass (mode 0600), a service file or "
        "PGPASSWORD",
    ),
    (
        "password authentication failed", StoreUnusable,
        "the server refuses this role with this password; look at ~/.pgpass, PGPASSWORD or the address",
    ),
    (
        'database "(?P<name>[^"]*)" does not exist', StoreUnusable,
        "the server has no database {name!r}; `createdb {name}` makes one",
    ),
    (
        'role "(?P<name>[^"]*)" does not exist', StoreUnusable,
        "the server knows no role {name!r}; name another in the address",
    ),
    ("authentication failed", StoreUnusable, "the server does not let this role in ({said})"),
    (
        _CLOSED, StoreUnreachable,
        "the server closed the connection; is it running?",
    ),
    (
        "no pg_hba.conf entry", StoreUnusable,
        "the server does not accept this role from this machine ({said})",
    ),
    ("too many clients|remaining connection slots", StoreBusy, _NO_CONNECTION_LEFT),
    ("certificate|SSL", StoreUnusable, "TLS did not work as the address asks for it ({said})"),
    (
        "starting up|shutting down|in recovery mode", StoreUnreachable,
        "the server is starting or shutting down; try again in a moment",
    ),
    ("", StoreUnreachable, "the server cannot be reached ({said}); is it running, and is the address right?"),
)  # fmt: skip


def error_of_connecting(location: str, error: psycopg.Error) -> MemcliError:
    """Return memcli's error for a connection that was not made."""
    said = _said(error)
    # The phrase _CLOSED is not in the last line of the message, so it is added.
    heard = f"{said} {_CLOSED}" if _CLOSED in str(error) else said
    for pattern, kind, advice in _UNCONNECTED:
        if found := re.search(pattern, heard):
            return kind(f"{location}: {advice.format(said=said, **found.groupdict())}")
    raise AssertionError("the last pattern fits anything")


def _said(error: psycopg.Error) -> str:
    """Return the significant line of the message, without the parts that name the connection again."""
    primary = error.diag.message_primary if error.diag else None
    lines = [line for line in (primary or str(error)).splitlines() if line.strip()]
    text = lines[-1] if primary is None and lines else (lines or ["no reason given"])[0]
    return one_line(re.sub(r"^(connection (to server )?|failed: |FATAL: |ERROR: )+", "", text.strip()))[:200]
