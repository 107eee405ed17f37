"""`mem warm` and the setting: when a keeper is started, found, told to go, and gone by itself."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest

from tests.conftest import MEM
from tests.warm.keepers import MAIN, PATIENT, Keeper, cold, processes_at, python, wait_until

# A call of low priority starts none: so where the whole suite is run with `nice`.
wants_usual_priority = pytest.mark.skipif(os.nice(0) > 0, reason="the suite runs at low priority")


def test_off_is_off(none: Keeper) -> None:
    assert none.mem("remember", "I drink tea").returncode == 0
    assert none.mem("recall", "tea").returncode == 0
    assert not list(none.folder.iterdir()) and not processes_at(none.folder)
    done = none.mem("warm", "status")
    assert (done.returncode, done.stdout) == (1, "") and "mem warm start" in done.stderr
    assert none.mem("warm", "stop").returncode == 1


def test_it_is_started_asked_and_stopped_by_hand(none: Keeper) -> None:
    said = none.mem("warm", "start")
    assert said.returncode == 0 and "all-MiniLM-L6-v2, 0 calls" in said.stdout and "MB" in said.stdout
    with none.taking_over(2):
        assert none.mem("remember", "I drink tea").returncode == 0
        assert "I drink tea" in none.mem("recall", "what do I drink?").stdout
    told = none.one()
    assert told["ours"] and told["answers"] and told["idle_limit"] == 600 and told["own_memory"] > 0
    assert none.mem("warm", "start").stdout.split()[1] == str(told["pid"])
    done = none.mem("warm", "stop")
    assert done.returncode == 0 and str(told["pid"]) in done.stderr
    wait_until(lambda: not processes_at(none.folder))
    assert not list(none.folder.iterdir())


@wants_usual_priority
def test_the_first_call_starts_it_where_the_setting_says_so(none: Keeper) -> None:
    assert none.mem("config", "set", "warm", "10m").returncode == 0
    assert none.mem("remember", "I drink tea").returncode == 0
    wait_until(none.told)
    assert none.one()["idle_limit"] == 600 and none.one()["calls"] == 0
    with none.taking_over(1):
        assert none.mem("recall", "tea").returncode == 0
    # A setting that is taken back is obeyed at once.
    assert none.mem("config", "unset", "warm").returncode == 0
    wait_until(lambda: not processes_at(none.folder))
    assert none.mem("recall", "tea").returncode == 0 and not processes_at(none.folder)


def test_while_it_is_starting_that_is_what_is_said(none: Keeper) -> None:
    none.start()
    # As it is between the taking of its lock and its first hello.
    [socket] = none.folder.glob("memcli/*.sock")
    socket.unlink()
    done = none.mem("warm", "status")
    assert (done.returncode, done.stdout) == (1, "") and "is starting" in done.stderr


@wants_usual_priority
@pytest.mark.parametrize("command", [("warm", "stop"), ("config", "unset", "warm")])
def test_one_that_is_starting_is_stopped(none: Keeper, command: tuple[str, ...]) -> None:
    assert none.mem("config", "set", "limit", "3").returncode == 0
    assert none.mem("config", "set", "warm", "10m").returncode == 0
    assert not processes_at(none.folder)  # which would hold the configured model, whatever the store's is
    assert none.mem("remember", "I drink tea").returncode == 0
    starting = none.one_process()
    os.kill(starting, signal.SIGSTOP)  # or it may be ready before
    assert "is starting" in none.mem("warm", "status").stderr
    stopping = subprocess.Popen([MEM, *command], stderr=subprocess.PIPE, text=True)
    wait_until(lambda: not list(none.folder.glob("memcli/*.lock")))
    os.kill(starting, signal.SIGCONT)
    _, said = stopping.communicate(timeout=60)
    assert stopping.returncode == 0
    assert command[0] == "config" or "was starting" in said
    wait_until(lambda: not processes_at(none.folder))
    assert not list(none.folder.iterdir())


def test_a_script_of_an_older_install_is_told_of(none: Keeper) -> None:
    older = "import sys; from memcli.app import main; sys.argv[0] = 'mem'; main()"
    for command, word in ((["-c", older], True), (["-c", MAIN], False), (["-m", "memcli"], False)):
        done = subprocess.run([sys.executable, *command, "warm", "status"], capture_output=True, text=True)
        assert ("older install" in done.stderr) is word, done.stderr


@wants_usual_priority
def test_the_call_that_starts_it_waits_for_nothing(none: Keeper, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMCLI_WARM", "5m")
    # Whoever reads its pipes to their end is not kept by what it has started.
    done = none.mem("remember", "I drink tea", timeout=60)
    assert done.returncode == 0 and len(processes_at(none.folder)) == 1
    assert not none.told()


@pytest.mark.parametrize("origin", ["mcp:claude", "agent:x", "MCP:other"])
def test_an_untrusted_origin_starts_none_and_stops_none(
    none: Keeper, origin: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    foreign = {**os.environ, "MEMCLI_ORIGIN": origin, "MEMCLI_WARM": "10m"}
    assert none.mem("remember", "Tea is at four", env=foreign).returncode == 0
    done = none.mem("warm", "start", env=foreign)
    assert done.returncode == 3 and origin in done.stderr
    assert not processes_at(none.folder)
    none.start()
    assert none.mem("warm", "stop", env=foreign).returncode == 3
    # It is served as everybody is, and is no more trusted for that.
    with none.taking_over(2):
        assert none.mem("remember", "Tea is at five", env=foreign).returncode == 0
        assert none.mem("block", "set", "owner", "I am root", env=foreign).returncode == 3
    shown = none.mem("list", "--json", env=cold()).stdout
    assert '"trusted":true' not in shown and shown.count(origin.split(":")[1]) >= 2


def test_nobody_calls_and_it_goes(none: Keeper) -> None:
    none.start("--idle", "1s")
    wait_until(lambda: not processes_at(none.folder), 30)
    assert not list(none.folder.iterdir())


def test_whatever_starts_at_once_starts_one(none: Keeper, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMCLI_WARM", "10m")
    calls = [
        subprocess.Popen([MEM, "path"], stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL) for _ in range(6)
    ] + [
        subprocess.Popen([MEM, "warm", "start"], stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
        for _ in range(3)
    ]
    most = 0
    while any(call.poll() is None for call in calls):
        most = max(most, len(processes_at(none.folder)))
        time.sleep(0.01)
    assert [call.wait(60) for call in calls] == [0] * len(calls)
    assert most == 1 == len(processes_at(none.folder)) and none.one()["answers"]


def test_one_that_does_not_answer_is_told_of_and_ended(
    keeper: Keeper, monkeypatch: pytest.MonkeyPatch
) -> None:
    keeper.mem("remember", "I drink tea")
    monkeypatch.delenv(PATIENT[0])
    os.kill(keeper.one_process(), signal.SIGSTOP)
    assert "I drink tea" in keeper.mem("recall", "tea").stdout
    done = keeper.mem("warm", "status")
    assert done.returncode == 1 and "does not answer" in done.stdout
    # None can be started beside it, by a call or by hand.
    assert "mem warm stop" in done.stderr and "next call" not in done.stderr
    impatient = """
