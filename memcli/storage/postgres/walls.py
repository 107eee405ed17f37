"""Walls by row-level security: a role finds only the rows of its spaces, whatever statement it sends.

Policies are forced, so that they apply to the owner of the tables, too, who has one that allows everything.
What a role may do is defined by policies alone, a set for each space that it was granted; the comment of
one of them describes it for people. Store-wide tables hold counts, versions and names of models.
"""

from __future__ import annotations

from psycopg import sql

from memcli.errors import BadInput
from memcli.storage.postgres.connection import Connection
from memcli.storage.postgres.errors import explained_errors
from memcli.storage.postgres.policies import drop_grant, drop_privileges, put_grant, standing_grants
from memcli.storage.postgres.schema import SPACED
from memcli.storage.walls import Grant, Reach

_OWNER = "memcli owner"
# A trigger function by which the server counts writes, whatever a role sends.
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
            put_grant(self._db, Grant(space, role, reach))

    def revoke(self, space: str, role: str) -> bool:
        self._check_owner()
        if not any((each.space, each.role) == (space, role) for each in self.grants()):
            return False
        with explained_errors(self._location), self._db.transaction():
            drop_grant(self._db, space, role)
            if not any(each.role == role for each in standing_grants(self._db)):
                drop_privileges(self._db, role)
        return True

    def rename(self, old: str, new: str) -> None:
        let_in = [each for each in self.grants() if each.space == old]
        if let_in:
            self._check_owner()
        with explained_errors(self._location), self._db.transaction():
            for each in let_in:
                drop_grant(self._db, old, each.role)
                put_grant(self._db, each._replace(space=new))

    def grants(self) -> list[Grant]:
        with explained_errors(self._location):
            return standing_grants(self._db)

    def _check_owner(self) -> None:
        with explained_errors(self._location):
            [(owner, may)] = self._db.execute(
                "SELECT relowner::regrole::text, pg_has_role(current_user, relowner, 'USAGE') "
                "FROM pg_class WHERE oid = 'memcli.memories'::regclass"
            ).fetchall()
        if not may:
            raise BadInput(
                f"{self._location}: only the owner of its tables, {owner}, can let roles into spaces"
            )

    def _check_role(self, role: str) -> None:
        """Raise BadInput for a role to which policies would not apply."""
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
                f"{role}: walls cannot hold this role: it is a superuser, bypasses row-level security, or is "
                "(a member of) the owner of the tables; use a role without these rights"
            )

    def _raise_walls(self) -> None:
        for statement in _COUNTING:
            self._db.execute(statement)
        for table in SPACED:
            name = sql.Identifier("memcli", table)
            self._db.execute(sql.SQL("ALTER TABLE {} ENABLE ROW LEVEL SECURITY").format(name))
            self._db.execute(sql.SQL("ALTER TABLE {} FORCE ROW LEVEL SECURITY").format(name))
            if not self._has_policy(table, _OWNER):
                # For the current owner; after a change of ownership this has to be repeated.
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

    def _has_policy(self, table: str, policy: str) -> bool:
        query = "SELECT 1 FROM pg_policy WHERE polrelid = %s::regclass AND polname = %s"
        return bool(self._db.execute(query, (f"memcli.{table}", policy)).fetchall())
