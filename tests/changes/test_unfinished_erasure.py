"""An erasure killed at any moment: all is as before, or the next command carries it to its end."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from memcli.changes.forgetting import resumption, unfinished
from memcli.changes.forgetting.unfinished import finish_erasure, is_unfinished
from memcli.errors import StoreFull
from memcli.memories import Memories
from memcli.model import State, as_ended
from memcli.storage import areas
from memcli.storage.reports import Erasure
from memcli.tiers.context import blocks
from memcli.write_policy.drafts import Draft
from tests.conftest import MEM, Run, TickingClock, make_memories
from tests.erasure import erase_memories

TEXT = "Quentomar hides the vermeilion ledger under the floor"
PIECES = (b"uentomar", b"ermeilion", b"vermeilio", b"hides the vermeil")


def files(home: Path) -> bytes:
    return b"".join(file.read_bytes() for file in home.rglob("memory.db*") if file.is_file())


class _Killed(BaseException):
    """What SIGKILL looks like from inside."""


def test_what_hinders_it_says_nothing_of_what_the_command_does_then(
    memories: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which may be to change the store."""

    def fail(scope: Memories) -> bool:
        raise StoreFull(
            "m.db: no space left on the device", "no space", left="nothing was changed", advice="make room"
        )

    monkeypatch.setattr(unfinished, "finish_erasure", fail)
    monkeypatch.setattr(resumption, "is_erasure_cut_off", lambda store: True)
    told: list[str] = []
    resumption.resume_erasure(memories, told.append)
    assert told == ["m.db: no space left on the device; make room"]


STEPS = ("erase_from_copies", "scrub", "traces", "the note")


