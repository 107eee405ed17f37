"""Many calls at once, a keeper that is killed at any instant, and callers that are not its owner."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from memcli.warm import client, peers, place
from tests.conftest import MEM
from tests.warm.keepers import Keeper, cold, processes_at, python, wait_until

# Seconds after a call began: before it is heard of, while it is handed over, while it is done, after it.
_MOMENTS = (0.0, 0.03, 0.1, 0.22)
# Many times more than there are processors.
_AT_ONCE = 20


def test_many_calls_at_once_are_as_many_calls(keeper: Keeper) -> None:
    assert keeper.mem("remember", "I drink tea").returncode == 0
    calls = [
        subprocess.Popen(
            [MEM, "remember", f"Locker {number} opens with its key"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )
        for number in range(_AT_ONCE)
    ]  # fmt: skip
    said = [call.communicate(timeout=200) for call in calls]
    assert [call.returncode for call in calls] == [0] * _AT_ONCE, said
    listed = keeper.mem("list", "-n", "100", env=cold()).stdout
    assert all(listed.count(f"Locker {number} ") == 1 for number in range(_AT_ONCE))
    assert keeper.one()["answers"] and len(processes_at(keeper.folder)) == 1
    wait_until(lambda: len(keeper.children()) <= 1)  # the spare one


def test_a_keeper_killed_at_any_instant_costs_no_write_and_doubles_none(keeper: Keeper) -> None:
    keeper.mem("remember", "I drink tea")
    for number, moment in enumerate(_MOMENTS):
        process = keeper.start()["pid"]
        call = subprocess.Popen(
            [MEM, "remember", f"Locker {number} opens with its key"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        time.sleep(moment)
        os.kill(process, signal.SIGKILL)
        out, said = call.communicate(timeout=120)
        assert call.returncode == 0 and len(out.strip()) == 26, said
        listed = keeper.mem("list", "-n", "100", env=cold()).stdout
        assert listed.count(f"Locker {number} ") == 1


def test_keeper_and_child_killed_at_any_instant_is_done_once_or_told(keeper: Keeper) -> None:
    keeper.mem("remember", "I drink tea")
    for number, moment in enumerate(_MOMENTS):
        process = keeper.start()["pid"]
        call = subprocess.Popen(
            [MEM, "remember", f"Locker {number} opens with its key"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        time.sleep(moment)
        doomed = [process, *keeper.children()] if processes_at(keeper.folder) else [process]
        for each in doomed:
            with suppress(ProcessLookupError):
                os.kill(each, signal.SIGKILL)
        _, said = call.communicate(timeout=120)
        count = keeper.mem("list", "-n", "100", env=cold()).stdout.count(f"Locker {number} ")
        assert (call.returncode == 0 and count == 1) or (call.returncode == -9 and count <= 1), said


@pytest.mark.skipif(os.geteuid() != 0, reason="becoming another user wants root")
def test_another_user_is_not_served_and_does_not_call(keeper: Keeper) -> None:
    # As open as a mistake could make it.
    for path, mode in ((keeper.folder, 0o755), (keeper.folder / "memcli", 0o755)):
        path.chmod(mode)
    [listener] = (keeper.folder / "memcli").glob("*.sock")
    listener.chmod(0o777)
    code = """
import os, socket, sys
os.setgroups([]); os.setgid(65534); os.setuid(65534)
line = socket.socket(socket.AF_UNIX); line.settimeout(20); line.connect(sys.argv[1])
try:
    said = line.recv(1)
except ConnectionResetError:
    said = b""
print(said)
"""
    assert python(code, str(listener)).stdout == "b''\n"
    (keeper.folder / "memcli").chmod(0o700)
    code = """
