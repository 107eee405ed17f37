"""Who comes in through an untrusted door makes itself no way around that."""

from __future__ import annotations

from pathlib import Path

import pytest

from memcli.memories import Memories
from memcli.tiers.tasks import completion, tasks
from memcli.write_policy.drafts import Draft
from tests.conftest import Run, TickingClock, make_memories


@pytest.mark.parametrize(
    "arguments",
    [("set", "untrusted_origins", "none"), ("set", "session_writes", "0"), ("unset", "untrusted_origins")],
)
def test_settings_are_the_owners(
    mem: Run, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    assert mem("config", "set", "untrusted_origins", "mcp:*,cron:*").returncode == 0
    monkeypatch.setenv("MEMCLI_ORIGIN", "cron:nightly")
    refused = mem("config", *arguments)
    assert refused.returncode == 3
    assert "only its owner" in refused.stderr
    assert mem("config", "get", "untrusted_origins").stdout.strip() == "mcp:*,cron:*"
    monkeypatch.setenv("MEMCLI_ORIGIN", "home")
    assert mem("config", *arguments).returncode == 0


@pytest.mark.parametrize(
    ("origin", "success", "believed"),
    [
        ("cli", True, [0.6, 0.6]),
        ("cli", False, [0.3, 0.3]),
        ("mcp:bot", True, [0.5, 0.5]),
        ("mcp:bot", False, [0.5, 0.3]),
    ],
)
def test_ending_a_task_moves_only_what_is_ones_own_to_change(
    memories: Memories,
    own_home: Path,
    clock: TickingClock,
    monkeypatch: pytest.MonkeyPatch,
    origin: str,
    success: bool,
    believed: list[float],
) -> None:
    texts = {True: "The boat leaks at the stern", False: "The boat leaks at the bow"}
    for trusted, text in texts.items():
        memories.remember(Draft(text=text, kind="fact", confidence=0.5, trusted=trusted))
    monkeypatch.setenv("MEMCLI_ORIGIN", origin)
    with make_memories(own_home / "memory.db", clock) as door:
        tasks.start_task(door, "Mend the boat", name="boat")
        assert len(door.recall("boat leaks at the stern bow").hits) == 2
        completion.end_task(door, None, "it floats", success=success, learn=True)
    found = {each.text: each.confidence for each in memories.store.select(memories.within(kinds=("fact",)))}
    assert [found[texts[trusted]] for trusted in (True, False)] == believed
