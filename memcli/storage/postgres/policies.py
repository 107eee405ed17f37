"""Policies of row-level security: which rows of which table a role with access to a space may read and write.

There is a set for each space and role; the comment of one of them describes it for people. Rows that a role
adds bear its signature, which the server checks; the origin of an existing row no role may change.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from psycopg import Connection, sql

from memcli.doors import DOORS, Deed, Right
from memcli.storage import areas
from memcli.storage.postgres.schema import GLOBAL, SEQUENCES, SPACED, VIEWS
from memcli.storage.walls import Grant, Reach

if TYPE_CHECKING:
    from psycopg.sql import Composed

# SQL for `storage.walls.Role.signature` of the current role: escaped, so that no role's name contains the @
# that separates it from the origin.
SIGNATURE = "('@' || replace(replace(replace(current_user::text, '%', '%25'), '@', '%40'), ' ', '%20'))"
# Store-wide areas that writing and searching need in every space.
_SHARED = ("write-rules", "forgotten", "forgotten-traces", "calibration", "incoming")
# Areas that memcli writes by itself when anybody recalls or asks.
_NOTED = (areas.RECALL_LOG.name, areas.POLICY_CHECK.name, areas.VALUE_BEFORE.name)
_WRITABLE = (
    "memories", "vectors", "wanting", "word_counts", "links", "states", "history", "clocks",
)  # fmt: skip
# By table, the column that identifies a row across spaces; roles may not set it. With a chosen number a row
# could pass for another space's, or be so high that readers which continue after the last number find
# nothing more.
_NUMBERS = {"memories": "seq", "vectors": "number", "history": "number"}
# The columns of existing rows that a role may not write. A history line changes only with its memory's space.
_SETTLED = {
    "memories": {"origin"},
    "history": {"at", "memory", "action", "actor", "reason", "before", "after", "change", "undoes", "digest"},
}  # fmt: skip
_DEEDS = ("SELECT", "INSERT", "UPDATE", "DELETE")


def standing_grants(db: Connection[Any]) -> list[Grant]:
    """Return who was granted which space, sorted."""
    rows = db.execute(
        "SELECT r.rolname::text, obj_description(p.oid, 'pg_policy') FROM pg_policy p "
        "JOIN pg_roles r ON r.oid = ANY(p.polroles) WHERE p.polrelid = 'memcli.memories'::regclass"
    ).fetchall()
    told = [(role, json.loads(comment)) for role, comment in rows if comment]
    found = [Grant(each["space"], role, Reach(each["reach"])) for role, each in told]
    return sorted(found, key=lambda each: (each.space, each.role))


def put_grant(db: Connection[Any], grant: Grant) -> None:
    """Write the policies and privileges of a grant, replacing those of its space and role."""
    drop_grant(db, grant.space, grant.role)
    for statement in (*_privileges(db, grant.role, grant.reach), *_policies(*grant)):
        db.execute(statement)


def drop_grant(db: Connection[Any], space: str, role: str) -> None:
    """Drop the policies of a space and a role."""
    for table in SPACED:
        for deed in _DEEDS:
            db.execute(
                sql.SQL("DROP POLICY IF EXISTS {} ON {}").format(
                    sql.Identifier(_policy(space, role, deed)), sql.Identifier("memcli", table)
                )
            )


def drop_privileges(db: Connection[Any], role: str) -> None:
    """Revoke all of a role's privileges in the schema."""
    of = sql.Identifier(role)
    for what in ("ALL TABLES IN SCHEMA memcli", "ALL SEQUENCES IN SCHEMA memcli", "SCHEMA memcli"):
        db.execute(sql.SQL("REVOKE ALL ON {} FROM {}").format(sql.SQL(what), of))


def _privileges(db: Connection[Any], role: str, reach: Reach) -> Iterator[Composed]:
    """Yield the statements that grant a role its table privileges; policies then restrict the rows.

    By table, not by space: if it may read in one space and write in another, policies make the difference.
    """
    to = sql.Identifier(role)
    yield sql.SQL("GRANT USAGE ON SCHEMA memcli TO {}").format(to)
    for table in (*SPACED, *GLOBAL, *VIEWS):
        yield sql.SQL("GRANT SELECT ON {} TO {}").format(sql.Identifier("memcli", table), to)
    if reach is Reach.READ:
        return
    for table in _WRITABLE:
        name = sql.Identifier("memcli", table)
        added = [each for each in _columns(db, table) if each != _NUMBERS.get(table)]
        changed = [each for each in added if each not in _SETTLED.get(table, ())]
        yield sql.SQL("REVOKE INSERT, UPDATE, DELETE ON {} FROM {}").format(name, to)
        yield sql.SQL("GRANT INSERT ({}), UPDATE ({}) ON {} TO {}").format(
            _listed(added), _listed(changed), name, to
        )
        if table != "history":
            yield sql.SQL("GRANT DELETE ON {} TO {}").format(name, to)
    yield sql.SQL("GRANT UPDATE (number) ON memcli.writes TO {}").format(to)
    for sequence in SEQUENCES:
        yield sql.SQL("GRANT USAGE ON SEQUENCE {} TO {}").format(sql.Identifier("memcli", sequence), to)


