"""The end of a task is one change: undone, its outcome is ended, and the task is there as it was."""

from __future__ import annotations

import json

import pytest

from tests.conftest import Run


def _task(mem: Run) -> str:
    mem("task", "start", "Lay the floor", "--name", "floor")
    mem("task", "note", "the boards are in the shed")
    mem("task", "step", "add", "sand it")
    return mem("task", "show").stdout


END = ("task", "end", "--success", "it shines")


@pytest.mark.parametrize("end", [END, ("task", "drop", "--why", "no time")])
def test_it_comes_back_with_what_it_held_and_is_at_hand(mem: Run, end: tuple[str, ...]) -> None:
    shown = _task(mem)
    assert mem(*end).returncode == 0 and mem("task", "show").returncode == 1
    done = mem("undo")
    assert "undone: task/floor\n" in done.stdout and "at hand" not in done.stderr
    assert mem("task", "show").stdout == shown and mem("list").returncode == 1
    assert mem("undo", done.stderr.split("`mem undo ")[1].split("`")[0]).returncode == 0
    assert mem("task", "list").returncode == 1


def test_another_at_hand_by_now_stays_so(mem: Run) -> None:
    _task(mem)
    mem(*END)
    mem("task", "start", "Paint the wall", "--name", "wall")
    done = mem("undo")
    assert done.returncode == 0 and "left" not in done.stderr
    tasks = {
        each["name"]: each["current"]
        for each in map(json.loads, mem("task", "list", "--json").stdout.splitlines())
    }
    assert tasks == {"floor": False, "wall": True}


def test_one_of_the_same_name_by_now_stays_and_that_is_said(mem: Run) -> None:
    _task(mem)
    mem(*END)
    mem("task", "start", "Lay another floor", "--name", "floor")
    done = mem("undo")
    assert "left as it is: task/floor was changed again since" in done.stderr
    assert "another" in mem("task", "show").stdout and mem("list").returncode == 1


def test_an_agent_takes_the_end_of_its_own_task_back(mem: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMCLI_ORIGIN", "mcp:x")
    shown = _task(mem)
    mem(*END)
    assert mem("undo").returncode == 0 and mem("task", "show").stdout == shown
    mem(*END)
    monkeypatch.setenv("MEMCLI_ORIGIN", "mcp:y")
    assert mem("undo").returncode == 3
