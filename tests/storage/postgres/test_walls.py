"""The walls of spaces are the server's: a role of its own tries every table, by every statement."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import closing
from typing import Any, NamedTuple

import psycopg
import pytest

from memcli.config.config import Config
from memcli.config.location import read_location
from memcli.errors import BadInput, ReadOnlyStore
from memcli.memories import Memories
from memcli.model import EVERYWHERE, Filter, State
from memcli.storage.postgres.schema import GLOBAL, SEQUENCES, SPACED, VIEWS
from memcli.storage.stores import open_store
from memcli.storage.walls import Grant, Reach, Walls
from tests.conftest import Run, TickingClock
from tests.postgres_server import Server, database_of, with_role
from tests.standin import StandIn
from tests.storage.test_store import NOW, memory
from tests.upkeep.test_copy_store import furnished


class Place(NamedTuple):
    """A store with the spaces default, work and elsewhere, and a role that was let into one."""

    address: str
    role: str
    walls: Walls
    memories: Memories

    @property
    def as_role(self) -> str:
        return with_role(self.address, self.role)


@pytest.fixture
def place(postgres: Server, database: str, clock: TickingClock) -> Iterator[Place]:
    role = f"r{uuid.uuid4().hex[:12]}"
    postgres.run(f'CREATE ROLE "{role}" LOGIN')
    store = open_store(read_location(database))
    with Memories(store, Config(), StandIn, clock=clock) as memories:
        furnished(memories, 40)
        for each in ("I work at night", "The build breaks on Mondays"):
            memories.in_space("work").remember(each)
        now = memories.now()
        store.put_state(State("work", "task", "t", {"name": "t"}, 1, now, now))
        store.put_state(State("work", "block", "b", {"versions": []}, 1, now, now))
        store.put_state(State(EVERYWHERE, "sync", "replica", {"path": "/home/ann"}, 1, now, now))
        walls = store.walls()
        assert walls
        yield Place(database, role, walls, memories)
    postgres.run(f'DROP OWNED BY "{role}"', database)
    postgres.drop_database(database)
    postgres.run(f'DROP ROLE "{role}"')


def attempt(db: psycopg.Connection[Any], sql: str) -> list[Any] | str | int:
    """The rows of a statement, or how many it changed; the class of the error where the server refuses it."""
    try:
        with db.transaction(force_rollback=True):
            cursor = db.execute(sql.encode())
            return cursor.fetchall() if cursor.description else cursor.rowcount
    except psycopg.Error as error:
        return str(error.sqlstate)


REFUSED = "42501"


@pytest.mark.parametrize("reach", list(Reach))
def test_a_role_finds_its_space_and_no_other_in_any_table(place: Place, reach: Reach) -> None:
    place.walls.grant("work", place.role, reach)
    with closing(psycopg.connect(place.as_role, autocommit=True)) as db:
        for table in SPACED:
            spaces = attempt(db, f"SELECT DISTINCT space FROM memcli.{table}")
            assert isinstance(spaces, list)
            found = {row[0] for row in spaces}
            if table == "states":
                hidden = "SELECT 1 FROM memcli.states WHERE space = '*' AND area IN ('sync', 'copies')"
                assert attempt(db, hidden) == []
                found -= {"*", "calibration"}
            assert found <= {"work"}, table
            copied = b"".join(
                db.cursor().copy(f"COPY (SELECT * FROM memcli.{table}) TO STDOUT".encode()).__enter__()
            )
            assert b"elsewhere" not in copied and b"apples" not in copied, table
            assert attempt(db, f"TRUNCATE memcli.{table}") == REFUSED
            assert attempt(db, f"DELETE FROM memcli.{table} WHERE space <> 'work'") in (0, REFUSED), table
            assert attempt(db, f"UPDATE memcli.{table} SET space = 'work' WHERE space <> 'work'") in (
                0,
                REFUSED,
            )
            assert attempt(db, f"UPDATE memcli.{table} SET space = 'default'") in (0, REFUSED), table
            assert attempt(db, f"ALTER TABLE memcli.{table} DISABLE ROW LEVEL SECURITY") == REFUSED
            assert attempt(db, f'DROP POLICY "memcli owner" ON memcli.{table}') == REFUSED
            assert attempt(db, f"COPY memcli.{table} FROM '/dev/null'") in (REFUSED, "0A000")
        for view in VIEWS:
            found_there = attempt(db, f"SELECT DISTINCT space FROM memcli.{view}")
            assert found_there in ([("work",)], []), view
        for table in GLOBAL:
            for statement in (
                f"DELETE FROM memcli.{table}",
                f"TRUNCATE memcli.{table}",
                f"DROP TABLE memcli.{table}",
            ):
                assert attempt(db, statement) == REFUSED
        for sequence in SEQUENCES:
            assert attempt(db, f"SELECT setval('memcli.{sequence}', 1)") == REFUSED
        assert attempt(db, "CREATE TABLE memcli.mine (a int)") == REFUSED
        assert attempt(db, "SET ROLE postgres") == REFUSED
        assert attempt(db, "SET row_security = off; SELECT * FROM memcli.memories") == REFUSED
        # What is asked of each row is asked of one's own only.
        db.execute("CREATE FUNCTION pg_temp.leak(text) RETURNS bool LANGUAGE plpgsql COST 0.0000001 AS "
                   "$$ BEGIN RAISE NOTICE '%', $1; RETURN true; END $$")  # fmt: skip
        heard: list[str] = []
        db.add_notice_handler(lambda said: heard.append(str(said.message_primary)))
        db.execute("SELECT * FROM memcli.memories WHERE pg_temp.leak(text)").fetchall()
        assert len(heard) == 3


def test_who_may_write_in_one_space_writes_there_alone(place: Place) -> None:
    place.walls.grant("work", place.role, Reach.WRITE)
    with Memories(open_store(read_location(place.as_role)), Config(), StandIn) as theirs:
        kept = theirs.in_space("work").remember("Deploys happen on Mondays")
        assert place.memories.store.get([kept.id])
        with pytest.raises(ReadOnlyStore, match="walls on the server"):
            theirs.in_space("default").remember("Let me in")
        theirs.in_space("work").end([kept.id], "no longer")
        assert theirs.store.total(None) == 4 == theirs.store.total(("work",))
        assert {each.space for each in theirs.store.select(Filter(spaces=None, live=False))} == {"work"}


@pytest.mark.parametrize("reach", [Reach.WRITE, Reach.UNTRUSTED])
def test_who_writes_in_a_space_neither_chooses_numbers_nor_counts_writes(place: Place, reach: Reach) -> None:
    place.walls.grant("work", place.role, reach)
    count = "SELECT number FROM memcli.writes"
    with closing(psycopg.connect(place.as_role, autocommit=True)) as db:
        for table, number in (("memories", "seq"), ("vectors", "number"), ("history", "number")):
            assert attempt(db, f"UPDATE memcli.{table} SET {number} = 1") == REFUSED, table
            assert attempt(db, f"INSERT INTO memcli.{table} SELECT * FROM memcli.{table}") == REFUSED, table
            assert (
                attempt(db, f"INSERT INTO memcli.{table} ({number}) VALUES (9223372036854775807)") == REFUSED
            )
        [(before,)] = db.execute(count).fetchall()
        for told in ("0", "9223372036854775807", "number + 1"):
            db.execute(f"UPDATE memcli.writes SET number = {told}".encode())
        assert db.execute(count).fetchall() == [(before + 3,)]
        assert attempt(db, "ALTER TABLE memcli.writes DISABLE TRIGGER ALL") == REFUSED
        assert attempt(db, "SET session_replication_role = replica") == REFUSED
        replaced = (
            "CREATE OR REPLACE FUNCTION memcli.count_write() RETURNS trigger LANGUAGE sql AS 'SELECT 1'"
        )
        assert attempt(db, replaced) in (REFUSED, "42P13")
    assert place.memories.remember("The owner writes on").id


def test_an_untrusted_role_changes_nothing_of_the_owners(place: Place) -> None:
    place.walls.grant("work", place.role, Reach.UNTRUSTED)
    [trusted] = place.memories.store.select(Filter(spaces=("work",)), limit=1)
    with closing(psycopg.connect(place.as_role, autocommit=True)) as db:
        for statement, expected in (
            ("UPDATE memcli.memories SET text = 'mine now'", {0}),
            ("UPDATE memcli.memories SET ended_at = created_at", {0}),
            ("DELETE FROM memcli.memories", {0, REFUSED}),
            ("DELETE FROM memcli.vectors", {0}),
            ("UPDATE memcli.vectors SET vector = vector", {0}),
            ("UPDATE memcli.history SET action = 'edit'", {0, REFUSED}),
            ("DELETE FROM memcli.history", {0, REFUSED}),
            ("UPDATE memcli.states SET value = '{}' WHERE area = 'block'", {0}),
            ("DELETE FROM memcli.states WHERE area = 'block'", {0}),
            ("INSERT INTO memcli.states SELECT space, 'write-rules', key, value, version, created_at, "
             "updated_at, expires_at, digest FROM memcli.states WHERE area = 'task'", {REFUSED}),
            ("INSERT INTO memcli.history (space, memory, at, action, actor) "
             "SELECT space, id, created_at, 'edit', 'cli' FROM memcli.memories WHERE trusted = 1", {REFUSED}),
            ("INSERT INTO memcli.links "
             "(space, id, subject, relation, object, confidence, created_at, data, names) "
             "VALUES ('work', 'L', 'a', 'b', 'c', 1, '', '{}', '{}')", {REFUSED}),
        ):  # fmt: skip
            assert attempt(db, statement) in expected, statement
        assert attempt(db, "UPDATE memcli.states SET version = 2 WHERE area = 'task'") == 1
    untrusted = Config({"MEMCLI_ORIGIN": "mcp:bot"})
    with Memories(open_store(read_location(place.as_role)), untrusted, StandIn, space="work") as theirs:
        assert not theirs.remember("The cat is called Tom").trusted
    with Memories(open_store(read_location(place.as_role)), Config(), StandIn, space="work") as theirs:
        # Whatever its settings say: the server knows who it is.
        with pytest.raises(ReadOnlyStore):
            theirs.remember("I am the owner")
        # Nor is it told, or written down, that what is the owner's was changed.
        with pytest.raises(ReadOnlyStore, match="walls on the server"):
            theirs.end([trusted.id], "gone")
    assert place.memories.store.get([trusted.id])[0].ended_at is None
    assert [event.action for event in place.memories.store.history(trusted.id)] == ["add"]


def test_a_role_that_only_reads_recalls_and_writes_nothing(place: Place) -> None:
    place.walls.grant("work", place.role, Reach.READ)
    with Memories(open_store(read_location(place.as_role)), Config(), StandIn, space="work") as theirs:
        assert theirs.recall("when does the build break").hits
        with pytest.raises(ReadOnlyStore, match="space grant"):
            theirs.remember("Let me in")


def test_the_owner_sees_all_and_grants_can_be_changed_and_taken_back(place: Place) -> None:
    place.walls.grant("work", place.role, Reach.WRITE)
    place.walls.grant("work", place.role, Reach.READ)
    place.walls.grant('o\'ther "one" é', place.role, Reach.UNTRUSTED)
    assert place.walls.grants() == [
        Grant("o'ther \"one\" é", place.role, Reach.UNTRUSTED), Grant("work", place.role, Reach.READ)
    ]  # fmt: skip
    assert {"default", "work"} <= {each[0] for each in place.memories.store.count(Filter(spaces=None))}
    assert not [each for each in place.memories.store.check() if each.name == "walls" and not each.ok]
    with closing(psycopg.connect(place.as_role, autocommit=True)) as db:
        assert attempt(db, "UPDATE memcli.memories SET importance = 1") == 0
        assert place.walls.revoke("work", place.role) and not place.walls.revoke("work", place.role)
        assert attempt(db, "SELECT * FROM memcli.memories") == []
        assert place.walls.revoke('o\'ther "one" é', place.role)
        assert attempt(db, "SELECT * FROM memcli.memories") == REFUSED


def test_whom_no_wall_holds_is_told(postgres: Server, place: Place) -> None:
    [(me,)] = postgres.run("SELECT current_user::text", place.address)
    for role in (me, "nobody at all"):
        with pytest.raises(BadInput):
            place.walls.grant("work", role, Reach.READ)
    postgres.run(f'ALTER ROLE "{place.role}" BYPASSRLS')
    with pytest.raises(BadInput, match="walls cannot hold this role"):
        place.walls.grant("work", place.role, Reach.READ)


def test_who_is_let_in_lets_nobody_in(place: Place) -> None:
    place.walls.grant("work", place.role, Reach.WRITE)
    before = place.walls.grants()
    with closing(open_store(read_location(place.as_role))) as store:
        theirs = store.walls()
        assert theirs
        with pytest.raises(BadInput, match="only the owner"):
            theirs.grant("elsewhere", place.role, Reach.READ)
        with pytest.raises(BadInput, match="only the owner"):
            theirs.rename("work", "elsewhere")
    assert place.walls.grants() == before


def test_the_command_grants_lists_and_takes_back(mem: Run, place: Place, own_home: Any) -> None:
    on = ("--db", place.address)
    assert mem("space", "grant", "work", place.role, "--as", "read", *on).returncode == 0
    assert mem("space", "grants", "--json", *on).stdout == (
        f'{{"space":"work","role":"{place.role}","reach":"read"}}\n'
    )
    theirs = mem("list", "--all-spaces", "--json", "--db", place.as_role)
    assert theirs.stdout.count('"space":"work"') == theirs.stdout.count("\n") == 3
    assert mem("space", "grant", "work", place.role, "--db", place.as_role).returncode == 2
    assert mem("space", "revoke", "work", place.role, *on).returncode == 0
    assert mem("space", "revoke", "work", place.role, *on).returncode == 1
    assert mem("list", "--db", place.as_role).returncode == 4
    assert mem("remember", "I drink tea").returncode == 0
    for arguments in (["grant", "work", "ann"], ["revoke", "work", "ann"], ["grants"]):
        done = mem("space", *arguments)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1)
        assert "no roles" in done.stderr


def test_whoever_loads_many_goes_on_when_walls_are_raised_beside_them(
    postgres: Server, database: str
) -> None:
    """A server takes no stream (COPY) from an owner whom walls hold, who is no superuser."""
    owner, guest = (f"r{uuid.uuid4().hex[:12]}" for _ in range(2))
    for role in (owner, guest):
        postgres.run(f'CREATE ROLE "{role}" LOGIN')
    postgres.run("CREATE EXTENSION vector", database)
    postgres.run(f'GRANT CREATE ON DATABASE {database_of(database)} TO "{owner}"')
    place = read_location(with_role(database, owner))
    with closing(open_store(place)) as store, closing(open_store(place)) as other:
        for many in ("Box", "Jar"):
            assert store.put([memory(f"{many} {each}") for each in range(25)], None, NOW) == 25
            walls = other.walls()
            assert walls
            walls.grant("work", guest, Reach.READ)
        assert other.total(None) == 50
