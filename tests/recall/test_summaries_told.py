"""A summary stands behind its turns, and before them for what only it still says."""

from __future__ import annotations

import json
import time
from dataclasses import replace

import pytest

from memcli.memories import Memories
from memcli.model import Change
from memcli.tiers.sessions.sessions import end_session
from tests.conftest import Run, TickingClock
from tests.tiers.turns import log

GONE, KEPT = "Tante Hedwig leidet an Gicht", "Der Rasenmäher bekommt neues Öl"


def test_what_only_the_summary_says_is_found_and_no_kept_entry_is_sure_of_it(
    mem: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMCLI_TURN_TTL", "1s")
    mem("log", "--session", "s", GONE)
    kept = mem("log", "decision", "--session", "s", KEPT).stdout.strip()
    last = mem("log", "--session", "s", "In Lissabon regnet es oft").stdout.strip()
    mem("session", "end", "s")
    monkeypatch.setenv("MEMCLI_TURN_TTL", "24h")
    # Turns live for a second.
    while last in mem("list", "--format", "ids").stdout:
        time.sleep(0.05)
    for question in ("Hedwig", "Wer hat Gicht?"):
        [found] = [json.loads(line) for line in mem("recall", question, "--json").stdout.splitlines()][:1]
        assert found["data"]["role"] == "summary" and not found.get("weak")
        chosen = mem("forget", "--query", question, "--dry-run").stdout
        assert kept[-8:] not in chosen and GONE in chosen
    assert mem("recall", "Welches Öl bekommt der Rasenmäher?", "--format", "ids").stdout.split()[0] == kept


@pytest.mark.parametrize("words_only", [True, False])
def test_a_summary_gives_way_where_its_turns_say_it_themselves(
    memories: Memories, clock: TickingClock, words_only: bool
) -> None:
    gone, kept = log(memories, GONE, session="s"), log(memories, KEPT, "decision", session="s")
    summary = end_session(memories, "s")
    assert summary

    def first(question: str) -> str:
        return memories.recall(question, words_only=words_only, touch=False).hits[0].memory.id

    # All are there: the words that no single turn has are no summary's advantage.
    assert first("Hedwig Gicht Rasenmäher Öl") != summary.id
    past = replace(memories.find(gone.id), expires_at=clock() - memories.now().resolution)
    memories.store.put([past], Change("expire"), memories.now())
    assert first("Hedwig Gicht") == summary.id
    assert first("Rasenmäher Öl") == kept.id
    # Day and speaker of a line are nothing that its turns lack.
    assert first("which decision on the neues rasenmäher") == kept.id


def test_a_summary_that_gives_way_is_no_evidence(memories: Memories) -> None:
    for text in ("The heron flies", "The otter swims", "The badger digs", "The weasel runs"):
        log(memories, text, session="s")
    question = "heron otter badger weasel"
    before = memories.recall(question, touch=False).evidence
    assert end_session(memories, "s")
    after = memories.recall(question, touch=False).evidence
    assert before and after and after.words == pytest.approx(before.words, abs=0.05)
