"""Imports are part of the interface: what a command may load, and which way they point."""

from __future__ import annotations

import inspect
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from memcli.command_line.loading import load_command
from memcli.command_line.table import COMMANDS
from tests.conftest import Run

HEAVY = {"torch", "transformers", "sentence_transformers", "sklearn", "scipy", "pydantic", "huggingface_hub"}
MODEL = {"numpy", "onnxruntime", "tokenizers"}
STORE = {"sqlcipher3", "sqlite_utils", "sqlite_vec"}
SHOW = {"rich"}
WRITE = {"tomlkit", "tomllib"}
# What a start does without: OpenSSL for a digest, and what few calls need.
FEW = {"hashlib", "_hashlib", "calendar", "array"}
if sys.version_info < (3, 13):  # from there on `pathlib` needs it
    FEW.add("glob")

LOADED = """
import json, sys
from memcli.app import run
status = run(sys.argv[1:])
sys.stdout.flush()
print(json.dumps([status, sorted({name.split('.')[0] for name in sys.modules})]), file=sys.stderr)
"""


def loaded(*arguments: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", LOADED, *arguments], capture_output=True, text=True, check=True
    )
    status, modules = json.loads(done.stderr.splitlines()[-1])
    assert status in (0, 1), done.stderr
    return set(modules)


@pytest.mark.parametrize(
    ("arguments", "barred"),
    [
        (["--version"], HEAVY | MODEL | STORE | SHOW | WRITE),
        (["--help"], HEAVY | MODEL | STORE | SHOW | WRITE),
        (["recall", "--help"], HEAVY | MODEL | SHOW | WRITE),
        (["help"], HEAVY | MODEL | STORE | SHOW | WRITE),
        (["path"], HEAVY | MODEL | STORE | SHOW | WRITE),
        (["list", "-n", "5"], HEAVY | MODEL | SHOW | WRITE | FEW | {"sqlite_utils", "sqlite_vec"}),
        (["recall", "--words", "tea"], HEAVY | MODEL | SHOW | WRITE | FEW | {"sqlite_utils", "sqlite_vec"}),
        (["recall", "tea"], HEAVY | SHOW | WRITE | FEW - {"calendar"} | {"sqlite_utils", "onnx"}),
        (["checkpoint", "run", "t", "s", "--", "true"], HEAVY | MODEL | SHOW | WRITE | {"sqlite_utils"}),
        (["checkpoint", "restore", "t"], HEAVY | MODEL | SHOW | WRITE | {"sqlite_utils"}),
        (["log", "hello"], HEAVY | SHOW | WRITE | {"sqlite_utils", "onnx", "sqlite_vec"}),
        (["log", "hello", "--later"], HEAVY | MODEL | SHOW | WRITE | {"sqlite_utils", "sqlite_vec"}),
        (["session", "list"], HEAVY | MODEL | SHOW | WRITE | {"sqlite_utils", "sqlite_vec"}),
        (["session", "messages"], HEAVY | MODEL | SHOW | WRITE | {"sqlite_utils", "sqlite_vec"}),
        (["task", "start", "goal"], HEAVY | MODEL | SHOW | WRITE | {"sqlite_utils", "sqlite_vec"}),
        (["task", "show"], HEAVY | MODEL | SHOW | WRITE | {"sqlite_utils", "sqlite_vec"}),
        (["remember", "coffee"], HEAVY | SHOW | WRITE | {"sqlite_utils", "onnx", "sqlite_vec"}),
    ],
)
def test_a_command_loads_no_more_than_it_needs(mem: Run, arguments: list[str], barred: set[str]) -> None:
    assert mem("remember", "I drink tea").returncode == 0
    assert loaded(*arguments) & barred == set()


def test_a_keyring_is_asked_only_for_an_encrypted_store_that_nothing_else_opens(
    mem: Run, own_home: Path
) -> None:
    keys = {"keyring", "pyrage", "getpass"}
    assert mem("remember", "I drink tea").returncode == 0
    assert loaded("recall", "tea") & keys == set()
    assert mem("encrypt", "--key-file", str(own_home / "key")).returncode == 0
    assert loaded("recall", "tea") & (keys | HEAVY) == set()


def test_a_skipped_step_costs_one_plain_start(mem: Run) -> None:
    step = ["checkpoint", "run", "t", "s", "--", "true"]
    assert mem(*step).returncode == 0
    running = {"subprocess", "threading", "hashlib", "fcntl", "base64"}
    plain = loaded("list", "-n", "5")
    assert loaded(*step) & (HEAVY | MODEL | SHOW | WRITE | {"sqlite_utils"} | (running - plain)) == set()


def test_the_runtime_of_the_model_reports_to_nobody(mem: Run, own_home: Path) -> None:
    # What its maker takes for a test run would silence onnxruntime as well.
    seen = ("CI", "ORT_RUNNING_UNIT_TESTS", "ORT_DISABLE_TELEMETRY", "TF_BUILD", "GITHUB_ACTIONS")
    plain = {name: value for name, value in os.environ.items() if name not in seen}
    assert mem("remember", "I drink tea", env=plain).returncode == 0
    assert mem("recall", "tea", env=plain).returncode == 0
    kept = {path.relative_to(own_home).parts[0] for path in own_home.rglob("*")}
    assert kept <= {"data", "config.toml", "cache"}


