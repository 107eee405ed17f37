"""The tools of agents, and their settings, by themselves: what is refused is raised, and nothing is done."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from memcli.agents.settings.files import FileChange
from memcli.agents.settings.servers import CLIENTS, Client
from memcli.agents.settings.skill import remove_skill, skill_of, write_skill
from memcli.agents.tools import everyday, further
from memcli.errors import BadInput, Refused
from memcli.memories import Memories
from memcli.model import Filter
from memcli.tiers.tasks.tasks import start_task, task_at_hand
from tests.guards.exchanged import SECRET


def test_a_write_that_is_refused_is_no_reply(memories: Memories) -> None:
    with pytest.raises(Refused, match="secret"):
        everyday.REMEMBER.run(memories, {"text": f"the token is {SECRET}"})
    kept = memories.remember("the gate is green")
    with pytest.raises(Refused, match="secret"):
        everyday.CORRECT.run(memories, {"id": kept.id, "text": f"the token is {SECRET}"})
    assert [each.text for each in memories.store.select(Filter())] == ["the gate is green"]


def test_what_is_no_text_comes_into_no_task(memories: Memories) -> None:
    [tool] = [each for each in further.FURTHER if each.name == "task"]
    start_task(memories, "paint the gate", name="gate")
    before = task_at_hand(memories, None).task
    for do in ("note", "push", "succeed", "drop"):
        with pytest.raises(BadInput, match="NUL"):
            tool.run(memories, {"do": do, "text": "green\0blue"})
    assert task_at_hand(memories, None).task == before


def test_a_file_that_may_only_be_read_is_not_changed(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text("{}")
    path.chmod(0o400)
    with pytest.raises(BadInput, match="is read-only"):
        FileChange(path, "{}", "{1}", tmp_path).apply()
    assert [each.name for each in tmp_path.iterdir()] == [path.name] and path.read_text() == "{}"


@pytest.mark.parametrize("change", [write_skill, remove_skill])
def test_another_skill_of_that_name_is_neither_written_over_nor_removed(
    own_home: Path, change: Callable[[Client], FileChange]
) -> None:
    path = skill_of(CLIENTS["claude"])
    path.parent.mkdir(parents=True)
    path.write_text("---\nname: other\n---\n")
    with pytest.raises(BadInput, match="not memcli's skill"):
        change(CLIENTS["claude"])
