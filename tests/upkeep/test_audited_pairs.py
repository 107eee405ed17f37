"""In what order an audit reads memories and judges pairs of them; and that it leaves out none."""

from __future__ import annotations

from datetime import UTC, datetime

from memcli.memories import Memories
from memcli.model import Memory
from memcli.upkeep.audit import Audited
from memcli.upkeep.audited_pairs import _by_family
from memcli.write_policy.drafts import Draft

_AT = datetime(2026, 5, 3, tzinfo=UTC)
_OLDER = {"b": "a", "f": "e", "c": "b", "d": "a", "g": "c", "h": "b"}


def test_each_pair_is_judged_soon_after_those_with_which_it_shares_a_text() -> None:
    known = {
        each: Memory(id=each, kind="fact", text=each, happened_at=_AT, created_at=_AT, updated_at=_AT)
        for each in "abcdefgh"
    }
    pairs = {newer: (known[newer], known[older], 0.9) for newer, older in _OLDER.items()}
    order = [newer.id for newer, *_ in _by_family(pairs)]
    assert sorted(order) == sorted(_OLDER)
    # An older one that is judged itself comes first; nobody of another family comes in between.
    assert all(order.index(older) < order.index(newer) for newer, older in _OLDER.items() if older in _OLDER)
    assert "f" in (order[0], order[-1])


def test_what_is_in_force_is_read_oldest_first_be_it_knowledge_or_not(memories: Memories) -> None:
    drafts = [
        Draft(text="Ann keeps bees"),
        Draft(text="the ferry leaves at noon", kind="episode", session="monday"),
        Draft(text="the boiler is in the cellar", kind="outcome"),
        Draft(text="the door is red", kind="episode", session="monday"),
    ]
    kept = [memories.remember(draft).id for draft in drafts]
    audited = Audited(memories)
    assert [each.id for each in audited.live] == sorted(kept) == kept
    assert [each.id for each in audited.pairs.knowledge] == [kept[0], kept[2]]