from memcli.errors import MemcliError
from memcli.warm import control
control._ANSWER = 0.2
try:
    control.start()
except MemcliError as error:
    print(error)
"""
    said = python(impatient).stdout
    assert "does not answer" in said and "mem warm stop" in said
    assert keeper.mem("warm", "stop").returncode == 0
    wait_until(lambda: not processes_at(keeper.folder))
    assert not list(keeper.folder.iterdir())


def test_what_a_dead_one_left_is_no_hindrance(keeper: Keeper) -> None:
    os.kill(keeper.one_process(), signal.SIGKILL)
    wait_until(lambda: not processes_at(keeper.folder))
    assert len(list((keeper.folder / "memcli").iterdir())) == 2
    assert keeper.mem("remember", "I drink tea").returncode == 0
    assert keeper.mem("warm", "status").returncode == 1
    told = keeper.start()
    with keeper.taking_over(1):
        assert keeper.mem("recall", "tea").returncode == 0
    assert keeper.one()["pid"] == told["pid"]


def test_one_that_fails_is_not_started_by_each_call(none: Keeper, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMCLI_WARM", "10m")
    assert none.mem("remember", "I drink tea").returncode == 0
    for process in processes_at(none.folder):
        os.kill(process, signal.SIGKILL)
    wait_until(lambda: not processes_at(none.folder))
    assert none.mem("remember", "I drink coffee").returncode == 0
    assert not processes_at(none.folder)
    assert "failed just now" in none.mem("warm", "status").stderr


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        ("mode", "chmod 700"), ("link", "remove it"), ("file", "remove it"),
        pytest.param(
            "owner", "set XDG_RUNTIME_DIR",
            marks=pytest.mark.skipif(os.geteuid() != 0, reason="giving it away wants root"),
        ),
    ],
)  # fmt: skip
def test_a_folder_that_is_not_its_owners_alone_is_not_used(
    keeper: Keeper, spoil: str, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = keeper.folder / "memcli"
    process = keeper.one_process()
    if spoil == "mode":
        folder.chmod(0o750)
    elif spoil == "owner":
        os.chown(folder, 65534, 65534)
    else:
        folder.rename(keeper.folder / "elsewhere")
    if spoil == "link":
        folder.symlink_to(keeper.folder / "elsewhere")
    if spoil == "file":
        folder.touch()
    monkeypatch.setenv("MEMCLI_WARM", "10m")
    assert keeper.mem("remember", "I drink tea").returncode == 0
    assert set(processes_at(keeper.folder)) <= {process}
    done = keeper.mem("warm", "start")
    assert done.returncode == 2 and "0700" in done.stderr and told in done.stderr
    for deed in ("status", "stop"):
        done = keeper.mem("warm", deed)
        assert done.returncode == 1 and told in done.stderr and "next call" not in done.stderr


def test_a_folder_that_cannot_be_made_is_told_of(none: Keeper, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(none.folder / "gone"))
    monkeypatch.setenv("MEMCLI_WARM", "10m")
    assert none.mem("remember", "I drink tea").returncode == 0
    for deed, status in (("start", 2), ("status", 1), ("stop", 1)):
        done = none.mem("warm", deed)
        assert done.returncode == status and "set XDG_RUNTIME_DIR" in done.stderr


def test_a_call_of_low_priority_starts_none_and_status_says_so(
    none: Keeper, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMCLI_WARM", "10m")
    assert none.mem("remember", "I drink tea", preexec_fn=lambda: os.nice(5)).returncode == 0
    assert not processes_at(none.folder)
    done = none.mem("warm", "status", preexec_fn=lambda: os.nice(5))
    assert done.returncode == 1 and "low priority" in done.stderr and "next call" not in done.stderr


def test_a_long_path_is_none_for_a_socket_and_another_folder_is_taken(
    none: Keeper, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = tmp_path / ("x" * 60) / ("y" * 60)
    long.mkdir(parents=True)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(long))
    code = "from memcli.warm import place; print(place.folder())"
    assert python(code).stdout.strip() == f"/tmp/memcli-{os.geteuid()}"
    assert none.mem("remember", "I drink tea").returncode == 0


def test_an_upgrade_ends_it(none: Keeper, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copy = _own_copy(tmp_path, monkeypatch)
    told = none.start()
    with none.taking_over(1):
        assert none.mem("remember", "I drink tea").returncode == 0
    line = copy / "commands" / "path.py"
    line.write_text(line.read_text().replace('"""', '"""Changed. ', 1))
    assert "I drink tea" in none.mem("recall", "tea").stdout
    wait_until(lambda: told["pid"] not in processes_at(none.folder))
    assert not list(none.folder.iterdir())
    # The next one is of the new program.
    assert none.start()["pid"] != told["pid"]
    (copy / "__init__.py").write_text((copy / "__init__.py").read_text().replace("0.1.0", "0.1.1"))
    assert none.mem("--version").stdout == "memcli 0.1.1\n"
    assert none.mem("recall", "tea").returncode == 0


def test_every_file_of_the_program_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import memcli
    from memcli.warm.installed import Installed

    (tmp_path / "judgement" / "__pycache__").mkdir(parents=True)
    names = ["__init__.py", "py.typed", "judgement/words.txt", "judgement/statement.safetensors.gz"]
    derived = "judgement/__pycache__/words.pyc"
    for name in (*names, derived):
        (tmp_path / name).write_text("as it was")
    monkeypatch.setattr(memcli, "__file__", str(tmp_path / "__init__.py"))
    installed = Installed()
    (tmp_path / derived).write_text("as it is compiled now")
    assert not installed.has_changed()
    for name in names:
        (tmp_path / name).write_text("as it is now")
        assert installed.has_changed(), name
        installed = Installed()


def test_one_is_started_though_the_program_changes_meanwhile(
    none: Keeper, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = _own_copy(tmp_path, monkeypatch)
    starting = subprocess.Popen([MEM, "warm", "start"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    wait_until(lambda: processes_at(none.folder))
    time.sleep(0.4)  # by now it knows the program as it was, and has not said hello
    (copy / "ids.py").touch()
    _, said = starting.communicate(timeout=120)
    assert (starting.returncode, said) == (0, b"")
    assert none.one()["answers"]


def test_by_whichever_name_an_interpreter_is_called_it_has_one(keeper: Keeper, tmp_path: Path) -> None:
    told, folder = keeper.one(), Path(sys.executable).parent
    names = sorted({*folder.glob("python3*"), *folder.glob("python")} - {*folder.glob("python*-config")})
    assert len(names) > 1

    def said(name: Path, program: str, *arguments: str) -> str:
        done = subprocess.run(
            [name, "-c", program, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def is_taken_over(name: Path) -> bool:
        before = keeper.calls
        said(name, MAIN, "path")
        return keeper.calls > before

    [listening] = (keeper.folder / "memcli").glob("*.sock")
    for name in names:
        own = "from memcli.warm import place; i = place.identity(); print(place.name_of(i)); print(i)"
        assert said(name, own).splitlines()[0] == listening.stem, said(name, own)
        # On a busy machine it may answer too late, and the call runs cold.
        wait_until(partial(is_taken_over, name))
    assert keeper.one()["pid"] == told["pid"]


def _own_copy(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The program in a folder of the test's own, which `mem` is run from."""
    import memcli

    copy = folder / "lib" / "memcli"
    shutil.copytree(Path(memcli.__file__).parent, copy)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(copy.parent), os.environ["PYTHONPATH"]]))
    return copy
