"""Streams that are closed, full, or have a reader that leaves: no traceback, and what was done stands."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.conftest import MEM, Run

FULL = Path("/dev/full")
SAYS_SOMETHING = [
    "doctor",
    "doctor --repair",
    "doctor --json",
    "stats",
    "config list",
    "export",
    "--help",
    "recall",
]


def test_a_reader_that_leaves_early_is_no_error(mem: Run) -> None:
    # Several times what a pipe holds.
    mem("remember", "--batch", input="\n".join(f"fact {n} " + "x" * 500 for n in range(400)))
    done = subprocess.run(
        ["bash", "-c", f'"{MEM}" export | head -1; echo "${{PIPESTATUS[0]}}"'], capture_output=True, text=True
    )
    assert done.stderr == "" and done.stdout.splitlines()[-1] == "0"


def test_a_closed_or_full_stdout_is_no_traceback(mem: Run) -> None:
    done = subprocess.run(["bash", "-c", f'"{MEM}" config list >&-'], capture_output=True, text=True)
    assert done.returncode == 2 and done.stderr.startswith("mem: the output cannot be written"), done
    if Path("/dev/full").exists():
        with Path("/dev/full").open("w") as full:
            done = mem("config", "list", stdout=full, stderr=subprocess.PIPE, capture_output=False)
        assert done.returncode == 2 and "No space left" in done.stderr and "Traceback" not in done.stderr


@pytest.fixture
def filled(mem: Run) -> None:
    assert mem("remember", "Ann lives in Rome").returncode == 0


def shell(command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["bash", "-c", command], capture_output=True, text=True)


@pytest.mark.parametrize("command", SAYS_SOMETHING)
def test_no_command_minds_that_nobody_reads(filled: None, command: str) -> None:
    done = shell(f"(sleep 0; exec {MEM} {command}) | head -c 0")
    assert "Traceback" not in done.stderr and "rror" not in done.stderr, done


@pytest.mark.parametrize("closed", [">&-", "<&- >&-"])
@pytest.mark.parametrize("command", [*SAYS_SOMETHING, "list", "recall Ann", "recall Ann --json"])
def test_a_closed_stdout_is_one_line(filled: None, command: str, closed: str) -> None:
    done = shell(f"{MEM} {command} {closed}")
    assert done.returncode == 2 and done.stderr.count("\n") == 1, done


def test_what_was_written_is_said_to_stay_where_stdout_is_closed(filled: None, mem: Run) -> None:
    done = shell(f"{MEM} remember 'The office has three lifts' >&-")
    assert done.returncode == 2 and done.stderr.endswith("; what was written to the store stays\n")
    assert "three lifts" in mem("list").stdout
    assert "stays" not in shell(f"{MEM} list >&-").stderr
    assert "stays" not in shell(f"{MEM} remember 'The office has four lifts' --dry-run >&-").stderr
    assert "four lifts" not in mem("list").stdout


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="no /proc here")
@pytest.mark.parametrize("closed", ["2>&-", ">&- 2>&-", "<&- 2>&-", "<&- >&- 2>&-"])
def test_no_file_comes_under_the_number_of_a_closed_stream(
    filled: None, mem: Run, tmp_path: Path, closed: str
) -> None:
    # What is written to stdout or stderr by its number would else be in that file.
    held = f"-- sh -c 'for n in 0 1 2; do readlink /proc/$PPID/fd/$n; done > {tmp_path}/held'"
    command = f"MEMCLI_LOG={tmp_path}/log {MEM} checkpoint run task step"
    done = shell(f"{command} {held} </dev/null >/dev/null {closed}")
    assert done.returncode == 0
    assert (tmp_path / "held").read_text().split() == ["/dev/null"] * 3
    lines = (tmp_path / "log").read_text().splitlines()
    assert len(lines) == 1 and lines[0].startswith('{"at":')
    assert mem("doctor").returncode == 0 and "Ann lives in Rome" in mem("list").stdout


def test_with_stdout_closed_nothing_found_is_still_nothing_found(filled: None) -> None:
    assert shell(f"{MEM} recall xylophone >&-").returncode == 1
    assert shell(f"{MEM} forget xylophone >&-").returncode == 1


@pytest.mark.skipif(not FULL.exists(), reason="no full device there")
@pytest.mark.parametrize("command", SAYS_SOMETHING)
def test_a_full_stdout_is_one_line(filled: None, command: str) -> None:
    done = shell(f"{MEM} {command} >{FULL}")
    assert done.returncode == 2 and done.stderr.count("\n") == 1, done


@pytest.mark.skipif(not FULL.exists(), reason="no full device there")
def test_what_cannot_be_said_changes_no_exit_status(mem: Run) -> None:
    assert shell(f"{MEM} remember 'maybe we move to Oslo' 2>{FULL}").returncode == 0
    assert "Oslo" in mem("list").stdout
    assert shell(f"{MEM} show nothing-of-that-name 2>{FULL}").returncode == 1
    assert shell(f"{MEM} show --json nothing-of-that-name 2>{FULL}").returncode == 1
    assert shell(f"{MEM} nonsense 2>{FULL}").returncode == 2
    assert shell(f"{MEM} list >{FULL} 2>{FULL}").returncode == 2
    step = shell(f"{MEM} checkpoint run task step -- sh -c 'echo said >&2; echo done' 2>{FULL}")
    assert (step.returncode, step.stdout) == (0, "done\n")


@pytest.mark.parametrize("command", [("import",), ("session", "import")])
def test_who_imports_plain_text_hears_what_takes_it(
    mem: Run, tmp_path: Path, command: tuple[str, ...]
) -> None:
    chat = tmp_path / "chat.txt"
    chat.write_text("User: I live in Oslo\nAssistant: noted\n", encoding="utf-8")
    done = mem(*command, str(chat))
    assert done.returncode == 2 and "seems to be plain text" in done.stderr
    assert "`mem import --from text" in done.stderr and "`mem log`" in done.stderr
    assert mem("list").returncode == 1
    chat.write_text('{"role": "user", "content": "I live in Oslo"}\nno JSON\n', encoding="utf-8")
    assert "`mem log`" not in mem("session", "import", str(chat)).stderr
