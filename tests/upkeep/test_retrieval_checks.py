"""The owner's own tests of retrieval: added, run, exported, erased with their memory, apart by space."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memcli.errors import BadInput, NotFound, Refused
from memcli.memories import Memories
from memcli.upkeep.retrieval_checks import (
    add_check,
    add_last,
    remove_check,
    retrieval_checks,
    run_check,
)
from tests.conftest import Run

NOTES = [
    "Priya Raman owns infrastructure; ping her before anyone touches Terraform.",
    "The staging server listens on port 8443",
    "The cat is called Semaphore and eats dry food only",
]
QUESTION = "who owns infrastructure?"


@pytest.fixture
def filled(mem: Run) -> list[str]:
    assert mem("remember", "--batch", input="\n".join(NOTES)).returncode == 0
    found = [json.loads(line) for line in mem("list", "--json").stdout.splitlines()]
    return [each["id"] for text in NOTES for each in found if each["text"] == text]


def results(mem: Run) -> list[dict[str, Any]]:
    return [json.loads(line) for line in mem("check", "run", "--json").stdout.splitlines()]


def test_a_check_passes_until_its_memory_is_found_no_more(mem: Run, filled: list[str]) -> None:
    assert mem("check", "list").returncode == 1
    added = mem("check", "add", QUESTION, "--expects", filled[0][-8:])
    assert (added.returncode, added.stderr) == (0, "")
    assert mem("check", "run").returncode == 0
    [passed] = results(mem)
    assert passed["passed"] and (passed["rank_then"], passed["rank_now"]) == (1, 1)
    assert mem("forget", filled[0], "--yes").returncode == 0
    fallen = mem("check", "run")
    assert fallen.returncode == 1 and "forgotten" in fallen.stdout
    assert not results(mem)[0]["passed"]
    assert mem("restore", filled[0]).returncode == 0 and mem("check", "run").returncode == 0


def test_a_check_that_was_asked_by_words_alone_says_so(
    mem: Run, filled: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMCLI_MODEL", "no-such-model")
    added = mem("check", "add", QUESTION, "--expects", filled[0])
    assert "not all was searched by meaning: no model 'no-such-model'" in added.stderr
    done = mem("check", "run")
    assert done.returncode == 0 and "not all was searched by meaning" in done.stderr
    [passed] = results(mem)
    assert passed["degraded"] and "no-such-model" in passed["degraded_reason"]


def test_what_is_only_weak_now_and_was_sure_has_failed(mem: Run, filled: list[str]) -> None:
    assert mem("check", "add", QUESTION, "--expects", filled[0]).stderr == ""
    mem("config", "set", "min_sure", "1")
    fallen = mem("check", "run")
    assert fallen.returncode == 1 and "was sure, and is weak" in fallen.stdout
    # What was weak when it was made passes.
    again = mem("check", "add", QUESTION, "--expects", filled[0])
    assert again.returncode == 0 and "weak at present" in again.stderr
    assert mem("check", "run").returncode == 0 and [each["weak"] for each in results(mem)] == [True]


def test_a_check_of_what_has_expired_says_so(mem: Run, filled: list[str]) -> None:
    mem("check", "add", QUESTION, "--expects", filled[0])
    mem("edit", filled[0], "--until", "yesterday")
    fallen = mem("check", "run")
    assert fallen.returncode == 1 and "no longer true" in fallen.stdout


def test_of_the_recall_just_made_what_stood_first_is_expected(
    mem: Run, filled: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert mem("recall", QUESTION).returncode == 0
    unknown = mem("check", "add", "--last")
    assert unknown.returncode == 1 and "recall_log" in unknown.stderr and QUESTION not in mem("export").stdout
    monkeypatch.setenv("MEMCLI_RECALL_LOG", "query")
    assert mem("recall", QUESTION).returncode == 0
    assert mem("recall", "--since", "2020-01-01").returncode == 0  # asks no question
    assert mem("check", "add", "--last").returncode == 0
    [check] = [json.loads(line) for line in mem("check", "list", "--json").stdout.splitlines()]
    assert (check["question"], check["memory"], check["rank"]) == (QUESTION, filled[0], 1)
    assert mem("check", "add", "--last", "--expects", filled[1]).returncode == 0
    assert [each["passed"] for each in results(mem)] == [True, False]
    assert mem("check", "remove", results(mem)[1]["id"][-6:]).returncode == 0
    assert len(results(mem)) == 1


def test_the_question_asked_last_is_the_last_whatever_it_found(
    mem: Run, filled: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A link may answer without any memory, and what found nothing is what one wants to check most."""
    monkeypatch.setenv("MEMCLI_RECALL_LOG", "query")
    assert mem("recall", QUESTION).returncode == 0
    asked = "zzyzx quux?"
    assert mem("recall", asked).returncode == 1
    told = mem("check", "add", "--last")
    assert told.returncode == 1 and asked in told.stderr and "--expects" in told.stderr
    assert mem("check", "add", "--last", "--expects", filled[0]).returncode == 0
    assert [json.loads(line)["question"] for line in mem("check", "list", "--json").stdout.splitlines()] == [
        asked
    ]


def test_checks_go_with_an_export_and_with_the_erasure_of_their_memory(
    mem: Run, filled: list[str], tmp_path: Path
) -> None:
    other = str(tmp_path / "other.db")
    mem("check", "add", QUESTION, "--expects", filled[0])
    exported = mem("export").stdout
    assert mem("import", "-", "--db", other, input=exported).returncode == 0
    assert QUESTION in mem("check", "list", "--db", other).stdout
    assert mem("forget", "--hard", filled[0], "--yes").returncode == 0
    assert mem("check", "list").returncode == 1 and "infrastructure" not in mem("export").stdout


def test_a_check_is_of_one_space(memories: Memories) -> None:
    note = memories.remember(NOTES[0])
    add_check(memories, QUESTION, note)
    assert not list(retrieval_checks(memories.in_space("elsewhere")))
    assert len(list(retrieval_checks(memories))) == 1
    add_check(memories, f" {QUESTION} ", note)
    [check] = retrieval_checks(memories)
    with pytest.raises(NotFound):
        remove_check(memories.in_space("elsewhere"), check.id)


def test_the_version_in_force_is_expected(memories: Memories) -> None:
    old = memories.remember("Priya owns infrastructure")
    add_check(memories, QUESTION, old)
    new = memories.remember("Priya and Bea own infrastructure")
    memories.end([old.id], "corrected", "superseded", new.id)
    [check] = retrieval_checks(memories)
    assert run_check(memories, check).memory == new.id and run_check(memories, check).passed


def test_what_cannot_be_expected_is_refused(memories: Memories) -> None:
    note = memories.remember(NOTES[1])
    with pytest.raises(BadInput):
        add_check(memories, "  ", note)
    with pytest.raises(Refused):
        add_check(memories, "is my key ghp_16C7e42F292c6912E7710c838347Ae178B4a?", note)
    with pytest.raises(NotFound):
        add_last(memories)
