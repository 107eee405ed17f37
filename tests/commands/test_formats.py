"""`--format`: one list of names, each of which means the same wherever it is taken."""

from __future__ import annotations

import json

from memcli.commands.terminal.forms import FORMS
from tests.conftest import Run
from tests.docs.reference import formats_taken


def test_every_name_is_of_the_one_list() -> None:
    taken = formats_taken()
    assert {name for names in taken.values() for name in names} == set(FORMS)
    # Who prints JSON does so in both ways.
    assert all({"json", "jsonl"} <= set(names) for names in taken.values()), taken


def test_json_is_the_lines_of_jsonl_as_one_array(mem: Run) -> None:
    first = mem("remember", "The staging server listens on port 8443").stdout.strip()
    mem("remember", "The staging server stands in the cellar")
    mem("remember", "Never deploy on Fridays")
    for command in (
        ("list",), ("list", "-n", "1"), ("context",), ("similar", first),
        ("recall", "--no-touch", "staging server"), ("recall", "--no-touch", "--budget", "400", "staging"),
    ):  # fmt: skip
        lines = mem(*command, "--format", "jsonl").stdout
        whole = mem(*command, "--format", "json").stdout
        assert json.loads(whole) == [*map(json.loads, lines.splitlines())] != [], command
        assert lines == mem(*command, "--json").stdout
    *hits, last = json.loads(mem("recall", "staging server", "--explain", "--format", "json").stdout)
    assert hits and all("explain" in each for each in hits) and "misses" in last
    nothing = mem("recall", "quantum chromodynamics", "--format", "json")
    assert (nothing.returncode, nothing.stdout) == (1, "")


def test_of_one_thing_json_is_one_object(mem: Run) -> None:
    mem("task", "start", "Migrate billing")
    mem("link", "billing", "runs_on", "db1")
    for name in ("json", "jsonl"):
        assert json.loads(mem("task", "show", "--format", name).stdout)["goal"] == "Migrate billing"
    assert set(json.loads(mem("graph", "--format", "json").stdout)) >= {"nodes", "links"}
    assert mem("graph", "--format", "jsonl").stdout == mem("graph", "--json").stdout != ""


def test_text_is_a_line_each_wherever_it_is_taken(mem: Run) -> None:
    mem("remember", "Never deploy on Fridays")
    for command in (("list",), ("context",), ("recall", "deploy")):
        assert "Never deploy on Fridays" in mem(*command, "--format", "text").stdout
    assert "Never deploy on Fridays" in mem("list", "--format", "table").stdout
