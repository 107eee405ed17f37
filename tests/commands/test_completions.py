"""The completion scripts, each sourced in its real shell."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from memcli.config.config import Config
from memcli.memories import open_memories
from memcli.model import Change
from memcli.write_policy.drafts import Draft, new_memory

FOLDER = Path(__file__).parents[2] / "completions"
SCRIPTS = {"bash": FOLDER / "mem.bash", "zsh": FOLDER / "_mem", "fish": FOLDER / "mem.fish"}
PROGRAM = Path(sys.executable).with_name("mem.exe" if os.name == "nt" else "mem")

HEAD = "01K00000000000000A"
TEXTS = {
    "TEAWKQ5N": "I prefer tea over coffee",
    # What a shell that evaluates a description would carry out.
    "EV1DLLAR": r"a \$(touch pwned) b",
    "EV2TLCKS": r"a \`touch pwned\` b",
    "EV3QTES0": "it's $(touch pwned) \"; touch pwned; '; touch pwned",
    "EV4MARKS": "no [/bold] tag: %F{red} {a,b} *",
}

# bash gives `--kind=pre` as three words, the others as one; `completed` hides the difference.
CASES = {
    "a command": ("mem reca", "recall"),
    "a command of the other name": ("memcli reca", "recall"),
    "an option": ("mem recall --min-s", "--min-score"),
    "a kind": ("mem list --kind pre", "preference"),
    "a kind after =": ("mem list --kind=pre", "--kind=preference"),
    "an id by its tail": ("mem show TEAW", "TEAWKQ5N"),
    "an id by its head": (f"mem forget EV1DLLAR {HEAD}TE", f"{HEAD}TEAWKQ5N"),
}

# Type a line, press TAB, write down what stands there, leave.
_ZSHRC = """
zle-line-init() {
    BUFFER=$TYPED CURSOR=$#TYPED
    zle complete-word
    print -r -- "$BUFFER" > $ANSWER
    BUFFER=exit
    zle accept-line
}
zle -N zle-line-init
autoload -Uz compinit
"""
_ZSH_SETUPS = {
    "zsh, sourced": 'compinit -D -u; source "$SCRIPT"',
    "zsh, on the fpath": "fpath=(${SCRIPT:h} $fpath); compinit -D -u",
}
# Candidates as readline would get them. "$@" is the line's words.
_BASH = """
source "$SCRIPT"
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
[[ $(complete -p "$1") =~ -F\\ ([^ ]+) ]] && "${BASH_REMATCH[1]}" "$1" && printf '%s\\n' "${COMPREPLY[@]}"
"""
SHELLS = ["bash", *_ZSH_SETUPS, "fish"]


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A home with a store that holds TEXTS, and `mem` first on the PATH."""
    home = tmp_path_factory.mktemp("completing")
    kept = {name: text for name, text in os.environ.items() if not name.startswith(("MEMCLI_", "XDG_"))}
    own = {
        "HOME": str(home),
        "ZDOTDIR": str(home),
        "PATH": f"{PROGRAM.parent}{os.pathsep}{os.environ['PATH']}",
        "TERM": "dumb",
        "MEMCLI_DB": str(home / "memory.db"),
        "MEMCLI_CONFIG": str(home / "config.toml"),
        "MEMCLI_CACHE_DIR": os.environ.get("MEMCLI_TEST_CACHE", str(home / "cache")),
    }
    with open_memories(config=Config(own)) as memories:
        kept_as = [replace(new_memory(memories, Draft(text=TEXTS[tail])), id=HEAD + tail) for tail in TEXTS]
        # Straight into the store: completion wants no vectors, so no model either.
        memories.store.put(kept_as, Change(action="add"), memories.now())
    return kept | own


def completed(shell: str, line: str, environment: Mapping[str, str], folder: Path) -> list[str]:
    """What a shell makes of the last word of `line`; of several candidates zsh tells none."""
    name = shell.partition(",")[0]
    if shutil.which(name) is None:
        pytest.skip(f"{name} is not installed here (apt-get install {name})")
    given = {**environment, "SCRIPT": str(SCRIPTS[name])}
    if name == "zsh":
        return [_in_zsh(_ZSH_SETUPS[shell], line, given, folder)]
    if name == "fish":
        code = 'source "$SCRIPT"; complete -C "$argv[1]"'
        return [found.split("\t")[0] for found in _lines(["fish", "-c", code, line], given, folder)]
    words = line.replace("=", " = ").split(" ")
    found = _lines(["bash", "--norc", "--noprofile", "-c", _BASH, "bash", *words], given, folder)
    joined = line.rpartition(" ")[2].rpartition("=")
    return ["".join(joined[:2]) + candidate for candidate in found]


def _lines(command: list[str], environment: Mapping[str, str], folder: Path) -> list[str]:
    run = subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True, timeout=60)
    assert run.stderr == ""
    return run.stdout.splitlines()


def _in_zsh(setup: str, line: str, environment: Mapping[str, str], folder: Path) -> str:
    import pty

    Path(environment["ZDOTDIR"], ".zshrc").write_text(_ZSHRC + setup, encoding="utf-8")
    answer = folder / "answer"
    given = {**environment, "TYPED": line, "ANSWER": str(answer)}
    leader, follower = pty.openpty()
    with subprocess.Popen(
        ["zsh", "-d", "-i"], env=given, cwd=folder, start_new_session=True,
        stdin=follower, stdout=follower, stderr=follower,
    ) as zsh:  # fmt: skip
        os.close(follower)
        limit = threading.Timer(60, zsh.kill)
        limit.start()
        screen = b""
        with suppress(OSError):  # EIO: the shell has left its terminal
            while seen := os.read(leader, 4096):
                screen += seen
        limit.cancel()
    os.close(leader)
    assert answer.exists(), screen.decode(errors="replace")
    return answer.read_text(encoding="utf-8").rstrip("\n ").rpartition(" ")[2]


@pytest.mark.parametrize("shell", SCRIPTS)
def test_the_file_is_what_the_program_prints(shell: str, environment: dict[str, str]) -> None:
    printed = subprocess.run(
        [PROGRAM, "completions", shell], env=environment, capture_output=True, check=True
    )
    assert SCRIPTS[shell].read_bytes() == printed.stdout, (
        f"run: mem completions {shell} > completions/{SCRIPTS[shell].name}"
    )


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("case", CASES)
def test_a_shell_completes(shell: str, case: str, environment: dict[str, str], tmp_path: Path) -> None:
    line, wanted = CASES[case]
    assert completed(shell, line, environment, tmp_path) == [wanted]


@pytest.mark.parametrize("shell", SHELLS)
def test_what_a_memory_says_is_never_carried_out(
    shell: str, environment: dict[str, str], tmp_path: Path
) -> None:
    for tail in TEXTS:
        assert completed(shell, f"mem show {tail[:4]}", environment, tmp_path) == [tail]
    several = completed(shell, "mem show 0", environment, tmp_path)
    assert several == [HEAD] or set(several) == {HEAD + tail for tail in TEXTS}
    assert not (tmp_path / "pwned").exists()


@pytest.mark.parametrize("shell", SHELLS)
def test_without_a_store_there_is_no_id_and_no_noise(
    shell: str, environment: dict[str, str], tmp_path: Path
) -> None:
    nowhere = {**environment, "MEMCLI_DB": str(tmp_path / "none.db")}
    assert completed(shell, "mem show TEAW", nowhere, tmp_path) in ([], [""], ["TEAW"])
    assert not (tmp_path / "none.db").exists()
