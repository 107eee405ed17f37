"""Nothing of memcli opens a connection; and the guard that says so for the whole suite would notice one."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import MEM, Run

REACHING = (
    "import socket; socket.create_connection(('127.0.0.1', 9))",
    "import socket; socket.getaddrinfo('example.org', 443)",
    "import socket; socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)",
    "import urllib.request as r; r.urlopen('http://127.0.0.1:9/')",
    "import asyncio; asyncio.run(asyncio.open_connection('127.0.0.1', 9))",
    # Who swallows the refusal is noted all the same.
    "import contextlib, socket\nwith contextlib.suppress(Exception): socket.socket()",
)


@pytest.mark.parametrize("program", REACHING)
def test_a_program_that_reaches_for_the_network_is_caught(program: str, no_network: Path) -> None:
    subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=60)
    assert no_network.read_text().strip()
    no_network.unlink()


def test_the_suite_s_own_process_is_watched(no_network: Path) -> None:
    with pytest.raises(PermissionError):
        socket.socket(socket.AF_INET)
    no_network.unlink()


def test_what_stays_on_the_machine_is_let_through() -> None:
    subprocess.run([sys.executable, "-c", "import socket; socket.socketpair()"], check=True, timeout=60)


LIFE = (
    ("remember", "I drink tea"),
    ("remember", "--kind", "episode", "the harbour was closed on Monday"),
    ("recall", "what do I drink?"),
    ("context",),
    ("log", "hello"),
    ("consolidate",),
    ("export",),
    ("doctor",),
    ("forget", "--hard", "--query", "tea", "--yes"),
)


def strace_works() -> bool:
    """Whether it is there, and may trace here (a container may forbid it)."""
    if not shutil.which("strace"):
        return False
    return subprocess.run(["strace", "-qq", "true"], capture_output=True).returncode == 0


@pytest.mark.skipif(not strace_works(), reason="strace is not there, or may not trace here")
def test_no_system_call_of_a_life_with_the_real_model_opens_a_connection(mem: Run, tmp_path: Path) -> None:
    assert mem("path").returncode == 0  # the model is compiled by now
    trace = tmp_path / "trace"
    traced = ["strace", "-f", "-qq", "-A", "-o", str(trace), "-e", "trace=socket,connect,sendto,bind"]
    for call in LIFE:
        done = subprocess.run([*traced, MEM, *call], capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, (call, done.stderr)
    assert not [line for line in trace.read_text().splitlines() if "AF_INET" in line]


@pytest.mark.skipif(not strace_works(), reason="strace is not there, or may not trace here")
def test_strace_would_show_one(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    dialling = ["perl", "-MSocket", "-e", "socket(S, PF_INET, SOCK_STREAM, 0)"]
    if not shutil.which("perl"):
        pytest.skip("no program at hand that opens a socket without Python")
    subprocess.run(["strace", "-f", "-qq", "-o", str(trace), "-e", "trace=socket", *dialling], timeout=60)
    assert "AF_INET" in trace.read_text()