def test_the_annotations_that_typer_reads_are_no_texts_to_compile() -> None:
    for name in COMMANDS:
        load_command(name)
    texts = [
        f"{name}: {parameter}"
        for name, module in sys.modules.items()
        if name.startswith("memcli.commands.") and not name.startswith("memcli.commands.terminal")
        for each in vars(module).values()
        if inspect.isfunction(each) and each.__module__ == name
        for parameter, default in inspect.signature(each).parameters.items()
        if isinstance(default.annotation, str) and "options." in default.annotation + "typer."
    ]
    assert texts == []


# What a call asks its store for, its owner's rights among it, needs none of these.
UNASKED = {
    "memcli.doors", "memcli.changes", "memcli.storage.lookup", "memcli.text.spelling", "memcli.system.locks",
    "memcli.storage.sqlite.tables.signs", "memcli.storage.sqlite.tables.migrations",
    "memcli.storage.sqlite.file.reading_copy",
}  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "most"),
    [(["list", "-n", "5"], 80), (["recall", "--words", "tea"], 116), (["recall", "tea"], 161)],
)
def test_a_short_call_loads_few_modules_of_ours(mem: Run, arguments: list[str], most: int) -> None:
    assert mem("remember", "I drink tea").returncode == 0
    code = (
        f"import sys; from memcli.app import run; run({arguments!r}); "
        "print(*(name for name in sys.modules if name.startswith('memcli')), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    modules = set(done.stderr.split())
    # They were 84, 119 and 166; each costs a tenth of a millisecond before it does anything.
    assert modules & UNASKED == set() and len(modules) <= most, sorted(modules)


def test_no_dataclass_that_a_recall_makes_compares_or_prints_itself(mem: Run) -> None:
    # Each method that `dataclasses` makes is compiled in every call.
    assert mem("remember", "I drink tea").returncode == 0
    code = (
        "import dataclasses; made = []; real = dataclasses._process_class\n"
        "def noted(cls, init, repr, eq, *rest): made.append((cls.__name__, repr, eq)); "
        "return real(cls, init, repr, eq, *rest)\n"
        "dataclasses._process_class = noted\n"
        "import sys; from memcli.app import run; run(['recall', '--words', 'tea']); "
        "print(made, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.splitlines()[-1] == "[('Memory', False, False)]"


def test_onnxruntime_comes_through_one_door() -> None:
    package = Path(__file__).parent.parent / "memcli"
    importing = [
        path.name
        for path in package.rglob("*.py")
        if any(
            line.startswith(("import onnxruntime", "from onnxruntime"))
            for line in path.read_text("utf-8").split("\n")
        )
    ]
    assert importing == ["runtime.py"]


@pytest.mark.parametrize("arguments", [["recall", "tea"], ["remember", "coffee"]])
def test_nothing_about_an_llm_is_loaded_unasked(mem: Run, arguments: list[str]) -> None:
    code = (
        f"import sys; from memcli.app import run; run({arguments!r}); "
        "print(*(m for m in sys.modules if m.startswith('memcli.llm')), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "memcli.llm" not in done.stderr


def test_a_command_imports_only_its_own_module(mem: Run) -> None:
    code = (
        "import sys; from memcli.app import run; run(['path']); "
        "print(*(m for m in sys.modules if m.startswith('memcli.commands.')), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set(done.stderr.split()) == {
        "memcli.commands.path",
        "memcli.commands.terminal",
        "memcli.commands.terminal.store",
        "memcli.commands.terminal.options",
        "memcli.commands.terminal.values",
        "memcli.commands.terminal.places",
        "memcli.commands.terminal.output",
    }


def test_the_lines_of_help_are_those_of_the_commands() -> None:
    for name, line in COMMANDS.items():
        assert load_command(name).help.splitlines()[0] == line


def test_there_is_a_line_for_every_module() -> None:
    folder = Path(__file__).parent.parent / "memcli" / "commands"
    modules = {path.stem for path in folder.iterdir() if not path.stem.startswith("__")} - {"terminal"}
    assert {name.rstrip("_").replace("_", "-") for name in modules} == set(COMMANDS)


def test_imports_go_down_only() -> None:
    root = Path(__file__).parent.parent
    done = subprocess.run(
        [Path(sys.executable).with_name("lint-imports")], cwd=root, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout


def test_a_start_compiles_no_expression_that_its_command_does_not_ask(mem: Run) -> None:
    code = (
        "import re, sys, typer; made = []; real = re._compiler.compile\n"
        "def noted(pattern, flags=0): made.append(pattern); return real(pattern, flags)\n"
        "re._compiler.compile = noted\n"
        "from memcli.app import run; run(['recall', '--words', 'tea']); "
        "print(len(made), file=sys.stderr)"
    )
    assert mem("remember", "I drink tea").returncode == 0
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    # It was 53, and 19.
    assert int(done.stderr) < 17


def test_a_note_without_a_weekday_has_no_forms_of_days_compiled(mem: Run) -> None:
    # A number is what makes a note worth a look for a date; the forms of all days take 12,000 characters.
    code = (
        "import re, sys, typer; made = []; real = re._compiler.compile\n"
        "def noted(pattern, flags=0): made.append(pattern); return real(pattern, flags)\n"
        "re._compiler.compile = noted\n"
        "from memcli.app import run; run(['remember', 'Shelf 4 stands in row 8443']); "
        "print(max(map(len, made)), file=sys.stderr)"
    )
    assert mem("remember", "Shelf 3 stands in row 8442").returncode == 0
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(done.stderr.splitlines()[-1]) < 5_000
