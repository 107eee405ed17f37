"""A turn that is forgotten softly is told no more by the summary of its session."""

from __future__ import annotations

import json

import pytest

from memcli.changes import revision
from memcli.changes.forgetting.soft import forget_memories
from memcli.changes.forgetting.told_by_summary import without_turns
from memcli.changes.undo import undo_change
from memcli.memories import Memories
from memcli.model import Memory
from memcli.tiers.sessions.episodes import read_session
from memcli.tiers.sessions.sessions import end_session
from tests.conftest import Run
from tests.tiers.turns import log

SECRET = "Tante Hedwig leidet an Gicht und will es geheim halten"
OTHERS = [
    ("assistant", "Verstanden."),
    ("user", "Der Rasenmäher braucht neues Öl"),
    ("user", "Es regnet oft"),
]


def folded(memories: Memories) -> Memory:
    turn = log(memories, SECRET, session="s")
    for role, text in OTHERS:
        log(memories, text, role, session="s")
    end_session(memories, "s")
    return memories.find(turn.id)


def told(memories: Memories) -> str:
    summary = read_session(memories, "s").summary
    return summary.text if summary else ""


def test_nothing_tells_a_forgotten_turn_and_nothing_else_answers_for_it(mem: Run) -> None:
    turn = mem("log", "--session", "s", SECRET).stdout.strip()
    for role, text in OTHERS:
        mem("log", role, "--session", "s", text)
    mem("session", "end", "s")
    assert "Gicht" in mem("session", "messages", "s").stdout
    assert mem("forget", turn).returncode == 0
    for command in (
        ["session", "messages", "s"],
        ["session", "show", "s"],
        ["list"],
        ["session", "export", "s"],
    ):
        shown = mem(*command).stdout
        assert "Gicht" not in shown and "Rasenmäher" in shown, command
    for question in ("Hedwig", "Wer hat Gicht?"):
        assert mem("recall", question, "--format", "ids").stdout == ""
        assert mem("forget", "--query", question, "--dry-run").returncode == 1
    mem("undo")
    assert SECRET in mem("session", "messages", "s").stdout
    [first] = [
        json.loads(line) for line in mem("recall", "Hedwig", "-n", "1", "--json").stdout.splitlines()[:1]
    ]
    assert first["id"] == turn


def test_what_is_brought_back_lives_until_a_summary_tells_it_again(memories: Memories) -> None:
    turn = folded(memories)
    forget_memories(memories, [turn], "forgotten")
    summary = read_session(memories, "s").summary
    assert summary and summary.data["turns"] == 3 and turn.id not in summary.data["folds"]
    revision.restore_memories(memories, [memories.find(turn.id)])
    back = memories.find(turn.id)
    assert back.expires_at is None and "folded" not in back.data
    assert read_session(memories, "s").unfolded == [back]
    end_session(memories, "s")
    assert SECRET in told(memories)


def test_forgetting_and_its_undo_are_one_change(memories: Memories) -> None:
    turn, before = folded(memories), told(memories)
    [ended] = forget_memories(memories, [turn], "enough")
    assert (ended.ended_as, ended.ended_why) == ("forgotten", "enough")
    assert len({event.change for event in list(memories.store.history())[-2:]}) == 1
    undone = undo_change(memories)
    assert undone.action == "end" and told(memories) == before
    assert memories.find(turn.id).data == turn.data


def test_a_summary_that_tells_nothing_else_goes_too(memories: Memories) -> None:
    turn = log(memories, SECRET, session="s")
    end_session(memories, "s")
    forget_memories(memories, [turn], "forgotten")
    assert read_session(memories, "s").whole == []


@pytest.mark.parametrize(
    ("line", "is_told"),
    [
        ("{day} user: Tante Hedwig leidet an Gicht", False),
        ("{day} user: Tante\n… [54 characters, shortened] …\ngeheim halten", False),
        # By whom, and on which day, tells it from what others say.
        ("{day} assistant: Tante Hedwig leidet an Gicht", True),
        ("2020-01-01 user: Tante Hedwig leidet an Gicht", True),
        ("{day} user: Der Rasenmäher braucht neues Öl", True),
        # An LLM's own words.
        ("The owner's aunt Hedwig suffers from gout.", False),
        ("The lawn mower wants oil.", True),
    ],
)
def test_lines_are_known_by_their_head_and_words(memories: Memories, line: str, is_told: bool) -> None:
    turn, other = (log(memories, text, session="s") for text in (SECRET, OTHERS[1][1]))
    line = line.format(day=f"{turn.happened_at:%Y-%m-%d}")
    summary = log(memories, f"2019-01-01 user: Hello\n{line}", session="s")
    left = without_turns(summary, [turn], [other])
    assert left and left.text == (summary.text if is_told else "2019-01-01 user: Hello")


def test_what_another_turn_says_too_is_told_still(memories: Memories) -> None:
    one, two = (log(memories, "Ja.", session="s") for _ in range(2))
    end_session(memories, "s")
    forget_memories(memories, [memories.find(one.id)], "forgotten")
    assert "Ja." in told(memories) and memories.find(two.id).ended_at is None
