"""Other platforms, simulated: what a system lacks is taken away, and what stands in its place is tried."""

from __future__ import annotations

import os
import plistlib
import runpy
import select
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from memcli import times
from memcli.agents.hooks.payload import read_payload
from memcli.agents.mcp.wire import Wire
from memcli.agents.settings.servers import CLIENTS
from memcli.consolidation.schedule import ScheduledRun, schedule_files
from memcli.errors import BadInput
from memcli.storage.sqlite.file import alone, room
from memcli.system import activity_log, files, terminal
from tests.conftest import make_memories

LOCKS = Path(files.__file__).with_name("locks.py")


@contextmanager
def lacking(monkeypatch: pytest.MonkeyPatch, *names: str) -> Iterator[None]:
    """While this holds, `os` has none of these."""
    with monkeypatch.context() as patch:
        for name in names:
            patch.delattr(os, name, raising=False)
        yield


class WindowsDatetime(datetime):
    """Local time before 1970 is what the C library of Windows refuses."""

    def astimezone(self, tz: tzinfo | None = None) -> Any:
        if self.year < 1970 and (tz is None or self.tzinfo is None):
            raise OSError(22, "Invalid argument")
        return super().astimezone(tz)


# Files


def test_without_fchmod_links_and_synced_folders_files_are_written_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "notes.txt"

    def no_links(*_: Any) -> None:
        raise OSError(95, "not supported")

    monkeypatch.setattr(os, "link", no_links)
    with lacking(monkeypatch, "fchmod"):
        files.write_private(path, b"one\n")
        files.write_private(path, b"two\n")
        (tmp_path / "fresh").write_bytes(b"three")
        files.put_where_nothing_is(tmp_path / "fresh", tmp_path / "new")
        with pytest.raises(BadInput, match="is there by now"):
            files.put_where_nothing_is(tmp_path / "new", path)
    assert path.read_bytes() == b"two\n" and (tmp_path / "new").read_bytes() == b"three"


def test_without_pread_a_place_in_a_file_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"0123456789")
    with path.open("rb") as file, lacking(monkeypatch, "pread"):
        assert files.read_at(file.fileno(), 4, 3) == b"3456"
        assert files.read_at(file.fileno(), 4, 0) == b"0123"


