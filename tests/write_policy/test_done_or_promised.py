"""What was done is not taken for known beside what would be done, however sure a judge is."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from memcli.memories import Memories
from memcli.write_policy.drafts import Draft, new_memory
from memcli.write_policy.rules.duplicates import _says_the_same


@pytest.mark.parametrize(
    ("new", "same"),
    [("Tomasz brought the drawings on Monday", False), ("Tomasz would be bringing Monday's drawings", True)],
)
def test_a_promise_kept_is_news(memories: Memories, new: str, same: bool) -> None:
    known, said = (
        new_memory(memories, Draft(text=text))
        for text in ("Tomasz said he would bring the drawings on Monday", new)
    )
    near: Any = SimpleNamespace(
        memory=known,
        verdict="changed",
        judged_by_model=True,
        judgement=SimpleNamespace(same=0.99),
        cosine=0.8,
    )
    case: Any = SimpleNamespace(memory=said, kind_is_open=True)
    grounds: Any = SimpleNamespace(settings=SimpleNamespace(judge_same=0.87))
    assert _says_the_same(near, case, grounds) is same
