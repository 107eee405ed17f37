"""What differs between two states: what is the same hides nothing of what is not."""

from __future__ import annotations

from dataclasses import replace

from memcli.memories import Memories
from memcli.model import Link, State
from memcli.storage import areas
from memcli.upkeep.copies.difference import How, differences
from memcli.upkeep.copies.sides import Side
from memcli.write_policy.drafts import Draft, new_memory


def test_among_many_that_are_the_same_the_one_that_is_not_is_told(memories: Memories) -> None:
    now = memories.now()
    some = [new_memory(memories, Draft(text=f"boat {n} is red", kind="fact")) for n in range(40)]
    links = [
        Link(memories.new_id(now), "default", f"Ann{n}", "knows", "Bob", None, 1.0, None, None, now, None, {})
        for n in range(40)
    ]
    values = [State("default", areas.BLOCK.name, f"b{n}", {"label": f"b{n}", "versions": []}, 1, now, now)
              for n in range(40)]  # fmt: skip
    old = Side(
        {each.id: each for each in some},
        {each.id: each for each in links},
        {(each.space, each.area, each.key): each for each in values},
    )
    changed = replace(some[7], text="boat 7 is blue")
    ended = links[7]._replace(ended_at=now)
    told = values[7]._replace(
        value={"label": "b7", "versions": [{"text": "x", "at": "2026-01-01T00:00:00Z"}]}
    )
    new = Side(
        {**old.memories, changed.id: changed},
        {**old.links, ended.id: ended},
        {**old.values, (told.space, told.area, told.key): told},
    )
    assert not list(differences(old, old))
    found = [(each.what, each.how) for each in differences(old, new)]
    assert ("fact", How.CHANGED) in found and ("link", How.ENDED) in found and len(found) == 3
