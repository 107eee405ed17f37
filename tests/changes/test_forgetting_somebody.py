"""Forgetting a person: whatever names them goes, or is named with the command; nothing brings it back."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from memcli.changes import revision
from memcli.changes.forgetting.hard import erase
from memcli.changes.forgetting.named import NamedThings, find_named
from memcli.changes.forgetting.receipt import ErasureReceipt
from memcli.changes.forgetting.selection import find_person
from memcli.changes.forgetting.soft import forget_memories
from memcli.changes.forgetting.targets import find_targets
from memcli.errors import BadInput, NotFound
from memcli.graph import aliases, link_changes
from memcli.graph.links import link_reasons
from memcli.memories import Memories
from memcli.model import EVERYWHERE, Filter, State
from memcli.storage import areas
from memcli.tiers.context import blocks
from memcli.tiers.policies.document import PolicyText
from memcli.tiers.policies.policies import Policies
from memcli.tiers.procedures.procedures import Procedures
from memcli.tiers.sessions import sessions
from memcli.tiers.sessions.folding import fold_turns
from memcli.tiers.tasks import checkpoints, steps, tasks
from memcli.tiers.versions import VersionOptions
from memcli.upkeep.exchange.export import export_records
from memcli.upkeep.exchange.importer import Importer, ImportReport
from memcli.upkeep.exchange.record_reader import read_records
from memcli.write_policy.admission import admit_drafts
from memcli.write_policy.drafts import Draft
from memcli.write_policy.owner_rules import OwnerRule
from memcli.write_policy.settings import WriteOptions
from memcli.write_policy.stored_rules import put_rule
from tests.conftest import Run, TickingClock, make_memories
from tests.erasure import erase_memories
from tests.tiers.turns import log

ALL = Filter(spaces=None, live=False)
SETTINGS = {"recall_log": "query", "policy_log": "action"}
# As they stand in the file: folded in the word index, too.
RAW = (b"quentomar", b"vermeilio", "quentömar".encode(), "Quentömar".encode(), b"Quento", b"quento")


@pytest.fixture
def village(own_home: Path, clock: TickingClock) -> Iterator[Memories]:
    """A store in which Quentömar Vermeilio is named in every tier, in many forms."""
    with make_memories(own_home / "memory.db", clock, settings=SETTINGS) as memories:
        fill(memories)
        yield memories


def fill(memories: Memories) -> None:
    for text in ("Quentömar keeps bees", "QUENTOMAR VERMEILIO sells honey", "Herr Vermeilio is sixty"):
        memories.remember(text)
    memories.remember(Draft(text="dinner is at eight", tags=("quentomar",)))
    memories.remember("the moon was full in May")
    fence = memories.remember("the fence is brown")
    revision.doubt_memory(memories, fence, "says Quentömar")
    revision.edit_memory(memories, fence, tags=["quentomar"])
    revision.edit_memory(memories, memories.find(fence.id), without_tags=["quentomar"])
    because = WriteOptions(reason="Herr Vermeilio asked")
    revision.correct_memory(memories, memories.remember("the gate is green"), "the gate is grey", because)
    forget_memories(memories, [memories.remember("the shed leaks")], "Quentömars idea")
    for n in range(3):
        log(memories, f"Quentömar told story {n} of hive {n} at length", session="porch")
        log(memories, f"and the wall number {n} wants paint of colour {n}", session="porch")
    fold_turns(memories, "porch")
    log(memories, "we met at noon", session="quentomar-talk")
    sessions.start_session(memories, "quentomar-walk")
    link_changes.link_entities(memories, "Quentömar", "keeps", "bees")
    link_changes.link_entities(memories, "Petra", "likes", "Quentomar Vermeilio")
    link_changes.link_entities(memories, "Petra", "bakes", "bread")
    link_changes.unlink_entities(memories, "Petra", "bakes", "bread", reason="Quentömar says so")
    aliases.add_aliases(memories, "Quentömar", ["Quento"])
    memories.remember("Quento lends us his smoker")
    blocks.put_block(memories, "people", "Quentömar: neighbour")
    blocks.put_block(memories, "people", "nobody yet")
    tasks.start_task(memories, "help Quentömar")
    tasks.note_in_task(memories, None, "the smoker is broken")
    checkpoints.save_checkpoint(memories, "hive", '{"who": "Quentömar"}')
    step = steps.TaskStep("ask", "done", ("echo", "Quentömar"), {}, False, 1, memories.now())
    steps.record_step(memories, "hive", step, None, steps.StepOutput(b"quentomar", b""))
    Policies(memories).add(PolicyText("quiet", "No drilling after eight", why="Quentömar sleeps early"))
    Procedures(memories).add("honey", "description: harvest\nsteps: [ask Quentömar]\n", "yaml")
    noted = VersionOptions(note="no Quentömar")
    Procedures(memories).add("honey", "description: harvest\nsteps: [ask]\n", "yaml", noted)
    line = (1, json.dumps({"text": "the attic is dry"}))
    Importer(memories, "import:quentomar-notes.jsonl").take(read_records([line]))
    cites = Draft(text="Quentomar may move", source="inferred", confidence=0.2)
    admit_drafts(memories, memories.model, [cites])
    put_rule(memories, OwnerRule("bee-diary", "never", pattern="diary", why="Quentömar asked"))
    memories.recall("what does Quentömar keep")
    memories.store.back_up(memories.now())


def files(home: Path) -> bytes:
    return b"".join(file.read_bytes() for file in home.rglob("memory.db*") if file.is_file())


def exported(memories: Memories) -> list[str]:
    return [json.dumps(line) for line in export_records(memories, ALL, history=True)]


def taken(memories: Memories, lines: list[str]) -> ImportReport:
    return Importer(memories, "import:old").take(read_records(enumerate(lines, start=1)))


def forget_whole(memories: Memories) -> tuple[NamedThings, ErasureReceipt]:
    """By name, and then what the receipt names, as it says."""
    named = find_named(memories, "Dr. Quentömar Vermeilio")
    receipt = erase(memories, named.targets, "Quentömar asked")
    [command] = receipt.removal
    words = shlex.split(command)
    rest = words[words.index("--db") + 2 :]
    assert rest == receipt.shared
    again = erase(memories, find_targets(memories, rest))
    assert receipt.verified and again.verified and not again.shared, (receipt, again)
    return named, receipt


def test_nothing_of_a_person_is_left_in_any_file_or_backup(village: Memories, own_home: Path) -> None:
    assert all(word in files(own_home) for word in (b"quentomar", "Quentömar".encode()))
    named, receipt = forget_whole(village)
    assert {"Quentömar", "QUENTOMAR VERMEILIO", "Herr Vermeilio", "Quento"} <= set(named.taken)
    assert [each for each in receipt.shared if "/" not in each]  # the policy, whose reason names them
    assert {each.partition("/")[0] for each in receipt.shared} >= {
        "block",
        "task",
        "checkpoint",
        "write-rules",
    }
    assert len(receipt.links) == 2 and not find_named(village, "Quentömar Vermeilio").taken
    left = files(own_home)
    for word in RAW:
        assert word not in left, word
    assert b"fence is brown" in left and b"moon was full" in left


def test_what_stays_stays_as_it_was_but_for_reasons(village: Memories) -> None:
    _, receipt = forget_whole(village)
    texts = {each.text for each in village.store.select(ALL)}
    assert {"the fence is brown", "the gate is grey", "the shed leaks", "the attic is dry"} <= texts
    [fence] = [each for each in village.store.select(ALL) if each.text == "the fence is brown"]
    assert (
        fence.id in receipt.reasons and [e.action for e in village.store.history(fence.id)].count("edit") == 2
    )
    [link] = village.store.links()
    assert (link.object, link_reasons(link), link.ended_at is not None) == ("bread", [], True)
    [summary] = [each for each in village.store.select(ALL) if "folds" in each.data]
    assert "wall number" in summary.text and summary.ended_at is None
    [honey] = Procedures(village).versions.versions_of("honey")
    assert "Quent" not in str(list(village.store.history(honey.id)))
    assert [block.label for block in blocks.blocks(village, deleted=True)] == []


def test_an_old_export_brings_back_nothing_that_names_them(village: Memories, own_home: Path) -> None:
    old = exported(village)
    forget_whole(village)
    before = exported(village)
    report = taken(village, old)
    assert report.refused and report.added == report.bad == 0
    assert exported(village) == before
    for word in RAW:
        assert word not in files(own_home), word


def test_nor_does_another_door_for_files(village: Memories) -> None:
    forget_whole(village)
    drafts = [Draft(text=text, origin="import:notes") for text in ("Q. Vermeilio is back", "bees are back")]
    one, two = admit_drafts(village, village.model, drafts)
    assert (one.action, one.rule, two.action) == ("refuse", "forgotten", "take")
    # What somebody says today is theirs to say.
    [said] = admit_drafts(village, village.model, [Draft(text="Quentömar Junior was born")])
    assert said.action == "take"


def test_of_what_is_in_no_space_only_the_owners_words_are_looked_through(memories: Memories) -> None:
    memories.remember("Zorbanella Quist keeps bees")
    now = memories.now()
    for area, is_theirs in ((areas.WRITE_RULES.name, True), (areas.CALIBRATION.name, False)):
        assert not areas.area_named(area).in_spaces
        memories.store.put_state(State(EVERYWHERE, area, "k", ["Zorbanella Quist"], 1, now, now))
        found = find_named(memories, "Zorbanella Quist")
        assert any(area in str(each) for each in (*found.targets.values, *found.works)) is is_theirs


def test_no_name_stands_among_the_hashes(village: Memories) -> None:
    forget_whole(village)
    traces = list(village.store.states(("*",), areas.FORGOTTEN_TRACE.name))
    told = json.dumps([(each.key, each.value) for each in traces]).casefold()
    assert traces and "quent" not in told and "vermeil" not in told and "honey" not in told


# Whose the name is


def test_a_namesake_makes_the_given_name_doubtful_until_ruled_out(memories: Memories) -> None:
    bare = memories.remember("Kevin is allergic to nuts")
    full = memories.remember("Kevin Malone keeps the books")
    hart = memories.remember("the show of Kevin Hart is sold out")
    sarah = memories.remember("Sarah Malone teaches piano")
    named = find_named(memories, "Kevin Malone")
    assert named.targets.memories == [full]
    assert named.left == {"Kevin": [bare.id], "Kevin Hart": [hart.id], "Sarah Malone": [sarah.id]}
    sure = find_named(memories, "Kevin Malone", others=["Kevin Hart"])
    assert sure.targets.memories == [bare, full] and list(sure.left) == ["Sarah Malone"]
    erase(memories, sure.targets)
    assert [each.id for each in memories.store.select(ALL, order="oldest")] == [hart.id, sarah.id]
    assert taken(memories, [json.dumps({"type": "memory", **hart.to_record()})]).refused == []


def test_a_word_that_may_be_the_name_is_told_with_its_text_and_nothing_else_is(memories: Memories) -> None:
    kept = memories.remember("Rose keeps bees")
    flower, other = memories.remember("the rose is red"), memories.remember("Rose Hart sells honey")
    named = find_named(memories, "Rose Malone", others=["Rose Hart"])
    assert named.targets.memories == [kept] and named.doubtful == {flower.id: flower.text}
    assert not named.left and other.id not in named.doubtful


def test_the_name_of_a_field_names_nobody(memories: Memories) -> None:
    now = memories.now()
    for key, value in (("field", {"Quentomar": "keeps bees"}), ("text", {"goal": "ask Quentomar"})):
        memories.store.put_state(State(memories.space, areas.TASK.name, key, value, 1, now, now))
    named = find_named(memories, "Quentomar Vermeilio")
    assert named.taken == {"Quentomar": 1}


def test_who_lives_where_somebody_lived_is_not_forgotten_with_them(memories: Memories) -> None:
    """Else a link is told that has a name which only the erased said, however short."""
    lived = memories.remember("Quentomar Vermeilio moved to Rio")
    link = link_changes.link_entities(memories, "Bob", "lives_in", "Rio").link
    barn = link_changes.link_entities(memories.in_space("barn"), "Bob", "sails_to", "Oslo").link
    named = find_named(memories, "Quentomar Vermeilio")
    assert named.targets.memories == [lived]
    assert erase(memories, named.targets).shared == []
    sunk = memories.remember("The ferry to Rio sank")
    assert erase_memories(memories, [sunk]).shared == [f"link/{link.id}"]
    assert {each.id for each in memories.store.links()} == {link.id, barn.id}


def test_a_longer_form_finds_what_the_store_calls_them(memories: Memories) -> None:
    kept = memories.remember("Kevin is allergic to nuts")
    for asked in ("Kevin Malone", "Mr. Kevin J. Malone", "Malone, Kevin", "kevin malone"):
        named = find_named(memories, asked)
        assert named.targets.memories == [kept] and named.taken == {"Kevin": 1}
    assert not find_named(memories, "Ann Malone").taken
    with pytest.raises(BadInput, match="is not a name"):
        find_named(memories, "!?")


def test_an_alias_is_another_name_and_no_part_of_it_is(memories: Memories) -> None:
    aliases.add_aliases(memories, "Kevin", ["Bee Man"])
    smoker, bees = memories.remember("Bee Man lends a smoker"), memories.remember("bees sleep in winter")
    named = find_named(memories, "Kevin Malone")
    assert named.targets.memories == [smoker] and bees.id not in str(named.left)


# Beside memories, one by one


def test_links_aliases_tasks_and_checkpoints_are_erased_by_address(
    memories: Memories, own_home: Path
) -> None:
    made = link_changes.link_entities(memories, "Zanzibaria", "lies_in", "Ouagadougou").link
    link_changes.unlink_entities(memories, "Zanzibaria", "lies_in", "Ouagadougou")
    aliases.add_aliases(memories, "Zanzibaria", ["Zanzy the Great"])
    tasks.start_task(memories, "visit Zanzibaria", name="zanzitask")
    checkpoints.save_checkpoint(memories, "zanzirun", '{"at": "Zanzibaria"}')
    lines = exported(memories)
    named = [f"link/{made.id}", "alias/Zanzy the Great", "task/zanzitask", "checkpoint/zanzirun"]
    receipt = erase(memories, find_targets(memories, named))
    assert receipt.verified and receipt.links == [made.id] and not receipt.shared
    assert b"anzi" not in files(own_home) and b"anzy" not in files(own_home)
    assert not list(memories.store.states(("default",)))
    report = taken(memories, lines)
    assert report.added == 0 and len(report.refused) == len([each for each in lines if '"type"' in each])
    with pytest.raises(NotFound):
        find_targets(memories, named)
    assert find_targets(memories, []).addresses == []


def test_a_value_that_is_written_anew_is_taken_in(memories: Memories, clock: TickingClock) -> None:
    blocks.put_block(memories, "owner", "an old text of it")
    erase(memories, find_targets(memories, ["block/owner"]))
    clock.advance(hours=1)
    blocks.put_block(memories, "owner", "quite another one")
    lines = exported(memories)
    memories.store.drop_state("default", areas.BLOCK.name, "owner")
    assert taken(memories, lines).refused == []
    assert blocks.find_block(memories, "owner").text == "quite another one"


def test_a_link_that_only_the_erased_named_is_told(memories: Memories) -> None:
    """Made by hand, it rests on no memory."""
    kept = memories.remember("Bo moved to Ystad")
    link = link_changes.link_entities(memories, "Bo", "owns", "boat").link
    link_changes.link_entities(memories, "Ann", "owns", "car")
    receipt = erase_memories(memories, [kept])
    assert receipt.shared == [f"link/{link.id}"] and receipt.removal[0].endswith(f" link/{link.id}")


def test_an_export_from_before_brings_no_quotation_of_what_was_erased_by_id(memories: Memories) -> None:
    said = "the combination lies under the blue flower pot"
    kept = memories.remember(f"Remember this. {said.capitalize()}.")
    blocks.put_block(memories, "house", f"Mind: {said}; and water the plants")
    link_changes.link_entities(memories, "pot", "says", said)
    other = revision.doubt_memory(memories, memories.remember("the pot is red"), f"because {said}")
    lines = exported(memories)
    for state in list(memories.store.states(("default",), areas.BLOCK.name)):
        memories.store.drop_state("default", state.area, state.key)
    memories.store.drop_links([each.id for each in memories.store.links()])
    receipt = erase_memories(memories, [kept])
    assert receipt.reasons == [other.id] and receipt.shared == []
    taken(memories, lines)
    assert said not in json.dumps(exported(memories))


# By hand


@pytest.mark.parametrize(
    ("query", "is_somebody"),
    [
        ("Ann Berg", True), ("ann berg", True), ("So Yun", True), ("so yun", False), ("red barn", False),
        ("Zoe Nobody", False), ("", False),
    ],
)  # fmt: skip
def test_a_query_is_somebody_where_it_is_written_or_kept_as_a_name(
    memories: Memories, query: str, is_somebody: bool
) -> None:
    for text in ("Ann Berg sings in the choir", "So Yun keeps bees", "the red barn is old"):
        memories.remember(text)
    assert (find_person(memories, Filter(), query=query, about=None) is not None) is is_somebody
    if query == "Ann Berg":
        assert find_person(memories, Filter(), query=None, about=query) is not None
        assert find_person(memories, Filter(), query=None, about=None) is None


def test_somebody_is_forgotten_by_hand(mem: Run) -> None:
    mem("remember", "Kevin is allergic to nuts")
    mem("remember", "the moon is full")
    mem("link", "Kevin", "works_at", "Dunder")
    mem("block", "set", "owner", "Kevin is my accountant")
    dry = mem("forget", "--hard", "--about", "Kevin Malone", "--dry-run")
    assert "named as: Kevin" in dry.stderr and dry.stdout.count("\n") == 2 and "link/" in dry.stdout
    assert mem("forget", "--hard", "--query", "Kevin Malone", "--dry-run").stdout == dry.stdout
    assert "stay: block/owner; else: mem forget --hard block/owner" in dry.stderr
    assert mem("forget", "--hard", "--about", "Kevin Malone").returncode == 2
    done = mem("forget", "--hard", "--about", "Kevin Malone", "--yes", "--json")
    receipt = json.loads(done.stdout)
    assert receipt["verified"] and len(receipt["links"]) == 1 and receipt["shared"] == ["block/owner"]
    [command] = receipt["removal"]
    assert command == "mem forget --hard block/owner"
    assert mem(*shlex.split(command)[1:]).returncode == 0 and mem("block", "list").returncode == 1
    assert mem("forget", "--about", "Kevin").returncode == 1
    assert mem("list", "--json").stdout.count("moon") == 1


def run_removal(mem: Run, receipt: str) -> None:
    """Run the commands that a receipt prints, as it prints them."""
    told = [
        line.partition(": ")[2] for line in receipt.splitlines() if line.startswith("to erase what stays")
    ]
    assert told
    for command in told:
        done = mem(*shlex.split(command)[1:])
        assert done.returncode == 0 and "says it too" not in done.stdout, (command, done)


def zebulon_is_known(mem: Run) -> str:
    said = mem("remember", "Zebulon has the spare key").stdout.strip()
    mem("block", "set", "me", "I know that Zebulon has the spare key")
    mem("snapshot", "create", "zebulons", "--note", "before Zebulon has the spare key")
    mem("backup", "create")
    return said


@pytest.mark.parametrize("by_name", [True, False])
def test_the_command_in_a_receipt_erases_all_that_stays(mem: Run, own_home: Path, by_name: bool) -> None:
    said = zebulon_is_known(mem)
    at = json.loads(mem("snapshot", "list", "--json").stdout)["at"]
    chosen = ("--about", "Zebulon", "--yes") if by_name else (said,)
    receipt = mem("forget", "--hard", *chosen)
    assert (
        receipt.returncode == 0 and ("snapshots/" in receipt.stdout.rpartition("to erase")[2]) is not by_name
    )
    run_removal(mem, receipt.stdout)
    assert mem("block", "list").returncode == 1
    [snapshot] = mem("snapshot", "list").stdout.splitlines()
    assert b"zebulon" not in files(own_home).lower() and "ebulon" not in snapshot
    assert "sound" in mem("snapshot", "show", snapshot.split()[0]).stdout
    # Its id still says when it was made.
    assert json.loads(mem("snapshot", "list", "--json").stdout)["at"] == at


def test_what_memcli_works_by_stays_and_is_in_no_command(mem: Run, own_home: Path) -> None:
    zebulon_is_known(mem)
    copy = own_home / "zebulon.db"
    mem("backup", "create", str(copy))
    receipt = mem("forget", "--hard", "--about", "Zebulon", "--yes").stdout
    assert f"stays, as memcli works by it: copies/{copy}" in receipt
    assert str(copy) not in receipt.partition("to erase what stays")[2].partition("\n")[0]
    run_removal(mem, receipt)
    refused = mem("forget", "--hard", f"copies/{copy}")
    assert refused.returncode == 1 and str(copy) in mem("backup", "list").stdout


def test_what_only_says_the_word_that_a_name_is_stays(mem: Run) -> None:
    said = mem("remember", "Per said the crane is late").stdout.strip()
    rent = mem("remember", "The gym costs 349 kroner per month").stdout.strip()
    small = mem("remember", "per owes me a drill").stdout.strip()
    dry = mem("forget", "--hard", "--about", "Per", "--dry-run")
    assert said[-8:] in dry.stdout and dry.stdout.count("\n") == 1
    assert "named as: Per (1)" in dry.stderr and rent not in dry.stderr
    way_out = next(line for line in dry.stderr.splitlines() if "owes me" in line).partition("else: ")[2]
    assert way_out.startswith("mem forget --hard ") and way_out.endswith(small)
    assert mem("forget", "--hard", "--about", "Per", "--yes").returncode == 0
    assert mem(*shlex.split(way_out)[1:], "--yes").returncode == 0
    assert [json.loads(line)["id"] for line in mem("list", "--json").stdout.splitlines()] == [rent]


def test_somebody_who_is_called_as_a_word_is_can_be_forgotten(mem: Run) -> None:
    named = [
        mem("remember", text).stdout.strip() for text in ("Will fixes the printers", "Will's car is red")
    ]
    asked = mem("remember", "Will you come on Friday?").stdout.strip()
    mem("remember", "It will rain on the fair")
    done = mem("forget", "--about", "Will", "--yes")
    assert sorted(done.stdout.split()) == sorted(named)
    way_out = next(line for line in done.stderr.splitlines() if "you come" in line).partition("else: ")[2]
    assert way_out.startswith("mem forget ") and way_out.endswith(asked) and "--hard" not in way_out


def test_a_link_is_erased_by_hand(mem: Run) -> None:
    mem("link", "Kevin", "works_at", "Dunder")
    mem("unlink", "Kevin", "works_at", "Dunder")
    assert "erased link" in mem("unlink", "--hard", "Kevin", "works_at", "Dunder").stdout
    assert mem("graph", "list", "--ended").returncode == 1
    linked = mem("link", "Kevin", "works_at", "Dunder").stdout.strip()
    assert "erased link" in mem("forget", "--hard", linked).stdout
    assert mem("forget", "--hard", linked).returncode == 1


def test_softly_somebody_is_out_of_every_recall(mem: Run) -> None:
    kept = mem("remember", "Kevin is allergic to nuts").stdout.strip()
    mem("link", "Ann", "knows", "Kevin")
    assert mem("forget", "--about", "Kevin Malone", "--yes").stdout.strip() == kept
    assert "Kevin" not in mem("recall", "Kevin").stdout and mem("graph", "list").returncode == 1
    assert mem("restore", kept).returncode == 0
