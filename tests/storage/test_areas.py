"""The register of keyed areas says of each what is so: held against the code, and against a full store."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

import memcli
from memcli import ids
from memcli.changes import open_questions
from memcli.changes.forgetting.hard import erase
from memcli.changes.forgetting.targets import Targets, find_targets
from memcli.changes.undo import undo_change
from memcli.consolidation import bookmarks
from memcli.errors import NotFound, StoreBusy
from memcli.graph import aliases, proposed_links
from memcli.memories import Memories
from memcli.model import Filter, State
from memcli.storage import areas
from memcli.storage.areas import Area, Content, Naming
from memcli.sync.files.folder import Folder
from memcli.sync.run import sync_folder
from memcli.tiers.context import blocks
from memcli.tiers.policies.checks import check_action
from memcli.tiers.procedures.files import ProcedureFile
from memcli.tiers.procedures.procedures import Procedures
from memcli.tiers.sessions import sessions
from memcli.tiers.tasks import checkpoints, steps, tasks
from memcli.upkeep import spaces
from memcli.upkeep.calibrate import calibrate_floor
from memcli.upkeep.copies.rollback import roll_back
from memcli.upkeep.copies.snapshots import create_snapshot, opened_snapshot, snapshots
from memcli.upkeep.exchange.export import export_records
from memcli.upkeep.exchange.importer import Importer
from memcli.upkeep.exchange.record_reader import read_records
from memcli.upkeep.retrieval_checks import add_check
from memcli.write_policy.admission import admit_drafts
from memcli.write_policy.drafts import Draft
from memcli.write_policy.owner_rules import OwnerRule
from memcli.write_policy.stored_rules import put_rule
from tests.conftest import TickingClock, make_memories
from tests.erasure import erase_memories

PACKAGE = Path(memcli.__file__).parent
TEXT = "Quentomar hides the vermeilion ledger"
BY_ANY_NAME = (
    "model.py", "storage/ledger.py", "storage/states.py", "storage/rows.py",
    "storage/sqlite/", "storage/postgres/",
)  # fmt: skip
SETTINGS = {"recall_log": "query", "policy_log": "action"}

# The code


class Use(NamedTuple):
    """An area as some code names it, and whether it writes a value there."""

    place: str
    area: ast.expr
    writes: bool


@cache
def sources() -> list[tuple[Path, ast.Module]]:
    """The modules of the program, parsed."""
    return [(path, ast.parse(path.read_text("utf-8"))) for path in PACKAGE.rglob("*.py")]


def uses() -> Iterator[Use]:
    """Every area that is named where keyed values are read, written or dropped."""
    for path, module in sources():
        place = path.relative_to(PACKAGE).as_posix()
        if place.startswith(BY_ANY_NAME):
            continue  # to whom an area is any name
        for node in ast.walk(module):
            if isinstance(node, ast.Call) and (found := _area(node)):
                area, writes = found
                yield Use(f"{place}:{node.lineno}", area, writes)


def _area(call: ast.Call) -> tuple[ast.expr, bool] | None:
    called = ast.unparse(call.func).split(".")
    position = {"states": 1, "drop_state": 1, "drop_states": 0, "State": 1, "new_state": 1}.get(called[-1])
    if called[-2:] in (["states", "read_state"], ["states", "write_state"]):
        position = 2
    if position is None:
        return None
    named = [each.value for each in call.keywords if each.arg == "area"]
    given = [*call.args[position : position + 1], *named]
    return (given[0], called[-1] in ("State", "new_state", "write_state")) if given else None


def entry(area: ast.expr) -> Area | None:
    """The entry of the register that an expression names: `areas.BLOCK.name`."""
    parts = ast.unparse(area).split(".")
    found = getattr(areas, parts[1], None) if len(parts) == 3 and parts[0] == "areas" else None
    return found if isinstance(found, Area) and parts[2] == "name" else None


def test_every_area_that_is_named_in_the_code_is_in_the_register() -> None:
    passed_on = ("area.name", "state.area", "note.area", "row[1]")  # of an entry, of a value, of its row
    unknown = [
        f"{use.place}: {ast.unparse(use.area)}"
        for use in uses()
        if entry(use.area) is None and ast.unparse(use.area) not in passed_on
    ]
    assert unknown == []


def test_what_each_area_promises_is_what_was_decided_of_it() -> None:
    """Whoever turns one around decides what an erasure, a sync or a rollback does; so not by chance."""

    def named(*some: Area) -> set[str]:
        return {each.name for each in some}

    own = (areas.ERASURE, areas.COPY, areas.INCOMING, areas.SNAPSHOT)
    bookkept = (
        areas.SYNC, areas.FOREIGN_LINES, areas.SYNC_LOST, areas.VALUE_BEFORE, areas.SET_ASIDE,
        areas.COSINE_SCALE, *own,
    )  # fmt: skip
    decided = {
        "in_spaces": (False, named(
            areas.WRITE_RULES, areas.FORGOTTEN, areas.FORGOTTEN_TRACE, areas.CALIBRATION, areas.SYNC,
            areas.COSINE_SCALE, areas.FOREIGN_LINES, *own,
        )),
        "travels": (False, named(*bookkept)),
        "syncs": (False, named(
            areas.SESSION_AT_HAND, areas.TASK_RECALLS, areas.RECALL_LOG, areas.POLICY_CHECK,
            areas.CONSOLIDATION, areas.QUESTION, areas.CALIBRATION, *bookkept,
        )),
        "waits": (True, named(areas.PROPOSED_LINK, areas.HELD, areas.QUESTION)),
        "cleared": (True, named(areas.TASK, areas.TASK_RECALLS)),
        "named_by_memories": (True, named(areas.PROCEDURE_FILE)),
        "only_names": (True, named(areas.SESSION_AT_HAND, areas.ALIAS, areas.SESSION, areas.SNAPSHOT)),
        "moves": (False, named(*own)),
        "rolls_back": (False, named(
            areas.TASK_RECALLS, areas.RECALL_LOG, areas.FORGOTTEN, areas.FORGOTTEN_TRACE, areas.POLICY_CHECK,
            areas.CONSOLIDATION, areas.QUESTION, areas.CALIBRATION, *bookkept,
        )),
    }  # fmt: skip
    for flag, (value, those) in decided.items():
        assert {each.name for each in areas.ALL if getattr(each, flag) is value} == those, flag
    # What a newer memcli keeps is its owner's, and kept as such.
    unknown = areas.area_named("from tomorrow")
    assert unknown == Area("from tomorrow", "", "", Content.OWNERS)
    assert (unknown.in_spaces, unknown.travels, unknown.syncs, unknown.moves, unknown.rolls_back) == (
        True,
    ) * 5
    assert not (unknown.waits or unknown.cleared or unknown.named_by_memories or unknown.only_names)


def test_no_area_is_told_by_its_name_written_out() -> None:
    """Nor compared with one: `state.area == "block"`."""
    names = {each.name for each in areas.ALL}
    for path, module in sources():
        for node in ast.walk(module):
            if isinstance(node, ast.Compare) and ast.unparse(node.left).endswith(".area"):
                told = {each.value for each in ast.walk(node) if isinstance(each, ast.Constant)}
                assert not told & names, f"{path}:{node.lineno}"


def test_an_area_is_written_in_its_room_and_nowhere_else() -> None:
    writers: dict[str, set[str]] = {each.name: set() for each in areas.ALL}
    for use in uses():
        if use.writes and (area := entry(use.area)):
            writers[area.name].add(use.place)
    for area in areas.ALL:
        room = area.room.replace(".", "/") + "/"
        assert writers[area.name], area.name
        assert all(place.startswith(room) for place in writers[area.name]), (area, writers[area.name])


def test_names_are_distinct_and_what_is_unknown_is_its_owners() -> None:
    assert len({each.name for each in areas.ALL}) == len(areas.ALL) == 32
    unknown = areas.area_named("from-a-newer-memcli")
    assert unknown.content is Content.OWNERS and unknown.in_spaces and unknown.travels


# A store with something in every area


@pytest.fixture
def full(own_home: Path, clock: TickingClock) -> Iterator[Memories]:
    with make_memories(own_home / "memory.db", clock, space="zoo", settings=SETTINGS) as memories:
        fill(memories)
        lose_a_block(memories, own_home, clock)
        yield memories


def fill(memories: Memories) -> None:
    """By the verbs that users have: something in each area, nearly all of it about one memory."""
    memories.remember_all([Draft(text=f"pier {n} has {n * 7} barrels", space="zoo") for n in range(55)])
    kept = memories.remember(Draft(text=TEXT, space="zoo"))
    other = memories.remember(Draft(text="the hall is made of oak", space="zoo"))
    calibrate_floor(memories)
    sessions.start_session(memories, "morning")
    tasks.start_task(memories, f"find out where {TEXT}")
    memories.recall(TEXT)
    aliases.add_aliases(memories, "Quentomar", ["Quento"])
    said = {"subject": "Quentomar", "relation": "hides", "object": "ledger", "confidence": 0.9}
    assert proposed_links.submit_link(memories, said, [kept])
    cites = {"cites": [kept.id]}
    doubtful = Draft(text=f"{TEXT} upstairs", source="inferred", confidence=0.2, data=cites, space="zoo")
    admit_drafts(memories, memories.model, [doubtful])
    put_rule(memories, OwnerRule("no-frogs", "never", pattern="frogs"))
    blocks.put_block(memories, "house", f"Mind that {TEXT}")
    checkpoints.save_checkpoint(memories, "search", json.dumps({"found": TEXT}))
    step = steps.TaskStep("look", "done", ("echo", TEXT), {}, False, 1, memories.now())
    steps.record_step(memories, "search", step, None, steps.StepOutput(TEXT.encode(), b""))
    check_action(memories, TEXT, {})
    Procedures(memories).add(
        "seek", "description: seek it\n", "yaml", files={"s.sh": ProcedureFile(TEXT.encode())}
    )
    open_questions.put_question(memories, [kept.id, other.id], "duplicate")
    bookmarks.note_line_read(memories, "distil", 7)
    claim = {"step": "distil", "text": f"Kevin says: {TEXT}", "reason": "nobody says so"}
    bookmarks.note_run(memories, "a run", {}, [claim])
    erase_memories(memories, [memories.remember(Draft(text="gone for good", space="zoo"))])
    memories.store.back_up(memories.now())
    create_snapshot(memories, "before the ball")
    held = next(memories.store.states(("zoo",), areas.HELD.name))
    memories.store.drop_state("zoo", areas.HELD.name, held.key)
    blocks.put_block(memories, "house", "Mind the step")
    with opened_snapshot(memories, snapshots(memories)[0]) as then:
        roll_back(memories, then, "before the ball", "zoo")
    with opened_snapshot(memories, create_snapshot(memories, "after it")) as then:
        blocks.put_block(memories, "house", f"Mind that {TEXT}")
        again = Draft(text=f"{TEXT} downstairs", source="inferred", confidence=0.2, data=cites, space="zoo")
        admit_drafts(memories, memories.model, [again])
        roll_back(memories, then, "after it", "zoo")
    blocks.put_block(memories, "house", f"Mind that {TEXT}")
    add_check(memories, "who hides the ledger?", kept)
    memories.recall(TEXT)


def lose_a_block(memories: Memories, home: Path, clock: TickingClock) -> None:
    """A block that was changed on another machine, too, and later."""
    folder = Folder(home / "folder")
    folder.path.mkdir()
    with make_memories(home / "elsewhere.db", clock, space="zoo") as other:
        for each in (memories, other):
            sync_folder(each, folder)
        other.remember(Draft(text="the quay is wet", space="zoo"))
        blocks.put_block(memories, "house", f"Mind that {TEXT} there")
        blocks.put_block(other, "house", f"Mind that {TEXT} always")
        for each in (other, memories):
            sync_folder(each, folder)


def found_in(memories: Memories, *spaces: str) -> set[str]:
    return {state.area for state in memories.store.states(spaces or None)}


def named(fits: Callable[[Area], bool]) -> set[str]:
    """The areas that fit, but for the one of a store that nobody can open yet."""
    return {each.name for each in areas.ALL if fits(each) and each is not areas.INCOMING}


def test_the_verbs_fill_every_area_and_each_where_the_register_says(
    full: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert found_in(full) == named(lambda area: area is not areas.ERASURE)
    assert found_in(full, "zoo") == named(lambda area: area.in_spaces)
    assert [each.name for each in spaces.spaces(full)] == ["zoo"]

    def busy(**options: object) -> None:
        raise StoreBusy("a reader holds on to an older state")

    with monkeypatch.context() as patch:
        patch.setattr(full.store, "scrub", busy)
        assert erase_memories(full, [full.remember(Draft(text="gone as well", space="zoo"))]).unfinished
    assert found_in(full) == named(lambda area: True)


def test_values_name_memories_where_the_register_says(full: Memories) -> None:
    known = {each.id for each in full.store.select(Filter(spaces=None, live=False))}
    naming = {
        state.area
        for state in full.store.states()
        if any(memory_id in json.dumps([state.key, state.value]) for memory_id in known)
    }
    assert naming == named(lambda area: area.naming is not Naming.NONE and area is not areas.ERASURE)


def test_an_erasure_drops_the_notes_that_quote_it_and_names_the_rest(full: Memories) -> None:
    [kept] = [each for each in full.store.select(full.within()) if each.text == TEXT]
    receipt = erase_memories(full, [kept])
    # The task is named by its goal, and with it what is noted of its recalls.
    notes = named(lambda area: area.content is Content.NOTE)
    assert {name.split("/")[0] for name in receipt.states} == notes
    staying = {name.split("/")[0] for name in receipt.shared if "/" in name}
    # The rule says nothing of it; what belongs to a checkpoint or a procedure is named by that.
    belonging = {areas.CHECKPOINT_SAVE, areas.CHECKPOINT_STEP, areas.CHECKPOINT_OUTPUT, areas.PROCEDURE_FILE}
    owners = named(lambda a: a.content is Content.OWNERS and a not in {areas.WRITE_RULES, *belonging})
    assert staying == owners | {areas.SESSION_AT_HAND.name, areas.CHECKPOINT.name}
    [seek] = Procedures(full).versions.versions_of("seek")
    assert seek.id in receipt.shared
    where = f"--space zoo --db {full.store.location}"
    assert receipt.removal == [" ".join(["mem forget --hard", where, *receipt.shared])]
    again = erase(full, find_targets(full, receipt.shared))
    assert again.verified and not again.shared and TEXT not in str(list(full.store.states()))
    assert receipt.verified
    # Of values that say nothing of it what they were before stays on record.
    assert found_in(full, "zoo") & notes == {areas.VALUE_BEFORE.name}


@pytest.mark.parametrize("area", [each for each in areas.ALL if each.naming in (Naming.ANY, Naming.ALL)])
def test_what_only_names_the_erased_goes_with_it(memories: Memories, area: Area) -> None:
    one, two = memories.remember(TEXT), memories.remember("the hall is made of oak")
    for key, cites in (("both", [one.id, two.id]), ("one", [one.id]), ("none", [two.id])):
        value = {"memory": {"data": {"cites": cites}}} if area is areas.HELD else {"evidence": cites}
        memories.store.put_state(State("default", area.name, key, value, 1, one.created_at, one.created_at))
    erase_memories(memories, [one])
    left = [state.key for state in memories.store.states(area=area.name)]
    assert left == (["none"] if area.naming is Naming.ANY else ["both", "none"])


def test_a_space_takes_along_what_is_its_own(full: Memories) -> None:
    spaces.rename_space(full, "zoo", "ark")
    assert found_in(full, "ark") == named(lambda area: area.in_spaces)
    assert found_in(full, "zoo") == set()
    with pytest.raises(NotFound):
        spaces.rename_space(full, "calibration", "ark2")  # what is the whole store's is in no space


def test_forgetting_a_space_softly_clears_what_cannot_come_back(full: Memories) -> None:
    staying = spaces.forget_space(full, "forgotten").staying
    assert set(staying) == named(lambda area: area.in_spaces and not area.cleared)


def test_forgetting_a_space_for_good_leaves_what_is_the_whole_stores(full: Memories) -> None:
    receipt = erase(full, Targets(), "forgotten", space=full.space)
    assert set(receipt.space) == named(lambda area: area.in_spaces)
    # The folder of a sync that is on record holds it until its files are renewed: the erasure is noted.
    assert receipt.verified and found_in(full) == named(lambda area: not area.in_spaces)


def test_undo_withdraws_what_waits_for_its_owner_and_nothing_else(memories: Memories) -> None:
    """Whatever names a change: what is no question to the owner stays."""
    now = memories.now()
    change = memories.new_id(now)
    for area in areas.ALL:
        if area is areas.INCOMING:  # of no store that can be opened
            continue
        place = memories.space if area.in_spaces else "*"
        memories.store.put_state(State(place, area.name, "k", {"change": change}, 1, now, now))
    withdrawn = undo_change(memories, change).withdrawn
    assert set(withdrawn) == {f"{name}/k" for name in named(lambda area: area.waits)}
    assert found_in(memories) == named(lambda area: not area.waits)


def test_an_export_and_an_import_carry_what_travels(
    full: Memories, own_home: Path, clock: TickingClock
) -> None:
    now = full.now()
    lines = list(export_records(full, Filter(spaces=None, live=False)))
    carried = {line["area"] for line in lines if line.get("type") == "state"}
    assert carried == named(lambda area: area.travels)
    kept_at_home = {"type": "state", **State("*", areas.ERASURE.name, "erasure", {}, 1, now, now)._asdict()}
    lines.append(
        {**kept_at_home, "created_at": lines[-1]["created_at"], "updated_at": lines[-1]["updated_at"]}
    )
    with make_memories(own_home / "other.db", clock) as other:
        numbered = enumerate((json.dumps(line) for line in lines), start=1)
        report = Importer(other, "import:x").take(read_records(numbered))
        # A store measures its own model.
        assert found_in(other) == carried | {areas.COSINE_SCALE.name}, report
        assert len(report.refused) == 1 and "erasure" in report.refused[0] and report.bad == 0


def test_a_file_stays_as_long_as_a_memory_of_its_space_names_it(full: Memories) -> None:
    [area] = [each for each in areas.ALL if each.named_by_memories]
    [version] = Procedures(full).versions.versions_of("seek")
    assert ids.is_id(version.id) and found_in(full, "zoo") >= {area.name}
    erase_memories(full, [version])
    assert area.name not in found_in(full)


# What leaves, what goes back: said once more here, for a slip of the hand in the register shows nowhere else
