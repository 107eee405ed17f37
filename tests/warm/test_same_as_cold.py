"""What a caller gets from a child of the keeper is what the call itself would have given, byte for byte."""

from __future__ import annotations

import json
import os
import pty
import re
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import MEM, Run
from tests.terminals import all_shown
from tests.warm.keepers import Keeper, cold, wait_until

_NOTES = """\
The staging server listens on port 8443
Ann Miller works at Acme and prefers tea to coffee
Never deploy on Fridays
Grüße aus Köln \u202e verborgen
"""
_READING = [
    ["recall", "which port does staging use?", "--no-touch"],
    ["recall", "which port does staging use?", "--no-touch", "--json"],
    ["recall", "which port does staging use?", "--no-touch", "--format", "table", "--explain"],
    ["recall", "what does Ann prefer?", "--no-touch", "--format", "text", "--budget", "60"],
    ["recall", "quantum chromodynamics", "--no-touch"],
    ["recall", "--words", "deploy", "--no-touch"],
    ["recall", "--since", "tomorrow", "--until", "yesterday"],
    ["context"],
    ["list"],
    ["list", "--json"],
    ["list", "--tag", "stagin"],
    ["similar", "no-such-id"],
    ["show", "no-such-id", "--json"],
    ["stats"],
    ["stats", "--json"],
    ["history"],
    ["profile"],
    ["doctor"],
    ["export"],
    ["policy", "check", "deploy on Friday"],
    ["graph", "show", "Ann"],
    ["config", "get", "limit"],
    ["model"],
    ["path"],
    ["help"],
    ["help", "recall"],
    ["--help"],
    ["--version"],
    [],
    ["nonsense"],
    ["recall", "--nonsense"],
    ["show", "bad\udcff"],
    ["completions", "bash"],
    ["--db", "/no/such/place/memory.db", "list"],
    ["import", "/no/such/file"],
]


@pytest.fixture
def filled(keeper: Keeper) -> Keeper:
    """A keeper, and a store with a few notes."""
    done = keeper.mem("remember", "--batch", input=_NOTES)
    assert done.returncode in (0, 3), done.stderr
    # What a first look works out, and keeps, is there.
    keeper.mem("recall", "which port does staging use?")
    return keeper


def test_streams_and_statuses_are_the_same_in_a_pipe(filled: Keeper) -> None:
    with filled.taking_over(len(_READING)):
        for arguments in _READING:
            one, other = (_said(arguments, env) for env in (cold(), None))
            told = (one.returncode, _plain(one.stdout), _plain(one.stderr))
            assert (other.returncode, _plain(other.stdout), _plain(other.stderr)) == told, arguments


def test_they_are_the_same_at_a_terminal(filled: Keeper) -> None:
    rows = [row for row in _READING if not {"help", "list"} & {*row} and row[:1] != ["doctor"]]
    with filled.taking_over(len(rows)):
        for arguments in rows:
            assert _plain(_at_terminal(arguments, None)[1]) == _plain(_at_terminal(arguments, cold())[1]), (
                arguments
            )


def test_what_comes_in_by_a_pipe_comes_in(keeper: Keeper) -> None:
    with keeper.taking_over(4):
        assert keeper.mem("remember", "-", input="from a dash\n").returncode == 0
        assert keeper.mem("remember", input="from a pipe\n").returncode == 0
        assert keeper.mem("remember", "--batch", input="one line\nanother line\n").returncode == 0
        assert keeper.mem("recall", input="what came from a pipe?").returncode == 0
    shown = keeper.mem("list", env=cold()).stdout
    assert all(text in shown for text in ("from a dash", "from a pipe", "one line", "another line"))


def test_stdin_is_left_alone_where_words_are_given(keeper: Keeper) -> None:
    script = f'while read line; do "{MEM}" remember "got $line" >/dev/null; done; "{MEM}" list'
    with keeper.taking_over(4):
        done = subprocess.run(
            ["bash", "-c", script], input="one\ntwo\nthree\n", text=True, capture_output=True, timeout=90
        )
    assert sorted(line.split("got ")[1] for line in done.stdout.splitlines()) == ["one", "three", "two"]


