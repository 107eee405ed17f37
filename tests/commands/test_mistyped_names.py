"""A name that was mistyped is told in a line, with the nearest there is; nothing is made under it."""

from __future__ import annotations

import json

import pytest

from tests.conftest import Run

READING = (
    "recall shop", "context", "profile", "stats", "list", "history", "audit", "graph shop", "graph list",
    "session list", "session show", "session messages", "task list", "task show", "procedure list",
    "procedure find x", "policy list", "policy check deploy", "block list", "checkpoint list", "review list",
    "consolidate", "consolidate --history", "export", "similar shop", "why shop", "forget --all --yes",
)  # fmt: skip


@pytest.fixture
def full(mem: Run) -> Run:
    mem("remember", "The shop closes at eight", "--tag", "shop", "--session", "work", "--space", "shop-notes")
    mem("remember", "The shop closes at eight", "--tag", "shop", "--session", "work")
    mem("task", "start", "Plan the move", "--name", "move")
    mem("block", "set", "house", "Mind the gap")
    mem("checkpoint", "save", "trip", input="{}")
    mem("procedure", "add", "seek", input="description: seek it\nsteps: [look]\n")
    return mem


def test_a_space_that_holds_nothing_is_told_by_every_command_that_reads(full: Run) -> None:
    before = full("space", "list").stdout
    for command in READING:
        done = full(*command.split(), "--space", "shop-note")
        assert (done.returncode, done.stdout) == (1, ""), command
        assert "did you mean 'shop-notes'?" in done.stderr and len(done.stderr.splitlines()) == 1, command
    assert full("space", "list").stdout == before


def test_a_space_of_the_environment_is_told_and_no_error(full: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setenv("MEMCLI_SPACE", "shop-note")
        done = full("policy", "check", "deploy")
    assert done.returncode == 0 and "nothing is in space 'shop-note'" in done.stderr
    assert full("remember", "a new project begins", "--space", "fresh").stderr == ""


MISTYPED = [
    ("list --tag shp", "shop"), ("recall shop --tag shp", "shop"), ("forget --tag shp", "shop"),
    ("forget --session wrk", "work"),
    ("list --session wrk", "work"), ("session show wrk", "work"), ("session end wrk", "work"),
    ("task switch mvoe", "move"), ("task show --task mvoe", "move"), ("block show huose", "house"),
    ("checkpoint show trp", "trip"), ("checkpoint restore trp", "trip"), ("procedure show sek", "seek"),
    ("procedure used sek --ok", "seek"), ("rule remove finacial", "financial"),
    ("space rename shop-note x", "shop-notes"), ("list --kind fcat", "fact"),
    ("config get limt", "limit"),
    ("consolidate --only distl", "distil"), ("rule on finacial", "financial"),
]  # fmt: skip


def test_the_nearest_name_is_told(full: Run) -> None:
    for command, meant in MISTYPED:
        done = full(*command.split())
        assert done.returncode in (1, 2) and done.stdout == "", command
        assert f"did you mean {meant!r}?" in done.stderr and len(done.stderr.splitlines()) == 1, command


def test_where_nothing_is_listed_that_is_said(mem: Run) -> None:
    mem("remember", "The office is in Graz", "--kind", "fact")
    done = mem("list", "--kind", "policy")
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "mem: no memory fits\n")
    mem("forget", "--hard", "--all", "--yes")
    done = mem("list")
    assert (done.returncode, done.stdout) == (1, "") and "nothing is remembered here yet" in done.stderr


def test_a_line_for_a_block_that_is_not_there_says_that_it_is_a_new_one(full: Run) -> None:
    assert "did you mean 'house'?" in full("block", "append", "huose", "a line").stderr
    assert full("block", "append", "house", "a line").stderr == ""
    assert full("block", "append", "garden", "a line").stderr == ""


def test_as_json_it_is_an_error_record(full: Run) -> None:
    done = full("recall", "shop", "--space", "shop-note", "--json")
    assert json.loads(done.stderr)["error"] == "not_found"
