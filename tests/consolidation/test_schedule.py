"""`mem consolidate --install`: what cron, systemd and launchd are told, and what is left alone."""

from __future__ import annotations

import itertools
import json
import os
import plistlib
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from memcli.consolidation import schedule
from memcli.consolidation.schedule import (
    _NO_TABLE,
    SYSTEMS,
    Installation,
    ScheduledRun,
    Switch,
    _call,
    install_schedule,
    schedule_files,
)
from memcli.errors import BadInput
from tests.conftest import MEM, Run

pytestmark = pytest.mark.skipif(os.name == "nt", reason="none of the three is there")
Pretend = Callable[[str, str], Path]
ODD = '/tmp/my 50% "$HOME"/o\'store.db'
IN_SYSTEMD = r'''"/tmp/my 50%% \"$$HOME\"/o'store.db"'''


@pytest.fixture
def pretend(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Pretend:
    """A program of our own on PATH; returns the file in which it notes how it was called."""
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")

    def make(name: str, script: str = "") -> Path:
        calls = tmp_path / f"{name}.calls"
        program = tmp_path / name
        program.write_text(f'#!/bin/sh\necho "$@" >> {calls}\n{script}\n')
        program.chmod(0o755)
        return calls

    return make


@pytest.fixture
def table(tmp_path: Path, pretend: Pretend) -> Path:
    """The table of a pretended crontab."""
    kept = tmp_path / "table"
    none = 'echo "no crontab for you" >&2; exit 1'
    pretend(
        "crontab", f'if [ "$1" = -l ]; then [ -f {kept} ] && exec cat {kept}; {none}; fi\nexec cat > {kept}'
    )
    return kept


def last_line(table: Path) -> str:
    return table.read_text().splitlines()[-1]


def as_cron_runs_it(line: str) -> list[str]:
    """The words of a crontab's line: an unescaped % would end it, an escaped one is a %."""
    command = line.split(maxsplit=5)[5]
    assert "%" not in command.replace(r"\%", "")
    return shlex.split(command.replace(r"\%", "%"), comments=True)


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_schedule_is_printed_and_nothing_installed(mem: Run, system: str, own_home: Path) -> None:
    shown = mem("consolidate", "--install", system, "--max-seconds", "60", "--db", "/a b/m.db")
    assert shown.returncode == 0
    assert "/a b/m.db" in shown.stdout
    assert "--yes" in shown.stderr
    assert not list(own_home.rglob("memcli*consolidate*"))


def test_cron_gets_every_option_the_whole_path_and_the_settings_of_this_shell(
    mem: Run, table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMCLI_SPACE", "50% work")
    monkeypatch.setenv("MEMCLI_SESSION", "of-now")
    done = mem(
        "consolidate", "--install", "cron", "--yes", "--llm", "llm -m 'big one'", "--db", ODD, "--max-tokens",
        "900", "--skip", "tend",
    )  # fmt: skip
    assert done.returncode == 0, done
    words = as_cron_runs_it(last_line(table))
    assert words[0] == "env"
    given = dict(word.split("=", 1) for word in words[1 : words.index(str(MEM.resolve()))])
    assert given["MEMCLI_SPACE"] == "50% work"
    assert given["PATH"] == os.environ["PATH"]
    assert not {"MEMCLI_SESSION", "MEMCLI_DB"} & given.keys()
    options = words[words.index("consolidate") + 1 :]
    pairs = set(itertools.pairwise(options))
    wanted = {("--llm", "llm -m 'big one'"), ("--db", ODD), ("--max-tokens", "900"), ("--skip", "tend")}
    assert wanted <= pairs


def test_cron_gets_a_path_that_holds_elsewhere(
    mem: Run, table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMCLI_DB", "mine.db")
    assert mem("consolidate", "--install", "cron", "--yes").returncode == 0
    assert f"MEMCLI_DB={Path('mine.db').resolve()}" in as_cron_runs_it(last_line(table))


def test_each_store_has_one_line_and_no_other_line_is_touched(
    mem: Run, table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MEMCLI_DB")
    own = "0 1 * * * backup\n# a note\n@daily sh -c 'date +\\%F' # mem consolidate it myself\n"
    table.write_text(own)
    for arguments in ([], [], ["--max-seconds", "60"], ["--db", "/other.db"], ["--db", "/other.db"]):
        assert mem("consolidate", "--install", "cron", "--yes", *arguments).returncode == 0
    assert table.read_text().startswith(own)
    ours = table.read_text().removeprefix(own).splitlines()
    assert len(ours) == 2
    assert "--max-seconds 60" in ours[0]
    assert "--db /other.db" in ours[1]


def test_a_crontab_that_cannot_be_read_is_not_written_over(mem: Run, pretend: Pretend) -> None:
    calls = pretend("crontab", "echo 'you are not allowed' >&2; exit 1")
    done = mem("consolidate", "--install", "cron", "--yes")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "not allowed" in done.stderr
    assert calls.read_text() == "-l\n"


@pytest.mark.parametrize("system", SYSTEMS)
def test_where_there_is_no_such_system_one_line_says_so_and_no_file_is_left(
    mem: Run, system: str, own_home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    done = mem("consolidate", "--install", system, "--yes")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert not list(own_home.rglob("*consolidate*"))


def test_systemd_gets_a_persistent_timer_and_quoted_words(mem: Run, pretend: Pretend, own_home: Path) -> None:
    calls = pretend("systemctl", "")
    for _ in range(2):
        assert mem("consolidate", "--install", "systemd", "--yes", "--db", ODD).returncode == 0
    service, timer = sorted((own_home / ".config/systemd/user").iterdir())
    assert "Persistent=true" in timer.read_text()
    [line] = [each for each in service.read_text().splitlines() if each.startswith("ExecStart=")]
    assert line.endswith(f'"--db" {IN_SYSTEMD}')
    assert calls.read_text().splitlines()[:2] == [
        "--user daemon-reload", f"--user enable --now {timer.name}",
    ]  # fmt: skip


def test_launchd_gets_a_sound_property_list(mem: Run, pretend: Pretend, own_home: Path) -> None:
    pretend("launchctl", "[ $1 = unload ] && exit 113; exit 0")
    given = ["--db", ODD, "--llm", "a & <b>"]
    assert mem("consolidate", "--install", "launchd", "--yes", *given).returncode == 0
    [path] = (own_home / "Library/LaunchAgents").iterdir()
    told = plistlib.loads(path.read_bytes())
    assert told["Label"] == path.name.removesuffix(".plist")
    assert told["ProgramArguments"][0] == str(MEM.resolve())
    assert {"--db", ODD, "--llm", "a & <b>"} <= set(told["ProgramArguments"])


def test_what_is_installed_runs(mem: Run, table: Path) -> None:
    assert mem("remember", "Nadia works at Helio").returncode == 0
    assert mem("consolidate", "--install", "cron", "--yes", "--skip", "tend").returncode == 0
    command = last_line(table).split(maxsplit=5)[5].replace(r"\%", "%")
    bare = {"HOME": os.environ["HOME"], "PATH": "/usr/bin:/bin"}
    done = subprocess.run(["/bin/sh", "-c", command], env=bare, capture_output=True, text=True, check=True)
    assert "1 link proposed" in done.stdout


def test_what_no_schedule_can_hold_is_refused(mem: Run) -> None:
    done = mem("consolidate", "--install", "cron", "--llm", "a\n* * * * * evil")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)


def test_the_schedule_can_be_had_as_json(mem: Run) -> None:
    record = json.loads(mem("consolidate", "--install", "cron", "--json").stdout)
    assert (record["system"], record["installed"]) == ("cron", False)


@pytest.mark.parametrize(
    ("system", "paths", "programs"),
    [
        ("cron", [None], []), ("launchd", ["Library/LaunchAgents"], ["launchctl", "launchctl"]),
        ("systemd", [".config/systemd/user", ".config/systemd/user"], ["systemctl", "systemctl"]),
        ("schtasks", ["AppData/Local/memcli"], ["schtasks"]),
    ],
)  # fmt: skip
@pytest.mark.parametrize("store", ["", "/other.db"])
def test_each_system_gets_its_own_files_and_each_store_its_own_entry(
    system: str, paths: list[str | None], programs: list[str], store: str
) -> None:
    night = ScheduledRun(["--max-seconds", "60"], {"MEMCLI_SPACE": "50% work"}, store)
    some = schedule_files(system, night, Path("/home"))
    assert [each.path and each.path.parent.relative_to("/home").as_posix() for each in some] == paths
    assert [switch.words[0] for each in some for switch in each.then] == programs
    # There may be nothing to switch off yet.
    assert [switch.words[1] for each in some for switch in each.then if switch.may_fail] == (
        ["unload"] if system == "launchd" else []
    )
    assert any("--max-seconds" in each.text for each in some) and any("SPACE" in each.text for each in some)
    assert bool(night.name) is bool(store)
    if system != "cron":
        assert all((night.name in str(each.path)) for each in some)
    plain = schedule_files(system, ScheduledRun([], {}), Path("/home"))
    assert not any("SPACE" in each.text or "EnvironmentVariables" in each.text for each in plain)
    with pytest.raises(BadInput, match="line break"):
        schedule_files(system, ScheduledRun(["a\nb"], {}), Path("/home"))
    with pytest.raises(BadInput, match="line break"):
        schedule_files(system, ScheduledRun([], {"A": "a\tb"}), Path("/home"))


def test_a_program_may_fail_where_that_is_said_and_for_that_reason_alone() -> None:
    failing = (sys.executable, "-c", "import sys; sys.exit('no crontab for you')")
    assert _call(failing, may_fail=True) == "" == _call(failing, may_fail=True, unless=_NO_TABLE)
    with pytest.raises(BadInput, match="no crontab for you; nothing was installed"):
        _call(failing)
    with pytest.raises(BadInput, match="exit status 3"):
        _call((sys.executable, "-c", "exit(3)"), may_fail=True, unless=_NO_TABLE)
    assert _call((sys.executable, "-c", "print(7)")) == "7\n"


def test_it_is_installed_and_what_stands_there_already_is_left(
    table: Path, pretend: Pretend, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table.write_text("0 1 * * * backup\n0 2 * * * old # mem consolidate s\n")
    calls, crontab = pretend("systemctl", ""), tmp_path / "crontab.calls"
    unit = tmp_path / "units" / "x.timer"
    line = "7 3 * * * mem consolidate # mem consolidate s\n"
    then = (Switch(("systemctl", "--user", "daemon-reload")),)
    some = [Installation(None, line), Installation(unit, "[Timer]\n", then)]
    for _ in range(2):
        install_schedule(some)
    assert table.read_text() == "0 1 * * * backup\n" + line
    # What is as it should be is not written again.
    assert crontab.read_text().splitlines() == ["-l", "-", "-l"]
    assert unit.read_text() == "[Timer]\n" and calls.read_text() == "--user daemon-reload\n" * 2
    blocked = tmp_path / "file"
    blocked.touch()
    with pytest.raises(BadInput, match="cannot be written"):
        install_schedule([Installation(blocked / "x", "")])
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    for each in some:
        with pytest.raises(BadInput, match="is not installed here"):
            install_schedule([each])


@pytest.mark.parametrize(
    ("called", "is_itself"), [("bin/mem", True), ("bin/memcli", True), ("lib/__main__.py", False)]
)
def test_a_schedule_calls_the_program_that_was_called(
    called: str, is_itself: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", [str(tmp_path / called)])
    own = [str(tmp_path / called)] if is_itself else [sys.executable, "-m", "memcli"]
    assert schedule._program() == own
