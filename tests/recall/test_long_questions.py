"""A text of megabytes is asked with by its ends: what is left off is said, and nobody waits for it."""

from __future__ import annotations

import io

import pytest

from memcli.agents.tools.answers import answer_to, read_out
from memcli.app import run
from memcli.config.location import Location, location_text
from memcli.memories import Memories
from memcli.recall.results import RankingSettings
from memcli.tiers.procedures.procedures import Procedures

# Every word another one: each that is looked at costs a search.
LONG = (
    f"Where does the boat lie? {' '.join(f'word{n}' for n in range(200_000))} And who is the harbour master?"
)
LEFT_OFF = (
    "the question is long: its first 4,000 and last 1,000 characters were looked at, "
    f"the {len(LONG) - 5_000:,} between them were not"
)


EVERYTHING = RankingSettings(min_score=0.0, min_sure=0.0)


@pytest.fixture(autouse=True)
def kept(memories: Memories) -> None:
    for text in ("The boat lies at pier nine", "Ann is the harbour master", "word100000 is a word"):
        memories.remember(text)


def test_its_ends_are_looked_at(memories: Memories) -> None:
    answer = memories.recall(LONG, words_only=True, settings=EVERYTHING)
    assert len(answer.query) < 5_100 and answer.left_off == LEFT_OFF
    assert answer.query.startswith("Where does the boat lie?")
    assert answer.query.endswith("who is the harbour master?")
    found = {hit.memory.text: hit.words for hit in answer.hits}
    assert found["The boat lies at pier nine"] and not found.get("word100000 is a word")
    assert memories.recall(LONG[:5_000]).left_off is None


def test_it_is_said_on_stderr(
    own_store: Location, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MEMCLI_DB", location_text(own_store))
    for line in ("recall --words -", "procedure find --words -"):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(LONG.encode())))
        assert run(line.split()) in (0, 1)
        assert capsys.readouterr().err == f"mem: {LEFT_OFF}\n"


def test_an_agent_is_told(memories: Memories) -> None:
    answer = answer_to(memories, LONG, memories.within(), limit=None, budget=0)
    assert read_out(answer, "").splitlines()[-1] == f"Not all was looked at: {LEFT_OFF}."
    assert Procedures(memories).find(LONG).found == []
