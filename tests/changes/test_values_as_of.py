"""Blocks, tasks and rules with --as-of: as they stood, or left out and named where nothing tells."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime

from tests.conftest import Run


def _now() -> str:
    time.sleep(0.01)
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    time.sleep(0.01)
    return now


def _states(mem: Run, *how: str) -> list[str]:
    lines = map(json.loads, mem("export", *how).stdout.splitlines())
    return sorted(f"{each['area']}/{each['key']}" for each in lines if each.get("type") == "state")


def test_what_was_not_there_then_is_not_shown(mem: Run) -> None:
    mem("remember", "The boat lies in Linz")
    then = _now()
    mem("block", "set", "ich", "Wohnt seit Dezember in Linz")
    mem("task", "start", "Paint the boat in Linz")
    assert mem("rule", "add", "never", "no-gossip", "--pattern", "gossip").returncode == 0
    assert "Wohnt seit" in mem("recall", "boat in Linz").stdout
    done = mem("recall", "boat in Linz", "--as-of", then)
    assert "The boat lies in Linz" in done.stdout
    assert "Wohnt" not in done.stdout and "Paint" not in done.stdout and "incomplete" not in done.stderr
    assert len(_states(mem)) >= 3
    assert _states(mem, "--as-of", then) == []


def test_a_block_has_the_text_of_then_also_one_that_was_deleted_since(mem: Run) -> None:
    mem("remember", "The boat lies in Linz")
    mem("block", "set", "ich", "Wohnt in Graz")
    then = _now()
    mem("block", "set", "ich", "Wohnt in Linz")
    mem("block", "delete", "ich")
    done = mem("recall", "boat in Linz", "--as-of", then)
    assert "ich: Wohnt in Graz" in done.stdout and done.stderr == ""
    assert "Wohnt" not in mem("recall", "boat in Linz").stdout


def test_what_changed_since_is_left_out_and_named_in_one_line(mem: Run) -> None:
    mem("remember", "The boat lies in Linz")
    mem("task", "start", "Paint the boat", "--name", "paint")
    mem("block", "set", "ich", "Wohnt in Graz")
    then = _now()
    mem("task", "note", "The paint is blue")
    for number in range(12):
        mem("block", "set", "ich", f"Wohnt in Haus {number}")
    for verb in (("recall", "boat in Linz"), ("export",)):
        done = mem(*verb, "--as-of", then)
        assert "paint is blue" not in done.stdout and "Haus" not in done.stdout, verb
        [line] = [each for each in done.stderr.splitlines() if "incomplete" in each]
        assert "no record tells what it said: block/ich, task/paint" in line
    assert "incomplete" not in mem("list", "--as-of", then).stderr
    assert "paint is blue" in mem("task", "show").stdout
