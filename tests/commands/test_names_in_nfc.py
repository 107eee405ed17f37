"""A name is one thing in whichever form of Unicode it is typed or comes from a file: kept in NFC."""

from __future__ import annotations

import json
from unicodedata import normalize

import pytest

from memcli.memories import Memories
from memcli.model import State
from memcli.storage import areas
from memcli.tiers.context.blocks import find_block, put_block
from tests.conftest import Run

NFC, NFD = normalize("NFC", "büro"), normalize("NFD", "büro")


@pytest.mark.parametrize(("one", "other"), [(NFC, NFD), (NFD, NFC)])
def test_both_forms_are_one_name(mem: Run, one: str, other: str) -> None:
    said = "The boat lies in Linz"
    assert mem("remember", said, "--space", one, "--tag", one, "--session", one).returncode == 0
    assert mem("log", "--session", one, "We saw a fox").returncode == 0
    assert mem("block", "set", one, "Linz").returncode == 0
    assert mem("policy", "add", one, "--rule", "Never mail salaries").returncode == 0
    assert mem("task", "start", "Paint it", "--name", one).returncode == 0
    assert mem("checkpoint", "save", one, input="{}").returncode == 0
    for command in (
        ("list", "--space", other),
        ("block", "show", other),
        ("policy", "show", other),
        ("task", "show", "--task", other),
        ("session", "show", other),
        ("checkpoint", "restore", other),
    ):
        done = mem(*command)
        assert done.returncode == 0 and done.stderr == "", (command, done.stderr)
    for option in ("--tag", "--session"):
        assert said in mem("list", "--space", other, option, other).stdout
    assert NFD not in mem("export", "--all-spaces").stdout
    spaces = {json.loads(line)["space"] for line in mem("list", "--all-spaces", "--json").stdout.splitlines()}
    assert spaces == {"default", NFC}


def test_what_was_kept_under_nfd_is_found_by_its_name_in_nfc(memories: Memories) -> None:
    now = memories.now()
    value = {
        "description": "", "max_chars": 100,
        "versions": [{"version": 1, "at": "2026-01-01T00:00:00.000Z", "text": "Linz"}],
    }  # fmt: skip
    memories.store.put_state(State(memories.space, areas.BLOCK.name, NFD, value, 1, now, now))
    assert find_block(memories, NFC).text == "Linz"
    assert put_block(memories, NFC, "Graz").text == "Graz"
    assert len(list(memories.store.states((memories.space,), areas.BLOCK.name))) == 1


def test_a_name_that_is_not_found_is_not_what_was_meant(mem: Run) -> None:
    mem("log", "--session", "fox", "We saw a fox")
    assert mem("session", "clear", "fox", "--yes").returncode == 0
    done = mem("session", "show", "fox")
    assert done.returncode == 1 and "did you mean" not in done.stderr
    assert "nothing of the session 'fox' is left" in done.stderr and "--ended" in done.stderr
    assert "fox" in mem("session", "show", "fox", "--ended").stdout