import os, sys
from memcli.warm import place
print(place.is_private(sys.argv[1]))
os.setgroups([]); os.setgid(65534); os.setuid(65534)
print(place.is_private(sys.argv[1]))
"""
    assert python(code, str(keeper.folder / "memcli")).stdout == "True\nFalse\n"


@pytest.mark.skipif(sys.platform != "linux", reason="asks the Linux kernel")
def test_a_sandboxed_caller_runs_by_itself(keeper: Keeper) -> None:
    given_up = (
        "import ctypes, os, sys; ctypes.CDLL(None).prctl(38, 1, 0, 0, 0); os.execv(sys.argv[1], sys.argv[1:])"
    )
    keeper.mem("remember", "I drink tea")
    with keeper.taking_over(0):
        done = python(given_up, str(MEM), "recall", "tea")
        assert done.returncode == 0 and "I drink tea" in done.stdout


@pytest.mark.skipif(os.geteuid() != 0 or sys.platform != "linux", reason="making a world of files wants root")
def test_who_stands_in_another_world_of_files_runs_by_itself(keeper: Keeper) -> None:
    with keeper.taking_over(0):
        done = subprocess.run(["unshare", "-m", MEM, "path"], capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr


def test_our_own_authority_is_our_own() -> None:
    assert peers.has_our_authority(os.getpid())
    assert not peers.has_our_authority(2**22 + 1)


@pytest.mark.parametrize(
    "said", [b"", b"\0", b"\0\0\0\4stop"[:6], b"\xff\xff\xff\xff", b"\0\0\0\4call", b"GET / HTTP/1.0\r\n\r\n"]
)
def test_nonsense_at_the_socket_hurts_nobody(keeper: Keeper, said: bytes) -> None:
    [listener] = (keeper.folder / "memcli").glob("*.sock")
    with socket.socket(socket.AF_UNIX) as line:
        line.settimeout(20)
        line.connect(str(listener))
        assert line.recv(1) == b"H"
        line.sendall(said)
        with keeper.taking_over(1):
            assert keeper.mem("path").returncode == 0
    wait_until(lambda: len(keeper.children()) <= 1)  # the spare one


def test_a_socket_that_nobody_reads_delays_nobody(none: Keeper) -> None:
    folder = none.folder / "memcli"
    folder.mkdir(mode=0o700)
    name = python("from memcli.warm import place; print(place.name_of(place.identity()))").stdout.strip()
    with socket.socket(socket.AF_UNIX) as deaf:
        deaf.bind(f"{folder}/{name}.sock")
        deaf.listen(1)
        assert none.mem("remember", "I drink tea").returncode == 0
        assert "I drink tea" in none.mem("recall", "tea").stdout


def test_the_kernel_says_who_is_at_the_other_end() -> None:
    one, other = socket.socketpair()
    with one, other:
        assert client.peer(one) == (os.getpid(), os.geteuid())


def test_a_name_is_short_and_of_the_whole_identity(monkeypatch: pytest.MonkeyPatch, own_home: Path) -> None:
    before = place.name_of(place.identity())
    assert len(before) < 40 and before == place.name_of(place.identity())
    (own_home / "config.toml").write_text('limit = 3\nmodel = "/some/model"\n')
    other = place.name_of(place.identity())
    (own_home / "config.toml").write_text('limit = 4\nmodel = "/some/model"\n')
    assert before != other == place.name_of(place.identity())
    monkeypatch.setenv("MEMCLI_MODEL", "another")
    assert place.name_of(place.identity()) not in (before, other)


def test_a_child_waits_for_the_next_call_and_does_one_only(keeper: Keeper) -> None:
    keeper.mem("remember", "I drink tea")
    spare = keeper.only_child()
    with keeper.taking_over(2):
        assert "I drink tea" in keeper.mem("recall", "tea").stdout
        wait_until(lambda: not Path(f"/proc/{spare}").exists())
        spare = keeper.only_child()
        os.kill(spare, signal.SIGKILL)
        assert "I drink tea" in keeper.mem("recall", "tea").stdout


def test_a_spare_child_ends_with_its_keeper(keeper: Keeper) -> None:
    spare = keeper.only_child()
    os.kill(keeper.one_process(), signal.SIGKILL)
    wait_until(lambda: not Path(f"/proc/{spare}").exists())


@pytest.mark.skipif(sys.platform != "linux", reason="asks the Linux kernel")
def test_the_pages_of_a_call_are_had_before_it() -> None:
    code = """
import os, resource
from memcli.warm import pages
words = [str(number) for number in range(200_000)]
def call(): return sum(map(len, words)), [word for word in words]
used = pages.used_by(call)
def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    call()
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before
for had in ([], used):
    child = os.fork()
    if not child:
        pages.have(had)
        print(faults(), pages.own_size(had), flush=True)
        os._exit(0)
    os.waitpid(child, 0)
"""
    (without, _), (with_them, size) = (map(int, line.split()) for line in python(code).stdout.splitlines())
    assert with_them < without / 2 and size > 1 << 20


@pytest.mark.skipif(sys.platform != "linux", reason="asks the Linux kernel")
def test_room_for_what_a_call_makes_is_had_before_it() -> None:
    code = """
import os, resource
from memcli.warm import pages
def call(): return [len(bytearray(1 << 20)) for _ in range(20)]
used = pages.used_by(call)
for had in ([], used):
    child = os.fork()
    if not child:
        pages.have(had)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        call()
        print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before, flush=True)
        os._exit(0)
    os.waitpid(child, 0)
"""
    without, with_them = map(int, python(code).stdout.split())
    # Without room each of the twenty has its own 256 pages, and with one that is not had they share these.
    assert with_them < 100 < without < 1000


def test_what_a_note_of_use_leaves_in_the_log_is_written_into_the_file(
    keeper: Keeper, own_home: Path
) -> None:
    keeper.mem("remember", "I drink tea")
    with keeper.taking_over(1):
        assert "I drink tea" in keeper.mem("recall", "tea").stdout
    wait_until(lambda: not [*own_home.rglob("*-wal")])
    assert keeper.mem("doctor", env=cold()).returncode == 0
