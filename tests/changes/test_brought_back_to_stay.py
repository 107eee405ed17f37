"""What expired and is brought back lives again, and stays; nothing takes over an end unsaid."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest

from memcli.changes.undo import undo_change
from memcli.consolidation.run import consolidate
from memcli.memories import Memories
from memcli.write_policy.drafts import Draft
from tests.conftest import Run, TickingClock

CARRIER = "The parcel comes at three"


@pytest.fixture
def over(mem: Run, monkeypatch: pytest.MonkeyPatch) -> str:
    """A memory that has outlived its time to live."""
    kept = mem("remember", CARRIER, "--ttl", "1s").stdout.strip()
    while CARRIER in mem("list").stdout:
        pass
    return kept


def _expires(mem: Run, ident: str) -> object:
    return json.loads(mem("show", ident, "--json").stdout)["expires_at"]


@pytest.mark.parametrize("night", [False, True])
def test_what_is_restored_is_found_again_and_no_night_ends_it(mem: Run, over: str, night: bool) -> None:
    if night:
        mem("consolidate")
    done = mem("restore", over)
    assert done.returncode == 0 and "its time to live, until " in done.stderr
    assert "lifted" in done.stderr and CARRIER in mem("list").stdout and _expires(mem, over) is None
    mem("consolidate")
    assert CARRIER in mem("list").stdout
    assert "expires" in mem("history", over).stdout
    assert "is live already" in mem("restore", over).stderr


def test_the_undo_of_the_night_is_no_half_life(mem: Run, over: str) -> None:
    mem("consolidate")
    done = mem("undo")
    assert "(lives now)" in done.stdout and "is lifted" in done.stderr and CARRIER in mem("list").stdout
    mem("consolidate")
    assert CARRIER in mem("list").stdout
    mem("undo", done.stderr.split("`mem undo ")[1].split("`")[0])
    assert CARRIER not in mem("list").stdout and _expires(mem, over) is not None


def test_without_end_is_without_a_time_to_live(mem: Run, over: str) -> None:
    done = mem("edit", over, "--until", "never")
    assert done.returncode == 0 and "is lifted" in done.stderr and CARRIER in mem("list").stdout


def test_an_edit_of_what_has_ended_says_so(mem: Run) -> None:
    gone = mem("remember", "The gate is green").stdout.strip()
    mem("edit", gone, "--until", "2030-01-01")
    mem("forget", gone, "--reason", "moved")
    done = mem("edit", gone, "--until", "never")
    assert f"it has ended (moved); `mem restore {gone[-8:]}` brings it back" in done.stderr


def test_what_was_true_until_then_stays_so_where_a_night_is_undone(
    memories: Memories, clock: TickingClock
) -> None:
    until = memories.now() + timedelta(days=1)
    hired = memories.remember(Draft(text="The van is hired", valid_until=until))
    clock.advance(days=2)
    consolidate(memories)
    assert memories.find(hired.id).ended_as == "expired"
    undone = undo_change(memories)
    assert "was true until" in undone.remarks[0]
    back = memories.find(hired.id)
    assert (back.ended_at, back.valid_until) == (None, until)
    consolidate(memories)
    assert memories.find(hired.id).ended_at is None


PASSING = "We might go to Lyon"


def test_a_correction_of_what_passes_is_judged_by_what_it_says(mem: Run) -> None:
    note = mem("remember", PASSING).stdout.strip()
    assert json.loads(mem("show", note, "--json").stdout)["kind"] == "episode"
    booked = mem("correct", note, "We booked Lyon, hotel Carnot, paid 340 euros")
    record = json.loads(mem("show", booked.stdout.strip(), "--json").stdout)
    assert (record["kind"], record["expires_at"]) == ("fact", None)
    again = mem("correct", record["id"], "We might go to Nantes")
    assert "kept as an episode until" in again.stderr
    assert _expires(mem, again.stdout.strip()) is not None


def test_a_correction_of_what_has_expired_is_not_born_dead(mem: Run, over: str) -> None:
    mem("correct", over, "The parcel comes at four")
    assert "four" in mem("list").stdout


def test_a_time_to_live_that_comes_along_is_told(mem: Run) -> None:
    kept = mem("remember", CARRIER, "--ttl", "3d").stdout.strip()
    done = mem("correct", kept, "The parcel comes at four")
    assert "it expires 2" in done.stderr and "--until never` lifts that" in done.stderr
    assert _expires(mem, done.stdout.strip()) == _expires(mem, kept)


def test_knowledge_made_of_a_passing_note_stays(mem: Run) -> None:
    note = mem("remember", PASSING).stdout.strip()
    said = mem("remember", PASSING, "--kind", "fact")
    assert f"`mem edit {note[-8:]} --kind fact` keeps it for good" in said.stderr
    done = mem("edit", note, "--kind", "fact")
    assert "is lifted" in done.stderr and _expires(mem, note) is None
