"""Whatever a write is told of another memory shows that one's text: nobody knows a memory by its id."""

from __future__ import annotations

import pytest

from tests.conftest import Run

CAPTAIN = "The captain of the ferry is Lena"
LONG = "The captain has the keys " + ", ".join(f"of door {n}" for n in range(30))


@pytest.fixture
def known(mem: Run) -> str:
    return mem("remember", CAPTAIN).stdout.strip()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([], 'may contradict "{text}" ('),
        (["--replaces", "{id}"], 'supersedes "{text}", which stays on record ({id})'),
        (["--same-as", "{id}"], 'the same as "{text}", as told; it is confirmed ({id})'),
    ],
)
def test_who_writes_is_shown_what_it_stands_to(mem: Run, known: str, options: list[str], said: str) -> None:
    given = [each.format(id=known) for each in options]
    done = mem("remember", "The captain of the ferry is Tariq", *given)
    assert said.format(text=CAPTAIN, id=known) in done.stderr


def test_an_agent_is_shown_what_it_may_not_replace(
    mem: Run, known: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMCLI_ORIGIN", "mcp:robot")
    done = mem("remember", "The captain of the ferry is Tariq", "--replaces", known)
    assert f'it would replace "{CAPTAIN}"' in done.stderr and "held for review" in done.stderr


def test_a_correction_shows_what_it_replaces(mem: Run, known: str) -> None:
    done = mem("correct", known, "The captain of the ferry is Tariq")
    assert done.stderr == f'mem: supersedes "{CAPTAIN}", which stays on record ({known})\n'


def test_what_is_known_in_other_words_is_shown_by_force_and_in_a_batch(mem: Run, known: str) -> None:
    again = "The ferry's captain is Lena"
    alone = mem("remember", again, "--dry-run")
    assert f'known already in other words: "{CAPTAIN}"' in alone.stdout
    many = mem("remember", "--batch", input=again + "\n")
    assert f'line 1: known already in other words: "{CAPTAIN}"; it is confirmed ({known})' in many.stderr
    forced = mem("remember", again, "--force")
    assert f'overridden: known already in other words: "{CAPTAIN}"' in forced.stderr


def test_a_long_text_is_cut_short(mem: Run) -> None:
    ident = mem("remember", LONG).stdout.strip()
    said = mem("correct", ident, "The captain has no keys").stderr
    assert "of door 1" in said and "of door 29" not in said and "…" in said


def test_a_batch_refuses_in_the_words_of_a_single_write(mem: Run) -> None:
    secret = "my wifi password is tulip7marigold"
    [line] = mem("remember", secret).stderr.splitlines()
    many = mem("remember", "--batch", input=f"The roof is red\n{secret}\n")
    assert many.stderr.splitlines()[0] == line.replace("mem: ", "mem: line 2: ")
