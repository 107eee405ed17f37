"""Schedule for the nightly run: the entries for cron, systemd, launchd or the Windows Task Scheduler.

One entry per store: the default one, and one for each store that is named.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from memcli.errors import BadInput
from memcli.named_tuple import NamedTuple
from memcli.system.files import write_private
from memcli.system.places import make_private_folder

SYSTEMS = ("cron", "systemd", "launchd", "schtasks")
# A time at which the machine is likely to be on, and nobody works on it.
HOUR, MINUTE = 3, 17
_MARK = "# mem consolidate"
_LABEL = "memcli.consolidate"
# How the crons report that there is no table yet; after any other error the table is not overwritten.
_NO_TABLE = re.compile(r"no crontab|can't open|no such file", re.IGNORECASE)


class ScheduledRun(NamedTuple):
    """The command to schedule: its arguments, the environment variables it needs, and its store.

    `store` is empty for the default one.
    """

    arguments: Sequence[str]
    environment: Mapping[str, str]
    store: str = ""

    @property
    def name(self) -> str:
        """A short hash that distinguishes the entries of several stores; empty for the default one."""
        return (
            hashlib.sha256(self.store.encode("utf-8", "surrogateescape")).hexdigest()[:8]
            if self.store
            else ""
        )


class Switch(NamedTuple):
    """A command that activates a schedule; one that deactivates an older one `may_fail`."""

    words: tuple[str, ...]
    may_fail: bool = False


class Installation(NamedTuple):
    """A file to write (path None: a line for `crontab`), and the commands that then activate it, in order."""

    path: Path | None
    text: str
    then: tuple[Switch, ...] = ()


def schedule_files(
    system: str, night: ScheduledRun, home: Path, settings: Path | None = None
) -> list[Installation]:
    """Return what to install for one of SYSTEMS, so that the command runs every night.

    `settings` is the configuration folder, if it is not `~/.config`. Raises BadInput for what a schedule
    cannot hold.
    """
    command = [*_program(), "consolidate", *night.arguments]
    for each in (*command, *night.environment.values()):
        if any(ord(character) < ord(" ") for character in each):
            raise BadInput(f"{each!r:.60}: a schedule cannot hold a line break or a control character")
    if system == "systemd":
        return _systemd(command, night, settings or home / ".config")
    if system == "launchd":
        return _launchd(command, night, home)
    if system == "schtasks":
        return _schtasks(command, night, home)
    return [
        Installation(None, f"{MINUTE} {HOUR} * * * {_cron_line(command, night.environment)} {_mark(night)}\n")
    ]


def install_schedule(some: Sequence[Installation]) -> None:
    """Write the files and activate them; raise BadInput if a program is missing or fails."""
    programs = {each.words[0] for one in some for each in one.then}
    for program in sorted(programs | ({"crontab"} if any(one.path is None for one in some) else set())):
        _found(program)
    for each in some:
        if each.path is None:
            _into_crontab(each.text)
            continue
        try:
            make_private_folder(each.path.parent)
            write_private(each.path, each.text.encode())
        except OSError as error:
            raise BadInput(f"{each.path}: cannot be written ({error.strerror})") from error
    for each in some:
        for switch in each.then:
            _call(switch.words, may_fail=switch.may_fail)


def _program() -> list[str]:
    """Return the command for this very program: cron knows no virtual environment."""
    here = Path(sys.argv[0])
    return [str(here.resolve())] if here.stem in ("mem", "memcli") else [sys.executable, "-m", "memcli"]


def _mark(night: ScheduledRun) -> str:
    return f"{_MARK} {night.name}".rstrip()


def _systemd(command: Sequence[str], night: ScheduledRun, settings: Path) -> list[Installation]:
    folder = settings / "systemd" / "user"
    unit = "-".join(filter(None, ("memcli-consolidate", night.name)))
    line = " ".join(_in_systemd(each).replace("$", "$$") for each in command)
    given = "".join(
        f"Environment={_in_systemd(f'{name}={value}')}\n" for name, value in night.environment.items()
    )
    service = (
        "[Unit]\nDescription=Consolidate memories\n\n"
        f"[Service]\nType=oneshot\nNice=10\nIOSchedulingClass=idle\n{given}ExecStart={line}\n"
    )
    timer = (
        "[Unit]\nDescription=Consolidate memories every night\n\n"
        f"[Timer]\nOnCalendar=*-*-* {HOUR:02}:{MINUTE:02}:00\n"
        "RandomizedDelaySec=600\nPersistent=true\n\n[Install]\nWantedBy=timers.target\n"
    )
    then = (
        Switch(("systemctl", "--user", "daemon-reload")),
        Switch(("systemctl", "--user", "enable", "--now", f"{unit}.timer")),
    )
    return [
        Installation(folder / f"{unit}.service", service),
        Installation(folder / f"{unit}.timer", timer, then),
    ]


def _in_systemd(text: str) -> str:
    """Return a text quoted for systemd, where % begins a specifier."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%") + '"'


