"""`mem browse`: the screen driven by its keys, in the two sizes that people have, over a real store."""

from __future__ import annotations

import asyncio
import os
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from memcli.consolidation.run import RunOptions, consolidate
from memcli.graph.proposed_links import submit_link
from memcli.memories import Memories
from memcli.model import Filter
from memcli.write_policy.admission import admit_drafts
from memcli.write_policy.drafts import Draft, new_memory
from tests.conftest import MEM, Run, TickingClock, make_memories

pytest.importorskip("textual", reason="Textual is not installed: pip install 'memcli[browse]'")

from textual.pilot import Pilot
from textual.widgets import Static

from memcli.views.browse.app import Browser
from memcli.views.browse.deeds import undoable
from memcli.views.browse.desk import Desk
from memcli.views.browse.panes import DetailPane, EntryList

TEXTS = ("I prefer tea to coffee", "The staging server listens on port 8443", "Ann lives in Berlin")
SIZES = ((80, 24), (120, 40))
HOSTILE = (
    "[bold red]x[/] [@click=app.quit]y[/] \u202eevil\u202c zero\u200bwidth \x1b[31mred\x1b]0;title\x07 end"
)
SHOWN = "[bold red]x[/] [@click=app.quit]y[/] \\u202eevil\\u202c zero\\u200bwidth"


