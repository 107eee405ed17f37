"""A signal does to a call that a child does what it does to one that runs by itself."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import time
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import MEM
from tests.terminals import all_shown
from tests.warm.keepers import Keeper, cold, wait_until


def _has_begun_more_than(keeper: Keeper, calls: int) -> bool:
    return keeper.calls > calls


def waiting(keeper: Keeper, **options: Any) -> subprocess.Popen[bytes]:
    """A call that a child is doing, and that waits for its stdin."""
    for _ in range(20):
        before = keeper.calls
        call = subprocess.Popen(
            [MEM, "remember", "-"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options,
        )  # fmt: skip
        with suppress(AssertionError):
            wait_until(partial(_has_begun_more_than, keeper, before), 10)
            return call
        # On a busy machine it may answer too late, and the call runs cold.
        call.kill()
        call.communicate()
    raise AssertionError("no call was taken over")


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGALRM", "SIGKILL"])
def test_it_ends_the_call_as_it_would(keeper: Keeper, name: str) -> None:
    number = getattr(signal, name)
    call = waiting(keeper)
    call.send_signal(number)
    # Its stdin stays open until it has ended: a child that reads the end of it first has nothing to remember.
    call.wait(timeout=60)
    _, said = call.communicate(timeout=60)
    assert call.returncode == (130 if name == "SIGINT" else -number) and b"Traceback" not in said
    wait_until(lambda: len(keeper.children()) <= 1)
    wait_until(lambda: keeper.one()["at_work"] == 0)


def test_what_a_caller_was_started_to_ignore_is_ignored(keeper: Keeper) -> None:
    call = waiting(keeper, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    call.send_signal(signal.SIGHUP)
    time.sleep(0.2)
    out, _ = call.communicate(b"I drink tea\n", timeout=60)
    assert call.returncode == 0 and len(out.strip()) == 26


def test_ctrl_z_stops_both_and_both_go_on(keeper: Keeper) -> None:
    call = waiting(keeper, process_group=0)
    child = keeper.only_child()
    call.send_signal(signal.SIGTSTP)
    _, status = os.waitpid(call.pid, os.WUNTRACED)
    assert os.WIFSTOPPED(status)
    wait_until(lambda: _state(child) == "T")
    call.send_signal(signal.SIGCONT)
    wait_until(lambda: _state(child) != "T")
    out, _ = call.communicate(b"I drink tea\n", timeout=60)
    assert call.returncode == 0 and len(out.strip()) == 26


def test_a_child_that_is_killed_is_a_call_that_is_killed(keeper: Keeper) -> None:
    call = waiting(keeper)
    child = keeper.only_child()
    os.kill(child, signal.SIGKILL)
    assert b"on record" in call.communicate(timeout=60)[1] and call.returncode == -signal.SIGKILL
    with keeper.taking_over(1):
        keeper.mem("list")


def test_a_keeper_that_is_killed_loses_no_call(keeper: Keeper) -> None:
    call = waiting(keeper)
    os.kill(keeper.one_process(), signal.SIGKILL)
    time.sleep(0.1)
    out, said = call.communicate(b"I drink tea\n", timeout=60)
    assert (call.returncode, said) == (0, b"") and len(out.strip()) == 26
    assert keeper.mem("list", env=cold()).stdout.count("I drink tea") == 1


def test_who_is_lost_with_the_keeper_is_told_so_and_not_run_again(keeper: Keeper) -> None:
    call = waiting(keeper)
    child = keeper.only_child()
    os.kill(keeper.one_process(), signal.SIGKILL)
    os.kill(child, signal.SIGKILL)
    _, said = call.communicate(b"I drink tea\n", timeout=60)
    assert call.returncode == -signal.SIGKILL and b"whether it was done is not known" in said
    assert "I drink tea" not in keeper.mem("list", env=cold()).stdout


def test_a_keeper_that_is_told_to_go_lets_calls_end(keeper: Keeper) -> None:
    call = waiting(keeper)
    process = keeper.one_process()
    os.kill(process, signal.SIGTERM)
    wait_until(lambda: not (keeper.folder / "memcli").exists())
    out, _ = call.communicate(b"I drink tea\n", timeout=60)
    assert call.returncode == 0 and len(out.strip()) == 26
    wait_until(lambda: not Path(f"/proc/{process}").exists())


def test_ctrl_c_at_a_terminal_ends_the_call(keeper: Keeper) -> None:
    before = keeper.calls
    process, terminal = pty.fork()
    if process == 0:
        os.execv(MEM, [str(MEM), "remember", "-"])
    wait_until(lambda: keeper.calls > before)
    os.write(terminal, b"\x03")
    shown, status = _to_its_end(process, terminal)
    assert os.waitstatus_to_exitcode(status) == 130 and b"Traceback" not in shown


def test_text_is_typed_at_a_terminal(keeper: Keeper) -> None:
    before = keeper.calls
    process, terminal = pty.fork()
    if process == 0:
        os.execv(MEM, [str(MEM), "remember", "-"])
    wait_until(lambda: keeper.calls > before)
    os.write(terminal, b"I drink tea\n\x04")
    _, status = _to_its_end(process, terminal)
    assert os.waitstatus_to_exitcode(status) == 0
    assert "I drink tea" in keeper.mem("list").stdout


def test_a_passphrase_is_asked_for_at_the_callers_terminal(keeper: Keeper, own_home: Path) -> None:
    key = own_home / "key"
    key.write_text("correct horse battery staple\n")
    key.chmod(0o600)
    assert keeper.mem("remember", "I drink tea").returncode == 0
    done = keeper.mem("encrypt", "--key-file", str(key), env=cold())
    assert done.returncode == 0, done.stderr
    assert keeper.mem("config", "unset", "key_file", env=cold()).returncode == 0
    for piped in ("", "| cat"):
        shown = []
        for env in ({**os.environ}, cold()):
            process, terminal = pty.fork()
            if process == 0:
                os.execve(
                    "/bin/sh",
                    ["sh", "-c", f'"{MEM}" recall --words tea --no-touch {piped}'],
                    {**env, "COLUMNS": "80"},
                )
            said = b""
            while b"Passphrase" not in said:
                said += os.read(terminal, 1024)
            time.sleep(0.3)
            os.write(terminal, b"correct horse battery staple\n")
            rest, _ = _to_its_end(process, terminal)
            shown.append(said + rest)
        assert shown[0] == shown[1] and b"I drink tea" in shown[0] and b"horse" not in shown[0]


def test_no_key_and_no_memory_stays_in_the_keeper(keeper: Keeper, own_home: Path) -> None:
    key = own_home / "key"
    key.write_text("zanzibar mulberry 7741\n")
    key.chmod(0o600)
    env = {**os.environ, "MEMCLI_KEY_FILE": str(key), "OPENAI_API_KEY": "quagmire-secret-token"}
    with keeper.taking_over(4):
        assert keeper.mem("remember", "The xylophone of Ermintrude is teal").returncode == 0
        assert keeper.mem("encrypt", "--key-file", str(key)).returncode == 0
        found = keeper.mem("recall", "what colour is the xylophone?", env=env)
        assert "teal" in found.stdout
        assert keeper.mem("list", env=env).returncode == 0
    held = _memory(keeper.one_process())
    assert b"all-MiniLM-L6-v2" in held
    for text in (b"Ermintrude", b"xylophone", b"zanzibar", b"quagmire", os.fsencode(os.environ["MEMCLI_DB"])):
        assert text not in held


def _memory(process: int) -> bytes:
    held: list[bytes] = []
    with Path(f"/proc/{process}/mem").open("rb", 0) as memory:
        for line in Path(f"/proc/{process}/maps").read_text().splitlines():
            span, modes, *_ = line.split()
            if modes.startswith("rw"):
                start, end = (int(each, 16) for each in span.split("-"))
                memory.seek(start)
                held.append(memory.read(end - start))
    return b"".join(held)


def _state(process: int) -> str:
    return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]


def _to_its_end(process: int, terminal: int) -> tuple[bytes, int]:
    shown = all_shown(terminal)
    os.close(terminal)
    return shown, os.waitpid(process, 0)[1]
