"""`mem link`, `mem unlink` and `mem graph` as shells see them."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from memcli import app
from tests.conftest import MEM, Run

SHAPE = {
    "id", "subject", "relation", "object", "confidence", "valid_from", "valid_until", "created_at",
    "ended_at", "confirmed", "evidence", "space", "trusted", "origin",
}  # fmt: skip


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run `mem` in this process: the status and the streams, without the time that a process takes."""

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        status = app.run(list(arguments))
        return subprocess.CompletedProcess(arguments, status, *capsys.readouterr())

    return run


@pytest.fixture
def linked(run: Run) -> Run:
    for said in ("Ann works_at Acme", "Acme based_in Oslo", "Bob lives_in Oslo", "path leads_to alias"):
        assert run("link", *said.split()).returncode == 0
    return run


def rows(done: subprocess.CompletedProcess[str]) -> list[dict[str, Any]]:
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def one_error(done: subprocess.CompletedProcess[str], status: int, *said: str) -> None:
    assert (done.returncode, done.stdout) == (status, ""), done.stderr
    assert len(done.stderr.splitlines()) == 1, done.stderr
    for part in said:
        assert part in done.stderr


def test_a_pipe_gets_the_id_a_tree_and_a_line(linked: Run) -> None:
    assert len(linked("link", "Ann", "knows", "Bob").stdout.strip()) == 26
    assert linked("graph", "ann", "--hops", "3").stdout == (
        "Ann\n├── knows → Bob\n│   └── lives_in → Oslo\n└── works_at → Acme\n    └── based_in → Oslo\n"
    )
    assert linked("graph", "path", "Acme", "BOB").stdout == "Acme —based_in→ Oslo ←lives_in— Bob\n"
    assert linked("graph", "list", "-n", "2").stdout == "     2  Acme\n     2  Ann\n"


def test_an_entity_called_as_a_subcommand_is_reached_by_show(linked: Run) -> None:
    assert linked("graph", "show", "path").stdout == "path\n└── leads_to → alias\n"
    assert linked("graph", "show", "alias").stdout == "alias\n└── leads_to ← path\n"
    assert linked("graph", "--hops", "1", "path").stdout == "path\n└── leads_to → alias\n"
    assert linked("graph", "path", "path", "alias").stdout == "path —leads_to→ alias\n"
    assert linked("graph", "path", "ACME", "acme").stdout == "Acme\n"
    one_error(linked("graph", "path"), 2, "Missing argument 'A'")


def test_json_has_one_shape(linked: Run) -> None:
    [record] = rows(linked("link", "Ann", "works_at", "Beta", "--since", "2025", "--replaces", "--json"))
    assert record.keys() == SHAPE | {"outcome", "replaced"}
    assert record["outcome"] == "added" and record["valid_from"] == "2025-01-01T00:00:00.000Z"
    assert [each["object"] for each in record["replaced"]] == ["Acme"]
    [row] = rows(linked("graph", "Ann", "--json"))
    assert row.keys() == SHAPE | {"hops", "forward"} and row["hops"] == 1 and row["forward"] is True
    [whole] = rows(linked("graph", "Oslo", "--format", "json"))
    assert [node["id"] for node in whole["nodes"]] == ["Oslo", "Acme", "Bob"]
    assert {(each["source"], each["target"]) for each in whole["links"]} == {
        ("Acme", "Oslo"),
        ("Bob", "Oslo"),
    }
    [gone] = rows(linked("unlink", "bob", "LIVES_IN", "oslo", "--json"))
    assert gone.keys() == SHAPE and gone["ended_at"]
    linked("graph", "alias", "Ann", "Annie")
    assert rows(linked("graph", "alias", "--json")) == [{"entity": "Ann", "alias": "Annie"}]
    assert rows(linked("graph", "list", "--json"))[-1] == {
        "entity": "path", "links": 1, "out": 1, "in": 0, "aliases": [], "trusted": True,
    }  # fmt: skip
    assert [row["hops"] for row in rows(linked("graph", "path", "Oslo", "Acme", "--json"))] == [1]


