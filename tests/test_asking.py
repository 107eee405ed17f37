"""An LLM in consolidation: what it concludes cites its evidence; where it fails nothing is lost."""

from __future__ import annotations

import json

import pytest

from memcli.config import Config
from memcli.consolidation.asking import open_reasoner
from memcli.consolidation.reasoner import ReasonerFailed
from memcli.extracts import Fold
from memcli.memories import Memories
from memcli.model import Memory
from tests.conftest import Run
from tests.llms import fake


@pytest.fixture
def turns(memories: Memories) -> list[Memory]:
    return [memories.remember("I moved to Oslo in 2019"), memories.remember("Maria plays chess with me")]


def test_every_question_goes_to_the_llm_and_is_counted(turns: list[Memory]) -> None:
    reasoner = open_reasoner(fake("good"), Config())
    assert reasoner
    assert reasoner.summarise(Fold("", 0, turns, 400)) == " ".join(turn.text for turn in turns)
    assert "Bob" in reasoner.summarise(Fold("I met Bob.", 1, turns, 400))
    assert [found.cites for found in reasoner.distil(turns)] == [(turn.id,) for turn in turns]
    assert reasoner.judge(*turns) == "updates"
    assert reasoner.tokens == reasoner.meter.spent > 0


def test_an_llm_that_is_down_is_not_asked_again(turns: list[Memory]) -> None:
    reasoner = open_reasoner(fake("fail", "no model"), Config())
    assert reasoner
    for _ in range(3):
        with pytest.raises(ReasonerFailed, match="no model"):
            reasoner.distil(turns)
    assert reasoner.meter.calls == 1


def test_without_an_llm_there_is_no_reasoner() -> None:
    assert open_reasoner(None, Config()) is None


@pytest.mark.parametrize(
    "way",
    [["flood"], ["half"], ["fail", "x"], ["exact", '{"claims": [{"text": "Bob won", "cites": ["ID"]}]}']],
)
def test_a_night_with_a_hostile_llm_is_a_night_without_one(mem: Run, way: list[str]) -> None:
    turn = {
        "text": "We moved the blog to Hugo",
        "kind": "episode",
        "role": "user",
        "session": "s",
        "at": "3 days ago",
    }
    assert mem("remember", "--batch", input=json.dumps(turn)).returncode == 0
    done = mem("consolidate", "--llm", fake(*way), "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout.splitlines()[0])
    assert any(line.startswith("distil: ") for line in report["skipped"])
    assert mem("list", "--kind", "fact").stdout == ""
