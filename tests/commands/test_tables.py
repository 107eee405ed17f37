"""How memories are shown to people, whatever the terminal."""

from __future__ import annotations

import pytest

from memcli.commands.terminal import tables
from memcli.memories import Memories
from memcli.tiers.context.gather import gather
from memcli.write_policy.drafts import Draft
from tests.conftest import Run


@pytest.mark.parametrize(("columns", "shown"), [(24, False), (40, False), (59, False), (80, True)])
def test_a_narrow_terminal_has_room_for_the_text(
    memories: Memories,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    columns: int,
    shown: bool,
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    memory = memories.remember(Draft(text="Otters sleep holding hands", kind="fact"))
    tables.memories_table([memory])
    listed = capsys.readouterr().out
    tables.answer_table(gather(memories, "otters holding hands"))
    for told in (listed, capsys.readouterr().out):
        assert all(word in told for word in memory.text.split())
        assert memory.id[-8:] in told
        assert ("fact" in told) is shown


def test_what_came_from_an_untrusted_source_is_marked_in_a_recall(mem: Run, memories: Memories) -> None:
    mem("remember", "--untrusted", "Otters sleep holding hands")
    mem("remember", "Otters sleep on their backs")
    lines = mem("recall", "how do otters sleep", "--format", "text").stdout.splitlines()
    assert sorted(line.endswith("(untrusted)") for line in lines) == [False, True]
    assert mem("remember", "--batch", input="\n".join(lines)).returncode == 3  # still an echo


def test_a_table_marks_the_untrusted(memories: Memories, capsys: pytest.CaptureFixture[str]) -> None:
    tables.memories_table([memories.remember(Draft(text="Otters sleep", trusted=False))])
    assert "(untrusted)" in capsys.readouterr().out
