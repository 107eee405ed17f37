"""What other programs hold for true: statements with their kinds, tags and times, and links."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

from memcli.importers.records import Problem, Record, Relation, Skill, Statement
from memcli.memories import Memories
from memcli.model import Change, Filter
from memcli.upkeep.exchange.documents import csv_lines
from memcli.write_policy.said_again import repetition
from memcli.write_policy.settings import WriteOptions
from tests.conftest import Run, door_of
from tests.importers.files import carry, folder, guessed, json_lines, read

_SAID, _AGAIN = "The choir meets at 5 pm on Mondays", "On Mondays the choir meets at 5 pm"


def _texts(records: list[Record]) -> list[str]:
    return [each.text for each in records if isinstance(each, Statement)]


def _links(records: list[Record]) -> list[tuple[str, str, str]]:
    return [(each.subject, each.relation, each.object) for each in records if isinstance(each, Relation)]


def test_the_memory_server_s_graph_and_its_broken_lines(memories: Memories, tmp_path: Path) -> None:
    path = json_lines(tmp_path / "memory.jsonl", [
        {"type": "entity", "name": "Ann_Lee", "entityType": "person",
         "observations": ["Speaks Norwegian", 7]},
        "{broken",
        {"type": "relation", "from": "Ann_Lee", "to": "Acme", "relationType": "works_at"},
        {"type": "relation", "from": "Ann_Lee"},
    ])  # fmt: skip
    assert guessed(path) == "memory-server"
    found = read("memory-server", path)
    assert _texts(found) == ["Ann Lee: Speaks Norwegian"]
    assert _links(found) == [("Ann_Lee", "is_a", "person"), ("Ann_Lee", "works_at", "Acme")]
    assert [each.place.rsplit(" ", 1)[1] for each in found if isinstance(each, Problem)] == ["1", "2", "4"]
    report = carry(memories, "memory-server", path)
    assert (report.links_added, report.statements_added, report.unreadable) == (2, 1, 3)
    again = carry(memories, "memory-server", path)
    assert (again.links_added, again.links_known, again.statements_added) == (0, 2, 0)
    assert {door_of(each.data.get("origin", "")) for each in memories.store.links()} == {
        "import:memory-server"
    }
    assert not next(memories.store.select(Filter())).trusted


def test_mem0_in_its_forms(memories: Memories, tmp_path: Path) -> None:
    one = {
        "id": "m1",
        "memory": "Likes tea",
        "hash": "h",
        "user_id": "ann",
        "created_at": "2025-02-03T04:05:06+01:00",
    }
    path = tmp_path / "mem0.json"
    for document in ({"results": [one]}, [one], {"memories": [one]}):
        path.write_text(json.dumps(document))
        assert guessed(path) == "mem0"
        assert _texts(read("mem0", path)) == ["Likes tea"]
    carry(memories, "mem0", path)
    path.write_text(json.dumps([{**one, "memory": "Likes coffee now"}]))
    report = carry(memories, "mem0", path)
    assert (report.statements_updated, report.statements_added) == (1, 0)
    assert carry(memories, "mem0", path).statements_known == 1
    [live] = memories.store.select(memories.within())
    assert live.text == "Likes coffee now" and live.happened_at.year == 2025
    base = tmp_path / "history.db"
    with closing(sqlite3.connect(base)) as db:
        db.executescript("""
            CREATE TABLE history
                (id TEXT, memory_id TEXT, old_memory TEXT, new_memory TEXT, event TEXT, created_at TEXT);
            INSERT INTO history VALUES ('1', 'a', NULL, 'Old', 'ADD', '2025-01-01'),
                ('2', 'a', 'Old', 'New', 'UPDATE', '2025-01-02'),
                                       ('3', 'b', NULL, 'Gone', 'ADD', '2025-01-01'),
                ('4', 'b', 'Gone', NULL, 'DELETE', '2025-01-02');
        """)
    assert guessed(base) == "mem0"
    assert _texts(read("mem0", base)) == ["New"]


def test_mcp_memory_service(tmp_path: Path) -> None:
    path = tmp_path / "export.json"
    path.write_text(json.dumps({"export_metadata": {"total_memories": 2}, "memories": [
        {"content": "Never deploy on Fridays", "content_hash": "h", "tags": ["ops"],
         "memory_type": "constraint",
         "created_at": 1.75e9, "metadata": {"x": 1}}, {"content": ""}]}))  # fmt: skip
    assert guessed(path) == "mcp-memory-service"
    [kept, bad] = read("mcp-memory-service", path)
    assert isinstance(kept, Statement) and (kept.kind, kept.tags, kept.trusted) == (
        "constraint",
        ("ops",),
        False,
    )
    assert isinstance(bad, Problem) and bad.place == f"{path}: memory 2"


def test_basic_memory_observations_relations_and_what_is_none(tmp_path: Path) -> None:
    folder(tmp_path, {"coffee.md": """---
