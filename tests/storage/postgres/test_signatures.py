"""Who did a change on a server is the server's word: each role signs what it writes, and reaches its own."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from contextlib import closing

import psycopg
import pytest

from memcli.changes.revision import correct_memory, doubt_memory, merge_memories
from memcli.changes.undo import undo_change
from memcli.config.config import Config
from memcli.config.location import read_location
from memcli.consolidation.run import consolidate
from memcli.errors import ReadOnlyStore, Refused, StoreUnusable
from memcli.graph.link_changes import link_entities, unlink_entities
from memcli.importers.carrier import Carrier
from memcli.importers.records import Relation, Statement, Turn
from memcli.importers.source import Source
from memcli.memories import Memories
from memcli.model import Filter, Memory
from memcli.scope import is_untrusted
from memcli.storage.stores import open_store
from memcli.storage.walls import Reach
from memcli.tiers.procedures.procedures import Procedures
from memcli.tiers.sessions.sessions import append_turn, clear_session, end_session, start_session
from memcli.tiers.tasks.checkpoints import restore_checkpoint, save_checkpoint
from memcli.tiers.tasks.completion import end_task
from memcli.tiers.tasks.tasks import note_in_task, start_task
from memcli.upkeep.exchange.export import export_records
from memcli.upkeep.exchange.importer import Importer
from memcli.write_policy.drafts import Draft
from memcli.write_policy.review import accept_held, list_held
from memcli.write_policy.said_again import REPEAT
from memcli.write_policy.settings import WriteOptions
from tests.conftest import Run, TickingClock
from tests.postgres_server import Server, with_role
from tests.standin import StandIn
from tests.storage.postgres.test_walls import REFUSED, Place, attempt, place

__all__ = ("place",)

CLUB = Source("club", "", lambda path: False, lambda file: iter(()))
SKILL = "---\nname: ferry\n---\n\n1. pay\n2. board\n"
Opens = Callable[..., Memories]


@pytest.fixture
def other(postgres: Server, place: Place) -> Iterator[str]:
    """Another role, let into no space; its name is one that a signature could be mistaken in."""
    role = f"r{uuid.uuid4().hex[:8]} 5%@{place.role}"
    postgres.run(f'CREATE ROLE "{role}" LOGIN')
    yield role
    postgres.run(f'DROP OWNED BY "{role}"', place.address)
    postgres.run(f'DROP ROLE "{role}"')


@pytest.fixture
def opens(place: Place, clock: TickingClock) -> Iterator[Opens]:
    """Opens the space `work` as a role, by an origin of its own choice."""
    opened: list[Memories] = []
    # No task and no block that anybody could have made.
    place.memories.store.drop_state("work", "task", "t")
    place.memories.store.drop_state("work", "block", "b")

    def open_as(role: str, origin: str = "cli", space: str = "work") -> Memories:
        store = open_store(read_location(with_role(place.address, role)))
        opened.append(Memories(store, Config({"MEMCLI_ORIGIN": origin}), StandIn, space=space, clock=clock))
        return opened[-1]

    yield open_as
    for each in opened:
        each.store.close()


def test_history_says_which_role_it_was(mem: Run, place: Place, opens: Opens) -> None:
    place.walls.grant("work", place.role, Reach.WRITE)
    owner = place.memories.origin.partition("@")[2]
    kept = opens(place.role).remember("Reviews are on Fridays").id
    on = ("--space", "work", "--db", place.address)
    assert mem("confirm", kept, *on).returncode == 0
    told = mem("history", kept, *on).stdout
    assert f"by cli@{place.role}" in told and f"by cli@{owner}" in told
    assert f'"origin":"cli@{place.role}"' in mem("show", kept, "--json", *on).stdout
    assert f"through cli@{place.role}" in mem("why", kept, *on).stdout


def _whatever(memories: Memories, clock: TickingClock) -> None:
    """What a trusted role may do that writes memories or history, through each door that there is."""
    start_session(memories, "s")
    for each in range(4):
        append_turn(memories, Draft(text=f"Turn {each} of the talk about the harbour", data={"role": "user"}))
    end_session(memories, "s")
    start_task(memories, "Move the boat", name="move")
    end_task(memories, "move", "moved", success=True, learn=True)
    one, two = memories.remember("The lamp is green"), memories.remember("A lamp of glass hangs in the hall")
    merge_memories(memories, [one, two])
    [owners] = memories.store.select(memories.within(kinds=("fact",)), order="oldest", limit=1)
    correct_memory(memories, owners, "I work at dawn", WriteOptions())
    undo_change(memories)
    Procedures(memories).add("ferry", SKILL, "markdown")
    Procedures(memories).report("ferry", ok=True)
    turn = Turn("f: line 1", "talk", "A talk", "1", "assistant", "The mill stands")
    Carrier(memories, CLUB).take([turn, Statement("f", "2", "The oak is old"), Relation("f", "A", "is", "B")])
    memories.remember(Draft(text="A hedge may be there", source="inferred", confidence=0.1))
    accept_held(memories, memories.model, list(list_held(memories)))
    clock.advance(days=400)
    consolidate(memories)


def test_all_that_a_role_adds_bears_its_name(place: Place, opens: Opens, clock: TickingClock) -> None:
    place.walls.grant("work", place.role, Reach.WRITE)
    before = max(event.number for event in place.memories.store.history())
    there = {each.id for each in place.memories.store.select(Filter(spaces=None, live=False))}
    theirs = opens(place.role)
    _whatever(theirs, clock)
    new = [each for each in theirs.store.select(Filter(spaces=None, live=False)) if each.id not in there]
    doors = {each.origin.partition("@")[0] for each in new}
    assert {"cli", "task", "folding", "import:club"} <= doors
    told = {event.actor for event in place.memories.store.history(after=before)}
    assert {each.partition("@")[0] for each in told} >= {
        "cli",
        "task",
        "folding",
        "import:club",
        "consolidation",
    }
    assert {each.partition("@")[2] for each in (*told, *(each.origin for each in new))} == {place.role}


@pytest.mark.parametrize("reach", [Reach.WRITE, Reach.UNTRUSTED])
def test_no_role_signs_as_another(place: Place, other: str, reach: Reach, opens: Opens) -> None:
    for role in (place.role, other):
        place.walls.grant("work", role, reach)
    kept = opens(place.role, "agent:x@ann").remember("The cat is called Tom")
    assert kept.origin == f"agent:x@ann@{place.role}"
    columns = (
        "space, kind, happened_at, source, confidence, importance, trusted, created_at, updated_at, tags, "
        "text, data, tag_names, words, word_order"
    )
    copied = (
        f"INSERT INTO memcli.memories ({columns}, id, origin) SELECT {columns}, 'X', '{{}}' "
        f"FROM memcli.memories WHERE id = '{kept.id}'"
    )
    line = (
        "INSERT INTO memcli.history (space, memory, at, action, actor) "
        f"VALUES ('work', '{kept.id}', '2026', 'edit', '{{}}')"
    )
    link = (
        "INSERT INTO memcli.links (space, id, subject, relation, object, confidence, created_at, names, "
        "data) VALUES ('work', 'L', 'a', 'b', 'c', 1, '', '{{}}', '{{\"origin\": \"{}\"}}')"
    )
    with closing(psycopg.connect(place.as_role, autocommit=True)) as db:
        for origin in ("cli", "agent:x", "agent:x@ann", f"agent:x@{place.role}x", f"@{place.role} "):
            assert attempt(db, copied.format(origin)) == REFUSED, origin
            assert attempt(db, line.format(origin)) == REFUSED, origin
            if reach is Reach.UNTRUSTED:
                assert attempt(db, link.format(origin)) == REFUSED, origin
        for statement in (copied, line, link):
            assert attempt(db, statement.format(f"agent:x@{place.role}")) == 1, statement
        for changed in ("memories SET origin = origin", "history SET actor = actor", "history SET at = at"):
            assert attempt(db, f"UPDATE memcli.{changed}") == REFUSED
        assert attempt(db, "DELETE FROM memcli.history") == REFUSED
    # A name that ends in another's is not taken for it.
    with closing(psycopg.connect(with_role(place.address, other), autocommit=True)) as db:
        encoded = other.replace("%", "%25").replace("@", "%40").replace(" ", "%20")
        assert attempt(db, copied.format(f"agent:x@{place.role}")) == REFUSED
        assert attempt(db, copied.format(f"agent:x@{other}")) == REFUSED
        assert attempt(db, copied.format(f"agent:x@{encoded}")) == 1


def test_an_untrusted_role_reaches_its_own_and_no_other_roles(place: Place, other: str, opens: Opens) -> None:
    for role in (place.role, other):
        place.walls.grant("work", role, Reach.UNTRUSTED)
    bot, owl = opens(place.role, "agent:x"), opens(other, "agent:x")
    kept = bot.remember("The cat is called Tom")
    task = start_task(bot, "Paint the barn", name="paint").name
    append_turn(bot, Draft(text="The barn is large", session="talk", data={"role": "user"}))
    link_entities(bot, "Tom", "is", "cat")
    for deed in (
        lambda: doubt_memory(owl, kept),
        lambda: undo_change(owl),
        lambda: unlink_entities(owl, "Tom", "is", "cat"),
        lambda: end_task(owl, task, "done", success=True),
        lambda: clear_session(owl, "talk"),
    ):
        with pytest.raises(Refused, match=r"agent:x@r\w+%205%25%40r\w+"):
            deed()
    # What memcli would not have refused the server does.
    with pytest.raises(ReadOnlyStore, match="walls"):
        owl.end([kept.id], "gone")
    assert owl.remember("The cat is called Tom").id == kept.id
    assert correct_memory(owl, kept, "The cat is called Max", WriteOptions()).action == "hold"
    note_in_task(owl, task, "the ladder is short")
    save_checkpoint(bot, "crawl", "[1]")
    with pytest.raises(Refused, match="--untrusted"):
        restore_checkpoint(owl, "crawl")
    with pytest.raises(Refused, match="only its owner changes it"):
        save_checkpoint(owl, "crawl", "[2]")
    assert restore_checkpoint(bot, "crawl").text == "[1]"
    with closing(psycopg.connect(with_role(place.address, other), autocommit=True)) as db:
        assert attempt(db, "UPDATE memcli.memories SET text = 'mine'") == 0
        assert attempt(db, "DELETE FROM memcli.vectors") == 0
    assert place.memories.store.get([kept.id]) == [kept]
    # Each works on with its own; the owner reaches all.
    assert doubt_memory(bot, kept).confidence < kept.confidence
    assert correct_memory(bot, kept, "The cat is called Max", WriteOptions()).action == "supersede"
    assert unlink_entities(bot, "Tom", "is", "cat")
    assert clear_session(bot, "talk")
    place.memories.in_space("work").end([kept.id], "gone")


def test_that_an_owners_procedure_worked_is_on_record_by_an_untrusted_role(
    place: Place, opens: Opens
) -> None:
    Procedures(place.memories.in_space("work")).add("ferry", SKILL, "markdown")
    place.walls.grant("work", place.role, Reach.UNTRUSTED)
    used = Procedures(opens(place.role, "agent:x")).report("ferry", ok=True)
    [*_, last] = place.memories.store.history(used.id)
    assert (last.action, last.actor) == ("worked", f"agent:x@{place.role}") and "ok" not in used.data


def test_in_which_words_an_untrusted_role_says_what_is_known_is_on_record(place: Place, opens: Opens) -> None:
    work = place.memories.in_space("work")
    known = work.remember("The choir meets on Mondays")
    place.walls.grant("work", place.role, Reach.UNTRUSTED)
    again = opens(place.role, "agent:x").remember("On Mondays the choir meets")
    assert again.id == known.id
    [*_, last] = place.memories.store.history(known.id)
    assert (last.action, last.actor) == (REPEAT, f"agent:x@{place.role}")
    assert last.reason == "said again: On Mondays the choir meets" and last.before == last.after == {}


def test_an_export_is_signed_by_the_role_that_brings_it_and_as_it_stands_by_its_owner(
    place: Place, opens: Opens
) -> None:
    place.walls.grant("work", place.role, Reach.WRITE)
    lines = [*export_records(place.memories, Filter(spaces=("work",), live=False), history=True)]
    for space in ("work", "desk"):
        place.walls.grant(space, place.role, Reach.WRITE)

    def taken_in(memories: Memories, space: str) -> tuple[set[str], tuple[int, int]]:
        told = [{**each, "space": space} if each.get("type") == "memory" else each for each in lines]
        moved = [
            {**each, **{name: each[name].replace("0", "1", 1) for name in ("id", "memory") if name in each}}
            for each in told if each.get("type") in ("memory", "event")
        ] if space != "work" else told  # fmt: skip
        report = Importer(memories, "import:x").take((str(n), dict(each)) for n, each in enumerate(moved))
        found = list(memories.store.select(Filter(spaces=(space,), live=False)))
        origins = {each.origin for each in found} | {
            event.actor for each in found for event in memories.store.history(each.id)
        }
        return origins, (report.added, report.unchanged)

    [(owners, _)] = [taken_in(place.memories, "work")]
    theirs = opens(place.role)
    assert taken_in(theirs, "work")[0] == owners and f"@{place.role}" not in "".join(owners)
    brought, (added, _) = taken_in(theirs, "desk")
    assert added and brought == {f"{each}@{place.role}" for each in owners}
    assert taken_in(theirs, "desk")[1][0] == 0


def test_a_pattern_of_untrusted_origins_means_a_door_whoever_signs(place: Place) -> None:
    for origin, expected in (
        ("agent:bot@ann", True), ("mcp:x@ann", True), ("cli@agent:bot", False), ("cli@ann", False),
        ("import:http://x@ann", True), ("agent:bots", False),
    ):  # fmt: skip
        assert is_untrusted(origin, ("agent:bot", "mcp:*", "import:http*")) is expected, origin


def test_an_older_schema_gets_the_new_walls_by_its_owner_alone(place: Place, opens: Opens) -> None:
    place.walls.grant("work", place.role, Reach.WRITE)
    forged = (
        "INSERT INTO memcli.history (space, memory, at, action, actor) "
        "VALUES ('work', 'm', '', 'edit', 'cli')"
    )
    role = f'"{place.role}"'
    with closing(psycopg.connect(place.address, autocommit=True)) as db:
        # As version 2 had it.
        for (policy,) in db.execute(
            "SELECT polname FROM pg_policy WHERE polrelid = 'memcli.history'::regclass AND polcmd = 'a'"
        ).fetchall():
            db.execute(f"ALTER POLICY \"{policy}\" ON memcli.history WITH CHECK (space = 'work')".encode())
        db.execute(f"GRANT UPDATE, DELETE ON memcli.history TO {role}".encode())
        db.execute("DELETE FROM memcli.migrations WHERE number >= 3")
    with closing(psycopg.connect(place.as_role, autocommit=True)) as db:
        assert attempt(db, forged) == 1
        with pytest.raises(StoreUnusable, match="only the owner of its tables can bring it up to date"):
            opens(place.role)
        open_store(read_location(place.address)).close()
        for statement in (forged, "UPDATE memcli.history SET actor = 'cli'", "DELETE FROM memcli.history"):
            assert attempt(db, statement) == REFUSED
    kept: Memory = opens(place.role).remember("The mill stands")
    assert [event.actor for event in place.memories.store.history(kept.id)] == [f"cli@{place.role}"]


def test_a_schema_before_words_were_kept_lets_an_untrusted_role_keep_them(place: Place, opens: Opens) -> None:
    known = place.memories.in_space("work").remember("The choir meets on Mondays")
    place.walls.grant("work", place.role, Reach.UNTRUSTED)
    with closing(psycopg.connect(place.address, autocommit=True)) as db:
        # As version 3 had it.
        changed = 0
        for policy, condition in db.execute(
            "SELECT polname, pg_get_expr(polwithcheck, polrelid) FROM pg_policy "
            "WHERE polrelid = 'memcli.history'::regclass AND polcmd = 'a'"
        ).fetchall():
            changed += "'repeat'" in condition
            before = condition.replace("'repeat'", "'failed'")
            db.execute(f'ALTER POLICY "{policy}" ON memcli.history WITH CHECK ({before})'.encode())
        assert changed
        db.execute("DELETE FROM memcli.migrations WHERE number >= 4")
    open_store(read_location(place.address)).close()
    opens(place.role, "agent:x").remember("On Mondays the choir meets")
    assert REPEAT in {event.action for event in place.memories.store.history(known.id)}