def test_descriptors_of_the_shell_reach_it(filled: Keeper, tmp_path: Path) -> None:
    exported = tmp_path / "notes.jsonl"
    filled.mem("export", "-o", str(exported), env=cold())
    script = f'"{MEM}" --db {tmp_path}/new.db import <(cat "{exported}") 7>&1'
    with filled.taking_over(2):
        done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=90)
        assert done.returncode == 0, done.stderr
        listed = filled.mem("--db", f"{tmp_path}/new.db", "list", "--json")
    assert "port 8443" in listed.stdout


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-"])
def test_closed_streams_stay_closed(filled: Keeper, closed: str) -> None:
    for command in (f'"{MEM}" list {closed}', f'"{MEM}" remember {closed}', f'"{MEM}" show x {closed}'):
        run: dict[str, Any] = {"capture_output": True, "timeout": 90, "stdin": subprocess.DEVNULL}
        with filled.taking_over(1):
            warm = subprocess.run(["bash", "-c", command], **run)
        plain = subprocess.run(["bash", "-c", command], **run, env=cold())
        assert (warm.returncode, warm.stdout, warm.stderr) == (plain.returncode, plain.stdout, plain.stderr)


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="no /proc here")
@pytest.mark.parametrize("closed", ["2>&-", ">&- 2>&-", "<&- >&- 2>&-"])
def test_no_file_comes_under_the_number_of_a_closed_stream(filled: Keeper, closed: str) -> None:
    held, log = filled.folder / "held", filled.folder / "log.jsonl"
    looking = f"sh -c 'readlink /proc/$PPID/fd/0 /proc/$PPID/fd/1 /proc/$PPID/fd/2 > {held}; printf 1.2.3'"
    asked = f'"{MEM}" recall "which port does staging use?" --answer --llm "$LLM"'
    with filled.taking_over(1):
        subprocess.run(
            ["bash", "-c", f"{asked} </dev/null >/dev/null {closed}"],
            env={**os.environ, "LLM": looking, "MEMCLI_LOG": str(log)}, timeout=90,
        )  # fmt: skip
    assert held.read_text().split() == ["/dev/null"] * 3
    assert log.read_text().count("\n") == 1 and log.read_text().startswith('{"at":')


def test_a_reader_that_has_seen_enough_is_no_error(filled: Keeper) -> None:
    export = f'"{MEM}" export'
    script = f"set -o pipefail; (for i in 1 2 3; do {export}; done) | head -1 >/dev/null; {export} | head -1"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=90)
    assert (done.returncode, done.stderr) == (0, "") and done.stdout.count("\n") == 1


def test_a_full_disk_is_told_of(filled: Keeper) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    for env in (None, cold()):
        with Path("/dev/full").open("w") as full:
            done = filled.mem("list", capture_output=False, stdout=full, stderr=subprocess.PIPE, env=env)
        assert done.returncode == 2 and "cannot be written" in done.stderr


def test_folder_umask_and_environment_are_the_callers(filled: Keeper, tmp_path: Path) -> None:
    env = {
        **os.environ,
        "TZ": "Asia/Tokyo",
        "MEM": str(MEM),
        "MEMCLI_ORIGIN": "notes",
        "MEMCLI_SPACE": "abroad",
    }
    script = 'umask 000; $MEM remember "I live in Tokyo" && $MEM export -o here.jsonl && $MEM list --json'
    with filled.taking_over(3):
        done = subprocess.run(
            ["bash", "-c", script], cwd=tmp_path, env=env, capture_output=True, text=True, timeout=90
        )
    assert done.returncode == 0 and '"origin":"notes"' in done.stdout and '"space":"abroad"' in done.stdout
    assert (tmp_path / "here.jsonl").stat().st_mode & 0o777 == 0o600
    # The next one is the owner's again, in the default space.
    assert "Tokyo" not in filled.mem("list").stdout