title: Coffee
permalink: notes/coffee
tags: [drinks]
created: 2025-04-05
---
# Coffee

- [preference] Ann likes it black #taste (at work)
- [ ] buy a mill
- [text](https://example.org) is a link
- pairs_with [[Dark Chocolate]]

It grows in the highlands, see [[Ethiopia|there]].
"""})  # fmt: skip
    assert guessed(tmp_path) == "basic-memory"
    found = read("basic-memory", tmp_path)
    first = next(each for each in found if isinstance(each, Statement))
    assert (first.kind, first.trusted, first.at is not None) == ("preference", False, True)
    assert first.text == "Coffee: Ann likes it black (at work)" and first.tags == (
        "drinks",
        "preference",
        "taste",
    )
    assert "Coffee: It grows in the highlands, see there." in _texts(found)
    assert _links(found) == [("Coffee", "pairs_with", "Dark Chocolate"), ("Coffee", "links_to", "Ethiopia")]


def test_what_is_to_be_done_and_what_is_done_are_told_apart(tmp_path: Path) -> None:
    folder(tmp_path, {"house.md": """# House
- [ ] paint the fence on the north side
- [/] sort the shed
- [x] clean the gutters
- [-] sell the old mower

```sh
mem remember "I like every mower"
```
"""})  # fmt: skip
    found = [each for each in read("markdown", tmp_path) if isinstance(each, Statement)]
    assert [(each.text, each.tags) for each in found[:4]] == [
        ("house: paint the fence on the north side", ("todo",)), ("House: sort the shed", ("todo",)),
        ("House: clean the gutters", ("done",)), ("House: sell the old mower", ("cancelled",)),
    ]  # fmt: skip
    assert found[4].kind == "fact" and found[0].kind is None


def test_what_an_import_says_is_to_be_done_waits_and_what_is_done_does_not(mem: Run, tmp_path: Path) -> None:
    folder(
        tmp_path, {"house.md": "# House\n- [ ] paint the fence on the north side\n- [x] clean the gutters\n"}
    )
    assert mem("import", str(tmp_path / "house.md")).returncode == 0
    waiting = mem("context").stdout
    assert "paint the fence" in waiting and "gutters" not in waiting
    assert "  (done)" in mem("recall", "gutters", "--format", "text").stdout
    assert ", done] House: clean the gutters" in mem("recall", "gutters").stdout
    # Ticked off there, it is over here; what is to be done again stands beside what was done.
    folder(tmp_path, {"house.md": """# House
- [x] paint the fence on the north side
- [x] clean the gutters
- [x] sweep the yard
- [ ] sweep the yard
- [ ] trim the hedge
  - [x] borrow a ladder by Friday
  - [ ] buy gloves
"""})  # fmt: skip
    for _ in range(2):
        assert mem("import", str(tmp_path / "house.md")).returncode == 0
        waiting = mem("context", "--tiers", "due,promised").stdout
        assert "paint the fence" not in waiting and "ladder" not in waiting and "sweep the yard" in waiting
        assert "house: trim the hedge: buy gloves" in waiting.lower()


def test_a_line_of_a_list_is_remembered_as_its_box_says(mem: Run) -> None:
    given = {
        "- [ ] book the dentist by Friday": ("book the dentist by Friday", ["todo"]),
        "[x] pay the gas bill by Friday": ("pay the gas bill by Friday", ["done"]),
        "2. [-] return Tom's drill": ("return Tom's drill", ["cancelled"]),
        "[x](y) is a link": ("[x](y) is a link", []), "- Tom swims": ("- Tom swims", []),
    }  # fmt: skip
    assert mem("remember", "--batch", input="\n".join(given)).returncode == 0
    kept = [json.loads(line) for line in mem("list", "--json").stdout.splitlines()]
    assert {each["text"]: each["tags"] for each in kept} == dict(given.values())
    waiting = mem("context").stdout
    assert "dentist" in waiting and "gas bill" not in waiting


def test_an_obsidian_vault(tmp_path: Path) -> None:
    folder(tmp_path, {
        ".obsidian/app.json": "{}", ".trash/old.md": "Gone for good it is.",
        "People/Ann.md": "---\ntags: person, friend\nalias: *bad yaml\n---\n%%hidden%%\n"
        "Ann met [[Bo#Work|her boss]] in Oslo. ^abc\n\n"
        "```\n[[NoLink]] #notag\n```\n\n![[picture.png]]\n",
        "board.canvas": json.dumps({"nodes": [{"id": "1", "type": "text", "text": "Buy the boat in May"},
                                              {"id": "2", "type": "file", "file": "People/Ann.md"}],
                                    "edges": [{"id": "e", "fromNode": "2", "toNode": "1",
                                               "label": "decides"}]}),
    })  # fmt: skip
    assert guessed(tmp_path) == "obsidian"
    found = read("obsidian", tmp_path)
    statements = [each for each in found if isinstance(each, Statement)]
    met = next(each for each in statements if "boss" in each.text)
    assert (met.text, met.tags, met.trusted) == ("Ann met her boss in Oslo.", ("person", "friend"), True)
    assert not [text for text in _texts(found) if "hidden" in text or "Gone" in text]
    assert _links(found) == [
        ("Ann", "decides", "Buy the boat in May"), ("Ann", "also_called", "*bad yaml"),
        ("Ann", "links_to", "Bo"),
    ]  # fmt: skip


def test_claude_s_own_notes(tmp_path: Path) -> None:
    path = folder(tmp_path / "-home-ann" / "memory", {
        "MEMORY.md": "# Memory\n\n- [Tests](feedback_tests.md) - how\n- The staging port is 8443 here\n",
        "feedback_tests.md": "---\nname: tests\ndescription: How tests run\nmetadata:\n"
        "  type: feedback\n---\n"
        "Tests use a real database, see [[staging]].\n\n**Why:** mocks lied.\n",
    })  # fmt: skip
    assert guessed(path) == "claude-memory"
    found = read("claude-memory", path)
    assert _texts(found) == [
        "The staging port is 8443 here",
        "Tests use a real database, see staging.\n\n**Why:** mocks lied.",
    ]
    assert [each.kind for each in found if isinstance(each, Statement)] == [None, "preference"]
    assert _links(found) == [("tests", "links_to", "staging")]


def test_rules_are_constraints_and_procedures_and_untrusted_in_a_repository(tmp_path: Path) -> None:
    folder(tmp_path, {
        "CLAUDE.md": "# Project\n\n## Commands\n\n- Run the tests with `make test`\n\n"
        "## Style\n\n- Never use tabs in this code\n@docs/x.md\n",
        ".cursor/rules/ts.mdc": "---\ndescription: TS\nglobs: *.ts\nalwaysApply: false\n---\n"
        "- Use strict types everywhere you can\n",
    })  # fmt: skip
    assert guessed(tmp_path) == "rules"
    found = [each for each in read("rules", tmp_path) if isinstance(each, Statement | Skill)]
    assert [each.kind for each in found if isinstance(each, Statement)] == ["constraint", "constraint"]
    assert [(each.name, each.steps) for each in found if isinstance(each, Skill)] == [
        (f"Commands ({tmp_path.name}/CLAUDE.md)", ("Run the tests with `make test`",))
    ]
    assert "Use strict types everywhere you can (for *.ts)" in _texts(read("rules", tmp_path))
    assert all(each.trusted for each in found)
    (tmp_path / ".git").mkdir()
    again = read("rules", tmp_path)
    assert not any(each.trusted for each in again if isinstance(each, Statement | Skill))


def test_plain_markdown_and_csv(tmp_path: Path) -> None:
    note = tmp_path / "notes.md"
    note.write_bytes("\ufeff# Boat\r\n\r\nThe boat lies in Oslo.\r\n\r\n1. Port: 7\r\n".encode())
    assert guessed(note) == "markdown"
    assert _texts(read("markdown", note)) == ["The boat lies in Oslo.", "Boat: Port: 7"]
    table = tmp_path / "facts.csv"
    table.write_text('text;kind;tags;date\n"Ann; lives in Oslo";fact;"a,b";2025-01-02\nshort\n;fact;;\n')
    assert guessed(table) == "csv"
    found = read("csv", table)
    assert isinstance(found[0], Statement) and (found[0].text, found[0].tags) == (
        "Ann; lives in Oslo",
        ("a", "b"),
    )
    assert [each.place for each in found[1:] if isinstance(each, Problem)] == [
        f"{table}: line 3",
        f"{table}: line 4",
    ]


def test_memcli_s_own_csv_comes_back(memories: Memories, tmp_path: Path) -> None:
    memories.remember("The harbour opens at six")
    path = tmp_path / "all.csv"
    path.write_text("\n".join(line.rstrip("\n") for line in csv_lines(memories.store.select(Filter()))))
    report = carry(memories.in_space("other"), "csv", path)
    assert report.statements_added == 1


def _csv(path: Path, *texts: str) -> Path:
    path.write_text("text,date\n" + "".join(f"{text},2026-01-0{day}\n" for day, text in enumerate(texts, 1)))
    return path


def test_a_statement_taken_for_another_is_told_on_record_and_known_again(
    memories: Memories, tmp_path: Path
) -> None:
    path = _csv(tmp_path / "choir.csv", _SAID, _AGAIN)
    first = carry(memories, "csv", path)
    assert (first.statements_added, first.statements_known) == (1, 1)
    [found] = first.taken_for
    assert (found.text, found.known.text) == (_AGAIN, _SAID) and "line 3" in found.place
    [memory] = before = list(memories.store.select(Filter(live=False)))
    lines = list(memories.store.history())
    assert [line.reason for line in lines if line.action == "repeat"] == [f"said again: {_AGAIN}"]
    assert memory.confirm_count == 0
    # Forgotten meanwhile or not: the same file changes nothing.
    for _ in range(2):
        again = carry(memories, "csv", path)
        assert (again.statements_added, again.statements_known) == (0, 2)
        assert [each.to_record()["id"] for each in again.taken_for] == [memory.id]
    assert (list(memories.store.select(Filter(live=False))), list(memories.store.history())) == (
        before,
        lines,
    )
    forced = carry(memories, "csv", path, options=WriteOptions(force=True))
    assert forced.statements_added == 1 and not forced.taken_for


def test_what_an_agent_said_of_a_memory_hides_no_statement_of_its_owner_s(
    memories: Memories, tmp_path: Path
) -> None:
    known = memories.remember("The lighthouse lamp was mended in spring")
    line = repetition(known.id, _AGAIN, Change("repeat", "mcp:robot", None, "c"), "mcp:robot", memories.now())
    memories.store.put_history([line])
    report = carry(memories, "csv", _csv(tmp_path / "choir.csv", _AGAIN))
    assert report.statements_added == 1 and not report.taken_for