def test_evidence_is_named_by_part_of_its_id_and_shown(mem: Run, linked: Run) -> None:
    kept = mem("remember", "Ann told me that she plays chess").stdout.strip()
    [record] = rows(linked("link", "Ann", "plays", "chess", "--from", kept[-8:].lower(), "--json"))
    assert record["evidence"] == [{"id": kept, "text": "Ann told me that she plays chess", "ended": False}]
    assert linked("forget", kept).returncode == 0
    assert "plays → chess (evidence forgotten)" in linked("graph", "Ann").stdout
    assert "Ann plays chess" in linked("show", kept).stdout
    one_error(linked("link", "a", "b", "c", "--from", kept), 2, "is forgotten; `mem restore")
    one_error(linked("link", "a", "b", "c", "--from", "ZZZZ"), 1, "no memory 'ZZZZ'")


def test_exit_status_and_message_name_the_thing_and_the_way_out(linked: Run) -> None:
    one_error(linked("graph", "Acmee"), 1, "no entity 'Acmee' in space 'default'; near: Acme;")
    one_error(
        linked("graph", "path", "Ann", "alias"), 1, "no connection of 'Ann' and 'alias' within 10 links"
    )
    one_error(linked("graph", "path", "Ann", "Bob", "--hops", "1"), 1, "within 1 link;")
    one_error(linked("graph", "Ann", "--relation", "hates"), 1, "no link of 'Ann' fits; --ended shows")
    one_error(linked("unlink", "Ann", "hates", "Acme"), 1, "there is: Ann works_at Acme")
    one_error(linked("graph", "Ann", "--hops", "0"), 2, "--hops")
    one_error(linked("graph", "Ann", "--at", "soonish"), 2, "not a time")
    one_error(linked("graph", "Ann", "--format", "png"), 2, "png")
    one_error(linked("link", "Ann", " ", "Bob"), 2, "relation ''")
    one_error(linked("link", "Ann", "knows", "Bob", "--confidence", "2"), 2, "confidence 2")
    one_error(linked("link", "Ann", "knows", "Bob", "--since", "2020", "--until", "2019"), 2, "swap")
    one_error(linked("graph", "alias", "--remove", "Nobody"), 1, "no alias 'Nobody'")
    assert (done := linked("graph", "alias")).returncode == 1 and done.stdout == done.stderr == ""
    assert linked("graph", "list", "--space", "elsewhere").returncode == 1
    assert linked("graph").returncode == 2 and "Usage" in linked("graph", "--help").stdout


def test_reading_makes_no_store(run: Run, own_home: Path) -> None:
    for arguments in (["graph", "Ann"], ["graph", "list"], ["unlink", "a", "b", "c"], ["graph", "alias"]):
        assert run(*arguments).returncode == 1
    assert not (own_home / "data").exists()
    assert run("--db", str(own_home / "x.db"), "link", "a", "b", "c").returncode == 0
    assert run("graph", "a", "--db", str(own_home / "x.db")).stdout == "a\n└── b → c\n"


def test_what_was_true_and_what_was_known(linked: Run) -> None:
    linked("link", "Ann", "lives_in", "Rome", "--until", "2019")
    linked("link", "Ann", "lives_in", "Paris", "--since", "2019-06", "--until", "2022-08-15")
    assert "lives_in" not in linked("graph", "Ann").stdout
    assert linked("graph", "Ann", "--at", "2021", "-r", "lives_in").stdout == (
        "Ann\n└── lives_in → Paris (since 2019-06-01, until 2022-08-15)\n"
    )
    assert len(linked("graph", "Ann", "--at", "2019", "-r", "lives_in").stdout.splitlines()) == 3
    assert linked("graph", "Ann", "--as-of", "yesterday").returncode == 1
    assert "Acme" in linked("graph", "Ann", "--as-of", "today").stdout


