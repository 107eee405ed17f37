"""Who came in untrusted takes back what it put before the owner itself, and nothing else that waits."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

import pytest

from memcli.changes.undo import undo_change
from memcli.config.location import Location
from memcli.errors import Refused
from memcli.graph.proposed_links import submit_link
from memcli.memories import Memories
from memcli.write_policy.drafts import Draft
from memcli.write_policy.review import accept_held, list_held, reject_held
from tests.conftest import Run, make_memories


def _as(memories: Memories, origin: str, own_store: Location, clock: Callable[[], datetime]) -> Memories:
    return make_memories(own_store, clock, settings={"origin": origin, "untrusted_origins": "mcp:*"})


def _inferred(memories: Memories, text: str) -> None:
    memories.remember(Draft(text=text, source="inferred", origin=memories.origin, trusted=False))


def test_its_own_and_nobody_else_s(
    memories: Memories, own_store: Location, clock: Callable[[], datetime]
) -> None:
    with _as(memories, "mcp:x", own_store, clock) as x, _as(memories, "mcp:y", own_store, clock) as y:
        _inferred(x, "Ann likes boats")
        assert len(list(list_held(memories))) == 1
        with pytest.raises(Refused):
            undo_change(y)
        assert undo_change(x).withdrawn and not list(list_held(memories))
        # Nor by a second undo what came before, which is the owner's.
        _inferred(memories, "Bob rows on the lake")
        with pytest.raises(Refused):
            undo_change(x)
        assert len(list(list_held(memories))) == 1


def test_what_its_owner_answered_is_not_its_own_any_more(
    memories: Memories, own_store: Location, clock: Callable[[], datetime]
) -> None:
    with _as(memories, "mcp:x", own_store, clock) as x:
        _inferred(x, "Ann likes boats")
        reject_held(memories, list(list_held(memories)))
        with pytest.raises(Exception, match=r"nothing to undo|untrusted origin"):
            undo_change(x)
        assert list(list_held(memories, rejected=True))
        _inferred(x, "Bob rows on the lake")
        accept_held(memories, memories.model, list(list_held(memories)))
        with pytest.raises(Refused):
            undo_change(x)


def test_a_proposed_link_is_not_withdrawn_by_it(
    memories: Memories, own_store: Location, clock: Callable[[], datetime]
) -> None:
    some = [memories.remember("Ann works at Acme")]
    said = {"subject": "Ann", "relation": "works_at", "object": "Acme", "confidence": 0.9}
    with memories.store.writing():
        submit_link(memories, said, some)
    with _as(memories, "mcp:x", own_store, clock) as x, pytest.raises(Refused):
        undo_change(x)


def test_so_it_is_at_the_command_line(mem: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMCLI_ORIGIN", "mcp:x")
    assert mem("remember", "--source", "inferred", "Ann likes boats").returncode == 0
    done = mem("undo")
    assert done.returncode == 0 and "withdrawn: 1" in done.stdout and "does it again" not in done.stderr
    assert mem("review", "list").returncode == 1
