"""An answer to what waits is a change like any other: undone, what was answered waits again, nothing else."""

from __future__ import annotations

import pytest

from tests.conftest import Run


def _hold(mem: Run, text: str) -> str:
    return mem("remember", "--source", "inferred", "--confidence", "0.5", text).stdout.strip()


def _again(said: str) -> str:
    return said.split("`mem undo ")[1].split("`", maxsplit=1)[0]


@pytest.mark.parametrize("answer", ["accept", "reject"])
def test_what_was_answered_waits_again_and_no_other_is_touched(mem: Run, answer: str) -> None:
    luc, paola = _hold(mem, "Luc likes oolong tea"), _hold(mem, "Paola likes rooibos")
    waiting = mem("review", "list").stdout
    assert mem("review", answer, paola).returncode == 0
    done = mem("undo")
    assert "back: 1 that waits for you" in done.stdout and f"undone: {answer} of " in done.stderr
    assert mem("review", "list").stdout == waiting and mem("review", "list", "--rejected").returncode == 1
    assert mem("list").returncode == 1
    # Done again, it is as answered; and answered once more as if nothing had been.
    assert mem("undo", _again(done.stderr)).returncode == 0
    assert paola[-8:] not in mem("review", "list").stdout and luc[-8:] in mem("review", "list").stdout
    assert mem("list").returncode == (0 if answer == "accept" else 1)
    mem("undo")
    assert mem("review", "accept", paola).stdout.strip() == paola


def test_an_accepted_correction_goes_back_whole(mem: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    table = mem("remember", "The walnut table is in the hall").stdout.strip()
    monkeypatch.setenv("MEMCLI_ORIGIN", "mcp:x")
    held = mem("correct", table, "The walnut table is in the cellar").stdout.strip()
    monkeypatch.delenv("MEMCLI_ORIGIN")
    mem("review", "accept", "--all")
    assert "cellar" in mem("recall", "walnut", "--trusted-only").stdout
    mem("undo")
    assert "hall" in mem("list").stdout and held[-8:] in mem("review", "list").stdout
    # What waits is the agent's again, as it was.
    assert "untrusted" in mem("review", "list").stdout


def test_a_rejected_one_that_was_accepted_after_all_is_rejected_again(mem: Run) -> None:
    luc = _hold(mem, "Luc likes oolong tea")
    mem("review", "reject", luc)
    mem("review", "accept", luc)
    done = mem("undo")
    assert "back:" not in done.stdout
    assert luc[-8:] in mem("review", "list", "--rejected").stdout and mem("review", "list").returncode == 1


@pytest.mark.parametrize("answer", ["accept", "reject"])
def test_a_proposed_link_waits_again(mem: Run, answer: str) -> None:
    mem("remember", "Nadia works at Helio. Pablo is Nadia's brother.")
    mem("consolidate")
    waiting = mem("review", "list").stdout
    assert waiting.count("\n") == 2 and mem("review", answer, waiting[:8]).returncode == 0
    linked = mem("graph", "show").returncode
    assert linked == (0 if answer == "accept" else 1)
    done = mem("undo")
    assert mem("review", "list").stdout == waiting, done
    assert mem("graph", "show").returncode == 1 and mem("list").stdout.count("\n") == 1
    mem("undo", _again(done.stderr))
    assert mem("graph", "show").returncode == linked and mem("review", "list").stdout.count("\n") == 1


def test_a_closed_question_is_open_again(mem: Run) -> None:
    one = mem("remember", "The bins go out on Monday").stdout.strip()
    two = mem("remember", "The bins go out on Thursday").stdout.strip()
    mem("remember", "The gate is green")
    mem("consolidate")
    asked = mem("audit", "--check", "questions").stdout
    assert one[-8:] in asked or one in asked
    mem("review", "close", one, two)
    assert mem("audit", "--check", "questions").stdout == ""
    done = mem("undo")
    assert "undone: close of " in done.stderr and mem("audit", "--check", "questions").stdout == asked
    assert mem("list").stdout.count("\n") == 3


def test_what_waited_comes_back_with_all_that_was_forgotten(mem: Run) -> None:
    mem("remember", "The gate is green")
    _hold(mem, "Luc likes oolong tea")
    waiting = mem("review", "list").stdout
    assert mem("forget", "--all", "--yes").returncode == 0 and mem("review", "list").returncode == 1
    mem("undo")
    assert "gate" in mem("list").stdout and mem("review", "list").stdout == waiting
