"""Location of a store: a file, or a database on a server. The only module that parses what an owner names.

`--db`, MEMCLI_DB, the setting `db` and the library's `path` all go through `read_location`. An address is a
URI as in libpq (https://www.postgresql.org/docs/current/libpq-connect.html, 32.1.1.2). It may hold a
password, so only `str()` of it is printed, and no part of one that cannot be parsed.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TypeAlias

from memcli.errors import BadAddress, BadInput, StoreUnusable
from memcli.named_tuple import NamedTuple
from memcli.system.places import expanded

ENGINES = ("postgresql", "postgres")
# A single letter is a drive (C:\memory.db). Without `//`, only the names of engines count as schemes.
_SCHEME = r"(?i)\s*([a-z][a-z0-9+.-]+):(?://|(?<=^postgres:)|(?<=^postgresql:))"
_PARTS = r"""(?xi) //
    (?: (?P<user> [^:@/?\s]* ) (?: : (?P<password> [^@/\s]* ) )? @ )?
    (?P<hosts> (?: \[[0-9a-f:.%a-z]+\] | [^\[\]@:/?,\s]* ) (?: :\d* )?
      (?: , (?: \[[0-9a-f:.%a-z]+\] | [^\[\]@:/?,\s]* ) (?: :\d* )? )* )
    (?: / (?P<database> [^/?@\s]* ) )?
    (?: \? (?P<options> [^\s]* ) )?"""
# libpq's keyword form, which is rejected: as a file name it would contain a password.
_KEYWORDS = r"\s*(?:host|hostaddr|port|dbname|user|password|passfile|service|sslmode)\s*="
_PORT = r":(\d+)(?=,|$)"
_HIGHEST_PORT = 65535
_BAD_ESCAPE = r"(?i)%(?![0-9a-f]{2})|%00"
# libpq's secret options (https://www.postgresql.org/docs/current/libpq-connect.html, 32.1.2).
_HIDDEN = r"password|secret|scram_\w+_key"


class Address(NamedTuple):
    """The address of a database on a server that holds a store. `str()` returns it without its password."""

    url: str
    """The whole address, for connecting: it may hold a password."""
    shown: str
    holds_password: bool
    """True if `shown` leaves out a password or another secret."""

    def __str__(self) -> str:
        return self.shown

    def __repr__(self) -> str:
        return f"Address({self.shown!r})"


Location: TypeAlias = Path | Address


def read_location(text: str | Path) -> Location:
    """Return the location that a text names: a path (`~` is a home folder), or an address with a scheme.

    Raises BadAddress for a malformed address, StoreUnusable for an engine that memcli does not support,
    BadInput for a home folder that does not exist.
    """
    # An address contains ":" and a keyword "=", so for a plain path neither expression is compiled.
    found = re.match(_SCHEME, str(text)) if ":" in str(text) else None
    if not found and "=" in str(text) and re.match(_KEYWORDS, str(text)):
        raise BadAddress(
            "keywords and values are not accepted here; give an address: postgresql://user@host/database"
        )
    if not found:
        return expanded(text)
    scheme = found[1].lower()
    if scheme not in ENGINES:
        raise StoreUnusable(f"{scheme}://…: {_instead(scheme)}")
    return _address(str(text).strip()[len(scheme) + 1 :])


def location_text(location: Location) -> str:
    """Return the text that `read_location` reads back, password included: for an environment, not people."""
    return location.url if isinstance(location, Address) else str(location)


def file_of(location: Location, instead: str) -> Path:
    """Return the file of a store; if it is on a server, raise BadInput with the message `instead`."""
    if isinstance(location, Address):
        raise BadInput(instead, about=location)
    return location


def _instead(scheme: str) -> str:
    if scheme in ("file", "sqlite", "sqlite3"):
        return "name the store's file by its path alone, without what stands before it"
    if scheme.partition("+")[0] in ENGINES:
        return "name the server as libpq does, postgresql://user@host/database"
    return "memcli keeps a store in a file or in PostgreSQL (postgresql://user@host/database), nowhere else"


def _address(rest: str) -> Address:
    parts = re.fullmatch(_PARTS, rest)
    if not parts or re.search(_BAD_ESCAPE, rest):
        raise BadAddress(
            "the address is not well-formed: write postgresql://user@host:port/database?option=value, "
            "with special characters (@ : / ? % and spaces) as %40 %3A %2F %3F %25 and %20"
        )
    if any(not 0 < int(port) <= _HIGHEST_PORT for port in re.findall(_PORT, parts["hosts"])):
        raise BadAddress("the port of the address is not a number from 1 to 65535")
    options = _options(parts["options"])
    user = f"{parts['user']}@" if parts["user"] else ""
    database = f"/{parts['database']}" if parts["database"] else ""
    told = [f"{name}={value}" for name, value in options if not re.search(_HIDDEN, _decoded(name))]
    shown = f"postgresql://{user}{parts['hosts']}{database}{'?' if told else ''}{'&'.join(told)}"
    return Address(f"postgresql:{rest}", shown, bool(parts["password"]) or len(told) < len(options))


def _options(text: str | None) -> list[tuple[str, str]]:
    pairs = [each.partition("=") for each in text.split("&")] if text else []
    if any(not name or not equals for name, equals, _ in pairs):
        raise BadAddress("the options of the address are not well-formed: write ?name=value&name=value")
    return [(name, value) for name, _, value in pairs]


def _decoded(name: str) -> str:
    return re.sub(r"%([0-9a-f]{2})", lambda found: chr(int(found[1], 16)), name, flags=re.IGNORECASE).lower()