def _columns(db: Connection[Any], table: str) -> list[str]:
    query = (
        "SELECT attname::text FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0 "
        "AND NOT attisdropped ORDER BY attnum"
    )
    return [name for (name,) in db.execute(query, (f"memcli.{table}",)).fetchall()]


def _listed(columns: Sequence[str]) -> Composed:
    return sql.SQL(", ").join(map(sql.Identifier, columns))


def _policy(space: str, role: str, deed: str) -> str:
    """Return the name of a policy, derived from space and role by a hash, whatever characters they have."""
    told = blake2b(json.dumps([space, role]).encode(), digest_size=12).hexdigest()
    return f"memcli {deed.lower()} {told}"


def _policies(space: str, role: str, reach: Reach) -> Iterator[Composed]:
    for table in SPACED:
        for deed in _DEEDS:
            if (condition := _condition(table, deed, reach)) is None:
                continue
            inside = sql.SQL("space = {}").format(sql.Literal(space))
            rows = sql.SQL("({} AND {})").format(inside, sql.SQL(condition)) if condition else inside
            if (table, deed) == ("states", "SELECT"):
                shared = sql.SQL(", ").join(map(sql.Literal, _SHARED))
                rows = sql.SQL("{} OR (space IN ('*', 'calibration') AND area IN ({}))").format(rows, shared)
            using = sql.SQL("") if deed == "INSERT" else sql.SQL("USING ({})").format(rows)
            check = sql.SQL("WITH CHECK ({})").format(rows) if deed in ("INSERT", "UPDATE") else sql.SQL("")
            yield sql.SQL("CREATE POLICY {} ON {} FOR {} TO {} {} {}").format(
                sql.Identifier(_policy(space, role, deed)), sql.Identifier("memcli", table),
                sql.SQL(deed), sql.Identifier(role), using, check,
            )  # fmt: skip
    yield sql.SQL("COMMENT ON POLICY {} ON memcli.memories IS {}").format(
        sql.Identifier(_policy(space, role, "SELECT")),
        sql.Literal(json.dumps({"space": space, "reach": reach.value})),
    )


def _condition(table: str, deed: str, reach: Reach) -> str | None:
    """Return the condition on the rows to which a role may do this; "" for all; None for none."""
    if deed == "SELECT":
        return ""
    if reach is Reach.READ or table not in _WRITABLE:
        return None
    if reach is Reach.WRITE:
        return _ADDED.get(table, "") if deed == "INSERT" else ""
    deeds, condition = _UNTRUSTED.get(table, ((), ""))
    return condition if deed in deeds else None


def _signed(origin: str) -> str:
    """Return the condition that an origin bears the signature of the current role."""
    return f"right({origin}, length({SIGNATURE})) = {SIGNATURE}"


def _in_untrusted_areas() -> str:
    """Return the condition on areas to which an untrusted origin may add; memcli checks their parts."""
    added = {area for door in DOORS if door.right(Deed.ADD) is Right.MARKED for area in door.areas}
    return f"area IN ({', '.join(repr(name) for name in sorted(added | set(_NOTED)))})"


def _of_its_own(table: str, match: str) -> str:
    """Return the condition that a row belongs to an untrusted memory that the role itself added."""
    return (
        f"EXISTS (SELECT 1 FROM memcli.memories m WHERE m.space = {table}.space AND {match} "
        f"AND m.trusted = 0 AND {_signed('m.origin')})"
    )


_ADDED = {"memories": _signed("origin"), "history": _signed("actor")}
"""By table whose rows one adds: one's own."""
_OF_ITS_MEMORY = _of_its_own("history", "m.id = history.memory")
# A history line must be about a memory that the role may write; a procedure's outcome or a repetition's words
# change nothing, and are allowed for others.
_TELLS = (
    f"({_OF_ITS_MEMORY} OR (action IN ('worked', 'failed', 'repeat') AND before = '{{}}' AND after = '{{}}'))"
)
_CHANGES = ("INSERT", "UPDATE")
_UNTRUSTED: Mapping[str, tuple[Sequence[str], str]] = {
    "memories": (_CHANGES, f"trusted = 0 AND kind <> 'policy' AND {_ADDED['memories']}"),
    "vectors": ((*_CHANGES, "DELETE"), _of_its_own("vectors", "m.seq = vectors.memory")),
    "wanting": ((*_CHANGES, "DELETE"), _of_its_own("wanting", "m.seq = wanting.memory")),
    "word_counts": (_CHANGES, ""),
    "links": (_CHANGES, _signed("(data::json ->> 'origin')")),
    "history": (("INSERT",), f"{_TELLS} AND {_ADDED['history']}"),
    "states": ((*_CHANGES, "DELETE"), _in_untrusted_areas()),
}
"""By table what an untrusted door may do, and to which rows of its space."""
