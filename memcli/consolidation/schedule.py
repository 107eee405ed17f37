"""Having it run every night: what cron, systemd or launchd is to be told."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple
from xml.sax.saxutils import escape

from memcli.errors import BadInput

SYSTEMS = ("cron", "systemd", "launchd")
# At a time when the machine is likely to be on, and nobody to work on it.
HOUR, MINUTE = 3, 17
_MARK = "# mem consolidate"
_LABEL = "memcli.consolidate"


class Installed(NamedTuple):
    """What is written where (None: handed to `crontab`), and what switches it on."""

    path: Path | None
    text: str
    then: tuple[str, ...] = ()


def schedule(system: str, arguments: Sequence[str], home: Path) -> list[Installed]:
    """What to install for one of SYSTEMS, so that the command with these arguments runs every night."""
    command = [*_program(), "consolidate", *arguments]
    if system == "systemd":
        return _systemd(command, home)
    if system == "launchd":
        return _launchd(command, home)
    return [Installed(None, f"{MINUTE} {HOUR} * * * {_cron_line(command)} {_MARK}\n")]


def install(some: Sequence[Installed]) -> None:
    """Write the files and switch them on; raises BadInput where the system has no such thing."""
    for each in some:
        if each.path is None:
            _into_crontab(each.text)
        else:
            each.path.parent.mkdir(parents=True, exist_ok=True)
            each.path.write_text(each.text, encoding="utf-8")
    for each in some:
        if each.then:
            _call(each.then)


def _program() -> list[str]:
    """This very program: cron knows no virtual environment."""
    here = Path(sys.argv[0])
    return [str(here.resolve())] if here.stem in ("mem", "memcli") else [sys.executable, "-m", "memcli"]


def _systemd(command: Sequence[str], home: Path) -> list[Installed]:
    folder = home / ".config" / "systemd" / "user"
    line = " ".join(
        '"' + each.replace("%", "%%").replace("\\", "\\\\").replace('"', '\\"') + '"' for each in command
    )
    service = (
        "[Unit]\nDescription=Consolidate memories\n\n"
        f"[Service]\nType=oneshot\nNice=10\nIOSchedulingClass=idle\nExecStart={line}\n"
    )
    timer = (
        "[Unit]\nDescription=Consolidate memories every night\n\n"
        f"[Timer]\nOnCalendar=*-*-* {HOUR:02}:{MINUTE:02}:00\n"
        "RandomizedDelaySec=600\nPersistent=true\n\n[Install]\nWantedBy=timers.target\n"
    )
    enable = ("systemctl", "--user", "enable", "--now", "memcli-consolidate.timer")
    return [
        Installed(folder / "memcli-consolidate.service", service),
        Installed(folder / "memcli-consolidate.timer", timer, enable),
    ]


def _launchd(command: Sequence[str], home: Path) -> list[Installed]:
    strings = "".join(f"    <string>{escape(each)}</string>\n" for each in command)
    text = (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" '
        '"http://www.apple.com/DTDs/PropertyList-1.0.dtd">\n'
        f'<plist version="1.0">\n<dict>\n  <key>Label</key><string>{_LABEL}</string>\n'
        f"  <key>ProgramArguments</key>\n  <array>\n{strings}  </array>\n"
        "  <key>StartCalendarInterval</key>\n"
        f"  <dict><key>Hour</key><integer>{HOUR}</integer>"
        f"<key>Minute</key><integer>{MINUTE}</integer></dict>\n"
        "  <key>Nice</key><integer>10</integer>\n</dict>\n</plist>\n"
    )
    path = home / "Library" / "LaunchAgents" / f"{_LABEL}.plist"
    return [Installed(path, text, ("launchctl", "load", "-w", str(path)))]


def _cron_line(command: Sequence[str]) -> str:
    import shlex

    # An unescaped % ends the command in a crontab.
    return shlex.join(command).replace("%", "\\%")


def _into_crontab(line: str) -> None:
    listed = _call(("crontab", "-l"), may_fail=True)
    kept = [each for each in listed.splitlines() if not each.endswith(_MARK)]
    _call(("crontab", "-"), given="\n".join([*kept, line.rstrip("\n")]) + "\n")


def _call(command: Sequence[str], *, given: str = "", may_fail: bool = False) -> str:
    program = shutil.which(command[0])
    if program is None:
        raise BadInput(f"{command[0]} is not installed here; without --yes the schedule is only printed")
    done = subprocess.run([program, *command[1:]], input=given, capture_output=True, text=True, check=False)
    if done.returncode and not may_fail:
        raise BadInput(f"{' '.join(command)}: {done.stderr.strip() or done.returncode}")
    return "" if done.returncode else done.stdout
