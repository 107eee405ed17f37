"""What is no repetition, however sure a judge is: what was done, is to be done, or is told of another."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from memcli.memories import Memories
from memcli.write_policy.drafts import Draft, new_memory
from memcli.write_policy.rules.duplicates import _says_the_same

PROMISED = "Tomasz said he would bring the drawings on Monday"
MEETING = "The rota meeting is on Friday at 8"
MUSHROOMS = "Elsa no longer eats mushrooms"


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        (PROMISED, "Tomasz brought the drawings on Monday", False),
        (PROMISED, "Tomasz would be bringing Monday's drawings", True),
        (MEETING, "I have to hand in the rota before Friday", False),
        (MEETING, "The rota meeting is Friday, at 8", True),
        (MUSHROOMS, "Nico doesn't eat mushrooms at all", False),
        (MUSHROOMS, "Elsa doesn't eat mushrooms any more", True),
        ("Called the insurers, they need photos of the ceiling", "Photos of the ceiling sent off", False),
        ("The bank wants a copy of the passport", "Copy of the passport handed in at the bank", False),
        ("Die Bank braucht noch eine Kopie vom Pass", "Der Bank die Kopie vom Pass gegeben", False),
        ("Le notaire demande une copie du bail", "Copie du bail remise et donnée au notaire", False),
        ("The bank wants a copy of the passport", "The bank is asking for a copy of the passport", True),
    ],
)
def test_what_is_another_thing_is_news(memories: Memories, old: str, new: str, same: bool) -> None:
    known, said = (new_memory(memories, Draft(text=text)) for text in (old, new))
    near: Any = SimpleNamespace(
        memory=known,
        verdict="changed",
        judged_by_model=True,
        judgement=SimpleNamespace(same=0.99),
        cosine=0.8,
    )
    case: Any = SimpleNamespace(memory=said, kind_is_open=True)
    grounds: Any = SimpleNamespace(settings=SimpleNamespace(judge_same=0.85))
    assert _says_the_same(near, case, grounds) is same
