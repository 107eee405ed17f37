"""`mem watch`: each change once, in order, as it comes; and it ends when nobody listens any more."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from memcli.changes.feed import Watch, last_number
from memcli.changes.revision import edit_memory
from memcli.errors import StoreUnreachable
from memcli.memories import Memories
from tests.conftest import MEM, Run, make_memories
from tests.erasure import erase_memories

pytestmark = pytest.mark.skipif(os.name == "nt", reason="it ends there with its console alone")
# Whoever is slower than this (seconds) hangs.
_PATIENCE = 60


@contextmanager
def watching(*arguments: str, **options: Any) -> Iterator[subprocess.Popen[str]]:
    """`mem watch` at work: its lines on stdout, no input."""
    given = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen([MEM, "watch", *arguments], **{**given, **options}, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def line(process: subprocess.Popen[str]) -> dict[str, Any]:
    assert process.stdout
    record: dict[str, Any] = json.loads(process.stdout.readline())
    return record


def test_changes_come_as_they_are_made_by_others(mem: Run) -> None:
    first = mem("remember", "I drink green tea").stdout.strip()
    with watching("--since", "today") as process:
        told = line(process)
        assert (told["id"], told["action"], told["space"], told["version"]) == (first, "add", "default", 1)
        second = mem("remember", "My cat is called Tom").stdout.strip()
        assert mem("edit", first, "--importance", "0.9").returncode == 0
        assert mem("remember", "Elsewhere I drink coffee", "--space", "other").returncode == 0
        assert mem("forget", second).returncode == 0
        came = [line(process) for _ in range(3)]
        process.send_signal(signal.SIGINT)
        assert process.wait(_PATIENCE) == 0
        assert process.stderr and process.stderr.read() == ""
    assert [(each["id"], each["action"], each["version"]) for each in came] == [
        (second, "add", 1), (first, "edit", 2), (second, "end", 2),
    ]  # fmt: skip
    with watching("--all-spaces", "--after", str(told["number"])) as process:
        again = [line(process) for _ in range(4)]
    assert [each for each in again if each["space"] == "default"] == came
    assert [each["number"] for each in again] == sorted(each["number"] for each in again)


def test_without_since_only_what_comes_is_told(mem: Run) -> None:
    old = mem("remember", "I drink green tea").stdout.strip()
    made = [old]
    with watching() as process:
        for number in range(200):  # until it has begun
            made.append(mem("remember", f"Number {number} is {number * 7}").stdout.strip())
            assert process.stdout
            os.set_blocking(process.stdout.fileno(), False)
            if said := process.stdout.readline():
                break
        assert json.loads(said)["id"] in made[1:]


def test_it_ends_with_its_reader_its_input_and_a_signal(mem: Run) -> None:
    assert mem("remember", "I drink green tea").returncode == 0
    with watching("--since", "today") as process:
        line(process)
        assert process.stdout
        process.stdout.close()  # and nothing is written after that
        assert process.wait(_PATIENCE) == 0
    with watching("--since", "today", stdin=subprocess.PIPE) as process:
        line(process)
        assert process.stdin
        process.stdin.write("what is typed is nothing to it\n")
        process.stdin.flush()
        time.sleep(0.3)
        assert process.poll() is None
        process.stdin.close()
        assert process.wait(_PATIENCE) == 0
    with watching("--since", "today") as process:
        line(process)
        process.terminate()
        assert process.wait(_PATIENCE) == -signal.SIGTERM


def test_a_store_that_is_put_in_the_place_of_the_watched_one_is_watched(mem: Run, own_home: Path) -> None:
    first = mem("remember", "I drink green tea").stdout.strip()
    store = own_home / "data" / "memory.db"
    with watching("--since", "today") as process:
        assert line(process)["id"] == first
        assert mem("backup", str(own_home / "copy.db")).returncode == 0
        (own_home / "copy.db").replace(store)
        for tail in ("-wal", "-shm"):
            store.with_name(store.name + tail).unlink(missing_ok=True)
        time.sleep(1)
        second = mem("remember", "My cat is called Tom").stdout.strip()
        assert line(process)["id"] == second


def test_there_is_nothing_to_watch_without_a_store(mem: Run) -> None:
    assert mem("watch").returncode == 1


def test_of_what_was_erased_its_own_space_alone_hears(memories: Memories) -> None:
    kept, gone = memories.remember("I drink green tea"), memories.remember("My cat is called Tom")
    other = memories.in_space("other")

    after = last_number(memories)
    erase_memories(memories, [gone])
    told = [each for each in Watch(memories, after).told() if each["id"] == gone.id]
    assert [(each["action"], each["kind"], each["version"], each["space"]) for each in told] == [
        ("erase", None, None, "default")
    ]
    assert not list(Watch(other, after).told())
    everywhere = [each for each in Watch(memories, 0, all_spaces=True).told() if each["id"] == gone.id]
    assert [each["space"] for each in everywhere] == [None]
    assert next(Watch(memories, 0).told())["id"] == kept.id


def test_a_server_that_is_gone_is_told_once_and_looked_for_until_it_is_back(
    memories: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = memories.remember("I drink green tea")
    revisions: list[int | None] = [None, None, 1, None, 2, 2]
    heard: list[str] = []

    def revision(self: object) -> int:
        number = revisions.pop(0) if revisions else 2
        if number is None:
            raise StoreUnreachable("nobody answers")
        return number

    def wait(seconds: float, descriptor: int | None = None) -> bool:
        return bool(revisions)

    monkeypatch.setattr(type(memories.store), "revision", revision)
    told = [each["id"] for each in Watch(memories, 0).follow(wait, heard.append)]
    assert told == [kept.id] and len(heard) == 2
    assert all("nobody answers; waiting" in each for each in heard)
    # Whoever listens no more while it is gone ends the watch.
    revisions[:] = [None]
    assert not list(Watch(memories, 0).follow(wait))


def test_what_a_server_says_is_taken_before_the_next_look(
    memories: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    memories.remember("I drink green tea")
    done: list[object] = []

    class Listener:
        def fileno(self) -> int:
            return 7

        def drain(self) -> None:
            done.append("drained")

    def wait(seconds: float, descriptor: int | None = None) -> bool:
        done.append(descriptor)
        return len(done) < 3

    monkeypatch.setattr(type(memories.store), "listening", lambda self: nullcontext(Listener()))
    assert len(list(Watch(memories, 0).follow(wait))) == 1
    assert done == [7, "drained", 7]


def test_what_a_neighbour_did_between_two_looks_is_told_and_nothing_twice(memories: Memories) -> None:
    first, later = memories.remember("I drink green tea"), list[str]()
    looks = iter([None, "My cat is called Tom", None, "We sail on Sundays", None])

    def wait(seconds: float, descriptor: int | None = None) -> bool:
        if (said := next(looks, "")) == "":
            return False
        if said:
            with make_memories(Path(memories.store.location), memories.now) as neighbour:
                later.append(neighbour.remember(said).id)
        return True

    told = [each["id"] for each in Watch(memories, 0).follow(wait)]
    assert told == [first.id, *later] and len(later) == 2


def test_who_watches_from_now_on_hears_nothing_of_what_was_before(memories: Memories) -> None:
    assert last_number(memories) == 0
    for text in ("I drink green tea", "My cat is called Tom"):
        memories.remember(text)
    after = last_number(memories)
    assert after == max(each.number for each in memories.store.history())
    assert not list(Watch(memories, after).told())
    later = memories.remember("The boat is red")
    assert [each["id"] for each in Watch(memories, after).told()] == [later.id]


def test_each_change_is_told_with_the_version_of_the_memory_that_it_made(memories: Memories) -> None:
    kept, other = memories.remember("I drink green tea"), memories.remember("The boat is red")
    for number in range(2):
        edit_memory(memories, memories.find(kept.id), tags=[f"t{number}"])
    told = [(each["id"], each["version"]) for each in Watch(memories, 0).told()]
    assert told == [(kept.id, 1), (other.id, 1), (kept.id, 2), (kept.id, 3)]


def test_since_an_instant_is_told_what_happened_at_it_and_nothing_before(memories: Memories) -> None:
    some = [memories.remember(text).id for text in ("I drink green tea", "The boat is red", "We sail")]
    instants = [next(memories.store.history(each)).at for each in some]
    for number, instant in enumerate(instants):
        assert [each["id"] for each in Watch(memories, 0).told(instant)] == some[number:]
    assert not list(Watch(memories, 0).told(instants[-1] + timedelta(milliseconds=1)))