def _launchd(command: Sequence[str], night: ScheduledRun, home: Path) -> list[Installation]:
    import plistlib

    label = ".".join(filter(None, (_LABEL, night.name)))
    told = {
        "Label": label,
        "ProgramArguments": list(command),
        "StartCalendarInterval": {"Hour": HOUR, "Minute": MINUTE},
        "Nice": 10,
    }
    if night.environment:
        told["EnvironmentVariables"] = dict(night.environment)
    text = plistlib.dumps(told, sort_keys=False).decode("utf-8")
    path = home / "Library" / "LaunchAgents" / f"{label}.plist"
    # launchd does not reload a job that is loaded already, so it is unloaded first.
    then = (
        Switch(("launchctl", "unload", str(path)), may_fail=True),
        Switch(("launchctl", "load", "-w", str(path))),
    )
    return [Installation(path, text, then)]


def _schtasks(command: Sequence[str], night: ScheduledRun, home: Path) -> list[Installation]:
    """Return a script and the task that runs it: a Windows task has no environment and 261 characters."""
    name = "-".join(filter(None, ("memcli-consolidate", night.name)))
    path = home / "AppData" / "Local" / "memcli" / f"{name}.cmd"
    given = [f'set "{name}={value}"' for name, value in night.environment.items()]
    lines = [*given, subprocess.list2cmdline(command)]
    # In a script % begins a variable and has to be doubled; cmd's code page is set to UTF-8.
    text = "\r\n".join(["@echo off", "chcp 65001 >nul", *(line.replace("%", "%%") for line in lines), ""])
    at = f"{HOUR:02}:{MINUTE:02}"
    then = ("schtasks", "/Create", "/F", "/SC", "DAILY", "/ST", at, "/TN", name, "/TR", f'"{path}"')
    return [Installation(path, text, (Switch(then),))]


def _cron_line(command: Sequence[str], environment: Mapping[str, str]) -> str:
    import shlex

    given = ["env", *(f"{name}={value}" for name, value in environment.items())] if environment else []
    # An unescaped % ends the command in a crontab.
    return shlex.join([*given, *command]).replace("%", "\\%")


def _into_crontab(line: str) -> None:
    """Put a line into the crontab, replacing an earlier one with its mark; other lines stay as they are."""
    listed = _call(("crontab", "-l"), may_fail=True, unless=_NO_TABLE)
    mark = line[line.rindex(_MARK) :].strip()
    kept = [each for each in listed.splitlines() if not each.endswith(mark)]
    text = "\n".join([*kept, line.rstrip("\n")]) + "\n"
    if text != listed:
        _call(("crontab", "-"), given=text)


def _found(program: str) -> str:
    path = shutil.which(program)
    if path is None:
        raise BadInput(
            f"{program} is not installed here", by_hand="without --yes the schedule is only printed"
        )
    return path


def _call(
    command: Sequence[str],
    *,
    given: str = "",
    may_fail: bool = False,
    unless: re.Pattern[str] | None = None,
) -> str:
    """Return what a program prints; it `may_fail`, with `unless` only with such an error text."""
    done = subprocess.run(
        [_found(command[0]), *command[1:]],
        input=given, capture_output=True, check=False, encoding="utf-8", errors="surrogateescape",
    )  # fmt: skip
    if done.returncode and not (may_fail and (unless is None or unless.search(done.stderr))):
        said = " ".join(done.stderr.split())[:200]
        raise BadInput(
            f"{' '.join(command[:3])}: {said or f'exit status {done.returncode}'}; nothing was installed"
        )
    return "" if done.returncode else done.stdout
