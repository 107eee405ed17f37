"""What an import brings beside memories passes the rules of what somebody types; one's own comes back whole."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memcli.changes import revision
from memcli.errors import Refused
from memcli.graph import link_changes
from memcli.memories import Memories
from memcli.model import Filter, State
from memcli.storage import areas
from memcli.text import printable
from memcli.tiers.context import blocks
from memcli.tiers.sessions import sessions
from memcli.tiers.tasks import tasks
from memcli.upkeep.exchange import export, importer, record_reader
from memcli.upkeep.exchange.links_and_states import trusted_states
from memcli.upkeep.exchange.validation import ImportGate
from memcli.write_policy import stored_rules
from memcli.write_policy.admission import admit_drafts
from memcli.write_policy.drafts import Draft
from memcli.write_policy.owner_rules import OwnerRule
from memcli.write_policy.reader import StoreReader
from memcli.write_policy.settings import WriteOptions
from tests.conftest import Run, TickingClock, make_memories
from tests.erasure import erase_memories

TOKEN = "ghp_" + "a8Bc3dEf9hIjKl2nOpQr" + "StUvWxYz01234567"
ALL = Filter(spaces=None, live=False)


def rows(memories: Memories, **options: Any) -> list[str]:
    return [printable.json_line(record) for record in export.export_records(memories, ALL, **options)]


def take(
    memories: Memories, lines: list[str], how: WriteOptions | None = None, **options: Any
) -> dict[str, Any]:
    taking = importer.Importer(memories, options.pop("origin", "import:test"), options=how, **options)
    return taking.take(record_reader.read_records(enumerate(lines, start=1))).to_record()


@pytest.fixture
def filled(memories: Memories) -> list[str]:
    """An export with a link, states and history, each of which says HERE."""
    kept = memories.remember("Ann works at HERE")
    revision.doubt_memory(memories, kept, "so HERE says")
    link_changes.link_entities(memories, "Ann", "works_at", "HERE")
    blocks.put_block(memories, "owner", "HERE it is")
    tasks.start_task(memories, "move HERE")
    stored_rules.put_rule(memories, OwnerRule("one", "never", pattern="HERE"))
    return rows(memories, history=True)


@pytest.fixture
def empty(tmp_path: Path, clock: TickingClock) -> Memories:
    return make_memories(tmp_path / "empty.db", clock)


def bytes_of(memories: Memories) -> bytes:
    memories.close()
    path = Path(memories.store.location)
    return b"".join(each.read_bytes() for each in path.parent.glob(f"{path.name}*") if each.is_file())


def test_no_line_of_an_export_brings_a_secret_in(filled: list[str], empty: Memories) -> None:
    assert (
        take(make_memories(Path(empty.store.location).with_name("c.db"), empty.now), filled)["refused"] == 0
    )
    report = take(empty, [line.replace("HERE", TOKEN) for line in filled])
    kinds = {json.loads(line)["type"] for line in filled[1:]}
    assert kinds == {"event", "memory", "link", "state"} and report["refused"] >= 7 and report["bad"] == 0
    assert all("holds a secret" in reason and TOKEN not in reason for reason in report["reasons"])
    assert TOKEN.encode() not in bytes_of(empty)


@pytest.mark.parametrize("redact", [False, True])
def test_no_field_of_any_line_brings_a_secret_in(filled: list[str], empty: Memories, redact: bool) -> None:
    lines = [filled[0]]
    for line in filled[1:]:
        record = json.loads(line)
        lines += [json.dumps({**record, name: TOKEN}) for name in record if name != "type"]
    take(empty, lines, WriteOptions(redact=redact))
    assert TOKEN.encode() not in bytes_of(empty)


def test_with_redact_the_rest_of_each_line_is_kept(filled: list[str], empty: Memories) -> None:
    report = take(empty, [line.replace("HERE", TOKEN) for line in filled], WriteOptions(redact=True))
    assert report["refused"] == 0
    assert blocks.find_block(empty, "owner").text == "[redacted GitHub token] it is"
    assert [link.object for link in empty.store.links()] == ["[redacted GitHub token]"]
    assert TOKEN.encode() not in bytes_of(empty)


def test_a_link_that_is_a_secret_only_as_a_whole_is_refused(filled: list[str], empty: Memories) -> None:
    link_changes.link_entities(empty, "Ann", "works_at", "HERE")
    [link] = [line for line in rows(empty) if '"link"' in line]
    changed = link.replace("works_at", "password").replace("HERE", "hunter2Xy9")
    assert take(empty, [changed])["refused"] == 1


def test_what_an_untrusted_file_says_of_its_owner_is_left_out(filled: list[str], empty: Memories) -> None:
    for options in ({"trusted": False}, {"origin": "import:http://x.y/z.jsonl"}):
        report = take(empty, filled, **options)
        assert report["bad"] == 0
        states = [each for each in empty.store.states() if each.area != areas.COSINE_SCALE.name]
        assert blocks.blocks(empty) == [] and states == []
        assert [memory.trusted for memory in empty.store.select(ALL)] == [False]
        assert [link.data["origin"] for link in empty.store.links()] != []
    memory = next(json.loads(line) for line in filled if '"type":"memory"' in line)
    forged = {
        **memory,
        "id": "01M7ZHTTRXBEW3ZN19TA3AXSBW",
        "text": TOKEN,
        "data": {"overrides": ["secret:github-token"]},
    }
    assert take(empty, [json.dumps(forged)], trusted=False)["refused"] == 1


def test_what_was_forced_comes_back_from_ones_own_export(memories: Memories, empty: Memories) -> None:
    admit_drafts(memories, memories.model, [Draft(text=f"the token is {TOKEN}")], WriteOptions(force=True))
    before = rows(memories, history=True)
    assert take(empty, before)["refused"] == 0 and rows(empty, history=True) == before


def test_what_was_forgotten_stays_so_after_an_import_of_another_store(
    memories: Memories, empty: Memories
) -> None:
    for store, text in ((memories, "Ann sings in the choir"), (empty, "Bob keeps nine bees")):
        erase_memories(store, [store.remember(text)])
    assert take(empty, rows(memories))["refused"] == 0
    for text in ("Ann sings in the choir", "Bob keeps nine bees"):
        with pytest.raises(Refused, match="forgotten for good"):
            empty.remember(text)
    assert empty.remember("Ann sings in the hall")


def test_a_memory_that_was_forgotten_comes_back_under_its_id_with_no_other_text(
    memories: Memories, empty: Memories
) -> None:
    kept = memories.remember("Ann sings in the choir")
    assert take(empty, rows(memories))["added"] == 1
    erase_memories(empty, [empty.find(kept.id)])
    revised = json.dumps({**json.loads(rows(memories)[1]), "text": "Ann has moved to Oslo"})
    assert take(empty, [revised])["refused"] == 1 and not [*empty.store.select(ALL)]
    assert take(empty, [revised], WriteOptions(force=True, carried=True))["added"] == 1


@pytest.mark.parametrize("place", ["tags", "session", "space", "origin", "text", "data"])
@pytest.mark.parametrize("when", ["before", "after"])
def test_no_field_of_a_line_of_history_brings_back_what_was_forgotten(
    memories: Memories, place: str, when: str
) -> None:
    said = "Quentomar hides the vermeilion ledger under the floor of the mill"
    erase_memories(memories, [memories.remember(said)])
    other = memories.remember("the owl hoots")
    quoting: dict[str, Any] = {when: {place: {"tags": [said], "data": {"note": said}}.get(place, said)}}
    sound: dict[str, Any] = {when: {place: [] if place == "tags" else "the owl"}}
    [line] = memories.store.history(other.id)
    options = {force: WriteOptions(force=force, carried=True) for force in (False, True)}
    for force, how in options.items():
        gate = ImportGate(how, StoreReader(memories.store), trusted=True, origin="import:test")
        if force:
            assert gate.event(line._replace(**quoting))
            continue
        with pytest.raises(Refused, match="forgotten"):
            gate.event(line._replace(**quoting))
        assert gate.event(line._replace(**sound))


@pytest.mark.parametrize("field", ["tags", "session", "space", "origin", "text", "data", "ended_why"])
@pytest.mark.parametrize("when", ["before", "after"])
def test_no_field_of_a_line_of_history_brings_a_secret_in(memories: Memories, field: str, when: str) -> None:
    kept = memories.remember("the owl hoots")
    [line] = memories.store.history(kept.id)
    saying: dict[str, Any] = {when: {field: {"tags": [TOKEN], "data": {"note": TOKEN}}.get(field, TOKEN)}}
    gate = ImportGate(WriteOptions(), StoreReader(memories.store), trusted=True, origin="import:test")
    with pytest.raises(Refused, match="the line of history holds a secret"):
        gate.event(line._replace(**saying))


@pytest.mark.parametrize(
    ("area", "value", "is_trusted"),
    [
        (areas.HELD.name, {"memory": {"trusted": True}}, True),
        (areas.HELD.name, {"memory": {"trusted": False}}, False),
        (areas.HELD.name, {"memory": {"trusted": True}, "origin": "mcp:x"}, True),
        (areas.HELD.name, {}, False),
        (areas.BLOCK.name, {"label": "a"}, True),
        (areas.BLOCK.name, {"label": "a", "origin": "mcp:x"}, False),
        (areas.PROPOSED_LINK.name, {"trusted": True}, True),
        (areas.PROPOSED_LINK.name, {"trusted": False}, False),
        (areas.PROPOSED_LINK.name, {"trusted": True, "origin": "mcp:x"}, False),
    ],
)
def test_with_trusted_only_of_keyed_values_the_owners_go_out(
    memories: Memories, area: str, value: dict[str, Any], is_trusted: bool
) -> None:
    now = memories.now()
    state = State("default", area, "k", value, 1, now, now)
    assert bool(list(trusted_states([state]))) is is_trusted


@pytest.mark.parametrize(
    "said",
    [
        "Bob keeps nine bees",
        "BOB KEEPS NINE BEES!",
        "bob  keeps\tnine\nbees.",
        "“Bob keeps nine bees”",
        "- Bob keeps, nine bees",
    ],
)
def test_a_forgotten_text_comes_in_through_no_door(memories: Memories, empty: Memories, said: str) -> None:
    before = rows(memories_with(memories, said), history=True)
    erase_memories(empty, [empty.remember("Bob keeps nine bees")])
    [kept] = [empty.remember("Bob lives in Oslo")]
    doors: list[Callable[[], object]] = [
        lambda: empty.remember(said),
        lambda: sessions.append_turn(empty, Draft(text=said, data={"role": "user"})),
        lambda: sessions.append_turn(empty, Draft(text=said, data={"role": "note"})),
        lambda: revision.merge_memories(empty, [kept, empty.remember("Bob lives in Norway")], text=said),
    ]
    for door in doors:
        with pytest.raises(Refused, match="forgotten for good"):
            door()
    assert revision.correct_memory(empty, kept, said, WriteOptions()).rule == "forgotten"
    assert take(empty, before)["refused"] == 2  # the memory and its line of history
    assert take(empty, [json.dumps({"text": said})])["refused"] == 1
    assert not any("nine bees" in memory.text.lower() for memory in empty.store.select(ALL))
    [forced] = admit_drafts(empty, empty.model, [Draft(text=said)], WriteOptions(force=True))
    assert forced.action == "take"


def memories_with(memories: Memories, text: str) -> Memories:
    memories.remember(text)
    return memories


def test_logs_lose_the_secret_of_what_they_note(memories: Memories, monkeypatch: pytest.MonkeyPatch) -> None:
    from memcli.config.config import Config

    monkeypatch.setenv("MEMCLI_RECALL_LOG", "query")
    memories.config = Config()
    memories.recall(f"where is {TOKEN}?")
    [entry] = [state.value for state in memories.store.states() if state.area == "recall-log"]
    assert entry["query"] == "where is [redacted GitHub token]?"


def test_a_secret_is_in_no_byte_and_no_word_of_what_is_printed(mem: Run, own_home: Path) -> None:
    secret = "tulip77" + "Garden"
    record = json.dumps({"text": f"my password is {secret}", "tags": ["x"]})
    ran = [
        mem("remember", f"my password is {secret}"),
        mem("remember", "--json", f"my password is {secret}"),
        mem("remember", "--dry-run", f"my password is {secret}"),
        mem("remember", "--dry-run", "--json", f"my password is {secret}"),
        mem("remember", "--dry-run", "--redact", "--json", f"my password is {secret}"),
        mem("remember", "--redact", f"my password is {secret}"),
        mem("remember", "--batch", input=f"my password is {secret}\n"),
        mem("remember", "--batch", "--json", input=record + "\n"),
        mem("import", "-", input=record + "\n"),
        mem("log", "user", f"my password is {secret}"),
        mem("log", "tool", f"PGPASSWORD={secret} psql"),
        mem("session", "import", "-", "--session", "s", input=json.dumps({"role": "user", "content": f"my password is {secret}"})),
        mem("checkpoint", "run", "job", "step", "--", "printf", "%s=%s", "password", secret),
        mem("rule", "add", "never", "x", "--pattern", "q", "--why", f"my password is {secret}"),
        mem("link", "db", "password", secret),
        mem("block", "set", "b", f"my password is {secret}"),
        mem("remember", "x", "--kind", f"password={secret}"),
        mem("show", f"password={secret}"),
        mem("remember", "--batch", input=json.dumps({"text": "x", "confidence": f"password={secret}"}) + "\n"),
        mem("import", "-", input=json.dumps({"text": "x", "confidence": f"password={secret}"}) + "\n"),
    ]  # fmt: skip
    statuses = [each.returncode for each in ran]
    assert statuses[:5] == [3, 3, 3, 3, 0] and statuses[6:9] == [3, 3, 3]
    printed = "".join(each.stdout + each.stderr for each in ran[:12] + ran[13:])
    assert secret not in printed
    files = [path for path in own_home.rglob("*") if path.is_file()]
    assert files and not [path for path in files if secret.encode() in path.read_bytes()]


def test_an_import_says_by_its_status_what_was_refused(mem: Run) -> None:
    good, secret, bad = json.dumps({"text": "tea is good"}), json.dumps({"text": f"use {TOKEN}"}), "{"
    assert mem("import", "-", input=f"{good}\n").returncode == 0
    assert mem("import", "-", input=f"{good}\n{secret}\n").returncode == 3
    assert mem("import", "-", input=f"{good}\n{secret}\n{bad}\n").returncode == 2
    assert json.loads(mem("import", "--json", "-", input=f"{secret}\n{bad}\n").stdout)["bad"] == 1


def test_saved_states_and_steps_come_back_whole_from_ones_own_export(mem: Run, tmp_path: Path) -> None:
    assert mem("checkpoint", "save", "migration", input='{"row": 7}').returncode == 0
    step = ("migration", "copy")
    command = ("--", sys.executable, "-c", "import uuid; print(uuid.uuid4())")
    done = mem("checkpoint", "run", *step, *command).stdout
    assert mem("audit", "--check", "secrets").returncode == 1
    exported = mem("export").stdout
    elsewhere = ("--db", str(tmp_path / "elsewhere.db"))
    assert mem("import", "-", *elsewhere, input=exported).returncode == 0
    assert mem("checkpoint", "restore", "migration", *elsewhere).stdout == '{"row": 7}\n'
    assert mem("checkpoint", "run", *step, *elsewhere, *command).stdout == done


def test_the_vectors_of_what_is_refused_are_given_to_nothing_else(memories: Memories) -> None:
    kept = memories.remember("The mill grinds rye")
    head, whole = (json.loads(line) for line in rows(memories, vectors=True))
    memories.store.erase([kept.id], memories.change("erase"), memories.now())
    refused = json.dumps({**whole, "text": f"The token is {TOKEN}"})
    del whole["vectors"]
    other = json.dumps({**whole, "text": "Oats"})
    said = take(memories, [json.dumps(head), refused, other])
    assert (said["added"], said["refused"]) == (1, 1), said
    [ref] = memories.store.refs_by_id([kept.id]).values()
    [vector] = memories.store.vectors([ref])[ref]
    assert vector == memories.model.embed([memories.find(kept.id)])[kept.id][0]
