"""Walls by row-level security: a role finds the rows of its spaces alone, by whatever statement.

Policies are forced, so that they hold the owner of the tables, too, who has one that lets everything. What
a role may do stands in policies alone, a set for each space that it was let into; in the comment of one of
them it is said again for people. Tables of the whole store hold counts, versions and names of models.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b

from psycopg import sql

from memcli.doors import DOORS, Deed, Right
from memcli.errors import BadInput
from memcli.storage import areas
from memcli.storage.postgres.connecting import Connection
from memcli.storage.postgres.errors import explained_errors
from memcli.storage.postgres.schema import GLOBAL, SEQUENCES, SPACED, VIEWS
from memcli.storage.walls import Grant, Reach

_OWNER = "memcli owner"
# Keyed values of the whole store that writing and finding ask for, wherever somebody is.
_SHARED = ("write-rules", "forgotten", "forgotten-traces", "calibration", "incoming")
# What memcli notes by itself when somebody recalls or asks, whoever that is.
_NOTED = (areas.RECALL_LOG.name, areas.POLICY_CHECK.name, areas.VALUE_BEFORE.name)
_WRITABLE = (
    "memories", "vectors", "wanting", "word_counts", "links", "states", "history", "clocks",
)  # fmt: skip
# By table the column by which a row is known across spaces. Who chose one could pass its row off as another
# space's, or put it so high that whoever reads on from the last number finds nothing any more.
_NUMBERS = {"memories": "seq", "vectors": "number", "history": "number"}
# Writes are counted by the server, whatever a role says.
_COUNTING = (
    "CREATE OR REPLACE FUNCTION memcli.count_write() RETURNS trigger LANGUAGE plpgsql AS "
    "$$ BEGIN NEW.number := OLD.number + 1; RETURN NEW; END $$",
    "CREATE OR REPLACE TRIGGER counted BEFORE UPDATE ON memcli.writes "
    "FOR EACH ROW EXECUTE FUNCTION memcli.count_write()",
)


class PostgresWalls:
    """See `memcli.storage.walls.Walls`."""

    def __init__(self, db: Connection, location: str) -> None:
        self._db = db
        self._location = location

    def grant(self, space: str, role: str, reach: Reach) -> None:
        self._check_role(role)
        with explained_errors(self._location), self._db.transaction():
            self._raise_walls()
            self._drop(space, role)
            for statement in (*self._privileges(role, reach), *_policies(space, role, reach)):
                self._db.execute(statement)

    def revoke(self, space: str, role: str) -> bool:
        self._check_owner()
        if not any((each.space, each.role) == (space, role) for each in self.grants()):
            return False
        with explained_errors(self._location), self._db.transaction():
            self._drop(space, role)
            left = [each for each in self.grants() if each.role == role]
            if not left:
                for statement in _no_privileges(role):
                    self._db.execute(statement)
        return True

    def rename(self, old: str, new: str) -> None:
        let_in = [each for each in self.grants() if each.space == old]
        if let_in:
            self._check_owner()
        with explained_errors(self._location), self._db.transaction():
            for each in let_in:
                self._drop(old, each.role)
                for statement in _policies(new, each.role, each.reach):
                    self._db.execute(statement)

    def grants(self) -> list[Grant]:
        with explained_errors(self._location):
            rows = self._db.execute(
                "SELECT r.rolname::text, obj_description(p.oid, 'pg_policy') FROM pg_policy p "
                "JOIN pg_roles r ON r.oid = ANY(p.polroles) WHERE p.polrelid = 'memcli.memories'::regclass"
            ).fetchall()
        told = [(role, json.loads(comment)) for role, comment in rows if comment]
        found = [Grant(each["space"], role, Reach(each["reach"])) for role, each in told]
        return sorted(found, key=lambda each: (each.space, each.role))

    def _check_owner(self) -> None:
        with explained_errors(self._location):
            [(owner, may)] = self._db.execute(
                "SELECT relowner::regrole::text, pg_has_role(current_user, relowner, 'USAGE') "
                "FROM pg_class WHERE oid = 'memcli.memories'::regclass"
            ).fetchall()
        if not may:
            raise BadInput(
                f"{self._location}: only the owner of its tables, {owner}, says which roles are let in where"
            )

    def _check_role(self, role: str) -> None:
        """Raise BadInput for a role that no policy would hold."""
        self._check_owner()
        with explained_errors(self._location):
            found = self._db.execute(
                "SELECT r.rolsuper OR r.rolbypassrls, EXISTS (SELECT 1 FROM pg_roles above "
                "WHERE (above.rolsuper OR above.rolbypassrls OR above.oid = c.relowner) "
                "AND pg_has_role(r.oid, above.oid, 'MEMBER')) "
                "FROM pg_roles r, pg_class c WHERE r.rolname = %s AND c.oid = 'memcli.memories'::regclass",
                (role,),
            ).fetchall()
        if not found:
            raise BadInput(f"no role {role!r:.60} on the server; CREATE ROLE … LOGIN makes one")
        if any(found[0]):
            raise BadInput(
                f"{role}: no wall holds it: it is a superuser, bypasses row-level security, or is (a member "
                "of) the owner of the tables; give whoever shall be held a role without that"
            )

    def _raise_walls(self) -> None:
        for statement in _COUNTING:
            self._db.execute(statement)
        for table in SPACED:
            name = sql.Identifier("memcli", table)
            self._db.execute(sql.SQL("ALTER TABLE {} ENABLE ROW LEVEL SECURITY").format(name))
            self._db.execute(sql.SQL("ALTER TABLE {} FORCE ROW LEVEL SECURITY").format(name))
            if not self._has_policy(table, _OWNER):
                # Whoever owns it now; of another later owner this has to be said again.
                [(owner,)] = self._db.execute(
                    "SELECT r.rolname FROM pg_class c JOIN pg_roles r ON r.oid = c.relowner "
                    "WHERE c.oid = %s::regclass",
                    (f"memcli.{table}",),
                ).fetchall()
                self._db.execute(
                    sql.SQL("CREATE POLICY {} ON {} TO {} USING (true) WITH CHECK (true)").format(
                        sql.Identifier(_OWNER), name, sql.Identifier(owner)
                    )
                )

    def _privileges(self, role: str, reach: Reach) -> Iterator[sql.Composed]:
        """What the role may ask for at all; which rows it finds is said by the policies.

        By table, not by space: where it may only read in one and write in another, policies hold it apart.
        """
        to = sql.Identifier(role)
        yield sql.SQL("GRANT USAGE ON SCHEMA memcli TO {}").format(to)
        for table in (*SPACED, *GLOBAL, *VIEWS):
            yield sql.SQL("GRANT SELECT ON {} TO {}").format(sql.Identifier("memcli", table), to)
        if reach is Reach.READ:
            return
        for table in _WRITABLE:
            name = sql.Identifier("memcli", table)
            columns = sql.SQL(", ").join(map(sql.Identifier, self._columns(table)))
            yield sql.SQL("REVOKE INSERT, UPDATE ON {} FROM {}").format(name, to)
            yield sql.SQL("GRANT DELETE, INSERT ({}), UPDATE ({}) ON {} TO {}").format(
                columns, columns, name, to
            )
        yield sql.SQL("GRANT UPDATE (number) ON memcli.writes TO {}").format(to)
        for sequence in SEQUENCES:
            yield sql.SQL("GRANT USAGE ON SEQUENCE {} TO {}").format(sql.Identifier("memcli", sequence), to)

    def _columns(self, table: str) -> list[str]:
        """Those that a role may write: all but the number that the server gives a row, of all spaces one."""
        query = (
            "SELECT attname::text FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0 "
            "AND NOT attisdropped ORDER BY attnum"
        )
        found = self._db.execute(query, (f"memcli.{table}",)).fetchall()
        return [name for (name,) in found if name != _NUMBERS.get(table)]

    def _has_policy(self, table: str, policy: str) -> bool:
        query = "SELECT 1 FROM pg_policy WHERE polrelid = %s::regclass AND polname = %s"
        return bool(self._db.execute(query, (f"memcli.{table}", policy)).fetchall())

    def _drop(self, space: str, role: str) -> None:
        for table in SPACED:
            for deed in _DEEDS:
                self._db.execute(
                    sql.SQL("DROP POLICY IF EXISTS {} ON {}").format(
                        sql.Identifier(_policy(space, role, deed)), sql.Identifier("memcli", table)
                    )
                )


_DEEDS = ("SELECT", "INSERT", "UPDATE", "DELETE")


def _policy(space: str, role: str, deed: str) -> str:
    """The name of a policy: those of a space and a role are found by it, whatever signs are in them."""
    told = blake2b(json.dumps([space, role]).encode(), digest_size=12).hexdigest()
    return f"memcli {deed.lower()} {told}"


def _no_privileges(role: str) -> Iterator[sql.Composed]:
    of = sql.Identifier(role)
    for what in ("ALL TABLES IN SCHEMA memcli", "ALL SEQUENCES IN SCHEMA memcli", "SCHEMA memcli"):
        yield sql.SQL("REVOKE ALL ON {} FROM {}").format(sql.SQL(what), of)


def _policies(space: str, role: str, reach: Reach) -> Iterator[sql.Composed]:
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
    """To which rows of its space a role may do this: a condition, empty for all; None for none."""
    if deed == "SELECT":
        return ""
    if reach is Reach.READ or table not in _WRITABLE:
        return None
    if reach is Reach.WRITE:
        return ""
    return _untrusted(table, deed)


def _untrusted(table: str, deed: str) -> str | None:
    """The same for an untrusted door."""
    deeds, condition = _UNTRUSTED.get(table, ((), ""))
    return condition if deed in deeds else None


def _in_untrusted_areas() -> str:
    """The keyed values that an untrusted door may add; whose which part of one is, memcli itself sees to."""
    added = {area for door in DOORS if door.right(Deed.ADD) is Right.MARKED for area in door.areas}
    return f"area IN ({', '.join(repr(name) for name in sorted(added | set(_NOTED)))})"


def _of_untrusted(table: str) -> str:
    """Of an untrusted memory."""
    return (
        f"EXISTS (SELECT 1 FROM memcli.memories m WHERE m.space = {table}.space AND m.seq = {table}.memory "
        "AND m.trusted = 0)"
    )


# A line of history tells of a memory that it may write.
_OF_ITS_OWN = (
    "EXISTS (SELECT 1 FROM memcli.memories m WHERE m.space = history.space AND m.id = history.memory "
    "AND m.trusted = 0)"
)
_CHANGES = ("INSERT", "UPDATE")
_UNTRUSTED: Mapping[str, tuple[Sequence[str], str]] = {
    "memories": (_CHANGES, "trusted = 0 AND kind <> 'policy'"),
    "vectors": ((*_CHANGES, "DELETE"), _of_untrusted("vectors")),
    "wanting": ((*_CHANGES, "DELETE"), _of_untrusted("wanting")),
    "word_counts": (_CHANGES, ""),
    "links": (_CHANGES, "(data::json ->> 'origin') IS NOT NULL"),
    "history": (("INSERT",), _OF_ITS_OWN),
    "states": ((*_CHANGES, "DELETE"), _in_untrusted_areas()),
}
"""By table what an untrusted door may do, and to which rows of its space."""
