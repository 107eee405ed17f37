"""The key bindings, each in its real shell: with a stand-in that picks a line, and with fzf itself."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from memcli.model import Change
from memcli.write_policy.drafts import Draft, new_memory
from tests.commands.interactive import HOME, TypedShell, typed_shell
from tests.conftest import MEM, TickingClock, make_memories

pytestmark = pytest.mark.skipif(os.name != "posix", reason="a pseudo-terminal is asked for")
SHELLS = ("bash", "zsh", "fish")
ODD = 'it\'s a $(touch pwned) `touch pwned` \\n "quoted" !x; * text'
TEXTS = ("I prefer tea to coffee", ODD, "two\nlines \x1b[31mand\u202e signs", "Ann lives in Berlin")
PICK = "\x1bm"
# As fzf: what fits is printed; with FZF_KEY as if that key had been pressed, 130 where nothing was picked.
STAND_IN = """#!/bin/sh
line=$(grep -m1 -F -- "$FZF_PICK") || exit 130
[ -n "$FZF_KEY" ] && printf '%s\\n' "$FZF_KEY"
printf '%s\\n' "$line"
"""


@pytest.fixture
def environment(own_home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> dict[str, str]:
    """A store with TEXTS; of programs `mem` and what a shell needs."""
    path = own_home / "data" / "memory.db"
    path.parent.mkdir(parents=True)
    with make_memories(path, TickingClock()) as memories:
        kept = [new_memory(memories, Draft(text=text)) for text in TEXTS]
        memories.store.put(kept, Change(action="add"), memories.now())
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "mem").symlink_to(MEM)
    return {**os.environ, "PATH": f"{programs}:/usr/bin:/bin", "MEMCLI_WARM": "off"}


def bound(shell: str) -> str:
    """How the printed script is read in."""
    return f"mem widget {shell} > widget.{shell}; source ./widget.{shell}"


@pytest.fixture(params=SHELLS)
def shell(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def picking(shell: str, environment: dict[str, str], tmp_path: Path) -> Iterator[TypedShell]:
    """A shell with the binding, and a stand-in for fzf."""
    fzf = tmp_path / "programs" / "fzf"
    fzf.write_text(STAND_IN)
    fzf.chmod(0o755)
    with typed_shell(shell, bound(shell), environment, tmp_path) as typed:
        yield typed


def exported(shell: str, name: str, value: str) -> str:
    return f"set -gx {name} '{value}'" if shell == "fish" else f"export {name}='{value}'"


def test_the_text_stands_at_the_cursor_as_one_word(picking: TypedShell, shell: str, tmp_path: Path) -> None:
    for words, wanted in (
        ("prefer tea", TEXTS[0]), ("touch pwned", ODD), ("two lines", "two lines and\\u202e signs"),
    ):  # fmt: skip
        picking.enter(exported(shell, "FZF_PICK", words))
        assert picking.arguments(f"ask {PICK} now") == ["ask", wanted, "now"]
    assert not (tmp_path / "pwned").exists()


def test_it_goes_in_where_the_cursor_is(picking: TypedShell, shell: str) -> None:
    picking.enter(exported(shell, "FZF_PICK", "prefer tea"))
    assert picking.arguments(f"after{HOME}ask {PICK} ") == ["ask", TEXTS[0], "after"]


def test_by_another_key_it_is_the_id(picking: TypedShell, shell: str, environment: dict[str, str]) -> None:
    picking.enter(exported(shell, "FZF_PICK", "prefer tea"))
    picking.enter(exported(shell, "FZF_KEY", "ctrl-o"))
    [name, key] = picking.arguments(f"ask {PICK}")
    shown = subprocess.run(["mem", "show", key], env=environment, capture_output=True, text=True)
    assert name == "ask" and TEXTS[0] in shown.stdout and len(key) == 26


def test_where_nothing_is_picked_the_line_stays(picking: TypedShell, shell: str) -> None:
    picking.enter(exported(shell, "FZF_PICK", "no such words"))
    assert picking.arguments(f"ask me {PICK}too") == ["ask", "me", "too"]


def test_without_fzf_a_line_says_so(shell: str, environment: dict[str, str], tmp_path: Path) -> None:
    lean = tmp_path / "lean"
    lean.mkdir()
    for program in (shell, "sh", "env", "uname", "sed", "cat", "grep", "stty", "tput"):
        if found := shutil.which(program):
            (lean / program).symlink_to(found)
    (lean / "mem").symlink_to(MEM)
    given = {**environment, "PATH": str(lean)}
    with typed_shell(shell, bound(shell), given, tmp_path) as typed:
        assert typed.arguments(f"ask {PICK}me") == ["ask", "me"]
        typed.wait_for("this key needs fzf")


@pytest.mark.skipif(shutil.which("fzf") is None, reason="fzf is not installed here (apt-get install fzf)")
def test_with_fzf_itself(shell: str, environment: dict[str, str], tmp_path: Path) -> None:
    with typed_shell(shell, bound(shell), environment, tmp_path) as typed:
        typed.press(f"ask {PICK}")
        typed.type_at("4/4", "tea coffee")
        typed.type_at("1/4", "\r")
        typed.type_at("'I prefer tea to coffee'", "")
        assert typed.arguments(" now") == ["ask", TEXTS[0], "now"]
        typed.press(f"ask {PICK}")
        typed.type_at("4/4", "berlin")
        typed.type_at("1/4", "\x0f")
        typed.type_at("01", "")
        assert len(typed.arguments("")) == 2
