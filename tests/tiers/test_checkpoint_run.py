"""`mem checkpoint` as scripts use it: real processes, signals and kills."""

from __future__ import annotations

import json
import os
import random
import shlex
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import MEM, Run

TASK = ("checkpoint", "run", "t")


class Started(subprocess.Popen[bytes]):
    """A program that does not outlive a test that fails: leaving its block would wait for it for ever."""

    def __exit__(self, failed: type[BaseException] | None, *rest: Any) -> None:
        if failed is not None:
            with suppress(OSError):
                os.killpg(self.pid, signal.SIGKILL)
            self.kill()
        super().__exit__(failed, *rest)


def started(*arguments: str) -> Started:
    """`mem` in a session of its own, so that no terminal of the tester sends it signals."""
    return Started(
        [MEM, *arguments],
        start_new_session=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def until(path: Path, holds: str) -> None:
    """Wait until a file holds a text."""
    deadline = time.monotonic() + 30
    while not (path.exists() and holds in path.read_text()):
        assert time.monotonic() < deadline, f"{path} never held {holds!r}"
        time.sleep(0.01)


def statuses(mem: Run, task: str = "t") -> dict[str, str]:
    shown = json.loads(mem("checkpoint", "show", task, "--json").stdout)
    return {step["name"]: step["status"] for step in shown["steps"]}


# Saved state


def test_state_goes_in_and_comes_out_through_pipes(mem: Run, tmp_path: Path) -> None:
    text = '{"b": 12345678901234567890123, "a": [1.10, "é"]}\n'
    assert mem("checkpoint", "save", "t", input=text).stdout == "1\n"
    assert mem("checkpoint", "restore", "t").stdout == text
    (tmp_path / "state.json").write_text("[\n 2\n]")
    assert mem("checkpoint", "save", "t", str(tmp_path / "state.json")).stdout == "2\n"
    assert mem("checkpoint", "restore", "t").stdout == "[\n 2\n]\n"
    assert mem("checkpoint", "restore", "t", "--version", "1").stdout == text
    [line] = mem("checkpoint", "restore", "t", "--json").stdout.splitlines()
    assert json.loads(line)["state"] == [2] and json.loads(line)["version"] == 2


def test_nothing_to_restore_is_exit_1(mem: Run) -> None:
    for arguments in (["restore", "t"], ["show", "t"], ["list"], ["clear", "t", "--yes"]):
        assert mem("checkpoint", *arguments).returncode == 1
    mem("checkpoint", "save", "other", "--ttl", "1s", input="1")
    time.sleep(1.05)
    done = mem("checkpoint", "restore", "other")
    assert (done.returncode, done.stdout) == (1, "") and "expired" in done.stderr


def test_bad_json_is_refused_in_one_line_that_says_where(mem: Run, tmp_path: Path) -> None:
    mem("checkpoint", "save", "t", input="1")
    for bad, said in ((b'{"a": 1', "line 1, column 8"), (b"\xff\xfe", "not valid UTF-8"), (b"", "empty")):
        (tmp_path / "bad.json").write_bytes(bad)
        done = mem("checkpoint", "save", "t", str(tmp_path / "bad.json"))
        assert done.returncode == 2 and said in done.stderr and "bad.json" in done.stderr
        assert len(done.stderr.splitlines()) == 1
    assert mem("checkpoint", "restore", "t").stdout == "1\n"


def test_clearing_wants_a_yes(mem: Run) -> None:
    mem("checkpoint", "save", "t", input="1")
    mem(*TASK, "one", "--", "true")
    assert mem("checkpoint", "clear", "t").returncode == 2
    assert "1 saved version and 1 step" in mem("checkpoint", "clear", "t", "--dry-run").stdout
    assert mem("checkpoint", "restore", "t").returncode == 0
    assert mem("checkpoint", "clear", "t", "--yes").returncode == 0
    assert mem("checkpoint", "list").returncode == 1


def test_list_and_show_tell_where_a_task_stands(mem: Run) -> None:
    mem("checkpoint", "save", "t", input="1")
    mem(*TASK, "one", "--", "true")
    mem(*TASK, "two", "--", "sh", "-c", "echo oh no >&2; exit 7")
    [task] = [json.loads(line) for line in mem("checkpoint", "list", "--json").stdout.splitlines()]
    assert (task["task"], task["version"], task["steps"], task["steps_done"]) == ("t", 1, 2, 1)
    assert task["expires_at"] > task["updated_at"]
    assert "1 of   2 steps" in mem("checkpoint", "list").stdout
    lines = mem("checkpoint", "show", "t").stdout.splitlines()
    assert [line.split()[0] for line in lines] == ["task", "changed", "expires", "saved", "done", "failed"]
    assert "exit 7" in lines[-1] and lines[-1].endswith("two")
    assert "oh no" in mem("checkpoint", "show", "t", "two").stdout
    assert json.loads(mem("checkpoint", "show", "t", "two", "--json").stdout)["stderr"] == "oh no\n"


# Steps


def test_a_step_runs_once_and_is_printed_again(mem: Run, tmp_path: Path) -> None:
    effects = tmp_path / "effects"
    command = f"echo x >> {shlex.quote(str(effects))}; echo out; echo err >&2"
    for _ in range(2):
        done = mem(*TASK, "one", "--", "sh", "-c", command)
        assert (done.returncode, done.stdout, done.stderr) == (0, "out\n", "err\n")
    assert effects.read_text() == "x\n"
    skipped = json.loads(mem(*TASK, "one", "--json", "--", "sh", "-c", command).stdout)
    assert skipped["skipped"] is True and skipped["stdout"] == "out\n" and skipped["exit_status"] == 0


def test_a_failed_step_returns_its_status_and_runs_again(mem: Run, tmp_path: Path) -> None:
    for runs in (1, 2):
        done = mem(*TASK, "one", "--", "sh", "-c", "exit 7")
        assert done.returncode == 7 and "failed with status 7" in done.stderr
        assert json.loads(mem("checkpoint", "show", "t", "--json").stdout)["steps"][0]["runs"] == runs


def test_what_cannot_be_run_is_told_as_by_a_shell(mem: Run, tmp_path: Path) -> None:
    (tmp_path / "no-program").write_text("")
    for program, status in (("no-such-program", 127), (str(tmp_path / "no-program"), 126)):
        done = mem(*TASK, program, "--at-most-once", "--", program)
        assert done.returncode == status and program in done.stderr and "Traceback" not in done.stderr
    assert set(statuses(mem).values()) == {"failed"}


def test_a_command_ended_by_a_signal_runs_again(mem: Run) -> None:
    assert mem(*TASK, "one", "--", "sh", "-c", "kill -9 $$").returncode == 137
    assert statuses(mem) == {"one": "interrupted"}
    assert mem(*TASK, "one", "--", "sh", "-c", "echo fine").stdout == "fine\n"


def test_a_changed_command_line_runs_again_unless_any_will_do(mem: Run) -> None:
    assert mem(*TASK, "one", "--", "echo", "1").stdout == "1\n"
    assert mem(*TASK, "one", "--any-command", "--", "echo", "2").stdout == "1\n"
    done = mem(*TASK, "one", "--", "echo", "2")
    assert done.stdout == "2\n" and "the command line changed" in done.stderr
    assert mem(*TASK, "one", "--", "echo", "2").stderr == ""


def test_changed_inputs_run_again(mem: Run, tmp_path: Path) -> None:
    file, folder = tmp_path / "in.csv", tmp_path / "folder"
    folder.mkdir()
    file.write_text("1")
    (folder / "a").write_text("a")
    step = (*TASK, "one", "--inputs", str(file), "--inputs", str(folder), "--", "cat", str(file))
    assert mem(*step).stdout == "1"
    assert mem(*step).stderr == ""
    file.write_text("2")
    done = mem(*step)
    assert done.stdout == "2" and "in.csv" in done.stderr
    os.utime(file, (0, 0))  # content counts, not times
    assert mem(*step).stderr == ""
    (folder / "b").write_text("")
    assert "folder" in mem(*step).stderr
    file.unlink()
    assert mem(*step).returncode == 2


def test_output_is_recorded_byte_by_byte_up_to_a_bound(mem: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMCLI_CHECKPOINT_OUTPUT", "1000")
    command = [sys.executable, "-c", "import os; os.write(1, bytes(range(256)) * 8)"]
    whole = bytes(range(256)) * 8
    first: Any = mem(*TASK, "one", "--", *command, encoding=None)
    again: Any = mem(*TASK, "one", "--", *command, encoding=None)
    assert first.stdout == whole
    assert again.stdout == whole[:1000] and b"only the first 1,000 are kept" in again.stderr


def test_output_streams_while_the_command_runs(mem: Run) -> None:
    with started(*TASK, "one", "--", "sh", "-c", "echo early; sleep 30") as process:
        assert process.stdout and process.stdout.readline() == b"early\n"
        process.terminate()


def test_without_output_on_record_none_is_printed_again(mem: Run) -> None:
    step = (*TASK, "one", "--no-output", "--", "echo", "secret")
    assert mem(*step).stdout == "secret\n"
    assert mem(*step).stdout == ""


def test_stdin_is_the_commands(mem: Run) -> None:
    assert mem(*TASK, "one", "--", "cat", input="in\n").stdout == "in\n"
    assert mem(*TASK, "one", "--", "cat").stdout == "in\n"


def test_a_reader_that_goes_away_ends_the_command(mem: Run) -> None:
    script = f'{shlex.quote(str(MEM))} checkpoint run t one -- yes | head -1; echo "${{PIPESTATUS[0]}}"'
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=60)
    assert done.stdout == "y\n141\n" and "Traceback" not in done.stderr
    assert statuses(mem) == {"one": "interrupted"}


def test_a_child_in_the_background_is_not_waited_for(mem: Run) -> None:
    begun = time.monotonic()
    assert mem(*TASK, "one", "--", "sh", "-c", "sleep 60 & echo $!").returncode == 0
    assert time.monotonic() - begun < 30
    assert statuses(mem) == {"one": "done"}
    os.kill(int(mem(*TASK, "one", "--any-command", "--", "true").stdout), signal.SIGKILL)


def test_a_timeout_ends_the_command_and_its_children(mem: Run, tmp_path: Path) -> None:
    late = tmp_path / "late"
    command = f"(sleep 2; touch {shlex.quote(str(late))}) & sleep 60"
    done = mem(*TASK, "one", "--timeout", "0.5", "--", "sh", "-c", command)
    assert done.returncode == 124 and statuses(mem) == {"one": "interrupted"}
    time.sleep(1.7)
    assert not late.exists()


@pytest.mark.parametrize(
    "arguments",
    [("t", "one", "make", "--json"), ("t", "--", "make", "all"), ("t", "one"), ("t", "one", "--"), ()],
)
def test_the_command_stands_behind_two_dashes(mem: Run, arguments: Sequence[str]) -> None:
    done = mem("checkpoint", "run", *arguments)
    assert done.returncode == 2 and "Traceback" not in done.stderr
    assert mem("checkpoint", "list").returncode == 1


def test_options_of_the_command_are_its_own(mem: Run) -> None:
    assert mem(*TASK, "one", "--", "echo", "--json", "--", "-x").stdout == "--json -- -x\n"
    assert mem(*TASK, "two", "--", "no-such-program", "--json").stderr.startswith("mem: ")


def test_any_printable_name_will_do(mem: Run) -> None:
    name = "step 1/2: 'naïve' \"東京\" $(reboot) %s {x} ; --"
    assert mem("checkpoint", "run", name, name, "--", "echo", "1").returncode == 0
    assert statuses(mem, name) == {name: "done"}
    assert mem("checkpoint", "run", "a\x1b[31m", "b", "--", "true").returncode == 2


# Two processes


def test_two_processes_never_both_run_a_step(mem: Run, tmp_path: Path) -> None:
    effects = tmp_path / "effects"
    command = f"echo x >> {shlex.quote(str(effects))}; sleep 1; echo out"
    both = [started(*TASK, "one", "--", "sh", "-c", command) for _ in range(4)]
    assert [process.communicate(timeout=60)[0] for process in both] == [b"out\n"] * 4
    assert effects.read_text() == "x\n" and {process.returncode for process in both} == {0}
    assert not any((Path(os.environ["MEMCLI_DB"] + "-locks")).iterdir())


def test_who_will_not_wait_is_told(mem: Run, tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    command = f"echo x > {shlex.quote(str(begun))}; sleep 30"
    with started(*TASK, "one", "--", "sh", "-c", command) as process:
        until(begun, "x")
        assert statuses(mem) == {"one": "running"}
        for option in (["--no-wait"], ["--wait", "0.2"]):
            done = mem(*TASK, "one", *option, "--", "true")
            assert done.returncode == 4 and "is being run by another process" in done.stderr
        assert mem("checkpoint", "clear", "t", "--yes").returncode == 4
        assert mem("checkpoint", "mark", "t", "one", "done").returncode == 4
        assert mem(*TASK, "another", "--", "true").returncode == 0
        os.killpg(process.pid, signal.SIGKILL)
    assert statuses(mem)["one"] == "interrupted"
    assert mem(*TASK, "one", "--no-wait", "--", "true").returncode == 0


def test_a_command_that_outlives_its_runner_is_waited_for(mem: Run, tmp_path: Path) -> None:
    log = tmp_path / "log"
    command = f"exec >> {shlex.quote(str(log))}; echo begin; sleep 1; echo end"
    with started(*TASK, "one", "--", "sh", "-c", command) as process:
        until(log, "begin")
        process.kill()
    done = mem(*TASK, "one", "--", "sh", "-c", command)
    assert done.returncode == 0 and "waiting for it" in done.stderr and "cut off" in done.stderr
    assert log.read_text().split() == ["begin", "end", "begin", "end"]


def test_a_step_inside_itself_is_an_error_and_no_standstill(mem: Run) -> None:
    done = mem(*TASK, "one", "--", str(MEM), *TASK, "one", "--", "true")
    assert done.returncode == 2 and "is running already, around this command" in done.stderr
    assert mem(*TASK, "two", "--", str(MEM), *TASK, "three", "--", "echo", "in").stdout == "in\n"


# Signals


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signals_are_passed_on_and_the_step_is_not_done(mem: Run, number: signal.Signals) -> None:
    command = f"trap 'echo got it; exit 0' {number.name[3:]}; echo ready; while :; do sleep 0.05; done"
    with started(*TASK, "one", "--", "sh", "-c", command) as process:
        assert process.stdout and process.stdout.readline() == b"ready\n"
        os.kill(process.pid, number)
        assert process.stdout.read() == b"got it\n"
        assert process.wait(60) == 128 + number
    assert statuses(mem) == {"one": "interrupted"}


def test_on_a_terminal_ctrl_c_comes_once(mem: Run, tmp_path: Path) -> None:
    log = tmp_path / "log"
    command = (
        f"trap 'echo int >> {log}' INT; echo ready > {log}; for i in 1 2 3 4 5 6 7 8; do sleep 0.1; done"
    )
    spawn = f"import pty, sys; sys.exit(pty.spawn({[str(MEM), *TASK, 'one', '--', 'sh', '-c', command]!r}))"
    with subprocess.Popen(
        [sys.executable, "-c", spawn], stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
    ) as terminal:
        until(log, "ready")
        assert terminal.stdin
        terminal.stdin.write(b"\x03")
        terminal.stdin.flush()
        terminal.wait(60)
    assert log.read_text().split() == ["ready", "int"]
    assert statuses(mem) == {"one": "interrupted"}


# Kills


def test_at_most_once_reports_what_was_cut_off_instead_of_repeating_it(mem: Run, tmp_path: Path) -> None:
    effects = tmp_path / "effects"
    command = ("sh", "-c", f"echo x >> {shlex.quote(str(effects))}; sleep 30")
    with started(*TASK, "pay", "--at-most-once", "--", *command) as process:
        until(effects, "x")
        os.killpg(process.pid, signal.SIGKILL)
    for step in ((*TASK, "pay", "--at-most-once", "--", *command), (*TASK, "pay", "--", *command)):
        done = mem(*step)
        assert done.returncode == 3 and "uncertain" in done.stderr and "--again" in done.stderr
    assert statuses(mem) == {"pay": "uncertain"} and effects.read_text() == "x\n"
    assert mem("checkpoint", "mark", "t", "pay", "done").returncode == 0
    assert mem(*TASK, "pay", "--at-most-once", "--", *command).returncode == 0
    assert effects.read_text() == "x\n"
    assert mem("checkpoint", "mark", "t", "pay", "pending").returncode == 0
    assert mem(*TASK, "pay", "--at-most-once", "--", "echo", "paid").stdout == "paid\n"
    assert mem(*TASK, "pay", "--again", "--", "echo", "twice").stdout == "twice\n"


def test_at_most_once_holds_for_another_command_line_too(mem: Run) -> None:
    assert mem(*TASK, "pay", "--at-most-once", "--", "echo", "10").stdout == "10\n"
    for options in (["--at-most-once"], []):
        refused = mem(*TASK, "pay", *options, "--", "echo", "20")
        assert (refused.returncode, refused.stdout) == (3, "")
        assert "the command line changed" in refused.stderr and "--again" in refused.stderr
    assert mem(*TASK, "pay", "--at-most-once", "--", "echo", "10").stdout == "10\n"
    assert mem(*TASK, "pay", "--at-most-once", "--again", "--", "echo", "20").stdout == "20\n"


def script(tmp_path: Path, steps: int, *options: str) -> list[str]:
    """A script of steps whose effects are single appended bytes, a line each."""
    lines = [
        "set -e",
        f'step() {{ {shlex.quote(str(MEM))} checkpoint run t "$1" {" ".join(options)} -- "${{@:2}}"; }}',
    ]
    lines += [f"step {n} sh -c 'echo {n} >> {tmp_path / 'effects'}'" for n in range(steps)]
    return ["bash", "-c", "\n".join(lines)]


def killed_at_random(command: list[str], seconds: float) -> int:
    """Run a script and kill it, with all its children, after up to so many seconds."""
    with subprocess.Popen(command, start_new_session=True, stderr=subprocess.PIPE) as process:
        try:
            return process.wait(random.uniform(0.1, seconds))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return -signal.SIGKILL


def test_a_script_killed_at_random_points_finishes_with_each_effect_done(mem: Run, tmp_path: Path) -> None:
    # At least once: a kill between an effect and its record repeats that one effect. So each
    # is there, and there are no more repeats than kills, all of steps on record as run again.
    command, kills = script(tmp_path, 8), 0
    for _ in range(4):
        if killed_at_random(command, 1.2) == 0:
            break
        kills += 1
    assert subprocess.run(command, timeout=60).returncode == 0
    effects = Counter((tmp_path / "effects").read_text().split())
    assert set(effects) == {str(number) for number in range(8)}
    assert effects.total() - 8 <= kills
    shown = json.loads(mem("checkpoint", "show", "t", "--json").stdout)["steps"]
    assert all(effects[step["name"]] <= step["runs"] and step["status"] == "done" for step in shown)


def test_at_most_once_a_script_killed_at_random_points_does_nothing_twice(mem: Run, tmp_path: Path) -> None:
    command = script(tmp_path, 4, "--at-most-once")
    effects = tmp_path / "effects"
    effects.touch()
    for attempt in range(20):
        status = killed_at_random(command, 1.0) if attempt < 3 else subprocess.run(command).returncode
        if status == 0:
            break
        # What its owner does: look whether it happened, and say so.
        for name, state in statuses(mem).items() if mem("checkpoint", "list").returncode == 0 else ():
            if state == "uncertain":
                happened = name in effects.read_text().split()
                mem("checkpoint", "mark", "t", name, "done" if happened else "pending")
    assert Counter(effects.read_text().split()) == {str(number): 1 for number in range(4)}