@pytest.mark.parametrize("step", STEPS)
def test_cut_off_at_any_step_it_is_finished_later(
    memories: Memories, own_home: Path, clock: TickingClock, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    kept = memories.remember(TEXT)
    memories.remember("the cat is black")
    copy = memories.store.back_up(memories.now())
    window = memories.store.vectors(list(memories.store.refs_by_id([kept.id]).values())).popitem()[1][0]

    def killed(*given: object, **options: object) -> None:
        raise _Killed

    with monkeypatch.context() as patch:
        if step == "the note":
            patch.setattr("memcli.changes.forgetting.unfinished.clear_unfinished", killed)
        else:
            patch.setattr(memories.store, step, killed)
        with pytest.raises(_Killed):
            erase_memories(memories, [kept])
    assert is_unfinished(memories)
    with make_memories(own_home / "memory.db", clock) as later:
        assert finish_erasure(later) and not is_unfinished(later) and not finish_erasure(later)
    assert not [piece for piece in PIECES if piece in files(own_home)]
    assert window[:64] not in files(own_home) and b"uentomar" not in copy.read_bytes()


def test_before_the_rows_are_gone_nothing_has_happened(
    memories: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = memories.remember(TEXT)

    def killed(*given: object) -> None:
        raise _Killed

    with monkeypatch.context() as patch:
        patch.setattr("memcli.changes.forgetting.hard.record_unfinished", killed)
        with pytest.raises(_Killed):
            erase_memories(memories, [kept])
    assert memories.find(kept.id) == kept and not is_unfinished(memories)


def test_rows_that_a_file_brought_back_meanwhile_go_again(
    memories: Memories, own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept, again = memories.remember(TEXT), memories.remember("the cat is black")

    def killed(*given: object, **options: object) -> None:
        raise _Killed

    with monkeypatch.context() as patch:
        patch.setattr(memories.store, "scrub", killed)
        with pytest.raises(_Killed):
            erase_memories(memories, [kept, again])
    # One comes by another file, without a line of history; the other is wanted again.
    memories.store.put([kept], None, memories.now())
    memories.store.put([again], memories.change("import"), memories.now())
    assert finish_erasure(memories) and not memories.store.get([kept.id])
    assert memories.store.get([again.id]) and b"uentomar" not in files(own_home)


def test_two_cut_off_erasures_are_both_finished(memories: Memories) -> None:
    with memories.store.writing():
        unfinished.record_unfinished(memories, Erasure(["A"], [("s", "a", "k")]))
        unfinished.record_unfinished(memories, Erasure(["B"], spaces=["zoo"]))
    [state] = memories.store.states(("*",), areas.ERASURE.name)
    left: dict[str, list[object]] = {
        "ids": ["B", "A"],
        "states": [["s", "a", "k"]],
        "spaces": ["zoo"],
        "events": [],
        "links": [],
    }
    left["memories"] = []
    assert state.value == left


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
def test_killed_from_outside(mem: Run, own_home: Path) -> None:
    lines = "\n".join(json.dumps({"text": f"pier {n} has {n * 7} barrels"}) for n in range(300))
    mem("remember", "--batch", input=lines)
    chance = random.Random(7)
    for _ in range(5):
        ident = mem("remember", TEXT, "--force").stdout.strip()
        command = [str(MEM), "forget", "--hard", ident]
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        time.sleep(chance.uniform(0.2, 0.8))
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        after = mem("list", "-n", "1")
        assert after.returncode == 0
        if mem("show", ident).returncode == 1:
            left = files(own_home)
            assert not [piece for piece in PIECES if piece in left]
        else:
            assert "finished" not in after.stderr
            assert mem("forget", "--hard", ident).returncode == 0


# What was made from it


def turn(memories: Memories, text: str, **data: object) -> str:
    return memories.remember(Draft(text=text, kind="episode", session="s", data=data)).id


def test_a_summary_loses_the_lines_that_quote_it_and_keeps_the_others(
    memories: Memories, own_home: Path
) -> None:
    one = turn(memories, "Quentomar hides the vermeilion ledger. Nobody knows.", role="user")
    two = turn(memories, "The bakery opens at seven in the morning.", role="user")
    text = "2026-05-03 user: The bakery opens at seven\n2026-05-03 user: It is Quentomar who hides it"
    first = turn(memories, text, role="summary", folds=[one, two], turns=2)
    for each in memories.store.get([one, two]):
        memories.store.put([replace(each, data={**each.data, "folded": first})], None, memories.now())
    receipt = erase_memories(memories, memories.store.get([one]))
    assert receipt.verified and receipt.derived == [first] and len(receipt.rebuilt) == 1
    [rebuilt] = memories.store.get(receipt.rebuilt)
    assert rebuilt.text == "2026-05-03 user: The bakery opens at seven" and rebuilt.data["folds"] == [two]
    assert memories.store.get([two])[0].data["folded"] == rebuilt.id
    assert not [piece for piece in PIECES if piece in files(own_home)]
    assert memories.remember(Draft(text="The bakery opens at seven", kind="episode"))


def test_a_summary_of_a_summary_is_reached_too(memories: Memories, own_home: Path) -> None:
    one = turn(memories, "Quentomar hides the vermeilion ledger.", role="user")
    two = turn(memories, "The bakery opens at seven.", role="user")
    first = turn(memories, "user: Quentomar hides the vermeilion ledger.", role="summary", folds=[one])
    second = memories.remember(
        Draft(
            text="user: hides the vermeilion\nuser: The bakery opens at seven.", kind="episode", session="s",
            data={"role": "summary", "folds": [two]},
        )
    )  # fmt: skip
    memories.store.put([replace(second, supersedes=first)], None, memories.now())
    memories.end([first], f"folded into {second.id}", "folded", second.id)
    receipt = erase_memories(memories, memories.store.get([one]))
    assert set(receipt.derived) == {first, second.id} and len(receipt.rebuilt) == 1
    assert not [piece for piece in PIECES if piece in files(own_home)]


def test_a_turn_that_its_fold_ended_is_of_the_summary_made_anew(memories: Memories) -> None:
    """It was folded, not replaced: who follows it is not led to the summary."""
    one = turn(memories, "Quentomar hides the vermeilion ledger.", role="user")
    two = turn(memories, "The bakery opens at seven.", role="user")
    text = "user: Quentomar hides the vermeilion ledger.\nuser: The bakery opens at seven."
    first = turn(memories, text, role="summary", folds=[one, two])
    [over] = memories.store.get([two])
    memories.store.put([replace(over, data={**over.data, "folded": first})], None, memories.now())
    memories.end([two], "session s folded", "folded")
    receipt = erase_memories(memories, memories.store.get([one]))
    [left] = memories.store.get([two])
    assert [left.data["folded"]] == receipt.rebuilt and left.replaced_by is None


def test_a_summary_that_was_made_anew_takes_the_place_of_the_one_before(memories: Memories) -> None:
    one = turn(memories, "The bakery opens at seven.", role="user")
    two = turn(memories, "Quentomar hides the vermeilion ledger.", role="user")
    first = turn(memories, "user: The bakery opens at seven.", role="summary", folds=[one])
    second = memories.remember(
        Draft(
            text="user: The bakery opens at seven.\nuser: Quentomar hides the vermeilion ledger.",
            kind="episode", session="s", data={"role": "summary", "folds": [two]},
        )
    )  # fmt: skip
    memories.store.put([replace(second, supersedes=first)], None, memories.now())
    memories.end([first], f"folded into {second.id}", "folded", second.id)
    receipt = erase_memories(memories, memories.store.get([two]))
    assert receipt.derived == [second.id] and len(receipt.rebuilt) == 1
    assert [memories.current_version(memories.find(first)).id] == receipt.rebuilt


def test_turns_whose_summary_goes_do_not_expire_unfolded(memories: Memories, clock: TickingClock) -> None:
    one = turn(memories, "Quentomar hides the vermeilion ledger.", role="user")
    two = turn(memories, "The bakery opens at seven.", role="user")
    summary = turn(memories, "user: Quentomar hides", role="summary", folds=[one, two])
    soon = memories.now()
    clock.advance(hours=-1)
    [other] = memories.store.get([two])
    folded = replace(other, data={**other.data, "folded": summary}, expires_at=soon)
    memories.store.put([folded], None, memories.now())
    receipt = erase_memories(memories, memories.store.get([one]))
    assert receipt.derived == [summary] and receipt.rebuilt == []
    [left] = memories.store.get([two])
    assert left.expires_at is None and "folded" not in left.data


@pytest.mark.parametrize(
    ("expires", "ended", "is_freed"),
    [(9, False, True), (None, False, True), (-9, False, False), (9, True, False)],
)
def test_only_a_turn_that_lives_is_freed_of_a_summary_that_goes(
    memories: Memories, expires: int | None, ended: bool, is_freed: bool
) -> None:
    one = turn(memories, "Quentomar hides the vermeilion ledger.", role="user")
    two = turn(memories, "The bakery opens at seven.", role="user")
    summary = turn(memories, "user: Quentomar hides", role="summary", folds=[one, two])
    [other], now = memories.store.get([two]), memories.now()
    expires_at = now + timedelta(days=expires) if expires else None
    folded = replace(other, data={**other.data, "folded": summary}, expires_at=expires_at)
    if ended:
        folded = as_ended(folded, now, "forgotten", "not any more")
    memories.store.put([folded], None, now)
    assert erase_memories(memories, memories.store.get([one])).derived == [summary]
    [left] = memories.store.get([two])
    assert ("folded" not in left.data and left.expires_at is None) is is_freed


def test_what_was_made_from_others_too_and_says_nothing_of_it_stays(memories: Memories) -> None:
    one = memories.remember("Quentomar hides the vermeilion ledger")
    two = memories.remember("the bakery opens at seven")
    stays = memories.remember(Draft(text="the bakery is open early", data={"cites": [one.id, two.id]}))
    goes = memories.remember(Draft(text="somebody called Quentomar bakes", data={"cites": [one.id, two.id]}))
    assert erase_memories(memories, [one]).derived == [goes.id]
    assert memories.find(stays.id).text == "the bakery is open early"


def test_a_word_that_only_it_had_goes_from_the_notes_and_is_named_elsewhere(
    memories: Memories, own_home: Path
) -> None:
    """Not the text, only a word of it, stands in what memcli noted by itself, and in what its owner wrote."""
    kept = memories.remember(TEXT)
    memories.remember("the floor of the hall is made of oak")
    now = memories.now()
    blocks.put_block(memories, "house", "ask Quentomar about the hall")
    for key, asked in (("a", "where does Quentomar live"), ("b", "what is under the floor")):
        entry = {"action": asked, "decision": "allowed", "ledger": "a name of a field"}
        memories.store.put_state(State("default", "policy-check", key, entry, 1, now, now))
        memories.store.put_state(State("elsewhere", "policy-check", key, entry, 1, now, now))
    receipt = erase_memories(memories, [kept])
    assert receipt.states == ["policy-check/a"] and receipt.shared == ["block/house"] and receipt.verified
    assert [state.key for state in memories.store.states(("elsewhere",))] == ["a", "b"]
