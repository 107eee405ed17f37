"""One lock between processes: free again when its holder is gone, however it went."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from memcli.errors import StoreBusy
from memcli.system.locks import hold_lock, is_locked, only_one

_HOLD = """
import sys, time
from pathlib import Path
from memcli.system.locks import hold_lock
with hold_lock(Path(sys.argv[1]), busy=""):
    print("held", flush=True)
    time.sleep(60)
"""


def test_a_killed_holder_leaves_the_lock_free(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with subprocess.Popen([sys.executable, "-c", _HOLD, path], stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout and holder.stdout.readline() == "held\n"
        assert is_locked(path)
        with only_one(path, wait=False) as free:
            assert not free
        with (
            pytest.raises(StoreBusy, match="somebody works"),
            hold_lock(path, busy="somebody works", patience=0),
        ):
            pass
        holder.send_signal(signal.SIGKILL if sys.platform != "win32" else signal.SIGTERM)
    with only_one(path, wait=False) as free:
        assert free and is_locked(path)
    assert not path.exists()


def test_what_fails_while_it_is_held_is_told_as_it_is(tmp_path: Path) -> None:
    with pytest.raises(StoreBusy, match="another matter"), only_one(tmp_path / "lock", wait=False) as free:
        assert free
        raise StoreBusy("another matter")
    assert not is_locked(tmp_path / "lock")