def test_names_cannot_command_a_terminal_or_break_a_line(run: Run) -> None:
    evil = 'x\x1b]0;owned\x07\u202ey"]; --> <script>'
    assert run("link", evil, "a\nb", "\u200dB\x9b31m").returncode == 0
    shown = [run("graph", evil, "--format", form) for form in ("tree", "dot", "mermaid")]
    for done in [*shown, run("graph", "list"), run("graph", "nobody"), run("graph", "path", evil, evil)]:
        assert not any(sign in done.stdout + done.stderr for sign in "\x1b\x07\x9b\u202e"), done
    assert "a b → " in shown[0].stdout
    for done in (run("graph", evil, "--json"), run("graph", evil, "--format", "json")):
        assert not any(sign in done.stdout for sign in "\x1b\x07\x9b")
        assert json.loads(done.stdout)


def test_two_processes_that_link_at_once_make_one_link(mem: Run) -> None:
    mem("link", "a", "b", "c")
    both = [subprocess.Popen([MEM, "link", "Ann", "knows", "Bob"], stdout=subprocess.PIPE) for _ in range(4)]
    assert len({process.communicate()[0] for process in both}) == 1
    assert rows(mem("graph", "Ann", "--json"))[0]["confirmed"] == 3


def test_the_reader_may_leave_early(mem: Run, run: Run) -> None:
    shape: dict[str, Any] = {
        "type": "link", "space": "default", "subject": "hub", "relation": "r", "evidence": None,
        "confidence": 1, "valid_from": None, "valid_until": None, "ended_at": None, "data": {},
        "created_at": "2026-01-01T00:00:00.000Z",
    }  # fmt: skip
    lines = "\n".join(json.dumps({**shape, "id": f"L{n}", "object": f"e{n}"}) for n in range(3000))
    assert mem("import", "-", input=lines).returncode == 0
    done = subprocess.run(
        ["bash", "-c", f'"{MEM}" graph HUB | head -1; echo ${{PIPESTATUS[0]}}'],
        capture_output=True,
        text=True,
    )
    assert (done.stdout, done.stderr) == ("hub\n0\n", "")


@pytest.mark.skipif(not shutil.which("dot"), reason="Graphviz is not installed")
def test_graphviz_draws_what_dot_says(linked: Run) -> None:
    source = linked("graph", "Ann", "--hops", "5", "-f", "dot").stdout
    drawn = subprocess.run(["dot", "-Tplain"], input=source, capture_output=True, text=True, check=True)
    assert sum(line.startswith("edge") for line in drawn.stdout.splitlines()) == 3


def test_without_an_entity_it_is_all_that_is_linked(linked: Run) -> None:
    linked("link", "Zoe", "owns", "a boat")
    tree = linked("graph", "show").stdout
    assert tree.startswith("Acme\n├── ") and tree.startswith("a boat\n└── owns ← Zoe\n", tree.index("a boat"))
    whole = json.loads(linked("graph", "--format", "json").stdout)
    assert whole["graph"] == {"entity": None} and len(whole["links"]) == 5
    one_error(linked("graph", "show", "--hops", "2"), 2, "--hops counts from an entity")


def test_entities_complete(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    run("link", "Two Words", "is", "left out")
    run("link", "Ann", "knows", "Alice")
    run("link", "Anton", "leads", "Project", "--space", "work")
    for typed, offered in (
        ("mem\tgraph\ta", ["alias", "alice", "ann"]),
        ("mem\tgraph\tshow\tAN", ["ANn"]),
        ("mem\tgraph\tshow\t--space\twork\tan", ["anton"]),
    ):
        monkeypatch.setenv("_MEM_COMPLETE", typed)
        assert [line.split("\t")[0] for line in run().stdout.splitlines()] == offered
