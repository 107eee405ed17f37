"""The completion scripts, each sourced in its real shell."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from memcli.config.config import Config
from memcli.memories import Memories, open_memories
from memcli.model import Change
from memcli.write_policy.drafts import Draft, new_memory
from tests.commands.interactive import TAB, typed_shell
from tests.standin import StandIn
from tests.terminals import all_shown

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


# Names that a shell would take for something else, by what begins them.
ODD = (
    "my notes", "it's", 'say "hi"', "dollar$(touch pwned)b", "ops:deploy", "back\\slash",
    "tick`touch pwned`", "semi;colon", "star*", "übung", "end'", "equals=sign",
)  # fmt: skip
# A line that ends in the beginning of a name, and what it then ends in.
NAMED = {
    "mem session show my": "my session",
    "mem log x --session=my": "--session=my session",
    "mem task switch big": "big: task",
    "mem task show --task big": "big: task",
    "mem policy show no": "no friday",
    "mem procedure show ship": "ship it",
    "mem recall x --space far": "far away",
    "mem space export far": "far away",
    "mem remember x --tag my": "my notes",
    "mem edit x --tag my": "my notes",
    "mem rule remove never": "never this",
    "mem checkpoint show bui": "build it",
}


def furnish(memories: Memories) -> None:
    """Something of each name that is completed."""
    from memcli.tiers.policies.document import PolicyText
    from memcli.tiers.policies.policies import Policies
    from memcli.tiers.procedures.procedures import Procedures
    from memcli.tiers.sessions.sessions import start_session
    from memcli.tiers.tasks.checkpoints import save_checkpoint
    from memcli.tiers.tasks.tasks import start_task
    from memcli.write_policy.owner_rules import OwnerRule
    from memcli.write_policy.stored_rules import put_rule

    tagged = new_memory(memories, Draft(text="tagged", tags=ODD))
    away = replace(new_memory(memories, Draft(text="another")), space="far away")
    memories.store.put([tagged, away], Change(action="add"), memories.now())
    start_session(memories, "my session")
    start_task(memories, "a goal", name="big: task")
    save_checkpoint(memories, "build it", "{}")
    put_rule(memories, OwnerRule("never this", "never", pattern="secretly"))
    standing = Memories(memories.store, memories.config, StandIn)
    Policies(standing).add(PolicyText("no friday", "no deploys on Fridays", "soft"))
    Procedures(standing).add("ship it", "description: x\nsteps: [push]\n", "yaml", where="here")


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


@pytest.fixture(scope="module")
def furnished(environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The same over a store that has something of each name that is completed."""
    own = {**environment, "MEMCLI_DB": str(tmp_path_factory.mktemp("furnished") / "memory.db")}
    with open_memories(config=Config(own)) as memories:
        furnish(memories)
    return own


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
        screen = all_shown(leader)
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


_LOADED = {
    "bash": 'source "$SCRIPT"',
    "zsh": 'autoload -Uz compinit; compinit -D -u; source "$SCRIPT"',
    "fish": 'source "$SCRIPT"',
}


@pytest.mark.skipif(os.name != "posix", reason="a pseudo-terminal is asked for")
@pytest.mark.parametrize("shell", _LOADED)
def test_a_name_is_put_in_so_that_the_shell_takes_it_for_one_word(
    shell: str, furnished: dict[str, str], tmp_path: Path
) -> None:
    given = {**furnished, "SCRIPT": str(SCRIPTS[shell])}
    with typed_shell(shell, _LOADED[shell], given, tmp_path) as typed:
        for name in ODD:
            assert typed.arguments(f"mem list --tag {name[:2]}{TAB}")[-1] == name
        for quote, names in {
            '"': ('say "hi"', "dollar$(touch pwned)b"),
            "'": ("end'", "back\\slash"),
        }.items():
            for name in names:
                assert typed.arguments(f"mem list --tag {quote}{name[:2]}{TAB}")[-1] == name
        for name in ("my notes", "equals=sign"):
            assert typed.arguments(f"mem list --tag={name[:2]}{TAB}")[-1] == f"--tag={name}"
        assert typed.arguments(f"mem list --tag ops:de{TAB}") == ["mem", "list", "--tag", "ops:deploy"]
    assert not (tmp_path / "pwned").exists()


@pytest.mark.skipif(os.name != "posix", reason="a pseudo-terminal is asked for")
@pytest.mark.parametrize("shell", _LOADED)
def test_names_of_all_sorts_are_known(shell: str, furnished: dict[str, str], tmp_path: Path) -> None:
    given = {**furnished, "SCRIPT": str(SCRIPTS[shell])}
    with typed_shell(shell, _LOADED[shell], given, tmp_path) as typed:
        for line, wanted in NAMED.items():
            assert typed.arguments(line + TAB)[-1] == wanted, line


def candidates(line: str, environment: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    asked = {**environment, "_MEM_COMPLETE": line.replace(" ", "\t")}
    return subprocess.run([PROGRAM], env=asked, capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize("line", ["mem list --tag ", "mem show ", "mem session show ", "mem task switch "])
def test_what_cannot_be_opened_offers_nothing_and_says_nothing(
    line: str, furnished: dict[str, str], tmp_path: Path
) -> None:
    for name, content in {
        "none.db": None,
        "damaged.db": b"no store" * 4096,
        "locked.db": os.urandom(65536),
    }.items():
        if content:
            (tmp_path / name).write_bytes(content)
        done = candidates(line, {**furnished, "MEMCLI_DB": str(tmp_path / name)})
        assert (done.returncode, done.stdout, done.stderr) == (0, "", ""), name


def test_completing_loads_no_model(furnished: dict[str, str]) -> None:
    code = (
        "import sys; from memcli.app import run; run([]); "
        "print(*{name.split('.')[0] for name in sys.modules}, file=sys.stderr)"
    )
    for line in ("mem list --tag ", "mem session show ", "mem task switch ", "mem recall x --space "):
        asked = {**furnished, "_MEM_COMPLETE": line.replace(" ", "\t")}
        done = subprocess.run([sys.executable, "-c", code], env=asked, capture_output=True, text=True)
        assert done.stdout
        loaded = set(done.stderr.split())
        assert not loaded & {"numpy", "onnxruntime", "tokenizers", "rich", "sqlite_utils", "sqlite_vec"}, line