def test_what_a_text_mode_would_change_is_written_in_binary(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[int] = []
    plain = os.open

    def noting(path: Any, flags: int, *rest: Any, **more: Any) -> int:
        opened.append(flags)
        return plain(path, flags & ~0x4000_0000, *rest, **more)

    # A bit that no flag of this system has.
    monkeypatch.setattr(os, "O_BINARY", 0x4000_0000, raising=False)
    monkeypatch.setattr(os, "open", noting)
    monkeypatch.setenv(activity_log.VARIABLE, str(tmp_path / "log"))
    with activity_log.logging(["path"]) as status:
        status.append(0)
    files.write_private(tmp_path / "file", b"x")
    written = [flags for flags in opened if flags & (os.O_CREAT | os.O_APPEND)]
    assert len(written) >= 2 and all(flags & 0x4000_0000 for flags in written)


def test_a_store_is_written_read_and_erased_without_what_posix_adds(
    own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from memcli.changes.forgetting.hard import erase
    from memcli.changes.forgetting.targets import find_targets

    with (
        lacking(monkeypatch, "fchmod", "pread", "pwrite", "sched_getaffinity", "O_NOCTTY", "O_NONBLOCK"),
        make_memories(own_home / "memory.db", times.now) as memories,
    ):
        known = memories.remember("I drink tea").id
        assert memories.recall("tea").hits
        assert erase(memories, find_targets(memories, [known]), "gone").verified


def test_no_limit_of_a_files_size_is_known_without_the_module_of_limits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "resource", None)
    assert room._size_limit() is None


# Locks


def test_on_windows_a_lock_lies_behind_every_byte_and_the_place_in_the_file_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held: set[tuple[int, int]] = set()
    msvcrt: Any = ModuleType("msvcrt")
    msvcrt.LK_NBLCK, msvcrt.LK_UNLCK = 2, 0

    def locking(descriptor: int, how: int, count: int) -> None:
        file, at = os.fstat(descriptor).st_ino, os.lseek(descriptor, 0, os.SEEK_CUR)
        if how == msvcrt.LK_UNLCK:
            held.discard((file, at))
        elif (file, at) in held:
            raise OSError(36, "Resource deadlock avoided")
        else:
            held.add((file, at))

    msvcrt.locking = locking
    monkeypatch.setitem(sys.modules, "msvcrt", msvcrt)
    monkeypatch.setattr(sys, "platform", "win32")
    there = runpy.run_path(str(LOCKS))
    monkeypatch.undo()
    path = tmp_path / "lock"
    path.write_bytes(b"what it says")
    with path.open("r+b", buffering=0) as one, path.open("r+b", buffering=0) as other:
        assert one.read(4) == b"what"
        assert there["try_lock"](one.fileno()) and not there["try_lock"](other.fileno())
        assert one.read(3) == b" it" and all(at > 2**39 for _, at in held)
        there["_unlock"](one.fileno())
        assert there["try_lock"](other.fileno())


def test_locks_of_open_files_are_those_of_linux_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import fcntl

    asked: list[int] = []

    def noting(descriptor: int, command: int, *_: Any) -> int:
        asked.append(command)
        return 0

    # macOS has the constant, and another layout of what is handed over with it.
    monkeypatch.setattr(fcntl, "fcntl", noting)
    monkeypatch.setattr(fcntl, "F_OFD_SETLK", 90, raising=False)
    monkeypatch.setattr(sys, "platform", "darwin")
    (tmp_path / "store").write_bytes(b"")
    with alone.being_alone(tmp_path / "store", 1.0):
        assert asked == []


# Streams, the terminal, the one who started us


def test_without_poll_or_a_select_of_pipes_an_agent_is_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    def sockets_only(*_: Any) -> Any:
        raise OSError(10038, "not a socket")

    reading, writing = os.pipe()
    monkeypatch.delattr(select, "poll", raising=False)
    monkeypatch.setattr(select, "select", sockets_only)
    os.write(writing, b'{"prompt": "which port?"}')
    payload = read_payload(reading)
    assert payload and payload.text("prompt") == "which port?"
    assert Wire(reading, writing).is_heard()
    os.close(reading)
    os.close(writing)


def test_where_there_is_no_dev_tty_there_is_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    with lacking(monkeypatch, "O_NOCTTY"):
        assert not terminal.is_terminal_there()
        with pytest.raises(OSError, match="no /dev/tty"):
            terminal.open_terminal()


# Places


@pytest.mark.parametrize(
    ("platform", "name", "wanted"),
    [
        ("darwin", "posix", "Library/Application Support/Claude/claude_desktop_config.json"),
        ("linux", "posix", ".config/Claude/claude_desktop_config.json"),
        ("win32", "nt", "AppData/Roaming/Claude/claude_desktop_config.json"),
    ],
)
def test_an_application_keeps_its_settings_where_the_platform_does(
    own_home: Path, monkeypatch: pytest.MonkeyPatch, platform: str, name: str, wanted: str
) -> None:
    # Not `os.name` itself: a path of another platform cannot be made here.
    from memcli.agents.settings import servers

    monkeypatch.delenv("APPDATA", raising=False)
    monkeypatch.setattr(servers, "os", SimpleNamespace(name=name, environ=os.environ))
    monkeypatch.setattr(sys, "platform", platform)
    assert CLIENTS["claude-desktop"].file(own_home) == own_home / wanted


def test_without_a_home_the_way_out_is_named_and_nothing_lies_in_the_working_folder(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from memcli.config import config

    monkeypatch.delenv("MEMCLI_DB")
    monkeypatch.setattr("platformdirs.user_data_dir", lambda *_, **__: "memcli")
    with pytest.raises(BadInput, match="MEMCLI_DB"):
        _ = config.Config()["db"]


# Schedules


def test_each_platform_has_a_schedule(tmp_path: Path) -> None:
    night = ScheduledRun(["--max-time", "20m"], {"MEMCLI_DB": "C:\\Users\\Ann\\100%.db"}, "other")
    [launchd] = schedule_files("launchd", night, tmp_path)
    assert plistlib.loads(launchd.text.encode())["ProgramArguments"][-1] == "20m"
    [windows] = schedule_files("schtasks", night, tmp_path)
    assert windows.path and windows.path.suffix == ".cmd"
    assert 'set "MEMCLI_DB=C:\\Users\\Ann\\100%%.db"\r\n' in windows.text
    assert windows.text.startswith("@echo off\r\n") and "consolidate --max-time 20m\r\n" in windows.text
    [(task, _)] = windows.then
    assert task[0] == "schtasks" and task[task.index("/TR") + 1] == f'"{windows.path}"'
    assert len(task[task.index("/TR") + 1]) < 261 or len(str(tmp_path)) > 180


# Time


def test_before_1970_local_time_goes_by_the_standard_offset(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "timezone", -3600)
    monkeypatch.setattr(times, "datetime", WindowsDatetime)
    war = WindowsDatetime(1944, 6, 6, 6, 30)
    assert times.to_milliseconds(war) == datetime(1944, 6, 6, 5, 30, tzinfo=UTC)
    assert times.local(WindowsDatetime(1944, 6, 6, 5, 30, tzinfo=UTC)).utcoffset() == timedelta(hours=1)
    now = datetime(2026, 5, 3, 12, tzinfo=UTC)
    assert times.parse_instant("1944-06-06", now) == datetime(1944, 6, 5, 23, tzinfo=UTC)
    assert times.parse_instant("1944-06-06T06:30", now).year == 1944