def test_a_folder_that_is_gone_is_gone_for_it_too(filled: Keeper, tmp_path: Path) -> None:
    script = f'mkdir gone; cd gone; rmdir ../gone; "{MEM}" export -o here.jsonl'
    told = [
        subprocess.run(["bash", "-c", script], cwd=tmp_path, env=env, capture_output=True, timeout=90)
        for env in (None, cold())
    ]
    assert told[0].returncode == told[1].returncode != 0 and told[0].stderr == told[1].stderr


def test_limits_are_the_callers(filled: Keeper) -> None:
    for env in (None, cold()):
        done = filled.mem(
            "remember", "I drink tea", env=env,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)),
        )  # fmt: skip
        assert done.returncode == 4, done
    assert "I drink tea" not in filled.mem("list", env=cold()).stdout


def test_a_call_with_less_memory_than_the_keeper_runs_by_itself(filled: Keeper) -> None:
    for limit in (resource.RLIMIT_AS, resource.RLIMIT_DATA):
        with filled.taking_over(0):
            done = filled.mem("path", preexec_fn=lambda limit=limit: _lowered(limit))
            assert done.returncode == 0, done


def _lowered(limit: int) -> None:
    resource.setrlimit(limit, (4 << 30, resource.getrlimit(limit)[1]))


def test_niceness_is_the_callers(filled: Keeper) -> None:
    log = filled.folder / "log"
    command = f"sh -c 'nice > {log}; printf 1.2.3'"
    for env in (None, cold()):
        asked = ["recall", "which port does staging use?", "--answer", "--llm", command]
        filled.mem(*asked, env=env, preexec_fn=lambda: os.nice(7))
        assert int(log.read_text()) == os.nice(0) + 7
        log.unlink()


def test_two_calls_share_neither_ids_nor_randomness(keeper: Keeper) -> None:
    with keeper.taking_over(6):
        ids = [keeper.mem("remember", f"Locker {number} opens with a key").stdout for number in range(6)]
    assert len({each[10:].strip() for each in ids}) == 6


def test_sqlite_in_two_children_gives_out_different_numbers() -> None:
    code = """
import os, sys
import sqlcipher3.dbapi2 as sqlite
from pathlib import Path
folder = sys.argv[1]
first = sqlite.connect(folder + "/warm-up.db")
first.execute("CREATE TABLE t AS SELECT randomblob(8)")
first.close()
for number in range(2):
    if os.fork() == 0:
        db = sqlite.connect(f"{folder}/{number}.db")
        print(db.execute("SELECT hex(randomblob(16))").fetchone()[0], flush=True)
        os._exit(0)
    os.wait()
"""
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, "-c", code, folder], capture_output=True, text=True, timeout=60, check=True
        )
    assert len(set(done.stdout.split())) == 2


def test_the_calls_of_the_suite_go_to_its_keeper(mem: Run, request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--cold"):
        assert mem("warm", "status", "--json").stdout == ""
        return

    def calls() -> int:
        told: dict[str, int] = json.loads(mem("warm", "status", "--json").stdout)
        return told["calls"]

    before = calls()
    # On a busy machine it may answer too late, and the call runs cold.
    wait_until(lambda: mem("path").returncode == 0 and calls() > before)


def _said(arguments: list[str], environment: dict[str, str] | None) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [MEM, *arguments], capture_output=True, stdin=subprocess.DEVNULL, timeout=90, env=environment
    )


def _plain(said: bytes) -> bytes:
    """What differs between any two calls left out: times of day, and how long something took."""
    said = re.sub(rb"\d+(\.\d+)? (ms|s)\b", b"TIME", said)
    return re.sub(rb"\d{4}-\d\d-\d\dT[\d:.]+Z", b"INSTANT", said)


def _at_terminal(
    arguments: list[str], environment: dict[str, str] | None, typed: bytes = b""
) -> tuple[int, bytes]:
    """Exit status and what is shown of a command at a terminal of its own."""
    process, terminal = pty.fork()
    if process == 0:
        try:
            os.execve(MEM, [str(MEM), *arguments], {**(environment or os.environ), "COLUMNS": "90"})
        finally:
            os._exit(70)
    if typed:
        os.write(terminal, typed)
    shown = all_shown(terminal)
    _, status = os.waitpid(process, 0)
    os.close(terminal)
    return os.waitstatus_to_exitcode(status), shown