@pytest.fixture
def store(own_home: Path, compiled_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small store in two spaces, something of which waits for review."""
    monkeypatch.setenv("MEMCLI_CACHE_DIR", str(compiled_cache))
    monkeypatch.delenv("NO_COLOR", raising=False)
    path = own_home / "data" / "memory.db"
    path.parent.mkdir(parents=True)
    with make_memories(path, TickingClock(), model=_real(compiled_cache)) as memories:
        for text in (
            "I prefer tea to coffee",
            "The staging server listens on port 8443",
            "Ann lives in Berlin",
        ):
            memories.remember(text)
        admit_drafts(
            memories, memories.model, [Draft(text="Ann likes oolong", source="inferred", confidence=0.5)]
        )
        [evidence] = [each for each in _all(memories) if "Berlin" in each.text]
        said = {"subject": "Ann", "relation": "lives_in", "object": "Berlin", "confidence": 0.9}
        assert submit_link(memories, said, [evidence])
        memories.in_space("farm").remember("The cows are milked at six")
    return path


def _real(cache: Path) -> Callable[[str], Any]:
    from memcli.embedding import open_embedder

    return lambda name: open_embedder("all-MiniLM-L6-v2", cache)


def _all(memories: Memories, *, live: bool = True) -> list[Any]:
    return list(memories.store.select(Filter(spaces=(memories.space,), live=live)))


@pytest.fixture
def opened(store: Path) -> Iterator[Callable[[], Memories]]:
    made: list[Memories] = []

    def open_again() -> Memories:
        made.append(make_memories(store, TickingClock()))
        return made[-1]

    yield open_again
    for each in made:
        each.close()


Play = Callable[[Pilot[None]], Awaitable[None]]


def played(play: Play, size: tuple[int, int] = SIZES[0], **options: Any) -> Browser:
    """Show the screen, play with it, leave."""

    async def run() -> Browser:
        app = Browser(Desk(**options))
        async with app.run_test(size=size) as pilot:
            await settled(pilot)
            await play(pilot)
        return app

    return asyncio.run(run())


async def settled(pilot: Pilot[None]) -> None:
    """Wait until nothing is asked of the store any more, nothing is about to be, and all is drawn."""
    quiet = 0
    while quiet < 2 or not shown(pilot).splitlines()[-1].strip():
        await pilot.pause(0.02)
        due = any(timer._task and not timer._task.done() for timer in pilot.app._timers)
        quiet = 0 if due or any(not each.is_finished for each in pilot.app.workers) else quiet + 1


async def pressed(pilot: Pilot[None], *keys: str) -> None:
    await pilot.press(*keys)
    await settled(pilot)


def shown(pilot: Pilot[None]) -> str:
    """What stands on the screen, line by line."""
    width, height = pilot.app.size
    strips = pilot.app.screen._compositor.render_strips()
    lines = [strip.text for strip in strips]
    assert len(lines) == height and all(len(line) <= width for line in lines)
    return "\n".join(lines)


def said(pilot: Pilot[None]) -> str:
    return str(pilot.app.screen_stack[0].query_one("#status", Static).render())


def texts(pilot: Pilot[None]) -> list[str]:
    return [entry.text for entry in pilot.app.screen_stack[0].query_one(EntryList).entries]


def at_hand(pilot: Pilot[None]) -> str:
    entry = pilot.app.screen_stack[0].query_one(EntryList).at_hand
    assert entry
    return entry.text


@pytest.mark.parametrize("size", SIZES)
def test_one_types_and_the_answer_stands_there(store: Path, size: tuple[int, int]) -> None:
    async def play(pilot: Pilot[None]) -> None:
        assert texts(pilot) == [
            "Ann lives in Berlin", "The staging server listens on port 8443", "I prefer tea to coffee",
        ]  # fmt: skip
        assert "3 memories" in said(pilot) and "default" in shown(pilot)
        await pressed(pilot, *"which port?")
        assert texts(pilot)[0] == "The staging server listens on port 8443"
        assert "port 8443" in shown(pilot) and "Why" in shown(pilot)
        await pressed(pilot, *["backspace"] * 11, *"xylophones")
        assert texts(pilot) == [] and "nothing" in said(pilot)
        await pressed(pilot, "escape")
        assert len(texts(pilot)) == 3

    played(play, size)


def test_looking_counts_as_no_use(store: Path, opened: Callable[[], Memories]) -> None:
    async def play(pilot: Pilot[None]) -> None:
        await pressed(pilot, *"tea", "enter", "down")

    before = [(each.access_count, each.updated_at) for each in _all(opened())]
    played(play)
    assert [(each.access_count, each.updated_at) for each in _all(opened())] == before


@pytest.mark.parametrize("size", SIZES)
def test_the_keys_stand_in_the_last_line(store: Path, size: tuple[int, int]) -> None:
    async def play(pilot: Pilot[None]) -> None:
        assert "Esc" in shown(pilot).splitlines()[-1]
        await pressed(pilot, "enter")
        keys = shown(pilot).splitlines()[-1]
        for key in ("/ find", "c confirm", "d doubt", "e correct", "f forget", "u undo", "? help", "q quit"):
            assert key in keys
        assert "accept" not in keys
        await pressed(pilot, "3")
        assert "a accept" in shown(pilot).splitlines()[-1] and "confirm" not in shown(pilot).splitlines()[-1]
        await pressed(pilot, "question_mark")
        assert "undo the last change" in shown(pilot) and "forget --hard" in shown(pilot)

    played(play, size)


def test_what_is_changed_is_on_record_as_by_the_commands(store: Path, opened: Callable[[], Memories]) -> None:
    async def play(pilot: Pilot[None]) -> None:
        await pressed(pilot, "enter", "d")
        assert "doubted: believed 80%" in said(pilot)
        await pressed(pilot, "c")
        assert "confirmed: believed 90%" in said(pilot)
        await pressed(pilot, "e", *["backspace"] * 6, *"Oslo", "tab", *"moved", "ctrl+s")
        assert "corrected" in said(pilot) and texts(pilot)[0] == "Ann lives in Oslo"
        assert at_hand(pilot) == "Ann lives in Oslo"
        await pressed(pilot, "down", "f", *"old news", "enter")
        assert "forgotten" in said(pilot) and len(texts(pilot)) == 2

    played(play)
    memories = opened()
    events = list(memories.store.history())[-5:]
    assert [(each.action, each.actor) for each in events] == [
        ("doubt", "cli"), ("confirm", "cli"), ("correct", "cli"), ("end", "cli"), ("end", "cli"),
    ]  # fmt: skip
    assert events[2].change == events[3].change and events[2].reason == "moved"
    assert events[4].reason == "old news"
    [oslo] = [each for each in _all(memories) if "Oslo" in each.text]
    assert oslo.supersedes and oslo.origin == "cli"


def test_an_undo_of_what_only_waits_says_how_much_waits(memories: Memories) -> None:
    memories.remember("Nadia works at Helio. Pablo is Nadia's brother.")
    consolidate(memories, RunOptions(steps=["distil"]))
    assert undoable(memories).lines == ["2 that wait for you"]


def test_an_undo_takes_back_what_was_done_here_and_asks_about_what_was_not(
    store: Path, opened: Callable[[], Memories]
) -> None:
    async def play(pilot: Pilot[None]) -> None:
        await pressed(pilot, "enter", "f", "enter")
        assert len(texts(pilot)) == 2
        await pressed(pilot, "u")
        assert "undone (end)" in said(pilot) and texts(pilot)[0] == "Ann lives in Berlin"
        await pressed(pilot, "u")
        assert "It was not changed on this screen" in shown(pilot)
        await pressed(pilot, "n")
        assert len(texts(pilot)) == 3
        await pressed(pilot, "u", "y")
        assert "undone" in said(pilot)

    played(play)


def test_what_was_ended_is_shown_on_demand_and_brought_back(store: Path) -> None:
    async def play(pilot: Pilot[None]) -> None:
        await pressed(pilot, "enter", "f", "enter", "E")
        assert "(ended)" in shown(pilot) and "b bring back" not in shown(pilot).splitlines()[-1]
        await pressed(pilot, "home")
        assert "b bring back" in shown(pilot).splitlines()[-1]
        await pressed(pilot, "b", "E")
        assert texts(pilot)[0] == "Ann lives in Berlin"

    played(play)


def test_the_review_queue_is_gone_through(store: Path, opened: Callable[[], Memories]) -> None:
    async def play(pilot: Pilot[None]) -> None:
        assert "Review (2)" in shown(pilot)
        await pressed(pilot, "enter", "3")
        assert texts(pilot) == ["Ann likes oolong", "Ann lives_in Berlin"]
        assert "held" in shown(pilot)
        await pressed(pilot, "a")
        assert "accepted" in said(pilot) and texts(pilot) == ["Ann lives_in Berlin"]
        await pressed(pilot, "x")
        assert "rejected" in said(pilot) and "Nothing waits for you" in shown(pilot)

    played(play)
    memories = opened()
    [taken] = [each for each in _all(memories) if "oolong" in each.text]
    assert taken.data["approved"] and not list(memories.store.links())


def test_spaces_are_walls_and_one_is_entered_by_name(store: Path) -> None:
    async def play(pilot: Pilot[None]) -> None:
        assert "cows" not in shown(pilot)
        await pressed(pilot, "enter", "4")
        assert texts(pilot) == ["default", "farm"]
        await pressed(pilot, "down", "enter")
        assert texts(pilot) == ["The cows are milked at six"] and "farm" in shown(pilot).splitlines()[0]

    played(play)


def test_a_timeline_stands_under_its_days(store: Path) -> None:
    async def play(pilot: Pilot[None]) -> None:
        await pressed(pilot, "enter", "2")
        assert texts(pilot)[0] == "3" and "2026-05-03  Sunday" in shown(pilot)
        assert at_hand(pilot) == "Ann lives in Berlin"

    played(play)


@pytest.mark.parametrize("size", SIZES)
def test_texts_are_data(store: Path, opened: Callable[[], Memories], size: tuple[int, int]) -> None:
    with opened() as memories:
        [plain, *_] = _all(memories)
        from dataclasses import replace

        memories.store.put(
            [
                replace(
                    plain, id="01M9ZZZZZZZZZZZZZZZZZZZZZZ", text=HOSTILE, tags=("[b]t[/b]",), ended_why=None
                )
            ],
            memories.change("add"),
            plain.created_at,
        )

    async def play(pilot: Pilot[None]) -> None:
        assert SHOWN[:30] in shown(pilot) and "\\u202e" in shown(pilot)
        screenshot = pilot.app.export_screenshot()
        for sign in ("\x1b", "\u202e", "\u200b", "\x07"):
            assert sign not in screenshot and sign not in shown(pilot)
        await pressed(pilot, "enter", "e")
        assert "[bold red]x[/]" in shown(pilot) and "\u202e" not in shown(pilot)
        await pressed(pilot, "ctrl+s")
        assert "nothing was changed" in said(pilot)
        await pressed(pilot, "f")
        assert "[bold red]x[/]" in shown(pilot)

    played(play, size)


def test_nothing_is_held_while_one_reads(store: Path) -> None:
    async def play(pilot: Pilot[None]) -> None:
        await pressed(pilot, *"tea", "enter", "f")
        folder = Path("/proc/self/fd")
        if folder.exists():
            assert not [each for each in folder.iterdir() if str(store) in os.path.realpath(each)]
        with written_by_another(store):
            pass

    played(play)


def test_a_busy_store_is_a_line_and_the_screen_goes_on(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMCLI_BUSY_TIMEOUT", "1")

    async def play(pilot: Pilot[None]) -> None:
        await pressed(pilot, "enter")
        with written_by_another(store):
            await pilot.press("c", "down")
            assert said(pilot) == "…" and at_hand(pilot) == TEXTS[1]
            await settled(pilot)
            assert "another process" in said(pilot) and "\n" not in said(pilot)
        await pressed(pilot, "c")
        assert "confirmed" in said(pilot)

    played(play)


def test_who_may_not_is_told_so_in_a_line(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMCLI_ORIGIN", "mcp:somebody")

    async def play(pilot: Pilot[None]) -> None:
        for keys in (("enter", "c"), ("d",), ("f", "enter")):
            await pressed(pilot, *keys)
            assert "untrusted" in said(pilot) and len(texts(pilot)) == 3

    played(play)


def test_a_correction_goes_by_the_write_policy(store: Path) -> None:
    async def play(pilot: Pilot[None]) -> None:
        await pressed(pilot, "enter", "e", *" and her password is hunter2hunter2", "ctrl+s")
        assert "secret" in said(pilot) and texts(pilot)[0] == "Ann lives in Berlin"

    played(play)


def test_a_store_that_went_away_is_a_line(store: Path) -> None:
    async def play(pilot: Pilot[None]) -> None:
        await pressed(pilot, "enter")
        for each in store.parent.glob("memory.db*"):
            each.unlink()
        await pressed(pilot, "c")
        assert "no store" in said(pilot) or str(store) in said(pilot)

    played(play)


def test_without_colour_nothing_is_told_by_colour(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")

    async def play(pilot: Pilot[None]) -> None:
        await pressed(pilot, "enter")
        styles = [
            segment.style
            for strip in pilot.app.screen._compositor.render_strips()
            for segment in strip.apply_filter(pilot.app._filters[-1], pilot.app.screen.styles.background)
            if segment.style
        ]
        assert any(style.reverse for style in styles)
        assert all(style.color is None or style.color.is_default for style in styles)
        assert pilot.app.screen_stack[0].query_one(DetailPane)

    played(play)


def test_a_long_list_is_read_on_at_its_end(store: Path, opened: Callable[[], Memories]) -> None:
    with opened() as memories:
        notes = [new_memory(memories, Draft(text=f"note number {n}", kind="episode")) for n in range(400)]
        memories.store.put(notes, memories.change("add"), memories.now())

    async def play(pilot: Pilot[None]) -> None:
        assert len(texts(pilot)) == 300 and "403 memories" in said(pilot)
        await pressed(pilot, "enter", "end")
        assert len(texts(pilot)) == 403

    played(play)


@contextmanager
def written_by_another(store: Path) -> Iterator[None]:
    """Inside, another process writes to the store, and lets nobody else. Fails where it cannot at once."""
    code = (
        "import sqlite3, sys\n"
        "other = sqlite3.connect(sys.argv[1], timeout=0, isolation_level=None)\n"
        "other.execute('BEGIN EXCLUSIVE')\nprint('held', flush=True)\ninput()"
    )
    command = [sys.executable, "-c", code, str(store)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdin and other.stdout and other.stdout.readline() == "held\n"
        yield
        other.stdin.write("\n")


def test_a_passphrase_is_asked_for_once_and_by_no_screen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from memcli.errors import WrongKey
    from memcli.keys import sources, typed
    from memcli.keys.secret import Secret

    asked: list[str] = []
    file = tmp_path / "memory.db"
    file.write_bytes(os.urandom(16 * 1024))
    salt, right = os.urandom(16), Secret("ab" * 32, "the passphrase")

    def ask(question: str) -> Secret:
        asked.append(question)
        return right

    monkeypatch.setattr(sources, "can_ask", lambda: True)
    monkeypatch.setattr(sources, "ask_passphrase", ask)
    opens = right.key(salt).__eq__
    with typed.kept_while_open():
        assert sources.find_key(file, salt, opens) == sources.find_key(file, salt, opens)
        assert len(asked) == 1
        # Encrypted anew meanwhile: nobody is asked behind the screen.
        with pytest.raises(WrongKey):
            sources.find_key(file, salt, lambda key: False)
    assert len(asked) == 1 and sources.find_key(file, salt, opens) and len(asked) == 2


# The command


def test_without_a_terminal_it_is_one_line(mem: Run) -> None:
    done = mem("browse")
    assert (done.returncode, done.stdout) == (2, "") and done.stderr.count("\n") == 1
    assert "terminal" in done.stderr


def test_without_textual_one_line_says_what_to_install(mem: Run) -> None:
    code = "import sys; sys.modules['textual'] = None; from memcli.app import run; sys.exit(run(['browse']))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    assert "pip install 'memcli[browse]'" in done.stderr


@pytest.mark.skipif(os.name != "posix", reason="a pseudo-terminal is asked for")
@pytest.mark.parametrize(
    ("variables", "status", "line"),
    [
        ({"TERM": "dumb"}, 2, "cannot show a full screen"),
        ({"MEMCLI_DB": "/nowhere/x.db"}, 1, "/nowhere/x.db"),
    ],
)
def test_what_cannot_be_shown_is_said_before_there_is_a_screen(
    store: Path, variables: dict[str, str], status: int, line: str
) -> None:
    ended, output = in_terminal(b"", {"TERM": "xterm", **variables})
    assert ended == status and line in output and "\x1b" not in output


@pytest.mark.skipif(os.name != "posix", reason="a pseudo-terminal is asked for")
@pytest.mark.parametrize("keys", [b"\rq", b"\x03", b"tea\x11"])
def test_leaving_restores_the_terminal(store: Path, keys: bytes) -> None:
    ended, output = in_terminal(keys, {"TERM": "xterm", "NO_COLOR": "1"})
    assert ended == 0
    assert output.rindex("\x1b[?1049l") > output.rindex("\x1b[?1049h")
    assert output.rindex("\x1b[?25h") > output.rindex("\x1b[?25l")
    coloured = [code for code in re.findall(r"\x1b\[([\d;]+)m", output) for code in code.split(";")]
    assert not {code for code in coloured if re.fullmatch(r"[34][0-8]|9\d|10\d", code)}


def in_terminal(keys: bytes, variables: dict[str, str]) -> tuple[int, str]:
    """Run `mem browse` on a pseudo-terminal of 80×24, type, and give back its status and output."""
    import fcntl
    import pty
    import struct
    import termios

    process, terminal = pty.fork()
    if process == 0:
        os.execve(MEM, [str(MEM), "browse"], {**os.environ, "MEMCLI_WARM": "off", **variables})
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    output = b""
    deadline = time.monotonic() + 60
    # On a busy machine a key may come before the one ahead of it has had its effect: they are typed again.
    type_at = 0.0
    while time.monotonic() < deadline:
        if select.select([terminal], [], [], 0.1)[0]:
            try:
                output += os.read(terminal, 65536)
            except OSError:
                break
        if b"memories" in output and time.monotonic() > type_at:
            with suppress(OSError):
                for key in keys:
                    os.write(terminal, bytes([key]))
                    time.sleep(0.3)
            type_at = time.monotonic() + 5
    else:
        os.kill(process, signal.SIGKILL)
    os.close(terminal)
    _, ended = os.waitpid(process, 0)
    return os.waitstatus_to_exitcode(ended), output.decode(errors="replace")
