"""How a procedure worked is taken back like any change; what there is nothing of blocks nothing before it."""

from __future__ import annotations

import json
from pathlib import Path

from memcli.changes.undo import undo_change
from memcli.memories import Memories
from memcli.model import Event, as_ended
from memcli.tiers.procedures.procedures import Procedures
from tests.conftest import Run

GLUE = "# glue\n\nRub it in.\n"


def test_an_outcome_is_undone_and_done_again(mem: Run, tmp_path: Path) -> None:
    document = tmp_path / "glue.md"
    document.write_text(GLUE)
    mem("remember", "Ann lives in Paris")
    mem("procedure", "add", "glue", str(document))
    mem("procedure", "used", "glue", "--ok")
    assert mem("procedure", "used", "glue", "--failed", "--note", "too wet").returncode == 0
    done = mem("undo")
    assert done.returncode == 0 and "undone: failed of " in done.stderr
    record = json.loads(mem("procedure", "show", "glue", "--json").stdout)
    assert (record["ok"], record["failed"]) == (1, 0)
    again = done.stderr.split("`mem undo ")[1].split("`")[0]
    assert mem("undo", again).returncode == 0
    record = json.loads(mem("procedure", "show", "glue", "--json").stdout)
    assert (record["ok"], record["failed"]) == (1, 1)
    assert "too wet" in mem("procedure", "history", "glue").stdout
    for _ in range(4):
        assert mem("undo").returncode == 0
    assert mem("list").returncode == 1 and mem("procedure", "list").returncode == 1


def test_what_was_never_counted_is_passed_over_and_named(memories: Memories) -> None:
    kept = memories.remember("Ann lives in Paris")
    now = memories.now()
    line = Event(0, now, kept.id, "import", memories.origin, "outcomes from a folder", {}, {}, "x")
    memories.store.put_history([line])
    undone = undo_change(memories)
    assert [each.id for each in undone.memories] == [kept.id] and not undone.is_earlier
    [passed] = undone.passed
    assert passed.startswith("import of ") and passed.endswith("(x)")


def test_a_change_that_had_to_be_left_does_not_block_the_one_before(memories: Memories) -> None:
    first = memories.remember("Ann lives in Paris")
    second = memories.remember("The mill has two wheels")
    [here] = memories.store.get([second.id])
    # By what is no change of anybody's: a neighbour's hand, say.
    memories.store.put([as_ended(here, memories.now(), "forgotten", "elsewhere")], None, memories.now())
    left = undo_change(memories)
    assert left.left and not left.is_any
    undone = undo_change(memories)
    assert [each.id for each in undone.memories] == [first.id] and undone.is_earlier


def test_an_outcome_without_a_change_of_an_older_memcli_goes_back_by_its_number(memories: Memories) -> None:
    procedures = Procedures(memories)
    memory = procedures.add("glue", GLUE, "markdown").memory
    memories.store.put_history([Event(0, memories.now(), memory.id, "worked", "cli", None, {}, {})])
    memories.store.put([memories.find(memory.id)], None, memories.now())
    undone = undo_change(memories)
    # Its count was never written: that is said, and nothing else is touched.
    assert "worked was changed again since" in undone.left[0]
