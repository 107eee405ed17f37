"""The plots of `mem stats`: what they count, what they are drawn of, and where they stay away."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from memcli.memories import Memories
from memcli.upkeep.statistics import growth
from memcli.views.plots import bar, sparkline
from tests.conftest import MEM, Run, TickingClock
from tests.terminals import all_shown


def test_a_sparkline_is_as_high_as_its_numbers() -> None:
    assert sparkline([0, 1, 4, 8]) == " ▁▄█"
    assert sparkline([0, 0]) == "  " and sparkline([]) == ""
    # One among thousands is seen.
    assert sparkline([1, 10_000]) == "▁█"
    assert sparkline([0, 1, 4, 8], plain=True).isascii() and len(sparkline([1] * 52, plain=True)) == 52


def test_a_bar_is_as_long_as_its_share() -> None:
    assert bar(8, 8, 4) == "████" and bar(1, 8, 4) == "▌" and bar(3, 8, 4) == "█▌"
    assert bar(0, 8, 4) == "" and bar(0, 0, 4) == ""
    assert bar(1, 10_000, 8) == "▏" and bar(1, 10_000, 8, plain=True) == "#"


def test_growth_is_counted_by_when_the_store_learned_of_it(memories: Memories, clock: TickingClock) -> None:
    assert growth(memories) is None
    memories.remember("the first of all")
    clock.advance(days=10)
    second = memories.remember("the second one")
    memories.end([second.id], "gone")
    memories.remember("a third thing")
    memories.recall("third thing")
    grown = growth(memories)
    assert grown and grown.unit == "day" and len(grown.added) == 14
    assert sum(grown.added) == 3 and grown.added[-1] == 2 and sum(grown.used) == grown.used[-1] == 1
    clock.advance(days=200)
    weekly, few = growth(memories), growth(memories, most=5)
    assert weekly and weekly.unit == "week" and sum(weekly.added) == 3 and len(weekly.added) < 53
    assert few and len(few.added) == 5 and sum(few.added) == 0
    clock.advance(days=2000)
    assert (grown := growth(memories)) and grown.unit == "month" and sum(grown.used) == 0


def test_a_pipe_and_json_are_as_they_were(mem: Run) -> None:
    assert mem("remember", "I drink tea").returncode == 0
    for arguments in (("stats",), ("stats", "--json")):
        assert not re.search("[▁-█]|added, by", mem(*arguments).stdout)


@pytest.mark.skipif(os.name != "posix", reason="a pseudo-terminal is asked for")
@pytest.mark.parametrize(
    ("variables", "blocks", "coloured"),
    [
        ({"LC_ALL": "C.UTF-8"}, True, True),
        ({"LC_ALL": "C.UTF-8", "NO_COLOR": "1"}, True, False),
        ({"LC_ALL": "C"}, False, True),
        ({"LC_ALL": "C", "TERM": "dumb"}, False, False),
    ],
)
def test_a_terminal_gets_what_it_can_show_in_its_width(
    mem: Run, own_home: Path, variables: dict[str, str], blocks: bool, coloured: bool
) -> None:
    assert mem("remember", "I drink tea").returncode == 0
    assert mem("remember", "--kind", "constraint", "Never deploy on Fridays").returncode == 0
    shown = in_terminal(["stats"], {"TERM": "xterm", **variables})
    assert ("\x1b[36m" in shown) == coloured
    plots = re.sub(r"\x1b\[[\d;]*m", "", shown).replace("\r", "").partition("\n\n")[2].splitlines()
    assert [line.split()[0] for line in plots] == ["added,", "last", "from", "constraint", "preference"]
    assert ("█" in plots[0]) == blocks and all(len(line) <= 80 for line in plots)
    assert blocks or all(line.isascii() for line in plots)


def in_terminal(arguments: list[str], variables: dict[str, str]) -> str:
    """What a command prints on a terminal of 80 columns."""
    import fcntl
    import pty
    import struct
    import termios

    process, terminal = pty.fork()
    if process == 0:
        os.execve(MEM, [str(MEM), *arguments], {**os.environ, "MEMCLI_WARM": "off", **variables})
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    shown = all_shown(terminal)
    os.close(terminal)
    os.waitpid(process, 0)
    return shown.decode()
