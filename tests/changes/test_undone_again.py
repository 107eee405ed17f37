"""A second undo goes further back and says so; an undo can be undone, then the change is the last again."""

from __future__ import annotations

import json

from memcli.changes.past_changes import last_change
from memcli.changes.undo import undo_change
from memcli.memories import Memories
from tests.conftest import Run


def test_each_undo_says_what_it_undid_and_how_to_have_it_again(mem: Run) -> None:
    for text in ("Ann lives in Paris", "The mill has two wheels"):
        mem("remember", text)
    second, first = (
        (each["change"], each["at"]) for each in map(json.loads, mem("history", "--json").stdout.splitlines())
    )
    latest = mem("undo").stderr
    assert latest.startswith("mem: undone: add of 2") and f"({second[0][-8:]}), 1 memory; " in latest
    before = json.loads(mem("undo", "--json").stdout)
    assert (before["undone"], before["at"], before["earlier"]) == (first[0], first[1], True)
    assert mem("list").returncode == 1
    again = mem("undo", before["undo"])
    assert again.returncode == 0 and "also" not in again.stderr
    assert "Paris" in mem("list").stdout
    told = mem("undo").stderr
    assert told.startswith("mem: also undone, an earlier change: add of 2") and first[0][-8:] in told
    assert mem("list").returncode == 1
    done = mem("undo")
    assert (done.returncode, done.stderr) == (1, "mem: nothing to undo\n")


def test_after_another_change_an_undo_is_no_earlier_one(mem: Run) -> None:
    for text in ("Ann lives in Paris", "The mill has two wheels"):
        mem("remember", text)
    mem("undo")
    mem("remember", "The gate is green")
    assert "also" not in mem("undo").stderr


def test_what_waited_is_told_and_waits_again(mem: Run) -> None:
    mem("remember", "Nadia works at Helio. Pablo is Nadia's brother.")
    run = json.loads(mem("consolidate", "--json").stdout)["run"]
    waiting = mem("review", "list").stdout
    done = mem("undo", run)
    assert done.stdout == "withdrawn: 2 that waited for you\n"
    assert ", 2 that waited; `mem undo " in done.stderr and mem("review", "list").stdout == ""
    again = mem("undo", done.stderr.split("`mem undo ")[1].split("`")[0])
    assert again.stdout == "back: 2 that wait for you\n" and ", 2 that wait again; " in again.stderr
    assert mem("review", "list").stdout == waiting
    assert json.loads(mem("undo", "--json").stdout)["undone"] == run
    # Beside what it changed itself; the two of the night that was taken back are put again.
    for text in ("Otto works at Zenith", "The gate is green", "the gate is green!"):
        mem("remember", text, "--force")
    mem("consolidate")
    done = mem("undo")
    assert "3 memories and 3 that waited; `mem undo " in done.stderr, done
    again = json.loads(mem("undo", done.stderr.split("`mem undo ")[1].split("`")[0], "--json").stdout)
    assert len(again["memories"]) == 3 and len(again["waiting"]) == 3 and not again["values"]


def test_a_change_that_was_done_again_is_the_last_one(memories: Memories) -> None:
    memories.remember("Ann lives in Paris")
    added = last_change(memories)[0]
    first = undo_change(memories)
    again = undo_change(memories, first.undo)
    assert last_change(memories)[0] == added
    undo_change(memories, again.undo)
    assert not list(memories.store.select(memories.within()))
